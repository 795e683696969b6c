"""Traces and views of a `Pipeline`: what was made of the text, what was put around it, and ids that are those of `encode`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_files
from hf_json import document
from naive import ALPHABET

from tinyllm.tok.explain import page, to_json, trace_encode, view
from tinyllm.tok.explain.display import Dropped, groups_of
from tinyllm.tok.explain.pipeline import raw_of, trace_pipeline
from tinyllm.tok.explain.records import ModelPretoken, PipelineTrace, PutIn, UnknownToken
from tinyllm.tok.pipeline import Pipeline

VOCAB = {symbol: id for id, symbol in enumerate(ALPHABET)}
MERGES = [("Ã", "©"), ("h", "i"), ("Ġ", "hi"), ("a", "b")]
VOCAB.update({left + right: 256 + rank for rank, (left, right) in enumerate(MERGES)})
NFC = {"type": "NFC"}
CHARACTERS = {"▁": 0, "a": 1, "<unk>": 2, "b": 3, "ab": 4, "<0xC3>": 5, "<0xA9>": 6}


def template(*names: str) -> dict[str, Any]:
    """A template in which "$A" is the text, and other names are the token 260."""
    piece = {"$A": {"Sequence": {"id": "A", "type_id": 0}}}
    return {
        "type": "TemplateProcessing",
        "single": [piece.get(name, {"SpecialToken": {"id": name, "type_id": 0}}) for name in names],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [260], "tokens": ["<s>"]}},
    }


def byte_level(**fields: Any) -> Pipeline:
    return Pipeline(document(VOCAB, MERGES, **{"added": [("<s>", 260, True)], **fields}))


def model(file: dict[str, Any], **options: Any) -> Pipeline:
    return Pipeline({**file, "model": {**file["model"], **options}})


def of_characters(**options: Any) -> Pipeline:
    return model(document(CHARACTERS, [("a", "b")], pre_tokenizer=None, decoder=None), **options)


def traced(tokenizer: Pipeline, text: str, **options: Any) -> PipelineTrace:
    trace = trace_encode(tokenizer, text, **options)
    assert isinstance(trace, PipelineTrace)
    assert list(trace.ids) == tokenizer.encode(text, **options)
    return trace


def only_part(tokenizer: Pipeline, text: str) -> ModelPretoken:
    (part,) = traced(tokenizer, text).parts
    assert isinstance(part, ModelPretoken)
    return part


# ---- traces ----


def test_a_trace_has_the_normalized_text_and_rounds_on_that() -> None:
    trace = traced(byte_level(normalizer=NFC), "e\u0301")
    assert (trace.text, trace.normalized) == ("e\u0301", "é")
    (part,) = trace.parts
    assert isinstance(part, ModelPretoken)
    assert (part.text, part.seen, part.bytes) == ("é", "Ã©", (0xC3, 0xA9))
    assert [(round.left, round.right, round.after) for round in part.rounds] == [("Ã", "©", ("Ã©",))]


def test_tokens_of_a_template_are_put_in_and_the_others_are_counted() -> None:
    trace = traced(byte_level(post_processor=template("<s>", "$A", "<s>")), "hi b")
    put_in = PutIn(260, "<s>", "post_processor")
    assert (trace.ids, trace.framed) == ((260, 257, 220, 65, 260), (put_in, 0, 1, 2, put_in))
    assert [part.text for part in trace.parts] == ["hi", " b"]


def test_a_template_may_have_the_text_twice() -> None:
    assert traced(byte_level(post_processor=template("$A", "<s>", "$A")), "a").framed[::2] == (0, 0)


def test_truncation_and_padding_are_seen() -> None:
    truncation = {"max_length": 3, "strategy": "LongestFirst", "stride": 0, "direction": "Left"}
    assert traced(byte_level(truncation=truncation), "abcde").framed == (1, 2, 3)
    padding = {"strategy": {"Fixed": 4}, "direction": "Left", "pad_id": 260, "pad_type_id": 0, "pad_token": "<s>"}
    pad = PutIn(260, "<s>", "padding")
    assert traced(byte_level(padding=padding), "hi").framed == (pad, pad, pad, 0)


def test_an_added_token_has_the_white_space_that_it_took() -> None:
    added = document({}, [], [("<m>", 260, True)])["added_tokens"]
    tokenizer = byte_level(added_tokens=[{**added[0], "lstrip": True}])
    part = traced(tokenizer, "a <m>").parts[1]
    assert (part.kind, part.text, part.tokens[0].start, part.tokens[0].end) == ("added", " <m>", 1, 5)


def test_a_pre_token_that_is_a_token_is_taken_whole_where_merges_are_ignored() -> None:
    file = document({**VOCAB, "xyz": 260}, MERGES)
    part = only_part(model(file, ignore_merges=True), "xyz")
    assert (part.whole, part.rounds, part.symbols, [token.id for token in part.tokens]) == (True, (), ("xyz",), [260])
    assert not only_part(model(file), "xyz").whole


def test_a_character_without_a_token_is_unknown_dropped_or_its_bytes() -> None:
    (unknown, known) = only_part(of_characters(unk_token="<unk>"), "éa").tokens
    assert isinstance(unknown, UnknownToken)
    assert (unknown.id, unknown.bytes, unknown.start, unknown.end, known.id) == (2, (0xC3, 0xA9), 0, 2, 1)
    fused = only_part(of_characters(unk_token="<unk>", fuse_unk=True), "ééab").tokens
    assert [(token.id, token.start, token.end) for token in fused] == [(2, 0, 4), (4, 4, 6)]
    part = only_part(of_characters(), "aéb")
    assert (part.dropped, part.rounds[0].after, part.tokens[0].bytes) == ((1, 2), ("ab",), (97, 98))
    assert [token.id for token in only_part(of_characters(byte_fallback=True), "éa").tokens] == [5, 6, 1]


def test_prefixes_and_suffixes_are_part_of_symbols_and_not_of_the_text() -> None:
    vocab = {"a": 0, "##b": 1, "##b</w>": 2, "ab</w>": 3}
    file = document(vocab, [("a", "##b</w>")], pre_tokenizer=None)
    part = only_part(model(file, continuing_subword_prefix="##", end_of_word_suffix="</w>"), "ab")
    assert (part.symbols, part.symbol_bytes, part.rounds[0].token) == (("a", "##b</w>"), ((97,), (98,)), "ab</w>")
    assert part.tokens[0].bytes == (97, 98)


def test_an_equal_pre_token_is_not_merged_again() -> None:
    assert [part.cached_from for part in traced(byte_level(), " hi hi").parts] == [None, 0]


def test_a_pre_token_may_be_cut_inside_a_character() -> None:
    # Falcon's steps: the stand-in of the byte B2 is "²", which counts as a digit.
    steps = {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, {"type": "Digits", "individual_digits": True}]}
    trace = traced(byte_level(pre_tokenizer=steps), "串")
    assert [part.bytes for part in trace.parts] == [(0xE4, 0xB8), (0xB2,)]  # type: ignore[union-attr]
    (group,) = groups_of(trace)
    assert (group.text, len(group.parts)) == ("串", 3)


BYTE_LEVEL = document({}, [])["pre_tokenizer"]


def test_a_special_token_that_is_not_allowed_is_ordinary_text() -> None:
    assert traced(byte_level(), "<s>", allowed_special="none").ids == (27, 82, 29)


def test_a_trace_refuses_what_encode_refuses() -> None:
    for arguments in (
        ("a\ud800", {}),
        (b"a", {}),
        ("a", {"allowed_special": "some"}),
        ("a", {"allowed_special": ["x"]}),
    ):
        text, options = arguments
        with pytest.raises((TypeError, ValueError)) as theirs:
            byte_level().encode(text, **options)  # type: ignore[arg-type]
        with pytest.raises(type(theirs.value)) as ours:
            trace_encode(byte_level(), text, **options)  # type: ignore[arg-type]
        assert str(ours.value) == str(theirs.value)


# ---- views ----


def test_a_view_says_what_was_changed_and_put_in() -> None:
    tokenizer = byte_level(normalizer=NFC, post_processor=template("<s>", "$A"))
    assert repr(view(tokenizer, "e\u0301!")) == (
        "3 characters, 4 bytes, 3 tokens\n"
        "normalized (NFC of Unicode 9.0): é!\n"
        "put in by the post-processor: <s>\n"
        " id  token  bytes     rank\n"
        "260  <s>    (put in)     -\n"
        "256  é      C3 A9        0\n"
        "  0  !      21           -"
    )


def test_a_view_of_an_unchanged_text_says_nothing() -> None:
    assert view(byte_level(normalizer=NFC), "é").changes == ()


def test_a_view_says_what_the_pre_tokenizer_put_in_or_took_out() -> None:
    prefix = byte_level(pre_tokenizer={**BYTE_LEVEL, "add_prefix_space": True})
    assert view(prefix, "hi").changes == ("the pre-tokens, joined: ␣hi",)
    words = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, BYTE_LEVEL]}
    assert view(byte_level(pre_tokenizer=words), "a b").changes == ("the pre-tokens, joined: ab",)


def test_a_view_counts_what_truncation_left_out() -> None:
    truncation = {"max_length": 1, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    shown = view(byte_level(truncation=truncation), "你b")
    assert (shown.ids, shown.changes) == ((160,), ("left out: 3 tokens of the text",))
    assert [(group.text, len(group.parts)) for group in shown.groups] == [("你", 1)]


def test_the_html_of_a_view_escapes_the_changed_text_and_tells_of_each_token() -> None:
    lower = byte_level(normalizer={"type": "Lowercase"}, post_processor=template("<s>", "$A"))
    html = view(lower, "<B>")._repr_html_()
    assert "normalized (lower case): &lt;b&gt;" in html
    assert 'title="id 260 · put in by the post-processor"><bdi>&lt;s&gt;</bdi>' in html
    unknown = view(of_characters(unk_token="<unk>"), "é")._repr_html_()
    assert 'title="id 2 · stands for bytes C3 A9, which have no token"><bdi>&lt;unk&gt;</bdi>' in unknown


def test_dropped_bytes_are_shown_in_a_view_also_if_they_are_all_there_is() -> None:
    assert view(of_characters(), "é").groups[0].parts == (Dropped((0xC3, 0xA9), 0, 2),)


# ---- the page ----


def data_of(html: str) -> Any:
    return json.loads(html.split('<script type="application/json" id="data">')[1].split("</script>")[0])


def test_the_page_shows_the_trace_and_says_what_was_changed() -> None:
    tokenizer = byte_level(normalizer=NFC, post_processor=template("<s>", "$A"))
    html = page.page(tokenizer, "e\u0301")
    assert '<p class="soft" dir="auto">normalized (NFC of Unicode 9.0): é</p>' in html
    assert '<p class="soft" dir="auto">put in by the post-processor: &lt;s&gt;</p>' in html
    assert data_of(html)["encode"] == json.loads(to_json(traced(tokenizer, "e\u0301")))


def test_the_page_of_a_model_of_characters_has_no_byte_alphabet() -> None:
    assert data_of(page.page(of_characters(), "a"))["byte_level"] is False
    assert data_of(page.page(byte_level(), "a"))["byte_level"] is True


def test_a_live_page_of_a_pipeline_is_refused() -> None:
    with pytest.raises(ValueError, match="a live page runs the tokenizers that BPETokenizer reads"):
        page.page(byte_level(), "a", live=True)


# ---- laws, on files from the whole grammar ----


def traces(count: int) -> list[tuple[Pipeline, str, PipelineTrace]]:
    """Traces of texts hostile to random files."""
    found = []
    for number in range(count):
        file = random_files.draw(Random(f"views/{number}"))
        try:
            tokenizer = Pipeline(file)
        except ValueError:
            continue
        for text in random_files.texts(Random(number), file, 8):
            try:
                tokenizer.encode(text)
            except ValueError as error:
                with pytest.raises(ValueError) as ours:
                    trace_encode(tokenizer, text)
                assert str(ours.value) == str(error)
            else:
                found.append((tokenizer, text, traced(tokenizer, text)))
    return found


@pytest.fixture(scope="module")
def drawn() -> list[tuple[Pipeline, str, PipelineTrace]]:
    return traces(40)


def test_without_rounds_the_tokens_are_the_same(drawn: list[tuple[Pipeline, str, PipelineTrace]]) -> None:
    assert len(drawn) > 200
    for tokenizer, text, trace in drawn:
        quick = trace_pipeline(tokenizer, text, with_rounds=False)
        assert [part.tokens for part in quick.parts] == [part.tokens for part in trace.parts]


def test_a_view_has_all_ids_in_order_and_its_tokens_cover_what_they_stand_for(
    drawn: list[tuple[Pipeline, str, PipelineTrace]],
) -> None:
    for tokenizer, text, trace in drawn:
        shown = view(tokenizer, text)
        parts = [part for group in shown.groups for part in group.parts]
        assert [part.id for part in parts if not isinstance(part, Dropped)] == list(trace.ids)
        raw = raw_of(trace)
        for part in trace.parts:
            for token in part.tokens:
                assert set(token.bytes) <= set(raw[token.start : token.end])


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here, so the page's script is not run")
def test_the_page_groups_tokens_as_a_view_does(
    drawn: list[tuple[Pipeline, str, PipelineTrace]], tmp_path: Path
) -> None:
    script = tmp_path / "groups.mjs"
    script.write_text(
        (page.ASSETS / "tokens.js").read_text("utf-8")
        + """
import { readFileSync } from "node:fs";
const shown = ({ text, items }) => [items[0].by ? "" : text, items.map((item) => item.id ?? null)];
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map((trace) => tokenGroups(trace).map(shown))));
""",
        "utf-8",
    )
    asked = "[" + ",".join(to_json(trace) for _, _, trace in drawn) + "]"
    done = subprocess.run(["node", script], input=asked, capture_output=True, encoding="utf-8", timeout=300)
    assert done.stderr == ""
    for (_, _, trace), found in zip(drawn, json.loads(done.stdout)):
        wanted = [[group.text, [getattr(part, "id", None) for part in group.parts]] for group in groups_of(trace)]
        assert found == wanted

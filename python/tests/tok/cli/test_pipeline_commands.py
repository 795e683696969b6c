"""Each `tok` command with a file that `Pipeline` reads: NFC, a template that begins with `<s>`, and a split of its own."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from typing import Any

import pytest
from hf_json import BYTE_LEVEL, document
from naive import ALPHABET

from tinyllm.tok.pipeline import Pipeline

MERGES = [("Ã", "©"), ("h", "i"), ("Ġ", "hi")]
VOCAB = {token: id for id, token in enumerate([*ALPHABET, *map("".join, MERGES)])}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [259], "tokens": ["<s>"]}},
}
SPLIT = {"type": "Split", "pattern": {"Regex": "\\p{N}"}, "behavior": "Isolated", "invert": False}
E_ACUTE = "e\u0301"


def declared(**fields: Any) -> dict[str, Any]:
    known = {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [SPLIT, BYTE_LEVEL]},
        "post_processor": TEMPLATE,
    }
    return document(VOCAB, MERGES, [("<s>", 259, True), ("<|endoftext|>", 260, True)], **{**known, **fields})


@pytest.fixture
def wide(tmp_path: Path) -> str:
    (tmp_path / "wide.json").write_text(json.dumps(declared()), "utf-8")
    return "wide.json"


@pytest.fixture
def llama(tmp_path: Path) -> str:
    """Llama 2's decoder, on five tokens."""
    replace = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    steps = {"type": "Sequence", "decoders": [replace, {"type": "ByteFallback"}, {"type": "Fuse"}, strip]}
    file = document({"▁": 0, "a": 1, "▁a": 2}, [("▁", "a")], pre_tokenizer=None, decoder=steps)
    (tmp_path / "llama.json").write_text(json.dumps(file), "utf-8")
    return "llama.json"


# ---- encode and decode ----


def test_encode_gives_the_ids_with_the_template(tok: Any, wide: str) -> None:
    assert tok("encode", "--tokenizer", wide, f"{E_ACUTE} hi").text == "259 256 258\n"
    assert tok("encode", "--tokenizer", wide, "--tokens", f"{E_ACUTE} hi").text == "<s> Ã© Ġhi\n"
    assert tok("encode", "--tokenizer", wide, "--special", "none", "<s>").text == "259 27 82 29\n"


def test_show_says_what_was_changed_and_put_in(tok: Any, wide: str) -> None:
    assert tok("encode", "--tokenizer", wide, "--show", E_ACUTE).text == (
        "normalized (NFC of Unicode 9.0): é\nput in by the post-processor: <s>\n<s> é\n259 256\n"
    )


def test_jsonl_keeps_the_text_as_it_was_given(tok: Any, wide: str) -> None:
    line = '{"text": "e\\u0301", "ids": [259, 256]}\n'
    assert tok("encode", "--tokenizer", wide, "--jsonl", stdin=line.encode()).text == line


@pytest.mark.parametrize("workers", ["1", "2"])
def test_out_writes_the_ids_of_each_document_also_by_two_processes(
    workers: str, tok_process: Any, wide: str, tmp_path: Path
) -> None:
    (tmp_path / "in").write_text("hi\n1é\n", "utf-8")
    options = ("--tokenizer", wide, "--by", "line", "--workers", workers, "-f", "in")
    assert tok_process("encode", "--out", "bin", *options).status == 0
    assert array("H", (tmp_path / "bin").read_bytes()).tolist() == [259, 257, 260, 259, 16, 256, 260]


def test_a_batch_by_two_processes_is_the_same() -> None:
    tokenizer = Pipeline(declared())
    texts = [E_ACUTE, "", "hi 1"]
    assert tokenizer.encode_batch(texts, workers=2) == [tokenizer.encode(text) for text in texts]
    none = {"add_special_tokens": False, "allowed_special": "none"}
    assert tokenizer.encode_batch(["<s>hi"], workers=2, **none) == [[27, 82, 29, 257]]


def test_a_batch_that_is_no_sequence_is_refused_by_its_type() -> None:
    with pytest.raises(TypeError, match=r"texts must be a sequence of str, not int \(5\)"):
        Pipeline(declared()).encode_batch(5)  # type: ignore[arg-type]


def test_decode_gives_the_normalized_text_and_the_template(tok: Any, wide: str) -> None:
    assert tok("decode", "--tokenizer", wide, "259", "256", "258").out == "<s>é hi".encode()
    assert tok("decode", "--tokenizer", wide, "--stream", "259", "127", "102").out == b"<s>" + b"\xc3\xa9"
    assert tok("decode", "--tokenizer", wide, "261").err == "tok: ids[0] is 261; this tokenizer has ids 0 to 260\n"


def test_a_decoder_that_looks_around_a_token_is_not_streamed(tok: Any, llama: str) -> None:
    assert tok("decode", "--tokenizer", llama, "2", "2").out == b"a a"
    assert tok("decode", "--tokenizer", llama, "--stream", "2", "2") == (
        2,
        b"",
        "tok: --stream: llama.json: this tokenizer's decoder is not ByteLevel, so a token's text depends on those around it "
        "and cannot be given as it comes; decode(ids) gives the text of all\n",
    )


# ---- info, measure, convert ----


def test_info_lists_forty_lines_of_added_tokens_at_most(tok: Any, tmp_path: Path) -> None:
    added = [(f"<{number}>", 259 + number, True) for number in range(50)]
    (tmp_path / "many.json").write_text(json.dumps(document(VOCAB, MERGES, added, normalizer={"type": "NFD"})), "utf-8")
    out = tok("info", "many.json").text
    assert "added tokens    50, 50 of them special; 50 found before normalizing\n" in out
    assert "their ids       259 <0>\n" in out
    assert "                297 <38>\n                and 11 more\n\nNext:" in out


def test_measure_counts_the_tokens_that_encode_gives(tok: Any, wide: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(E_ACUTE, "utf-8")
    (row,) = json.loads(tok("measure", "--tokenizer", wide, "--json", "text").text)
    assert (row["bytes"], row["characters"], row["tokens"], row["vocab_size"]) == (3, 2, 2, 261)


def test_convert_names_all_that_gpt2s_files_cannot_hold(tok: Any, wide: str) -> None:
    assert tok("convert", wide, "-o", "two") == (
        2,
        b"",
        "tok: wide.json: GPT-2's two files hold a vocabulary and merges; a normalizer (NFC of Unicode 9.0), 1 added token, "
        "another split than GPT-2's, a post-processor that puts tokens in cannot be said in them\n",
    )


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("ignore_merges", True, "ignore_merges"),
        ("unk_token", "a", "unk_token"),
        ("byte_fallback", True, "byte_fallback"),
        ("end_of_word_suffix", "</w>", "end_of_word_suffix"),
    ],
)
def test_convert_names_an_option_of_the_model(option: str, value: Any, named: str, tok: Any, tmp_path: Path) -> None:
    file = document(VOCAB, MERGES)
    file["model"][option] = value
    (tmp_path / "one.json").write_text(json.dumps(file), "utf-8")
    assert tok("convert", "one.json", "-o", "two").err == (
        f"tok: one.json: GPT-2's two files hold a vocabulary and merges; {named} cannot be said in them\n"
    )
    assert not (tmp_path / "two").exists()


# ---- explain ----


def test_explain_shows_the_changed_text_what_was_put_in_and_the_rounds(tok: Any, wide: str) -> None:
    assert tok("explain", "--tokenizer", wide, f"{E_ACUTE}<s>").text == (
        """\
5 characters, 6 bytes, 2 parts, 3 tokens
normalized (NFC of Unicode 9.0): é<s>
put in by the post-processor: <s>
<s> é <s>
259 256 259

1  é
   bytes    C3 A9
   symbols  Ã ©

   round  rank  merge  symbols after it
       1     0  Ã + ©  Ã©

   Ã©  rank 0

   ids      256 é
   2 merges not chosen; --all says why

2  <s>  added token
   id       259
"""
    )


def test_explain_tells_of_a_pre_token_that_is_taken_whole(tok: Any, tmp_path: Path) -> None:
    file = declared(post_processor=None)
    file["model"]["ignore_merges"] = True
    (tmp_path / "whole.json").write_text(json.dumps(file), "utf-8")
    out = tok("explain", "--tokenizer", "whole.json", " hi").text
    assert out.endswith(
        "1  ␣hi\n   bytes    20 68 69\n   whole    Ġhi is a token: nothing is merged (ignore_merges)\n   ids      258 ␣hi\n"
    )


def test_explain_gives_all_pairs_json_and_a_page(tok: Any, wide: str, tmp_path: Path) -> None:
    assert "of  0 Ã + ©" in tok("explain", "--tokenizer", wide, "--all", E_ACUTE).text
    found = json.loads(tok("explain", "--tokenizer", wide, "--json", E_ACUTE).text)
    assert (found["text"], found["normalized"], found["ids"]) == (E_ACUTE, "é", [259, 256])
    assert tok("explain", "--tokenizer", wide, "--html", "page.html", E_ACUTE).status == 0
    assert "normalized (NFC of Unicode 9.0): é" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--train", "a"],
            "--train learns with the split of a tokenizer that BPETokenizer reads, and wide.json is a Pipeline; "
            "name another with --tokenizer, such as gpt2, or train with tok train --split",
        ),
        (
            ["--html", "page.html", "--live", "a"],
            "--live runs a tokenizer that BPETokenizer reads in the page, and wide.json is a Pipeline; "
            "without --live the page shows one text",
        ),
        (
            ["a" * 501],
            "a pre-token has 501 bytes; explain shows at most 500, since a trace grows with their square",
        ),
    ],
)
def test_what_explain_cannot_show_is_said_in_one_line(
    arguments: list[str], message: str, tok: Any, wide: str, tmp_path: Path
) -> None:
    assert tok("explain", "--tokenizer", wide, *arguments) == (2, b"", f"tok: {message}\n")
    assert not (tmp_path / "page.html").exists()

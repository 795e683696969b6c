"""The file: every field changed is obeyed as Hugging Face obeys it, or refused; and the shapes of files of real models."""

import copy
import json

import pytest
from hf_json import BYTE_LEVEL, document
from naive import ALPHABET

from tinyllm.tok.pipeline.tokenizer import Pipeline

tokenizers = pytest.importorskip("tokenizers")

VOCAB = {symbol: id for id, symbol in enumerate(ALPHABET)}
MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("Ġ", "w")]
VOCAB.update({left + right: len(VOCAB) + i for i, (left, right) in enumerate(MERGES)})
N = len(VOCAB)
TEXTS = ["", " hello  world 12", "Hell <s> <n> é", "a" * 12]
FLAGS = {"single_word": False, "lstrip": True, "rstrip": False, "normalized": True, "special": True}
RICH = document(
    VOCAB,
    MERGES,
    truncation={"direction": "Right", "max_length": 9, "strategy": "LongestFirst", "stride": 1},
    padding={
        "strategy": {"Fixed": 7},
        "direction": "Left",
        "pad_to_multiple_of": 2,
        "pad_id": 3,
        "pad_type_id": 0,
        "pad_token": "p",
    },
    added_tokens=[{"id": N, "content": "<s>", **FLAGS}, {"id": N + 1, "content": "<n>", **FLAGS, "special": False}],
    normalizer={"type": "Sequence", "normalizers": [{"type": "Lowercase"}, {"type": "Prepend", "prepend": "_"}]},
    pre_tokenizer={
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": r"\p{N}"}, "behavior": "Isolated", "invert": False},
            {"type": "Digits", "individual_digits": True},
            {**BYTE_LEVEL, "add_prefix_space": True},
        ],
    },
    post_processor={
        "type": "Sequence",
        "processors": [
            BYTE_LEVEL,
            {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [N], "tokens": ["<s>"]}},
            },
        ],
    },
    decoder={
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "_"}, "content": ""},
            {"type": "ByteFallback"},
            {"type": "Strip", "content": "Ġ", "start": 1, "stop": 0},
            BYTE_LEVEL,
        ],
    },
)
OTHER = document(
    VOCAB,
    MERGES,
    normalizer={"type": "Replace", "pattern": {"String": "l"}, "content": "L"},
    pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
    post_processor={
        "type": "RobertaProcessing",
        "sep": ["</s>", N + 1],
        "cls": ["<s>", N],
        "trim_offsets": True,
        "add_prefix_space": True,
    },
    decoder={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
)
VALUES = [None, True, False, 0, 1, -1, 1.5, 10**20, "", "x", "ab", [], [1], {}, {"type": "Fuse"}]


def places(value, path=()):
    """The path of every value in `value`, but for single tokens and merges."""
    if path:
        yield path
    if path in (("model", "vocab"), ("model", "merges")):
        return
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def changed(file, path, change):
    """`file` with the value at `path` changed by `change(its container, its key)`."""
    file = copy.deepcopy(file)
    container = file
    for key in path[:-1]:
        container = container[key]
    change(container, path[-1])
    return file


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except BaseException as error:
        assert type(error).__name__ in ("PanicException", "Exception", "ValueError"), error
        return None


def check(file):
    """Whether ours reads `file`, in which case Hugging Face does, and both give the same."""
    ours = outcome(Pipeline, file)
    if ours is None:
        return False
    theirs = outcome(tokenizers.Tokenizer.from_str, json.dumps(file))
    assert theirs is not None, "Hugging Face refuses this file"
    for text in TEXTS:
        expected = outcome(theirs.encode, text)
        if expected is None:
            assert outcome(ours.encode, text) is None
            continue
        assert outcome(ours.encode_with_offsets, text) == (expected.ids, expected.offsets)
        decoded = outcome(theirs.decode, expected.ids, False)
        assert outcome(ours.decode, expected.ids) == decoded
    return True


@pytest.mark.parametrize("base", [pytest.param(RICH, marks=pytest.mark.slow), OTHER], ids=["rich", "other"])
def test_a_field_with_another_value_is_obeyed_or_refused(base):
    read, wrong = 0, []
    for path in places(base):
        for value in VALUES:
            try:
                read += check(changed(base, path, lambda container, key: container.__setitem__(key, value)))  # noqa: B023
            except AssertionError as error:
                wrong.append((path, value, str(error)[:200]))
    assert not wrong
    assert read > 50


@pytest.mark.parametrize("base", [RICH, OTHER], ids=["rich", "other"])
def test_a_field_that_is_not_there_is_obeyed_or_refused(base):
    read, wrong = 0, []
    for path in places(base):
        try:
            read += check(changed(base, path, lambda container, key: container.pop(key)))
        except AssertionError as error:
            wrong.append((path, str(error)[:200]))
    assert not wrong
    assert read > 10


@pytest.mark.parametrize("base", [RICH, OTHER], ids=["rich", "other"])
def test_a_field_that_is_not_known_is_refused_wherever_it_is(base):
    for path in places(base):
        if path[:2] == ("model", "vocab") or path[-1] in ("special_tokens", "pattern"):
            continue

        def add(container, key):
            if isinstance(container[key], dict):
                container[key]["more"] = None

        file = changed(base, path, add)
        if file != base:
            with pytest.raises(ValueError, match="more"):
                Pipeline(file)


@pytest.mark.parametrize(
    "once, twice, path",
    [
        ('"Fixed": 7', '"Fixed": 7, "Fixed": 8', "padding.strategy.Fixed"),
        ('"ids": [260]', '"ids": [260], "ids": [1]', "post_processor.processors[1].special_tokens.<s>.ids"),
        ('"Regex": ', '"Regex": "a", "Regex": ', "pre_tokenizer.pretokenizers[0].pattern.Regex"),
        ('"lstrip": true', '"lstrip": true, "lstrip": true', "added_tokens[0].lstrip"),
        ('"stride": 1', '"stride": 1, "stride": 1', "truncation.stride"),
        ('"hell": ', '"hell": 3, "hell": ', 'model.vocab["hell"]'),
    ],
)
def test_a_key_that_is_there_twice_is_named_wherever_it_is(tmp_path, once, twice, path):
    text = json.dumps(RICH)
    assert once in text
    (tmp_path / "file.json").write_text(text.replace(once, twice, 1), "utf-8")
    with pytest.raises(ValueError) as error:
        Pipeline.load(tmp_path / "file.json")
    assert f"{path} is there twice" in str(error.value)


# ---- shapes of real models' files ----


def agree(file, *texts):
    ours = Pipeline(file)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file))
    for text in texts:
        expected = theirs.encode(text)
        assert ours.encode(text) == expected.ids, text
        assert ours.encode_with_offsets(text) == (expected.ids, expected.offsets), text
        for skip in (False, True):
            assert ours.decode(expected.ids, skip) == theirs.decode(expected.ids, skip_special_tokens=skip)
    return ours


def test_a_file_shaped_like_llama_2_is_bpe_over_characters():
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2, **{f"<0x{byte:02X}>": 3 + byte for byte in range(256)}}
    for token in ["▁", "t", "h", "e", "a", "▁t", "he", "▁the", "▁▁", "é"]:
        vocab[token] = len(vocab)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    file = document(
        vocab,
        ["▁ t", "h e", "▁t he", "▁ ▁"],
        added_tokens=[{"id": id, "content": content, **flags} for id, content in enumerate(["<unk>", "<s>", "</s>"])],
        normalizer={
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        pre_tokenizer=None,
        decoder={
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    )
    file["model"].update(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    ours = agree(file, "the the", " the  at", "a</s>the", "é你 the", "", "e\u0301", "<s> the")
    assert [ours.id_to_token(id) for id in ours.encode("the 你")] == ["▁the", "▁", "<0xE4>", "<0xBD>", "<0xA0>"]
    assert b"".join(map(ours.token_bytes, ours.encode("the 你"))) == " the 你".encode()


def test_a_file_shaped_like_clip_has_a_suffix_on_words():
    vocab = {"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab": 4, "ab</w>": 5, "<|end|>": 6}
    file = document(
        vocab,
        ["a b", "a b</w>"],
        normalizer={
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
                {"type": "Lowercase"},
            ],
        },
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": r"\p{L}+|[^\s\p{L}]+"}, "behavior": "Removed", "invert": True},
                {**BYTE_LEVEL, "use_regex": False},
            ],
        },
        post_processor={
            "type": "RobertaProcessing",
            "sep": ["<|end|>", 6],
            "cls": ["<|end|>", 6],
            "trim_offsets": False,
            "add_prefix_space": False,
        },
        decoder=BYTE_LEVEL,
    )
    file["model"].update(unk_token="<|end|>", end_of_word_suffix="</w>")
    ours = agree(file, "ab", "AB  a b", "ab!ab", "", "  ba\n")
    assert [ours.id_to_token(id) for id in ours.encode("Ab b")] == ["<|end|>", "ab</w>", "b</w>", "<|end|>"]


def test_a_file_shaped_like_whisper_has_an_empty_token():
    file = document({**VOCAB, "": N}, MERGES)
    ours = agree(file, *TEXTS)
    assert ours.id_to_token(N) == "" and ours.token_to_id("") == N

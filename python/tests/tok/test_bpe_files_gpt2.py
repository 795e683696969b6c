"""The two files of the GPT-2 release, line by line."""

import json

import pytest

from tinyllm.tok.bpe import BPETokenizer

pytestmark = pytest.mark.fast

VOCAB = {
    "a": 0,
    "b": 1,
    "#": 2,
    "Ġ": 3,
    "ab": 4,
    "##": 5,
    "#a": 6,
    "Ġa": 7,
    "Â": 8,
    "ħ": 9,
    "Âħ": 10,
    "<|endoftext|>": 11,
}


@pytest.fixture
def load(tmp_path):
    """Loads a merges.txt (as bytes or str, written as it is) with a vocabulary."""

    def load_files(
        merges: str | bytes = "#version: 0.2\na b\n", vocab: object = VOCAB, text: str | None = None
    ) -> BPETokenizer:
        (tmp_path / "vocab.json").write_text(json.dumps(vocab) if text is None else text, "utf-8")
        (tmp_path / "merges.txt").write_bytes(merges if isinstance(merges, bytes) else merges.encode())
        return BPETokenizer.from_gpt2(tmp_path / "vocab.json", str(tmp_path / "merges.txt"))

    return load_files


# ---- what is read ----


def test_a_line_is_a_merge_and_the_first_a_header(load) -> None:
    tokenizer = load("#version: 0.2\na b\n# #\nĠ a\n")
    assert tokenizer.merges == [("a", "b"), ("#", "#"), ("Ġ", "a")]
    assert tokenizer.vocab == VOCAB
    assert tokenizer.encode("ab a##") == [4, 7, 5]
    assert tokenizer.pre_tokenizer == BPETokenizer({}, []).pre_tokenizer


def test_without_a_header_the_first_line_is_a_merge(load) -> None:
    assert load("a b\n# #\n").merges == [("a", "b"), ("#", "#")]
    assert load("# #\na b\n").merges == [("#", "#"), ("a", "b")]
    assert load("# a\n").merges == [("#", "a")]


@pytest.mark.parametrize(
    "header", ["#version: 0.2", "#version", "#version: 0.3 - trained by a library", "#version:0.2 # #"]
)
def test_whatever_starts_with_version_is_a_header(load, header: str) -> None:
    assert load(f"{header}\n# a\n").merges == [("#", "a")]


@pytest.mark.parametrize(
    "merges",
    [
        "#version: 0.2\na b\n# #",
        "#version: 0.2\na b\n# #\n",
        "#version: 0.2\r\na b\r\n# #\r\n",
        "#version: 0.2\r\na b\r\n# #",
        "a b\n# #\r\n",
    ],
)
def test_line_ends_and_a_missing_last_one_lose_nothing(load, merges: str) -> None:
    assert load(merges).merges == [("a", "b"), ("#", "#")]


@pytest.mark.parametrize("merges", ["", "#version: 0.2\n", "#version: 0.2"])
def test_there_may_be_no_merges(load, merges: str) -> None:
    assert load(merges).merges == []


def test_lines_end_with_newlines_alone(load) -> None:
    """`str.splitlines` would cut a token at U+0085."""
    vocab = {"a": 0, "\x85": 1, "a\x85": 2, "\u2028": 3, "a\u2028": 4, "\x0c": 5, "a\x0c": 6}
    assert load("a \x85\na \u2028\na \x0c\n", vocab).merges == [("a", "\x85"), ("a", "\u2028"), ("a", "\x0c")]


def test_endoftext_becomes_special_if_the_vocabulary_has_it(load) -> None:
    tokenizer = load()
    assert (tokenizer.added, tokenizer.special_ids) == ({"<|endoftext|>": 11}, {11})
    assert tokenizer.encode("ab<|endoftext|>a") == [4, 11, 0]
    without = load(vocab={"a": 0, "b": 1, "ab": 2})
    assert (without.added, without.special_ids) == ({}, frozenset())


def test_what_only_begins_like_a_header_is_a_merge(tmp_path) -> None:
    (tmp_path / "vocab.json").write_text('{"#versio": 0, "a": 1, "#versioa": 2}')
    (tmp_path / "merges.txt").write_text("#versio a\n")
    read = BPETokenizer.from_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert read.merges == [("#versio", "a")]


# ---- what is refused, by file and line ----


@pytest.mark.parametrize(
    "merges, complaint",
    [
        ("#version: 0.2\na b\n\n# #\n", 'line 3: merges[1] is ""; it must be two tokens separated by one space'),
        ("#version: 0.2\na b\n\n", 'line 3: merges[1] is ""'),
        ("\na b\n", 'line 1: merges[0] is ""'),
        ("\n", 'line 1: merges[0] is ""'),
        ("a b\n#\n", 'line 2: merges[1] is "#"; it must be two tokens'),
        ("a b #\n", 'line 1: merges[0] is "a b #"; it must be two tokens'),
        ("a  b\n", 'line 1: merges[0] is "a  b"; it must be two tokens'),
        (" a b\n", 'line 1: merges[0] is " a b"; it must be two tokens'),
        ("a b \n", 'line 1: merges[0] is "a b "; it must be two tokens'),
        ("a \n", 'line 1: merges[0] is "a "; it must be two tokens'),
        (" b\n", 'line 1: merges[0] is " b"; it must be two tokens'),
        ("a\tb\n", r'line 1: merges[0] is "a\tb"; it must be two tokens'),
        (
            "#Version: 0.2\na b\n",
            "line 1: merges[0] is '#Version:', '0.2', but the vocabulary lacks its left part '#Version:'",
        ),
        ("#version: 0.2\n#version: 0.2\na b\n", "line 2: merges[0] is '#version:', '0.2'"),
        ("#version: 0.2\na b\nx b\n", "line 3: merges[1] is 'x', 'b', but the vocabulary lacks its left part 'x'"),
        ("a b\na x\n", "line 2: merges[1] is 'a', 'x', but the vocabulary lacks its right part 'x'"),
        ("b a\n", "line 1: merges[0] is 'b', 'a', but the vocabulary lacks its result 'ba'"),
        ("#version: 0.2\na b\n# #\na b\n", "line 4: merges[2] is 'a', 'b', which merges[0] is already"),
        ("a b\r\r\n", r"line 1: merges[0] is 'a', 'b\r'"),
        ("\ufeff#version: 0.2\na b\n", r"line 1: merges[0] is '\ufeff#version:', '0.2'"),
    ],
    ids=lambda value: ascii(value) if isinstance(value, str) else None,
)
def test_a_wrong_line_is_named_by_its_number(load, tmp_path, merges: str, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        load(merges)
    assert str(caught.value).startswith(f"{tmp_path / 'merges.txt'}: {complaint}")


def test_merges_that_are_not_utf8_are_refused_and_the_file_named_once(load, tmp_path) -> None:
    with pytest.raises(ValueError) as caught:
        load(b"a b\n\xff b\n")
    assert str(caught.value) == f"{tmp_path / 'merges.txt'}: not UTF-8: byte 0xff at position 4"


@pytest.mark.parametrize(
    "vocab, complaint",
    [
        ([], "the file is []; it must be an object"),
        (None, "the file is null; it must be an object"),
        ({"a": 0, "b": 2}, "vocab has no token with id 1, but one with id 2"),
        ({"a": 0, "b": 0}, "vocab['b'] is 0, and so is vocab['a']"),
        ({"a": "0"}, "vocab['a'] is '0'; an id is an integer"),
        ({"a": 0.0}, "vocab['a'] is 0.0"),
        ({"a": None}, "vocab['a'] is None"),
        ({"": 0}, "vocab[''] is 0; a token has at least one character"),
    ],
    ids=str,
)
def test_a_wrong_vocabulary_is_named(load, tmp_path, vocab: object, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        load("", vocab)
    assert str(caught.value).startswith(f"{tmp_path / 'vocab.json'}: {complaint}")


def test_a_token_that_is_there_twice_is_refused(load) -> None:
    with pytest.raises(ValueError, match=r"vocab\.json: a is there twice"):
        load("", text='{"a": 0, "a": 0}')


def test_a_vocabulary_cut_short_is_refused(load) -> None:
    with pytest.raises(ValueError, match=r"vocab\.json: not valid JSON"):
        load("", text='{"a": 0, ')


def test_a_file_that_is_not_there_is_an_os_error(load, tmp_path) -> None:
    load()
    with pytest.raises(FileNotFoundError, match="none.txt"):
        BPETokenizer.from_gpt2(tmp_path / "vocab.json", tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError, match="none.json"):
        BPETokenizer.from_gpt2(tmp_path / "none.json", tmp_path / "merges.txt")


def test_a_subclass_loads_itself(load, tmp_path) -> None:
    class Mine(BPETokenizer):
        pass

    load()
    assert type(Mine.from_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt")) is Mine

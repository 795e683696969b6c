"""Chunks: each pattern cuts only where its pre-tokenizer would cut, and the ASCII shortcut is the pre-tokenizer."""

from itertools import product

import pytest
from hypothesis import given, strategies as st

from tinyllm.tok import chunks as module
from tinyllm.tok.bpe import BYTE_LEVEL, _declaration, _pretokenizer
from tinyllm.tok.chunks import DIGITS_CHUNKS, GPT2_CHUNKS, TIKTOKEN_CHUNKS, Chunker, Memo
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splits import pretokenize_cl100k, pretokenize_cl100k_tiktoken, pretokenize_o200k


def digits_then_gpt2(text: str, individual: bool = True) -> list[str]:
    return [pretoken for part in split_digits(text, individual) for pretoken in pretokenize_gpt2(part)]


SPLITS = {
    "gpt2": (GPT2_CHUNKS, pretokenize_gpt2),
    "digits": (DIGITS_CHUNKS, digits_then_gpt2),
    "cl100k": (TIKTOKEN_CHUNKS, pretokenize_cl100k),
    "cl100k_tiktoken": (TIKTOKEN_CHUNKS, pretokenize_cl100k_tiktoken),
    "o200k": (TIKTOKEN_CHUNKS, pretokenize_o200k),
}
every_split = pytest.mark.parametrize("pattern, pretokenize", SPLITS.values(), ids=SPLITS)

# One or two of each kind that some rule looks at: white space of several sorts, what only looks like it, letters with and
# without case, marks, numbers of both tables, apostrophes, line ends, slashes.
HARD = [*" \n\t\r\x1c\xa0\u2028\u3000aAé一\u0301\u0c3e1½\U00011de0'!/s", "'s", "  ", "\n\n", "ll"]
hard_texts = st.lists(st.sampled_from(HARD), max_size=12).map("".join)


def in_chunks(pattern: str, pretokenize, text: str) -> list[str]:
    return [pretoken for chunks in Chunker(pattern).chunks(text) for chunk in chunks for pretoken in pretokenize(chunk)]


@every_split
def test_chunks_change_no_pretoken_of_any_short_text(pattern, pretokenize):
    alphabet = " \n\t\x1ca1!'é"
    for length in range(1, 6):
        for text in map("".join, product(alphabet, repeat=length)):
            assert in_chunks(pattern, pretokenize, text) == pretokenize(text), text


@every_split
@given(text=hard_texts)
def test_chunks_change_no_pretoken_of_hard_texts(pattern, pretokenize, text):
    assert in_chunks(pattern, pretokenize, text) == pretokenize(text)


def test_cutting_at_every_space_would_be_wrong():
    assert pretokenize_gpt2("a   b") == ["a", "  ", " b"]
    assert [p for chunk in ["a", " ", " ", " b"] for p in pretokenize_gpt2(chunk)] == ["a", " ", " ", " b"]


def test_gpt2_chunks_would_be_wrong_for_digits():
    assert digits_then_gpt2("a  1") == ["a", "  ", "1"]
    assert in_chunks(GPT2_CHUNKS, digits_then_gpt2, "a  1") == ["a", " ", " ", "1"]


def test_the_start_of_white_space_would_be_wrong_for_cl100k():
    assert pretokenize_cl100k("!\n") == ["!\n"]
    assert in_chunks(DIGITS_CHUNKS, pretokenize_cl100k, "!\n") == ["!", "\n"]


@pytest.mark.parametrize("pattern", [GPT2_CHUNKS, DIGITS_CHUNKS, TIKTOKEN_CHUNKS])
@given(text=hard_texts, block=st.integers(1, 7))
def test_blocks_of_any_size_give_the_same_chunks(pattern, text, block):
    whole = [chunk for chunks in Chunker(pattern).chunks(text) for chunk in chunks]
    compiled = Chunker(pattern)._exact
    old, module.BLOCK = module.BLOCK, block
    try:
        blocks = list(module._by_block(compiled, text))
    finally:
        module.BLOCK = old
    assert [chunk for chunks in blocks for chunk in chunks] == whole
    assert "".join(whole) == text


@pytest.mark.parametrize(
    "declaration, pretokenize",
    [
        (BYTE_LEVEL, pretokenize_gpt2),
        ({"type": "Digits", "individual_digits": True}, digits_then_gpt2),
        ({"type": "Digits", "individual_digits": False}, lambda text: digits_then_gpt2(text, individual=False)),
    ],
    ids=["gpt2", "each digit", "runs of digits"],
)
def test_the_ascii_shortcut_is_the_pretokenizer_on_every_short_ascii_text(declaration, pretokenize):
    if declaration is not BYTE_LEVEL:
        declaration = {"type": "Sequence", "pretokenizers": [declaration, BYTE_LEVEL]}
    shortcut, _ = _pretokenizer(_declaration(declaration))
    every_ascii = [chr(code) for code in range(128)]
    for text in map("".join, product(every_ascii, repeat=2)):
        assert shortcut(text) == pretokenize(text), text
    for text in map("".join, product(" \n\x1ca1!'strevmld", repeat=4)):
        assert shortcut(text) == pretokenize(text), text


def test_a_memo_never_holds_more_than_its_bound(monkeypatch):
    monkeypatch.setattr(module, "CACHED", 3)
    memo = Memo(str.upper)
    for letter in "abcdefgh":
        assert memo[letter] == letter.upper()
        assert len(memo) <= 3


def test_a_memo_does_not_keep_long_keys():
    memo = Memo(len)
    assert memo["x" * 65] == 65
    assert memo["x" * 64] == 64
    assert list(memo) == ["x" * 64]

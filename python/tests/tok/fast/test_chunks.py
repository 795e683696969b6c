"""Chunks: each declaration's are cut only where its pre-tokenizer would cut."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.fast import chunks as module
from tinyllm.tok.fast.chunks import SpaceChunker, full_chunk
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splits import BYTE_LEVEL, DEFAULT, SPLITS
from tinyllm.tok.splitting import safe_chunks
from tinyllm.tok.splitting.declaration import PreTokenizer, pretokenizer_of
from tinyllm.tok.splitting.steps import steps_of


def digits_then_gpt2(text: str, individual: bool = True) -> list[str]:
    return [pretoken for part in split_digits(text, individual) for pretoken in pretokenize_gpt2(part)]


DIGITS = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL]}
# name -> what its declaration asks for, and what cuts a text whole.
CUT_IN_CHUNKS = {
    "digits": (pretokenizer_of(DIGITS), digits_then_gpt2),
    **{name: (pretokenizer_of(split.declaration), split.pretokenize) for name, split in SPLITS.items()},
    DEFAULT: (pretokenizer_of(BYTE_LEVEL), pretokenize_gpt2),
}
every_split = pytest.mark.parametrize("by, pretokenize", CUT_IN_CHUNKS.values(), ids=CUT_IN_CHUNKS)

# One or two of each kind that some rule looks at: white space of several sorts, what only looks like it, letters with and
# without case, marks, numbers of both tables, apostrophes, line ends, slashes.
HARD = [*" \n\t\r\x1c\xa0\u2028\u3000aAé一\u0301\u0c3e1½\U00011de0'!/s", "'s", "  ", "\n\n", "ll"]
hard_texts = st.lists(st.sampled_from(HARD), max_size=12).map("".join)


def in_chunks(by: PreTokenizer, pretokenize, text: str) -> list[str]:
    return [pretoken for chunk in full_chunks(by, text) for pretoken in pretokenize(chunk)]


def full_chunks(by: PreTokenizer, text: str) -> list[str]:
    lists = by.chunks(text)
    return [full_chunk(chunk) if shortened else chunk for chunks, shortened in lists for chunk in chunks]


@every_split
def test_chunks_change_no_pretoken_of_any_short_text(by, pretokenize):
    alphabet = " \n\t\x1ca1!'é"
    for length in range(1, 5):
        for text in map("".join, product(alphabet, repeat=length)):
            assert in_chunks(by, pretokenize, text) == pretokenize(text), text


@every_split
@given(text=hard_texts)
def test_chunks_change_no_pretoken_of_hard_texts(by, pretokenize, text):
    assert in_chunks(by, pretokenize, text) == pretokenize(text)


# The 25 code points with the property White_Space.
WHITE_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def test_the_sets_of_white_space_are_the_25_code_points_and_their_parts():
    all_characters = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    assert "".join(re.findall(f"[{module.WHITE_SPACE}]", all_characters)) == WHITE_SPACE
    assert sorted(module.OTHER_WHITE_SPACE) == sorted(set(WHITE_SPACE) - {" ", "\n"})
    assert sorted(module.OTHER_ASCII) == ["\t", "\x0b", "\x0c", "\r"]


@every_split
@pytest.mark.parametrize("space", WHITE_SPACE, ids=ascii)
def test_white_space_of_every_kind_is_cut_alike(by, pretokenize, space):
    for text in ("x{0}  y", " x{0}y {0} z", "\nx  {0}y", "!{0}{0}1", " x{0}{0} y\x1c"):
        text = text.format(space)
        assert in_chunks(by, pretokenize, text) == pretokenize(text), ascii(text)


def test_cutting_at_every_space_would_be_wrong():
    assert pretokenize_gpt2("a   b") == ["a", "  ", " b"]
    assert [p for chunk in ["a", " ", " ", " b"] for p in pretokenize_gpt2(chunk)] == ["a", " ", " ", " b"]


@every_split
@given(text=hard_texts, block=st.integers(1, 7))
def test_blocks_of_any_size_change_no_pretoken(by, pretokenize, text, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        patch.setattr(safe_chunks, "BLOCK", block)
        assert "".join(full_chunks(by, text)) == text
        assert in_chunks(by, pretokenize, text) == pretokenize(text)


def test_prose_is_split_at_single_spaces_and_line_ends():
    prose = "It is a way\nI have.\n\nNow"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 1)
        lists = list(SpaceChunker(steps_of(SPLITS[DEFAULT].patterns).chunks).chunks(prose))
    assert lists == [
        (["It"], False),
        (["is"], True),
        (["a"], True),
        (["way", "\nI"], True),
        (["have.", "\n", "\nNow"], True),
    ]


@pytest.mark.parametrize(
    "block", [" a   b", " a\n\n\nb", " a\n\n b", " a \nb", " a ", " a\n", "a b", " a\tb c", " a\xa0b"]
)
def test_a_block_that_spaces_cannot_cut_safely_is_left_to_the_pattern(block):
    assert module._split_at_spaces(block) is None


def test_every_string_of_kinds_that_is_split_at_spaces_has_the_same_pretokens():
    for text in map("".join, product(" \na1!'s", repeat=6)):
        shortened = module._split_at_spaces(" " + text)
        if shortened is not None:
            pretokens = [pretoken for chunk in shortened for pretoken in pretokenize_gpt2(full_chunk(chunk))]
            assert pretokens == pretokenize_gpt2(" " + text), ascii(text)


@given(text=st.lists(st.sampled_from(["a", "é", "1", "!", "'s", " ", "\n", "\x1c"]), max_size=9).map("".join))
def test_whatever_is_split_at_spaces_has_the_same_pretokens(text):
    shortened = module._split_at_spaces(" " + text)
    if shortened is not None:
        pretokens = [pretoken for chunk in shortened for pretoken in pretokenize_gpt2(full_chunk(chunk))]
        assert pretokens == pretokenize_gpt2(" " + text)

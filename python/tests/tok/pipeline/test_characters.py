"""What HF takes for punctuation, for a word character and for white space, over every code point."""

import re

import pytest

from tinyllm.tok.pipeline.character_tables import CUTS, MARKS, PUNCTUATION
from tinyllm.tok.pipeline.characters import WHITE_SPACE, is_punctuation, is_white_space, is_word_character, one_of

VALID = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


@pytest.mark.parametrize(
    "ch, found", [("!", True), ("$", True), ("、", True), ("€", False), ("\u2e43", False)], ids=ascii
)
def test_punctuation_is_ascii_and_that_of_an_old_unicode(ch, found):
    assert is_punctuation(ch) is found


@pytest.mark.parametrize(
    "ch, found",
    [
        ("a", True),
        ("\u0301", True),
        ("\u200d", True),
        ("_", True),
        ("٣", True),
        ("🅰", True),
        ("½", False),
        ("-", False),
    ],
    ids=ascii,
)
def test_word_characters_are_letters_marks_digits_and_what_joins(ch, found):
    assert is_word_character(ch) is found


def test_white_space_is_25_characters():
    assert [ch for ch in VALID if is_white_space(ch)] == list(WHITE_SPACE)
    assert len(WHITE_SPACE) == 25
    assert not is_white_space("\x1c") and not is_white_space("\u200b")


@pytest.mark.slow
def test_every_code_point_is_what_hf_takes_it_for():
    pre_tokenizers = pytest.importorskip("tokenizers").pre_tokenizers
    runs = {"words": [], "signs": [], "white space": []}
    for ch in VALID:
        runs["words" if is_word_character(ch) else "white space" if is_white_space(ch) else "signs"].append(ch)
    words, signs, white_space = map("".join, runs.values())
    # Each step keeps neighbours of one class together, so one character of another class would cut its run in two.
    pieces = pre_tokenizers.Whitespace().pre_tokenize_str(words + white_space + signs)
    assert [piece for piece, _ in pieces] == [words, signs]
    punctuation = "".join(ch for ch in VALID if is_punctuation(ch))
    others = "".join(ch for ch in VALID if not is_punctuation(ch))
    pieces = pre_tokenizers.Punctuation("contiguous").pre_tokenize_str(punctuation + others)
    assert [piece for piece, _ in pieces] == [punctuation, others]


@pytest.mark.slow
def test_single_word_asks_for_the_same_word_characters():
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({"x": 0}, []))
    tokenizer.add_tokens([tokenizers.AddedToken("<x>", single_word=True, normalized=False)])
    is_word = list(map(is_word_character, VALID))
    edges = [at for at in range(1, len(VALID)) if is_word[at - 1] != is_word[at]]
    assert len(edges) > 1500
    near = [VALID[at] for edge in edges for at in (edge - 1, edge)]
    for ch in near:
        assert ("<x>" not in tokenizer.encode(f"{ch}<x>").tokens) is is_word_character(ch), ascii(ch)


@pytest.mark.parametrize("edges", [CUTS, MARKS, PUNCTUATION], ids=["cuts", "marks", "punctuation"])
def test_the_expression_of_a_table_matches_the_table_and_nothing_else(edges):
    listed = [chr(code) for first, end in zip(edges[::2], edges[1::2]) for code in range(first, end)]
    assert re.findall(one_of(edges), "".join(VALID)) == listed

r"""safe_chunks: no cut that the engine calls safe changes a pre-token, over all strings of kinds up to a length."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
import random_patterns
from published_patterns import STEPS
from split_differences import ours, split_by

from tinyllm.tok import splits
from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.safe_chunks import BLOCK, safe_chunker, safe_pairs

# What stands behind ByteLevel or Digits in the files, too.
SPLITS = {
    **STEPS,
    "digits, gpt2": [r"\p{N}", *STEPS["gpt2"]],
    "deepseek-coder, digits": [*STEPS["deepseek-coder"], r"\p{N}"],
}
# Splits that pull at the rules one by one.
ODD = {
    "a match reaches across a space": [r"\p{L}+ |\s"],
    "a look-ahead sees a space": [r"\p{L}+(?= )|."],
    "a look-ahead sees the end": [r"\p{L}+$|."],
    "a look-ahead sees two characters": [r"\p{L}{2}(?! b)|[\s\S]"],
    "a look-ahead in a look-ahead": [r"\p{L}{2}(?!(?= )\s)|[\s\S]"],
    "a look-ahead is one": [r"\p{L}{2}(?=$)|[\s\S]"],
    "gaps on both sides": ["b+"],
    "a gap on one side": [r"\s+"],
    "the step before joins": [r"\p{L} ", r"\p{L}|\s"],
    "the step before looks": [r"\p{L}(?= )", r"\s+|\p{L}+"],
    "a repeat of two": [r"(?:\p{L}{2}|\s){2,}|."],
}
every_split = pytest.mark.parametrize("sources", [*SPLITS.values(), *ODD.values()], ids=[*SPLITS, *ODD])


def representatives(sources: list[str]) -> list[str]:
    """A character of each kind that some of the steps tells apart, as far as a character has it."""
    kinds, _ = safe_pairs([ours(source) for source in sources])
    characters: dict[str, str] = {}
    for code in [*range(0x3100), 0x4E00, 0xAC00, 0xD7FF, 0xFF01, 0x1F642, 0x10400]:
        characters.setdefault(kinds[code], chr(code))
    return list(characters.values())


def assert_safe_cuts_change_nothing(sources: list[str], texts: list[str]) -> int:
    """The number of cuts that were tried."""
    steps = [ours(source) for source in sources]
    kinds, safe = safe_pairs(steps)
    split = {"": [], **{text: split_by(steps, text) for text in texts}}
    tried = 0
    for text in texts:
        of_text = text.translate(kinds)
        for cut in range(1, len(text)):
            if (of_text[cut - 1], of_text[cut]) in safe:
                assert split[text[:cut]] + split[text[cut:]] == split[text], (sources, text, cut)
                tried += 1
    return tried


@every_split
def test_a_safe_cut_changes_no_pretoken_of_any_string_of_kinds(sources: list[str]) -> None:
    characters = representatives(sources)
    most = 5 if len(characters) < 9 else 4 if len(characters) < 17 else 3
    texts = ["".join(text) for length in range(1, most + 1) for text in product(characters, repeat=length)]
    assert_safe_cuts_change_nothing(sources, texts)


@every_split
def test_a_safe_cut_changes_no_pretoken_of_longer_strings_of_few_kinds(sources: list[str]) -> None:
    texts = ["".join(text) for length in range(1, 8) for text in product(" \nb!", repeat=length)]
    assert_safe_cuts_change_nothing(sources, texts)


def test_a_safe_cut_changes_no_pretoken_under_random_patterns() -> None:
    random = Random(9)
    tried = 0
    for _ in range(40):
        sources = [random_patterns.pattern(random) for _ in range(random.choice((1, 1, 2, 3)))]
        characters = representatives(sources)
        characters = random.sample(characters, min(4, len(characters)))
        texts = ["".join(text) for length in range(1, 5) for text in product(characters, repeat=length)]
        tried += assert_safe_cuts_change_nothing(sources, texts)
    assert tried > 1000


# What is safe where: `previous` and `following` characters that a cut may stand between, and some that it may not.
@pytest.mark.parametrize(
    "name, cut, uncut",
    [
        ("gpt2", ["a ", "! ", "1 ", "a\n", "é\u3000"], ["  ", " a", "\n ", "ab"]),
        ("cl100k", ["a ", "! ", "1 ", "é ", "一 ", "\u0301 "], ["!\n", "  ", " a", "\n "]),
        ("o200k", ["a ", "! ", "1 "], ["!\n", "  ", " a"]),
        ("qwen2", ["a ", "! ", "1 "], ["!\n", "  "]),
        ("tekken", ["a ", "! ", "1 "], ["!\n", "  "]),
        ("deepseek-v3", ["a ", "! ", "1 ", "a1", " 1", "一 "], ["!\n", "  ", " a"]),
        ("deepseek-coder", ["a ", "! ", "\na"], ["+ ", " a", "  "]),
        ("clip", ["a ", "a\n", "1!"], ["  ", "ab", "<|"]),
    ],
)
def test_where_a_cut_is_safe(name: str, cut: list[str], uncut: list[str]) -> None:
    kinds, safe = safe_pairs([ours(source) for source in STEPS[name]])
    assert [pair for pair in cut + uncut if tuple(pair.translate(kinds)) in safe] == cut


@pytest.mark.parametrize("name", [*splits.SPLITS, "clip"])
def test_words_are_cut_apart(name: str) -> None:
    chunker = safe_chunker([ours(source) for source in STEPS[name]])
    assert chunker is not None
    assert list(chunker.chunks("Let it be,  été 一 12!")) == [["Let", " it", " be,", "  été", " 一", " 12!"]]


@pytest.mark.parametrize("sources", [[r"[\s\S]+"], [r"\s+$"], ["a*"], ["(?=b)", "a"], []], ids=str)
def test_no_chunker_where_no_cut_is_safe(sources: list[str]) -> None:
    assert safe_chunker([Pattern(source) for source in sources]) is None


@pytest.mark.parametrize("name", [name for name in SPLITS if not name.endswith("own")])
def test_chunks_join_to_the_text_and_change_no_pretoken_of_a_long_one(name: str) -> None:
    steps = [ours(source) for source in SPLITS[name]]
    chunker = safe_chunker(steps)
    assert chunker is not None
    text = "Été à  la\n\n plage!\n 12 345 +  一二 'sx\u3000y \x1c z  " * (2 * BLOCK // 30)
    lists = list(chunker.chunks(text))
    assert len(lists) > 2
    assert "".join(map("".join, lists)) == text
    assert [p for chunks in lists for chunk in chunks for p in split_by(steps, chunk)] == split_by(steps, text)


def test_an_empty_text_has_no_chunks() -> None:
    chunker = safe_chunker([ours(STEPS["gpt2"][0])])
    assert chunker is not None and list(chunker.chunks("")) == []

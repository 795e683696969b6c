r"""pattern: split patterns give Hugging Face's pre-tokens."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product

import pytest
from published_patterns import PATTERNS, STEPS
from split_differences import hugging_face, ours, split_by

from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.unicode16 import category

each_pattern = pytest.mark.parametrize("source", PATTERNS, ids=range(len(PATTERNS)))


# --- by hand ---


@pytest.mark.parametrize(
    "source, text, pretokens",
    [
        (r"\p{L}+|\p{N}", "été 12!", ["été", " ", "1", "2", "!"]),
        ("b+", "abba", ["a", "bb", "a"]),
        ("a|ab", "ab", ["a", "b"]),  # the first alternative that matches, not the longest
        ("a+?b|a", "aab", ["aab"]),
        (r"\s+(?!\S)|\s+", "a   b", ["a", "  ", " ", "b"]),
        ("a$", "aa\na", ["a", "a", "\n", "a"]),  # before every newline, and at the end
        (r"\s+$", "a  \n b  ", ["a", "  ", "\n b", "  "]),
        ("(?i:'s)", "x'Sx'ſ", ["x", "'S", "x", "'ſ"]),
        ("(?i:ko)", "\u212aO", ["\u212aO"]),
        ("[^a-c\n]", "axb\n", ["a", "x", "b\n"]),
        ("[\r\n]", "a\r\n", ["a", "\r", "\n"]),
        (r"[\[\]\-\\/]", r"[a]-\/", ["[", "a", "]", "-", "\\", "/"]),
        (r"\x61|\u00e9|\x{1F642}", "aé🙂b", ["a", "é", "🙂", "b"]),
        ("[一-龥ࠀ-一가-\ud7ff]+", "a一가b", ["a", "一가", "b"]),
        ("[0-9][0-9][0-9]", "12345", ["123", "45"]),
        (r"\w|[\w]", "²é", ["²", "é"]),
        (r"[\w]", "²é", ["²", "é"]),
        ("(?=a)", "bab", ["b", "ab"]),  # an empty match cuts
        ("", "ab", ["a", "b"]),
        ("|a", "aa", ["a", "a"]),
        ("x", "", []),
    ],
)
def test_examples_that_one_can_check_by_hand(source: str, text: str, pretokens: list[str]) -> None:
    assert Pattern(source).split(text) == pretokens
    assert hugging_face(source).split(text) == (pretokens or [""][:0])


@pytest.mark.parametrize(
    "source, text, matches",
    [
        ("b+", "abba", [(1, 3)]),
        ("(?=b)|c", "abc", [(1, 1), (2, 3)]),
        ("a*", "baac", [(0, 0), (1, 3), (4, 4)]),  # none is empty where another has just ended
        ("|a", "aa", [(0, 0), (1, 1), (2, 2)]),
        (r"\s+$", "  a  ", [(3, 5)]),
    ],
)
def test_matches_are_all_matches_the_empty_ones_too(source: str, text: str, matches: list[tuple[int, int]]) -> None:
    assert Pattern(source).matches(text) == matches


def test_finditer_would_take_a_match_that_hugging_face_never_takes() -> None:
    pattern = Pattern("|a")
    assert [match.span() for match in pattern._of_ascii.finditer("a")] == [(0, 0), (0, 1), (1, 1)]
    assert pattern.matches("a") == [(0, 0), (1, 1)]


def test_a_step_sees_one_pretoken_alone() -> None:
    assert split_by([ours(source) for source in STEPS["deepseek-v3"]], "a  1") == ["a", "  ", "1"]
    assert split_by([ours(source) for source in STEPS["cl100k"]], "a  1") == ["a", " ", " ", "1"]


def test_skipping_the_whole_run_where_an_alternative_fails_would_be_wrong() -> None:
    # At the first newline `\s+$` fails, and so it does at the next characters; but the other alternative matches there.
    assert Pattern(r"\s+$|\n ").split("\t\n a") == ["\t", "\n ", "a"]
    assert hugging_face(r"\s+$|\n ").split("\t\n a") == ["\t", "\n ", "a"]


# --- against Hugging Face; random patterns are among the families of `differential.py` ---

# Of each published pattern, what some part of it tells apart, and what only looks like it.
SHORT_ALPHABET = " \n\r\u3000aAé一\u03011'!/s"


@cache
def telling_code_points() -> list[str]:
    """Every code point whose category is not that of the one before, and some between."""
    characters = list(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    changes = [ch for ch, before in zip(characters[1:], characters) if category(ch) != category(before)]
    return sorted({*changes, *characters[::409]})


@each_pattern
def test_all_short_texts(source: str) -> None:
    texts = ["".join(text) for length in range(1, 4) for text in product(SHORT_ALPHABET, repeat=length)]
    # Between two texts stands what ends every match and every look-ahead.
    theirs, mine = hugging_face(source), ours(source)
    assert [text for text in texts if mine.split(text) != theirs.split(text)] == []


@each_pattern
def test_telling_code_points_in_telling_neighbourhoods(source: str) -> None:
    text = "".join(f"a{ch}b {ch} {ch}{ch}1{ch}\n{ch}'{ch}  {ch}!{ch}\n\n" for ch in telling_code_points())
    assert ours(source).split(text) == hugging_face(source).split(text)


@pytest.mark.slow
@each_pattern
def test_every_code_point_in_telling_neighbourhoods(source: str) -> None:
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    for start in range(0, len(codes), 1 << 16):
        text = "".join(f"a{ch} {ch}1\n" for ch in map(chr, codes[start : start + (1 << 16)]))
        assert ours(source).split(text) == hugging_face(source).split(text)


# --- long runs, objects ---


@each_pattern
@pytest.mark.parametrize("run", [" ", "\n", "\u3000", "a", "A", "一", "1", "!", " \n", "aA"], ids=ascii)
def test_a_long_run_takes_no_longer_than_its_length(source: str, run: str) -> None:
    started = time.process_time()
    for end in ("", "a", "é\n"):
        text = run * 30_000 + end
        assert "".join(ours(source).split(text)) == text
    assert time.process_time() - started < 3  # about 0.03; if each place cost a run, a minute


def test_a_pattern_pickles_as_its_source() -> None:
    pattern = Pattern(r"\p{L}+")
    pattern.split("été")
    copy = pickle.loads(pickle.dumps(pattern))
    assert copy.source == pattern.source
    assert copy.split("été 1") == ["été", " 1"]
    assert len(pickle.dumps(pattern)) < 200


def test_threads_share_a_pattern() -> None:
    pattern = Pattern(STEPS["o200k"][0])
    texts = ["".join(map(chr, range(start, start + 500))) for start in range(0x100, 0x4000, 100)]
    alone = Pattern(STEPS["o200k"][0])
    expected = [alone.split(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(pattern.split, texts)) == expected


@pytest.mark.parametrize("call", [Pattern("a").split, Pattern("a").matches])
def test_a_text_that_is_no_text_is_a_type_error(call) -> None:
    with pytest.raises(TypeError, match=r"text must be a str, not bytes \(b'a'\)"):
        call(b"a")

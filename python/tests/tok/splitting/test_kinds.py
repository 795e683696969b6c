"""kinds: what belongs to a set, code point by code point, as Hugging Face has it."""

from __future__ import annotations

import re
import string
from functools import cache
from itertools import groupby

import pytest
from split_differences import hugging_face

from tinyllm.tok.splitting import kinds as module
from tinyllm.tok.splitting.char_sets import CATEGORIES, DIGIT, SPACE
from tinyllm.tok.splitting.kinds import Kinds
from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.pattern_syntax import parse

# Of these, one holds each code point, alone or among others.
SETS = [r"\s", r"\d", r"\w", r"\W", r"[\w]", r"[^\W]", r"[^\s\d]", ".", *(rf"\p{{{name}}}" for name in "LMNPSZC")]


@cache
def every_character() -> str:
    return "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


@cache
def cased() -> str:
    """All that another case of a character may be."""
    return "".join(ch for ch in every_character() if len({ch, ch.lower(), ch.upper(), ch.casefold()}) > 1)


@cache
def every_kind() -> tuple[Kinds, str]:
    """The kinds that all the sets tell apart, and every character in them: made once, it takes a second."""
    kinds = Kinds(parse(source).set for source in SETS)  # type: ignore[union-attr]
    return kinds, every_character().translate(kinds)


@pytest.mark.parametrize("source", SETS)
def test_a_set_holds_what_it_holds_in_hugging_face(source: str) -> None:
    kinds, of_all = every_kind()
    members = kinds.of_set[parse(source).set]  # type: ignore[union-attr]
    # Runs of what it holds and of what it does not: there are few, and their ends tell it all.
    runs = [sum(1 for _ in run) for _, run in groupby(of_all, key=members.__contains__)]
    theirs = hugging_face(f"(?:{source})+").split(every_character())
    assert theirs and runs == list(map(len, theirs))
    assert (of_all[ord("\t")] in members) == (hugging_face(source).matches("\t") != [])  # which of them are members


def test_the_categories_are_those_of_hugging_face() -> None:
    # Runs of one category, all of them in one pattern.
    runs = "|".join(rf"\p{{{name}}}+" for name in sorted(CATEGORIES - {"Cs"}))
    assert Pattern(runs).split(every_character()) == hugging_face(runs).split(every_character())


@pytest.mark.parametrize("ch", string.printable)
def test_a_character_ignores_case_as_in_hugging_face(ch: str) -> None:
    source = f"(?i:{re.escape(ch)})"
    assert Pattern(source).matches(cased() + ch) == hugging_face(source).matches(cased() + ch)
    # The Kelvin sign and the long s, and no others, are another case of an ASCII letter.
    found = {(cased() + ch)[start:end] for start, end in Pattern(source).matches(cased() + ch)}
    assert found == {ch.lower(), ch.upper(), *{"k": "\u212a", "s": "\u017f"}.get(ch.lower(), "")}


def test_a_class_ignores_case_as_in_hugging_face() -> None:
    source = "(?i:[a-z0-9_])"
    assert Pattern(source).matches(cased()) == hugging_face(source).matches(cased())


def test_kinds_are_the_sets_that_a_character_belongs_to() -> None:
    kinds = Kinds([SPACE, DIGIT])
    space, digit, other = " 1a".translate(kinds)
    assert "\u3000٣é".translate(kinds) == space + digit + other
    assert (kinds.of_set[SPACE], kinds.of_set[DIGIT]) == (space, digit)
    assert sorted(kinds.all) == sorted({space, digit, other})


def test_characters_are_kept_up_to_a_bound_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 10)
    kinds = Kinds([SPACE])
    text = "".join(map(chr, range(0x100, 0x120))) + " "
    assert text.translate(kinds) == text.translate(Kinds([SPACE]))
    assert len(kinds) <= 10


def test_more_kinds_than_letters_are_told_apart() -> None:
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 200)))
    pattern = Pattern("|".join(letters))
    assert len(pattern.kinds.all) == 201
    assert pattern.split("x" + letters + "x") == ["x", *letters, "x"]

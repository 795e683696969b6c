"""pattern_syntax: what is outside the grammar is refused, by its name and position."""

from __future__ import annotations

import pytest

from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.pattern_syntax import parse

# The pattern, and what its message says first.
REFUSED = {
    # Oniguruma and `re` read these differently.
    r"\p{N}{1,3}+": "a quantifier on a quantifier, '{1,3}+', at position 5",
    r"\s++$": "a quantifier on a quantifier, '++', at position 2",
    "ab*+": "a quantifier on a quantifier, '*+', at position 2",
    "a+*": "a quantifier on a quantifier, '+*', at position 1",
    "a+??": "a quantifier on a quantifier, '+??', at position 1",
    "a{2}?": "a lazy interval, '{2}?', at position 1",
    "a(b?)+": "a repeat of a group that can be empty at position 1",
    "(?:a|)*": "a repeat of a group that can be empty at position 0",
    "(?=a)+a": "a quantifier on a look-ahead or '$' at position 5",
    "a$?": "a quantifier on a look-ahead or '$' at position 2",
    "(?i:[^k])": "a set, or a letter outside ASCII, under (?i:..) at position 4",
    r"(?i:\p{Lu})": "a set, or a letter outside ASCII, under (?i:..) at position 4",
    "(?i:.)": "a set, or a letter outside ASCII, under (?i:..) at position 4",
    "(?i:é)": "a set, or a letter outside ASCII, under (?i:..) at position 4",
    "(?i:ʼn)": "a set, or a letter outside ASCII, under (?i:..) at position 4",
    "(?i:ass)": "'ss' under (?i:..) at position 6",
    "(?i:xs+)": "'ss' under (?i:..) at position 5",
    "(?i:[fl]{2})": "'f",
    "(?i:s)(?i:t)": "'st' under (?i:..) at position 10",
    "^a": "the anchor '^' at position 0",
    r"a\b": r"the escape '\\b' at position 1",
    r"\h": r"the escape '\\h' at position 0",
    r"(a)\1": r"the escape '\\1' at position 3",
    "(?>a)": "the group '(?>a' at position 0",
    "(?<=a)b": "the group '(?<=' at position 0",
    "(?i)a": "the group '(?i)' at position 0",
    "(?<name>a)": "the group '(?<n' at position 0",
    # Nobody has shown what they hold.
    r"x\p{Han}": r"the property '\\p{Han}' at position 1",
    r"\p{^L}": r"the property '\\p{^L}' at position 0",
    r"\pL": r"the property '\\pL' at position 0",
    "[a-z&&[^b]]": "an intersection of classes, '&&', at position 4",
    "[[:alpha:]]": "a '[' inside a class at position 1",
    "[]a]": "a ']' as the first of a class at position 1",
    "[a-b-c]": "a '-' that makes no range at position 4",
    r"[\s-a]": r"a range with a set as its end, '\\s-a', at position 1",
    r"\xe9": r"the byte '\\xe9' at position 0",
    r"\u12": r"the escape '\\u12' at position 0",
    # Nobody can read them.
    "[z-a]": "an empty range, 'z-a', at position 1",
    "a{,2}": "a '{' that starts no interval at position 1",
    "a{3,2}": "the interval {3,2} at position 1",
    "a{0}": "the interval {0} at position 1",
    "a{100001}": "the interval {100001} at position 1",
    "(a": "a '(' without its ')' at position 0",
    "a)": "a ')' without its '(' at position 1",
    "x[a": "a '[' without its ']' at position 1",
    "+a": "a quantifier '+' with nothing to repeat at position 0",
    "{2}": "a '{' with nothing to repeat at position 0",
    "a\\": r"the escape '\\' at position 1",
    "(" * 101 + "a" + ")" * 101: "more than 100 groups in each other at position 100",
}


@pytest.mark.parametrize("source, message", REFUSED.items(), ids=[source[:20] for source in REFUSED])
def test_what_is_outside_is_refused_by_name_and_position(source: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        Pattern(source)
    assert str(caught.value).startswith(f"pattern: {message}")
    assert "; " in str(caught.value)  # and then what would be right


def test_a_pattern_that_is_no_text_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="pattern must be a str, not bytes"):
        parse(b"a")  # type: ignore[arg-type]


@pytest.mark.parametrize("twice, once", [("(?:a+)+", "a+"), ("(?:a+)*", "a*"), ("(?:a+)?", "a*")])
def test_a_run_of_runs_is_a_run(twice: str, once: str) -> None:
    # Otherwise `re` would try each way to cut the run: 2 ** 40 for 40 letters.
    assert Pattern(twice + "[bc]").split("a" * 40 + "d") == Pattern(once + "[bc]").split("a" * 40 + "d")

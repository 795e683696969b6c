"""pattern_sequence: one run over all pre-tokens gives what a run on each of them alone gives."""

from __future__ import annotations

import pickle
from itertools import product
from random import Random

import hard_texts
import pytest
import random_patterns
from published_patterns import STEPS
from split_differences import ours, split_by
from tokenizers import Regex
from tokenizers.pre_tokenizers import Sequence, Split

from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.pattern_sequence import SEPARATOR, PatternSequence

SEQUENCES = [name for name, steps in STEPS.items() if len(steps) > 1]


def test_a_look_ahead_ends_at_the_end_of_its_pretoken() -> None:
    assert PatternSequence([ours(r"\p{N}"), ours(r"\s+(?!\S)|\s+")]).split("a  1") == ["a", "  ", "1"]
    assert PatternSequence([ours("b"), ours("a$|c")]).split("acab") == ["a", "c", "a", "b"]


@pytest.mark.parametrize("name", SEQUENCES)
def test_published_sequences_split_hard_texts_as_hugging_face_does(name: str) -> None:
    sequence = PatternSequence([ours(source) for source in STEPS[name]])
    theirs = Sequence([Split(Regex(source), "isolated") for source in STEPS[name]])
    random = Random(4)
    for text in (hard_texts.text(random) for _ in range(300)):
        assert sequence.split(text) == [pretoken for pretoken, _ in theirs.pre_tokenize_str(text)], ascii(text)


def test_random_sequences_split_as_their_patterns_do_one_by_one() -> None:
    random = Random(5)
    for _ in range(80):
        steps = [Pattern(random_patterns.pattern(random)) for _ in range(random.choice((2, 2, 3, 4)))]
        sequence = PatternSequence(steps)
        for text in ["", *(random_patterns.text(random) for _ in range(8)), "ab 1 \n a", "b'S  $\n\n"]:
            assert sequence.split(text) == split_by(steps, text), (steps, text)


@pytest.mark.parametrize(
    "sources", [[r"\s+$", "$", "a?"], ["(?=a)", "|a", r"\s*"], [r"\S+", r"(?!\S)", "[^a]"]], ids=str
)
def test_what_matches_nothing_or_looks_ahead_splits_all_short_texts_alike(sources: list[str]) -> None:
    steps = [ours(source) for source in sources]
    sequence = PatternSequence(steps)
    for text in ("".join(text) for length in range(6) for text in product("a \né", repeat=length)):
        assert sequence.split(text) == split_by(steps, text), ascii(text)


def test_the_separator_may_be_in_the_text() -> None:
    sequence = PatternSequence([ours("b"), ours(SEPARATOR)])
    assert sequence.split(f"ab{SEPARATOR}{SEPARATOR}é{SEPARATOR}") == ["a", "b", SEPARATOR, SEPARATOR, "é", SEPARATOR]


def test_a_sequence_of_no_patterns_leaves_a_text_whole() -> None:
    assert PatternSequence([]).split("aé b") == ["aé b"]
    assert PatternSequence([]).split("") == []


def test_a_sequence_pickles_as_its_patterns() -> None:
    sequence = PatternSequence([ours(source) for source in STEPS["deepseek-v3"]])
    assert sequence.split("a  1é") == ["a", "  ", "1", "é"]
    copy = pickle.loads(pickle.dumps(sequence))
    assert copy.split("a  1é") == ["a", "  ", "1", "é"]
    assert len(pickle.dumps(sequence)) < 1000


def test_a_text_that_is_no_text_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"text must be a str, not bytes \(b'a'\)"):
        PatternSequence([ours("a")]).split(b"a")  # type: ignore[arg-type]

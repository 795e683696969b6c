"""Differences between split patterns and Hugging Face, looked for at random: what `differential.py` lists of them."""

from __future__ import annotations

from functools import cache
from random import Random

import hard_texts
import random_patterns
from published_patterns import PATTERNS, STEPS
from tokenizers import PreTokenizedString, Regex
from tokenizers.pre_tokenizers import Split

from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.safe_chunks import Chunker, safe_chunker

TEXTS = 12  # for each pattern
ours = cache(Pattern)


class HuggingFace:
    """Hugging Face's split with a pattern."""

    def __init__(self, pattern: str) -> None:
        self._isolated = Split(Regex(pattern), "isolated")
        self._matches = Split(Regex(pattern), "removed", invert=True)

    def split(self, text: str) -> list[str] | None:
        """Its pre-tokens; None where its engine gives up."""
        whole = PreTokenizedString(
            text
        )  # `pre_tokenize_str` does this too, and then counts characters: half of its time
        try:
            self._isolated.pre_tokenize(whole)
        except BaseException as panic:
            if "retry-limit-in-match" in str(panic):
                return None
            raise
        return [pretoken for pretoken, _, _ in whole.get_splits("normalized", "byte")]

    def matches(self, text: str) -> list[tuple[int, int]] | None:
        """All matches but the empty ones; None where its engine gives up."""
        try:
            return [span for _, span in self._matches.pre_tokenize_str(text)]
        except BaseException as panic:
            if "retry-limit-in-match" in str(panic):
                return None
            raise


hugging_face = cache(HuggingFace)


def split_by(steps: list[Pattern], text: str) -> list[str]:
    pretokens = [text]
    for step in steps:
        pretokens = [part for pretoken in pretokens for part in step.split(pretoken)]
    return pretokens


@cache
def published(name: str) -> tuple[list[Pattern], Chunker]:
    steps = [ours(source) for source in STEPS[name]]
    chunker = safe_chunker(steps)
    assert chunker is not None, name
    return steps, chunker


def random_pattern(random: Random) -> str | None:
    """A random pattern, on random texts."""
    source = random_patterns.pattern(random)
    pattern, theirs = Pattern(source), HuggingFace(source)
    chunker = safe_chunker([pattern]) if random.random() < 0.1 else None  # it takes as long as all the texts
    for _ in range(TEXTS):
        text = random_patterns.text(random)
        # Theirs first: where the ways to match are too many, it gives up after ten million, and `re` would try them all.
        expected, expected_matches = theirs.split(text), theirs.matches(text)
        if expected is None:
            continue
        pretokens = pattern.split(text)
        if pretokens != expected:
            return f"{source!r} splits {text!r} into {pretokens}, HF into {expected}"
        matches = [(start, end) for start, end in pattern.matches(text) if start < end]
        if matches != expected_matches:
            return f"{source!r} matches {text!r} at {matches}, in HF at {expected_matches}"
        for chunks in chunker.chunks(text) if chunker and not pattern.can_be_empty else ():
            if [pretoken for chunk in chunks for pretoken in pattern.split(chunk)] != pretokens:
                return f"{source!r} splits the chunks {chunks} otherwise than the whole text"
    return None


def refused_pattern(random: Random) -> str | None:
    """A random pattern from outside the grammar."""
    source = random_patterns.outside(random)
    try:
        Pattern(source)
    except ValueError as error:
        return None if " at position " in str(error) else f"{source!r}: {error}"
    return f"{source!r} was not refused"


def published_pattern(random: Random) -> str | None:
    """A hard text, by every published pattern, and by one of the published splits in chunks."""
    text = hard_texts.text(random)
    for source in PATTERNS:
        if ours(source).split(text) != hugging_face(source).split(text):
            return f"{source!r} splits {text!r} into {ours(source).split(text)}, HF into {hugging_face(source).split(text)}"
    name = random.choice([name for name in STEPS if not name.endswith("own")])
    steps, chunker = published(name)
    chunks = [chunk for chunks in chunker.chunks(text) for chunk in chunks]
    if [pretoken for chunk in chunks for pretoken in split_by(steps, chunk)] != split_by(steps, text):
        return f"{name} splits the chunks {chunks} otherwise than the whole text"
    return None

"""Split: cuts a text at the matches of a pattern and changes nothing in it. A behaviour says what becomes of a match.

HF's steps that look at characters (Digits, Punctuation, Whitespace, WhitespaceSplit, CharDelimiterSplit) are splits too:
`pretokenizers` gives them patterns. Which characters those are, HF takes from several libraries, each with a Unicode
version of its own, so the patterns spell them out where `\\p{..}`, which is Unicode 16.0's, would not do.

Source: HF tokenizers 0.23.3, `NormalizedString::split`; held to it by the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from tinyllm.tok.pipeline.aligned import AlignedText, Span
from tinyllm.tok.splitting.pattern import Pattern

Segment = tuple[int, int, bool]  # start, end, whether it is a match


class Step(Protocol):
    """One step of a pre-tokenizer. Neither way gives an empty pre-token, and both give the same ones."""

    def pretokens(self, text: str) -> list[str]:
        """What the step makes of `text`, which is not empty."""

    def pretokens_aligned(self, aligned: AlignedText) -> list[AlignedText]:
        """The same, and what it stands for in the original text."""


class Split:
    """Cuts at the matches of a pattern; `behavior` says where a match goes, one of BEHAVIORS.

    `finder` is a `Pattern`, or a str that matches itself. `invert` makes matches of what lies between them.

    >>> Split("-", "MergedWithPrevious").pretokens("the-final--countdown")
    ['the-', 'final-', '-', 'countdown']
    >>> Split("-", "Removed", invert=True).pretokens("the-final--countdown")
    ['-', '-', '-']
    """

    def __init__(self, finder: Pattern | str, behavior: str, invert: bool = False) -> None:
        self.finder = finder
        self.behavior = behavior
        self.invert = invert

    def pretokens(self, text: str) -> list[str]:
        if self.behavior == "Isolated" and isinstance(self.finder, Pattern):
            return self.finder.split(text)  # at C speed; matches and gaps are alike here, so `invert` says nothing
        return [text[start:end] for start, end in self._spans(text)]

    def pretokens_aligned(self, aligned: AlignedText) -> list[AlignedText]:
        return [aligned.slice(start, end) for start, end in self._spans(aligned.text)]

    def _spans(self, text: str) -> Iterator[Span]:
        if isinstance(self.finder, Pattern):
            matches = self.finder.matches(text)
        else:
            matches = [match.span() for match in re.finditer(re.escape(self.finder), text)]
        segments = _segments(matches, len(text), self.invert)
        return ((start, end) for start, end in _ARRANGE[self.behavior](segments) if start < end)


def _segments(matches: Iterable[Span], length: int, invert: bool) -> list[Segment]:
    """Matches and the gaps between them, which cover the text; an empty match is a segment, an empty gap is none."""
    segments: list[Segment] = []
    done = 0
    for start, end in matches:
        if done != start:
            segments.append((done, start, invert))
        segments.append((start, end, not invert))
        done = end
    if done != length:
        segments.append((done, length, invert))
    return segments


def _isolated(segments: list[Segment]) -> list[Span]:
    return [(start, end) for start, end, _ in segments]


def _removed(segments: list[Segment]) -> list[Span]:
    return [(start, end) for start, end, is_match in segments if not is_match]


def _merged_with_previous(segments: list[Segment]) -> list[Span]:
    """A match joins what is before it, unless that is a match: of several in a row only the first does."""
    spans: list[Span] = []
    after_match = False
    for start, end, is_match in segments:
        if is_match and not after_match and spans:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
        after_match = is_match
    return spans


def _merged_with_next(segments: list[Segment]) -> list[Span]:
    """A match joins what is behind it, unless that is a match: of several in a row only the last does."""
    spans: list[Span] = []
    before_match = False
    for start, end, is_match in reversed(segments):
        if is_match and not before_match and spans:
            spans[-1] = start, spans[-1][1]
        else:
            spans.append((start, end))
        before_match = is_match
    return spans[::-1]


def _contiguous(segments: list[Segment]) -> list[Span]:
    """Matches in a row are one."""
    spans: list[Span] = []
    after_match = False
    for start, end, is_match in segments:
        if is_match == after_match and spans:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
        after_match = is_match
    return spans


_ARRANGE: dict[str, Callable[[list[Segment]], list[Span]]] = {
    "Isolated": _isolated,
    "Removed": _removed,
    "MergedWithPrevious": _merged_with_previous,
    "MergedWithNext": _merged_with_next,
    "Contiguous": _contiguous,
}
BEHAVIORS = tuple(_ARRANGE)

"""NFC, NFD, NFKC and NFKD as HF tokenizers has them: with the tables of Unicode 9.0, and alignments, on any Python.

To HF, a mark assigned after 9.0 is a starter: marks do not move past it, and nothing composes across it. So the text
is cut at the code points that have had a part in normalization since, and `unicodedata` normalizes what lies between:
what 9.0 knew, no later version may change (Unicode's policy on stability). The table of cuts is generated.

Which character a normalized one stands for is HF's own convention, followed here in `changes`: the first character of
a decomposition replaces its source and the others are new; one that joins the starter before it is removed from there.

Sources: UAX #15 and section 3.11 of the Unicode standard for the algorithm; HF tokenizers 0.23.3 for the alignments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal, get_args

from tinyllm.tok.pipeline.character_tables import COMPATIBILITY_CUTS, CUTS
from tinyllm.tok.pipeline.characters import one_of

FormName = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[FormName, ...] = get_args(FormName)

# Where many marks in a row can stand: no ASCII, ideographs or Hangul, which hold most of the text that has no spaces.
_LONG_RUN = re.compile("[\u0300-\u33ff\ua000-\uabff\ufb00-\ufeff\U00010000-\U0001efff]{256,}")
Part = tuple[int, str, int]  # canonical combining class, character, change (as in AlignedText.transform)


class UnicodeForm:
    """One of the normalization forms. ValueError for another name.

    >>> UnicodeForm("NFC").normalize("e\\u0301") == "é"
    True
    >>> UnicodeForm("NFC").changes("e\\u0301!")
    [('é', -1), ('!', 0)]
    """

    def __init__(self, name: FormName) -> None:
        if name not in FORMS:
            raise ValueError(f"the form is {name!r}; it must be one of {', '.join(FORMS)}")
        self.name = name
        self._decomposed: FormName = "NFKD" if "K" in name else "NFD"
        self._composes = name.endswith("C")
        # In parentheses, so that `split` keeps what it cuts at, at the odd places of its list.
        self._cuts = re.compile(f"({one_of(CUTS + (COMPATIBILITY_CUTS if 'K' in name else ()))})")

    def __repr__(self) -> str:
        return f"UnicodeForm({self.name!r})"

    def normalize(self, text: str) -> str:
        """The text in this form. Cost: `unicodedata`'s, which gives back at once most text that is in the form.

        What the running Python leaves alone, 9.0 does too: it decomposes, moves and composes no more than later
        versions. The obvious next step, to believe `unicodedata` where it changes the text, would be wrong: it composes
        a, U+0D3B (a mark since 10.0), U+0301 to á, U+0D3B; to 9.0 the middle one is a starter, and nothing composes.
        """
        text = _LONG_RUN.sub(self._ordered, text)
        made = unicodedata.normalize(self.name, text)
        if made == text or not self._cuts.search(text):
            return made
        pieces = self._cuts.split(text)
        pieces[::2] = [unicodedata.normalize(self.name, piece) for piece in pieces[::2]]
        return "".join(pieces)

    def _ordered(self, run: re.Match[str]) -> str:
        """A long run with its marks in canonical order, which is the same text in every form.

        `unicodedata` moves each mark past the others one by one: for 100,000 that are out of order it takes half a minute.
        """

        def mark_class(character: str) -> int:
            return 0 if self._cuts.match(character) else unicodedata.combining(character)

        ordered: list[str] = []
        for _, stretch in groupby(run[0], key=lambda character: mark_class(character) > 0):
            ordered += sorted(stretch, key=mark_class)  # of characters that are no marks, the order that they are in
        return "".join(ordered)

    def is_normalized(self, text: str) -> bool:
        """Whether the text is in this form to the running Python; then it is, and every change would be 0."""
        return unicodedata.is_normalized(self.name, text)

    def changes(self, text: str) -> list[tuple[str, int]]:
        """The text in this form, character by character, as `AlignedText.transform` takes it. Cost: about 1 µs each."""
        found: list[tuple[str, int]] = []
        for place, piece in enumerate(self._cuts.split(text)):
            if place % 2:
                found.append((piece, 0))
            else:
                parts = _ordered(_decomposed(piece, self._decomposed))
                found += _composed(parts) if self._composes else ((character, change) for _, character, change in parts)
        return found


def _decomposed(text: str, form: FormName) -> Iterator[Part]:
    for character in text:
        change = 0
        for part in unicodedata.normalize(form, character):
            yield unicodedata.combining(part), part, change
            change = 1


def _ordered(parts: Iterable[Part]) -> Iterator[Part]:
    """Marks between two starters by rising class, those of one class as they stood."""
    marks: list[Part] = []
    for part in parts:
        if part[0]:
            marks.append(part)
            continue
        yield from sorted(marks, key=_class)
        marks.clear()
        yield part
    yield from sorted(marks, key=_class)


def _class(part: Part) -> int:
    return part[0]


def _composed(parts: Iterable[Part]) -> list[tuple[str, int]]:
    """Each starter joined with what composes with it and is not blocked by something of no lower class between."""
    found: list[tuple[str, int]] = []
    starter: int | None = None  # its place in `found`
    between = -1  # the class of the last part that stands behind the starter; -1 for none
    for combining, character, change in parts:
        if starter is not None and between < combining:
            base, base_change = found[starter]
            joined = unicodedata.normalize("NFC", base + character)
            if len(joined) == 1:
                found[starter] = joined, base_change + change - 1
                continue
        if combining == 0:
            starter, between = len(found), -1
        else:
            between = combining
        found.append((character, change))
    return found

"""What a normalizer is, and those that do one thing each: NFC to NFKD, Lowercase, StripAccents, Strip, Prepend, Replace ...

Each does as HF tokenizers does, wherever it runs: the same text, and for each of its characters the same place in the
original. Not here: how a file describes them, and several in sequence (`normalizers`). Decoders of the same names
(Replace, Strip) are other things.

Source: HF tokenizers 0.23.3, measured over every code point.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.pipeline.aligned import AlignedText, Span
from tinyllm.tok.pipeline.character_tables import LOWERCASE, MARKS
from tinyllm.tok.pipeline.characters import WHITE_SPACE, one_of
from tinyllm.tok.pipeline.unicode_forms import FormName, UnicodeForm

if TYPE_CHECKING:
    from tinyllm.tok.splitting.pattern import Pattern


class Normalizer(ABC):
    """Changes a text, and knows which character came from where. Objects keep no state, pickle, and work in threads."""

    aligns = True  # whether `normalize_aligned` gives HF's alignments

    @abstractmethod
    def normalize(self, text: str) -> str:
        """The text as the next part sees it. ValueError for a text on which HF fails."""

    @abstractmethod
    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        """The same, and the place in the original that each new character stands for. ValueError as `normalize`."""

    @abstractmethod
    def words(self) -> str:
        """What it does, in a few words."""


class Form(Normalizer):
    """NFC, NFD, NFKC or NFKD, with the tables of Unicode 9.0; see `unicode_forms`."""

    def __init__(self, name: FormName) -> None:
        self._form = UnicodeForm(name)

    def normalize(self, text: str) -> str:
        return self._form.normalize(text)

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        if self._form.is_normalized(aligned.text):
            return aligned
        return aligned.transform(self._form.changes(aligned.text))

    def words(self) -> str:
        return f"{self._form.name} of Unicode 9.0"


class Lowercase(Normalizer):
    """Each character's lower case by itself, with the tables of Unicode 17.0.

    `str.lower` looks around a capital sigma, and Pythons differ in the characters of the table. So the text is cut at
    those; without one of them `str.lower` is exact.

    >>> Lowercase().normalize("ΑΣ")  # 'ας' to str.lower
    'ασ'
    """

    def __init__(self) -> None:
        self._lower = {
            chr(code): chr(code + distance) for first, last, distance in LOWERCASE for code in range(first, last + 1)
        }
        self._cuts = re.compile(f"({one_of([edge for first, last, _ in LOWERCASE for edge in (first, last + 1)])})")

    def normalize(self, text: str) -> str:
        if text.isascii() or not self._cuts.search(text):
            return text.lower()
        pieces = self._cuts.split(text)
        pieces[::2] = [piece.lower() for piece in pieces[::2]]
        pieces[1::2] = [self._lower[character] for character in pieces[1::2]]
        return "".join(pieces)

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        if "İ" in aligned.text:  # the only character whose lower case is two
            return _each(aligned, self.normalize)
        return AlignedText(self.normalize(aligned.text), aligned.spans)

    def words(self) -> str:
        return "lower case"


class StripAccents(Normalizer):
    """Takes out the marks of Unicode 9.0 that stand by themselves: `é` as one character keeps its accent."""

    def __init__(self) -> None:
        self._marks = re.compile(one_of(MARKS))

    def normalize(self, text: str) -> str:
        return text if text.isascii() else self._marks.sub("", text)

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        return _each(aligned, self.normalize)

    def words(self) -> str:
        return "marks taken out"


class Strip(Normalizer):
    """Takes the white space off the ends of the text: what stands between two added tokens is a text of its own."""

    def __init__(self, left: bool, right: bool) -> None:
        self.left, self.right = left, right

    def normalize(self, text: str) -> str:
        start, end = self._kept(text)
        return text[start:end]

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        return aligned.slice(*self._kept(aligned.text))

    def words(self) -> str:
        sides = [side for side, stripped in (("left", self.left), ("right", self.right)) if stripped]
        return f"white space stripped {' and '.join(sides)}" if sides else "nothing stripped"

    def _kept(self, text: str) -> Span:
        start = len(text) - len(text.lstrip(WHITE_SPACE)) if self.left else 0
        return start, max(start, len(text.rstrip(WHITE_SPACE)) if self.right else len(text))


class Prepend(Normalizer):
    """Puts `content`, of at least one character, before every text that is not empty."""

    def __init__(self, content: str) -> None:
        self.content = content

    def normalize(self, text: str) -> str:
        return self.content + text if text else text

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        return aligned.prepend(self.content)

    def words(self) -> str:
        return f"{self.content!r} put before it"


class Replace(Normalizer):
    """Puts `content`, letter for letter, in the place of each match of a string or a pattern that matches something."""

    def __init__(self, pattern: str | Pattern, content: str) -> None:
        self.pattern, self.content = pattern, content

    def normalize(self, text: str) -> str:
        if isinstance(self.pattern, str):
            return text.replace(self.pattern, self.content)
        pieces: list[str] = []
        done = 0
        for start, end in self._matches(text):
            pieces += text[done:start], self.content
            done = end
        return "".join([*pieces, text[done:]])

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        return aligned.replace(self._matches(aligned.text), self.content)

    def words(self) -> str:
        if isinstance(self.pattern, str):
            return f"{self.pattern!r} replaced by {self.content!r}"
        return f"matches of {self.pattern.source} replaced by {self.content!r}"

    def _matches(self, text: str) -> list[Span]:
        if isinstance(self.pattern, str):
            return [found.span() for found in re.finditer(re.escape(self.pattern), text)]
        return self.pattern.matches(text) if text else []


class Nmt(Normalizer):
    """Takes out control characters and makes spaces of some others, among them U+FFFD and zero-width ones."""

    def __init__(self) -> None:
        removed = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
        spaces = (0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)
        self._table: dict[int, str] = {**dict.fromkeys(removed, ""), **dict.fromkeys(spaces, " ")}

    def normalize(self, text: str) -> str:
        return text.translate(self._table)

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        return _each(aligned, self.normalize)

    def words(self) -> str:
        return "control characters taken out or made spaces"


class ByteLevel(Normalizer):
    """Puts the bytes' stand-ins in the place of the characters, as the pre-tokenizer of this name does."""

    def __init__(self) -> None:
        self._stand_ins = bytes_to_unicode()

    def normalize(self, text: str) -> str:
        return text.encode("utf-8").decode("latin-1").translate(self._stand_ins)

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        return _each(aligned, self.normalize)

    def words(self) -> str:
        return "bytes as their stand-ins"


def _each(aligned: AlignedText, change: Callable[[str], str]) -> AlignedText:
    """Each character changed by itself: what it becomes, none or several, stands where it stood."""
    made = [change(character) for character in aligned.text]
    spans = [span for new, span in zip(made, aligned.spans, strict=True) for _ in new]
    return AlignedText("".join(made), spans)

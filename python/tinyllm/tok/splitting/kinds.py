r"""The kinds of characters that patterns tell apart, and texts as strings of them.

To a pattern, two characters that belong to the same of its sets are the same. Such characters are of one *kind*, and
each kind has a letter. A text's kinds are a string as long as the text, which `str.translate` makes at C speed. Some
ten to thirty kinds tell apart what published patterns do, so `re` can run on them what it cannot run on the text: it
knows no `\p{L}`, and is slow on the 677 ranges that make it up.

The categories are those of Unicode 16.0 on any Python, through `unicode16.category`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from tinyllm.tok.splitting.char_sets import CATEGORIES, LAST, CharSet
from tinyllm.tok.unicode16 import category

KEPT = 1 << 16  # characters whose kind is kept; hardly a text has more different ones
SHORT = 256  # code points; in a stretch no longer than this, the categories that occur are looked up one by one
# Letters and digits mean themselves in `re`, also inside a set, so they need no escapes.
FIRST_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
OTHER_LETTERS = 0x4E00  # from here on, as many as are needed


class Kinds(dict[int, str]):
    r"""The kinds of some sets, and a table for `str.translate` that fills itself as characters come.

    `of_set[charset]` are the letters of the kinds that make up a set, `all` are all letters. A kind may have no
    character at all: in a long stretch of code points each category is assumed to occur.

    Bound: KEPT characters, then it starts again from nothing. Threads may share it.

    >>> from tinyllm.tok.splitting.char_sets import DIGIT, SPACE
    >>> kinds = Kinds([SPACE, DIGIT])
    >>> "a 1\n²".translate(kinds), kinds.of_set[SPACE], kinds.of_set[DIGIT]
    ('ABCBA', 'B', 'C')
    """

    def __init__(self, sets: Iterable[CharSet]) -> None:
        super().__init__()
        self._sets = list(dict.fromkeys(sets))
        self._leaves = {leaf: 1 << index for index, leaf in enumerate(dict.fromkeys(_all_parts(self._sets)))}
        # Between two neighbouring edges no range begins or ends; the places are which leaves' ranges hold what is there.
        edges = {0, *(edge for leaf in self._leaves for low, high in leaf.ranges for edge in (low, high + 1))}
        self._edges = sorted(edges - {LAST + 1})
        self._places = self._all_places()
        self._letters: dict[tuple[bool, ...], str] = {}
        self._found: dict[tuple[int, str], str] = {}
        for place, name in dict.fromkeys(self._stretches()):
            self._letter(place, name)
        self.all = "".join(self._letters.values())
        self.of_set = {
            charset: "".join(letter for belongs, letter in self._letters.items() if belongs[index])
            for index, charset in enumerate(self._sets)
        }

    def __missing__(self, code: int) -> str:
        letter = self._letter(self._places[bisect_right(self._edges, code) - 1], category(chr(code)))
        if len(self) >= KEPT:
            self.clear()
        self[code] = letter
        return letter

    def _letter(self, place: int, name: str) -> str:
        """The letter of the characters at a place that have this category."""
        letter = self._found.get((place, name))
        if letter is None:
            belongs = tuple(self._holds(charset, place, name) for charset in self._sets)
            letter = self._letters.setdefault(belongs, _letter_number(len(self._letters)))
            self._found[place, name] = letter
        return letter

    def _holds(self, charset: CharSet, place: int, name: str) -> bool:
        held = bool(place & self._leaves[charset]) or name in charset.categories
        return (held or any(self._holds(part, place, name) for part in charset.parts)) != charset.negated

    def _all_places(self) -> list[int]:
        places = [0] * len(self._edges)
        for leaf, bit in self._leaves.items():
            for low, high in leaf.ranges:
                for index in range(bisect_left(self._edges, low), bisect_right(self._edges, high)):
                    places[index] |= bit
        return places

    def _stretches(self) -> Iterator[tuple[int, str]]:
        """Each place with each category that occurs there."""
        for place, low, end in zip(self._places, self._edges, [*self._edges[1:], LAST + 1]):
            names = {category(chr(code)) for code in range(low, end)} if end - low <= SHORT else CATEGORIES
            for name in sorted(names):
                yield place, name


def _all_parts(sets: Iterable[CharSet]) -> Iterator[CharSet]:
    for charset in sets:
        yield charset
        yield from _all_parts(charset.parts)


def _letter_number(number: int) -> str:
    return FIRST_LETTERS[number] if number < len(FIRST_LETTERS) else chr(OTHER_LETTERS + number)

r"""Sets of code points: what the classes of split patterns are made of.

A set is described, not listed: ranges, general categories of Unicode 16.0, and other sets. Which characters belong to
it is `kinds.py`'s business.

Source: Oniguruma 6.9 through Hugging Face tokenizers 0.23.3, seen code point by code point.
"""

from __future__ import annotations

from typing import NamedTuple

CATEGORIES = frozenset(
    "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
)
LAST = 0x10FFFF  # the last code point
# The 25 code points with the property White_Space.
WHITE_SPACE = (
    *((0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
)
# What Oniguruma's `\w` has beside L, M, Nd, Nl and Pc: letters in circles and squares; outside a class numbers of Latin-1 too.
CIRCLED = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
LATIN_NUMBERS = ((0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE))


class CharSet(NamedTuple):
    """A set of code points: the ranges, the categories and the parts together, or all others if `negated`."""

    ranges: tuple[tuple[int, int], ...] = ()  # first and last code point
    categories: frozenset[str] = frozenset()
    parts: tuple[CharSet, ...] = ()
    negated: bool = False
    folded: str = ""  # the ASCII letters that it ignores the case of, in lower case


SPACE = CharSet(WHITE_SPACE)
DIGIT = CharSet(categories=frozenset({"Nd"}))
WORD_IN_CLASS = CharSet(CIRCLED, frozenset(c for c in CATEGORIES if c[0] in "LM" or c in ("Nd", "Nl", "Pc")))
WORD = WORD_IN_CLASS._replace(ranges=CIRCLED + LATIN_NUMBERS)
NOT_NEWLINE = CharSet(((0x0A, 0x0A),), negated=True)

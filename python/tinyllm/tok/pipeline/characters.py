"""Which characters are punctuation, word characters and white space to HF tokenizers, on any Python.

HF's parts carry tables of several Unicode versions. Measured over every code point of HF 0.23.3: its Punctuation step
has one older than 9.0; `\\w`, in its Whitespace step and in the `single_word` of added tokens, is that of 16.0; white
space is Unicode's White_Space everywhere, 25 characters that no version has changed since 6.3.

Not here: the classes of patterns, which are data (`tinyllm.tok.splitting`), and the numbers of the Digits step
(`tinyllm.tok.pretok`). A caller that asks for many characters keeps the answers: each call costs a search in a table.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tinyllm.tok.pipeline.character_tables import PUNCTUATION
from tinyllm.tok.unicode16 import category

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def is_punctuation(ch: str) -> bool:
    """Whether HF's Punctuation step cuts at the character: ASCII's 32 signs, symbols among them, and categories P*.

    >>> [is_punctuation(ch) for ch in ("!", "+", "€", "、")]
    [True, True, False, True]
    """
    # An odd number of edges at or below the code point means that it is inside a range.
    return bool(bisect_right(PUNCTUATION, ord(ch)) & 1)


def is_word_character(ch: str) -> bool:
    r"""Whether `\w` matches the character in HF: alphabetic, a mark, a decimal digit, or connecting punctuation.

    U+200C and U+200D, which join, are word characters too, and so are letters in circles and squares.

    >>> [is_word_character(ch) for ch in ("é", "\u0301", "_", "Ⓐ", "²", "-")]
    [True, True, True, True, False, False]
    """
    found = category(ch)
    return found[0] in "LM" or found in _OTHER_CATEGORIES or any(ord(ch) in codes for codes in _OTHER_CODES)


def is_white_space(ch: str) -> bool:
    """Whether the character is White_Space; `str.isspace` takes U+001C to U+001F besides.

    >>> [is_white_space(ch) for ch in (" ", "\\u3000", "\\x1c", "\\u200b")]
    [True, True, False, False]
    """
    return ch in WHITE_SPACE


def one_of(edges: Sequence[int]) -> str:
    """A regular expression for one character out of a table of edges.

    As a plain class, `re` would walk all ranges above U+FFFF for each character of a text, at 170 ns instead of 10. So
    every character from there on is first let through, and looked at again.

    >>> one_of((0x61, 0x64))
    '[\\\\U00000061-\\\\U00000063\\\\U00010000-\\\\U0010ffff](?<=[\\\\U00000061-\\\\U00000063])'
    """
    ranges = [(first, end - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]
    low = [(first, last) for first, last in ranges if first < _HIGH[0]]
    return f"[{_class_of([*low, _HIGH])}](?<=[{_class_of(ranges)}])"


def _class_of(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


_HIGH = (0x10000, 0x10FFFF)
_OTHER_CATEGORIES = ("Nd", "Nl", "Pc")
# Join_Control, and the four runs of Other_Alphabetic that are no marks: Ⓐ to ⓩ, and capitals in squares and circles.
_OTHER_CODES = (
    range(0x200C, 0x200E),
    range(0x24B6, 0x24EA),
    range(0x1F130, 0x1F14A),
    range(0x1F150, 0x1F16A),
    range(0x1F170, 0x1F18A),
)

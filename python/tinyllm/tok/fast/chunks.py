r"""Chunks: stretches of text at whose ends two pre-tokens surely meet, so that each needs pre-tokenizing only once.

Pre-tokenizing and merging run in Python, character by character. But text repeats itself: in 10 MB of English there are
1.7 million stretches between white space and 76,000 different ones. So a text is cut, at C speed, into chunks at places
where two pre-tokens surely meet, and only chunks that are new are pre-tokenized.

A cut is safe if the pre-tokenizer does on both sides what it does without the cut. The obvious cut, before every space,
is not safe: "a   b" is "a", "  ", " b", since `\s+(?!\S)` looks ahead, and would be "a", " ", " ", " b". What is safe
depends on the pre-tokenizer:

GPT-2    White space shares a pre-token with other characters only as one space before a run of them. So GPT-2's own rules,
         with this one distinction of characters, cut only where the whole rules cut too.
Digits   "a  1" is "a", "  ", "1", since the step before ends the text at the digit. GPT-2's cut between the two spaces is
         wrong here. The start of a run of white space is safe: nothing goes on across it, and nothing looks back.
cl100k,  "!\n" is one pre-token, so the start of a run of white space is not safe. Before a space (U+0020) that follows a
o200k    character that is no white space it is: no alternative goes on across that place.

Most of GPT-2's cuts are at single spaces, where `str.split` does it in half the time. See `_split_at_spaces`.

`python/tests/tok/fast/test_chunks.py` holds each way of cutting to its pre-tokenizer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

BLOCK = 1 << 12  # characters cut at once: small enough that most blocks can be split at spaces

# The 25 code points with the property White_Space, as a set for `re`; and those of them that no text is split at.
WHITE_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
OTHER_ASCII = "\t\x0b\x0c\r"
OTHER_WHITE_SPACE = (
    OTHER_ASCII + "\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
# Python 3.11 knows possessive runs, which do not remember where they could give back: a sixth of the time to cut.
POSSESSIVE = "+" if sys.version_info >= (3, 11) else ""

# In these patterns SPACE stands for white space and OTHER for any other character.
GPT2_CHUNKS = f" ?OTHER+{POSSESSIVE}|SPACE+(?!OTHER)|SPACE+"
DIGITS_CHUNKS = f"SPACE*OTHER+{POSSESSIVE}|SPACE+"
TIKTOKEN_CHUNKS = "SPACE*OTHER+(?:(?! )SPACE+OTHER*)*|SPACE+"


class Chunker:
    """Cuts texts into chunks by one of the patterns above.

    >>> list(Chunker(GPT2_CHUNKS).chunks("Let it be,  let it be."))
    [(['Let', ' it', ' be,', ' ', ' let', ' it', ' be.'], False)]
    """

    def __init__(self, pattern: str) -> None:
        self._exact = _compile(pattern, f"[{WHITE_SPACE}]", f"[^{WHITE_SPACE}]")
        # The `\s` of `re` is a fifth faster than the set, and the same but for U+001C to U+001F, which it counts in.
        self._quick = _compile(pattern, r"\s", r"\S")
        self._at_spaces = pattern == GPT2_CHUNKS
        # A single space between two other characters is where every pattern cuts.
        self._single_space = _compile("(?<=OTHER) (?=OTHER)", f"[{WHITE_SPACE}]", f"[^{WHITE_SPACE}]")

    def chunks(self, text: str) -> Iterator[tuple[list[str], bool]]:
        """Lists of chunks, which join back to `text`; with each list, whether its chunks are shortened (see `full_chunk`).

        Cost: O(characters). A list is of about BLOCK characters: one of all chunks would be larger than a long text.
        """
        start = 0
        while start < len(text):
            cut = self._single_space.search(text, start + BLOCK)
            end = cut.start() if cut else len(text)
            block = text[start:end]
            start = end
            shortened = _split_at_spaces(block) if self._at_spaces else None
            if shortened is not None:
                yield shortened, True
            else:
                has_separator = "\x1c" in block or "\x1d" in block or "\x1e" in block or "\x1f" in block
                yield (self._exact if has_separator else self._quick).findall(block), False


def full_chunk(shortened: str) -> str:
    """The chunk that a shortened one stands for: with the space before it, unless it has a line end there."""
    return shortened if shortened.startswith("\n") else " " + shortened


def _split_at_spaces(block: str) -> list[str] | None:
    r"""The chunks of a block for GPT-2, cut before every space and line end and shortened; None where that would be wrong.

    A white-space character that is the first or the last of its run may be cut off: the run before the last is one
    pre-token, and the last goes with what follows or stands alone. One inside a run may not. So there must be no run of
    three, no run at the end of the block, and no white space of other kinds, at which the text is not cut. A "\n" gets a
    space before it to be split at, so " \n" too becomes two spaces: one test finds it and every run of spaces, and the other
    finds two line ends that a third white-space character follows.
    """
    if not block.startswith((" ", "\n")) or block.endswith((" ", "\n")):
        return None
    if any(map(block.__contains__, OTHER_ASCII if block.isascii() else OTHER_WHITE_SPACE)):
        return None
    spaced = block.replace("\n", " \n")
    if "  " in spaced or " \n \n " in spaced:
        return None
    shortened = spaced.split(" ")
    del shortened[0]  # what is before the first space: nothing
    return shortened


def _compile(pattern: str, space: str, other: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("SPACE", space).replace("OTHER", other))

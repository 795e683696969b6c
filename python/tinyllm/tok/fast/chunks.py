r"""GPT-2's chunks, cut by `str.split`: half the time of the engine's (`splitting/safe_chunks.py`), which cuts all others.

Pre-tokenizing and merging run in Python. But text repeats itself: in 10 MB of English there are 1.7 million stretches
between white space and 76,000 different ones. So a text is cut, at C speed, into chunks at places where two pre-tokens surely
meet, and only chunks that are new are pre-tokenized. Which places these are the engine decides for each pattern.

Most of GPT-2's cuts are at single spaces, so a text is split at spaces where that is right. The obvious cut, before every
space, is not: "a   b" is "a", "  ", " b", since `\s+(?!\S)` looks ahead, and would be "a", " ", " ", " b".
See `_split_at_spaces`; `python/tests/tok/fast/test_chunks.py` holds it to the pre-tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

BLOCK = 1 << 12  # characters cut at once: small enough that most blocks can be split at spaces

# The 25 code points with the property White_Space, as a set for `re`; and those of them that no text is split at.
WHITE_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
OTHER_ASCII = "\t\x0b\x0c\r"
OTHER_WHITE_SPACE = (
    OTHER_ASCII + "\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


class SpaceChunker:
    """Cuts texts into GPT-2's chunks; `chunks_of` cuts what cannot be split at spaces.

    >>> list(SpaceChunker(lambda text: iter([[text]])).chunks(" so let it be"))
    [(['so', 'let', 'it', 'be'], True)]
    """

    def __init__(self, chunks_of: Callable[[str], Iterator[list[str]]]) -> None:
        self._chunks_of = chunks_of
        # A single space between two other characters is a safe cut.
        self._single_space = re.compile(f"(?<=[^{WHITE_SPACE}]) (?=[^{WHITE_SPACE}])")

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
            shortened = _split_at_spaces(block)
            if shortened is not None:
                yield shortened, True
            else:
                for chunks in self._chunks_of(block):
                    yield chunks, False


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

r"""What makes encoding fast: chunks of text, and bounded caches. Given: students use it if they like, they do not write it.

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

`python/tests/tok/test_chunks.py` holds each pattern to its pre-tokenizer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

BLOCK = 1 << 16  # characters cut at once: a list of all the chunks of a long text would be larger than the text
CACHED = 1 << 18  # entries a cache holds at most; 10 MB of Python code has 155,000 different chunks
CACHED_LENGTH = 64  # characters; a longer chunk hardly ever comes twice

# The 25 code points with the property White_Space, as a set for `re`.
WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Python 3.11 knows possessive runs, which do not remember where they could give back: a sixth of the time to cut.
POSSESSIVE = "+" if sys.version_info >= (3, 11) else ""

# In these patterns SPACE stands for white space and OTHER for any other character.
GPT2_CHUNKS = f" ?OTHER+{POSSESSIVE}|SPACE+(?!OTHER)|SPACE+"
DIGITS_CHUNKS = f"SPACE*OTHER+{POSSESSIVE}|SPACE+"
TIKTOKEN_CHUNKS = "SPACE*OTHER+(?:(?! )SPACE+OTHER*)*|SPACE+"


class Chunker:
    """Cuts texts into chunks by one of the patterns above.

    >>> list(Chunker(GPT2_CHUNKS).chunks("Let it be,  let it be."))
    [['Let', ' it', ' be,', ' ', ' let', ' it', ' be.']]
    """

    def __init__(self, pattern: str) -> None:
        self._exact = _compile(pattern, f"[{WHITE_SPACE}]", f"[^{WHITE_SPACE}]")
        # The `\s` of `re` is a fifth faster than the set, and the same but for U+001C to U+001F, which it counts in.
        self._quick = _compile(pattern, r"\s", r"\S")

    def chunks(self, text: str) -> Iterable[list[str]]:
        """The chunks of `text`, in lists of about BLOCK characters. They join back to the text. Cost: O(characters)."""
        has_separator = "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text
        pattern = self._exact if has_separator else self._quick
        return [pattern.findall(text)] if len(text) <= BLOCK else _by_block(pattern, text)


class Memo(dict):
    """A bounded cache: `memo[key]` computes what it does not hold.

    Bound: CACHED entries, with keys of at most CACHED_LENGTH characters; then it starts again from nothing. It answers
    what it holds without running any Python code, and threads may share it: at worst a value is computed twice.

    >>> lengths = Memo(len)
    >>> lengths["four"], list(lengths)
    (4, ['four'])
    """

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Any) -> Any:
        value = self._compute(key)
        if len(key) <= CACHED_LENGTH:
            if len(self) >= CACHED:
                self.clear()
            self[key] = value
        return value


def _compile(pattern: str, space: str, other: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("SPACE", space).replace("OTHER", other))


def _by_block(pattern: re.Pattern[str], text: str) -> Iterator[list[str]]:
    start, size = 0, BLOCK
    while len(text) - start > size:
        chunks = pattern.findall(text, start, start + size)
        # The end of the block may cut its last chunk short: that one is read again, with the next block.
        length = size - len(chunks.pop())
        if length:
            yield chunks
        # One chunk longer than the block: read it again with twice the size.
        start, size = start + length, BLOCK if length else 2 * size
    yield pattern.findall(text, start)

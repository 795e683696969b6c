"""Given: what makes encoding fast, chunks of text and bounded caches."""

from collections.abc import Callable, Iterable
from typing import Any

GPT2_CHUNKS: str
"""Where GPT-2's split may be cut."""

DIGITS_CHUNKS: str
"""Where Digits and then GPT-2's split may be cut."""

TIKTOKEN_CHUNKS: str
"""Where cl100k and o200k may be cut."""


class Chunker:
    """Cuts texts into chunks: stretches at whose ends two pre-tokens surely meet."""

    def __init__(self, pattern: str) -> None:
        """A chunker by one of the patterns above."""

    def chunks(self, text: str) -> Iterable[list[str]]:
        """The chunks of `text`, in lists. They join back to the text. Cost: O(characters)."""


class Memo(dict):
    """A bounded cache: `memo[key]` computes what it does not hold."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        """A cache of what `compute(key)` gives."""

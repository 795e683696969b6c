"""Given: what makes encoding fast, chunks of text and bounded caches."""

from collections.abc import Callable, Iterator, Sized
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Sized)
Value = TypeVar("Value")

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

    def chunks(self, text: str) -> Iterator[tuple[list[str], bool]]:
        """Lists of chunks, which join back to `text`; with each list, whether its chunks are shortened (see `full_chunk`).

        Cost: O(characters).
        """

def full_chunk(shortened: str) -> str:
    """The chunk that a shortened one stands for: with the space before it, unless it has a line end there."""

class Memo(dict[Key, Value]):
    """A bounded cache: `memo[key]` computes what it does not hold."""

    def __init__(self, compute: Callable[[Key], Value]) -> None:
        """A cache of what `compute(key)` gives."""

class Lazy(Generic[Value]):
    """An attribute that is made when it is first asked for, and then kept in the object; it takes no lock."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        """The attribute of each object is `make(object)`."""

    def __get__(self, instance: Any, owner: type) -> Value:
        """The attribute of this object."""

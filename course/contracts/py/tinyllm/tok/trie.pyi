"""M06.2: a prefix tree of strings."""

from typing import Generic, TypeVar

V = TypeVar("V")

class Trie(Generic[V]):
    """A map from strings to values that finds the longest key at a position of a text.

    >>> trie = Trie()
    >>> trie.insert("ab", 1)
    >>> trie.insert("abcd", 2)
    >>> trie.longest_prefix("xabcx", 1)
    (2, 1)
    """

    def __init__(self) -> None:
        """An empty trie."""

    def insert(self, key: str, value: V) -> None:
        """Map `key` to `value`; a key inserted again takes the new value.

        Cost: O(characters of key). Raises ValueError if `key` is empty, since it would match everywhere.
        """

    def longest_prefix(self, text: str, start: int = 0) -> tuple[int, V] | None:
        """The longest key that `text` has at position `start` (in characters), as (length of the key, its value).

        None if no key is there; a key that ends before a longer branch dies still counts. A `start` at or behind the
        end of the text gives None; a negative one is a ValueError. Cost: O(characters of the longest key).
        """

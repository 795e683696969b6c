"""A prefix tree of strings (M06.2): the longest key at a position of a text.

`bpe.py` finds added tokens with it: at one place "<a>" and "<a><b>" may both match, and the longer one counts.
Invariant: a node is reached by exactly one string, the characters on the way to it; it holds a value if and only if that
string is a key.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

V = TypeVar("V")


class _Node:
    """One prefix: the nodes one character further, and the value if the prefix is a key."""

    __slots__ = ("children", "is_key", "value")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.is_key = False
        self.value: Any = None  # None is a value like any other, so is_key tells


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
        self._root = _Node()

    def insert(self, key: str, value: V) -> None:
        """Map `key` to `value`; a key inserted again takes the new value.

        Cost: O(characters of key). Raises ValueError if `key` is empty, since it would match everywhere.
        """
        if not isinstance(key, str):
            raise TypeError(f"a key is a str, not {type(key).__name__} ({key!r:.40})")
        if not key:
            raise ValueError("a key must have at least one character: the empty key would match everywhere")
        node = self._root
        for ch in key:
            node = node.children.setdefault(ch, _Node())
        node.is_key = True
        node.value = value

    def longest_prefix(self, text: str, start: int = 0) -> tuple[int, V] | None:
        """The longest key that `text` has at position `start` (in characters), as (length of the key, its value).

        None if no key is there. A `start` at or behind the end gives None; a negative one is a ValueError.
        Cost: O(characters of the longest key).
        """
        if not isinstance(text, str):
            raise TypeError(f"text is a str, not {type(text).__name__} ({text!r:.40})")
        if start < 0:
            raise ValueError(f"start is {start}; a position in the text is 0 or more")
        longest = None
        node = self._root
        # Walk on past a key: "abcd" may follow "ab". Remember the last key passed: the longer branch may die at "abcx".
        for position in range(start, len(text)):
            child = node.children.get(text[position])
            if child is None:
                break
            node = child
            if node.is_key:
                longest = (position + 1 - start, node.value)
        return longest

    def _check(self) -> None:
        """Assert the invariants; tests call it after every step."""

        def visit(node: _Node, depth: int) -> None:
            assert node.is_key or node.children or depth == 0, "a leaf that is no key"
            assert node.is_key or node.value is None, "a value without a key"
            for ch, child in node.children.items():
                assert len(ch) == 1
                visit(child, depth + 1)

        visit(self._root, 0)

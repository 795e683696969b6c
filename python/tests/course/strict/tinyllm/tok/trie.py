"""Trie, strict: keys and texts are str, a start is an int."""

from typing import TypeVar

from tinyllm.tok.guard import is_id, require
from tinyllm.tok.unguarded_trie import Trie as Unguarded

V = TypeVar("V")


class Trie(Unguarded[V]):
    def insert(self, key: str, value: V) -> None:
        require(isinstance(key, str), f"the key is {key!r}")
        super().insert(key, value)

    def longest_prefix(self, text: str, start: int = 0) -> "tuple[int, V] | None":
        require(isinstance(text, str) and is_id(start), f"text {text!r} or start {start!r} is of another type")
        return super().longest_prefix(text, start)

"""Bounded caches, and attributes that are made when they are first asked for.

Neither takes a lock, so threads may share them and a forked process never finds one held; at worst a value is made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Sized)
Value = TypeVar("Value")

CACHED = 1 << 18  # entries a cache holds at most; 10 MB of Python code has 155,000 different chunks
CACHED_LENGTH = 64  # characters; a longer chunk hardly ever comes twice


class Memo(dict[Key, Value]):
    """A bounded cache: `memo[key]` computes what it does not hold.

    Bound: CACHED entries, with keys of at most CACHED_LENGTH characters; then it starts again from nothing. It answers
    what it holds without running any Python code, and threads may share it: at worst a value is computed twice.

    >>> lengths = Memo(len)
    >>> lengths["four"], list(lengths)
    (4, ['four'])
    """

    def __init__(self, compute: Callable[[Key], Value]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Key) -> Value:
        value = self._compute(key)
        if len(key) <= CACHED_LENGTH:
            if len(self) >= CACHED:
                self.clear()
            self[key] = value
        return value


class Lazy(Generic[Value]):
    """An attribute that is made when it is first asked for, and then kept in the object.

    `functools.cached_property` does the same, but before Python 3.12 it holds one lock for all objects of a class while
    it makes the value: a process forked meanwhile found it locked for ever. Here two threads may both make the value.

    >>> class Text(str):
    ...     size = Lazy(len)
    >>> four = Text("four")
    >>> four.size, vars(four)
    (4, {'size': 4})
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Value:
        if instance is None:
            return self  # type: ignore[return-value]  # asked of the class, as a property answers
        value: Value = vars(instance).setdefault(self._name, self._make(instance))
        return value

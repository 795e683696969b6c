"""Adding, fast."""

from collections.abc import Iterable

from . import NAME

assert NAME == "rooms", "the package's own __init__.py is staged"


def add_all(values: Iterable[int], start: int) -> int:
    return sum(values, start)

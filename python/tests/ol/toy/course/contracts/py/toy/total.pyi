"""T3: a total."""

from collections.abc import Iterable

def total(values: list[int]) -> int:
    """All values, doubled and added."""

def average(values: list[int]) -> float:
    """The total, divided by how many there are."""

# --- optional: what the library offers beyond the contract ---

def shown(values: Iterable[int]) -> str:
    """The total in words, digit by digit."""

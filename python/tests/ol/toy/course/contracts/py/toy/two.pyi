"""T2: a tally of numbers."""

from collections.abc import Iterable
from typing import Any, Self  # noqa: F401 - a stub leaves out what it does not use

class Tally:
    """Numbers in the order in which they came.

    values  the numbers
    """

    values: list[int]

    def __init__(self, values: Iterable[int] = ()) -> None: ...
    @classmethod
    def read(cls, text: str) -> Self:
        """The tally of a text that `parse` reads."""
        ...

    def add(self, value: int) -> None:
        """Put one number at the end."""

    def doubled(self) -> list[int]:
        """Every number, doubled."""

# --- optional: what the reference offers beyond the contract ---

class TallyOptional(Tally):
    """Members that the reference's Tally has besides."""

    @classmethod
    def read(cls, text: str, *, reverse: bool = False) -> Self:
        """As above, from the end if `reverse`."""

"""T3 in the library: fast, and with more than the course asks for."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toy.one import double
from toy.rooms import adding

if TYPE_CHECKING:
    from toy.two import Tally


def total(values: "Iterable[int] | Tally", *, start: int = 0) -> int:
    return adding.add_all(map(double, values), start)


def average(values: Sequence[int]) -> float:
    return total(values) / len(values)


def shown(values: Iterable[int]) -> str:
    from toy.rooms.words import spelled  # here, since few ask for it

    return spelled(total(values))

"""The reference of T2: the tally."""

from collections.abc import Iterable

from toy.one import double
from toy.parse import parse


class Tally:
    def __init__(self, values: Iterable[int] = ()) -> None:
        self.values = list(values)

    @classmethod
    def read(cls, text: str, *, reverse: bool = False) -> "Tally":
        values = parse(text)
        return cls(values[::-1] if reverse else values)

    def add(self, value: int) -> None:
        self.values.append(value)

    def doubled(self) -> list[int]:
        return [double(value) for value in self.values]

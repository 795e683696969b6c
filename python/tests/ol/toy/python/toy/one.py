"""The reference of T1."""

from toy.given import FACTOR


def double(number: int) -> int:
    return number * FACTOR

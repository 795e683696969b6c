"""The plain reference of T3."""

from toy.one import double


def total(values: list[int]) -> int:
    result = 0
    for value in values:
        result += double(value)
    return result


def average(values: list[int]) -> float:
    return total(values) / len(values)

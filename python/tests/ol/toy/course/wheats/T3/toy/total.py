"""Another correct T3, which uses nothing of the course."""


def total(values: list[int]) -> int:
    return 2 * sum(values)


def average(values: list[int]) -> float:
    return 2 * sum(values) / len(values)

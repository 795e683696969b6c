"""The probe that finds values which equal everything, and lets honest ones through."""

from __future__ import annotations

from unittest.mock import ANY

import pytest

from ol.child.honest import honest


class Liar:
    def __eq__(self, other: object) -> bool:
        return True


class LiarList(list):
    def __eq__(self, other: object) -> bool:
        return True


class Everywhere:
    def __contains__(self, item: object) -> bool:
        return True


@pytest.mark.parametrize(
    "value",
    [Liar(), ANY, [1, Liar()], {"a": (Liar(),)}, LiarList([1]), [LiarList()], Everywhere()],
    ids=lambda value: type(value).__name__,
)
def test_liars_are_found_wherever_they_hide(value: object) -> None:
    with pytest.raises(AssertionError, match="claims to equal everything|return plain values"):
        honest(value)


def test_honest_values_come_back_as_they_are() -> None:
    class Refuses:
        def __eq__(self, other: object) -> bool:
            raise TypeError

    class Ordered(list):
        pass

    for value in (
        1,
        "a",
        b"",
        None,
        [1, [2]],
        {"a": {1}},
        (frozenset({1}),),
        object(),
        Refuses(),
        Ordered([1]),
        int,
        ValueError,
    ):
        assert honest(value) is value


def test_an_iterator_is_not_used_up() -> None:
    numbers = iter([1, 2])
    assert list(honest(numbers)) == [1, 2]

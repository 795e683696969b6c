"""The probe that finds values which equal everything, and lets honest ones through."""

from __future__ import annotations

import ast
import time
from unittest.mock import ANY

import pytest

from ol.child.honest import compare_honestly, holds, honest


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


class Twin:
    """Equals everything, and lies where "a" lies in a dict."""

    def __hash__(self) -> int:
        return hash("a")

    def __eq__(self, other: object) -> bool:
        return True


class Cased(str):
    """An honest kind of text: equal whatever the case."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.lower() == other.lower()

    def __hash__(self) -> int:
        return hash(self.lower())


@pytest.mark.parametrize("container", [{Twin(): 1}, {Twin()}, frozenset({Twin()}), {"b": 0, Twin(): 1}])
def test_a_key_that_equals_everything_is_found_where_an_item_is_looked_up(container: object) -> None:
    with pytest.raises(AssertionError, match="claims to equal everything"):
        holds("a", container)


def test_membership_is_that_of_the_slow_way() -> None:
    containers = [
        {"a": 1, 2: "b"},
        {"a", 2, 2.5},
        frozenset({None, b"a"}),
        ["a", 2],
        ("a",),
        "abc",
        {Cased("a"): 0},
        {},
    ]
    for container in containers:
        for item in ("a", "A", "z", 2, 2.0, True, None, b"a"):
            try:
                expected = honest(item) in honest(container)
            except TypeError:
                continue
            assert holds(item, container) is expected, (item, container)


def test_both_kinds_of_membership_are_rewritten_in_a_test() -> None:
    tree = ast.parse("found = ('a' in {'a': 1}, 'a' not in {'a': 1}, 'b' not in ['a'], 1 in range(2) in [range(2)])")
    compare_honestly(tree)
    names: dict[str, object] = {}
    exec(compile(tree, "test", "exec"), names)
    assert names["found"] == (True, False, True, True)


def test_a_thousand_look_ups_in_a_large_vocabulary_cost_less_than_a_few_walks_of_it() -> None:
    vocabulary = {str(number): number for number in range(50_000)}

    def seconds(times: int, function: object) -> float:
        start = time.process_time()
        for _ in range(times):
            function()  # type: ignore[operator]
        return time.process_time() - start

    assert seconds(1000, lambda: holds("49999", vocabulary)) < 5 * seconds(10, lambda: honest(vocabulary)) + 0.05

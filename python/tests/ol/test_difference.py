"""Two values cut to what lies around their first difference."""

from __future__ import annotations

from ol.child.difference import describe


def lines(got: object, expected: object) -> tuple[str, str, str]:
    found = describe(got, expected)
    return found["expected"], found["got"], found["where"]


def test_short_lists_are_shown_whole() -> None:
    assert lines([0, 1], [1, 0]) == ("[1, 0]", "[0, 1]", "first difference at item 0")


def test_the_column_points_at_the_first_difference() -> None:
    found = describe([1, 22, 4], [1, 22, 3])
    assert found["expected"][found["column"]] == "3"
    assert found["got"][found["column"]] == "4"


def test_long_lists_are_cut_around_the_first_difference() -> None:
    expected = list(range(100))
    got = expected[:50] + [-1] + expected[51:]
    assert lines(got, expected) == (
        "[..., 46, 47, 48, 49, 50, 51, 52, 53, ...]   (100 items)",
        "[..., 46, 47, 48, 49, -1, 51, 52, 53, ...]   (100 items)",
        "first difference at item 50",
    )


def test_a_list_that_ends_early_says_so() -> None:
    assert lines([1, 2], [1, 2, 3]) == ("[1, 2, 3]", "[1, 2]", "first difference at item 2: got 2 items, expected 3")


def test_texts_are_cut_and_quoted_alike() -> None:
    assert lines("it's", 'it"s') == ("'it\"s'", "'it\\'s'", "first difference at character 2")
    expected, got, where = lines("a" * 100 + "b" + "c" * 100, "a" * 100 + "x" + "c" * 100)
    assert expected == "...'" + "a" * 28 + "x" + "c" * 27 + "'..."
    assert got == "...'" + "a" * 28 + "b" + "c" * 27 + "'..."
    assert where == "first difference at character 100"


def test_bytes_are_compared_byte_by_byte() -> None:
    assert lines(b"\xe3\x81", b"\xe3\x82") == ("b'\\xe3\\x82'", "b'\\xe3\\x81'", "first difference at byte 1")


def test_mappings_name_the_first_key() -> None:
    assert lines({"a": 1, "b": 2}, {"a": 1, "b": 3}) == (
        "{'b': 3, ... 1 more}",
        "{'b': 2, ... 1 more}",
        "first difference at key 'b'",
    )
    assert lines({}, {"a": 1})[2] == "key 'a' is missing"
    assert lines({"a": 1}, {})[2] == "key 'a' is too many"


def test_sets_name_what_is_missing_and_what_is_too_many() -> None:
    assert lines({1, 2}, {2, 3})[2] == "missing: {3}; too many: {1}"


def test_other_types_are_named() -> None:
    assert lines((1,), [1])[2] == "got a tuple, expected a list"
    assert lines(None, [1]) == ("[1]", "None", "got a NoneType, expected a list")


def test_a_repr_that_raises_does_not_stop_the_report() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError

    assert lines([Broken()], [1])[1] == "[<Broken, whose repr() raises RuntimeError>]"


def test_an_enormous_value_is_cut() -> None:
    assert len(describe("x" * 10**6, 3)["got"]) < 450

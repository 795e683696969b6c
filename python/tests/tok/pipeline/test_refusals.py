"""Refusals: every field that stands in the way is named, by its path and in full."""

import pytest

from tinyllm.tok.jsonfile import read_json
from tinyllm.tok.pipeline.refusals import Refusals


def refused(found, known, optional=(), where="part"):
    refusals = Refusals()
    assert refusals.fields(found, where, known, optional) == (not refusals.lines)
    return refusals.lines


def test_nothing_refused_raises_nothing():
    refusals = Refusals()
    assert refusals.fields({"type": "A", "size": 1}, "", {"type": ["A"], "size": None, "deep": None}, optional=["deep"])
    refusals.check()
    assert not refusals


def test_one_refusal_is_the_message():
    refusals = Refusals()
    refusals.add("decoder", 3, "an object")
    with pytest.raises(ValueError, match="^decoder is 3; it must be an object$"):
        refusals.check()


def test_several_refusals_stand_one_a_line():
    refusals = Refusals()
    refusals.add("a", 1, "2")
    refusals.add("b", "x", "null")
    with pytest.raises(ValueError) as error:
        refusals.check()
    assert str(error.value) == '2 fields stand in the way:\n  a is 1; it must be 2\n  b is "x"; it must be null'


def test_every_wrong_field_of_an_object_is_named():
    assert refused({"type": "A", "size": 1, "odd": None}, {"type": ["A"], "size": [2, 3], "deep": [True]}) == [
        "part.odd is null; this field is not known here",
        "part.size is 1; it must be 2 or 3",
        "part.deep is missing; it must be true",
    ]


def test_of_another_type_only_the_type_is_named():
    assert refused({"type": "B", "other": 1}, {"type": ["A"], "size": None}) == ['part.type is "B"; it must be "A"']


def test_zero_is_not_false_and_one_point_zero_is_not_one():
    assert refused({"a": 0, "b": 1.0}, {"a": [False], "b": [1]}) == [
        "part.a is 0; it must be false",
        "part.b is 1.0; it must be 1",
    ]


def test_what_is_no_object_is_said_to_be_none():
    assert refused([1], {}) == ["part is [1]; it must be an object"]
    assert refused(None, {}, where="") == ["the file is null; it must be an object"]


def test_a_repeated_key_is_named(tmp_path):
    path = tmp_path / "twice.json"
    path.write_text('{"size": 1, "size": 1}', encoding="utf-8")
    assert refused(read_json(path), {"size": None}) == ["part.size is there twice; a key may appear once"]


def test_a_pattern_is_shown_whole():
    pattern = "[^\\r\\n\\p{L}\\p{N}]?" * 50
    assert pattern.replace("\\", "\\\\") in refused({"Regex": pattern}, {})[0]


def test_what_is_refused_twice_is_told_once():
    refusals = Refusals()
    refusals.add("a", 1, "2")
    refusals.add("a", 1, "2")
    assert refusals.lines == ["a is 1; it must be 2"]

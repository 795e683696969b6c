"""The catalogue: what a wrong one is told, and that ours holds together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ol.catalog import Course
from ol.errors import OlError


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ('needs = ["T1"]\nnext', 'needs = ["T8"]\nnext', "T2 names T8, which is no module"),
        ("threshold = 0.60", "treshold = 0.60", "module T2 has the unknown key 'treshold'"),
        (
            'contracts = ["contracts/py/toy/one.pyi"]',
            "contracts = []\nstubs = ['a', 'b']",
            "module T1 needs one of its stubs for each of its files",
        ),
        (
            'solutions = ["labs/one/solution.py"]',
            'solutions = ["labs/one/solution.py"]\nreference = "reference/lab"',
            "module lab has both solutions and a reference",
        ),
        ('kind = "unit", checks = "twice', 'kid = "unit", checks = "twice', "unexpected keyword argument 'kid'"),
        ("[course]", "[course", "cannot be read"),
    ],
)
def test_a_wrong_catalogue_is_refused_by_name(desk: Any, old: str, new: str, complaint: str) -> None:
    path = desk.course / "course.toml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(OlError, match="course.toml") as caught:
        Course.load(desk.course)
    assert complaint in str(caught.value)


def test_needs_are_found_through_other_needs_in_course_order(desk: Any) -> None:
    course = Course.load(desk.course)
    assert [need.id for need in course.all_needs(course.module("T9"))] == ["T1", "T2"]


def test_without_a_folder_the_course_is_the_one_that_ol_came_with() -> None:
    course = Course.load()
    assert (course.path / "course.toml").is_file()
    assert course.library == Path(__file__).resolve().parents[2]
    assert list(course.modules)[:4] == ["L1.1", "M05.2", "M06.2", "L1.2"]


def test_every_given_file_exists() -> None:
    course = Course.load()
    assert all((course.library / file).is_file() for file in course.given)

"""A module with a plain reference: what is judged by which files, and what students meet of the library."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ol.catalog import Course
from ol.errors import OlError
from ol.mutants import load_mutants
from ol.stage import library_sources, other_implementations, reference_sources

TOTAL, OWN = "python/toy/total.py", "python/tests/t3/test_total.py"
LIBRARY_OF_T3 = [
    "python/toy/one.py",
    "python/toy/rooms/__init__.py",
    "python/toy/rooms/adding.py",
    "python/toy/rooms/digits.py",
    "python/toy/rooms/words.py",
    "python/toy/total.py",
]


@pytest.fixture
def done(desk: Any) -> Any:
    """A repo in which T1 and T3 are done."""
    desk.done("T1", "T3")
    return desk


def test_the_reference_of_a_module_is_its_own_file_or_else_the_librarys(desk: Any) -> None:
    course = Course.load(desk.course)
    t1, t3 = course.module("T1"), course.module("T3")
    assert course.reference_file(t3, "toy/total.py") == course.path / "reference/T3/toy/total.py"
    assert course.reference_file(t1, "toy/one.py") == course.library / "toy/one.py"


def test_a_module_is_judged_by_what_its_student_has_and_nothing_more(desk: Any) -> None:
    course = Course.load(desk.course)
    sources = reference_sources(course, course.module("T3"))
    assert sorted(sources) == ["python/toy/given.py", "python/toy/one.py", TOTAL]
    assert b"The plain reference of T3" in sources[TOTAL].content
    assert sources[TOTAL].shown == "python/toy/total.py (the reference's)"


def test_the_library_is_staged_with_exactly_the_files_that_it_imports(desk: Any) -> None:
    course = Course.load(desk.course)
    sources = library_sources(course, [course.module("T3")])
    assert sorted(sources) == LIBRARY_OF_T3
    assert sources[TOTAL].shown == "python/toy/total.py (the library's)"
    assert sources["python/toy/one.py"].shown == "python/toy/one.py (the library's)"


def test_the_other_correct_implementations_are_the_library_and_the_wheats(desk: Any) -> None:
    course = Course.load(desk.course)
    assert list(other_implementations(course, course.module("T3"))) == ["the library", "wheats/T3"]
    assert list(other_implementations(course, course.module("T2"))) == ["wheats/T2"]
    assert list(other_implementations(course, course.module("T1"))) == []


def test_own_tests_must_pass_on_reference_library_and_wheat(done: Any) -> None:
    result = done.ol("check", "T3")
    assert result.code == 0, result.out
    assert "your tests     1 test, passes on 3 correct implementations" in result.out
    assert "checkout" not in result.out


def test_a_test_that_only_the_library_fails_is_too_narrow(done: Any) -> None:
    done.write(OWN, "import toy.total\n\n\ndef test_bare():\n    assert not hasattr(toy.total, 'adding')\n")
    result = done.ol("check", "T3")
    assert result.code == 1
    assert "test_bare fails on another correct implementation" in " ".join(result.out.split())


def test_the_rooms_of_the_library_are_not_offered_to_the_student(done: Any) -> None:
    done.write(TOTAL, (done.library / "toy/total.py").read_text())
    for arguments in (["check", "T3"], ["check", "T3", "--ref-deps"]):
        result = done.ol(*arguments)
        assert result.code == 1
        assert "ModuleNotFoundError: No module named 'toy.rooms'" in result.out


def test_a_later_module_gets_the_library_from_ref_deps_with_names_beyond_the_required(done: Any) -> None:
    catalogue = done.course / "course.toml"
    entry = '[module.T4]\ntitle = "Words"\nfiles = ["toy/said.py"]\nneeds = ["T3"]\ntests = "tests/T4"\n'
    row = 'test = [{ name = "test_said", kind = "unit", checks = "the words", why = "they are read" }]\n'
    catalogue.write_text(catalogue.read_text() + entry + row)
    test = "from toy.said import said\n\n\ndef test_said():\n    assert said([3, 1]) == 'eight'\n"
    (done.course / "tests" / "T4").mkdir()
    (done.course / "tests" / "T4" / "test_said.py").write_text(test)
    done.write("python/toy/said.py", "def said(values):\n    from toy.total import shown\n\n    return shown(values)\n")
    assert "cannot import name 'shown'" in done.ol("check", "T4").out
    assert done.ol("check", "T4", "--ref-deps").code == 0


def test_diff_shows_the_plain_reference_and_where_the_library_is(done: Any) -> None:
    done.edit(TOTAL, "result += double(value)", "result = result + double(value)")
    result = done.ol("diff", "T3", "--anyway")
    assert "-        result = result + double(value)\n+        result += double(value)\n" in result.out
    assert result.out.split("\n")[-3] == f"the library does the same fast: {done.library}/toy/total.py"
    assert "the library" not in done.ol("diff", "T1", "--anyway").out


def test_in_the_courses_own_checkout_the_plain_reference_is_judged_and_named(desk: Any) -> None:
    checkout = desk.library.parent
    result = desk.ol("check", "T3", cwd=checkout)
    assert result.code == 0
    assert result.out.split("\n")[1:3] == [
        "    course/reference/T3/toy/total.py",
        "    in the course's own checkout this is the plain reference, not the library",
    ]
    assert "passes on 3 correct implementations" in result.out
    assert "the library does the same fast: python/toy/total.py\n" in desk.ol("diff", "T3", cwd=checkout).out


def test_json_says_what_was_judged(desk: Any) -> None:
    checkout = desk.library.parent
    desk.done("T1")
    judged = {
        (module, folder): json.loads(desk.ol("check", module, "--json", "-k", "test", cwd=folder).out)["judged"]
        for module, folder in (("T3", checkout), ("T1", checkout), ("T1", desk.repo))
    }
    assert list(judged.values()) == ["plain reference", "repo", "repo"]


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("through = [", "also = [", "mutant m1: `through` must list one"),
        ('call = "total", ', "", "mutant m1: `through` must list one"),
        ('call = "total"', 'call = " "', "mutant m1: `through` must list one"),
        ('call = "total"', 'call = "total", more = 1', "mutant m1: `through` must list one"),
        ('call = "average"', 'call = "total"', "mutant m1: a call is there twice in `through`"),
        ("title =", "titel =", "unexpected keyword argument 'titel'"),
    ],
)
def test_a_wrong_list_of_mutants_is_refused_by_name(desk: Any, old: str, new: str, complaint: str) -> None:
    path = desk.course / "mutants" / "T3.toml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    course = Course.load(desk.course)
    with pytest.raises(OlError, match="the course is broken: .*T3.toml") as caught:
        load_mutants(course, course.module("T3"))
    assert complaint in str(caught.value)

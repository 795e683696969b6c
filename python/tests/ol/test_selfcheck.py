"""The course's check of itself: each kind of damage is found, and named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def selfcheck(desk: Any, *modules: str) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "ol.selfcheck", *modules],
        env=desk.environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.stderr == ""
    assert desk.left_behind() == []
    return ended.returncode, ended.stdout


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_a_whole_course_has_no_failure(desk: Any) -> None:
    code, out = selfcheck(desk)
    assert code == 0
    assert out.endswith("77 checks, 0 failed\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "file, old, new, complaint",
    [
        (
            "course/course.toml",
            '"test_add_appends", kind',
            '"test_add", kind',
            "T2      the catalogue names exactly the 6 tests there are: test_add, test_add_appends",
        ),
        ("course/hints/T2.md", "### Level 3\nCall", "### Call", "T2      hints exist, three levels each"),
        ("course/hints/T2.md", "## 2. Doubling", "## 3. Doubling", "hints/T2.md is not numbered 1, 2, 3"),
        (
            "python/toy/two.py",
            "*, reverse: bool = False",
            "*, back: bool = False",
            "keeps its contract, the optional part too: Tally.read() has no parameter `reverse`",
        ),
        ("python/toy/parse.py", "return []", "return [0]", "T2      the reference passes the 6 course tests"),
        (
            "course/wheats/T2/toy/parse.py",
            "numbers.append(int(part))",
            "numbers.append(abs(int(part)))",
            "wheats/T2 passes the 6 course tests",
        ),
        (
            "course/mutants/T2.toml",
            'find = "        return []"',
            'find = "return"',
            "m2 applies exactly once and is Python",
        ),
        (
            "course/mutants/T2.toml",
            'replace = "        return [0]"',
            'replace = "        return list()"',
            "m2 differs through parse: both give []",
        ),
        (
            "course/mutants/T2.toml",
            'replace = "        return [0]"',
            'replace = "        return ["',
            "m2 applies exactly once and is Python",
        ),
        (
            "course/mutants/T2.toml",
            'killed_by = "test_parse_refuses_letters"',
            'killed_by = "test_add_appends"',
            "m3 is killed by test_add_appends",
        ),
        (
            "course/mutants/T2.toml",
            'killed_by = "test_parse_refuses_letters"',
            'killed_by = "test_nothing"',
            "m3 names the course test that kills it: test_nothing",
        ),
        (
            "python/tests/t2/test_two.py",
            'parse("12,-3") == [12, -3]',
            'parse("1,3") == [1, 3]',
            "m1 is killed by the model suite: survived",
        ),
        (
            "python/tests/t2/test_two.py",
            'parse("12,-3") == [12, -3]',
            'parse("12,-3") == []',
            "the reference passes the model suite",
        ),
    ],
)
def test_damage_is_found_and_named(desk: Any, file: str, old: str, new: str, complaint: str) -> None:
    edit(desk.course.parent / file, old, new)
    desk.keep_one_mutant(complaint.partition(" ")[0])
    code, out = selfcheck(desk, "T2")
    assert code == 1
    assert any(line.startswith("FAIL") and complaint in line for line in out.splitlines()), out


def test_a_stub_that_passes_is_found(desk: Any) -> None:
    edit(desk.course / "tests" / "T1" / "test_one.py", 'assert double(21) == 42, "twice 21 is 42"', "assert double")
    code, out = selfcheck(desk, "T1")
    assert code == 1
    assert "FAIL T1      the stub is Python, and the course tests fail on it: all tests pass" in out


def test_a_missing_file_is_found(desk: Any) -> None:
    (desk.course / "chapters" / "T1.md").unlink()
    code, out = selfcheck(desk, "T1")
    assert code == 1
    assert "FAIL T1      every file that the catalogue names is there: chapters/T1.md" in out


def test_damage_of_a_module_with_a_plain_reference_is_found_and_named(desk: Any) -> None:
    edit(
        desk.course / "reference/T3/toy/total.py",
        "def average",
        "def late() -> None:\n    import toy.rooms\n\n\ndef average",
    )
    edit(desk.library / "toy/total.py", "def shown(", "def spelled_out(")
    mutants = desk.course / "mutants" / "T3.toml"
    edit(mutants, "average([1, 1])", "average([1, 2])")
    edit(mutants, "import total\\ntotal([1, 1])", "import average\\naverage([1, 1])")
    code, out = selfcheck(desk, "T3")
    assert code == 1
    for complaint in (
        "the reference imports only the standard library, what is given and what it needs: toy/total.py imports toy.rooms",
        "the library keeps its contract, the optional part too: shown() is missing",
        "m1 differs through total: its witness does not call total",
        "m1 differs through average: both give 3.0",
    ):
        assert f"FAIL T3      {complaint}" in out, out


def test_a_library_that_is_missing_is_found(desk: Any) -> None:
    (desk.library / "toy" / "total.py").unlink()
    code, out = selfcheck(desk, "T3")
    assert code == 1
    assert out.startswith("FAIL T3      every file that the catalogue names is there: ")
    assert out.endswith("/toy/python/toy/total.py\n1 checks, 1 failed\n")

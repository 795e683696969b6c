"""`ol start`: what it makes, that it never touches what is there, and that what it makes works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def test_an_empty_folder_becomes_a_repo(desk: Any) -> None:
    result = desk.ol("start", "T2")
    assert result.code == 0
    assert set(desk.files()) == {
        "pyproject.toml",
        "python/toy/parse.py",
        "python/toy/two.py",
        "python/tests/t2/test_two.py",
    }
    assert "new   pyproject.toml" in result.out
    assert "T2 builds on T1, which you have not built" in result.out
    assert "All tests fail now; that is the right start.\n" in result.out
    assert result.last == "Next: ol tests T2"
    assert not (desk.repo / ".ol").exists()


def test_a_second_run_changes_nothing(desk: Any) -> None:
    desk.ol("start", "T2")
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(desk.repo.rglob("*"))}
    result = desk.ol("start", "T2")
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(desk.repo.rglob("*"))} == before
    assert result.code == 0
    assert "nothing to do" in result.out and "new " not in result.out


def test_what_a_student_wrote_is_kept_and_what_is_missing_is_made(desk: Any) -> None:
    desk.done()
    desk.write("python/toy/two.py", "MINE = True\n")
    result = desk.ol("start", "T2")
    assert desk.files()["python/toy/two.py"] == b"MINE = True\n"
    assert "kept  python/toy/two.py   yours, not touched" in result.out
    assert "new   python/toy/parse.py" in result.out
    assert "All tests fail now" not in result.out


def test_a_pyproject_without_the_table_is_the_students_and_stays(desk: Any) -> None:
    desk.write("pyproject.toml", '[project]\nname = "mine"\n')
    result = desk.ol("start", "T1")
    assert result.code == 2
    assert "has no [tool.ol] table: add a line [tool.ol] to it" in result.err and result.err.count("\n") == 1
    assert desk.files() == {"pyproject.toml": b'[project]\nname = "mine"\n'}


def test_the_root_is_the_nearest_parent_with_the_table(desk: Any) -> None:
    desk.done()
    inner = desk.write("deep/down/pyproject.toml", "[tool.other]\n").parent
    assert desk.ol("start", "T1", cwd=inner).code == 0
    assert (desk.repo / "python/toy/one.py").is_file()


def test_a_folder_in_the_way_is_named(desk: Any) -> None:
    desk.done()
    (desk.repo / "python/toy/one.py").mkdir(parents=True)
    result = desk.ol("start", "T1")
    assert (result.code, result.err) == (2, f"ol: {desk.repo}/python/toy/one.py is in the way: a file belongs there\n")


def test_stubs_are_python_that_can_be_imported(desk: Any) -> None:
    desk.ol("start", "T1")
    desk.ol("start", "T2")
    script = "import toy.one, toy.two; toy.two.Tally()"
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=desk.repo / "python",
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": "."},
    )
    assert ended.stderr.rstrip().endswith("NotImplementedError")


def test_a_stub_keeps_signatures_decorators_docstrings_and_leaves_the_optional_part_out(desk: Any) -> None:
    desk.ol("start", "T2")
    assert (
        desk.files()["python/toy/two.py"].decode()
        == '''"""T2: a tally of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self


class Tally:
    """Numbers in the order in which they came.

    values  the numbers
    """

    values: list[int]

    def __init__(self, values: Iterable[int] = ()) -> None:
        raise NotImplementedError

    @classmethod
    def read(cls, text: str) -> Self:
        """The tally of a text that `parse` reads."""
        raise NotImplementedError

    def add(self, value: int) -> None:
        """Put one number at the end."""
        raise NotImplementedError

    def doubled(self) -> list[int]:
        """Every number, doubled."""
        raise NotImplementedError
'''
    )


def test_the_test_file_lists_what_to_write_and_fails_until_it_is_written(desk: Any) -> None:
    desk.ol("start", "T2")
    text = desk.files()["python/tests/t2/test_two.py"].decode()
    assert (
        'def test_parse() -> None:\n    """"1,2" is [1, 2], and "" is []."""\n    raise NotImplementedError\n' in text
    )
    assert text.count("raise NotImplementedError") == 4


def test_plain_pytest_in_the_repo_tests_the_students_code(desk: Any) -> None:
    desk.ol("start", "T1")
    desk.write("python/toy/one.py", "def double(number):\n    return 'mine'\n")
    desk.write(
        "python/tests/test_mine.py",
        "from toy.one import double\n\n\ndef test_mine():\n    assert double(1) == 'mine'\n",
    )
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # The reference is installed, as it is for a student: behind the repo's own folder on the path.
    ended = subprocess.run(
        ["pytest", "-q"],
        cwd=desk.repo,
        capture_output=True,
        text=True,
        env=kept | {"PYTHONPATH": str(desk.library), "PATH": _bin()},
    )
    assert "1 passed" in ended.stdout, ended.stdout + ended.stderr


def test_what_is_not_built_comes_from_the_installed_half_of_the_namespace(desk: Any) -> None:
    desk.ol("start", "T1")
    desk.write("python/toy/one.py", "def double(number):\n    return 'mine'\n")
    script = "import sys; sys.path.insert(0, 'python'); from toy.two import Tally; print(Tally([1]).doubled())"
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=desk.repo,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(desk.library)},
    )
    assert ended.stdout == "['mine']\n", ended.stderr


def test_an_init_file_that_hides_the_installed_half_is_warned_of(desk: Any) -> None:
    desk.done()
    desk.write("python/toy/__init__.py", "")
    result = desk.ol("start", "T1")
    assert result.code == 0
    assert "warning: python/toy/__init__.py makes your folder the whole package" in result.out
    assert (desk.repo / "python/toy/__init__.py").exists()


def test_ways_to_import_are_printed_and_an_editable_install_is_not_among_them(desk: Any) -> None:
    out = desk.ol("start", "T1").out
    assert "export PYTHONPATH=python" in out
    assert 'import sys; sys.path.insert(0, "python")' in out
    assert "pip install -e" not in out


def test_a_lab_brings_its_stub_and_its_tests_but_not_its_solution(desk: Any) -> None:
    assert desk.ol("start", "lab").code == 0
    assert set(desk.files()) == {"pyproject.toml", "labs/one/lab.py", "labs/one/test_lab.py"}
    assert desk.ol("check", "lab").code == 1
    desk.edit("labs/one/lab.py", "raise NotImplementedError", "return 42")
    desk.write("labs/one/test_lab.py", "def test_answer():\n    pass\n")
    assert desk.ol("check", "lab").code == 0
    desk.edit("labs/one/lab.py", "return 42", "return 41")
    assert desk.ol("check", "lab").code == 1


def test_in_the_courses_own_checkout_everything_is_there(desk: Any) -> None:
    before = sorted(desk.library.parent.rglob("*"))
    result = desk.ol("start", "T2", cwd=desk.library.parent)
    assert result.code == 0
    assert "nothing to do: everything is there" in result.out
    assert sorted(desk.library.parent.rglob("*")) == before


def test_a_later_module_cannot_be_started(desk: Any) -> None:
    result = desk.ol("start", "T9")
    assert (result.code, result.err) == (2, "ol: T9 (Not yet) is not in this course yet\n")
    assert desk.files() == {}


def _bin() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

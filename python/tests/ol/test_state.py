"""What is remembered is what was judged; what lies in the repo, or is missing on the disk, costs no verdict and no wait."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ONE, TWO, OWN = "python/toy/one.py", "python/toy/two.py", "python/tests/t2/test_two.py"


def state(desk: Any) -> dict[str, Any]:
    return json.loads((desk.repo / ".ol" / "state.json").read_text())


def one_line_and_a_next_step(result: Any) -> None:
    assert result.code == 2, result.out + result.err
    assert result.err.startswith("ol: ") and result.err.count("\n") == 1, result.err
    assert result.last.startswith("Next: "), result.out


SAVED = "from pathlib import Path\n\nPath({path!r}).write_text('broken')\n"


def test_a_file_saved_during_the_check_has_not_passed(finished: Any) -> None:
    right = finished.write(ONE, (finished.repo / ONE).read_text() + SAVED.format(path=str(finished.repo / ONE)))
    passed = right.read_text()
    result = finished.ol("check", "T1")
    assert (result.code, right.read_text()) == (0, "broken"), result.out + result.err
    assert "changed since it passed" in finished.ol("list").out
    right.write_text(passed)
    assert "T1" in finished.ol("list").out
    assert "changed since it passed" not in finished.ol("list").out


def test_an_own_test_saved_during_the_check_has_not_passed(finished: Any) -> None:
    finished.keep_one_mutant()
    path = finished.repo / OWN
    path.write_text(
        path.read_text() + f"\n\ndef test_saves():\n    __import__('pathlib').Path({str(path)!r}).write_text('#')\n"
    )
    assert finished.ol("check", "T2").code == 0
    assert path.read_text() == "#"
    assert "changed since it passed" in finished.ol("list").out


def test_a_helper_or_a_data_file_of_own_tests_that_changed_has_not_passed(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.edit(TWO, "from toy.one import double", "from .helpers import double")
    finished.write("python/toy/helpers.py", "from .one import double\n")
    finished.write("python/tests/t2/data.txt", "1 2\n")
    assert finished.ol("check", "T2").code == 0
    assert "changed since it passed" not in finished.ol("list").out
    for path, text in (("python/toy/helpers.py", "from .one import double\n"), ("python/tests/t2/data.txt", "1 2\n")):
        finished.write(path, text + "\n")
        assert "changed since it passed" in finished.ol("list").out, path
        finished.write(path, text)
    assert "changed since it passed" not in finished.ol("list").out


def test_a_linked_test_file_which_is_not_taken_along_does_not_undo_a_pass(finished: Any) -> None:
    finished.keep_one_mutant()
    (finished.repo / "python/tests/t2/test_linked.py").symlink_to(
        finished.write("elsewhere.py", "def test():\n    pass\n")
    )
    result = finished.ol("check", "T2")
    assert result.code == 0
    assert "python/tests/t2/test_linked.py is a link and not taken along" in result.out
    assert "changed since it passed" not in finished.ol("list").out


DAMAGED = {
    "cut short": b'{"modules": {"T1": {"pas',
    "empty": b"",
    "no UTF-8": b"\xff\xfe",
    "nested too deep": b"[" * 100_000,
    "a list": b"[]",
    "a module that is a number": b'{"modules": {"T1": 5}, "hints": {}}',
    "a last that is a text": b'{"modules": {"T1": {"last": "x"}}, "hints": {}}',
    "counts that are none": b'{"modules": {"T1": {"last": {"passed": "1", "total": 2, "files": {}}}}, "hints": {}}',
    "files that are none": b'{"modules": {"T1": {"passed": [1]}}, "hints": {}}',
    "a hint that is a text": b'{"modules": {}, "hints": {"T1/1": "x"}}',
}


@pytest.mark.parametrize(
    "content",
    [pytest.param(case, id=id, marks=[pytest.mark.slow] * (n >= 2)) for n, (id, case) in enumerate(DAMAGED.items())],
)
def test_a_damaged_state_is_one_line_and_the_verdict_mends_it(finished: Any, content: bytes) -> None:
    (finished.repo / ".ol").mkdir()
    (finished.repo / ".ol" / "state.json").write_bytes(content)
    for arguments in (("list",), ("hint", "T1", "1", "--level", "1"), ("check", "T1")):
        result = finished.ol(*arguments)
        assert result.code == 0, result.out + result.err
        if arguments[0] != "hint":
            assert result.err.startswith("ol: .ol/state.json cannot be read, so what had passed here is forgotten (")
            assert result.err.count("\n") == 1
    assert set(state(finished)["modules"]) == {"T1"}
    assert finished.ol("list").err == ""


def a_folder(path: Path) -> None:
    path.mkdir()


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


THINGS = {"a folder": a_folder, "a link that leads nowhere": a_dangling_link, "a pipe": os.mkfifo}


@pytest.mark.parametrize("what", THINGS)
def test_what_is_called_a_test_file_and_is_none_is_named(finished: Any, what: str) -> None:
    THINGS[what](finished.repo / "python/tests/t2/test_x.py")
    result = finished.ol("check", "T2")
    one_line_and_a_next_step(result)
    assert result.err.startswith(f"ol: python/tests/t2/test_x.py is {what}")
    assert result.last == "Next: move python/tests/t2/test_x.py away, then run ol again"


@pytest.mark.parametrize("what", THINGS)
@pytest.mark.slow
@pytest.mark.parametrize("name", [".ol/state.json", "pyproject.toml", ONE])
def test_what_has_the_name_of_a_file_and_is_none_keeps_nobody_waiting(finished: Any, what: str, name: str) -> None:
    path = finished.repo / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    THINGS[what](path)
    for arguments in (("check", "T1"), ("list",), ("start", "T1"), ("hint", "T1", "1")):
        result = finished.ol(*arguments)
        assert "should not have happened" not in result.err
        assert result.err.count("\n") <= 2, result.err
        assert result.code == 0 or result.last.startswith("Next: "), result.out + result.err


BAD = {
    "no TOML": b"[tool.ol\n",
    "no UTF-8": b"[tool.ol]\nname = '\xff'\n",
    "another spelling": b"[ tool . ol ]\nx = \n",
    "nested too deep": b"[tool.ol]\nx = " + b"[" * 100_000,
}


@pytest.mark.parametrize(
    "content",
    [pytest.param(case, id=id, marks=[pytest.mark.slow] * (n >= 2)) for n, (id, case) in enumerate(BAD.items())],
)
def test_a_bad_pyproject_is_one_line_and_a_next_step(finished: Any, content: bytes) -> None:
    (finished.repo / "pyproject.toml").write_bytes(content)
    for arguments in (("check", "T1"), ("list",), ("start", "T1")):
        result = finished.ol(*arguments)
        one_line_and_a_next_step(result)
        assert f"{finished.repo / 'pyproject.toml'} cannot be read: " in result.err
        assert result.last == "Next: mend it, then run ol again"


@pytest.mark.parametrize("content", ["tool = 5\n", "tool = 'ol'\n", "[tool]\nol = 5\n", "[tool.other]\n", "x = [\n"])
def test_a_pyproject_of_somebody_elses_is_no_workspace(finished: Any, content: str) -> None:
    finished.write("pyproject.toml", content)
    result = finished.ol("check", "T1")
    one_line_and_a_next_step(result)
    assert "this folder is no workspace" in result.err


def test_an_outcome_that_cannot_be_stored_keeps_its_verdict(finished: Any) -> None:
    finished.write(".ol", "in the way\n")
    result = finished.ol("check", "T1")
    assert result.code == 0
    assert "PASSED  T1 is done." in result.out
    assert (
        result.err.startswith(f"ol: not stored: {finished.repo / '.ol'} cannot be written (")
        and result.err.count("\n") == 1
    )
    finished.edit(ONE, "number * FACTOR", "number * FACTOR + 1")
    assert finished.ol("check", "T1").code == 1


def test_a_repo_that_cannot_be_written_shows_hints(finished: Any) -> None:
    finished.write(".ol", "in the way\n")
    result = finished.ol("hint", "T1", "1")
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert result.out == finished.ol("hint", "T1", "1", "--level", "1").out
    assert "not stored" in result.err

"""Where the process that runs student code cannot start, nobody is blamed: exit 2, and its last line. Where it can, it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ol.sandbox import import_path

PYTHON = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has no packages of its own."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def packages(folder: Path, *, without: str = "") -> str:
    """Our own modules, and a folder of links to all installed packages but one."""
    folder.mkdir()
    for path in Path(pytest.__file__).parents[1].iterdir():
        if path.name != without and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return f"{PYTHON}{os.pathsep}{folder}"


def run(desk: Any, python: Path, path: str, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    environment = desk.environment(PYTHONPATH=path, **extra)
    command = [str(python), "-m", "ol.cli", *arguments]
    return subprocess.run(command, cwd=desk.repo, env=environment, capture_output=True, text=True, timeout=120)


def test_packages_on_pythonpath_are_those_of_the_child_too(finished: Any, bare: Path, tmp_path: Path) -> None:
    ended = run(finished, bare, packages(tmp_path / "packages"), "check", "T1")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_an_environment_without_pytest_is_named_and_nobody_is_blamed(finished: Any, bare: Path, tmp_path: Path) -> None:
    ended = run(finished, bare, packages(tmp_path / "packages", without="pytest"), "check", "T1")
    assert ended.returncode == 2
    assert ended.stderr == "ol: the tests could not be started: ModuleNotFoundError: No module named 'pytest'\n"
    assert ended.stdout.startswith("Next: mend that (your code was not reached; it runs with ")


def test_what_is_the_students_is_not_on_the_childs_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("repo/python", "repo/.venv/packages", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    repo = tmp_path / "repo"
    theirs = ["", "python", ".", str(tmp_path / "elsewhere"), str(repo), f"{repo}/python/", f"{repo}/.venv/../python"]
    monkeypatch.setattr(sys, "path", [*theirs, str(repo / ".venv/packages"), "/usr/lib/python"])
    assert import_path(repo) == [str(repo / ".venv/packages"), "/usr/lib/python"]


def test_a_temporary_folder_that_cannot_be_written_is_one_line(finished: Any, tmp_path: Path) -> None:
    limited = (
        "import resource, signal, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY)); "
        "sys.argv = ['ol', 'check', 'T1']; from ol.cli import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-B", "-c", limited],
        cwd=finished.repo,
        env=finished.environment(),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stderr == f"ol: the temporary folder {finished.temporary} cannot be written: File too large\n"
    assert ended.stdout == "Next: make room there, or name another folder in TMPDIR, then run ol again\n"
    assert finished.left_behind() == []


@pytest.mark.parametrize(
    "name",
    ["a [b] c", *(pytest.param(some, marks=pytest.mark.slow) for some in ("[x]", "semi;colon", "two::colons", "日本"))],
)
def test_any_name_of_the_temporary_folder_works(finished: Any, tmp_path: Path, name: str) -> None:
    finished.keep_one_mutant()
    (tmp_path / name).mkdir()
    result = finished.ol("check", "T2", TMPDIR=str(tmp_path / name))
    assert result.code == 0, result.out + result.err


def test_code_that_changes_the_current_folder_at_import_is_judged(finished: Any) -> None:
    path = finished.repo / "python/toy/one.py"
    path.write_text(path.read_text() + "\n\nimport os\n\nos.chdir('/')\n")
    assert finished.ol("check", "T1").code == 0

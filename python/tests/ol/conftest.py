"""A toy course and a student's repo, both fresh in a temporary folder, and `ol` as a real process on them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

collect_ignore = ["toy"]  # its tests are material, not ours

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parents[1]


@dataclass(frozen=True)
class Outcome:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        """The last line of standard output."""
        return self.out.rstrip("\n").rpartition("\n")[2]


class Desk:
    """A student's repo on the toy course, and a place for temporary files that must be empty after every command."""

    def __init__(self, folder: Path) -> None:
        self.course = folder / "toy" / "course"
        self.library = folder / "toy" / "python"
        self.repo = folder / "repo"
        self.temporary = folder / "temporary"
        shutil.copytree(HERE / "toy", folder / "toy", ignore=shutil.ignore_patterns("__pycache__", ".ol"))
        self.temporary.mkdir()
        self.repo.mkdir()

    def done(self, *modules: str) -> None:
        """Put the reference's files, and its tests, into the repo: a student who has finished."""
        (self.repo / "pyproject.toml").write_text("[tool.ol]\n")
        files = {"T1": ["toy/one.py"], "T2": ["toy/parse.py", "toy/two.py"], "T3": ["toy/total.py"]}
        tests = {"T2": ["tests/t2/test_two.py"], "T3": ["tests/t3/test_total.py"]}
        for module in modules:
            folder = self.course / "reference" / "T3" if module == "T3" else self.library
            for name in files[module]:
                self.write(f"python/{name}", (folder / name).read_text())
            for name in tests.get(module, ()):
                self.write(f"python/{name}", (self.library / name).read_text())

    def write(self, name: str, text: str) -> Path:
        """Write a file of the repo."""
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace one place in a file of the repo."""
        text = (self.repo / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} must occur once in {name}"
        self.write(name, text.replace(old, new))

    def keep_one_mutant(self, id: str = "m1") -> None:
        """Leave the mutant `id`, or else the first: where they do not matter, the others would only take time."""
        path = self.course / "mutants" / "T2.toml"
        entries = path.read_text().split("[[mutant]]")[1:]
        kept = [entry for entry in entries if f'id = "{id}"' in entry] or entries[:1]
        path.write_text("[[mutant]]" + kept[0])

    def environment(self, **extra: str) -> dict[str, str]:
        """The environment of a command: the toy course, our `ol`, 80 columns."""
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")}
        return (
            kept
            | {"PYTHONPATH": str(PYTHON), "OL_COURSE": str(self.course), "TMPDIR": str(self.temporary), "COLUMNS": "80"}
            | extra
        )

    def ol(self, *arguments: str, cwd: Path | None = None, **extra: str) -> Outcome:
        """Run `ol` and wait for it."""
        ended = subprocess.run(
            [sys.executable, "-m", "ol.cli", *arguments],
            cwd=cwd or self.repo,
            env=self.environment(**extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            timeout=120,
        )
        return Outcome(ended.returncode, ended.stdout, ended.stderr)

    def started(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        """Start `ol` and go on. It can be interrupted even where our own parent ignores interrupts."""
        return subprocess.Popen(
            [sys.executable, "-m", "ol.cli", *arguments],
            cwd=self.repo,
            env=self.environment(**extra),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def files(self) -> dict[str, bytes]:
        """All files of the repo but the runner's own notes."""
        paths = (path for path in self.repo.rglob("*") if path.is_file() and ".ol" not in path.parts)
        return {str(path.relative_to(self.repo)): path.read_bytes() for path in paths}

    def left_behind(self) -> list[str]:
        """Temporary files, and (on Linux) processes, that commands of this desk left behind."""
        return [str(path) for path in self.temporary.iterdir()] + self.processes()

    def processes(self) -> list[str]:
        """Processes whose home lies in this desk's temporary folder."""
        found = []
        mark = f"HOME={self.temporary}".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append(f"process {entry.name}")
            except OSError:
                continue
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A toy course and an empty repo."""
    return Desk(tmp_path)


@pytest.fixture
def finished(desk: Desk) -> Desk:
    """A toy course and a repo in which T1 and T2 are done."""
    desk.done("T1", "T2")
    return desk

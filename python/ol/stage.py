"""A stage: the one folder in which code is judged, laid anew for every run.

It mirrors a repo: `python/...` holds exactly the files that are judged, the modules they need and the given ones; every
folder there is a package (its `__init__.py` is empty where the sources have none), which shuts out whatever is installed.
`course/tests/...` holds pristine course tests, `course/fixtures/...` what they read. `runner/` is the runner's own.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import shutil
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from .catalog import Course, Limits, Module
from .disguise import disguised
from .errors import OlError
from .files import read_file
from .imports import needed_files
from .output import all_printable
from .sandbox import Ended, Workshop, interpreter

_CHILD = Path(__file__).resolve().parent / "child"
# Limits are of processor time. A run, or a test, that uses none (it sleeps) is ended by the clock: after four times its limit,
# and not before these many seconds, since a machine that is shared may stand still for ten.
_WALL, _RUN_AT_LEAST, _TEST_AT_LEAST = 4, 60.0, 15.0
_MEND = f"mend that (your code was not reached; it runs with {sys.executable}), then run ol check again"
_ROOM = 1 << 20  # bytes: a disk with less is full
_TIME = 1_000_000_000  # of every file's last change: it tells no order
_START = (
    "import sys; runner, job = sys.argv[1:]; sys.path.insert(0, runner); from ol_child import run; "
    "sys.path[:] = [entry for entry in sys.path if entry not in ('', runner)]; run.main(job)"
)
_CANARIES = """import pytest


class Anything:
    def __eq__(self, other):
        return True


def {0}():
    assert 1 + 1 == 3


def {1}():
    assert Anything() == 1


def {2}():
    with pytest.raises(ValueError):
        pass
"""


@dataclass(frozen=True)
class Source:
    """A file for a stage, and the path by which people know it."""

    content: bytes
    shown: str


Sources = dict[str, Source]  # path in the stage -> file


@dataclass(frozen=True)
class Run:
    """What came of one run: how the process ended and the runner's own report of it."""

    ended: Ended
    records: list[dict[str, Any]]
    canaries: list[str]
    folder: Path
    sources: Sources = field(repr=False)
    limit: float = 0.0  # seconds of processor time
    wall: float = 0.0  # seconds by the clock
    import_wall: float = 0.0  # seconds by the clock for the imports of what is judged
    where: str = ""  # the stack at a time-out or a crash, as faulthandler writes it
    changed: tuple[str, ...] = ()  # files of the course that are not, after the run, what was laid there

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The records of one kind, in order."""
        return [record for record in self.records if record["kind"] == kind]

    @property
    def timed_out(self) -> bool:
        """Did a limit of time end the run: its clock, its processor time, or the limit for an import?"""
        return bool(self.limit_met)

    @property
    def limit_met(self) -> str:
        """The limit of time that ended the run, with what it is for; "" if none did."""
        most = math.ceil(self.limit)
        if self.ended.code == -signal.SIGXCPU:
            return f"{most} s of processor time, the limit for all tests"
        if self.ended.code == -signal.SIGKILL and not self.ended.timed_out and self.ended.seconds >= most:
            return f"{most} s of processor time, the limit for all tests (by SIGKILL, since SIGXCPU was ignored)"
        if self.ended.timed_out:
            return f"{self.wall:g} s by the clock, the limit for all tests"
        if self.where.startswith("Timeout") and not self.closed:
            return f"{self.import_wall:g} s by the clock, the limit for one test and for an import"
        return ""

    @property
    def closed(self) -> bool:
        """Did the run come to its own end?"""
        return bool(self.of("closing"))


def reference_sources(course: Course, module: Module) -> Sources:
    """The reference of `module`, whole: what is given, the library for what the module needs, the module's own files."""
    own = {module.path(file): course.reference_file(module, file) for file in module.files}
    return {
        **given_sources(course),
        **library_sources(course, course.all_needs(module)),
        **{name: Source(path.read_bytes(), f"{name} (the reference's)") for name, path in own.items()},
    }


def library_sources(course: Course, modules: Iterable[Module]) -> Sources:
    """The library's files of `modules`, with exactly the files of the library that these import, directly or not.

    A module with solutions has nothing in the library: its solutions stand for it. What is given is not among them.
    """
    files: dict[str, Path] = {}
    references: set[Path] = set()
    for module in modules:
        own = {module.path(file): course.reference_file(module, file) for file in module.files}
        references.update(own.values())
        if module.solutions:
            files |= own
        else:
            needed = needed_files(course.library, module.files, course.packages, leave_out=course.given)
            files |= {f"python/{file}": course.library / file for file in needed}
    return {
        name: Source(path.read_bytes(), f"{name} (the {'reference' if path in references else 'library'}'s)")
        for name, path in files.items()
    }


def other_implementations(course: Course, module: Module) -> dict[str, Sources]:
    """The correct implementations of `module` beside its reference, by name: the library, where that is another, and wheats."""
    found = {}
    if module.reference:
        modules = [*course.all_needs(module), module]
        found["the library"] = {**given_sources(course), **library_sources(course, modules)}
    reference = reference_sources(course, module)
    for wheat in module.wheats:
        found[wheat] = {**reference, **folder_sources(course.path / wheat, "python/", f"course/{wheat}/")}
    return found


def given_sources(course: Course) -> Sources:
    """The modules that students never write."""
    return {
        f"python/{file}": Source((course.library / file).read_bytes(), f"python/{file} (given)")
        for file in course.given
    }


def folder_sources(folder: Path, prefix: str = "", shown: str = "") -> Sources:
    """All Python files under `folder`: a wheat's, laid over the reference's."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        found[prefix + name] = Source(path.read_bytes(), f"{shown or prefix}{name}")
    return found


def test_sources(folder: Path, at: str, conftest: bool) -> Sources:
    """The test files of `folder` for the stage's folder `at`: `test_*.py`, and the conftest.py if it is the course's own."""
    paths = sorted(folder.glob("test_*.py")) + (sorted(folder.glob("conftest.py")) if conftest else [])
    return {f"{at}/{path.name}": Source(read_file(path, f"{at}/{path.name}"), f"{at}/{path.name}") for path in paths}


def fixture_sources(course: Course, module: Module) -> Sources:
    """The fixtures that the module's course tests read."""
    return {f"course/{name}": Source((course.path / name).read_bytes(), f"course/{name}") for name in module.fixtures}


class Stage:
    """A folder of the workshop, laid with `sources`; those named in `disguise` in a text that is another each time."""

    def __init__(self, shop: Workshop, sources: Sources, limits: Limits, disguise: Iterable[str] = ()) -> None:
        self._shop, self._sources, self._limits = shop, sources, limits
        self.folder = shop.folder()
        for name, source in sources.items():
            self._write(name, disguised(source.content) if name in disguise else source.content)
        for name in _packages(sources):
            self._write(f"{name}/__init__.py", b"")
        for path in _CHILD.glob("*.py"):
            self._write(f"runner/ol_child/{path.name}", path.read_bytes())

    def run_tests(
        self,
        at: str,
        seconds: float,
        *,
        modules: Sequence[Mapping[str, Any]] = (),
        test_seconds: float | None = None,
        honest: bool = False,
        canaries: bool = False,
        select: str | None = None,
        leave_out: Sequence[str] = (),
        stop_early: bool = False,
        answers: Sequence[Path] = (),
        path_after: Sequence[str] = (),
    ) -> Run:
        """Run the tests in the stage's folder `at`.

        `seconds`, and `test_seconds` for one test, are of processor time, so that a busy machine changes no verdict.
        `modules` are imported and compared with their contracts first. `select` is pytest's -k, `leave_out` are names of
        functions, `stop_early` stops at the first failure, `canaries` adds three tests that must fail. Whatever opens one
        of the files and folders `answers` is reported. `path_after` are folders of the stage that stand last on Python's path.
        """
        file, *names = self._names_like_tests(at) if canaries else [""]
        laid: dict[str, bytes] = {}
        if canaries:
            ours = ("course/", f"{at}/test_", f"{at}/conftest.py")
            laid = {name: source.content for name, source in self._sources.items() if name.startswith(ours)}
            laid[f"{at}/{file}.py"] = _CANARIES.format(*names).encode()
            self._write(f"{at}/{file}.py", laid[f"{at}/{file}.py"])
        self._write("runner/pytest.ini", b"[pytest]\npython_files = test_*.py\n")
        arguments = ["-c", str(self.folder / "runner" / "pytest.ini"), "--rootdir", str(self.folder)]
        arguments += [
            "--import-mode=importlib",
            "--tb=no",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:faulthandler",
            "-p",
            "no:debugging",
            "--continue-on-collection-errors",
        ]
        arguments += ["-k", " or ".join([f"({select})", *names])] if select else []
        arguments += ["-x"] if stop_early else []
        arguments.append(at)  # not the whole path: pytest reads brackets in it as the parameters of a test
        job = {
            "what": "tests",
            "arguments": arguments,
            "modules": list(modules),
            "canaries": names,
            "leave_out": list(leave_out),
            "honest": honest,
            "answers": sorted({os.path.realpath(path) for path in answers}),
            "path_after": [str(self.folder / name) for name in path_after],
            "packages": sorted({PurePosixPath(name).parts[1] for name in self._sources if name.startswith("python/")}),
        }
        run = self._run(job, seconds, test_seconds, names)
        changed = [name for name, content in laid.items() if self._read(name) != content]
        if canaries:
            names_there = [f"{at}/{path.name}" for path in (self.folder / at).glob("*.py")]
            changed += sorted({*names_there} - {*laid, *self._sources})
        return replace(run, changed=tuple(changed))

    def run_witness(self, source: str, seconds: float) -> Run:
        """Run a few lines of Python in the stage; the record says what the last one gave."""
        return self._run({"what": "witness", "source": source}, seconds, None, [])

    def _run(self, job: dict[str, Any], seconds: float, test_seconds: float | None, canaries: list[str]) -> Run:
        runner = self.folder / "runner"
        key, report, where = secrets.token_hex(16), runner / "report.jsonl", runner / "where.txt"
        wall = max(_RUN_AT_LEAST, _WALL * seconds)
        job |= {
            "stage": str(self.folder),
            "path": [
                str(folder) for folder in (self.folder / "python", *self._shop.import_path, *job.pop("path_after", ()))
            ],
            "report": str(report),
            "key": key,
            "where": str(where),
            "limits": {
                "memory_mb": self._limits.memory_mb,
                "file_mb": 64,
                "seconds": seconds,
                "wall_seconds": wall,
                "import_seconds": self._limits.test,
                "import_wall_seconds": max(_TEST_AT_LEAST, self._limits.test),
                "test_seconds": test_seconds,
                "test_wall_seconds": None if test_seconds is None else max(_TEST_AT_LEAST, _WALL * test_seconds),
            },
        }
        (runner / "job.json").write_text(json.dumps(job), encoding="utf-8")
        command = [*interpreter(), "-c", _START, str(runner), str(runner / "job.json")]
        ended = self._shop.run(command, self.folder, wall)
        traced = where.read_text(encoding="utf-8", errors="replace") if where.is_file() else ""
        records, imports = _records(report, key), job["limits"]["import_wall_seconds"]
        run = Run(ended, records, canaries, self.folder, self._sources, seconds, wall, imports, traced)
        if job["what"] == "tests" and not run.of("ready"):
            raise OlError(f"the tests could not be started: {_last_words(run)}", next=_MEND)
        return run

    def _write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (_TIME, _TIME))

    def _read(self, name: str) -> bytes | None:
        try:
            return (self.folder / name).read_bytes()
        except OSError:
            return None

    def _names_like_tests(self, at: str) -> list[str]:
        """Four names, made of the words of the tests in `at`, that no test there has: of a file, and of three functions."""
        texts = [source.content.decode() for name, source in self._sources.items() if name.startswith(f"{at}/")]
        tests = [name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)]
        words = sorted({word for name in tests for word in name.split("_")[1:]} | set("abcd"))
        found: list[str] = []
        while len(found) < 4:
            name = "_".join(["test", *(secrets.choice(words) for _ in range(2 + secrets.randbelow(4)))])
            if name not in (*tests, *found) and f"{at}/{name}.py" not in self._sources:
                found.append(name)
        return found


def _last_words(run: Run) -> str:
    """What a run said last that ended before the student's code could say anything."""
    lines = run.ended.output.strip().splitlines()
    if lines:
        return lines[-1].strip()
    if shutil.disk_usage(run.folder).free < _ROOM:
        return f"the disk of {run.folder.parent.parent} is full"
    return f"stopped after {run.limit_met}" if run.timed_out else f"exit code {run.ended.code}, without a word"


def _packages(sources: Sources) -> list[str]:
    """The folders under python/ that hold sources and no `__init__.py`: each becomes a regular package."""
    folders: set[str] = set()
    for name in sources:
        parts = PurePosixPath(name).parts
        if parts[0] == "python" and name.endswith(".py"):
            folders.update("/".join(parts[:end]) for end in range(2, len(parts)))
    return sorted(folder for folder in folders if f"{folder}/__init__.py" not in sources)


def _records(report: Path, key: str) -> list[dict[str, Any]]:
    """The records of a report, up to the first line that is missing or that the runner did not write."""
    records: list[dict[str, Any]] = []
    try:
        lines = report.read_bytes().split(b"\n")
    except OSError:
        return []
    for line in lines:
        seal, _, text = line.partition(b" ")
        if seal.decode("ascii", "replace") != hashlib.blake2b(text, key=key.encode(), digest_size=16).hexdigest():
            continue  # cut off with its process, or somebody else's
        record = all_printable(json.loads(text))
        if record.pop("number") != len(records):
            break
        records.append(record)
    return records

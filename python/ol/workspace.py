"""A student's repo: where its root is, which of a module's files exist, what has passed, and what `ol start` adds.

`start` only ever makes new files. The other commands write to `.ol/` alone, which ignores itself in git.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .catalog import Course, Module
from .contracts import is_stub, stub
from .errors import OlError
from .files import read_file
from .imports import needed_files
from .output import complain
from .stage import Source, Sources
from .state import sound_state
from .toml import tomllib

STATE = ".ol"
QUOTE = '"'
PYPROJECT = """\
[tool.ol]
# The root of your course repo: `ol` looks for this table.

[tool.pytest.ini_options]
# Plain `pytest` tests your modules, and for what you have not built, the installed ones.
pythonpath = ["python"]
addopts = ["--import-mode=importlib"]
testpaths = ["python/tests"]
"""


@dataclass(frozen=True)
class Delivered:
    """One line of what `ol start` did: "new" or "kept", the path, a remark."""

    status: str
    path: str
    remark: str = ""


class Workspace:
    """The repo with root folder `root`."""

    def __init__(self, root: Path, course: Course) -> None:
        self.root, self._course = root, course
        self.is_reference = course.in_checkout and (root / "python").resolve() == course.library
        self._state: dict[str, Any] | None = None

    @classmethod
    def find(cls, course: Course, start: Path) -> Workspace | None:
        """The workspace that `start` lies in: the nearest parent whose pyproject.toml has a [tool.ol] table."""
        broken = ""
        for folder in (start, *start.parents):
            pyproject = folder / "pyproject.toml"
            try:
                if pyproject.is_file() and _has_table(pyproject):
                    return cls(folder, course)
            except (OlError, OSError, ValueError, RecursionError) as error:
                if _may_be_ours(pyproject):
                    broken = broken or f"{pyproject} cannot be read: {error}"
        if broken:
            raise OlError(broken, next="mend it, then run ol again")
        return None

    @classmethod
    def require(cls, course: Course, start: Path, wanted: Module | None = None) -> Workspace:
        """As `find`. Raises OlError if there is none, and names the module to start with, `wanted` or else the first."""
        found = cls.find(course, start)
        if found is None:
            first = wanted or next(iter(course.modules.values()))
            raise OlError(
                f"this folder is no workspace: {start} has no pyproject.toml with a [tool.ol] table, nor has a folder above",
                next=f"cd to yours, or ol start {first.id} to make one here",
            )
        return found

    def file(self, module: Module, file: str) -> Path:
        """Where one of the module's files lies, or would lie."""
        if self.is_reference:
            return self._course.reference_file(module, file)
        return self.root / module.path(file)

    def shown(self, path: Path) -> str:
        """A path as the student knows it: relative to the root where it lies below it."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)

    def absent(self, module: Module) -> list[str]:
        """The module's files that do not exist, as the student would name them."""
        return [module.path(file) for file in module.files if not self.file(module, file).is_file()]

    def stubs(self, module: Module) -> list[str]:
        """The module's files that are still the stubs `ol start` wrote."""
        return [module.path(file) for file in module.files if self._is_stub(module, file)]

    def is_missing(self, module: Module) -> bool:
        """Does the module count as not built: a file is absent, or still its stub?"""
        return bool(self.absent(module) or self.stubs(module))

    def command(self, module: Module) -> str:
        """The command that works on the module: `ol start` where a file is absent, else the `ol check` that can judge it."""
        if self.absent(module):
            return f"ol start {module.id}"
        missing = any(self.is_missing(need) for need in self._course.all_needs(module))
        return f"ol check {module.id}{' --ref-deps' if missing else ''}"

    def sources(self, module: Module) -> Sources:
        """The module's files as they are now, and the student's helper modules that they import."""
        paths = {module.path(file): self.file(module, file) for file in module.files}
        paths |= {path: self.root / path for path in self.helpers(module)}
        return {
            name: Source(read_file(path, self.shown(path)), self.shown(path))
            for name, path in paths.items()
            if path.is_file()
        }

    def helpers(self, module: Module) -> list[str]:
        """The student's own files that the module's files import, directly or not, and that belong to no module."""
        if self.is_reference or module.root != "python":
            return []
        files = [file for file in module.files if self.file(module, file).is_file()]
        leave_out = self._course.not_helpers.difference(files)
        found = needed_files(self.root / "python", files, self._course.packages, leave_out)
        return [f"python/{file}" for file in found if file not in files]

    def own_tests(self, module: Module) -> Path:
        """The folder of the student's own tests of the module."""
        return (self.root / module.own_tests).parent

    def standing(self, module: Module) -> str:
        """How the module stands, in a few words for `ol list`."""
        if module.later:
            return "later"
        if self.is_reference:
            return "done"
        if len(self.absent(module)) == len(module.files):
            return "not started"
        entry = self.state["modules"].get(module.id, {})
        if self._stands(module, entry.get("passed")):
            return "done"
        if self._stands(module, entry.get("passed_with_ref_deps")):
            return "passed with --ref-deps"
        if entry.get("passed"):
            return "changed since it passed"
        if len(self.stubs(module)) == len(module.files):
            return "stub"
        last = entry.get("last")
        unchanged = last is not None and self._stands(module, last["files"])
        return f"{last['passed']} of {last['total']} tests" if unchanged else "started"

    def has_passed(self, module: Module) -> bool:
        """Has the module ever passed here, with or without --ref-deps?"""
        entry = self.state["modules"].get(module.id, {})
        return self.is_reference or bool(entry.get("passed") or entry.get("passed_with_ref_deps"))

    def remember(
        self,
        module: Module,
        passed: bool,
        ref_deps: bool,
        tests: tuple[int, int],
        files: Mapping[str, str],
        full_text: str,
    ) -> None:
        """Keep the outcome of a check of `files`, shown path -> hash. Raises OSError if `.ol/` cannot be written."""
        entry = self.state["modules"].setdefault(module.id, {})
        entry["last"] = {"passed": tests[0], "total": tests[1], "files": dict(files)}
        if passed:
            entry["passed_with_ref_deps" if ref_deps else "passed"] = dict(files)
        self._write_state()
        self._write("last.txt", full_text)

    def next_hint_level(self, module: Module, number: int, levels: int) -> int:
        """The level of a hint that is shown next: each call is one level deeper, where that can be kept."""
        seen = self.state["hints"]
        key = f"{module.id}/{number}"
        level = seen[key] = min(levels, seen.get(key, 0) + 1)
        try:
            self._write_state()
        except OSError as error:
            complain(
                f"ol: not stored: {self.root / STATE} cannot be written ({error.strerror}): "
                f"name the level yourself, ol hint {module.id} {number} --level 2"
            )
        return level

    @property
    def state(self) -> dict[str, Any]:
        """What `.ol/state.json` holds; empty if there is none. One that is damaged is put aside, and that is said."""
        if self._state is None:
            path = self.root / STATE / "state.json"
            self._state = {"modules": {}, "hints": {}}
            try:
                self._state = sound_state(json.loads(read_file(path, f"{STATE}/state.json")))
            except (FileNotFoundError, NotADirectoryError):
                pass
            except (OlError, OSError, ValueError, TypeError, RecursionError) as error:
                complain(
                    f"ol: {STATE}/state.json cannot be read, so what had passed here is forgotten ({error}): "
                    "ol check of a module writes it anew"
                )
        return self._state

    def start(self, module: Module) -> list[Delivered]:
        """Add the module's stubs and test file. Files that exist are kept as they are."""
        if self.is_reference:
            return [Delivered("kept", self.shown(self.file(module, file)), "the reference") for file in module.files]
        delivered = []
        for file in module.files:
            text = _stub_text(self._course, module, file)
            delivered.append(self.deliver(module.path(file), text, "the stub: yours to write", "yours, not touched"))
        for name in module.copies:
            text = (self._course.path / name).read_text(encoding="utf-8")
            delivered.append(self.deliver(name, text, "from the course", "not touched"))
        if module.own:
            remark = f"{len(module.own)} tests for you to write"
            delivered.append(self.deliver(module.own_tests, _own_tests_text(module), remark, "yours, not touched"))
        return delivered

    def deliver(self, name: str, text: str, remark: str, kept: str) -> Delivered:
        """Write a new file, or keep the one that is there."""
        path = self.root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            if not path.is_file():
                raise OlError(
                    f"{path} is in the way: a file belongs there", next="move it away, then run ol start again"
                ) from None
            return Delivered("kept", name, kept)
        except OSError as error:
            raise OlError(f"{path} cannot be written: {error}") from None
        return Delivered("new", name, remark)

    def hiding(self) -> list[str]:
        """Files that turn the student's half of a namespace package into all of it, so that the installed half is gone."""
        if self.is_reference:
            return []
        folders = {
            str(Path(module.path(file)).parent)
            for module in self._course.modules.values()
            for file in module.files
            if module.root == "python"
        }
        parents = {
            str(parent)
            for folder in folders
            for parent in (Path(folder), *Path(folder).parents)
            if len(parent.parts) > 1
        }
        return sorted(f"{folder}/__init__.py" for folder in parents if (self.root / folder / "__init__.py").exists())

    def shadowing(self) -> list[str]:
        """Sentences on files of the student's python/ that have the name of a module of Python's own."""
        names = [] if self.is_reference else [path.name for path in (self.root / "python").glob("*")]
        return [
            f"python/{name} hides Python's own {name.removesuffix('.py')} from plain pytest, python and notebooks: "
            "rename it (ol check does not mind)"
            for name in sorted(names)
            if name.removesuffix(".py") in sys.stdlib_module_names - {"test"}
        ]

    def _is_stub(self, module: Module, file: str) -> bool:
        path = self.file(module, file)
        if self.is_reference or not path.is_file():
            return False
        contract = self._course.contract(module, file)
        if contract is not None:
            return is_stub(path.read_bytes(), contract)
        return bool(module.stubs) and path.read_text(encoding="utf-8", errors="replace") == _stub_text(
            self._course, module, file
        )

    def fingerprint(self, module: Module) -> dict[str, str]:
        """The module's files and the student's own tests of it as they are now: shown path -> hash."""
        paths = [self.file(module, file) for file in module.files]
        if module.own_tests:
            tests = sorted(self.own_tests(module).glob("test_*.py"))
            paths += [path for path in tests if not path.is_symlink()]  # own tests are taken without links
        return self._hashes(paths)

    def _stands(self, module: Module, files: Mapping[str, str] | None) -> bool:
        """Are the files of a check all as they were, and is none added?"""
        if not files:
            return False
        now = self.fingerprint(module)
        return files == now | self._hashes([self.root / path for path in files if path not in now])

    def _hashes(self, paths: Iterable[Path]) -> dict[str, str]:
        shown = {path: self.shown(path) for path in paths if path.is_file()}
        return fingerprint(Source(read_file(path, name), name) for path, name in shown.items())

    def _write_state(self) -> None:
        self._write("state.json", json.dumps(self.state, indent=1, sort_keys=True) + "\n")
        ignore = self.root / STATE / ".gitignore"
        if not ignore.exists():
            self._write(".gitignore", "*\n")

    def _write(self, name: str, text: str) -> None:
        """Write a file of `.ol/` whole or not at all. Raises OSError."""
        folder = self.root / STATE
        folder.mkdir(exist_ok=True)
        new = folder / f"{name}.{os.getpid()}.new"
        try:
            new.write_text(text, encoding="utf-8", errors="backslashreplace")
            os.replace(new, folder / name)
        except OSError:
            new.unlink(missing_ok=True)
            raise


def fingerprint(files: Iterable[Source]) -> dict[str, str]:
    """What `files` hold: shown path -> hash."""
    return {file.shown: hashlib.sha256(file.content).hexdigest() for file in files}


def make_workspace(course: Course, folder: Path) -> tuple[Workspace, Delivered]:
    """A new workspace in `folder`. Raises OlError, and writes nothing, if a pyproject.toml of the student's is there."""
    if (folder / "pyproject.toml").exists():
        raise OlError(
            f"{folder / 'pyproject.toml'} is yours and has no [tool.ol] table: add a line [tool.ol] to it, and for plain pytest "
            'pythonpath = ["python"] and addopts = ["--import-mode=importlib"] under [tool.pytest.ini_options]',
            next="add the lines, then run ol start again (or run it in an empty folder)",
        )
    workspace = Workspace(folder, course)
    return workspace, workspace.deliver(
        "pyproject.toml", PYPROJECT, "marks the root, tells pytest where your code is", ""
    )


def _has_table(pyproject: Path) -> bool:
    tool = tomllib.loads(read_file(pyproject, str(pyproject)).decode("utf-8")).get("tool")
    return isinstance(tool, dict) and isinstance(tool.get("ol"), dict)


def _may_be_ours(pyproject: Path) -> bool:
    """Does a pyproject.toml that is no TOML speak of `ol`? If not it is somebody else's, and no matter of ours."""
    try:
        return re.search(rb"tool\W+ol\b", read_file(pyproject, str(pyproject))) is not None
    except (OlError, OSError):
        return False


def _stub_text(course: Course, module: Module, file: str) -> str:
    if module.stubs:
        return (course.path / module.stubs[module.files.index(file)]).read_text(encoding="utf-8")
    contract = course.contract(module, file)
    if contract is None:
        raise OlError(f"the course has neither contract nor stub for {file} of {module.id}")
    return stub(contract)


def _own_tests_text(module: Module) -> str:
    names = "\n".join(f"#     {file.removesuffix('.py').replace('/', '.')}" for file in module.files)
    head = f'''"""Your tests of {module.id}, {module.title}.

They must pass on every correct implementation and fail on broken ones: `ol check {module.id}` runs them on both.
"""

# Import only what the contracts promise, from
{names}
'''
    tests = [
        f'def {test.name}() -> None:\n    """{test.says}{" " * test.says.endswith(QUOTE)}"""\n    raise NotImplementedError\n'
        for test in module.own
    ]
    return head + "".join(f"\n\n{test}" for test in tests)

"""The course: `course.toml`, the one catalogue, and where the course's files lie.

In a checkout the course is the folder `course/` and the library is in `python/`; in an installed wheel they are
`tinyllm_course/` and site-packages itself. Both are found from this file, never from `tinyllm`.

The reference of a module is what its students are compared with: a folder of plain files in the course where the module
names one, else the library itself.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from .errors import OlError
from .toml import tomllib

CATALOGUE = "course.toml"


@dataclass(frozen=True)
class CourseTest:
    """One row of the catalogue of course tests. `hint` is the number of the pitfall that it catches, 0 for none."""

    name: str
    kind: str
    checks: str
    why: str
    hint: int = 0


@dataclass(frozen=True)
class OwnTest:
    """One function of the test file that students fill in."""

    name: str
    says: str


@dataclass(frozen=True)
class Limits:
    """Seconds of processor time for all course tests, for one of them, and at least for one mutant; megabytes of memory."""

    tests: float = 60
    test: float = 20
    mutant: float = 5
    memory_mb: int = 2048


@dataclass(frozen=True)
class Module:
    """One module of the course. Paths of `files` are relative to `root`, which is relative to the repo; all others but
    `own_tests` (the repo) are relative to the course's folder. `reference` is the folder of the plain reference, "" where
    the library is the reference."""

    id: str
    title: str
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    later: bool = False
    root: str = "python"
    contracts: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    solutions: tuple[str, ...] = ()
    reference: str = ""
    copies: tuple[str, ...] = ()
    tests: str = ""
    tests_at: str = ""
    own_tests: str = ""
    mutants: str = ""
    wheats: tuple[str, ...] = ()
    threshold: float = 0.0
    limits: Limits = field(default_factory=Limits)
    hints: str = ""
    chapter: str = ""
    fixtures: tuple[str, ...] = ()
    test: tuple[CourseTest, ...] = ()
    own: tuple[OwnTest, ...] = ()

    def path(self, file: str) -> str:
        """Where `file` lies in a repo and in a stage."""
        return file if self.root == "." else f"{self.root}/{file}"

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the module's files lie in a repo and in a stage."""
        return tuple(self.path(file) for file in self.files)

    @property
    def stage_tests(self) -> str:
        """The folder of the course tests in a stage."""
        return self.tests_at or self.tests and f"course/{self.tests}"


@dataclass(frozen=True)
class Course:
    """A course: its folder, the folder of the library's packages, and its modules in order."""

    path: Path
    library: Path
    title: str
    given: tuple[str, ...]
    modules: dict[str, Module]

    @classmethod
    def load(cls, path: Path | None = None) -> Course:
        """The course in folder `path`, with its library in the folder `python` beside it; None: the one `ol` came with.

        Raises OlError if there is no catalogue or it says something that it must not.
        """
        if path is None:
            library = Path(__file__).resolve().parent.parent
            installed = library / "tinyllm_course"
            path = installed if (installed / CATALOGUE).is_file() else library.parent / "course"
        else:
            path = path.resolve()
            library = path.parent / "python"
        catalogue = path / CATALOGUE
        try:
            table = tomllib.loads(catalogue.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise OlError(f"there is no course: {catalogue} is missing") from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise OlError(f"{catalogue} cannot be read: {error}") from None
        try:
            return cls._from_table(table, path, library)
        except (KeyError, TypeError, ValueError) as error:
            raise OlError(f"{catalogue} is not a catalogue: {error}") from None

    @classmethod
    def at_hand(cls) -> Course:
        """The course in the folder that OL_COURSE names (for whoever writes one), or the one that `ol` came with."""
        folder = os.environ.get("OL_COURSE")
        return cls.load(Path(folder) if folder else None)

    @classmethod
    def _from_table(cls, table: Mapping[str, Any], path: Path, library: Path) -> Course:
        modules = {id: _module(id, entry) for id, entry in table["module"].items()}
        for module in modules.values():
            for other in (*module.needs, *module.next):
                if other not in modules:
                    raise ValueError(f"{module.id} names {other}, which is no module")
        course = table["course"]
        return cls(path, library, course["title"], tuple(course.get("given", ())), modules)

    def module(self, id: str) -> Module:
        """The module called `id`, whatever the case of its letters. Raises OlError."""
        for module in self.modules.values():
            if module.id.lower() == id.lower():
                return module
        close = difflib.get_close_matches(id.upper(), [known.upper() for known in self.modules], n=1, cutoff=0.5)
        meant = f" (did you mean {self.module(close[0]).id}?)" if close else ""
        raise OlError(f"there is no module {id!r}{meant}", next="ol list")

    def present(self, id: str) -> Module:
        """As `module`, for work on it. Raises OlError also if the course lists the module and does not have it yet."""
        module = self.module(id)
        if module.later:
            raise OlError(f"{module.id} ({module.title}) is not in this course yet", next="ol list")
        return module

    def all_needs(self, module: Module) -> list[Module]:
        """The modules that `module` builds on, directly or not, in the course's order."""
        wanted: set[str] = set()
        open_ids = list(module.needs)
        while open_ids:
            id = open_ids.pop()
            if id not in wanted:
                wanted.add(id)
                open_ids += self.modules[id].needs
        return [known for known in self.modules.values() if known.id in wanted]

    def reference_file(self, module: Module, file: str) -> Path:
        """The reference's version of one of the module's files."""
        if module.solutions:
            return self.path / module.solutions[module.files.index(file)]
        return (self.path / module.reference if module.reference else self.library) / file

    @property
    def answers(self) -> list[Path]:
        """The files and folders that nothing which is judged has a reason to open: references, wheats and mutants."""
        library = [self.library / package for package in self.packages]
        solutions = [self.path / name for module in self.modules.values() for name in module.solutions]
        return [*library, *solutions, *(self.path / name for name in ("reference", "wheats", "mutants"))]

    @cached_property
    def packages(self) -> frozenset[str]:
        """The top-level packages of the library that the course is about."""
        files = [file for module in self.modules.values() if module.root == "python" for file in module.files]
        return frozenset(file.partition("/")[0] for file in (*self.given, *files))

    @cached_property
    def not_helpers(self) -> frozenset[str]:
        """The files that are no helper modules of a student's: those of all modules, what is given, and the `__init__.py` of
        the folders that they lie in, which stays empty in a stage."""
        files = [file for module in self.modules.values() if module.root == "python" for file in module.files]
        folders = {parent.as_posix() for file in (*self.given, *files) for parent in PurePosixPath(file).parents}
        return frozenset([*self.given, *files, *(f"{folder}/__init__.py" for folder in folders)])

    def contract(self, module: Module, file: str) -> str | None:
        """The text of the contract of one of the module's files, or None if it has none."""
        if not module.contracts:
            return None
        return (self.path / module.contracts[module.files.index(file)]).read_text(encoding="utf-8")

    @cached_property
    def in_checkout(self) -> bool:
        """Is this a checkout, a workspace in which every module is done (and not an installed wheel)?"""
        return self.path.parent == self.library.parent


def _module(id: str, entry: Mapping[str, Any]) -> Module:
    known = {field.name for field in fields(Module)} - {"id"}
    unknown = set(entry) - known
    if unknown:
        raise ValueError(f"module {id} has the unknown key {min(unknown)!r}")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    if "limits" in entry:
        values["limits"] = Limits(**entry["limits"])
    values["test"] = tuple(CourseTest(**row) for row in entry.get("test", ()))
    values["own"] = tuple(OwnTest(**row) for row in entry.get("own", ()))
    for name in ("contracts", "stubs", "solutions"):
        if values.get(name) and len(values[name]) != len(values.get("files", ())):
            raise ValueError(f"module {id} needs one of its {name} for each of its files")
    if values.get("solutions") and values.get("reference"):
        raise ValueError(
            f"module {id} has both solutions and a reference: one of them is what students are compared with"
        )
    return Module(id=id, **values)

"""A student's own tests as files: what is taken into a stage and what is not, and what their text alone tells.

The folder of the tests is taken whole: test files, modules that they import, data that they read. Left out, and said so, are
conftest.py (it could change how tests are run), links and whatever is no regular file, and data beyond 10 MB in all.
"""

from __future__ import annotations

import ast
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .files import read_file
from .stage import Source, Sources

_MOST = 10 * 10**6  # bytes of all files together
_PASSED_OVER = ("__pycache__",)  # and folders whose names begin with a dot


@dataclass(frozen=True)
class OwnTests:
    """The files for the stage, and a sentence on each thing that the student should know of."""

    files: Sources
    remarks: list[str]

    @property
    def test_files(self) -> list[str]:
        """The files that pytest runs."""
        return [path for path in self.files if is_test_file(path)]


def is_test_file(path: str) -> bool:
    """Is this a file of tests, by its name?"""
    name = path.rpartition("/")[2]
    return name.startswith("test_") and name.endswith(".py")


def own_tests(folder: Path, at: str) -> OwnTests:
    """The files of `folder` for the stage's folder `at`."""
    files: Sources = {}
    remarks: list[str] = []
    sizes: dict[str, int] = {}
    for path in _files(folder):
        name = f"{at}/{path.relative_to(folder).as_posix()}"
        mode = path.lstat()
        if path.name == "conftest.py":
            remarks.append(f"{name} is not taken along: put its fixtures into the test files that use them.")
        elif stat.S_ISLNK(mode.st_mode):
            remarks.append(f"{name} is a link and not taken along: put the file itself there.")
        elif not stat.S_ISREG(mode.st_mode):
            remarks.append(f"{name} is no regular file and not taken along.")
        elif path != folder / "__init__.py":  # the stage has an empty one
            sizes[name] = mode.st_size
    too_much = sum(sizes.values()) > _MOST
    if too_much:
        megabytes = sum(sizes.values()) / 10**6
        remarks.append(f"{at} holds {megabytes:.1f} MB, more than 10 MB: its data files are not taken along.")
    for name in sizes:
        if name.endswith(".py") or not too_much:
            files[name] = Source(read_file(folder / name[len(at) + 1 :], name), name)
    return OwnTests(files, [*remarks, *(remark for name, source in files.items() for remark in _remarks(name, source))])


def _files(folder: Path) -> Iterator[Path]:
    """All entries below `folder` that are no folders, links to folders too, sorted."""
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        folders[:] = sorted(
            name for name in folders if name not in (*links, *_PASSED_OVER) and not name.startswith(".")
        )
        yield from (Path(parent, name) for name in sorted([*names, *links]))


def _remarks(name: str, source: Source) -> Iterator[str]:
    """What is to be said of the text of one Python file."""
    if not name.endswith(".py"):
        return
    try:
        body = ast.parse(source.content).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # pytest says it better
    tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    if not is_test_file(name):
        if tests:
            short = name.rpartition("/")[2]
            new = "test_" + short.removesuffix("_test.py").removesuffix(".py") + ".py"
            yield f"{name} is not run, since its name does not begin with test_: rename it to {new}."
        return
    for node in body:
        if isinstance(node, ast.Assert):
            yield (
                f"{name}:{node.lineno} asserts outside of a function, which counts as no test: "
                "put it into a function, def test_...()."
            )
            break
    for test in tests:
        value = test.body[-1].value if isinstance(test.body[-1], ast.Return) else None
        if isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)):
            yield f"{test.name} returns what it should assert: write assert in place of return in line {test.body[-1].lineno}."

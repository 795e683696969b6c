"""What to say of an import that failed: whose file it is that lacks the name, and why a file that is there was not taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .catalog import Course, Module
from .imports import Import, imports
from .stage import Sources
from .workspace import Workspace


def about_import(
    course: Course, workspace: Workspace, module: Module, failure: dict[str, Any], ref_deps: bool
) -> str | None:
    """A sentence on the import in `failure` that failed, or None if its own message says all there is to say."""
    name = failure.get("missing") or ""
    path = name.replace(".", "/")
    owners = {file: each for each in course.modules.values() for file in each.files}
    for file in (f"{path}.py", f"{path}/__init__.py"):
        owner, exists = owners.get(file), (workspace.root / "python" / file).is_file()
        if owner is not None and owner in course.all_needs(module) and ref_deps:
            return f"with --ref-deps {name} is the reference's, which does not have it, and not your {owner.path(file)}"
        if owner is not None and owner is not module and owner not in course.all_needs(module):
            return f"{name} belongs to {owner.id}, which {module.id} does not build on: {module.id} must do without it"
        if exists and owner is None and file.partition("/")[0] not in course.packages:
            homes = " or ".join(f"python/{package}/" for package in sorted(course.packages))
            return f"python/{file} is not taken along: helper modules of yours belong under {homes}"
        if exists and owner is None and file not in course.given and failure.get("error") == "ModuleNotFoundError":
            return f"python/{file} is not taken along: an import statement must name it, in one of your files of {module.id}"
    return None


def helpers_in(course: Course, python: Path, tests: Sources) -> Iterator[str]:
    """A sentence for each helper module under the student's folder `python` that own tests import: others do not have it."""
    owned = {file for each in course.modules.values() for file in each.files} | set(course.given)
    told: set[str] = set()
    for path, source in tests.items():
        for name in (name for each in imports(source.content, path) for name in _names(each)):
            files = [f"{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py")]
            if name.partition(".")[0] not in course.packages or name in told or owned & set(files):
                continue
            if any((python / file).is_file() for file in files) and not _holds(owned, name):
                told.add(name)
                yield (
                    f"{source.shown} imports {name}, a helper of yours: your tests run on other implementations too, "
                    "which do not have it."
                )


def _names(each: Import) -> list[str]:
    return [each.module, *(f"{each.module}.{name}" for name in each.names)]


def _holds(files: set[str], package: str) -> bool:
    """Does one of the files lie in the package?"""
    return any(file.startswith(f"{package.replace('.', '/')}/") for file in files)

"""What a Python file imports, read from its syntax tree, and the files that it therefore needs.

Nothing is run. An import inside a function counts like one at the top. What only a type checker reads (`if TYPE_CHECKING:`)
does not count, nor does a name that is made at run time (`importlib.import_module`). Paths are relative to the folder that
stands on Python's path: `tinyllm/tok/base.py` is the module `tinyllm.tok.base`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, order=True)
class Import:
    """One import: the full name of the module, and the names taken from it, each of which may be a module too."""

    module: str
    names: tuple[str, ...] = ()


def imports(source: bytes, file: str) -> list[Import]:
    """What a file imports, sorted. `file` is its path, by which relative imports are resolved.

    A package's `__all__` counts as taken from it, since `from package import *` imports the modules it names. A source that
    is no Python imports nothing: whoever runs it is told why.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: set[Import] = set()
    package = PurePosixPath(file).parent.parts
    for node in _run_time_nodes(tree):
        if isinstance(node, ast.Import):
            found.update(Import(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            if node.level <= len(package):  # one that leads out of the folder fails when it is run
                module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
                found.add(Import(module, tuple(alias.name for alias in node.names)))
    if PurePosixPath(file).name == "__init__.py":
        found.update(Import(".".join(package), names) for names in _all_names(tree))
    return sorted(found)


def needed_files(
    folder: Path, files: Iterable[str], packages: Collection[str], leave_out: Collection[str] = ()
) -> list[str]:
    """The files under `folder` that `files` need, sorted: they themselves and what they import, directly or not.

    Only files of the top-level `packages` are taken, and the `__init__.py` of every package that one lies in. Files in
    `leave_out` are neither taken nor followed. Raises OSError if one of `files` cannot be read.
    """

    def exists(file: str) -> bool:
        return PurePosixPath(file).parts[0] in packages and file not in leave_out and (folder / file).is_file()

    found: set[str] = set()
    open_files = list(files)
    while open_files:
        file = open_files.pop()
        if file not in found:
            found.add(file)
            for each in [Import(_name(file)), *imports((folder / file).read_bytes(), file)]:
                open_files += _files_of(each, exists)
    return sorted(found)


def outside(source: bytes, file: str, allowed: Collection[str]) -> list[str]:
    """The modules that a file imports and that are neither of the standard library nor among the files `allowed`."""
    found = []
    for each in imports(source, file):
        names = [each.module]
        if each.names and any(file.startswith(f"{each.module.replace('.', '/')}/") for file in allowed):
            names = [f"{each.module}.{name}" for name in each.names]  # of a package: modules
        if each.module.partition(".")[0] not in sys.stdlib_module_names:
            found += [name for name in names if not _own_files(name, allowed.__contains__)]
    return found


def _files_of(each: Import, exists: Callable[[str], bool]) -> list[str]:
    """The files that an import runs: of the module, of the packages above it, of the names that are modules."""
    names = [each.module, *(f"{each.module}.{name}" for name in each.names)]
    parts = [name.split(".") for name in names]
    prefixes = {".".join(some[:end]) for some in parts for end in range(1, len(some) + 1)}
    return [file for prefix in prefixes for file in _own_files(prefix, exists)]


def _own_files(module: str, exists: Callable[[str], bool]) -> list[str]:
    """The file of a module: a package comes before a file of the same name, as in Python."""
    path = module.replace(".", "/")
    return [file for file in (f"{path}/__init__.py", f"{path}.py") if exists(file)][:1]


def _name(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker reads. A stack, since source may be nested deeper than calls may be."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        for_types = isinstance(node, ast.If) and _last_name(node.test) == "TYPE_CHECKING"
        stack += node.orelse if isinstance(node, ast.If) and for_types else ast.iter_child_nodes(node)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _all_names(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and [_last_name(target) for target in node.targets] == ["__all__"]:
            if isinstance(node.value, (ast.List, ast.Tuple)):
                yield tuple(str(item.value) for item in node.value.elts if isinstance(item, ast.Constant))

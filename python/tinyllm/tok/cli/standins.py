"""A student's modules, which stand in for the library's: with `PYTHONPATH=python`, Python finds theirs first.

Commands work with whatever keeps its contract. What does not, yet, is told here in one line, by the file that must change.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

_PACKAGE = "tinyllm.tok"
_LIBRARY = Path(__file__).resolve().parents[1]


def explained(error: BaseException) -> str | None:
    """What in a student's module made a command end so, in one line; None if it has nothing to do with one."""
    if isinstance(error, SyntaxError) and _is_theirs(error.filename):
        return f"{_shown(error.filename)}, line {error.lineno}: {error.msg}"
    if isinstance(error, ImportError):
        return _of_import(error)
    if isinstance(error, AttributeError):
        return _of_attribute(error) or _of_frame(error)
    return _of_frame(error)


def stand_in(module: str) -> str | None:
    """The student's file that stands in for `module`, such as "bpe", if it was imported; as people know it."""
    found = sys.modules.get(f"{_PACKAGE}.{module}")
    file = getattr(found, "__file__", None)
    return _shown(file) if _is_theirs(file) else None


def stand_ins() -> list[str]:
    """The student's files that stand in for a module of the library and were imported, as people know them."""
    prefix = f"{_PACKAGE}."
    names = [name.removeprefix(prefix) for name in sys.modules if name.startswith(prefix)]
    return sorted(filter(None, map(stand_in, names)))


def _of_import(error: ImportError) -> str | None:
    # Of "tinyllm.tok.merging.by_rank", a merging.py of the student's hides the whole folder.
    for parent in _parents(error.name or ""):
        file = getattr(sys.modules.get(parent), "__file__", None)
        if _is_theirs(file) and (_LIBRARY / parent.rpartition(".")[2]).is_dir():
            return f"{_shown(file)} hides the library's folder of that name; give it another name"
    if error.name == _PACKAGE:  # `from tinyllm.tok import trie` where nothing has that file
        return None
    if _is_theirs(error.path):
        return f"{_shown(error.path)}: {(error.msg or '').partition(' (')[0]}; it stands in for the library's, which has it"
    return _of_frame(error)


def _parents(name: str) -> Iterator[str]:
    while name.startswith(f"{_PACKAGE}."):
        yield name
        name = name.rpartition(".")[0]


def _of_attribute(error: AttributeError) -> str | None:
    owner = error.obj
    module = owner if isinstance(owner, ModuleType) else sys.modules.get(getattr(owner, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if not _is_theirs(file):
        return None
    kind = owner if isinstance(owner, type) else type(owner)
    owned = "" if isinstance(owner, ModuleType) else f"{kind.__name__}."
    return f"{_shown(file)} has no {owned}{error.name} yet; it stands in for the library's, which has it"


def _of_frame(error: BaseException) -> str | None:
    theirs = [frame for frame in extract_tb(error.__traceback__) if _is_theirs(frame.filename)]
    if not theirs:
        return None
    last = theirs[-1]
    if isinstance(error, NotImplementedError):
        return f"{_shown(last.filename)}: {last.name} is still to be written (line {last.lineno}); it stands in for the library's"
    says = f": {error}" if str(error) else ""
    return f"{_shown(last.filename)}, line {last.lineno}, in {last.name}: {type(error).__name__}{says}"


def _is_theirs(file: str | None) -> bool:
    """Is this a file of a folder tinyllm/tok that is not the library's?"""
    if not file:
        return False
    path = Path(file).resolve()
    return ("tinyllm", "tok") in zip(path.parts, path.parts[1:]) and _LIBRARY not in path.parents


def _shown(file: str | None) -> str:
    """A path as short as it can be told from this folder."""
    path = os.path.abspath(file or "")
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative

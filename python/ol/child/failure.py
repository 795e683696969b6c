"""An exception as plain facts: what it says, where it arose in the student's files, what was expected and got."""

from __future__ import annotations

import linecache
import os
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Any

_MOST_FRAMES = 8  # shown: half of them the first, half the last. A recursion may have a million, which are only counted
_MOST_ENTRIES = 100  # left of a traceback for pytest, which looks at each several times
_MOST_TEXT = 4000  # characters


def explain(error: BaseException, stage: str, compared: tuple[Any, Any] | None = None) -> dict[str, Any]:
    """The facts of `error`. `compared` are the two operands (got, expected) of the assertion that failed, if known."""
    says = cut(_says(error))
    facts: dict[str, Any] = {"error": type(error).__name__, "says": says, "frames": _frames(error, stage)}
    notes = [str(note) for note in getattr(error, "__notes__", ())]
    if notes:
        facts["notes"] = cut("\n".join(notes))
    if compared is not None and isinstance(error, AssertionError):
        from .difference import describe

        facts["difference"] = describe(*compared)
        # pytest puts the message of the assertion first and its own account of the comparison after it.
        facts["says"] = "" if says.startswith("assert ") else says.partition("\nassert ")[0]
    return facts


def cut(text: str, longest: int = _MOST_TEXT) -> str:
    """`text`, or its beginning and a remark on how much is left out."""
    return text if len(text) <= longest else f"{text[:longest]}\n... ({len(text) - longest} more characters)"


def _says(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as second:  # a student's exception may have a broken __str__
        return f"(its text raises {type(second).__name__})"


def _frames(error: BaseException, stage: str) -> list[dict[str, Any]]:
    first: list[tuple[str, int, str]] = []
    last: deque[tuple[str, int, str]] = deque(maxlen=_MOST_FRAMES // 2)
    count = 0
    for place in _places(error, stage):
        (first if count < _MOST_FRAMES // 2 else last).append(place)
        count += 1
    left_out = count - len(first) - len(last)
    skipped = [{"skipped": left_out}] if left_out else []
    return [*(_shown(place, stage) for place in first), *skipped, *(_shown(place, stage) for place in last)]


def _shown(place: tuple[str, int, str], stage: str) -> dict[str, Any]:
    path, line, name = place
    source = linecache.getline(path, line).strip()
    return {"path": os.path.relpath(path, stage), "line": line, "in": name, "source": source}


def _places(error: BaseException, stage: str) -> Iterator[tuple[str, int, str]]:
    """Path, line and function of every call in the stage, and the place of a syntax error there."""
    real: dict[str, str] = {}  # a path is asked for once, not once a call
    for entry in _entries(error.__traceback__):
        code = entry.tb_frame.f_code
        if code.co_filename not in real:
            real[code.co_filename] = _staged(code.co_filename, stage)
        path = real[code.co_filename]
        if path and not path.startswith(os.path.join(stage, "runner")):
            yield path, entry.tb_lineno, code.co_name
    if isinstance(error, SyntaxError) and error.filename:
        path = _staged(error.filename, stage)
        if path:
            yield path, error.lineno or 0, ""


def _staged(name: str, stage: str) -> str:
    """The real path of a file of the stage, "" for others. `<...>` is importlib's, or text run by exec: no file."""
    path = "" if name.startswith("<") else os.path.realpath(name)
    return path if path.startswith(stage + os.sep) else ""


def _entries(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


def shorten(error: BaseException) -> None:
    """Leave only the first and the last calls in the tracebacks of `error` and of what it was raised from or during."""
    open_errors: list[BaseException | None] = [error]
    seen: set[int] = set()
    while open_errors:
        each = open_errors.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            open_errors += [each.__cause__, each.__context__]
            _shorten(each.__traceback__)


def _shorten(traceback: TracebackType | None) -> None:
    last: deque[TracebackType] = deque(maxlen=_MOST_ENTRIES // 2)
    half, count = None, 0
    for number, entry in enumerate(_entries(traceback)):
        half = entry if number == _MOST_ENTRIES // 2 - 1 else half
        last.append(entry)
        count = number + 1
    if half is not None and count > _MOST_ENTRIES:
        half.tb_next = last[0]

"""An exception as plain facts: what it says, where it arose in the student's files, what was expected and got."""

from __future__ import annotations

import linecache
import os
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

_MOST_FRAMES = 8  # shown: half of them the first, half the last
_MOST_ENTRIES = 200  # left of a traceback. A recursion may have a million, and pytest looks at each several times
_MOST_TEXT = 4000  # characters


def explain(error: BaseException, stage: str, compared: tuple[Any, Any] | None = None) -> dict[str, Any]:
    """The facts of `error`. `compared` are the two operands (got, expected) of the assertion that failed, if known.

    Whatever student code made of the exception, of its class or of the values: what cannot be told is left out. Of its
    traceback, and those of the errors behind it, only the first and last calls are left: nobody looks at the others.
    """
    facts: dict[str, Any] = {"error": class_name(error), "says": cut(plain_text(error)), "frames": []}
    for tell in (_tell_frames, _tell_missing, _tell_notes, _tell_difference):
        try:
            tell(facts, error, stage, compared)
        except BaseException:
            continue
    return facts


def class_name(value: object) -> str:
    """The name of a value's class, as the class statement gave it: a metaclass may say anything."""
    return str.__str__(type.__dict__["__name__"].__get__(type(value)))


def plain_text(value: object, render: Callable[[object], str] = str) -> str:
    """str() of a value, or its repr(), as a plain string whatever the value's class makes of them."""
    try:
        return str.__str__(render(value))
    except BaseException as error:
        return f"<{class_name(value)}, whose {render.__name__}() raises {class_name(error)}>"


def _tell_frames(facts: dict[str, Any], error: BaseException, stage: str, compared: Any) -> None:
    facts["frames"] = _frames(error, stage, _shorten_all(error))


def _tell_missing(facts: dict[str, Any], error: BaseException, stage: str, compared: Any) -> None:
    if isinstance(error, ImportError):
        facts["missing"] = plain_text(error.name or "")


def _tell_notes(facts: dict[str, Any], error: BaseException, stage: str, compared: Any) -> None:
    notes = [plain_text(note) for note in getattr(error, "__notes__", ())]
    if notes:
        facts["notes"] = cut("\n".join(notes))


def _tell_difference(facts: dict[str, Any], error: BaseException, stage: str, compared: Any) -> None:
    says = facts["says"]
    if compared is not None and isinstance(error, AssertionError):
        from .difference import describe

        facts["difference"] = describe(*compared)
        # pytest puts the message of the assertion first and its own account of the comparison after it.
        facts["says"] = "" if says.startswith("assert ") else says.partition("\nassert ")[0]


def cut(text: str, longest: int = _MOST_TEXT) -> str:
    """`text`, or its beginning and a remark on how much is left out."""
    return text if len(text) <= longest else f"{text[:longest]}\n... ({len(text) - longest} more characters)"


def _frames(error: BaseException, stage: str, left_out: int) -> list[dict[str, Any]]:
    places = list(_places(error, stage))
    half = _MOST_FRAMES // 2
    if len(places) <= _MOST_FRAMES:
        return [_shown(place, stage) for place in places]
    skipped = {"skipped": len(places) - _MOST_FRAMES + left_out}
    return [
        *(_shown(place, stage) for place in places[:half]),
        skipped,
        *(_shown(place, stage) for place in places[-half:]),
    ]


def _shown(place: tuple[str, int, str], stage: str) -> dict[str, Any]:
    path, line, name = place
    source = linecache.getline(path, line).strip()
    return {"path": os.path.relpath(path, stage), "line": line, "in": name, "source": source}


def _places(error: BaseException, stage: str) -> Iterator[tuple[str, int, str]]:
    """Path, line and function of every call in the stage, and the place of a syntax error there."""
    for entry in _entries(error.__traceback__):
        code = entry.tb_frame.f_code
        path = _staged(code.co_filename, stage)
        if path and not path.startswith(os.path.join(stage, "runner")):
            yield path, entry.tb_lineno, code.co_name
    if isinstance(error, SyntaxError):
        path = _staged(error.filename, stage)
        if path:
            yield path, error.lineno if type(error.lineno) is int else 0, ""


def _staged(name: object, stage: str) -> str:
    """The real path of a file of the stage, "" for others. `<...>` is importlib's, or text run by exec: no file."""
    if type(name) is not str or name.startswith("<"):
        return ""
    try:
        path = os.path.realpath(name)
    except (OSError, ValueError):  # a name that no file can have
        return ""
    return path if path.startswith(stage + os.sep) else ""


def _entries(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


def _shorten_all(error: BaseException) -> int:
    """Shorten the tracebacks of `error` and of what it was raised from or during; how many calls of its own are left out."""
    open_errors: list[BaseException | None] = [error.__cause__, error.__context__]
    seen = {id(error)}
    while open_errors:
        each = open_errors.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            open_errors += [each.__cause__, each.__context__]
            _shorten(each.__traceback__)
    return _shorten(error.__traceback__)


def _shorten(traceback: TracebackType | None) -> int:
    half, count = None, 0
    last: deque[TracebackType] = deque(maxlen=_MOST_ENTRIES // 2)
    for entry in _entries(traceback):
        count += 1
        half = entry if count == _MOST_ENTRIES // 2 else half
        last.append(entry)
    if half is None or count <= _MOST_ENTRIES:
        return 0
    half.tb_next = last[0]
    return count - _MOST_ENTRIES

"""An exception as plain facts: what it says, where it arose in the student's files, what was expected and got."""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Callable
from typing import Any

_MOST_FRAMES = 8
_MOST_TEXT = 4000  # characters


def explain(error: BaseException, stage: str, compared: tuple[Any, Any] | None = None) -> dict[str, Any]:
    """The facts of `error`. `compared` are the two operands (got, expected) of the assertion that failed, if known.

    Whatever student code made of the exception, of its class or of the values: what cannot be told is left out.
    """
    facts: dict[str, Any] = {"error": class_name(error), "says": cut(plain_text(error)), "frames": []}
    for tell in (_tell_frames, _tell_notes, _tell_difference):
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
    facts["frames"] = _frames(error, stage)


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


def _real(name: object) -> str:
    try:
        return os.path.realpath(name) if type(name) is str else ""
    except (OSError, ValueError):  # a name that no file can have
        return ""


def _frames(error: BaseException, stage: str) -> list[dict[str, Any]]:
    frames = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith("<"):  # importlib's, or text run by exec: no file, though realpath would make one of it
            continue
        path = _real(name)
        if path.startswith(stage + os.sep) and not path.startswith(os.path.join(stage, "runner")):
            source = linecache.getline(path, line).strip()
            frames.append(
                {"path": os.path.relpath(path, stage), "line": line, "in": frame.f_code.co_name, "source": source}
            )
    if isinstance(error, SyntaxError) and _real(error.filename).startswith(stage + os.sep):
        path = os.path.relpath(_real(error.filename), stage)
        line = error.lineno if type(error.lineno) is int else 0
        source = error.text.strip() if type(error.text) is str else ""
        frames.append({"path": path, "line": line, "in": "", "source": source})
    if len(frames) > _MOST_FRAMES:
        frames = frames[: _MOST_FRAMES // 2] + [{"skipped": len(frames) - _MOST_FRAMES}] + frames[-_MOST_FRAMES // 2 :]
    return frames

"""An exception as plain facts: what it says, where it arose in the student's files, what was expected and got."""

from __future__ import annotations

import linecache
import os
import traceback
from typing import Any

_MOST_FRAMES = 8
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
    frames = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith("<"):  # importlib's, or text run by exec: no file, though realpath would make one of it
            continue
        path = os.path.realpath(name)
        if path.startswith(stage + os.sep) and not path.startswith(os.path.join(stage, "runner")):
            source = linecache.getline(path, line).strip()
            frames.append(
                {"path": os.path.relpath(path, stage), "line": line, "in": frame.f_code.co_name, "source": source}
            )
    if (
        isinstance(error, SyntaxError)
        and error.filename
        and os.path.realpath(error.filename).startswith(stage + os.sep)
    ):
        path = os.path.relpath(os.path.realpath(error.filename), stage)
        frames.append({"path": path, "line": error.lineno or 0, "in": "", "source": (error.text or "").strip()})
    if len(frames) > _MOST_FRAMES:
        frames = frames[: _MOST_FRAMES // 2] + [{"skipped": len(frames) - _MOST_FRAMES}] + frames[-_MOST_FRAMES // 2 :]
    return frames

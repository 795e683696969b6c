"""Hints: one Markdown file a module, numbered like the pitfalls of its chapter, three levels each.

## 1. The symptom, as a title
### Level 1
where to look
### Level 2
what to think of
### Level 3
what to do
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .catalog import Course, Module
from .errors import OlError
from .mutants import load_mutants

LEVELS = 3


@dataclass(frozen=True)
class Hint:
    """One pitfall's hint: its number, its title, and its levels from vague to plain."""

    number: int
    title: str
    levels: tuple[str, ...]


def load_hints(course: Course, module: Module) -> list[Hint]:
    """The module's hints. Raises OlError if there are none, or one has not exactly three levels."""
    if not module.hints:
        raise OlError(f"{module.id} has no hints", next=f"ol tests {module.id}")
    path = course.path / module.hints
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise OlError(f"the course is broken: {path}: {error}") from None
    hints = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        number, _, title = title.partition(". ")
        levels = tuple(
            part.partition("\n")[2].strip() for part in re.split(r"^### Level ", body, flags=re.MULTILINE)[1:]
        )
        if not number.isdigit() or len(levels) != LEVELS or not all(levels):
            raise OlError(
                f"the course is broken: {path}: hint {number!r} must have a number, a title and {LEVELS} levels"
            )
        hints.append(Hint(int(number), title.strip(), levels))
    return hints


def find_hint(course: Course, module: Module, hints: list[Hint], wanted: str) -> Hint | str:
    """The hint with this number, or what the mutant with this id suggests to test. Raises OlError."""
    for hint in hints:
        if str(hint.number) == wanted:
            return hint
    for mutant in load_mutants(course, module) if module.mutants else []:
        if mutant.id == wanted:
            return mutant.hint
    raise OlError(f"{module.id} has no hint {wanted}: its hints are 1 to {len(hints)}", next=f"ol hint {module.id}")

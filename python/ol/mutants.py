"""The seeded mutants of a module: the reference with one mistake each that people make. MAINTAINING.md explains the keys."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from .catalog import Course, Module
from .errors import OlError
from .stage import Source, Sources
from .toml import tomllib


@dataclass(frozen=True)
class Through:
    """A public call through which a mutant shows, and a witness: Python whose last line has another value on the mutant."""

    call: str
    witness: str

    def names_its_call(self) -> bool:
        """Does the witness use the name of the call?"""
        try:
            nodes = list(ast.walk(ast.parse(self.witness)))
        except SyntaxError:
            return False
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        used |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        return self.call.rpartition(".")[2] in used


@dataclass(frozen=True)
class Mutant:
    """A seeded fault: one replacement in one of the reference's files, and every public call through which it shows."""

    id: str
    title: str
    behaviour: str
    misconception: str
    file: str
    find: str
    replace: str
    through: tuple[Through, ...]
    hint: str
    killed_by: str

    def apply(self, reference: Sources, module: Module) -> Sources:
        """The reference with this fault. Raises OlError unless `find` occurs exactly once."""
        path = module.path(self.file)
        text = reference[path].content.decode("utf-8") if path in reference else ""
        if text.count(self.find) != 1:
            raise OlError(
                f"the course is broken: mutant {self.id} must apply exactly once to {self.file}, not {text.count(self.find)} times"
            )
        changed = text.replace(self.find, self.replace)
        return {**reference, path: Source(changed.encode(), reference[path].shown)}


def load_mutants(course: Course, module: Module) -> list[Mutant]:
    """The module's seeded mutants. Raises OlError if their file is not as it must be."""
    path = course.path / module.mutants
    try:
        mutants = [_mutant(entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise OlError(f"the course is broken: {path}: {error}") from None
    if len({mutant.id for mutant in mutants}) != len(mutants):
        raise OlError(f"the course is broken: {path}: an id is there twice")
    return mutants


def _mutant(entry: dict[str, Any]) -> Mutant:
    """The mutant of one table. Raises TypeError or ValueError if a key is missing, unknown, or not as it must be."""
    listed = entry.get("through")
    if not isinstance(listed, list) or not listed or not all(_is_through(each) for each in listed):
        raise ValueError(
            f'mutant {entry.get("id")}: `through` must list one {{ call = "...", witness = "..." }} or more, with these two keys alone'
        )
    through = tuple(Through(**each) for each in listed)
    if len({each.call for each in through}) != len(through):
        raise ValueError(f"mutant {entry.get('id')}: a call is there twice in `through`")
    return Mutant(**{**entry, "through": through})


def _is_through(each: object) -> bool:
    return (
        isinstance(each, dict)
        and set(each) == {"call", "witness"}
        and all(isinstance(value, str) and value.strip() for value in each.values())
    )

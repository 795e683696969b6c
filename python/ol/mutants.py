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
    through = entry.get("through")
    calls = []
    for each in through if isinstance(through, list) else []:
        if (
            isinstance(each, dict)
            and set(each) == {"call", "witness"}
            and all(_is_said(value) for value in each.values())
        ):
            calls.append(Through(**each))
    if not calls or len(calls) != len(through):
        raise ValueError(
            f"mutant {entry.get('id')}: `through` must be a list of at least one {{ call = ..., witness = ... }}, and no more in one"
        )
    if len({each.call for each in calls}) != len(calls):
        raise ValueError(f"mutant {entry.get('id')}: a call is there twice in `through`")
    return Mutant(**{**entry, "through": tuple(calls)})


def _is_said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())

"""The seeded mutants of a module: the reference with one mistake each that people make. MAINTAINING.md explains the keys."""

from __future__ import annotations

from dataclasses import dataclass

from .catalog import Course, Module
from .errors import OlError
from .stage import Source, Sources
from .toml import tomllib


@dataclass(frozen=True)
class Mutant:
    """A seeded fault: one replacement in one of the reference's files."""

    id: str
    title: str
    behaviour: str
    misconception: str
    file: str
    find: str
    replace: str
    witness: str
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
        mutants = [Mutant(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]
    except (OSError, UnicodeDecodeError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise OlError(f"the course is broken: {path}: {error}") from None
    if len({mutant.id for mutant in mutants}) != len(mutants):
        raise OlError(f"the course is broken: {path}: an id is there twice")
    return mutants

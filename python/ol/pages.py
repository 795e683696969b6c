"""The lines that the smaller commands print: `ol start`, `ol tests`, `ol list`, `ol hint`, `ol diff`. Each page ends with the next step."""

from __future__ import annotations

import difflib
import textwrap
from pathlib import Path

from .catalog import Course, Module
from .hints import LEVELS, Hint
from .report import width
from .workspace import Delivered, Workspace

_HIDES = (
    "warning: {path} makes your folder the whole package, so that plain pytest and notebooks no longer find the installed "
    "modules you have not built: remove it (ol check does not mind)."
)


def start_page(course: Course, workspace: Workspace, module: Module, delivered: list[Delivered]) -> list[str]:
    """What was made, what was kept, and how the student's code is imported."""
    lines = [f"{module.id}  {module.title}   in {workspace.root}", ""]
    lines += [f"  {line.status:5} {line.path}   {line.remark}".rstrip() for line in delivered]
    for path in workspace.hiding():
        lines += ["", *textwrap.wrap(_HIDES.format(path=path), width())]
    for sentence in workspace.shadowing():
        lines += ["", *textwrap.wrap(f"warning: {sentence}.", width())]
    if all(line.status == "kept" for line in delivered):
        return [*lines, "", "nothing to do: everything is there", f"Next: {workspace.command(module)}"]
    missing = ", ".join(need.id for need in course.all_needs(module) if workspace.is_missing(need))
    if missing:
        text = f"{module.id} builds on {missing}, which you have not built: build them first, or use --ref-deps."
        lines += ["", *textwrap.wrap(text, width(), break_on_hyphens=False)]
    if module.root == "python":
        lines += [
            "",
            "Your code is imported from the folder python/:",
            "  pytest          finds it by itself (pyproject.toml says pythonpath)",
            "  a shell         export PYTHONPATH=python",
            '  a notebook      import sys; sys.path.insert(0, "python")     as its first line',
            "What you have not built comes from the installed package; ol check is strict",
            "and takes your files only.",
        ]
    if module.chapter:
        lines += ["", f"Read: {course.path / module.chapter}"]
    if len(workspace.stubs(module)) == len(module.files):
        lines.append("All tests fail now; that is the right start.")
    return [*lines, f"Next: ol tests {module.id}"]


def tests_page(course: Course, module: Module, next: str) -> list[str]:
    """The catalogue of a module's course tests."""
    lines = [f"{module.id}  {module.title}: {len(module.test)} tests", ""]
    for test in module.test:
        lines.append(f"{test.name}   {test.kind.upper()}")
        for label, text in (("checks", test.checks), ("why", test.why)):
            lines += textwrap.wrap(text, width(), initial_indent=f"    {label:8}", subsequent_indent=" " * 12)
    lines += ["", f"Read them: {course.path / module.tests}"]
    if module.mutants:
        text = f"Your own tests, {module.own_tests}, must kill {module.threshold:.0%} of the seeded mutants."
        lines += textwrap.wrap(text, width())
    return [*lines, f"Next: {next}"]


def list_page(course: Course, workspace: Workspace | None, folder: Path) -> list[str]:
    """The modules, how each stands, and the next one to work on."""
    lines = [course.title, ""]
    for module in course.modules.values():
        standing = workspace.standing(module) if workspace else "later" if module.later else "not started"
        needs = f"   needs {', '.join(module.needs)}" if module.needs else ""
        lines.append(f"  {module.id:8}{standing:26}{module.title}{needs}")
    if workspace is None:
        first = next(iter(course.modules))
        return [*lines, "", f"{folder} is no workspace yet: ol start makes it one.", f"Next: ol start {first}"]
    return [*lines, f"Next: {next_step(course, workspace)}"]


def next_step(course: Course, workspace: Workspace) -> str:
    """What to do next: go on with what was begun; else what follows on what is done; else the first of the rest."""
    standing = {module.id: workspace.standing(module) for module in course.modules.values() if not module.later}
    following = {id for module in course.modules.values() if standing.get(module.id) == "done" for id in module.next}
    begun, ready = [], []
    for id, stands in standing.items():
        module = course.modules[id]
        if stands not in ("done", "not started", "passed with --ref-deps"):
            begun.append(module)
        elif stands != "done" and not any(workspace.is_missing(need) for need in course.all_needs(module)):
            ready.append(module)
    chosen = begun or sorted(ready, key=lambda module: module.id not in following)
    return workspace.command(chosen[0]) if chosen else "nothing: every module is done"


def hints_page(module: Module, hints: list[Hint]) -> list[str]:
    """The pitfalls of a module."""
    titles = [f"  {hint.number}  {hint.title}" for hint in hints]
    return [f"{module.id}  {module.title}: pitfalls", "", *titles, f"Next: ol hint {module.id} N"]


def hint_page(module: Module, hint: Hint, level: int, next: str) -> list[str]:
    """One level of one hint. Indented paragraphs are code and stay as they are."""
    lines = [f"{module.id} hint {hint.number}: {hint.title}   (level {level} of {LEVELS})", ""]
    for paragraph in hint.levels[level - 1].split("\n\n"):
        lines += paragraph.split("\n") if paragraph.startswith("    ") else textwrap.wrap(paragraph, width())
        lines.append("")
    deeper = f"ol hint {module.id} {hint.number} (one level deeper), or " if level < LEVELS else ""
    return [*lines, f"Next: {deeper}{next}"]


def mutant_page(module: Module, id: str, hint: str, next: str) -> list[str]:
    """What to test, for a mutant that survived."""
    return [f"{module.id} {id}: an input to try", "", *textwrap.wrap(hint, width()), "", f"Next: {next}"]


def wait_page(module: Module, next: str) -> list[str]:
    """What `ol diff` says before a pass."""
    return [
        f"{module.id} has not passed yet: the reference is best read after your own solution.",
        f"To see it anyway: ol diff {module.id} --anyway",
        f"Next: {next}",
    ]


def diff_page(course: Course, workspace: Workspace, module: Module) -> list[str]:
    """The student's files beside the reference's, as a unified diff, and where the library has the same, made fast."""
    lines: list[str] = []
    for file in module.files:
        path = workspace.file(module, file)
        own = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        reference = course.reference_file(module, file).read_text(encoding="utf-8")
        names = (f"{module.path(file)} (yours)", f"{module.path(file)} (the reference)")
        lines += difflib.unified_diff(own.splitlines(), reference.splitlines(), *names, lineterm="")
    if not lines:
        lines = [f"{module.id}: your code and the reference are the same."]
    if module.reference:
        paths = {course.library / file: course.reference_file(module, file) for file in module.files}
        fast = [workspace.shown(path) for path, plain in paths.items() if path.read_bytes() != plain.read_bytes()]
        lines.append(f"the library does the same fast: {', '.join(fast)}")
    return [*lines, f"Next: {next_step(course, workspace)}"]


def diff_style(line: str) -> str:
    """The style of one line of a unified diff."""
    if line.startswith(("---", "+++")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")

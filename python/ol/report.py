"""What `ol` prints: readable at 80 columns, plain when piped, colour only where a terminal shows it.

Words first: every line says the same without colour. Lines of values are never wrapped, so that the mark under the first
difference stays where it belongs.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from .catalog import Course
from .grade import CRASHED, EMPTY, NOT_COLLECTED, SURVIVED, TIMED_OUT
from .judge import Judgement
from .verdict import CANNOT_JUDGE, PASSED, TestResult
from .workspace import Workspace

STYLES = {
    "PASSED": "bold green",
    "NOT YET": "bold yellow",
    "CANNOT JUDGE": "bold red",
    "FAIL": "red",
    "TIME": "red",
    "CRASH": "red",
    "Next:": "bold",
}
_LABEL = 15  # width of the column of labels
_NOT_THE_CODES = (None, "", "Failed", "TookTooLong", "TookTooLongBefore")  # names of errors: pytest's, and ours
_NAMED = 5  # failed tests that are named beside the one that is shown


def console(stderr: bool = False) -> Console:
    """A console that never rewraps, marks up or highlights what we print."""
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def width() -> int:
    """The columns that prose is wrapped to."""
    return max(40, min(100, Console().width))


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A line that says what is going on: on a terminal only, on standard error."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal or not sys.stdout.isatty():
        yield lambda text: None
        return
    with screen.status("") as status:
        yield lambda text: status.update(Text(f"{text} ..."))


def show(lines: Iterable[str]) -> None:
    """Print lines, with their first words coloured on a terminal."""
    screen = console()
    for line in lines:
        screen.print(_styled(line))


def judgement_lines(judgement: Judgement, course: Course, workspace: Workspace, verbose: bool = False) -> list[str]:
    """The account of one check."""
    module, tests, failed = judgement.module, judgement.tests, judgement.failed
    lines = [
        f"{module.id}  {module.title}"
        + ("   (with the reference's needs)" if judgement.ref_deps and module.needs else "")
    ]
    stubs = workspace.stubs(module)
    for file in module.files:
        lines.append(
            f"    {workspace.shown(workspace.file(module, file))}{' is still the stub' if module.path(file) in stubs else ''}"
        )
    lines += [f"    {path} (a helper, taken along)" for path in judgement.helpers]
    if judgement.plain_reference:
        lines += _wrapped("in the course's own checkout this is the plain reference, not the library", 4)
    lines.append("")
    late = sum(test.outcome == "timed out" for test in tests)
    passed = f"{len(tests) - len(failed)} of {len(tests)} passed{f', {late} timed out' if late else ''}"
    lines.append(_labelled("course tests", f"{passed}   {judgement.seconds:.1f} s"))
    if verbose:
        lines += [f"  {test.outcome:10} {test.name}   {test.seconds:.2f} s" for test in tests]
    lines += _notes(judgement.notes)
    for test in failed if verbose else failed[:1]:
        lines += ["", *failure_lines(test, judgement)]
    if len(failed) > 1 and not verbose:
        names = ", ".join(test.name for test in failed[1 : 1 + _NAMED]) + (" ..." if len(failed) > 1 + _NAMED else "")
        lines += [
            "",
            *_wrapped(f"{len(failed) - 1} more: {names}", 2),
            "  (-v shows all of them in full, .ol/last.txt too)",
        ]
    if judgement.verdict is None:
        lines += [
            "",
            *_wrapped(
                f"NO VERDICT  -k ran {len(tests)} of {len(module.test)} tests; a verdict and a grade need them all."
            ),
        ]
        return [*lines, f"Next: {judgement.next}"]
    graded = _grade_lines(judgement)
    lines += ["", *graded] if failed and graded else graded
    return [*lines, "", *_wrapped(_verdict_line(judgement, course, workspace), 0), f"Next: {judgement.next}"]


def failure_lines(test: TestResult, judgement: Judgement) -> list[str]:
    """One failed test in full: what is wrong, expected and got, where."""
    failure = test.failure or {}
    word = {"timed out": "TIME", "crashed": "CRASH"}.get(test.outcome, "FAIL")
    case = f"[{failure['case']}]" if failure.get("case") else ""
    checks = next((entry.checks for entry in judgement.module.test if entry.name == test.name), "")
    if failure.get("importing"):
        lines = [f"  FAIL  importing {failure['importing']}"]
    else:
        lines = [f"  {word:5} {test.name}{case}", *_wrapped(f"checks {checks}" if checks else "", 8)]
    difference = failure.get("difference")
    says = judgement.told(failure.get("says", ""))
    if difference is None and failure.get("error") not in _NOT_THE_CODES:
        says = f"{failure['error']}: {says}" if says else failure["error"]
    lines += [f"        {line}" for line in says.split("\n")[:40] if line]
    if difference is not None:
        lines += _difference_lines(difference, judgement)
    lines += _frame_lines(failure.get("frames", []), judgement)
    if failure.get("notes"):
        lines += [f"        {line}" for line in judgement.told(failure["notes"]).split("\n")[:20]]
    if failure.get("last"):
        lines += [
            "        the last that the run wrote:",
            *(f"          {line}" for line in judgement.told(failure["last"]).split("\n")),
        ]
    if failure.get("printed"):
        lines += [
            "        your code printed:",
            *(f"          {line}" for line in judgement.told(failure["printed"]).rstrip().split("\n")[:20]),
        ]
    return lines


def _grade_lines(judgement: Judgement) -> list[str]:
    grade = judgement.grade
    if grade is None:
        return [_labelled("" if number else "your tests", line) for number, line in enumerate(judgement.own_tests)]
    later = f"   ({grade.unwritten} still to be written)" if grade.unwritten else ""
    if grade.problem:
        lines = _wrapped_label("your tests", grade.problem)
        lines += [line for detail in grade.details for line in _wrapped(detail, 2)]
        for record in grade.failures[:1]:
            failure = {**record["failure"], "printed": record.get("printed", "")}
            lines += [
                "",
                *failure_lines(TestResult(record.get("name", record["id"]), "failed", 0.0, failure), judgement),
            ]
        return lines
    count = "1 test, passes" if grade.tests == 1 else f"{grade.tests} tests, pass"
    lines = [_labelled("your tests", f"{count} on {grade.correct} correct implementations{later}")]
    score = f"killed {grade.killed} of {len(grade.results)} ({grade.score:.2f}, need {grade.need:.2f})"
    lines.append(_labelled("mutants", f"{score}   {grade.seconds:.1f} s"))
    for outcome, title in (
        (SURVIVED, "survived: no test of yours checks"),
        (TIMED_OUT, "timed out, not killed"),
        (CRASHED, "crashed, not killed"),
        (NOT_COLLECTED, "could not be collected, not killed"),
        (EMPTY, "ran no test, not killed"),
    ):
        results = grade.with_outcome(outcome)
        if results:
            lines.append(f"  {title}")
            lines += [
                line
                for result in results
                for line in _wrapped(f"{result.mutant.id}  {result.mutant.behaviour}", 4, hang=5)
            ]
    return lines


def _verdict_line(judgement: Judgement, course: Course, workspace: Workspace) -> str:
    module = judgement.module
    if judgement.verdict == PASSED:
        if judgement.ref_deps and module.needs:
            return f"PASSED  {module.id}, with the reference's needs: the code is right; the module is complete once it passes without --ref-deps."
        return f"PASSED  {module.id} is done."
    if judgement.verdict == CANNOT_JUDGE:
        return f"CANNOT JUDGE  {module.id}: the tests were not run as they are."
    if judgement.failed:
        tests = "1 test" if len(judgement.failed) == 1 else f"{len(judgement.failed)} tests"
        return f"NOT YET  {module.id}: {tests} to go."
    grade = judgement.grade
    if grade is not None and not grade.problem:
        return f"NOT YET  {module.id}: your code is right; your tests would miss {len(grade.results) - grade.killed} of {len(grade.results)} broken versions."
    if grade is not None:
        return f"NOT YET  {module.id}: your code is right; your tests are not ready."
    return f"NOT YET  {module.id}: the tests pass, but not all is as it must be."


def _difference_lines(difference: dict[str, Any], judgement: Judgement) -> list[str]:
    expected, got = (judgement.told(difference[key]).replace("\n", "\\n") for key in ("expected", "got"))
    lines = [f"        expected  {expected}", f"        got       {got}"]
    column = difference["column"]
    if column is not None and column + 20 < width():
        lines.append(" " * (18 + column) + f"^ {difference['where']}")
    elif difference["where"]:
        lines.append(f"                  {difference['where']}")
    return lines


def _frame_lines(frames: list[dict[str, Any]], judgement: Judgement) -> list[str]:
    lines = []
    for frame in frames:
        if "skipped" in frame:
            lines.append(f"        ... {frame['skipped']} more calls ...")
            continue
        path = judgement.files.get(frame["path"], frame["path"])
        within = f" in {frame['in']}" if frame["in"] and frame["in"] != "<module>" else ""
        lines.append(f"        {path}:{frame['line']}{within}")
        if frame["source"]:
            lines.append(f"          {frame['source']}")
    return lines


def _notes(notes: list[str]) -> list[str]:
    return [line for note in notes for line in _wrapped(note, 2, hang=2)]


def _labelled(label: str, text: str) -> str:
    return f"{label:{_LABEL}}{text}"


def _wrapped_label(label: str, text: str) -> list[str]:
    lines = textwrap.wrap(text, width() - _LABEL, break_long_words=False, break_on_hyphens=False)
    return [_labelled(label if not number else "", line) for number, line in enumerate(lines)]


def _wrapped(text: str, indent: int = 0, hang: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _styled(line: str) -> Text:
    text = Text(line)
    stripped = line.lstrip()
    for word, style in STYLES.items():
        if stripped.startswith(word):
            start = len(line) - len(stripped)
            text.stylize(style, start, start + len(word))
    if stripped.startswith("expected  "):
        text.stylize("green", len(line) - len(stripped) + 10)
    if stripped.startswith("got       "):
        text.stylize("red", len(line) - len(stripped) + 10)
    return text

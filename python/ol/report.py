"""What `ol` prints: readable at 80 columns, plain when piped, colour only where a terminal shows it.

Words first: every line says the same without colour. Prose is wrapped and keeps its indent. Values and lines of code are cut
to the width, values around their first difference, so that the mark under it stays where it belongs; -v, `.ol/last.txt` and
--json have them whole.
"""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from .catalog import Course
from .grade import CRASHED, EMPTY, NOT_COLLECTED, SURVIVED, TIMED_OUT
from .judge import Judgement
from .output import emit, printable
from .verdict import CANNOT_JUDGE, PASSED, TestResult
from .workspace import Workspace

STYLES = {
    "PASSED": "bold green",
    "NOT YET": "bold yellow",
    "CANNOT JUDGE": "bold red",
    "FAIL": "red",
    "TIME": "red",
    "CRASH": "red",
    "NOT RUN": "red",
    "Next:": "bold",
}
_LABEL = 15  # width of the column of labels
_NOT_THE_CODES = (None, "", "Failed", "TookTooLong", "TookTooLongBefore")  # names of errors: pytest's, and ours
_NAMED = 5  # failed tests that are named beside the one that is shown, and mutants of each outcome
_LONGEST_WORD = 200  # characters of one word in a message, such as a path: it is not broken, but cut beyond them
_ENDLESS = 10**6  # columns where nothing is cut


class _Paper(io.StringIO):
    """What is to be shown: `emit` deals with whatever stands between it and its reader. Coloured where that is a terminal."""

    def isatty(self) -> bool:
        return sys.stdout is not None and sys.stdout.isatty()


def console(stderr: bool = False, file: TextIO | None = None) -> Console:
    """A console that never rewraps, marks up or highlights what we print."""
    return Console(stderr=stderr, file=file, markup=False, highlight=False, emoji=False, soft_wrap=True)


def width() -> int:
    """The columns that prose is wrapped to."""
    return max(40, min(100, Console().width))


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A line that says what is going on: on a terminal only, on standard error."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal or not _Paper().isatty():
        yield lambda text: None
        return
    with screen.status("") as status:
        yield lambda text: status.update(Text(f"{text} ..."))


def show(lines: Iterable[str], style: Callable[[str], str] | None = None) -> None:
    """Print lines, with their first words coloured on a terminal, or as `style` says of each line."""
    paper = _Paper()
    screen = console(file=paper)
    for line in lines:
        if style is None:
            screen.print(_styled(printable(line)))
        else:
            screen.print(printable(line), style=style(line))
    emit(paper.getvalue())


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
        lines += ["", *failure_lines(test, judgement, None if verbose else width())]
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
    graded = _grade_lines(judgement, verbose)
    lines += ["", *graded] if failed and graded else graded
    verdict = _verdict_line(judgement, course, workspace)
    return [*lines, "", *_wrapped(verdict, 0, hang=verdict.index("  ") + 2), f"Next: {judgement.next}"]


def failure_lines(test: TestResult, judgement: Judgement, columns: int | None = None) -> list[str]:
    """One failed test in full: what is wrong, expected and got, where. Lines fit `columns`; None: nothing is cut."""
    failure = test.failure or {}
    word = {"timed out": "TIME", "crashed": "CRASH", "not run": "NOT RUN"}.get(test.outcome, "FAIL")
    case = f"[{failure['case']}]" if failure.get("case") else ""
    checks = next((entry.checks for entry in judgement.module.test if entry.name == test.name), "")
    room = columns or _ENDLESS
    if failure.get("importing"):
        lines = [f"  FAIL  importing {failure['importing']}"]
    else:
        lines = [f"  {word:5} {test.name}{case}", *_wrapped(f"checks {checks}" if checks else "", 8)]
    difference = failure.get("difference")
    says = judgement.told(failure.get("says", ""))
    if difference is None and failure.get("error") not in _NOT_THE_CODES:
        says = f"{failure['error']}: {says}" if says else failure["error"]
    lines += [part for line in says.split("\n")[:40] if line for part in _folded(line, 8, room)]
    if difference is not None:
        lines += _difference_lines(difference, judgement, room)
    lines += [_cut(line, room) for line in _frame_lines(failure.get("frames", []), judgement)]
    if failure.get("notes"):
        lines += [part for line in judgement.told(failure["notes"]).split("\n")[:20] for part in _folded(line, 8, room)]
    for key, title in (("last", "the last that the run wrote:"), ("printed", "your code printed:")):
        if failure.get(key):
            written = judgement.told(failure[key]).rstrip().split("\n")[:20]
            lines += [f"        {title}", *(_cut(f"          {line}", room) for line in written)]
    return lines


def _grade_lines(judgement: Judgement, verbose: bool) -> list[str]:
    grade = judgement.grade
    if grade is None:
        return [_labelled("" if number else "your tests", line) for number, line in enumerate(judgement.own_tests)]
    later = f"   ({grade.unwritten} still to be written)" if grade.unwritten else ""
    if grade.problem:
        lines = _wrapped_label("your tests", grade.problem)
        lines += _notes([*grade.details, *grade.remarks])
        for record in grade.failures[:1]:
            failure = {**record["failure"], "printed": record.get("printed", "")}
            lines += [
                "",
                *failure_lines(
                    TestResult(record.get("name", record["id"]), "failed", 0.0, failure),
                    judgement,
                    None if verbose else width(),
                ),
            ]
        return lines
    count = "1 test, passes" if grade.tests == 1 else f"{grade.tests} tests, pass"
    lines = _wrapped_label("your tests", f"{count} on {grade.correct} correct implementations{later}")
    lines += _notes(grade.remarks)
    more = "" if grade.enough else f": {_mutants(grade.still_needed)} more"
    score = f"killed {grade.killed} of {len(grade.results)} ({grade.score:.2f}, need {grade.need:.2f}{more})"
    lines.append(_labelled("mutants", f"{score}   {grade.seconds:.1f} s"))
    for outcome, title in (
        (SURVIVED, "survived: no test of yours fails on"),
        (TIMED_OUT, "timed out, not killed"),
        (CRASHED, "crashed, not killed"),
        (NOT_COLLECTED, "could not be collected, not killed"),
        (EMPTY, "ran no test, not killed"),
    ):
        results = grade.with_outcome(outcome)
        shown = results if verbose else results[:_NAMED]
        if results:
            lines.append(f"  {title}")
            lines += [
                line
                for result in shown
                for line in _wrapped(f"{result.mutant.id}  {result.mutant.behaviour}", 4, hang=5)
            ]
        if len(shown) < len(results):
            lines.append(f"    {len(results) - len(shown)} more   (-v shows all, .ol/last.txt too)")
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


def _mutants(count: int) -> str:
    return "1 mutant" if count == 1 else f"{count} mutants"


def _difference_lines(difference: dict[str, Any], judgement: Judgement, room: int) -> list[str]:
    expected, got = (judgement.told(difference[key]).replace("\n", "\\n") for key in ("expected", "got"))
    column = difference["column"]
    room -= 18
    if column is not None and max(len(expected), len(got)) > room and column > room // 2:
        start = column - room // 2  # what both have in common before it, but for a little
        expected, got, column = f"...{expected[start:]}", f"...{got[start:]}", column - start + 3
    lines = [f"        expected  {_cut(expected, room)}", f"        got       {_cut(got, room)}"]
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


def _folded(line: str, indent: int, room: int) -> list[str]:
    """A line of a message, which may be code or a table: as it is where it fits, else wrapped with its own indent."""
    if indent + len(line) <= room:
        return [" " * indent + line]
    own = len(line) - len(line.lstrip())
    wrapped = textwrap.wrap(line.strip(), max(20, room - indent - own), break_long_words=False, break_on_hyphens=False)
    return [_cut(" " * (indent + own) + part, max(room, indent + own + _LONGEST_WORD)) for part in wrapped]


def _cut(line: str, room: int) -> str:
    return line if len(line) <= room else f"{line[: max(0, room - 4)]} ..."


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

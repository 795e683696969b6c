"""The command `ol`: parse, call, print, exit code. No decision about a module is taken here.

Exit codes: 0 passed (or done), 1 not yet, 2 could not judge (a missing need, wrong usage, an interrupt).
"""

from __future__ import annotations

import difflib
import os
import signal
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from .catalog import Course
from .errors import OlError

app = typer.Typer(
    name="ol",
    help="Build a tokenizer module by module: ol judges your code by the course's tests, and your tests by mutants.",
    epilog="Start with ol list, or in an empty folder: ol start L1.1",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)


def _examples(*lines: str) -> str:
    """An epilog that keeps its lines."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


ModuleId = Annotated[str, typer.Argument(metavar="MODULE", help="A module's id, such as L1.2 (ol list shows them).")]
_NOTHING = "nothing to do: everything is there"
_INTERRUPTED = 130  # what typer makes of a KeyboardInterrupt


def main() -> None:
    """Entry point: errors are one line on standard error and exit code 2, never a traceback."""
    for number in (signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ():
        signal.signal(number, _interrupt)
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="ol", standalone_mode=False)
        if code == _INTERRUPTED:
            code = _fail("interrupted: nothing was judged")
    except OlError as error:
        code = _fail(str(error), error.next)
    except (KeyboardInterrupt, typer.Abort):
        code = _fail("interrupted: nothing was judged")
    except OSError as error:
        code = _fail(str(error))
    except typer.Exit as exit:
        code = exit.exit_code
    except Exception as error:
        if not hasattr(error, "format_message"):  # a usage error of the command line parser has it
            raise
        code = _fail(f"{error.format_message()} (ol --help shows the commands)")
    sys.exit(code if isinstance(code, int) else 0)


@app.command(
    short_help="Make a module's stubs and test file.",
    epilog=_examples("ol start L1.2        in your repo, or in an empty folder that becomes it"),
)
def start(module: ModuleId) -> None:
    """Make a module's stubs and the test file to fill in. Never touches a file that exists."""
    from .report import console, show
    from .workspace import Workspace, make_workspace

    course = _course()
    chosen = course.module(module)
    if chosen.later:
        raise OlError(f"{chosen.id} ({chosen.title}) is not in this course yet", next="ol list")
    delivered = []
    workspace = Workspace.find(course, Path.cwd())
    if workspace is None:
        workspace, made = make_workspace(course, Path.cwd())
        delivered.append(made)
    delivered += workspace.start(chosen)
    lines = [f"{chosen.id}  {chosen.title}   in {workspace.root}", ""]
    lines += [f"  {line.status:5} {line.path}   {line.remark}".rstrip() for line in delivered]
    for path in workspace.hiding():
        text = f"warning: {path} makes your folder the whole package, so that plain pytest and notebooks no longer find the installed modules you have not built: remove it (ol check does not mind)."
        lines += ["", *textwrap.wrap(text, 78)]
    if all(line.status == "kept" for line in delivered):
        console().print("\n".join([*lines, "", _NOTHING, f"Next: ol check {chosen.id}"]))
        return
    missing = [need.id for need in course.all_needs(chosen) if workspace.is_missing(need)]
    if missing:
        lines += [
            "",
            *textwrap.wrap(
                f"{chosen.id} builds on {', '.join(missing)}, which you have not built: build them first, or use --ref-deps.",
                78,
            ),
        ]
    if chosen.root == "python":
        lines += ["", "Your code is imported from the folder python/:"]
        lines += ["  pytest          finds it by itself (pyproject.toml says pythonpath)"]
        lines += ["  a shell         export PYTHONPATH=python"]
        lines += ['  a notebook      import sys; sys.path.insert(0, "python")     as its first line']
        lines += [
            "What you have not built comes from the installed package; ol check is strict",
            "and takes your files only.",
        ]
    if chosen.chapter:
        lines += ["", f"Read: {course.path / chosen.chapter}"]
    lines += ["All tests fail now; that is the right start.", f"Next: ol tests {chosen.id}"]
    show(lines)


@app.command(short_help="List the course tests of a module.", epilog=_examples("ol tests L1.2", "ol tests L1.2 | grep BOUNDARY"))
def tests(module: ModuleId) -> None:
    """List the course tests of a module: name, kind, what each checks, and why it matters downstream."""
    from .report import show, width

    course = _course()
    chosen = course.module(module)
    if not chosen.test:
        raise OlError(f"{chosen.id} ({chosen.title}) is not in this course yet", next="ol list")
    lines = [f"{chosen.id}  {chosen.title}: {len(chosen.test)} tests", ""]
    for test in chosen.test:
        lines.append(f"{test.name}   {test.kind.upper()}")
        for label, text in (("checks", test.checks), ("why", test.why)):
            lines += textwrap.wrap(text, width(), initial_indent=f"    {label:8}", subsequent_indent=" " * 12)
    lines += ["", f"Read them: {course.path / chosen.tests}"]
    if chosen.mutants:
        lines += textwrap.wrap(
            f"Your own tests, {chosen.own_tests}, must kill {chosen.threshold:.0%} of the seeded mutants.", width()
        )
    lines.append(f"Next: ol check {chosen.id}")
    show(lines)


@app.command(
    short_help="Judge your code, then grade your tests.",
    epilog=_examples(
        "ol check L1.2               your code, on your own L1.1, M05.2 and M06.2",
        "ol check L1.2 --ref-deps    your code, on the reference's",
        "ol check L1.2 -k ties       only tests whose name has ties: no verdict",
        "ol check L1.2 --json        for machines",
    )
    + "\n\nYour code runs in a copy, with limits of time and memory. That guards against accidents, not against malice: "
    "ol promises no security.",
)
def check(
    module: ModuleId,
    ref_deps: Annotated[
        bool,
        typer.Option("--ref-deps", help="Use the reference for the modules this one needs. A pass does not complete the module."),
    ] = False,
    select: Annotated[
        Optional[str],
        typer.Option(
            "-k",
            metavar="EXPR",
            help="Run only tests that match, as pytest's -k. Gives no verdict and no grade; exit 0 or 1 tells whether they passed.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show every test, and every failure in full.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object (course/formats/check-json.md).")] = False,
) -> None:
    """Judge a module: the course tests on your code, then your own tests on mutants. Exit 0 passed, 1 not yet, 2 could not judge."""
    raise typer.Exit(_check(_course(), module, ref_deps, select, verbose, as_json))


@app.command(
    short_help="Show your code beside the reference.",
    epilog=_examples("ol diff L1.2             after a pass", "ol diff L1.2 --anyway    before one"),
)
def diff(
    module: ModuleId,
    anyway: Annotated[bool, typer.Option("--anyway", help="Show the reference although the module has not passed.")] = False,
) -> None:
    """Show your code beside the reference, after a pass. Another solution is not a wrong one."""
    from .report import console
    from .workspace import Workspace

    course = _course()
    chosen = course.module(module)
    workspace = Workspace.require(course, Path.cwd())
    if chosen.later:
        raise OlError(f"{chosen.id} ({chosen.title}) is not in this course yet", next="ol list")
    out = console()
    if not anyway and not workspace.has_passed(chosen):
        out.print(f"{chosen.id} has not passed yet: the reference is best read after your own solution.")
        out.print(f"To see it anyway: ol diff {chosen.id} --anyway")
        out.print(f"Next: ol check {chosen.id}")
        raise typer.Exit(1)
    differs = False
    for file in chosen.files:
        path = workspace.file(chosen, file)
        own = path.read_text(encoding="utf-8") if path.is_file() else ""
        reference = course.reference_file(chosen, file).read_text(encoding="utf-8")
        name = chosen.path(file)
        for line in difflib.unified_diff(
            own.splitlines(), reference.splitlines(), f"{name} (yours)", f"{name} (the reference)", lineterm=""
        ):
            differs = True
            out.print(line, style=_diff_style(line))
    if not differs:
        out.print(f"{chosen.id}: your code and the reference are the same.")
    followers = [id for id in chosen.next if not course.modules[id].later]
    out.print(f"Next: ol start {followers[0]}" if followers else "Next: ol list")


@app.command(name="list", short_help="List the modules and how each stands.", epilog=_examples("ol list"))
def list_modules() -> None:
    """List the modules, how each stands in your repo, and the next one to work on."""
    from .report import show
    from .workspace import Workspace

    course = _course()
    workspace = Workspace.find(course, Path.cwd())
    lines = [course.title, ""]
    following = ""
    for module in course.modules.values():
        standing = workspace.standing(module) if workspace else "later" if module.later else "not started"
        needs = f"   needs {', '.join(module.needs)}" if module.needs else ""
        lines.append(f"  {module.id:8}{standing:26}{module.title}{needs}")
        if not following and standing not in ("done", "later"):
            verb = "start" if standing == "not started" else "check"
            following = f"ol {verb} {module.id}"
    if workspace is None:
        lines += ["", f"{Path.cwd()} lies in no course repo yet: ol start makes one of it."]
    show([*lines, f"Next: {following or 'nothing: every module is done'}"])


@app.command(
    short_help="Give a hint, from a nudge to plain words.",
    epilog=_examples(
        "ol hint L1.2               the list of pitfalls",
        "ol hint L1.2 1             a hint; again: one level deeper",
        "ol hint L1.2 1 --level 3   the plainest",
    ),
)
def hint(
    module: ModuleId,
    number: Annotated[
        Optional[int], typer.Argument(metavar="N", help="The pitfall's number; without it, the list of them.")
    ] = None,
    level: Annotated[
        Optional[int],
        typer.Option("--level", metavar="1-3", min=1, max=3, help="Show this level; otherwise each call goes one level deeper."),
    ] = None,
) -> None:
    """List the pitfalls of a module, or give a hint for one: three levels, from a nudge to plain words."""
    from .hints import LEVELS, load_hints
    from .report import show, width
    from .workspace import Workspace

    course = _course()
    chosen = course.module(module)
    hints = load_hints(course, chosen)
    if number is None:
        lines = [f"{chosen.id}  {chosen.title}: pitfalls", "", *(f"  {hint.number}  {hint.title}" for hint in hints)]
        show([*lines, f"Next: ol hint {chosen.id} N"])
        return
    found = next((hint for hint in hints if hint.number == number), None)
    if found is None:
        raise OlError(f"{chosen.id} has no hint {number}: its hints are 1 to {len(hints)}", next=f"ol hint {chosen.id}")
    workspace = Workspace.find(course, Path.cwd())
    if level is None:
        level = workspace.next_hint_level(chosen, number, LEVELS) if workspace is not None else 1
    lines = [f"{chosen.id} hint {number}: {found.title}   (level {level} of {LEVELS})", ""]
    for paragraph in found.levels[level - 1].split("\n\n"):
        lines += paragraph.split("\n") if paragraph.startswith("    ") else textwrap.wrap(paragraph, width())
        lines.append("")
    deeper = f"ol hint {chosen.id} {number} (one level deeper), or " if level < LEVELS else ""
    show([*lines, f"Next: {deeper}ol check {chosen.id}"])


@app.command(short_help="Check again whenever a file is saved.", epilog=_examples("ol watch L1.2", "ol watch L1.2 --ref-deps"))
def watch(
    module: ModuleId,
    ref_deps: Annotated[bool, typer.Option("--ref-deps", help="Use the reference for the modules this one needs.")] = False,
) -> None:
    """Check a module again whenever one of its files, or of your tests of it, is saved. Ctrl-C ends it."""
    from watchfiles import watch as changes

    from .report import console
    from .workspace import Workspace

    course = _course()
    chosen = course.module(module)
    workspace = Workspace.require(course, Path.cwd())
    folders = {workspace.file(chosen, file).parent for file in chosen.files}
    if chosen.own_tests:
        folders.add(workspace.own_tests(chosen))
    existing = sorted(folder for folder in folders if folder.is_dir())
    if not existing:
        raise OlError(f"there is nothing to watch: {chosen.files[0]} is not there yet", next=f"ol start {chosen.id}")
    names = ", ".join(workspace.shown(folder) for folder in existing)
    try:
        _check_and_go_on(course, module, ref_deps)
        console().print(f"watching {names}: save a file, or end with Ctrl-C")
        for _ in changes(*existing, watch_filter=_is_source, raise_interrupt=True, step=100):
            _check_and_go_on(course, module, ref_deps)
            console().print(f"watching {names}: save a file, or end with Ctrl-C")
    except KeyboardInterrupt:
        console().print("stopped watching")


def _check(course: Course, module: str, ref_deps: bool, select: str | None, verbose: bool, as_json: bool) -> int:
    from .judge import check as judge
    from .report import error_json, judgement_lines, progress, show, to_json
    from .workspace import Workspace

    chosen = course.module(module)
    workspace = Workspace.require(course, Path.cwd())
    try:
        with progress(quiet=as_json) as tell:
            judgement = judge(course, workspace, chosen, ref_deps=ref_deps, select=select, progress=tell)
    except OlError as error:
        if not as_json:
            raise
        print(error_json(chosen.id, ref_deps, error.next))
        return _fail(str(error))
    if as_json:
        print(to_json(judgement))
    else:
        show(judgement_lines(judgement, course, workspace, verbose))
    if select is None and judgement.exit != 2:
        _remember(judgement, course, workspace)
    return judgement.exit


def _remember(judgement: Any, course: Course, workspace: Any) -> None:
    from .report import console, judgement_lines

    tests = (len(judgement.tests) - len(judgement.failed), len(judgement.tests))
    full = "\n".join(judgement_lines(judgement, course, workspace, verbose=True)) + "\n"
    try:
        workspace.remember(judgement.module, judgement.exit == 0, judgement.ref_deps, tests, full)
    except OSError as error:
        console(stderr=True).print(f"ol: the outcome could not be kept: {error}")


def _check_and_go_on(course: Course, module: str, ref_deps: bool) -> None:
    try:
        _check(course, module, ref_deps, None, False, False)
    except OlError as error:
        _fail(str(error), error.next)


def _is_source(change: Any, path: str) -> bool:
    return path.endswith(".py")


def _diff_style(line: str) -> str:
    if line.startswith(("---", "+++")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def _course() -> Course:
    """The course that `ol` came with, or the one in the folder that OL_COURSE names (for whoever writes one)."""
    folder = os.environ.get("OL_COURSE")
    return Course.load(Path(folder) if folder else None)


def _fail(message: str, next: str = "") -> int:
    print(f"ol: {message}", file=sys.stderr)
    if next:
        print(f"Next: {next}")
    return 2


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()

"""The command `ol`: parse, call, print, exit code. No decision about a module is taken here.

Exit codes: 0 passed (or done), 1 not yet, 2 could not judge (a missing need, wrong usage, an interrupt).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .catalog import Course, Module
from .errors import OlError, fail
from .leftovers import remove_abandoned
from .output import settle

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
_INTERRUPTED = 130  # what typer makes of a KeyboardInterrupt


def main() -> None:
    """Entry point: errors are one line on standard error and exit code 2, never a traceback."""
    settle()
    for number in (signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ():
        signal.signal(number, _interrupt)
    try:
        remove_abandoned()
        code = app(sys.argv[1:] or ["--help"], prog_name="ol", standalone_mode=False)
        if code == _INTERRUPTED:
            code = fail("interrupted: nothing was judged")
    except OlError as error:
        code = fail(str(error), error.next)
    except (KeyboardInterrupt, typer.Abort):
        code = fail("interrupted: nothing was judged")
    except BrokenPipeError:
        code = 0  # whoever read the help has gone
    except OSError as error:
        code = fail(str(error))
    except typer.Exit as exit:
        code = exit.exit_code
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of the command line parser
            code = fail(f"{error.format_message()} (ol --help shows the commands)")
        elif os.environ.get("OL_DEBUG"):
            raise
        else:
            code = fail(f"this should not have happened: {type(error).__name__}: {error} (OL_DEBUG=1 shows where)")
    sys.exit(code if isinstance(code, int) else 0)


@app.command(
    short_help="Make a module's stubs and test file.",
    epilog=_examples("ol start L1.2        in your repo, or in an empty folder that becomes it"),
)
def start(module: ModuleId) -> None:
    """Make a module's stubs and the test file to fill in. Never touches a file that exists."""
    from .pages import start_page
    from .report import show
    from .workspace import Workspace, make_workspace

    course = Course.at_hand()
    chosen = course.present(module)
    made = []
    workspace = Workspace.find(course, Path.cwd())
    if workspace is None:
        workspace, pyproject = make_workspace(course, Path.cwd())
        made.append(pyproject)
    delivered = made + workspace.start(chosen)
    show(start_page(course, workspace, chosen, delivered))


@app.command(
    short_help="List the course tests of a module.", epilog=_examples("ol tests L1.2", "ol tests L1.2 | grep BOUNDARY")
)
def tests(module: ModuleId) -> None:
    """List the course tests of a module: name, kind, what each checks, and why it matters downstream."""
    from .pages import tests_page
    from .report import show

    course = Course.at_hand()
    chosen = course.present(module)
    show(tests_page(course, chosen, _command(course, chosen)))


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
        typer.Option(
            "--ref-deps", help="Use the reference for the modules this one needs. A pass does not complete the module."
        ),
    ] = False,
    select: Annotated[
        str | None,
        typer.Option(
            "-k",
            metavar="EXPR",
            help="Run only tests that match, as pytest's -k. Gives no verdict and no grade; exit 0 or 1 tells whether they passed.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Show every test, and every failure in full.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (course/formats/check-json.md).")
    ] = False,
) -> None:
    """Judge a module: the course tests on your code, then your own tests on mutants. Exit 0 passed, 1 not yet, 2 could not judge."""
    from .session import run_check

    code = run_check(Course.at_hand(), module, ref_deps=ref_deps, select=select, verbose=verbose, as_json=as_json)
    raise typer.Exit(code)


@app.command(
    short_help="Show your code beside the reference.",
    epilog=_examples("ol diff L1.2             after a pass", "ol diff L1.2 --anyway    before one"),
)
def diff(
    module: ModuleId,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Show the reference although the module has not passed.")
    ] = False,
) -> None:
    """Show your code beside the reference, after a pass. Another solution is not a wrong one."""
    from .pages import diff_page, diff_style, wait_page
    from .report import show
    from .workspace import Workspace

    course = Course.at_hand()
    chosen = course.present(module)
    workspace = Workspace.require(course, Path.cwd(), chosen)
    if not anyway and not workspace.has_passed(chosen):
        show(wait_page(chosen, workspace.command(chosen)))
        raise typer.Exit(1)
    show(diff_page(course, workspace, chosen), diff_style)


@app.command(name="list", short_help="List the modules and how each stands.", epilog=_examples("ol list"))
def list_modules() -> None:
    """List the modules, how each stands in your repo, and the next one to work on."""
    from .pages import list_page
    from .report import show
    from .workspace import Workspace

    course = Course.at_hand()
    show(list_page(course, Workspace.find(course, Path.cwd()), Path.cwd()))


@app.command(
    short_help="Give a hint, from a nudge to plain words.",
    epilog=_examples(
        "ol hint L1.2               the list of pitfalls",
        "ol hint L1.2 1             a hint; again: one level deeper",
        "ol hint L1.2 1 --level 3   the plainest",
        "ol hint L1.2 s04           an input to try, for a mutant that survived",
    ),
)
def hint(
    module: ModuleId,
    number: Annotated[
        str | None,
        typer.Argument(
            metavar="N", help="A pitfall's number, or the id of a mutant that survived; without it, a list."
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            "--level", metavar="1-3", min=1, max=3, help="Show this level; otherwise each call goes one level deeper."
        ),
    ] = None,
) -> None:
    """List the pitfalls of a module, or give a hint for one: three levels, from a nudge to plain words."""
    from .hints import LEVELS, find_hint, load_hints
    from .pages import hint_page, hints_page, mutant_page
    from .report import show
    from .workspace import Workspace

    course = Course.at_hand()
    chosen = course.present(module)
    hints = load_hints(course, chosen)
    if number is None:
        show(hints_page(chosen, hints))
        return
    found = find_hint(course, chosen, hints, number)
    if isinstance(found, str):
        show(mutant_page(chosen, number, found, _command(course, chosen)))
        return
    workspace = Workspace.find(course, Path.cwd())
    if level is None:
        level = workspace.next_hint_level(chosen, found.number, LEVELS) if workspace is not None else 1
    show(hint_page(chosen, found, level, _command(course, chosen)))


@app.command(
    short_help="Check again whenever a file is saved.", epilog=_examples("ol watch L1.2", "ol watch L1.2 --ref-deps")
)
def watch(
    module: ModuleId,
    ref_deps: Annotated[
        bool, typer.Option("--ref-deps", help="Use the reference for the modules this one needs.")
    ] = False,
) -> None:
    """Check a module again whenever one of its files, or of your tests of it, is saved. Ctrl-C ends it. It needs the package watchfiles."""
    try:
        from watchfiles import watch as changes
    except ModuleNotFoundError:
        raise OlError("ol watch needs the package watchfiles", next="pip install watchfiles") from None

    from .report import show
    from .session import run_check
    from .workspace import Workspace

    course = Course.at_hand()
    chosen = course.present(module)
    workspace = Workspace.require(course, Path.cwd(), chosen)
    folders = {workspace.file(chosen, file).parent for file in chosen.files}
    if chosen.own_tests:
        folders.add(workspace.own_tests(chosen))
    existing = sorted(folder for folder in folders if folder.is_dir())
    if not existing:
        raise OlError(f"there is nothing to watch for {chosen.id} yet", next=f"ol start {chosen.id}")
    names = ", ".join(workspace.shown(folder) for folder in existing)

    def check_once() -> None:
        try:
            run_check(course, module, ref_deps=ref_deps, select=None, verbose=False, as_json=False)
        except OlError as error:
            fail(str(error), error.next)
        show([f"watching {names}: save a file, or end with Ctrl-C"])

    try:
        check_once()
        for _ in changes(*existing, watch_filter=_is_source, raise_interrupt=True, step=100):
            check_once()
    except KeyboardInterrupt:
        show(["stopped watching"])


def _command(course: Course, module: Module) -> str:
    """The command that works on the module in the current folder."""
    from .workspace import Workspace

    workspace = Workspace.find(course, Path.cwd())
    return workspace.command(module) if workspace else f"ol start {module.id}"


def _is_source(change: Any, path: str) -> bool:
    return path.endswith(".py")


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()

"""One check from beginning to end: judge, print, remember. What `ol check` does once and `ol watch` does again and again."""

from __future__ import annotations

from pathlib import Path

from .catalog import Course
from .check_json import error_json, to_json
from .errors import OlError, fail
from .judge import Judgement
from .judge import check as judge
from .report import console, judgement_lines, progress, show
from .workspace import Workspace


def run_check(course: Course, id: str, *, ref_deps: bool, select: str | None, verbose: bool, as_json: bool) -> int:
    """Check a module in the current folder's workspace; the exit code. Raises OlError if there is nothing to judge."""
    module = course.module(id)
    try:
        workspace = Workspace.require(course, Path.cwd(), course.present(id))
        with progress(quiet=as_json) as tell:
            judgement = judge(course, workspace, module, ref_deps=ref_deps, select=select, progress=tell)
    except OlError as error:
        if not as_json:
            raise
        print(error_json(module.id, ref_deps, error.next))
        return fail(str(error))
    if as_json:
        print(to_json(judgement))
    else:
        show(judgement_lines(judgement, course, workspace, verbose))
    if select is None and judgement.exit != 2:
        _remember(judgement, course, workspace)
    return judgement.exit


def _remember(judgement: Judgement, course: Course, workspace: Workspace) -> None:
    tests = (len(judgement.tests) - len(judgement.failed), len(judgement.tests))
    full = "\n".join(judgement_lines(judgement, course, workspace, verbose=True)) + "\n"
    try:
        workspace.remember(judgement.module, judgement.exit == 0, judgement.ref_deps, tests, full)
    except OSError as error:
        console(stderr=True).print(f"ol: the outcome could not be kept: {error}")

"""One check from beginning to end: judge, print, remember. What `ol check` does once and `ol watch` does again and again."""

from __future__ import annotations

from pathlib import Path

from .catalog import Course
from .check_json import error_json, to_json
from .errors import OlError, fail
from .judge import Judgement
from .judge import check as judge
from .output import complain, emit
from .report import judgement_lines, progress, show
from .workspace import STATE, Workspace


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
        emit(error_json(module.id, ref_deps, error.next) + "\n")
        return fail(str(error))
    # Remembered first and printed afterwards: whoever reads may stop reading.
    kept = _remember(judgement, course, workspace) if select is None and judgement.exit != 2 else ""
    if as_json:
        emit(to_json(judgement) + "\n")
    else:
        show(judgement_lines(judgement, course, workspace, verbose))
    if kept:
        complain(kept)
    return judgement.exit


def _remember(judgement: Judgement, course: Course, workspace: Workspace) -> str:
    """Keep the outcome; what to say if it could not be kept."""
    tests = (len(judgement.tests) - len(judgement.failed), len(judgement.tests))
    full = "\n".join(judgement_lines(judgement, course, workspace, verbose=True)) + "\n"
    try:
        workspace.remember(
            judgement.module, judgement.exit == 0, judgement.ref_deps, tests, judgement.fingerprint, full
        )
    except OSError as error:
        return (
            f"ol: not stored: {workspace.root / STATE} cannot be written ({error.strerror}): make room or rights there, "
            f"then run ol check {judgement.module.id} again"
        )
    return ""

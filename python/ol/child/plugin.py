"""The pytest plugin of the judge: one JSON line for each thing that happens, in a report of the runner's own.

Records: `ready` (the student's code comes next), `importing` and `module` (import and contract of a file under
judgement), `collected`, `start`, `test` (one a phase that matters), `error` (a file that could not be collected),
`stopped` (the run was, outside of a test) and `closing`. Only the process that opened the report writes to it, so a fork
of the student's code adds nothing.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import _pytest.assertion.rewrite
import _pytest.assertion.util
import pytest

from .clock import Clock, TookTooLong, TookTooLongBefore
from .failure import cut, explain
from .honest import compare_honestly
from .report import Report

_exit = pytest.exit.Exception  # ours, whatever student code makes of pytest

_WRAPPED = "your code closed or replaced sys.stdout or sys.stderr. Leave them as they are, and print"


class Stopped(Exception):
    """In place of KeyboardInterrupt and pytest.exit in a test: they would end the run, and with it the tests after it."""


class Judge:
    """Reports every test of one pytest run.

    `canaries` are the names of tests that must fail: they are moved to random places among the others. Functions named in
    `leave_out` are not run. `limits` has the seconds of one test, of processor time and by the clock (None: no limit).
    With `honest`, comparisons in test files are proof against objects that equal everything.
    """

    def __init__(
        self,
        report: Report,
        stage: str,
        canaries: list[str],
        leave_out: list[str],
        limits: dict[str, Any],
        honest: bool,
    ) -> None:
        self._report, self._stage = report, stage
        code = os.path.join(stage, "python")
        self._imports = Clock(code, limits["import_seconds"], limits["import_wall_seconds"])
        self._tests = limits["test_seconds"] and Clock(code, limits["test_seconds"], limits["test_wall_seconds"])
        self._canaries, self._leave_out = set(canaries), set(leave_out)
        self._compared: tuple[Any, Any] | None = None
        if honest:
            _rewrite_honestly()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        self._report.write("ready")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        canaries = [item for item in items if _name(item) in self._canaries]
        items[:] = [item for item in items if _name(item) not in self._canaries | self._leave_out]
        chance = random.SystemRandom()
        for canary in canaries:
            items.insert(chance.randint(0, len(items)), canary)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._report.write("collected", ids=[item.nodeid for item in session.items])

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        with self._imports.limited(collector.nodeid):  # collecting a file imports it
            report = yield
        if report.failed:
            call = getattr(report, "call", None)
            if call is not None and call.excinfo is not None:
                failure = explain(_cause(call.excinfo.value), self._stage)
            else:
                failure = {"error": "", "says": cut(str(report.longrepr)), "frames": []}
            self._report.write("error", id=report.nodeid, failure=failure)
        return report

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._report.write("start", id=nodeid)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._report.write("stopped", failure=explain(excinfo.value, self._stage))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        self._compared = None
        # Set for each test, since pytest sets its own for each test: that one prints long differences, at a quadratic cost.
        _pytest.assertion.util._reprcompare = self._remember
        with _going_on():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        with _going_on():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        if not self._tests:
            with _going_on():
                return (yield)
        with self._tests.limited(item.name), _going_on():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        error = _stop_of(call.excinfo.value) if call.excinfo is not None else None
        # First, since it shortens the tracebacks that pytest then looks at.
        failure = explain(error, self._stage, self._compared) if error is not None else {}
        try:
            report = yield
        except BaseException:  # pytest could not render the exception: student code may make anything of one
            report = _plain_report(item, call)
        if report.when == "call" or not report.passed:
            facts: dict[str, Any] = {
                "id": item.nodeid,
                "name": _name(item),
                "when": report.when,
                "outcome": report.outcome,
            }
            facts["seconds"] = round(call.duration, 4)
            facts["xfail"] = hasattr(report, "wasxfail")
            if error is not None and not report.passed:
                facts["failure"] = failure
                if isinstance(error, pytest.FixtureLookupError):
                    facts["failure"]["says"] = f"there is no fixture {error.argname!r}"
                elif not failure["frames"] and failure["says"].rstrip(".").endswith(("closed file", "detached")):
                    failure["says"] += f": {_WRAPPED}"  # raised in pytest, which reads there what tests print
                facts["timeout"] = isinstance(error, TookTooLong)
                facts["timed_out_before"] = isinstance(error, TookTooLongBefore)
                facts["printed"] = cut("".join(text for _, text in report.sections), 2000)
            elif not report.passed:
                facts["failure"] = {"error": "", "says": cut(str(report.longrepr)), "frames": []}
            self._report.write("test", **facts)
        return report

    def _remember(self, operator: str, left: Any, right: Any) -> str | None:
        self._compared = (left, right) if operator == "==" else None
        return None


def strays(stage: str, packages: list[str]) -> list[str]:
    """Modules of `packages` that were loaded from outside the stage."""
    found = []
    for name, module in list(sys.modules.items()):
        if type(name) is str and name.partition(".")[0] in packages and not _is_within(stage, module):
            found.append(name)
    return found


def _is_within(stage: str, module: Any) -> bool:
    try:
        path = getattr(module, "__file__", None)
        return not path or os.path.realpath(path).startswith(stage + os.sep)
    except BaseException:  # no module at all, but something that student code put there
        return False


def _plain_report(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
    """A report of a failure whose exception pytest cannot render."""
    text = "an exception that cannot be shown"
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, call.when, (), call.duration)


def _cause(error: BaseException) -> BaseException:
    """What went wrong in a file that pytest could not collect: it wraps some errors in its own."""
    while isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
        error = error.__cause__
    return error


@contextmanager
def _going_on() -> Iterator[None]:
    """Let what would end the whole run end this phase of this test. Nobody presses Ctrl-C here: the code raised it."""
    try:
        yield
    except (KeyboardInterrupt, _exit) as stop:
        raise Stopped from stop


def _stop_of(error: BaseException) -> BaseException:
    return error.__cause__ if isinstance(error, Stopped) and error.__cause__ is not None else error


def _name(item: pytest.Item) -> str:
    return getattr(item, "originalname", None) or item.name


def _rewrite_honestly() -> None:
    """Let pytest rewrite assertions as always, then probe what they compare.

    pytest offers no hook between the two. Should a later version rename the function, the AttributeError here, or the
    canary that compares a liar, makes the run end without a verdict rather than with a wrong one.
    """
    rewrite = _pytest.assertion.rewrite.rewrite_asserts

    def rewrite_and_probe(tree: Any, *arguments: Any, **named: Any) -> None:
        rewrite(tree, *arguments, **named)
        compare_honestly(tree)

    vars(_pytest.assertion.rewrite)["rewrite_asserts"] = rewrite_and_probe

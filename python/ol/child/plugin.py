"""The pytest plugin of the judge: one JSON line for each thing that happens, in a report of the runner's own.

Records: `importing` and `module` (import and contract of a file under judgement), `collected`, `start`, `test` (one a phase that matters),
`error` (a file that could not be collected) and `closing`. Only the process that opened the report writes to it, so a fork
of the student's code adds nothing.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Generator
from typing import Any

import _pytest.assertion.rewrite
import _pytest.assertion.util
import pytest

from .clock import Clock, TookTooLong, TookTooLongBefore
from .failure import cut, explain
from .honest import compare_honestly

_WRAPPED = "your code closed or replaced sys.stdout or sys.stderr. Leave them as they are, and print"


class Report:
    """The runner's own report: a file of JSON lines, each with the run's nonce."""

    def __init__(self, path: str, nonce: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._nonce, self._process = nonce, os.getpid()

    def write(self, kind: str, **facts: Any) -> None:
        if os.getpid() == self._process:
            os.write(self._file, json.dumps({"nonce": self._nonce, "kind": kind, **facts}).encode() + b"\n")


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

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._compared = None
        # Set for each test, since pytest sets its own for each test: that one prints long differences, at a quadratic cost.
        _pytest.assertion.util._reprcompare = self._remember

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        if not self._tests:
            return (yield)
        with self._tests.limited(item.name):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        failure = explain(call.excinfo.value, self._stage, self._compared) if call.excinfo is not None else {}
        report = yield
        if report.when == "call" or not report.passed:
            facts: dict[str, Any] = {
                "id": item.nodeid,
                "name": _name(item),
                "when": report.when,
                "outcome": report.outcome,
            }
            facts["seconds"] = round(call.duration, 4)
            facts["xfail"] = hasattr(report, "wasxfail")
            if call.excinfo is not None and not report.passed:
                error = call.excinfo.value
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
        path = getattr(module, "__file__", None)
        if name.partition(".")[0] in packages and path and not os.path.realpath(path).startswith(stage + os.sep):
            found.append(name)
    return found


def _cause(error: BaseException) -> BaseException:
    """What went wrong in a file that pytest could not collect: it wraps some errors in its own."""
    while isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
        error = error.__cause__
    return error


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

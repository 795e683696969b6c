"""Start of every process in a stage: set the limits, then run the job that the runner wrote down.

A job is a JSON object: `what` ("tests" or "witness"), `stage`, `path` (what sys.path is to be), `report` and its `key`,
`limits`, and what the kind of job needs. The process ends by os._exit, so that nothing that student code left behind
(atexit hooks, threads) runs after the closing record.
"""

from __future__ import annotations

import ast
import faulthandler
import importlib
import json
import math
import os
import pdb
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any, TextIO

_end = os._exit  # ours, whatever student code makes of os


def main(job_path: str) -> None:
    with open(job_path, encoding="utf-8") as file:
        job = json.load(file)
    os.unlink(job_path)  # it has the report's key
    _limit(job["limits"])
    # Where the code was when time ran out: the kernel ends the process by SIGXCPU, or the runner does shortly after the dump.
    where = open(job["where"], "w", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives
    faulthandler.enable(file=where, all_threads=False)  # a crash, such as SIGSEGV
    faulthandler.register(signal.SIGXCPU, file=where, all_threads=False, chain=True)
    faulthandler.dump_traceback_later(max(0.1, job["limits"]["wall_seconds"] - 0.3), file=where)
    sys.path[:] = job["path"]
    code = _witness(job) if job["what"] == "witness" else _tests(job, where)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue  # closed or replaced by the student's code
    _end(code)


def _without_debugger() -> None:
    """Let `breakpoint()` and `pdb.set_trace()` raise: the debugger's end would be an error in what runs after their line."""

    def stand_in(name: str) -> Callable[..., None]:
        def raises(*arguments: Any, **named: Any) -> None:
            raise RuntimeError(f"{name} has nobody to ask here: take it out, or run your own tests with pytest")

        return raises

    sys.breakpointhook = stand_in("breakpoint()")
    pdb.set_trace = stand_in("pdb.set_trace()")


def _limit(limits: dict[str, Any]) -> None:
    for name, value in (
        ("RLIMIT_AS", limits["memory_mb"] * 1024 * 1024),
        ("RLIMIT_FSIZE", limits["file_mb"] * 1024 * 1024),
        ("RLIMIT_CPU", math.ceil(limits["seconds"])),
        ("RLIMIT_CORE", 0),
    ):
        try:
            hard = resource.getrlimit(getattr(resource, name))[1]
            most = value + 1  # SIGXCPU comes at the soft limit, SIGKILL at the hard one
            value, most = (value, most) if hard == resource.RLIM_INFINITY else (min(value, hard), min(most, hard))
            resource.setrlimit(getattr(resource, name), (value, most))
        except (AttributeError, OSError, ValueError):
            continue  # macOS does not know or honour all of them


def _tests(job: dict[str, Any], where: TextIO) -> int:
    import pytest

    from . import plugin
    from .plugin import Judge, strays
    from .report import Report
    from .watch import watch

    report = Report(job["report"], job.pop("key"), [vars(plugin), globals()])
    watch(job["answers"], lambda path: report.write("reached", path=path))
    _without_debugger()
    report.write("ready")
    if job["modules"]:
        # Whatever an import does, and be it a loop that no exception leaves, it ends here.
        faulthandler.dump_traceback_later(job["limits"]["import_wall_seconds"], exit=True, file=where)
    imported = all(_import(module, job, report) for module in job["modules"])
    faulthandler.dump_traceback_later(max(0.1, job["limits"]["wall_seconds"] - 0.3), file=where)
    code = 0
    if imported:
        judge = Judge(report, job["stage"], job["canaries"], job["leave_out"], job["limits"], job["honest"])
        os.chdir(job["stage"])  # wherever an import went: the arguments are relative
        code = int(pytest.main(job["arguments"], plugins=[judge]))
    report.write("closing", code=code, strays=strays(job["stage"], job["packages"]))
    return code


def _import(module: dict[str, Any], job: dict[str, Any], report: Any) -> bool:
    """Import one file under judgement before any test does, so that its own error is what the student sees."""
    from .clock import Clock
    from .contract import mismatches
    from .failure import class_name, cut, explain, plain_text

    report.write("importing", file=module["file"])
    limits = job["limits"]
    clock = Clock(job["path"][0], limits["import_seconds"], limits["wall_seconds"])
    try:
        with clock.limited(module["file"]):
            loaded = importlib.import_module(module["name"])
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: an import must not end the run
        report.write("module", file=module["file"], failure=explain(error, job["stage"]), mismatches=[])
        return False
    try:
        unkept = mismatches(module["contract"], loaded, module["optional"]) if module["contract"] is not None else []
    except BaseException as error:  # a metaclass, a default value, a property of the student's
        unkept = [f"looking at what it defines raises {class_name(error)}: {cut(plain_text(error), 200)}"]
    report.write("module", file=module["file"], failure=None, mismatches=unkept)
    return True


def _witness(job: dict[str, Any]) -> int:
    """Run a few lines; the report is the repr() of the last one, or the exception."""
    from .report import Report

    report = Report(job["report"], job.pop("key"), [globals()])
    tree = ast.parse(job["source"])
    names: dict[str, Any] = {}
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, "<witness>", "exec"), names)
        result = (
            repr(eval(compile(ast.Expression(last.value), "<witness>", "eval"), names)) if last is not None else "None"
        )
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    report.write("witness", result=result)
    return 0

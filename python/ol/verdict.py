"""The verdict on one run of course tests: what each test came to, and whether the whole can be trusted.

Honest judging means that silence is never a pass. The code passes only if the runner's own report says of every test of the
catalogue that it passed, and of three canaries, run among them, that they failed as they must, and if the run came to its
own end. The exit code of pytest decides nothing.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Any

from .catalog import Module
from .errors import OlError
from .stage import Run, Source

PASSED, NOT_YET, CANNOT_JUDGE = "passed", "not yet", "cannot judge"
USAGE_ERROR = 4  # pytest's exit code
_LAST_LINES = 5  # of what a run wrote before it ended
_MEANS = {
    "SIGSEGV": ", a crash below Python: a recursion too deep, or native code",
    "SIGABRT": ", an abort below Python: native code, or a broken sys.stdout",
    "SIGKILL": ", sent by your code, or by the system for want of memory",
}


@dataclass(frozen=True)
class TestResult:
    """One test of the catalogue. `outcome`: passed, failed, timed out, crashed or not run."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    name: str
    outcome: str
    seconds: float = 0.0
    failure: dict[str, Any] | None = None


def verdict_of(module: Module, run: Run) -> tuple[str, list[str]]:
    """The verdict on the code alone, and the sentences that explain it where no test does."""
    found = results(module, run, None)
    mismatches = [
        f"{_shown(run, record['file'])}: {sentence}" for record in run.of("module") for sentence in record["mismatches"]
    ]
    notes = [f"not as the contract says: {sentence}" for sentence in mismatches]
    broken_import = any(record["failure"] for record in run.of("module"))
    tampered = None if broken_import else tampering(run)
    if tampered is not None:
        return CANNOT_JUDGE, [tampered]
    unknown = (
        {record["name"] for record in run.of("test") if record["outcome"] == "failed"}
        - {test.name for test in module.test}
        - set(run.canaries)
    )
    if unknown:
        notes.append(f"tests that the catalogue does not have failed too: {', '.join(sorted(unknown))}")
    if run.of("stopped"):
        notes.append(f"the run was stopped before its end ({run.of('stopped')[0]['failure']['error']})")
    all_passed = bool(found) and all(test.outcome == "passed" for test in found)
    if all_passed and run.closed and _canaries_failed(run) and not (notes or broken_import or run.of("error")):
        return PASSED, []
    return NOT_YET, notes + _unusual_ends(module, run)


def missing(run: Run) -> list[tuple[str, str]]:
    """The names that the contracts have and the modules have not, each with its file."""
    return [
        (re.sub(r"^class |\(\)$", "", sentence.removesuffix(" is missing")), _shown(run, record["file"]))
        for record in run.of("module")
        for sentence in record["mismatches"]
        if sentence.endswith(" is missing")
    ]


def results(module: Module, run: Run, select: str | None) -> list[TestResult]:
    """One result for each test of the catalogue; with -k, for those that were selected."""
    collected = [id for record in run.of("collected") for id in record["ids"]]
    started = [record["id"] for record in run.of("start")]
    records: dict[str, list[dict[str, Any]]] = {}
    for record in run.of("test"):
        records.setdefault(record["id"], []).append(record)
    found = []
    for test in module.test:
        ids = [id for id in collected if _function(id) == test.name]
        if select is not None and not ids and run.of("collected") and not run.of("error"):
            continue  # not selected
        found.append(_result(test.name, ids, started, records, run))
    return found


def end_of(run: Run) -> str:
    """What ended the run, in a few words."""
    if run.timed_out:
        return f"stopped after {run.limit_met}"
    code = run.ended.code
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"ended by {name}{_MEANS.get(name, '')}"
    return f"exit code {code}"


def _result(
    name: str, ids: list[str], started: list[str], records: dict[str, list[dict[str, Any]]], run: Run
) -> TestResult:
    seconds = sum(record["seconds"] for id in ids for record in records.get(id, ()))
    for id in ids:
        for record in records.get(id, ()):
            if record["outcome"] != "passed":
                before = record.get("timed_out_before")
                outcome = "timed out" if record.get("timeout") else "not run" if before else "failed"
                failure = {**record.get("failure", {}), "printed": record.get("printed", ""), "case": _case(id)}
                return TestResult(name, outcome, seconds, failure)
        if not any(record["when"] == "call" for record in records.get(id, ())):
            if id not in started:
                return TestResult(name, "not run", seconds, _why_not_run(run))
            outcome = "timed out" if run.timed_out else "crashed"
            failure = {**_failure_at_end(run), "case": _case(id)}
            return TestResult(name, outcome, seconds, failure)
    if not ids:
        return TestResult(name, "not run", 0.0, _why_not_run(run))
    return TestResult(name, "passed", seconds)


def _why_not_run(run: Run) -> dict[str, Any]:
    """Why a test has no outcome: its file could not be imported, or the run ended first."""
    for record in run.of("module"):
        if record["failure"]:
            file, failure = _shown(run, record["file"]), record["failure"]
            if failure["error"] == "TookTooLong":
                failure = {**failure, "says": f"importing {file} did not end: {failure['says']}"}
            return {**failure, "importing": file}
    for record in (*run.of("error"), *run.of("stopped")):
        return dict(record["failure"])
    imported = [record["file"] for record in run.of("module")]
    for record in run.of("importing"):
        if record["file"] not in imported:
            file = _shown(run, record["file"])
            what = "did not end" if run.timed_out else "ended the run"
            failure = _failure_at_end(run)
            return {**failure, "says": f"importing {file} {what}: {failure['says']}", "importing": file}
    return {"error": "", "says": "the run ended before this test", "frames": []}


def tampering(run: Run) -> str | None:
    """What makes a run that came to its end untrustworthy, or None. Raises OlError if pytest did not get to the tests."""
    strays = run.of("closing")[-1]["strays"] if run.closed else []
    if strays:
        return f"{strays[0]} was imported from outside your repo's copy: something changed the import path"
    if run.of("reached"):
        return (
            f"{run.of('reached')[0]['path']} was opened: that is what your code is compared with, and not for it to use"
        )
    if run.changed:
        return f"{run.changed[0]} was changed while the tests ran"
    if run.of("forged"):
        return "something that your code imports tried to write the runner's report"
    if not run.closed:
        return None  # it ended early: never a pass, and said so elsewhere
    if run.of("stopped"):
        return None  # likewise, in good order: how much had run by then is chance
    if not run.of("collected") or run.of("closing")[-1]["code"] == USAGE_ERROR:
        why = " ".join(run.ended.output.split())[-400:] or f"exit code {run.ended.code}"
        raise OlError(f"the tests could not be started: {why}")
    if not _canaries_failed(run) and not _stopped_itself(run):
        return "a test that must fail did not fail: something that your code imports changes how tests are run"
    return None


def _canaries_failed(run: Run) -> bool:
    failed = {record["name"] for record in run.of("test") if record["outcome"] == "failed" and record["when"] == "call"}
    return set(run.canaries) <= failed


def _stopped_itself(run: Run) -> bool:
    """Did pytest end in good order, but before it had run what it had collected?"""
    collected = {id for record in run.of("collected") for id in record["ids"]}
    done = {record["id"] for record in run.of("test")}
    return bool(done) and bool(collected - done) and set(run.canaries) <= {_function(id) for id in collected}


def _unusual_ends(module: Module, run: Run) -> list[str]:
    if run.timed_out:
        return [end_of(run)]
    if run.closed and (run.of("stopped") or not _stopped_itself(run)):
        return []
    finished = len({record["name"] for record in run.of("test")} - set(run.canaries))
    tests = f"after {finished} of {len(module.test)} tests"
    asks = ": does your code call exit?" if run.ended.code >= 0 else ""
    return [f"the run ended before the tests did ({end_of(run)}, {tests}){asks}"]


def _failure_at_end(run: Run) -> dict[str, Any]:
    """The failure of the test, or of the import, during which the run ended: what ended it, where, what was said last."""
    last = [line for line in run.ended.output.splitlines() if line.strip()][-_LAST_LINES:]
    failure = {"error": "", "says": end_of(run), "frames": _frames_at_end(run)}
    return failure if run.timed_out or not last else {**failure, "last": "\n".join(last)}


def _frames_at_end(run: Run) -> list[dict[str, Any]]:
    """Where the student's code was when time ran out or the process crashed, outermost first, from faulthandler's account."""
    frames = []
    for path, line, name in re.findall(r'File "([^"]+)", line (\d+) in (\S+)', run.where):
        for prefix in (f"{run.folder}/python/", f"{run.folder}/labs/"):
            if path.startswith(prefix):
                within = path[len(str(run.folder)) + 1 :]
                text = run.sources.get(within, Source(b"", "")).content.decode("utf-8", "replace").splitlines()
                source = text[int(line) - 1].strip() if int(line) <= len(text) else ""
                frames.append({"path": within, "line": int(line), "in": name, "source": source})
    return frames[:6][::-1]


def _shown(run: Run, path: str) -> str:
    return run.sources.get(path, Source(b"", path)).shown


def _function(id: str) -> str:
    return id.partition("[")[0].rpartition("::")[2]


def _case(id: str) -> str:
    return id.partition("[")[2].removesuffix("]")

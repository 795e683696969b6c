"""The verdict: the course tests on the student's code, then the student's tests on broken versions of the reference.

Honest judging means that silence is never a pass. The code passes only if the runner's own report says of every test of the
catalogue that it passed, and of two canaries, run among them, that they failed as they must, and if the run came to its
own end. The exit code of pytest decides nothing.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .catalog import Course, Module
from .errors import OlError
from .grade import Grade, grade
from .sandbox import Workshop, workshop
from .stage import Run, Source, Sources, Stage, fixture_sources, given_sources, reference_sources, test_sources
from .workspace import Workspace

PASSED_VERDICT, NOT_YET, CANNOT_JUDGE = "passed", "not yet", "cannot judge"
_USAGE_ERROR = 4  # pytest's exit code
EXIT = {PASSED_VERDICT: 0, NOT_YET: 1, CANNOT_JUDGE: 2}


@dataclass(frozen=True)
class TestResult:
    """One test of the catalogue. `outcome`: passed, failed, timed out, crashed or not run."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    name: str
    outcome: str
    seconds: float = 0.0
    failure: dict[str, Any] | None = None


@dataclass
class Judgement:
    """All that a check found. `verdict` is None for a run with -k, which gives none."""

    module: Module
    ref_deps: bool
    verdict: str | None = None
    exit: int = 2
    tests: list[TestResult] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)  # sentences that belong beside the tests
    grade: Grade | None = None
    next: str = ""
    files: dict[str, str] = field(default_factory=dict)  # path in the stage -> path that people know
    stage: str = ""
    root: str = ""

    @property
    def failed(self) -> list[TestResult]:
        """The tests that did not pass, in order."""
        return [test for test in self.tests if test.outcome != "passed"]

    def told(self, text: str) -> str:
        """`text` with the stage's paths turned into the student's own."""
        for stage in (self.stage, self.stage.replace("\\", "/")):
            if stage:
                text = text.replace(f"{stage}/python/", f"{self.root}/python/").replace(f"{stage}/", "")
        return text


def check(
    course: Course,
    workspace: Workspace,
    module: Module,
    *,
    ref_deps: bool = False,
    select: str | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Judgement:
    """Judge `module` as it stands in the workspace. Raises OlError if it cannot be judged."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise OlError(
            "ol check needs Linux or macOS: it runs your code in a process group with limits, which this system does not have"
        )
    _require_needs(course, workspace, module, ref_deps)
    judgement = Judgement(module, ref_deps, root=str(workspace.root))
    with workshop() as shop:
        progress(f"{len(module.test)} course tests")
        run = _course_run(shop, course, workspace, module, ref_deps, select)
        judgement.files = {name: source.shown for name, source in run.sources.items()}
        judgement.stage, judgement.seconds = str(run.folder), run.ended.seconds
        judgement.tests = _results(module, run, select)
        if select is not None:
            return _without_verdict(judgement, run, select)
        judgement.verdict, judgement.notes = verdict_of(module, run)
        if judgement.verdict == NOT_YET and not ref_deps and judgement.failed:
            _try_reference_needs(shop, course, workspace, judgement, progress)
        if judgement.verdict == PASSED_VERDICT and module.mutants:
            judgement.grade = grade(shop, course, workspace, module, progress)
            if not judgement.grade.enough:
                judgement.verdict = NOT_YET
    judgement.exit = EXIT[judgement.verdict or CANNOT_JUDGE]
    judgement.next = _next(course, workspace, judgement)
    return judgement


def judge_sources(
    shop: Workshop,
    course: Course,
    module: Module,
    sources: Sources,
    seconds: float | None = None,
    select: str | None = None,
    optional: bool = False,
) -> Run:
    """Run the course tests of `module` on `sources`, with everything that makes the result trustworthy."""
    at = module.stage_tests
    tests = test_sources(course.path / module.tests, at, conftest=True)
    stage = Stage(shop, {**sources, **tests, **fixture_sources(course, module)}, module.limits)
    modules = [
        {
            "name": file.removesuffix(".py").replace("/", "."),
            "file": module.path(file),
            "contract": course.contract(module, file),
            "optional": optional,
        }
        for file in module.files
        if module.root == "python"
    ]
    return stage.run_tests(
        at,
        seconds or module.limits.tests,
        modules=modules,
        test_seconds=module.limits.test,
        honest=True,
        canaries=True,
        select=select,
    )


def verdict_of(module: Module, run: Run) -> tuple[str, list[str]]:
    """The verdict on the code alone, and the sentences that explain it where no test does."""
    results = _results(module, run, None)
    mismatches = [
        f"{_shown(run, record['file'])}: {sentence}" for record in run.of("module") for sentence in record["mismatches"]
    ]
    notes = [f"not as the contract says: {sentence}" for sentence in mismatches]
    broken_import = any(record["failure"] for record in run.of("module"))
    tampered = None if broken_import else _tampering(run)
    if tampered is not None:
        return CANNOT_JUDGE, [tampered]
    unknown = (
        {record["name"] for record in run.of("test") if record["outcome"] == "failed"}
        - {test.name for test in module.test}
        - set(run.canaries)
    )
    if unknown:
        notes.append(f"tests that the catalogue does not have failed too: {', '.join(sorted(unknown))}")
    all_passed = bool(results) and all(test.outcome == "passed" for test in results)
    if all_passed and run.closed and _canaries_failed(run) and not (notes or broken_import or run.of("error")):
        return PASSED_VERDICT, []
    return NOT_YET, notes + _unusual_ends(module, run)


def _require_needs(course: Course, workspace: Workspace, module: Module, ref_deps: bool) -> None:
    missing = [need for need in course.all_needs(module) if workspace.is_missing(need)]
    if missing and not ref_deps:
        names = ", ".join(need.id for need in missing[:-1]) + (" and " if len(missing) > 1 else "") + missing[-1].id
        them = "it" if len(missing) == 1 else "them"
        raise OlError(f"{module.id} needs {names}: build {them}, or rerun with --ref-deps", next=f"ol start {missing[0].id}")
    if module.later:
        raise OlError(f"{module.id} ({module.title}) is not in this course yet", next="ol list")
    absent = workspace.absent(module)
    if absent:
        raise OlError(f"{absent[0]} is not there yet", next=f"ol start {module.id}")


def _course_run(shop: Workshop, course: Course, workspace: Workspace, module: Module, ref_deps: bool, select: str | None) -> Run:
    needs = course.all_needs(module)
    sources = {**given_sources(course), **(reference_sources(course, needs) if ref_deps else {})}
    for each in [module] if ref_deps else [*needs, module]:
        sources |= workspace.sources(each)
    return judge_sources(shop, course, module, sources, select=select)


def _results(module: Module, run: Run, select: str | None) -> list[TestResult]:
    """One result for each test of the catalogue; with -k, for those that were selected."""
    collected = [id for record in run.of("collected") for id in record["ids"]]
    started = [record["id"] for record in run.of("start")]
    records: dict[str, list[dict[str, Any]]] = {}
    for record in run.of("test"):
        records.setdefault(record["id"], []).append(record)
    results = []
    for test in module.test:
        ids = [id for id in collected if _function(id) == test.name]
        if select is not None and not ids:
            continue
        results.append(_result(test.name, ids, started, records, run))
    return results


def _result(name: str, ids: list[str], started: list[str], records: dict[str, list[dict[str, Any]]], run: Run) -> TestResult:
    seconds = sum(record["seconds"] for id in ids for record in records.get(id, ()))
    for id in ids:
        for record in records.get(id, ()):
            if record["outcome"] != "passed":
                outcome = "timed out" if record.get("timeout") else "failed"
                failure = {**record.get("failure", {}), "printed": record.get("printed", ""), "case": _case(id)}
                return TestResult(name, outcome, seconds, failure)
        if not any(record["when"] == "call" for record in records.get(id, ())):
            if id not in started:
                return TestResult(name, "not run", seconds, _why_not_run(run))
            outcome = "timed out" if run.ended.timed_out else "crashed"
            return TestResult(
                name,
                outcome,
                seconds,
                {"error": "", "says": _end_of(run), "frames": _frames_at_end(run), "case": _case(id)},
            )
    if not ids:
        return TestResult(name, "not run", 0.0, _why_not_run(run))
    return TestResult(name, "passed", seconds)


def _why_not_run(run: Run) -> dict[str, Any]:
    """Why a test has no outcome: its file could not be imported, or the run ended first."""
    for record in run.of("module"):
        if record["failure"]:
            return {**record["failure"], "importing": _shown(run, record["file"])}
    for record in run.of("error"):
        return dict(record["failure"])
    return {"error": "", "says": "the run ended before this test", "frames": []}


def _tampering(run: Run) -> str | None:
    """What makes a run that came to its end untrustworthy, or None. Raises OlError if pytest did not get to the tests."""
    if not run.closed:
        return None  # it ended early: never a pass, and said so elsewhere
    if not run.of("collected") or run.of("closing")[-1]["code"] == _USAGE_ERROR:
        why = " ".join(run.ended.output.split())[-400:] or f"exit code {run.ended.code}"
        raise OlError(f"the tests could not be started: {why}")
    strays = run.of("closing")[-1]["strays"]
    if strays:
        return f"{strays[0]} was imported from outside your repo's copy: something changed the import path"
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
    if run.ended.timed_out:
        return [_end_of(run)]
    if run.closed and not _stopped_itself(run):
        return []
    finished = len({record["name"] for record in run.of("test")} - set(run.canaries))
    tests = f"after {finished} of {len(module.test)} tests"
    return [f"the run ended before the tests did ({_end_of(run)}, {tests}): does your code call exit?"]


def _end_of(run: Run) -> str:
    if run.ended.timed_out:
        return f"stopped after {run.limit:g} s, the limit for all tests"
    if run.ended.code < 0:
        try:
            return f"ended by {signal.Signals(-run.ended.code).name}"
        except ValueError:
            return f"ended by signal {-run.ended.code}"
    return f"exit code {run.ended.code}"


def _frames_at_end(run: Run) -> list[dict[str, Any]]:
    """Where the student's code was when time ran out, outermost first, from faulthandler's account."""
    frames = []
    for path, line, name in re.findall(r'File "([^"]+)", line (\d+) in (\S+)', run.where):
        for prefix in (f"{run.folder}/python/", f"{run.folder}/labs/"):
            if path.startswith(prefix):
                frames.append({"path": path[len(str(run.folder)) + 1 :], "line": int(line), "in": name, "source": ""})
    return frames[:6][::-1]


def _try_reference_needs(
    shop: Workshop, course: Course, workspace: Workspace, judgement: Judgement, progress: Callable[[str], None]
) -> None:
    """If failures vanish with the reference's needs, say so: the fault is in a need."""
    module = judgement.module
    needs = course.all_needs(module)
    own = {name: source.content for need in needs for name, source in workspace.sources(need).items()}
    theirs = {name: source.content for name, source in reference_sources(course, needs).items()}
    if own == theirs or any(test.outcome == "timed out" for test in judgement.failed):
        return
    progress("the failed tests with the reference's needs")
    names = [test.name for test in judgement.failed]
    run = _course_run(shop, course, workspace, module, True, " or ".join(names))
    cured = [test.name for test in _results(module, run, None) if test.name in names and test.outcome == "passed"]
    if cured:
        which = (
            "The same tests pass"
            if len(cured) == len(names)
            else f"{len(cured)} of them pass ({cured[0]}{' ...' if len(cured) > 1 else ''})"
        )
        if len(names) == 1:
            which = "It passes"
        changed = [need.id for need in needs if any(own.get(path) != theirs.get(path) for path in need.paths)]
        judgement.notes.append(f"{which} with --ref-deps: look into your {' and '.join(changed)} first")


def _without_verdict(judgement: Judgement, run: Run, select: str) -> Judgement:
    if not any(record["failure"] for record in run.of("module")):
        tampered = _tampering(run)
        if tampered is not None:
            raise OlError(tampered)
    if not judgement.tests:
        raise OlError(
            f"-k {select!r} selects none of the {len(judgement.module.test)} tests of {judgement.module.id}",
            next=f"ol tests {judgement.module.id}",
        )
    judgement.exit = 1 if judgement.failed else 0
    judgement.next = f"ol check {judgement.module.id} (all tests; -k gives no verdict)"
    return judgement


def _next(course: Course, workspace: Workspace, judgement: Judgement) -> str:
    module = judgement.module
    flag = " --ref-deps" if judgement.ref_deps else ""
    if judgement.verdict == PASSED_VERDICT:
        if judgement.ref_deps and module.needs:
            waiting = [need.id for need in course.all_needs(module) if workspace.is_missing(need)]
            if waiting:
                return f"ol start {waiting[0]} ({module.id} is complete once it passes without --ref-deps)"
            return f"ol check {module.id} (it is complete once it passes without --ref-deps)"
        return f"ol diff {module.id}"
    if judgement.verdict == CANNOT_JUDGE:
        return f"remove what the line above says, then ol check {module.id}{flag}"
    if judgement.grade is not None:
        if judgement.grade.problem:
            verb = "mend" if judgement.grade.failures else "write"
            return f"{verb} your tests, then ol check {module.id}{flag}"
        return f"write a test for one line above, then ol check {module.id}{flag}"
    for test in judgement.failed:
        hint = next((entry.hint for entry in module.test if entry.name == test.name), 0)
        failure = test.failure or {}
        if failure.get("importing"):
            return f"make {failure['importing']} importable, then ol check {module.id}{flag}"
        if failure.get("error") == "NotImplementedError" and failure["frames"]:
            frame = failure["frames"][-1]
            return f"write {frame['in']} in {judgement.files.get(frame['path'], frame['path'])}, then ol check {module.id}{flag}"
        help_at = f" (a hint: ol hint {module.id} {hint})" if hint and module.hints else ""
        return f"make {test.name} pass{help_at}, then ol check {module.id}{flag}"
    return f"mend what is named above, then ol check {module.id}{flag}"


def _shown(run: Run, path: str) -> str:
    return run.sources.get(path, Source(b"", path)).shown


def _function(id: str) -> str:
    return id.partition("[")[0].rpartition("::")[2]


def _case(id: str) -> str:
    return id.partition("[")[2].removesuffix("]")

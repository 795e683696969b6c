"""The student's own tests, graded by mutation.

They must pass on the reference and on every other correct implementation (the library where that is not the reference, and
the wheats), and must fail on a canary, a module whose every function raises. Only then are they run on each seeded mutant. A kill is an assertion or an exception inside a
test. Among the mutants are clean runs on the reference, in random order, and no program has the same text twice, so that a
suite which looks at anything but what the program does gets no grade. A time-out, a crash, a file that cannot be collected and an empty run are no kills; they count as not killed, by name.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from .advice import helpers_in
from .catalog import Course, Module
from .contracts import stub, unwritten
from .leftovers import remove
from .mutants import Mutant, load_mutants
from .own_tests import is_test_file, own_tests
from .sandbox import Workshop
from .stage import Run, Source, Sources, Stage, other_implementations, reference_sources
from .verdict import end_of
from .workspace import Workspace

KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "timed out"
_CLEAN = 3  # runs on the reference among those on the mutants
CRASHED, NOT_COLLECTED, EMPTY = "crashed", "could not be collected", "ran no test"


@dataclass(frozen=True)
class MutantResult:
    """What a mutant's run came to, and the test that killed it."""

    mutant: Mutant
    outcome: str
    by: str = ""


@dataclass(frozen=True)
class Grade:
    """The score of the student's tests. `problem` says why there is none; `details` are the lines that explain it."""

    tests: int = 0
    correct: int = 0  # implementations on which the tests pass
    results: list[MutantResult] = field(default_factory=list)
    need: float = 0.0
    seconds: float = 0.0
    unwritten: int = 0
    problem: str = ""
    details: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # what is to be said of the tests whatever they kill
    failures: list[dict[str, Any]] = field(default_factory=list)
    staged: Sources = field(default_factory=dict, repr=False)  # the tests as they were run

    def with_outcome(self, *outcomes: str) -> list[MutantResult]:
        """The results whose outcome is one of `outcomes`."""
        return [result for result in self.results if result.outcome in outcomes]

    @property
    def killed(self) -> int:
        """How many mutants an assertion or exception killed."""
        return len(self.with_outcome(KILLED))

    @property
    def score(self) -> float:
        """Killed of all, rounded down to hundredths: what is printed never claims more than there is."""
        return self.killed * 100 // len(self.results) / 100 if self.results else 0.0

    @property
    def still_needed(self) -> int:
        """How many mutants more must be killed."""
        return max(0, math.ceil(self.need * len(self.results) - 1e-9) - self.killed)

    @property
    def enough(self) -> bool:
        """Is the score there and at least the threshold?"""
        return not self.problem and self.killed >= self.need * len(self.results) - 1e-9


def grade(
    shop: Workshop, course: Course, workspace: Workspace, module: Module, progress: Callable[[str], None]
) -> Grade:
    """Grade the student's own tests of `module`."""
    suite = Suite.of(shop, course, module, workspace.own_tests(module), workspace.root / "python")
    made = _graded(suite, progress)
    return replace(made, staged=suite.tests, remarks=suite.remarks, unwritten=len(suite.unwritten))


def _graded(suite: Suite, progress: Callable[[str], None]) -> Grade:
    start, module = time.monotonic(), suite.module
    if not any(is_test_file(path) for path in suite.tests):
        return Grade(problem=f"you have none yet: write them in {module.own_tests}")
    progress("your tests on the reference")
    clean = suite.run(suite.reference, module.limits.tests, stop_early=False, test_seconds=module.limits.test)
    limit = max(module.limits.mutant, 5.0, 10 * clean.ended.seconds)
    suite.remarks.extend(_without_effect(clean))
    refusal = _on_the_reference(suite, clean, progress)
    if refusal is None:
        progress("your tests on other correct implementations")
        refusal = _on_others_and_canary(suite, limit)
    if refusal is not None:
        return refusal
    on_mutants, again = _on_mutants(suite, limit, progress, clean=_CLEAN)
    refusal = _among_the_mutants(suite, again, [run for _, run in on_mutants])
    if refusal is not None:
        return refusal
    return Grade(
        tests=len(_passed(clean)),
        correct=1 + len(suite.others),
        results=[MutantResult(mutant, *outcome(run)) for mutant, run in on_mutants],
        need=module.threshold,
        seconds=time.monotonic() - start,
    )


@dataclass(frozen=True)
class Suite:
    """A suite of tests that is to be graded, the reference to grade it by, and the other correct implementations by name."""

    shop: Workshop
    course: Course
    module: Module
    at: str  # the folder of the tests, in a repo and in a stage
    tests: Sources
    remarks: list[str]
    unwritten: list[str]
    helpers: list[str]  # sentences on helper modules of the student's that the tests must do without
    reference: Sources = field(repr=False)
    others: dict[str, Sources] = field(repr=False)

    @classmethod
    def of(cls, shop: Workshop, course: Course, module: Module, folder: Path, python: Path | None = None) -> Suite:
        """The suite in `folder`: its files test_*.py and what lies beside them, without the tests that are still to be written.

        `python` is the folder of the student's modules.
        """
        at = PurePosixPath(module.own_tests).parent.as_posix()
        own = own_tests(folder, at)
        left_out = [name for path in own.test_files for name in unwritten(own.files[path].content)]
        helpers = helpers_in(course, python, own.files) if python is not None else ()
        reference, others = reference_sources(course, module), other_implementations(course, module)
        return cls(shop, course, module, at, own.files, own.remarks, left_out, list(helpers), reference, others)

    def run(
        self,
        sources: Sources,
        seconds: float,
        stop_early: bool = True,
        leave_out: Sequence[str] = (),
        test_seconds: float | None = None,
    ) -> Run:
        """Run the tests on `sources`, in a folder that no other run has seen and a text that no other run has."""
        stage = Stage(self.shop, {**sources, **self.tests}, self.module.limits, disguise=self.module.paths)
        try:
            return stage.run_tests(
                self.at,
                seconds,
                test_seconds=test_seconds,
                leave_out=[*self.unwritten, *leave_out],
                stop_early=stop_early,
                answers=self.course.answers,
                path_after=[self.at],
            )
        finally:
            remove(stage.folder)  # no later run can look at it


def _on_the_reference(suite: Suite, clean: Run, progress: Callable[[str], None]) -> Grade | None:
    """The grade of a suite that does not pass on the reference: none, and why. None if it passes."""
    problem = _problem_on(clean, "the reference")
    if problem is not None:
        if clean.of("reached") or clean.of("forged"):
            return Grade(problem=problem)
        details = ["mutants wait until your tests pass on the reference."]
        details += suite.helpers
        details += _misconceptions(suite, clean, progress)
        return Grade(problem=problem, details=details, failures=_failures(clean))
    if not _passed(clean):
        if clean.of("test"):
            return Grade(problem="none is left that runs and may fail: take the marks out of them")
        none = f"all {len(suite.unwritten)} are still to be written" if suite.unwritten else "none ran"
        return Grade(problem=f"{none}: write them in {suite.module.own_tests}")
    return None


def _misconceptions(suite: Suite, clean: Run, progress: Callable[[str], None]) -> list[str]:
    """What the first failed test seems to believe: the misconception of a mutant on which it passes."""
    records = [record for record in clean.of("test") if record["outcome"] == "failed"]
    failed = [record["name"] for record in records]
    if not failed or clean.timed_out or not clean.closed or records[0].get("timeout"):
        return []
    progress(f"what {failed[0]} may believe")
    others = {record["name"] for record in clean.of("test")} - {failed[0]}
    limit = max(suite.module.limits.mutant, 5.0)
    again = suite.run(suite.reference, limit, leave_out=sorted(others))
    if failed[0] in _passed(again):
        return [
            f"{failed[0]} passed when it was run again: chance, time or another test decides. Make it the same each time."
        ]
    found = []
    for mutant, run in _on_mutants(suite, limit, lambda text: None, leave_out=sorted(others))[0]:
        if outcome(run)[0] == SURVIVED and failed[0] in _passed(run):
            found.append(f'{failed[0]} would pass on code that believes: "{mutant.misconception}".')
    return found[:2]


def _on_others_and_canary(suite: Suite, limit: float) -> Grade | None:
    """The grade of a suite that fails on a correct implementation, or passes on a canary: none. None if all is well."""
    course, module = suite.course, suite.module
    programs = [canary(course, module, suite.reference), *suite.others.values()]
    dead, *runs = suite.shop.side_by_side(lambda sources: suite.run(sources, limit), programs, lambda: None)
    for run in runs:
        problem = _problem_on(run, "another correct implementation")
        if problem is not None:
            details = ["it depends on something that the contract does not promise."]
            return Grade(problem=problem, details=details, failures=_failures(run))
    if outcome(dead)[0] not in (KILLED, NOT_COLLECTED):
        files = " or ".join(module.files)
        problem = f"they pass even where every function raises: do they use {files}?"
        return Grade(problem=problem)
    return None


def _among_the_mutants(suite: Suite, again: list[Run], on_mutants: list[Run]) -> Grade | None:
    """The grade of a suite whose verdict on the reference changed among the mutants, or that opened an answer there: none."""
    for run in again:
        problem = _problem_on(run, "the reference when it is run again")
        if problem is not None:
            details = [
                "they passed on it before: something other than the code decides, such as chance or a count of runs."
            ]
            return Grade(problem=problem, details=details, failures=_failures(run))
    for run in on_mutants:
        if run.of("reached") or run.of("forged"):
            return Grade(problem=_problem_on(run, "") or "")
    return None


def _on_mutants(
    suite: Suite, limit: float, progress: Callable[[str], None], leave_out: Sequence[str] = (), clean: int = 0
) -> tuple[list[tuple[Mutant, Run]], list[Run]]:
    """Every mutant with the run of the suite on it, in any order, and `clean` runs on the reference among these."""
    mutants = load_mutants(suite.course, suite.module)
    programs: list[Mutant | None] = [*mutants, *[None] * clean]
    random.SystemRandom().shuffle(programs)
    done: list[None] = []

    def step() -> None:
        done.append(None)
        progress(f"mutants: {min(len(done), len(mutants))} of {len(mutants)}")

    def run(mutant: Mutant | None) -> Run:
        program = suite.reference if mutant is None else mutant.apply(suite.reference, suite.module)
        return suite.run(program, limit, leave_out=leave_out)

    runs = list(zip(programs, suite.shop.side_by_side(run, programs, step)))
    at = {mutant.id: number for number, mutant in enumerate(mutants)}
    on_mutants = sorted(
        ((mutant, run) for mutant, run in runs if mutant is not None), key=lambda entry: at[entry[0].id]
    )
    return on_mutants, [run for mutant, run in runs if mutant is None]


def canary(course: Course, module: Module, reference: Sources) -> Sources:
    """The reference with every function of the module raising NotImplementedError."""
    stubs = {}
    for file in module.files:
        contract = course.contract(module, file)
        if contract is not None:
            stubs[module.path(file)] = Source(stub(contract).encode(), module.path(file))
    return {**reference, **stubs}


def outcome(run: Run) -> tuple[str, str]:
    """What a run of the student's tests came to, and the test that failed."""
    if run.timed_out:
        return TIMED_OUT, ""
    for record in run.of("test"):
        if record["outcome"] == "failed" and record["when"] in ("setup", "call"):
            return KILLED, record["name"]
    if not run.closed or run.of("stopped"):
        return CRASHED, ""
    if run.of("error"):
        return NOT_COLLECTED, ""
    return (SURVIVED, "") if run.of("test") else (EMPTY, "")


def _problem_on(run: Run, where: str) -> str | None:
    """Why the student's tests are not to be graded, after a run on a correct implementation, or None if they are."""
    if run.of("reached"):
        return f"they open {run.of('reached')[0]['path']}, by which they are graded: write down what is right yourself"
    if run.of("forged"):
        return "they try to write the runner's report"
    records = [record for record in run.of("test") if record["outcome"] == "failed"]
    failed = [record["name"] for record in records]
    if failed and records[0].get("timeout"):
        return f"{failed[0]} does not end on {where}"
    if failed:
        names = ", ".join(dict.fromkeys(failed[:3])) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
        return f"{names} {'fails' if len(failed) == 1 else 'fail'} on {where}"
    if run.of("error"):
        return f"{run.of('error')[0]['id']} cannot be collected on {where}"
    if run.of("stopped"):
        return f"the run was stopped before the tests did ({run.of('stopped')[0]['failure']['error']}) on {where}"
    if run.timed_out:
        return f"they did not end on {where}: stopped after {run.limit_met}"
    if not run.closed:
        asks = ": does a test call exit?" if run.ended.code >= 0 else ""
        done = {record["id"] for record in run.of("test")}
        within = next((f" in {_function(each['id'])}" for each in run.of("start") if each["id"] not in done), "")
        return f"the run ended{within} on {where} ({end_of(run)}){asks}"
    return None


def _passed(run: Run) -> list[str]:
    return [record["name"] for record in run.of("test") if record["outcome"] == "passed" and not record.get("xfail")]


def _without_effect(run: Run) -> list[str]:
    """A sentence on the tests that are skipped, and one on those that are expected to fail: neither kills anything."""
    expected = [record["name"] for record in run.of("test") if record.get("xfail")]
    skipped = [record["name"] for record in run.of("test") if record["outcome"] == "skipped"]
    remarks = []
    for names, what, why in (
        (
            expected,
            "marked xfail",
            "whether such a test fails says nothing: take the mark out, and mend the test if it fails.",
        ),
        (
            [name for name in skipped if name not in expected],
            "skipped",
            "a test that does not run kills nothing: take the skip out.",
        ),
    ):
        names = list(dict.fromkeys(names))
        if names:
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            remarks.append(f"{shown} {'is' if len(names) == 1 else 'are'} {what}: {why}")
    return remarks


def _function(id: str) -> str:
    return id.partition("[")[0].rpartition("::")[2]


def _failures(run: Run) -> list[dict[str, Any]]:
    """The failures of a run, with paths as people know them."""
    failures = [record for record in (*run.of("error"), *run.of("test")) if record.get("outcome", "failed") == "failed"]
    for record in failures:
        record["failure"]["says"] = record["failure"]["says"].replace(f"{run.folder}/", "")
        for frame in record["failure"]["frames"]:
            if frame.get("path") in run.sources:
                source = run.sources[frame["path"]]
                lines = source.content.decode("utf-8", "replace").split("\n")
                frame["source"] = lines[frame["line"] - 1].strip() if 0 < frame["line"] <= len(lines) else ""
                frame["path"] = source.shown
    return failures

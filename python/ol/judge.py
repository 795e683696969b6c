"""A check: the course tests on the student's code, then the student's tests on broken versions of the reference."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from .advice import about_import
from .catalog import Course, Module
from .errors import OlError
from .grade import SURVIVED, Grade, grade
from .sandbox import Workshop, workshop
from .stage import Run, Sources, Stage, fixture_sources, given_sources, library_sources, test_sources
from .verdict import CANNOT_JUDGE, NOT_YET, PASSED, USAGE_ERROR, TestResult, missing, results, tampering, verdict_of
from .workspace import Workspace, fingerprint

EXIT = {PASSED: 0, NOT_YET: 1, CANNOT_JUDGE: 2}

_WRONG = "Wrong expression passed to '-k'"  # pytest's words


@dataclass
class Judgement:
    """All that a check found. `verdict` is None for a run with -k, which gives none."""

    module: Module
    ref_deps: bool
    plain_reference: bool = False  # is what was judged the course's own plain reference?
    verdict: str | None = None
    exit: int = 2
    tests: list[TestResult] = field(default_factory=list)
    seconds: float = 0.0
    fingerprint: dict[str, str] = field(default_factory=dict)  # what was judged: shown path -> hash of what was staged
    notes: list[str] = field(default_factory=list)  # sentences that belong beside the tests
    missing: list[tuple[str, str]] = field(default_factory=list)  # names that the contract has and a file has not
    own_tests: list[str] = field(default_factory=list)  # what can be said of the student's tests that are not run
    grade: Grade | None = None
    helpers: list[str] = field(default_factory=list)  # the student's own files that were taken along
    blamed: list[str] = field(default_factory=list)  # ids of needs in which the fault is
    next: str = ""
    files: dict[str, str] = field(default_factory=dict)  # path in the stage -> path that people know
    stage: str = ""
    root: str = ""

    @property
    def failed(self) -> list[TestResult]:
        """The tests that did not pass, the one to begin with first: small hand-made cases tell more than properties and
        golden files, and a module's first file is written first."""
        kinds = {test.name: test.kind for test in self.module.test}
        failed = [test for test in self.tests if test.outcome != "passed"]

        def order(test: TestResult) -> tuple[bool, bool, int]:
            return (test.outcome == "not run", kinds[test.name] in ("property", "golden"), self._unwritten(test))

        return sorted(failed, key=order)

    def _unwritten(self, test: TestResult) -> int:
        """Where among the module's files the stub stands that the test met; 0 if it met none."""
        failure = test.failure or {}
        if failure.get("error") != "NotImplementedError" or not failure["frames"]:
            return 0
        path = failure["frames"][-1].get("path")
        return self.module.paths.index(path) if path in self.module.paths else 0

    def told(self, text: str) -> str:
        """`text` with the stage's paths turned into the student's own."""
        if not self.stage:
            return text
        for path, shown in self.files.items():
            if shown != path:  # the reference's, or given: not the student's file of the same name
                text = text.replace(f"{self.stage}/{path}", shown)
        return text.replace(f"{self.stage}/python/", f"{self.root}/python/").replace(f"{self.stage}/", "")


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
    plain = workspace.is_reference and bool(module.reference)
    judgement = Judgement(module, ref_deps, plain, root=str(workspace.root), fingerprint=workspace.fingerprint(module))
    with workshop(workspace.root) as shop:
        progress(f"{len(module.test)} course tests")
        judgement.helpers = workspace.helpers(module)
        from_reference = course.all_needs(module) if ref_deps else []
        run = _course_run(shop, course, workspace, module, from_reference, select)
        judgement.files = {name: source.shown for name, source in run.sources.items()}
        judged = [path for path in (*module.paths, *judgement.helpers) if path in run.sources]
        code = fingerprint(run.sources[path] for path in judged)
        judgement.fingerprint |= code
        judgement.stage, judgement.seconds = str(run.folder), run.ended.seconds
        judgement.tests = results(module, run, select)
        if select is not None:
            return _without_verdict(judgement, run, select)
        judgement.verdict, judgement.notes = verdict_of(module, run)
        judgement.notes += workspace.shadowing()
        judgement.missing = missing(run)
        judgement.own_tests = _own_tests_waiting(workspace, module) if judgement.verdict == NOT_YET else []
        _explain_imports(course, workspace, judgement)
        if judgement.verdict == NOT_YET and not ref_deps and judgement.failed and not run.timed_out:
            _try_reference_needs(shop, course, workspace, judgement, progress)
        if judgement.verdict == PASSED and module.mutants:
            judgement.grade = grade(shop, course, workspace, module, progress)
            judgement.fingerprint = code | fingerprint(judgement.grade.staged.values())
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
        answers=course.answers,
    )


def _require_needs(course: Course, workspace: Workspace, module: Module, ref_deps: bool) -> None:
    missing = [need for need in course.all_needs(module) if workspace.is_missing(need)]
    if missing and not ref_deps:
        names = ", ".join(need.id for need in missing[:-1]) + (" and " if len(missing) > 1 else "") + missing[-1].id
        them = "it" if len(missing) == 1 else "them"
        raise OlError(
            f"{module.id} needs {names}: build {them}, or rerun with --ref-deps", next=f"ol start {missing[0].id}"
        )
    absent = workspace.absent(module)
    if absent:
        raise OlError(f"{absent[0]} is not there yet", next=f"ol start {module.id}")
    if module.own_tests:  # what cannot be read is said before anything is run
        test_sources(workspace.own_tests(module), str(PurePosixPath(module.own_tests).parent), conftest=False)


def _course_run(
    shop: Workshop,
    course: Course,
    workspace: Workspace,
    module: Module,
    from_reference: Sequence[Module],
    select: str | None,
) -> Run:
    """The course tests on the student's code, with the needs in `from_reference` from there."""
    theirs = library_sources(course, from_reference)
    own: Sources = {}
    for each in [*course.all_needs(module), module]:
        if each not in from_reference:
            own |= workspace.sources(each)
    clash = next((path for path in workspace.helpers(module) if path in theirs), None)
    if clash is not None:
        raise OlError(
            f"{clash} has the name of a file that the reference brings with it: with --ref-deps there can be only one",
            next=f"give it another name, then ol check {module.id} --ref-deps",
        )
    return judge_sources(shop, course, module, {**given_sources(course), **theirs, **own}, select=select)


def _explain_imports(course: Course, workspace: Workspace, judgement: Judgement) -> None:
    """Say more of an import that failed, and send to a need whose file it was that could not be imported."""
    for failure in [test.failure or {} for test in judgement.failed[:1]]:
        sentence = about_import(course, workspace, judgement.module, failure, judgement.ref_deps)
        if sentence:
            judgement.notes.append(sentence)
        place = failure["frames"][-1].get("path") if failure.get("importing") and failure["frames"] else None
        if not judgement.ref_deps and not sentence:
            judgement.blamed = [need.id for need in course.all_needs(judgement.module) if place in need.paths]


def _try_reference_needs(
    shop: Workshop, course: Course, workspace: Workspace, judgement: Judgement, progress: Callable[[str], None]
) -> None:
    """If failures vanish with the reference's needs, say so, and of which need: the fault is there."""
    module, needs = judgement.module, course.all_needs(judgement.module)
    own = {name: source.content for need in needs for name, source in workspace.sources(need).items()}
    theirs = {name: source.content for name, source in library_sources(course, needs).items()}
    if own == theirs or any(test.outcome == "timed out" for test in judgement.failed):
        return
    progress("the failed tests with the reference's needs")
    names = [test.name for test in judgement.failed]

    def cured_by(some: Sequence[Module]) -> list[str]:
        run = _course_run(shop, course, workspace, module, some, " or ".join(names))
        return [test.name for test in results(module, run, None) if test.name in names and test.outcome == "passed"]

    cured = cured_by(needs)
    if not cured:
        return
    which = (
        "The same tests pass"
        if len(cured) == len(names)
        else f"{len(cured)} of them pass ({cured[0]}{' ...' if len(cured) > 1 else ''})"
    )
    if len(names) == 1:
        which = "It passes"
    changed = [need for need in needs if any(own.get(path) != theirs.get(path) for path in need.paths)]
    changed = changed or [need for need in needs if need.id in module.needs]  # the library's, without what they import
    if len(changed) > 1:
        changed = [need for need in changed if cured_by([need])] or changed
    judgement.blamed = [need.id for need in changed]
    judgement.notes.append(f"{which} with --ref-deps: look into your {' and '.join(judgement.blamed)} first")


def _without_verdict(judgement: Judgement, run: Run, select: str) -> Judgement:
    if any(record["code"] == USAGE_ERROR for record in run.of("closing")) and _WRONG in run.ended.output:
        raise OlError(
            f"-k {select!r} is a wrong expression: it takes parts of test names, joined by and, or, not and parentheses",
            next=f"ol check {judgement.module.id}{' --ref-deps' if judgement.ref_deps else ''} -k {judgement.module.test[0].name}",
        )
    if not any(record["failure"] for record in run.of("module")):
        tampered = tampering(run)
        if tampered is not None:
            raise OlError(tampered)
    if not judgement.tests:
        raise OlError(
            f"-k {select!r} selects none of the {len(judgement.module.test)} tests of {judgement.module.id}",
            next=f"ol tests {judgement.module.id}",
        )
    judgement.exit = 1 if judgement.failed else 0
    flag = " --ref-deps" if judgement.ref_deps else ""
    judgement.next = f"ol check {judgement.module.id}{flag} (all tests; -k gives no verdict)"
    return judgement


def _own_tests_waiting(workspace: Workspace, module: Module) -> list[str]:
    """Why the student's tests are not run while course tests fail; a file of them that does not parse is named."""
    if not module.mutants:
        return []
    paths = sorted(workspace.own_tests(module).glob("test_*.py"))
    for path in paths:
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError) as error:
            line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            says = error.msg if isinstance(error, SyntaxError) else str(error)
            return [f"{workspace.shown(path)}{line} is no Python yet: {says}"]
    return ["not run: the course tests come first", *(["(try them: pytest python/tests)"] if paths else [])]


def _next(course: Course, workspace: Workspace, judgement: Judgement) -> str:
    module = judgement.module
    flag = " --ref-deps" if judgement.ref_deps else ""
    if judgement.verdict == PASSED:
        if judgement.ref_deps and module.needs:
            waiting = [need.id for need in course.all_needs(module) if workspace.is_missing(need)]
            if waiting:
                return f"ol start {waiting[0]} ({module.id} is complete once it passes without --ref-deps)"
            return f"ol check {module.id} (it is complete once it passes without --ref-deps)"
        return f"ol diff {module.id}"
    if judgement.verdict == CANNOT_JUDGE:
        return f"remove what the line above says, then ol check {module.id}{flag}"
    if judgement.blamed:
        return f"ol check {judgement.blamed[0]}"
    if judgement.grade is not None:
        if judgement.grade.problem:
            verb = "mend" if judgement.grade.failures else "write"
            return f"{verb} your tests, then ol check {module.id}{flag}"
        survivor = next((result.mutant.id for result in judgement.grade.results if result.outcome == SURVIVED), "")
        help_at = f" (an input to try: ol hint {module.id} {survivor})" if survivor and module.hints else ""
        return f"write a test for one line above{help_at}, then ol check {module.id}{flag}"
    if judgement.missing:
        name, file = judgement.missing[0]
        return f"write {name} in {file}, then ol check {module.id}{flag}"
    for test in judgement.failed:
        hint = next((entry.hint for entry in module.test if entry.name == test.name), 0)
        failure = test.failure or {}
        if failure.get("importing"):
            return f"make {failure['importing']} importable, then ol check {module.id}{flag}"
        if failure.get("error") == "NotImplementedError" and failure["frames"]:
            frame = failure["frames"][-1]
            return f"write {frame['in']} in {judgement.files.get(frame['path'], frame['path'])}, then ol check {module.id}{flag}"
        raised = _raised_at(judgement, failure)
        if raised:
            return f"look at {raised}, then ol check {module.id}{flag}"
        # The hints are about values that are not right yet: they do not help where there is no value at all.
        got = (failure.get("difference") or {}).get("got")
        fits = failure.get("error") in ("AssertionError", "Failed") and got != "None"
        help_at = f" (a hint: ol hint {module.id} {hint})" if hint and module.hints and fits else ""
        return f"make {test.name} pass{help_at}, then ol check {module.id}{flag}"
    return f"mend what is named above, then ol check {module.id}{flag}"


def _raised_at(judgement: Judgement, failure: dict[str, Any]) -> str:
    """Where in the student's files the exception that ended the test arose, or "": a wrong value is no exception."""
    if failure.get("error") in (None, "", "AssertionError", "Failed"):
        return ""
    for paths in (judgement.module.paths, [path for path in judgement.files if path.startswith("python/")]):
        for frame in reversed(failure["frames"]):
            if frame.get("path") in paths:
                return f"{judgement.files.get(frame['path'], frame['path'])}:{frame['line']}"
    return ""

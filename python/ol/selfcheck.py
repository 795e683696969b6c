"""The course's check of itself, for maintainers: `python -m ol.selfcheck [MODULE ...]`, run by `make course`.

For each module: the stub fails, the catalogue names exactly the tests there are, the hints and the chapter exist. The
reference imports only what its student has. It keeps the contract, both parts of it where it is the library, else the
required one; the library then keeps both. Reference, library and wheats pass the course tests and the model suite. For each
mutant: it applies exactly once, differs from the reference through each call it names, and is killed by the course test it
names and by the model suite.

One line a check and a total; exit code 0 if all hold, else 1.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .catalog import Course, Module
from .child.contract import OPTIONAL_LINE
from .contracts import stub
from .errors import OlError
from .grade import KILLED, Suite, canary, outcome
from .hints import load_hints
from .imports import outside
from .judge import judge_sources
from .mutants import Mutant, Through, load_mutants
from .sandbox import Workshop, workshop
from .stage import (
    Run,
    Source,
    Sources,
    Stage,
    fixture_sources,
    other_implementations,
    reference_sources,
)
from .verdict import PASSED, verdict_of

_WITNESS_SECONDS = 30


@dataclass(frozen=True)
class Finding:
    """One check: what was claimed, whether it holds, and what was found instead."""

    claim: str
    holds: bool
    found: str = ""


def main() -> None:
    """Entry point."""
    try:
        course = Course.at_hand()
        chosen = [course.module(id) for id in sys.argv[1:]] or list(course.modules.values())
        failed = total = 0
        with workshop() as shop:
            for module in chosen:
                for finding in check_module(shop, course, module):
                    total += 1
                    failed += not finding.holds
                    print(
                        f"{'ok  ' if finding.holds else 'FAIL'} {module.id:7} {finding.claim}"
                        + (f": {finding.found}" if finding.found else ""),
                        flush=True,
                    )
    except OlError as error:
        print(f"ol.selfcheck: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("ol.selfcheck: interrupted", file=sys.stderr)
        sys.exit(2)
    print(f"{total} checks, {failed} failed")
    sys.exit(1 if failed else 0)


def check_module(shop: Workshop, course: Course, module: Module) -> Iterator[Finding]:
    """All checks of one module; a later module has none, and one whose files are missing has no others."""
    if module.later:
        return
    files = _files(course, module)
    yield files
    if not files.holds:
        return
    reference = reference_sources(course, module)
    yield from _catalogue(course, module)
    yield _attempt("hints exist, three levels each", lambda: _hints(course, module))
    yield _attempt(
        "the stub is Python, and the course tests fail on it", lambda: _stub_fails(shop, course, module, reference)
    )
    if module.root == "python":
        yield _imports(course, module, reference)
    suite = _model_suite(shop, course, module) if module.mutants else None
    if suite is not None:
        yield Finding("the model suite is there, and written", bool(suite.tests) and not suite.unwritten)
    others = other_implementations(course, module)
    for name, sources in {"the reference": reference, **others}.items():
        if name in others:
            differs = any(sources[path].content != reference[path].content for path in module.paths)
            yield Finding(f"{name} differs from the reference", differs)
        yield from _correct(shop, course, module, name, sources)
        if suite is not None:
            yield _passes_suite(suite, name, sources)
    if suite is not None:
        yield from _mutants(suite)


def _files(course: Course, module: Module) -> Finding:
    names = [
        *module.contracts,
        *module.stubs,
        *module.solutions,
        *module.copies,
        *module.fixtures,
        module.chapter,
        module.mutants,
    ]
    missing = [name for name in names if name and not (course.path / name).is_file()]
    code = {course.library / file for file in course.given}
    for owner in (*course.all_needs(module), module):
        code |= {course.reference_file(owner, file) for file in owner.files}
        code |= {course.library / file for file in owner.files if not owner.solutions}
    missing += [str(path) for path in sorted(code) if not path.is_file()]
    return Finding("every file that the catalogue names is there", not missing, ", ".join(missing))


def _catalogue(course: Course, module: Module) -> Iterator[Finding]:
    written = []
    for path in sorted((course.path / module.tests).glob("test_*.py")):
        written += [
            node.name
            for node in ast.parse(path.read_bytes()).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
    listed = [test.name for test in module.test]
    odd = sorted(set(written) ^ set(listed)) + sorted(name for name in set(written) if written.count(name) > 1)
    yield Finding(f"the catalogue names exactly the {len(listed)} tests there are", not odd, ", ".join(odd))
    try:
        numbers = {hint.number for hint in load_hints(course, module)} if module.hints else set()
    except OlError:
        return
    unknown = sorted({str(test.hint) for test in module.test if test.hint} - {str(number) for number in numbers})
    yield Finding("tests point to hints that exist", not unknown, ", ".join(unknown))


def _hints(course: Course, module: Module) -> str:
    numbers = [hint.number for hint in load_hints(course, module)] if module.hints else []
    return "" if numbers == [*range(1, len(numbers) + 1)] else f"{module.hints} is not numbered 1, 2, 3 ..."


def _stub_fails(shop: Workshop, course: Course, module: Module, reference: Sources) -> str:
    stubs = canary(course, module, reference)
    for number, file in enumerate(module.files):
        if module.stubs:
            stubs[module.path(file)] = Source((course.path / module.stubs[number]).read_bytes(), file)
        compile(stubs[module.path(file)].content, file, "exec", dont_inherit=True)
        contract = course.contract(module, file)
        if contract is not None and OPTIONAL_LINE in stub(contract):
            return f"the stub of {file} holds the optional part"
    run = judge_sources(shop, course, module, stubs)
    unfailed = {record["name"] for record in run.of("test") if record["outcome"] == "passed"}
    broken = [record["failure"]["says"] for record in (*run.of("module"), *run.of("error")) if record["failure"]]
    if broken:
        return f"it cannot be imported: {broken[0]}"
    return "all tests pass" if unfailed >= {test.name for test in module.test} else ""


def _imports(course: Course, module: Module, reference: Sources) -> Finding:
    needs = [file for need in (*course.all_needs(module), module) for file in need.files]
    allowed = {*course.given, *needs}
    found = [
        f"{file} imports {name}"
        for file in module.files
        for name in outside(reference[module.path(file)].content, file, allowed)
    ]
    claim = "the reference imports only the standard library, what is given and what it needs"
    return Finding(claim, not found, ", ".join(found))


def _correct(shop: Workshop, course: Course, module: Module, name: str, sources: Sources) -> Iterator[Finding]:
    """The checks of a correct implementation. The library keeps both parts of the contract, others the required one."""
    optional = name == ("the library" if module.reference else "the reference")
    run = judge_sources(shop, course, module, sources, optional=optional)
    unkept = [sentence for record in run.of("module") for sentence in record["mismatches"]]
    if module.contracts:
        part = "its contract, the optional part too" if optional else "the required part of its contract"
        yield Finding(f"{name} keeps {part}", not unkept, "; ".join(unkept))
    verdict, notes = verdict_of(module, run)
    claim = f"{name} passes the {len(module.test)} course tests ({run.ended.seconds:.1f} s)"
    yield Finding(claim, verdict == PASSED, _why(run, notes, verdict))


def _passes_suite(suite: Suite, name: str, sources: Sources) -> Finding:
    run = suite.run(sources, suite.module.limits.tests)
    failed = [record["name"] for record in run.of("test") if record["outcome"] != "passed"]
    clean = bool(run.closed and run.of("test") and not failed and not run.of("error"))
    found = ", ".join(failed) or run.ended.output[-200:] * (not clean)
    return Finding(f"{name} passes the model suite ({run.ended.seconds:.1f} s)", clean, found)


def _mutants(suite: Suite) -> Iterator[Finding]:
    mutants = load_mutants(suite.course, suite.module)
    for findings in suite.shop.side_by_side(lambda mutant: list(_mutant(suite, mutant)), mutants, lambda: None):
        yield from findings


def _mutant(suite: Suite, mutant: Mutant) -> Iterator[Finding]:
    shop, course, module = suite.shop, suite.course, suite.module
    try:
        broken = mutant.apply(suite.reference, module)
        compile(broken[module.path(mutant.file)].content, mutant.file, "exec", dont_inherit=True)
    except (OlError, SyntaxError) as error:
        yield Finding(f"{mutant.id} applies exactly once and is Python", False, str(error))
        return
    yield Finding(f"{mutant.id} applies exactly once and is Python", True)
    said = {key: value for key, value in vars(mutant).items() if key not in ("find", "replace", "through")}
    empty = [key for key, value in said.items() if not value.strip()]
    yield Finding(f"{mutant.id} says what it must", not empty, ", ".join(empty))
    for through in mutant.through:
        yield _differs(suite, mutant, broken, through)
    if mutant.killed_by not in {test.name for test in module.test}:
        yield Finding(f"{mutant.id} names the course test that kills it", False, mutant.killed_by)
    else:
        run = judge_sources(shop, course, module, broken, select=mutant.killed_by)
        failed = {record["name"] for record in run.of("test") if record["outcome"] == "failed"}
        yield Finding(f"{mutant.id} is killed by {mutant.killed_by}", mutant.killed_by in failed)
    result, _ = outcome(suite.run(broken, module.limits.tests))
    yield Finding(f"{mutant.id} is killed by the model suite", result == KILLED, result if result != KILLED else "")


def _differs(suite: Suite, mutant: Mutant, broken: Sources, through: Through) -> Finding:
    """Does the witness call what it names, and give something else on the mutant than on the reference?"""
    claim = f"{mutant.id} differs through {through.call}"
    if not through.names_its_call():
        return Finding(claim, False, f"its witness does not call {through.call}")
    right, wrong = (_witness(suite, sources, through.witness) for sources in (suite.reference, broken))
    if right is None or wrong is None:
        return Finding(claim, False, f"no value on the {'reference' if right is None else 'mutant'}")
    return Finding(claim, right != wrong, f"both give {right}" if right == wrong else "")


def _witness(suite: Suite, sources: Sources, witness: str) -> str | None:
    """The value of the last line of `witness` on `sources`; None if there is none."""
    fixtures = fixture_sources(suite.course, suite.module)
    run = Stage(suite.shop, {**sources, **fixtures}, suite.module.limits).run_witness(witness, _WITNESS_SECONDS)
    return run.of("witness")[0]["result"] if run.of("witness") else None


def _model_suite(shop: Workshop, course: Course, module: Module) -> Suite:
    """The maintainers' own suite, which stands where a student's would: a checkout has it, a wheel does not."""
    return Suite.of(shop, course, module, (course.path.parent / module.own_tests).parent)


def _attempt(claim: str, check: Callable[[], str]) -> Finding:
    try:
        found = check()
    except (OlError, OSError, SyntaxError) as error:
        found = str(error)
    return Finding(claim, not found, found)


def _why(run: Run, notes: list[str], verdict: str) -> str:
    if verdict == PASSED:
        return ""
    failures = [
        (record.get("name", record.get("file", "")), record["failure"])
        for record in run.records
        if record.get("failure")
    ]
    failures = [(name, failure) for name, failure in failures if name not in run.canaries]
    return "; ".join([*notes, *(f"{name}: {failure['error']} {failure['says']}" for name, failure in failures[:5])])


if __name__ == "__main__":
    main()

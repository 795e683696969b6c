"""How many broken versions of the core do its tests notice? mutmut makes them, one small change each, and runs the tests.

    python python/scripts/mutation.py                    the modules below with their `fast` tests; fails below SCORE
    python python/scripts/mutation.py --suite model      with the course's model suite alone; a report, no verdict
    python python/scripts/mutation.py --again            the last run's survivors again, and functions changed since
    python python/scripts/mutation.py --report           the last run's figures again, without running anything
    python python/scripts/mutation.py --only 'trie'      one module

mutmut 3 finds its way only in a `src` layout, so a copy is staged under build/. It exits 0 whatever survives, so this
reads its JSON statistics. It leaves out code at module level and decorated functions.

A mutant is killed, or its tests do not end in time, or it survives. One that only changes the wording of an error
message is not counted: tests hold messages to what they name, not to their words. Whatever else survives must be in
python/tests/exact/SURVIVORS.md with the reason why it may.

Exit status: 0 the score is reached and every survivor is listed, 1 not so, 2 mutmut could not run.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]
STAGE = PYTHON.parent / "build" / "mutmut"
SURVIVORS = PYTHON / "tests" / "exact" / "SURVIVORS.md"

LEARNED = ("bpe", "pretok", "merging.by_rank", "merging.training", "splitting.added_tokens", "splitting.declaration")
LEARNED += ("splitting.text", "fast.digits", "files.parts", "files.gpt2", "files.tokenizer_json")  # what L1.2 asks for
MODULES = ("base", "bytemap", "trie", *LEARNED)
SCORE = 0.98  # of the mutants that count, those killed or timed out (99.2 % on 29 November 2026, mutmut 3.8.1)

# Each suite's tests in the stage, and the modules that it is to hold. `fast` is a marker; the model suite is what a
# student might write for L1.2.
SUITES = {
    "fast": (["tests/tok"], MODULES),
    "model": (["tests/l1-2-bpe/test_bpe.py"], LEARNED),
}
MEMORY = 4 << 30  # bytes a test process may use: some mutants would eat the machine

CONFIGURATION = """
[tool.mutmut]
source_paths = ["src/"]
only_mutate = [{modules}]
pytest_add_cli_args_test_selection = [{tests}]
pytest_add_cli_args = [{arguments}]
timeout_multiplier = 8.0
timeout_constant = 2.0

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--strict-markers", "-p", "no:cacheprovider"]
markers = ["fast: the core's own tests", "slow: takes more than a few seconds"]
"""

# mutmut's exit codes for a mutant. Anything else is a test process that died, which is noticed, too.
SURVIVED, NO_TESTS = {0}, {5, 33}
TIMED_OUT = {36, -24, 24, 152, 255}
NOT_CHECKED = {None, 2}
UNNOTICED = ("survived", "no tests", "not checked")


@dataclass(frozen=True)
class Mutant:
    name: str  # as mutmut calls it: tinyllm.tok.trie.xǁTrieǁinsert__mutmut_3
    verdict: str  # killed, timed out, survived, no tests, not checked
    where: str  # trie.Trie.insert
    change: str  # the changed lines: "- old" and "+ new", one a line
    only_wording: bool


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suite", choices=SUITES, default="fast")
    parser.add_argument("--report", action="store_true", help="show the last run again")
    parser.add_argument(
        "--again", action="store_true", help="keep what the last run found, but for survivors and changed functions"
    )
    parser.add_argument("--only", choices=MODULES, help="one module")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    stage = STAGE / options.suite
    if not options.report:
        if options.again:
            forget_survivors(stage)
        else:
            shutil.rmtree(stage, ignore_errors=True)
        make_stage(stage, options.suite, [options.only] if options.only else SUITES[options.suite][1])
        if not run_mutmut(stage, options.workers):
            print("mutation: mutmut could not run; its words are above", file=sys.stderr)
            return 2
    mutants = [mutant for module in MODULES for mutant in read_mutants(stage, module)]
    if not mutants:
        print(f"mutation: no mutants in {stage}; run without --report first", file=sys.stderr)
        return 2
    statistics = json.loads((stage / "mutants" / "mutmut-cicd-stats.json").read_text("utf-8"))
    survived = sum(mutant.verdict == "survived" for mutant in mutants)
    if (statistics["total"], statistics["survived"]) != (len(mutants), survived):
        print(f"mutation: mutmut's statistics, {statistics}, are not those of its verdicts", file=sys.stderr)
        return 2
    return report(mutants, judged=options.suite == "fast" and not options.only)


# ---- running mutmut ----


def make_stage(stage: Path, suite: str, modules: Sequence[str]) -> None:
    for source in sorted((PYTHON / "tinyllm").rglob("*.py")):
        copy_if_changed(source, stage / "src" / source.relative_to(PYTHON))
    tests, staged = PYTHON / "tests", stage / "tests"
    shutil.rmtree(staged, ignore_errors=True)
    conftest = (tests / "conftest.py").read_text("utf-8")
    wanted = [tests / "conftest.py", *(tests / "support").glob("*.py"), tests / "l1-2-bpe" / "test_bpe.py"]
    wanted += [
        file
        for file in (tests / "tok").rglob("test_*.py")
        if "pytest.mark.fast" in file.read_text("utf-8") or f'"{file.name}"' in conftest
    ]
    for file in wanted:
        copy_if_changed(file, staged / file.relative_to(tests))

    def listed(values: Sequence[str]) -> str:
        return ", ".join(map(json.dumps, values))

    (stage / "pyproject.toml").write_text(
        CONFIGURATION.format(
            modules=listed([f"src/tinyllm/tok/{module.replace('.', '/')}.py" for module in modules]),
            tests=listed(SUITES[suite][0]),
            arguments=listed(["-m", "fast"] if suite == "fast" else []),
        ),
        "utf-8",
    )


def copy_if_changed(source: Path, copy: Path) -> None:
    """mutmut looks at the time of a file to see whether it has changed."""
    if not copy.exists() or copy.read_bytes() != source.read_bytes():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())


def forget_survivors(stage: Path) -> None:
    """What mutmut keeps of a run: the verdicts, for functions that have not changed. The rest it is to find anew."""
    mutants = stage / "mutants"
    (mutants / "mutmut-stats.json").unlink(missing_ok=True)
    shutil.rmtree(mutants / "tests", ignore_errors=True)
    for file in (mutants / "src").rglob("*.py"):
        meta = file.with_name(file.name + ".meta")
        if not meta.exists():
            file.unlink()  # a module that is not mutated would not be copied again
            continue
        found = json.loads(meta.read_text("utf-8"))
        codes = found["exit_code_by_key"]
        found["exit_code_by_key"] = {name: None if verdict(code) in UNNOTICED else code for name, code in codes.items()}
        meta.write_text(json.dumps(found), "utf-8")


def run_mutmut(stage: Path, workers: int) -> bool:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))}
    environment |= {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "1",
    }

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    for command in (["run", "--max-children", str(workers)], ["export-cicd-stats"]):
        # It redraws one line for each mutant: for a person, not for a log.
        with (stage / "mutmut.log").open("w") if not sys.stdout.isatty() else nullcontext() as log:
            done = subprocess.run(
                [sys.executable, "-m", "mutmut", *command],
                cwd=stage,
                env=environment,
                preexec_fn=limit,
                stdout=log,
                stderr=log and subprocess.STDOUT,
            )
        if done.returncode != 0:
            if log:
                print((stage / "mutmut.log").read_text("utf-8")[-5000:], f"(status {done.returncode})", file=sys.stderr)
            return False
    return True


# ---- reading what it found ----


def read_mutants(stage: Path, module: str) -> Iterator[Mutant]:
    path = stage.joinpath("mutants", "src", "tinyllm", "tok", *module.split(".")).with_suffix(".py")
    meta = path.with_name(path.name + ".meta")
    if not meta.exists():
        return
    codes = json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    functions = {
        node.name: node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)
    }
    for name, code in codes.items():
        mangled = name.rpartition(".")[2]
        original = functions[mangled.partition("__mutmut_")[0] + "__mutmut_orig"]
        mutated = functions[mangled]
        # x_name is a function, xǁClassǁname a method.
        where = f"{module}.{mangled.partition('__mutmut_')[0][2:].replace('ǁ', '.')}"
        yield Mutant(name, verdict(code), where, change(original, mutated), is_only_wording(original, mutated))


def verdict(code: int | None) -> str:
    if code in SURVIVED:
        return "survived"
    if code in NO_TESTS:
        return "no tests"
    if code in NOT_CHECKED:
        return "not checked"
    return "timed out" if code in TIMED_OUT else "killed"


def change(original: ast.FunctionDef, mutated: ast.FunctionDef) -> str:
    """The lines that differ, as `ast` writes them, so that the layout of the code does not matter."""
    before, after = (ast.unparse(ast.Module(node.body, [])).split("\n") for node in (original, mutated))
    if (header := ast.unparse(original.args)) != ast.unparse(mutated.args):
        before, after = [f"({header})", *before], [f"({ast.unparse(mutated.args)})", *after]
    lines = difflib.ndiff(before, after)
    return "\n".join(re.sub(r"^([-+])\s+", r"\1 ", line) for line in lines if line[0] in "-+")


class _Unworded(ast.NodeTransformer):
    """Blanks the words of messages: every string that is part of a `raise` or is what an `assert` says."""

    def __init__(self) -> None:
        self.raising = False

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.raising = True
        self.generic_visit(node)
        self.raising = False
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.test = self.visit(node.test)
        node.msg = None
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if self.raising and isinstance(node.value, str) else node


def is_only_wording(original: ast.FunctionDef, mutated: ast.FunctionDef) -> bool:
    # Parsed anew: blanking the words must not change the trees themselves.
    one, other = (_Unworded().visit(ast.parse(ast.unparse(ast.Module(node.body, [])))) for node in (original, mutated))
    return ast.dump(one) == ast.dump(other) and ast.dump(original.args) == ast.dump(mutated.args)


# ---- the report ----


def report(mutants: list[Mutant], judged: bool) -> int:
    counted = [mutant for mutant in mutants if not mutant.only_wording]
    print(
        f"{'module':<24}{'mutants':>9}{'killed':>9}{'timed out':>11}{'survived':>10}{'no tests':>10}{'not checked':>13}{'score':>9}"
    )
    for module in (*MODULES, ""):
        of_module = [mutant for mutant in counted if not module or mutant.where.startswith(f"{module}.")]
        if of_module:
            count = Counter(mutant.verdict for mutant in of_module)
            columns = "{:>9,}{:>9,}{:>11,}{:>10,}{:>10,}{:>13,}{:>9.1%}".format(
                len(of_module),
                count["killed"],
                count["timed out"],
                count["survived"],
                count["no tests"],
                count["not checked"],
                (count["killed"] + count["timed out"]) / len(of_module),
            )
            print(f"{module or 'all':<24}{columns}")
    print(f"not counted: {len(mutants) - len(counted)} mutants that change the wording of a message and nothing else")

    noticed = sum(mutant.verdict in ("killed", "timed out") for mutant in counted)
    score = noticed / len(counted)
    if not judged:
        return 0
    listed = SURVIVORS.read_text("utf-8") if SURVIVORS.exists() else ""
    unlisted = [mutant for mutant in counted if mutant.verdict in UNNOTICED and entry(mutant) not in listed]
    for mutant in unlisted:
        print(f"\nnot in {SURVIVORS.name}: {mutant.name} ({mutant.verdict})\n{entry(mutant)}")
    if unlisted:
        print(f"\n{len(unlisted)} survivors are not in {SURVIVORS.name}")
    if score < SCORE:
        print(f"the score is {score:.1%}; it must be {SCORE:.1%}")
    return 1 if unlisted or score < SCORE else 0


def entry(mutant: Mutant) -> str:
    """As SURVIVORS.md lists it."""
    return f"{mutant.where}\n{mutant.change}"


if __name__ == "__main__":
    sys.exit(main())

"""What `ol check` says of right, wrong, half-built and missing code, and its exit codes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from typing import Any

TWO, PARSE, OWN = "python/toy/two.py", "python/toy/parse.py", "python/tests/t2/test_two.py"


def test_right_code_and_good_tests_pass(finished: Any) -> None:
    result = finished.ol("check", "T2")
    assert result.code == 0
    assert "course tests   6 of 6 passed" in result.out
    assert "your tests     5 tests, pass on 2 correct implementations" in result.out
    assert "mutants        killed 5 of 5 (1.00, need 0.60)" in result.out
    assert "PASSED  T2 is done." in result.out
    assert result.last == "Next: ol diff T2"
    assert result.err == ""
    assert finished.left_behind() == []


def test_a_module_without_mutants_is_judged_by_its_course_tests(finished: Any) -> None:
    result = finished.ol("check", "T1")
    assert result.code == 0
    assert "mutants" not in result.out


def test_the_first_failure_is_shown_in_full_and_the_others_are_named(finished: Any) -> None:
    finished.edit(PARSE, "[int(part) for part", "[abs(int(part)) + 1 for part")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "FAIL  test_parse_reads_numbers[1-numbers0]" in result.out
    assert "checks numbers between commas" in result.out
    assert "numbers stand between commas" in result.out
    assert (
        "        expected  [1]\n        got       [2]\n                   ^ first difference at item 0\n" in result.out
    )
    assert "course/tests/T2/test_parse.py:7 in test_parse_reads_numbers" in result.out
    assert "1 more: test_fixture_is_there" in result.out
    assert "FAIL  test_fixture_is_there" not in result.out
    assert (
        "your tests     not run: the course tests come first\n               (try them: pytest python/tests)\n"
        in result.out
    )
    assert "NOT YET  T2: 2 tests to go." in result.out
    assert result.last == "Next: make test_parse_reads_numbers pass (a hint: ol hint T2 1), then ol check T2"


def test_verbose_shows_every_test_and_every_failure(finished: Any) -> None:
    finished.edit(PARSE, "[int(part) for part", "[abs(int(part)) + 1 for part")
    result = finished.ol("check", "T2", "-v")
    assert "  passed     test_add_appends" in result.out
    assert "FAIL  test_fixture_is_there" in result.out


def test_an_exception_is_shown_with_the_path_in_the_students_repo(finished: Any) -> None:
    finished.edit(PARSE, "    if text", "    open(__file__ + '.missing')\n    if text")
    result = finished.ol("check", "T2")
    assert (
        f"FileNotFoundError: [Errno 2] No such file or directory: '{finished.repo}/python/toy/parse.py.missing'"
        in " ".join(result.out.split())
    )
    assert "python/toy/parse.py:5 in parse\n          open(__file__ + '.missing')" in result.out
    assert str(finished.temporary) not in result.out


def test_a_syntax_error_is_shown_with_its_line(finished: Any) -> None:
    finished.write(PARSE, "def parse(text):\n    return [\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "FAIL  importing python/toy/parse.py" in result.out
    assert (
        "        SyntaxError: '[' was never closed (parse.py, line 2)\n"
        "        python/toy/parse.py:2\n"
        "          return [\n\n" in result.out
    )
    assert "importlib" not in result.out
    assert result.last == "Next: make python/toy/parse.py importable, then ol check T2"


def test_an_exception_at_import_is_shown_with_the_students_line_alone(finished: Any) -> None:
    finished.write(PARSE, "import nothing_such\n")
    result = finished.ol("check", "T2")
    assert (
        "  FAIL  importing python/toy/parse.py\n"
        "        ModuleNotFoundError: No module named 'nothing_such'\n"
        "        python/toy/parse.py:1\n"
        "          import nothing_such\n\n" in result.out
    )
    assert "importlib" not in result.out
    assert "more calls" not in result.out


def test_what_the_code_prints_is_shown_with_a_failure(finished: Any) -> None:
    finished.edit(PARSE, "    if text", "    print('parsing', text)\n    if text")
    finished.edit(PARSE, "return []", "return [0]")
    assert "your code printed:\n          parsing" in finished.ol("check", "T2").out


def test_a_missing_function_is_named_by_the_contract(finished: Any) -> None:
    finished.edit(TWO, "def doubled(self)", "def double_all(self, factor)")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "not as the contract says: python/toy/two.py: Tally.doubled() is missing" in " ".join(result.out.split())
    assert result.last == "Next: write Tally.doubled in python/toy/two.py, then ol check T2"


def test_an_empty_file_is_to_be_written(finished: Any) -> None:
    finished.write(PARSE, "")
    result = finished.ol("check", "T2")
    assert "python/toy/parse.py: parse() is missing" in " ".join(result.out.split())
    assert result.last == "Next: write parse in python/toy/parse.py, then ol check T2"


def test_an_exception_in_the_students_code_sends_to_its_line_and_to_no_hint(finished: Any) -> None:
    finished.edit(PARSE, "[int(part) for part", "[int(undefined) for part")
    result = finished.ol("check", "T2", "--ref-deps")
    assert "NameError: name 'undefined' is not defined" in result.out
    assert result.last == "Next: look at python/toy/parse.py:7, then ol check T2 --ref-deps"


def test_a_forgotten_return_is_met_without_a_hint(finished: Any) -> None:
    finished.edit(PARSE, "return [int(part) for part", "[int(part) for part")
    result = finished.ol("check", "T2")
    assert "got       None" in result.out
    assert result.last == "Next: make test_parse_reads_numbers pass, then ol check T2"


def test_own_tests_that_do_not_parse_are_named_while_course_tests_fail(finished: Any) -> None:
    finished.edit(PARSE, "return []", "return [0]")
    finished.write(OWN, "def test_parse():\n    assert (\n")
    result = finished.ol("check", "T2")
    assert "your tests     python/tests/t2/test_two.py:2 is no Python yet: '(' was never closed\n" in result.out


def test_tests_that_pass_do_not_excuse_a_broken_contract(finished: Any) -> None:
    finished.edit(TWO, "def add(self, value: int)", "def add(self, number: int)")
    finished.edit(TWO, "self.values.append(value)", "self.values.append(number)")
    result = finished.ol("check", "T2")
    assert "6 of 6 passed" in result.out
    assert "Tally.add() has no parameter `value`" in " ".join(result.out.split())
    assert "NOT YET  T2: the tests pass, but not all is as it must be." in result.out
    assert result.code == 1


def test_a_missing_need_stops_the_check(desk: Any) -> None:
    desk.done("T2")
    result = desk.ol("check", "T2")
    assert result.code == 2
    assert result.err == "ol: T2 needs T1: build it, or rerun with --ref-deps\n"
    assert result.out == "Next: ol start T1\n"


def test_a_need_that_is_still_its_stub_is_missing(desk: Any) -> None:
    desk.done("T2")
    assert desk.ol("start", "T1").code == 0
    desk.edit("python/toy/one.py", "Twice the number.", "Twice the number, I think.")
    result = desk.ol("check", "T2")
    assert (result.code, result.err) == (2, "ol: T2 needs T1: build it, or rerun with --ref-deps\n")


def test_reference_needs_let_a_module_pass_but_do_not_complete_it(desk: Any) -> None:
    desk.keep_one_mutant()
    desk.done("T2")
    result = desk.ol("check", "T2", "--ref-deps")
    assert result.code == 0
    assert "PASSED  T2, with the reference's needs" in result.out
    assert result.last == "Next: ol start T1 (T2 is complete once it passes without --ref-deps)"
    assert "T2      passed with --ref-deps" in desk.ol("list").out


def test_a_need_that_exists_is_used_as_it_is_and_blamed_if_the_reference_cures_it(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.edit("python/toy/one.py", "number * FACTOR", "number * FACTOR * 3")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "It passes with --ref-deps: look into your T1 first" in result.out
    assert finished.ol("check", "T2", "--ref-deps").code == 0


def test_a_fault_of_the_module_itself_is_not_blamed_on_its_needs(finished: Any) -> None:
    finished.write("python/toy/one.py", (finished.repo / "python/toy/one.py").read_text() + "\n# mine\n")
    finished.edit(PARSE, "return []", "return [0]")
    assert "--ref-deps" not in finished.ol("check", "T2").out


def test_ones_own_stub_is_not_yet(desk: Any) -> None:
    desk.ol("start", "T1")
    result = desk.ol("check", "T1")
    assert result.code == 1
    assert "python/toy/one.py is still the stub" in result.out
    assert "NotImplementedError" in result.out
    assert result.last == "Next: write double in python/toy/one.py, then ol check T1"


def test_of_several_stubs_the_first_file_comes_first_and_small_cases_before_golden_ones(finished: Any) -> None:
    (finished.repo / PARSE).unlink()
    (finished.repo / TWO).unlink()
    finished.ol("start", "T2")
    path = finished.course / "course.toml"
    path.write_text(
        path.read_text().replace(
            '"test_parse_reads_numbers", kind = "unit"', '"test_parse_reads_numbers", kind = "golden"'
        )
    )
    result = finished.ol("check", "T2")
    assert "FAIL  test_parse_of_nothing_is_empty" in result.out
    assert result.last == "Next: write parse in python/toy/parse.py, then ol check T2"
    finished.write(PARSE, (finished.library / "toy" / "parse.py").read_text())
    assert finished.ol("check", "T2").last == "Next: write __init__ in python/toy/two.py, then ol check T2"


def test_a_module_that_was_not_started_cannot_be_judged(desk: Any) -> None:
    desk.done()
    result = desk.ol("check", "T1")
    assert (result.code, result.err, result.out) == (
        2,
        "ol: python/toy/one.py is not there yet\n",
        "Next: ol start T1\n",
    )


def test_of_a_later_module_every_command_says_first_that_it_is_not_here(desk: Any) -> None:
    for command in ("check", "hint", "tests", "start", "diff", "watch"):
        result = desk.ol(command, "T9")
        assert (result.code, result.err) == (2, "ol: T9 (Not yet) is not in this course yet\n")
        assert result.out == "Next: ol list\n"


def test_minus_k_runs_what_matches_and_gives_no_verdict(finished: Any) -> None:
    finished.edit(PARSE, "return []", "return [0]")
    good, bad = finished.ol("check", "T2", "-k", "add or doubled"), finished.ol("check", "T2", "-k", "nothing")
    assert (good.code, bad.code) == (0, 1)
    assert "course tests   2 of 2 passed" in good.out
    assert "NO VERDICT  -k ran 2 of 6 tests; a verdict and a grade need them all." in good.out
    assert "PASSED" not in good.out and "mutants" not in good.out
    assert not (finished.repo / ".ol").exists()


def test_minus_k_keeps_ref_deps_in_the_next_step(desk: Any) -> None:
    desk.done("T2")
    last = desk.ol("check", "T2", "--ref-deps", "-k", "add").last
    assert last == "Next: ol check T2 --ref-deps (all tests; -k gives no verdict)"


def test_minus_k_that_matches_nothing_is_an_error(finished: Any) -> None:
    result = finished.ol("check", "T2", "-k", "no_such_test")
    assert (result.code, result.err) == (2, "ol: -k 'no_such_test' selects none of the 6 tests of T2\n")


def test_minus_k_with_a_wrong_expression_is_an_error(finished: Any) -> None:
    result = finished.ol("check", "T2", "-k", "add and")
    assert result.code == 2
    assert result.err == (
        "ol: -k 'add and' is a wrong expression: it takes parts of test names, joined by and, or, not and parentheses\n"
    )
    assert result.out == "Next: ol check T2 -k test_parse_reads_numbers\n"


def test_json_of_a_pass(finished: Any) -> None:
    result = finished.ol("check", "T2", "--json")
    found = json.loads(result.out)
    assert result.code == 0
    assert list(found) == ["module", "verdict", "exit", "ref_deps", "judged", "tests", "grade", "next"]
    assert (found["module"], found["verdict"], found["exit"], found["ref_deps"]) == ("T2", "passed", 0, False)
    assert [test["name"] for test in found["tests"]][:2] == [
        "test_parse_reads_numbers",
        "test_parse_of_nothing_is_empty",
    ]
    assert {test["outcome"] for test in found["tests"]} == {"passed"}
    assert set(found["tests"][0]) == {"name", "outcome", "seconds", "message"}
    assert found["grade"] == {"killed": 5, "total": 5, "need": 0.6, "survivors": [], "timeouts": []}
    assert found["next"] == "ol diff T2"


def test_json_of_a_failure(finished: Any) -> None:
    finished.edit(PARSE, "return []", "return [0]")
    result = finished.ol("check", "T2", "--json")
    found = json.loads(result.out)
    assert (result.code, found["exit"], found["verdict"], found["grade"]) == (1, 1, "not yet", None)
    failed = [test for test in found["tests"] if test["outcome"] != "passed"]
    assert [test["name"] for test in failed] == ["test_parse_of_nothing_is_empty"]
    assert "expected  []\ngot       [0]" in failed[0]["message"]


def test_json_of_what_cannot_be_judged(desk: Any) -> None:
    desk.done("T2")
    result = desk.ol("check", "T2", "--json")
    assert json.loads(result.out) == {
        "module": "T2", "verdict": "cannot judge", "exit": 2, "ref_deps": False, "judged": None, "tests": [], "grade": None,
        "next": "ol start T1",
    }  # fmt: skip
    assert result.err == "ol: T2 needs T1: build it, or rerun with --ref-deps\n"
    assert result.code == 2


def test_json_with_minus_k_has_no_verdict(finished: Any) -> None:
    found = json.loads(finished.ol("check", "T2", "-k", "add", "--json").out)
    assert (found["verdict"], found["exit"], found["grade"]) == (None, 0, None)
    assert [test["name"] for test in found["tests"]] == ["test_add_appends"]


def test_output_is_plain_when_piped_and_fits_80_columns(finished: Any) -> None:
    finished.edit(PARSE, "return []", "return [0]")
    for arguments in (
        ("check", "T2"),
        ("tests", "T2"),
        ("list",),
        ("hint", "T2"),
        ("hint", "T2", "1", "--level", "3"),
        ("start", "T2"),
    ):
        result = finished.ol(*arguments)
        assert "\x1b" not in result.out
        prose = [
            line
            for line in result.out.splitlines()
            if len(line) > 80 and "/" not in line and not line.startswith("Next:")
        ]
        assert prose == []


def on_a_terminal(desk: Any, *arguments: str, **extra: str) -> str:
    """What `ol` writes to a terminal, control characters and all."""
    ours, theirs = pty.openpty()
    environment = desk.environment(TERM="xterm-256color", **extra)
    process = subprocess.Popen(
        [sys.executable, "-m", "ol.cli", *arguments],
        cwd=desk.repo,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # Linux: the other end is closed
            more = b""
        if not more:
            break
        written += more
    os.close(ours)
    process.wait(timeout=60)
    return written.decode("utf-8", "replace")


def test_a_terminal_gets_colour_and_progress_unless_it_asks_for_none(finished: Any) -> None:
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    shown = on_a_terminal(finished, "check", "T1")
    assert "PASSED" in shown and colour.search(shown)
    assert "1 course tests ..." in shown
    shown = on_a_terminal(finished, "check", "T1", NO_COLOR="1")
    assert "PASSED" in shown and not colour.search(shown)


def test_another_platform_is_told_in_one_line(finished: Any) -> None:
    elsewhere = "import sys, types, ol.judge; ol.judge.sys = types.SimpleNamespace(platform='win32')"
    start = f"{elsewhere}; sys.argv = ['ol', 'check', 'T1']; from ol.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", start], cwd=finished.repo, env=finished.environment(), capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("ol: ol check needs Linux or macOS") and ended.stderr.count("\n") == 1


def test_outside_a_course_repo_the_error_says_so(desk: Any) -> None:
    result = desk.ol("check", "T1")
    assert result.code == 2
    assert result.err == (
        f"ol: this folder is no workspace: {desk.repo} has no pyproject.toml with a [tool.ol] table, nor has a folder above\n"
    )
    assert result.out == "Next: cd to yours, or ol start T1 to make one here\n"


def test_an_unknown_module_and_wrong_usage_are_one_line(finished: Any) -> None:
    assert finished.ol("check", "T7").err.startswith("ol: there is no module 'T7' (did you mean")
    for arguments in (
        ("check",),
        ("nonsense",),
        ("check", "T1", "--nonsense"),
        ("hint", "T1", "x"),
        ("hint", "T1", "9"),
    ):
        result = finished.ol(*arguments)
        assert (result.code, result.err.count("\n")) == (2, 1), result.err
        assert result.err.startswith("ol: ")


def test_what_should_not_happen_is_one_line_too(finished: Any) -> None:
    stub = "import ol.catalog; ol.catalog.Course.load = lambda path=None: 1 / 0"
    start = f"import sys; {stub}; sys.argv = ['ol', 'list']; from ol.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", start], cwd=finished.repo, env=finished.environment(), capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert (
        ended.stderr
        == "ol: this should not have happened: ZeroDivisionError: division by zero (OL_DEBUG=1 shows where)\n"
    )


def test_module_ids_are_found_in_any_case(finished: Any) -> None:
    assert finished.ol("check", "t1").code == 0


def test_a_command_works_from_a_subfolder(finished: Any) -> None:
    assert finished.ol("check", "T1", cwd=finished.repo / "python" / "toy").code == 0

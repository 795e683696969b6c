"""The student's own tests, graded: what counts as a kill, what does not, and what is said before any mutant runs."""

from __future__ import annotations

import json
from typing import Any

OWN = "python/tests/t2/test_two.py"
ROUND = "from toy.two import Tally\n\n\ndef test_something():\n    assert Tally([1]).doubled() == [2]\n"


def test_weak_tests_are_not_yet_and_survivors_are_named_by_behaviour(finished: Any) -> None:
    finished.write(OWN, ROUND)
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "mutants        killed 0 of 5 (0.00, need 0.60: 3 mutants more)" in result.out
    assert (
        "  survived: no test of yours fails on\n    m1  a number of several digits, or a negative one\n    m2  an empty text\n"
        in result.out
    )
    assert "NOT YET  T2: your code is right; your tests would miss 5 of 5 broken versions." in " ".join(
        result.out.split("\n")
    )
    assert result.last == "Next: write a test for one line above (an input to try: ol hint T2 m1), then ol check T2"


def test_the_threshold_itself_is_enough(finished: Any) -> None:
    parts = (finished.repo / OWN).read_text().split("\n\n\n")
    finished.write(OWN, "\n\n\n".join(parts[:4]) + "\n")  # the tests of parse: three of five mutants
    result = finished.ol("check", "T2")
    assert "killed 3 of 5 (0.60, need 0.60)" in result.out
    assert result.code == 0


def test_no_tests_at_all_is_not_yet(finished: Any) -> None:
    (finished.repo / OWN).unlink()
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "your tests     you have none yet: write them in python/tests/t2/test_two.py" in result.out
    assert "your code is right" in result.out


def test_unwritten_tests_are_left_out_and_counted(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.write(
        OWN,
        (finished.repo / OWN).read_text()
        + '\n\ndef test_later() -> None:\n    """Some day."""\n    raise NotImplementedError\n',
    )
    result = finished.ol("check", "T2")
    assert result.code == 0
    assert "5 tests, pass on 2 correct implementations (1 still to be written)" in " ".join(result.out.split())


def test_the_test_file_as_start_makes_it_is_all_to_be_written(finished: Any) -> None:
    (finished.repo / OWN).unlink()
    finished.ol("start", "T2")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "all 4 are still to be written" in result.out


def test_a_test_that_fails_on_the_reference_is_named_and_mutants_wait(finished: Any) -> None:
    finished.write(OWN, (finished.repo / OWN).read_text() + "\n\ndef test_wrong():\n    assert parse('1') == [2]\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "your tests     test_wrong fails on the reference" in result.out
    assert "mutants wait" in result.out
    assert "FAIL  test_wrong\n        expected  [2]\n        got       [1]\n" in result.out
    assert "killed" not in result.out
    assert json.loads(finished.ol("check", "T2", "--json").out)["grade"] is None


def test_a_wrong_test_is_told_what_it_seems_to_believe(finished: Any) -> None:
    finished.write(OWN, (finished.repo / OWN).read_text() + "\n\ndef test_zero():\n    assert parse('') == [0]\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert 'test_zero would pass on code that believes: "nothing is zero".' in " ".join(result.out.split())


def test_an_error_inside_the_reference_is_not_shown_as_the_students_line(finished: Any) -> None:
    finished.write(OWN, (finished.repo / OWN).read_text() + "\n\ndef test_wrong():\n    assert parse('x') == []\n")
    assert "python/toy/parse.py (the reference's):" in finished.ol("check", "T2").out


def test_a_suite_of_failing_tests_earns_nothing(finished: Any) -> None:
    finished.write(OWN, "def test_no():\n    assert False\n")
    assert finished.ol("check", "T2").code == 1


def test_a_test_that_fails_on_the_second_implementation_only_is_too_narrow(finished: Any) -> None:
    finished.write(
        OWN,
        (finished.repo / OWN).read_text()
        + "\n\ndef test_inside():\n    import inspect\n\n    assert 'split' in inspect.getsource(parse)\n",
    )
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "test_inside fails on another correct" in result.out
    assert "it depends on something that the contract does not promise" in result.out
    assert "killed" not in result.out


def test_tests_that_never_use_the_module_are_found_out_by_the_canary(finished: Any) -> None:
    finished.write(OWN, "def test_arithmetic():\n    assert 1 + 1 == 2\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "they pass even where every function raises" in result.out


def test_a_test_file_that_cannot_be_collected_is_said_so(finished: Any) -> None:
    finished.write(OWN, "import nothing_such\n" + ROUND)
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "cannot be collected on the reference" in " ".join(result.out.split())
    assert "No module named 'nothing_such'" in result.out


def test_a_conftest_of_the_students_is_not_taken_and_said_so(finished: Any) -> None:
    finished.write("python/tests/t2/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n")
    finished.write(OWN, ROUND + "\n\ndef test_one(one):\n    assert one == 1\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "conftest.py is not taken along: put its fixtures into the test files that use them." in " ".join(
        result.out.split()
    )


def break_only(desk: Any, find: str, replace: str) -> None:
    """One mutant more, which does what a mutant must not."""
    path = desk.course / "mutants" / "T2.toml"
    entry = "\n".join(
        [
            '[[mutant]]\nid = "odd"\ntitle = "odd"\nbehaviour = "the odd behaviour"\nmisconception = "none"\nfile = "toy/parse.py"',
            f"find = {json.dumps(find)}\nreplace = {json.dumps(replace)}",
            'through = [{ call = "parse", witness = "parse" }]\nhint = "none"\nkilled_by = "test_parse_reads_numbers"',
        ]
    )
    path.write_text(path.read_text() + "\n" + entry + "\n")


def test_hypothesis_is_deterministic_in_a_graded_run(finished: Any) -> None:
    finished.keep_one_mutant()
    settled = "settings.default.derandomize and settings.default.database is None and settings.default.deadline is None"
    test = f"\n\ndef test_settled():\n    from hypothesis import settings\n\n    assert {settled}\n"
    finished.write(OWN, (finished.repo / OWN).read_text() + test)
    assert finished.ol("check", "T2").code == 0


def test_a_time_out_is_its_own_verdict_and_no_kill(finished: Any) -> None:
    break_only(finished, 'if text == ""', 'while "-" in text: pass\n    if text == ""')
    result = finished.ol("check", "T2", "--json")
    found = json.loads(result.out)
    assert (found["grade"]["killed"], found["grade"]["total"]) == (5, 6)
    assert found["grade"]["timeouts"] == [{"id": "odd", "behaviour": "the odd behaviour"}]
    assert found["grade"]["survivors"] == []


def test_a_mutant_that_ends_the_process_is_no_kill(finished: Any) -> None:
    break_only(finished, 'if text == ""', '__import__("os")._exit(1)\n    if text == ""')
    result = finished.ol("check", "T2")
    assert "killed 5 of 6 (0.83, need 0.60)" in result.out
    assert "crashed, not killed\n    odd  the odd behaviour" in result.out


def test_a_mutant_that_cannot_be_imported_is_no_kill(finished: Any) -> None:
    break_only(finished, "def parse(text", "import nothing_such\n\n\ndef parse(text")
    result = finished.ol("check", "T2")
    assert "killed 5 of 6 (0.83, need 0.60)" in result.out
    assert "could not be collected, not killed\n    odd  the odd behaviour" in result.out


def test_a_run_without_tests_is_no_kill(finished: Any) -> None:
    finished.write(
        OWN,
        "from toy import parse as module\n"
        + (finished.repo / OWN).read_text()
        + "\n\nif hasattr(module, 'EMPTY'):\n    for name in [n for n in globals() if n.startswith('test')]:\n        del globals()[name]\n",
    )
    break_only(finished, "def parse(text", "EMPTY = True\n\n\ndef parse(text")
    result = finished.ol("check", "T2")
    assert "ran no test, not killed\n    odd  the odd behaviour" in result.out


def test_the_printed_score_never_rounds_up(finished: Any) -> None:
    for number in range(3):
        break_only(finished, "def parse(text", f"ADDED_{number} = 1\n\n\ndef parse(text")
        path = finished.course / "mutants" / "T2.toml"
        path.write_text(path.read_text().replace('"odd"\ntitle', f'"odd{number}"\ntitle'))
    parts = (finished.repo / OWN).read_text().split("\n\n\n")
    finished.write(OWN, "\n\n\n".join(parts[:5]) + "\n")
    assert "killed 4 of 8 (0.50, need 0.60: 1 mutant more)" in finished.ol("check", "T2").out


def test_a_mutant_that_does_not_apply_is_a_broken_course(finished: Any) -> None:
    break_only(finished, "no such text", "")
    result = finished.ol("check", "T2")
    assert result.code == 2
    assert result.err == "ol: the course is broken: mutant odd must apply exactly once to toy/parse.py, not 0 times\n"
    assert finished.left_behind() == []


def test_the_students_code_is_not_what_mutants_are_made_of(finished: Any) -> None:
    finished.write("python/toy/parse.py", (finished.course / "wheats" / "T2" / "toy" / "parse.py").read_text())
    assert "killed 5 of 5" in finished.ol("check", "T2").out


def test_the_same_verdicts_with_one_worker(finished: Any, monkeypatch: Any) -> None:
    import ol.sandbox
    from ol.catalog import Course
    from ol.judge import check
    from ol.workspace import Workspace

    course = Course.load(finished.course)
    workspace = Workspace.require(course, finished.repo)
    scores = []
    for workers in (1, 4):
        monkeypatch.setattr(ol.sandbox, "workers", lambda count=workers: count)
        judgement = check(course, workspace, course.module("T2"))
        assert judgement.grade is not None
        scores.append([(result.mutant.id, result.outcome) for result in judgement.grade.results])
    assert scores[0] == scores[1] == [(f"m{number}", "killed") for number in range(1, 6)]

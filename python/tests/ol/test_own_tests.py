"""What is taken along with a student's own tests, what is not, and what they are told when tests can kill nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ol.own_tests import own_tests

OWN, AT = "python/tests/t2/test_two.py", "python/tests/t2"
GOOD = "from toy.parse import parse\n\n\ndef test_parse():\n    assert parse('12,-3') == [12, -3]\n"


def words(result: Any) -> str:
    return " ".join(result.out.split())


def test_own_tests_import_siblings_and_read_data_beside_them(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.write(f"{AT}/cases.py", "CASES = [('12,-3', [12, -3])]\n")
    finished.write(f"{AT}/data/cases.txt", "12,-3\n")
    finished.write(f"{AT}/more/__init__.py", "from .deep import EMPTY\n")
    finished.write(f"{AT}/more/deep.py", "EMPTY = []\n")
    finished.write(
        OWN,
        "from pathlib import Path\n\nfrom cases import CASES\nfrom more import EMPTY\nfrom toy.parse import parse\n\nfrom .cases import CASES as SAME\n\n"
        "HERE = Path(__file__).parent / 'data'\n\n\ndef test_cases():\n    assert [(text, parse(text)) for text, _ in CASES] == CASES == SAME\n\n\n"
        "def test_data():\n    assert parse((HERE / 'cases.txt').read_text()) == [12, -3]\n    assert parse('') == EMPTY\n"
        "    assert [path.name for path in HERE.iterdir()] == ['cases.txt']\n    assert Path('python/tests/t2/data/cases.txt').exists()\n",
    )
    result = finished.ol("check", "T2")
    assert result.code == 0, result.out
    assert "2 tests, pass on 2 correct implementations" in result.out


def test_a_sibling_hides_nothing_of_pythons_own_nor_of_the_module(finished: Any) -> None:
    finished.keep_one_mutant()
    for name in ("random", "pytest", "toy"):
        finished.write(f"{AT}/{name}.py", "raise SystemExit('the wrong one')\n")
    finished.write(OWN, "import random\n\nimport pytest\n" + GOOD)
    assert finished.ol("check", "T2").code == 0


def test_a_conftest_is_not_taken_along_and_the_report_says_so(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.write(f"{AT}/conftest.py", "raise SystemExit(0)\n")
    result = finished.ol("check", "T2")
    assert result.code == 0
    assert f"{AT}/conftest.py is not taken along: put its fixtures into the test files that use them." in words(result)


def test_links_and_what_is_no_file_are_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("not yours")
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "test_a.py").write_text("def test_a(): pass\n")
    (folder / "data.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (folder / "all").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / "pipe")
    found = own_tests(folder, "at")
    assert list(found.files) == ["at/test_a.py"]
    assert found.remarks == [
        "at/all is a link and not taken along: put the file itself there.",
        "at/data.txt is a link and not taken along: put the file itself there.",
        "at/pipe is no regular file and not taken along.",
    ]


def test_data_beyond_ten_megabytes_in_all_is_left_out_and_code_is_not(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    (tmp_path / "help.py").write_text("A = 1\n")
    for number in range(3):
        with (tmp_path / f"{number}.bin").open("wb") as file:
            file.truncate(3_500_000)
    found = own_tests(tmp_path, "at")
    assert list(found.files) == ["at/help.py", "at/test_a.py"]
    assert found.remarks == ["at holds 10.5 MB, more than 10 MB: its data files are not taken along."]


def test_a_helper_of_the_students_code_is_not_there_for_tests_and_named_in_one_line(finished: Any) -> None:
    finished.write("python/toy/helpers.py", "LIST = [12, -3]\n")
    finished.write(OWN, "from toy.helpers import LIST\n" + GOOD)
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert (
        f"{OWN} imports toy.helpers, a helper of yours: your tests run on other implementations too, which do not have it."
        in words(result)
    )


def test_asserts_outside_of_functions_are_told_where_they_belong(finished: Any) -> None:
    finished.write(OWN, "from toy.parse import parse\n\nassert parse('12') == [12]\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert (
        f"{OWN}:3 asserts outside of a function, which counts as no test: put it into a function, def test_...()."
        in words(result)
    )


def test_a_test_that_returns_a_comparison_is_told_to_assert_it(finished: Any) -> None:
    finished.write(OWN, GOOD.replace("assert parse", "return parse"))
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "test_parse returns what it should assert: write assert in place of return in line 5." in words(result)


def test_a_file_whose_name_pytest_is_not_given_is_told_its_right_name(finished: Any) -> None:
    (finished.repo / OWN).unlink()
    finished.write(f"{AT}/two_test.py", GOOD)
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "your tests     you have none yet" in result.out
    assert f"{AT}/two_test.py is not run, since its name does not begin with test_: rename it to test_two.py." in words(
        result
    )


SKIPPED = [
    "import pytest\n" + GOOD.replace("def test", "@pytest.mark.skip\ndef test"),
    "import pytest\n\npytestmark = pytest.mark.skip('later')\n" + GOOD,
]


@pytest.mark.parametrize("text", SKIPPED)
def test_a_suite_that_is_all_skipped_is_told_so(finished: Any, text: str) -> None:
    finished.write(OWN, text)
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "your tests     none is left that runs and may fail: take the marks out of them" in result.out
    assert "test_parse is skipped: a test that does not run kills nothing: take the skip out." in words(result)


@pytest.mark.parametrize("wrong", [False, True])
def test_xfail_is_told_to_be_taken_out(finished: Any, wrong: bool) -> None:
    finished.keep_one_mutant()
    marked = "\n\n@pytest.mark.xfail\ndef test_marked():\n    assert parse('1') == [1]" + " + [2]" * wrong + "\n"
    finished.write(OWN, "import pytest\n" + GOOD + marked)
    result = finished.ol("check", "T2")
    assert result.code == 0
    assert "your tests     1 test, passes on 2 correct implementations" in result.out
    assert "test_marked is marked xfail: whether such a test fails says nothing: take the mark out" in words(result)


def test_a_test_that_fails_by_chance_is_run_again_before_a_belief_is_invented(finished: Any) -> None:
    # It fails on its first run alone, which a file outside of the stage remembers.
    seen = finished.repo / "seen"
    finished.write(
        OWN,
        GOOD + "\n\ndef test_chance():\n    from pathlib import Path\n\n"
        f"    seen = Path({str(seen)!r})\n    first, _ = not seen.exists(), seen.touch()\n    assert parse('') == ([0] if first else [])\n",
    )
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "test_chance passed when it was run again: chance, time or another test decides." in words(result)
    assert "believes" not in result.out


def test_an_endless_test_of_ones_own_costs_one_limit_and_is_named(finished: Any) -> None:
    finished.write(
        OWN, GOOD + "\n\ndef test_loop():\n    while parse(''):\n        pass\n    while True:\n        pass\n"
    )
    result = finished.ol("check", "T2")
    assert "your tests     test_loop does not end on the reference" in result.out
    assert "stopped after 1 s of processor time, the limit for one test" in result.out


def test_a_test_of_ones_own_that_ends_the_process_is_named(finished: Any) -> None:
    finished.write(OWN, GOOD + "\n\ndef test_end():\n    import os\n\n    os._exit(3)\n")
    assert "the run ended in test_end on the reference (exit code 3): does a test call exit?" in words(
        finished.ol("check", "T2")
    )
    finished.edit(OWN, "os._exit(3)", "os.kill(os.getpid(), 11)")
    out = words(finished.ol("check", "T2"))
    assert "the run ended in test_end on the reference (ended by SIGSEGV, a crash below Python" in out
    assert "exit?" not in out

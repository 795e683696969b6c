"""Code that stops the run (KeyboardInterrupt, pytest.exit, an end of the process) has not passed: exit 1, with the line that stopped."""

from __future__ import annotations

from typing import Any

import pytest

ONE, TWO, OWN = "python/toy/one.py", "python/toy/two.py", "python/tests/t2/test_two.py"
DOUBLED = "        return [double(value) for value in self.values]"
STOPS = {
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "pytest.exit": ("import pytest; pytest.exit('all done', returncode=0)", "Exit: all done"),
    "an interrupt sent to itself": (
        "import os, signal; os.kill(os.getpid(), signal.SIGINT); return []",
        "KeyboardInterrupt",
    ),
}


@pytest.mark.parametrize(
    "attempt", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))]
)  # the canaries stand at random places
@pytest.mark.parametrize("line, said", STOPS.values(), ids=STOPS)
def test_a_stop_in_the_only_test_is_not_yet_with_its_line(finished: Any, line: str, said: str, attempt: int) -> None:
    finished.edit(ONE, "    return number * FACTOR", "    " + line)
    result = finished.ol("check", "T1")
    assert result.code == 1, result.out + result.err
    assert "0 of 1 passed" in result.out
    assert said in result.out
    assert line in result.out


@pytest.mark.parametrize("line, said", STOPS.values(), ids=STOPS)
def test_a_stop_in_one_test_leaves_the_others_their_turn(finished: Any, line: str, said: str) -> None:
    finished.edit(TWO, DOUBLED, "        " + line)
    result = finished.ol("check", "T2")
    assert (result.code, "5 of 6 passed" in result.out) == (1, True), result.out + result.err
    assert said in result.out


def test_a_stop_in_a_fixture_is_not_yet(finished: Any) -> None:
    finished.edit(TWO, "        self.values = list(values)", "        raise KeyboardInterrupt")
    result = finished.ol("check", "T2")
    assert (result.code, "3 of 6 passed" in result.out) == (1, True), result.out + result.err


@pytest.mark.parametrize("line, said", STOPS.values(), ids=STOPS)
def test_a_stop_in_an_own_test_is_a_failure_of_that_test(finished: Any, line: str, said: str) -> None:
    finished.keep_one_mutant()
    finished.write(
        OWN, (finished.repo / OWN).read_text() + f"\n\ndef test_stops():\n    {line.replace('; return []', '')}\n"
    )
    result = finished.ol("check", "T2")
    assert result.code == 1, result.out + result.err
    assert "test_stops fails on the reference" in result.out
    assert said in result.out


def test_a_stop_while_own_tests_are_collected_is_named(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.write(OWN, (finished.repo / OWN).read_text() + "\n\nraise KeyboardInterrupt\n")
    result = finished.ol("check", "T2")
    assert result.code == 1, result.out + result.err
    assert "stopped" in result.out and "KeyboardInterrupt" in result.out


@pytest.mark.parametrize(
    "line, said",
    [
        ("import os; os._exit(0)", "ended the run: exit code 0"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended the run: ended by SIGSEGV"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ],
)
def test_an_end_at_import_is_not_yet(finished: Any, line: str, said: str) -> None:
    finished.write(ONE, f"{line}\n")
    result = finished.ol("check", "T1")
    assert (result.code, said in result.out) == (1, True), result.out + result.err
    assert "importing python/toy/one.py" in result.out

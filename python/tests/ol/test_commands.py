"""`ol tests`, `ol list`, `ol hint` and `ol diff`, and what `.ol/` remembers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest


def test_tests_has_one_entry_a_test_with_kind_what_and_why(desk: Any) -> None:
    result = desk.ol("tests", "T2")
    assert result.code == 0
    assert (
        "test_parse_of_nothing_is_empty   BOUNDARY\n    checks  an empty text has no numbers\n    why     no number from nowhere\n"
        in result.out
    )
    assert f"Read them: {desk.course}/tests/T2" in result.out
    assert result.last == "Next: ol start T2"


def test_the_next_step_of_every_page_takes_the_references_needs_where_they_are_not_built(desk: Any) -> None:
    desk.done("T2")
    commands = (("start", "T2"), ("tests", "T2"), ("hint", "T2", "m1"), ("diff", "T2"), ("list",))
    assert {desk.ol(*command).last for command in commands} == {"Next: ol check T2 --ref-deps"}
    assert desk.ol("hint", "T2", "1", "--level", "3").last == "Next: ol check T2 --ref-deps"
    desk.done("T1")
    assert {desk.ol(*command).last for command in commands[:4]} == {"Next: ol check T2"}


def test_after_a_module_diff_and_list_name_the_same_next_step(desk: Any) -> None:
    desk.done("T1")
    assert desk.ol("check", "T1").code == 0
    assert desk.ol("diff", "T1").last == desk.ol("list").last == "Next: ol start T2"
    desk.ol("start", "lab")
    assert desk.ol("diff", "T1").last == desk.ol("list").last == "Next: ol check lab"


def test_list_outside_a_repo_shows_the_modules(desk: Any) -> None:
    result = desk.ol("list")
    assert result.code == 0
    assert "  T2      not started               A tally   needs T1\n" in result.out
    assert "  T9      later                     Not yet   needs T2\n" in result.out
    assert result.last == "Next: ol start T1"


def test_list_follows_a_module_from_stub_to_done_to_changed(desk: Any) -> None:
    def standing() -> str:
        return next(line for line in desk.ol("list").out.splitlines() if line.startswith("  T1"))[10:36].strip()

    desk.ol("start", "T1")
    assert standing() == "stub"
    desk.write("python/toy/one.py", "def double(number):\n    return 0\n")
    assert standing() == "started"
    desk.ol("check", "T1")
    assert standing() == "0 of 1 tests"
    desk.write("python/toy/one.py", "def double(number):\n    return 2 * number\n")
    assert desk.ol("check", "T1").code == 0
    assert standing() == "done"
    assert desk.ol("list").last == "Next: ol start T2"
    desk.write("python/toy/one.py", "def double(number):\n    return number + number\n")
    assert standing() == "changed since it passed"


def test_changed_tests_of_ones_own_change_the_standing_too(finished: Any) -> None:
    finished.keep_one_mutant()
    assert finished.ol("check", "T2").code == 0
    finished.write("python/tests/t2/test_two.py", "")
    assert "T2      changed since it passed" in finished.ol("list").out


def test_state_is_kept_in_dot_ol_alone_and_git_ignores_it(finished: Any) -> None:
    before = finished.files()
    finished.ol("check", "T1")
    assert finished.files() == before
    assert (finished.repo / ".ol" / ".gitignore").read_text() == "*\n"
    assert "course tests   1 of 1 passed" in (finished.repo / ".ol" / "last.txt").read_text()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"modules": 3, "hints": {}}'])
def test_a_damaged_state_is_begun_anew(finished: Any, content: str) -> None:
    finished.write(".ol/state.json", content)
    assert finished.ol("list").code == 0
    assert finished.ol("check", "T1").code == 0
    assert set(json.loads((finished.repo / ".ol" / "state.json").read_text())["modules"]) == {"T1"}


def test_diff_waits_for_a_pass_and_says_how_to_see_it_anyway(finished: Any) -> None:
    result = finished.ol("diff", "T1")
    assert result.code == 1
    assert "To see it anyway: ol diff T1 --anyway" in result.out
    assert "number * FACTOR" not in result.out
    assert finished.ol("diff", "T1", "--anyway").code == 0


def test_diff_after_a_pass_is_a_unified_diff(finished: Any) -> None:
    finished.edit("python/toy/one.py", "number * FACTOR", "FACTOR * number")
    assert finished.ol("check", "T1").code == 0
    result = finished.ol("diff", "T1")
    assert result.code == 0
    assert "--- python/toy/one.py (yours)\n+++ python/toy/one.py (the reference)\n" in result.out
    assert "-    return FACTOR * number\n+    return number * FACTOR\n" in result.out
    assert result.last == "Next: ol check T2"


def test_diff_is_open_after_a_pass_with_the_references_needs(desk: Any) -> None:
    desk.keep_one_mutant()
    desk.done("T2")
    assert desk.ol("diff", "T2").code == 1
    desk.ol("check", "T2", "--ref-deps")
    result = desk.ol("diff", "T2")
    assert result.code == 0
    assert "T2: your code and the reference are the same." in result.out


def test_hint_lists_the_pitfalls_then_goes_one_level_deeper_each_time(finished: Any) -> None:
    assert "  1  Numbers come out wrong\n  2  Doubling goes wrong\n" in finished.ol("hint", "T2").out
    outs = [finished.ol("hint", "T2", "1").out for _ in range(4)]
    assert "(level 1 of 3)\n\nLook at the commas.\n" in outs[0]
    assert "(level 2 of 3)\n\nWhat lies between two commas is one number.\n" in outs[1]
    assert (
        '(level 3 of 3)\n\nCut with `split(",")`, then call `int` on each part:\n\n    [int(part) for part in text.split(",")]\n'
        in outs[2]
    )
    assert outs[3] == outs[2]
    assert finished.ol("hint", "T2", "1", "--level", "1").out == outs[0]


def test_hint_for_a_mutant_names_an_input(finished: Any) -> None:
    assert "T2 m1: an input to try\n\nTry 12.\n" in finished.ol("hint", "T2", "m1").out
    assert finished.ol("hint", "T2", "m9").err == "ol: T2 has no hint m9: its hints are 1 to 2\n"


def test_hint_without_a_repo_starts_at_the_first_level(desk: Any) -> None:
    assert "(level 1 of 3)" in desk.ol("hint", "T2", "1").out
    assert "(level 1 of 3)" in desk.ol("hint", "T2", "1").out
    assert desk.files() == {}


def test_in_the_courses_own_checkout_every_module_is_done(desk: Any) -> None:
    checkout = desk.library.parent
    result = desk.ol("list", cwd=checkout)
    assert "T1      done" in result.out and "T2      done" in result.out and "lab     done" in result.out
    assert result.last == "Next: nothing: every module is done"
    assert desk.ol("check", "lab", cwd=checkout).code == 0
    assert desk.ol("diff", "T2", cwd=checkout).code == 0


@pytest.mark.parametrize("command", [[], ["start"], ["tests"], ["check"], ["diff"], ["list"], ["hint"], ["watch"]])
def test_every_command_explains_itself_with_examples(desk: Any, command: list[str]) -> None:
    result = desk.ol(*command, "--help")
    assert result.code == 0
    assert "ol start L1.1" in result.out if not command else f"ol {command[0]}" in result.out.partition("Examples:")[2]


def test_watch_without_its_package_says_what_to_install(finished: Any) -> None:
    finished.write(
        "without/watchfiles.py", "raise ModuleNotFoundError(\"No module named 'watchfiles'\", name='watchfiles')\n"
    )
    path = f"{finished.repo / 'without'}{os.pathsep}{finished.environment()['PYTHONPATH']}"
    result = finished.ol("watch", "T1", PYTHONPATH=path)
    assert (result.code, result.err) == (2, "ol: ol watch needs the package watchfiles\n")
    assert result.out == "Next: pip install watchfiles\n"


def test_python_minus_m_ol_is_ol(desk: Any) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "ol", "list"], cwd=desk.repo, env=desk.environment(), capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, desk.ol("list").out, "")


def test_ol_alone_is_its_help(desk: Any) -> None:
    assert desk.ol().out == desk.ol("--help").out


def test_check_promises_no_security(desk: Any) -> None:
    assert "ol promises no security" in " ".join(desk.ol("check", "--help").out.split())

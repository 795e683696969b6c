"""What does not end costs one limit, is named with its place, and takes no other test's verdict with it."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any

import pytest

from ol.child import clock
from ol.child.clock import Clock, TookTooLong, TookTooLongBefore
from ol.child.failure import explain

TWO, PARSE = "python/toy/two.py", "python/toy/parse.py"


def use(seconds: float) -> None:
    """Use up processor time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_loop_that_many_tests_meet_costs_one_limit_and_all_other_tests_are_reported(finished: Any) -> None:
    finished.edit(
        PARSE, "def parse(text: str) -> list[int]:", "def parse(text):\n    while True: pass\n\n\ndef unused(text):"
    )
    found = json.loads(finished.ol("check", "T2", "--json").out)
    outcomes = {test["name"]: test["outcome"] for test in found["tests"]}
    assert outcomes["test_parse_reads_numbers"] == "timed out"
    assert outcomes["test_parse_of_nothing_is_empty"] == outcomes["test_parse_refuses_letters"] == "not run"
    assert outcomes["test_add_appends"] == outcomes["test_doubled_uses_every_value"] == "passed"


def test_a_loop_is_counted_and_those_who_met_it_again_say_where(finished: Any) -> None:
    finished.edit(
        PARSE, "def parse(text: str) -> list[int]:", "def parse(text):\n    while True: pass\n\n\ndef unused(text):"
    )
    result = finished.ol("check", "T2", "-v")
    assert "course tests   2 of 6 passed, 1 timed out " in result.out
    assert "not waited for again: parse is where test_parse_reads_numbers[1-numbers0] was stopped" in " ".join(
        result.out.split()
    )
    assert re.match(r"Next: look at python/toy/parse.py:\d+, then ol check T2$", result.last)


def test_a_later_test_elsewhere_keeps_the_whole_limit(tmp_path: Any) -> None:
    code = tmp_path / "code.py"
    code.write_text("def loop():\n    while True: pass\n\n\ndef work(use):\n    use(0.7)\n    return 1\n")
    names: dict[str, Any] = {}
    exec(compile(code.read_text(), str(code), "exec"), names)
    limits = Clock(str(tmp_path), 1.0, 30.0)
    with (
        pytest.raises(TookTooLong, match="stopped after 1 s of processor time, the limit for one test"),
        limits.limited("one"),
    ):
        names["loop"]()
    start = time.process_time()
    with (
        pytest.raises(TookTooLongBefore, match="not waited for again: loop is where one was stopped"),
        limits.limited("two"),
    ):
        names["loop"]()
    assert time.process_time() - start < 0.9
    with limits.limited("three"):
        assert names["work"](use) == 1


def test_a_sleep_that_many_tests_meet_costs_one_limit_too(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(clock, "_AGAIN_WALL", 0.2)
    code = tmp_path / "code.py"
    code.write_text("import time\n\n\ndef nap():\n    time.sleep(60)\n")
    names: dict[str, Any] = {}
    exec(compile(code.read_text(), str(code), "exec"), names)
    limits = Clock(str(tmp_path), 30.0, 0.5)
    with pytest.raises(TookTooLong, match="stopped after 0.5 s by the clock"), limits.limited("one"):
        names["nap"]()
    with pytest.raises(TookTooLongBefore), limits.limited("two"):
        names["nap"]()


@pytest.mark.slow  # the clock's least limit is 15 s
@pytest.mark.parametrize(
    "trick",
    [
        "import time\ntime.sleep(1000)",
        "try:\n    import time\n    while True: time.sleep(1)\nexcept BaseException:\n    time.sleep(1000)",
    ],
)
def test_a_sleep_at_import_ends_by_the_clock_and_is_named_with_its_place(finished: Any, trick: str) -> None:
    finished.write(PARSE, trick + "\n")
    start = time.monotonic()
    result = finished.ol("check", "T2")
    assert time.monotonic() - start < 40
    assert result.code == 1
    says = "importing python/toy/parse.py did not end: stopped after 15 s by the clock, the limit for one test and for an import"
    assert says in " ".join(result.out.split())
    assert re.search(r"python/toy/parse.py:\d", result.out)
    assert "exit?" not in result.out


def test_a_loop_in_a_file_of_own_tests_ends_with_one_tests_limit(finished: Any) -> None:
    finished.write("python/tests/t2/test_two.py", "while True:\n    pass\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "python/tests/t2/test_two.py cannot be collected on the reference" in " ".join(result.out.split())
    assert "stopped after 1 s of processor time, the limit for one test" in " ".join(result.out.split())


def deep(depth: int) -> Exception:
    def call(left: int) -> None:
        if left == 0:
            raise ValueError("at the bottom")
        call(left - 1)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 1000)
    try:
        call(depth)
    except ValueError as error:
        return error
    finally:
        sys.setrecursionlimit(before)
    raise AssertionError


def test_of_a_deep_recursion_only_the_first_and_last_calls_are_looked_at(monkeypatch: Any) -> None:
    import linecache
    import os

    looked_at: list[int] = []
    line = linecache.getline
    monkeypatch.setattr(linecache, "getline", lambda path, number: looked_at.append(number) or line(path, number))
    error = deep(20_000)
    start = time.process_time()
    frames = explain(error, os.path.dirname(os.path.realpath(__file__)))["frames"]
    assert time.process_time() - start < 1
    assert len(looked_at) == 8
    assert [frame["in"] if "in" in frame else frame["skipped"] for frame in frames] == [
        "deep", "call", "call", "call", 20_002 - 8, "call", "call", "call", "call",
    ]  # fmt: skip
    assert frames[-1]["source"] == 'raise ValueError("at the bottom")'


def test_a_traceback_is_shortened_for_pytest_and_keeps_its_ends() -> None:
    error = deep(2000)
    try:
        raise KeyError from error
    except KeyError as outer:
        explain(outer, "/nowhere")
    lines = []
    entry = error.__traceback__
    while entry is not None:
        lines.append(entry.tb_lineno)
        entry = entry.tb_next
    assert len(lines) == 200
    assert lines[-1] == deep.__code__.co_firstlineno + 3


@pytest.mark.slow
def test_a_recursion_of_a_million_calls_is_reported_soon(finished: Any) -> None:
    path = finished.course / "course.toml"
    path.write_text(path.read_text().replace("memory_mb = 512", "memory_mb = 4096").replace("test = 1,", "test = 20,"))
    finished.edit(
        TWO,
        "        return [double(value) for value in self.values]",
        "        import sys; sys.setrecursionlimit(10**6)\n        return self.doubled()",
    )
    start = time.monotonic()
    result = finished.ol("check", "T2")
    assert time.monotonic() - start < 40
    assert "5 of 6 passed" in result.out
    assert "more calls ..." in result.out

"""Ctrl-C, and the signals that end a terminal, leave no process and no folder behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TWO, OWN = "python/toy/two.py", "python/tests/t2/test_two.py"
FORKS = "        import os, time\n        if os.fork() == 0:\n            os.setsid()\n        time.sleep(1000)"


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


def interrupted(desk: Any, process: subprocess.Popen[str], number: int) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert desk.left_behind() == []
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_during_the_course_tests(finished: Any, number: int) -> None:
    finished.edit(TWO, "        return [double(value) for value in self.values]", FORKS)
    process = finished.started("check", "T2")
    wait_until(lambda: len(finished.processes()) >= 2 or not _has_proc(finished), "the student's code to run and fork")
    code, out, err = interrupted(finished, process, number)
    assert (code, err) == (2, "ol: interrupted: nothing was judged\n")
    assert "PASSED" not in out


def test_an_interrupt_while_mutants_run_side_by_side(finished: Any) -> None:
    finished.write(
        OWN, "import time\n" + (finished.repo / OWN).read_text() + "\n\ndef test_slow():\n    time.sleep(0.7)\n"
    )
    process = finished.started("check", "T2")
    seen: set[Path] = set()

    def five_folders() -> bool:
        seen.update(finished.temporary.glob("ol-*/*/runner"))
        return len(seen) >= 5

    # Those of the course tests, the reference, the canary and the wheat come first; mutants follow.
    wait_until(five_folders, "the first mutant")
    code, out, err = interrupted(finished, process, signal.SIGINT)
    assert (code, err) == (2, "ol: interrupted: nothing was judged\n")
    assert not (finished.repo / ".ol").exists()


def test_an_interrupt_while_watching_ends_it_quietly(finished: Any) -> None:
    finished.edit("python/toy/one.py", "number * FACTOR", "number * FACTOR + 1")
    process = finished.started("watch", "T1", PYTHONUNBUFFERED="1")
    assert process.stdout is not None
    seen = ""
    while "watching python/toy" not in seen:
        seen += process.stdout.readline()
    assert "NOT YET  T1: 1 test to go." in seen
    time.sleep(0.5)  # the watch begins after the line is printed
    finished.edit("python/toy/one.py", "number * FACTOR + 1", "number * FACTOR")
    seen = ""
    while "watching python/toy" not in seen:
        seen += process.stdout.readline()
    assert "PASSED  T1 is done." in seen
    code, out, err = interrupted(finished, process, signal.SIGINT)
    assert (code, err) == (0, "")
    assert "stopped watching" in out


def test_an_interrupt_while_ol_is_still_being_imported_is_one_line(desk: Any) -> None:
    desk.write("early/typer.py", "raise KeyboardInterrupt\n")
    path = f"{desk.repo / 'early'}{os.pathsep}{desk.environment()['PYTHONPATH']}"
    ended = subprocess.run(
        [sys.executable, "-m", "ol", "list"],
        cwd=desk.repo,
        env=desk.environment(PYTHONPATH=path),
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "ol: interrupted: nothing was judged\n")


def _has_proc(desk: Any) -> bool:
    """Can this system tell processes by their environment? Elsewhere a moment must do."""
    if os.path.isdir("/proc/self"):
        return True
    time.sleep(2)
    return False

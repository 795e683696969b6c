"""The time that one test may take, and what happens after one took too long.

A loop that never ends is met by many tests: every test that trains. It costs one limit and not one for each of them. After
the first test was stopped, the functions of the student's in which it was are remembered. A later test that is found in one
of them is stopped at the next look, after half a second, and says so. Tests that are elsewhere keep the whole limit.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

_AGAIN, _AGAIN_WALL = 0.5, 2.0  # seconds of processor time, and by the clock, between two looks at a later test


class TookTooLong(BaseException):
    """Raised in a test that runs over its limit. Not an Exception, so that neither tests nor hypothesis take it for a result."""


class TookTooLongBefore(BaseException):
    """Raised in a test that is where another took too long: it is not waited for again."""


class Clock:
    """The limits of one test: seconds of processor time, and by the clock. `code` is the folder of the student's code."""

    def __init__(self, code: str, seconds: float, wall_seconds: float) -> None:
        self._code = code + os.sep
        self._seconds, self._wall_seconds = seconds, wall_seconds
        self._slow: dict[CodeType, str] = {}  # where tests took too long, and the first of them
        self._name, self._start, self._wall_start = "", 0.0, 0.0

    @contextmanager
    def limited(self, name: str) -> Iterator[None]:
        """Raise TookTooLong or TookTooLongBefore in the block when its time is up. `name` is that of the test."""
        self._name, self._start, self._wall_start = name, time.process_time(), time.monotonic()
        signal.signal(signal.SIGPROF, self._look)
        signal.signal(signal.SIGALRM, self._look)
        looks = (_AGAIN, _AGAIN_WALL) if self._slow else (self._seconds, self._wall_seconds)
        signal.setitimer(signal.ITIMER_PROF, min(looks[0], self._seconds), _AGAIN)
        signal.setitimer(signal.ITIMER_REAL, min(looks[1], self._wall_seconds), _AGAIN_WALL)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _look(self, number: int, frame: Any) -> None:
        codes = self._students_code(frame)
        for code in codes:
            if self._slow.get(code, self._name) != self._name:
                raise TookTooLongBefore(f"not waited for again: {code.co_name} is where {self._slow[code]} was stopped")
        used = time.process_time() - self._start, time.monotonic() - self._wall_start
        for seconds, limit, kind in zip(
            used, (self._seconds, self._wall_seconds), ("of processor time", "by the clock")
        ):
            if seconds >= limit * 0.99:  # the clocks of the timer and of the process differ a little
                for code in codes:
                    self._slow.setdefault(code, self._name)
                raise TookTooLong(f"stopped after {limit:g} s {kind}, the limit for one test")

    def _students_code(self, frame: Any) -> list[CodeType]:
        """The functions of the student's that are being run, the innermost first."""
        found = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._code):
                found.append(frame.f_code)
            frame = frame.f_back
        return found

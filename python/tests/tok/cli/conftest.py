"""Ways to run `tok`: in this process, in one of its own, and on a terminal."""

from __future__ import annotations

import io
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tinyllm.tok import cli

PYTHON = Path(cli.__file__).resolve().parents[3]
TOK = ["-m", "tinyllm.tok.cli"]


class Result(NamedTuple):
    """What a command line did. `out` is bytes, since exactly those matter."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")


Run = Callable[..., Result]


@pytest.fixture
def tok(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command line in this process, in an empty folder; nothing is a terminal."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes = b"") -> Result:
        streams = {"stdin": io.BytesIO(stdin), "stdout": io.BytesIO(), "stderr": io.BytesIO()}
        for name, stream in streams.items():
            # ASCII, as in the C locale: whatever comes out right here does not owe it to the locale.
            monkeypatch.setattr(sys, name, io.TextIOWrapper(stream, encoding="ascii"))
        status = cli.run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return Result(status, streams["stdout"].getvalue(), streams["stderr"].getvalue().decode("utf-8"))

    return run


def environment(**more: str) -> dict[str, str]:
    """The environment for a process that runs `tok` from this checkout."""
    return {**os.environ, "PYTHONPATH": str(PYTHON), **more}


@pytest.fixture
def tok_process(tmp_path: Path) -> Run:
    """Run a command line in a process of its own, in the same empty folder; `python` are options of the interpreter."""

    def run(*arguments: str | bytes, stdin: bytes = b"", python: tuple[str, ...] = (), **more: str) -> Result:
        command = [sys.executable, *python, *TOK, *arguments]
        done = subprocess.run(
            command, input=stdin, env=environment(**more), cwd=tmp_path, capture_output=True, timeout=300, check=False
        )
        return Result(done.returncode, done.stdout, done.stderr.decode("utf-8"))

    return run


@pytest.fixture
def tok_command(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The arguments of Popen for a command line that a test talks with while it runs."""
    return lambda *arguments: {"args": [sys.executable, *TOK, *arguments], "env": environment(), "cwd": tmp_path}


@pytest.fixture
def tok_terminal(tmp_path: Path) -> Run:
    """Run a command line on a terminal of 80 columns; `out` is all that the terminal was sent."""

    def run(*arguments: str, typed: bytes = b"", **more: str) -> Result:
        ours, theirs = pty.openpty()
        command = [sys.executable, *TOK, *arguments]
        variables = environment(TERM="xterm", COLUMNS="80", **more)
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables, cwd=tmp_path)
        os.close(theirs)
        os.write(ours, typed)
        sent = b""
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            ready, _, _ = select.select([ours], [], [], 0.1)
            if not ready:
                continue
            try:
                read = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not read:
                break
            sent += read
        os.close(ours)
        return Result(process.wait(300), sent, "")

    return run

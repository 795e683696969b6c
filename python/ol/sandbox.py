"""Where student code runs: a temporary folder, processes of their own, limits, and nothing left behind.

This guards against accidents and jokes: endless loops, forks, huge allocations, files written where the code happens to
stand. It is no security: code that means harm can do what its user can do.
"""

from __future__ import annotations

import errno
import os
import secrets
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from . import leftovers
from .errors import OlError

Item = TypeVar("Item")
Result = TypeVar("Result")

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@dataclass(frozen=True)
class Ended:
    """How one process ended. `code` is as in subprocess: negative for a signal."""

    code: int
    seconds: float
    timed_out: bool
    output: str


class Interrupted(Exception):
    """The workshop is closed: no further process is started."""


class Workshop:
    """A temporary folder and the processes started in it."""

    def __init__(self, path: Path, import_path: Sequence[str]) -> None:
        self.path, self.import_path = path, list(import_path)
        self._token = path.name
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def folder(self) -> Path:
        """A new, empty folder. Its name tells nothing, and not which of several it is."""
        path = self.path / secrets.token_hex(6)
        path.mkdir()
        return path

    def run(self, command: Sequence[str], folder: Path, seconds: float) -> Ended:
        """Run `command` in `folder`, in a session of its own, for `seconds` at most; then end whatever it left running.

        A process that its own limit of processor time ended has timed out too.
        """
        token = f"{self._token}-{folder.name}"
        output = folder / "output.txt"
        start = time.monotonic()
        process = None
        try:
            with output.open("wb") as file:
                with self._lock:
                    if self._closed:
                        raise Interrupted
                    process = subprocess.Popen(
                        command,
                        cwd=folder,
                        env=_environment(folder, token),
                        stdin=subprocess.DEVNULL,
                        stdout=file,  # a file, not a pipe: a forked child that holds it open keeps nobody waiting
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )
                    self._live.add(process)
                try:
                    process.wait(seconds)
                    timed_out = False
                except subprocess.TimeoutExpired:
                    timed_out = True
        finally:
            if process is not None:
                _kill_group(process.pid)
                process.wait()
                _sweep(token)
                with self._lock:
                    self._live.discard(process)
                self._end_orphans()
        if self._closed:
            raise Interrupted
        timed_out = timed_out or process.returncode == -signal.SIGXCPU
        return Ended(process.returncode, time.monotonic() - start, timed_out, _tail(output))

    def side_by_side(
        self, function: Callable[[Item], Result], items: Sequence[Item], done: Callable[[], None]
    ) -> list[Result]:
        """`function` of each item, as many at a time as there are processors; `done` is called as each one ends."""
        pool = ThreadPoolExecutor(workers())
        try:
            futures = [pool.submit(function, item) for item in items]
            for _ in as_completed(futures):
                done()
            return [future.result() for future in futures]
        except BaseException:
            self.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """End every process; no further one is started."""
        with self._lock:
            self._closed = True
            live = list(self._live)
        for process in live:
            _kill_group(process.pid)
        _sweep(self._token)
        self._end_orphans()

    def _end_orphans(self) -> None:
        """End processes that left their group and their environment. Those of runs that go on are known by their mark."""
        mark = f"{leftovers.MARK}={self._token}-".encode()

        def found() -> list[int]:
            with self._lock:  # no process is being started
                own = {process.pid for process in self._live}
                return list(leftovers.orphans(own, lambda pid: mark in leftovers.environment(pid)))

        leftovers.end_all(found)

    def close(self) -> None:
        """End every process and remove the folder."""
        self.stop()
        leftovers.remove(self.path)


@contextmanager
def workshop(repo: Path | None = None) -> Iterator[Workshop]:
    """A workshop that is gone, processes and folder, when the block ends: also by Ctrl-C, SIGTERM or SIGHUP.

    Its processes import what this one can, but nothing from the student's `repo`. Raises OlError if the temporary folder
    cannot be written.
    """
    leftovers.remove_abandoned()
    path = Path(tempfile.gettempdir()).resolve() / f"{leftovers.PREFIX}{secrets.token_hex(6)}"
    shop = Workshop(path, import_path(repo))
    lock = None
    with leftovers.adopting():
        try:
            shop.path.mkdir(mode=0o700)
            lock = leftovers.held(shop.path)
            yield shop
        except OSError as error:
            if error.errno not in _NO_ROOM and not str(error.filename or "").startswith(str(shop.path)):
                raise
            raise OlError(
                f"the temporary folder {shop.path.parent} cannot be written: {error.strerror}",
                next="make room there, or name another folder in TMPDIR, then run ol again",
            ) from None
        finally:
            with _undisturbed():
                shop.close()
                if lock is not None:
                    os.close(lock)


def interpreter() -> list[str]:
    """The Python that runs student code: this one, without the current folder on its path (on 3.10, which has no -P, what a stage runs first does it)."""
    return [sys.executable, *(["-P"] if sys.version_info >= (3, 11) else [])]


def import_path(repo: Path | None) -> list[str]:
    """This process's import path without what is the student's (relative entries, the current folder, the repo, its python/)
    and without the folder of the script that runs."""
    theirs = {Path.cwd().resolve(), Path(sys.argv[0]).resolve().parent} | (
        {repo.resolve(), (repo / "python").resolve()} if repo is not None else set()
    )
    return [entry for entry in sys.path if os.path.isabs(entry) and Path(entry).resolve() not in theirs]


def workers() -> int:
    """How many processes run side by side."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def _environment(folder: Path, token: str) -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    home, temporary = folder / "home", folder / "tmp"
    home.mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    return passed_on | {
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "CI": "1",  # hypothesis: the same examples each time, no deadline, no database
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONUSERBASE": site.getuserbase(),  # where `pip install --user` put pytest, wherever HOME is
        leftovers.MARK: token,
    }


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _sweep(token: str) -> None:
    """End processes of a run that left its process group. Linux only: elsewhere nothing tells them from others."""
    mark = f"{leftovers.MARK}={token}".encode()
    leftovers.end_all(lambda: [pid for pid in leftovers.processes() if mark in leftovers.environment(pid)])


def _tail(path: Path, longest: int = 8000) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - longest))
            return file.read(longest).decode("utf-8", "replace")
    except OSError:
        return ""


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let nothing interrupt the block (in the main thread, which alone handles signals)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = [signal.signal(number, signal.SIG_IGN) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before):
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

"""What runs of student code can leave behind, and how `ol` gets rid of it: on Linux, where /proc shows it.

A process that leaves its group and forgets its environment is still somebody's child. `ol` makes itself the one to whom
such orphans fall (a subreaper), and ends them after each run. An `ol` that was killed itself can do nothing: the next one
finds its folder, which nobody holds a lock on, and ends what still runs in it before it removes it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

PREFIX, _LOCK = "ol-", "held"
MARK = (
    "OL_RUN"  # every process of a run, its children too, carries this variable: the workshop's name, a dash, the run's
)
_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37  # of linux/prctl.h


@contextmanager
def adopting() -> Iterator[None]:
    """In the block, orphans among this process's descendants become its children. Linux only: elsewhere nothing."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import ctypes

    before = ctypes.c_int(0)
    try:
        control = ctypes.CDLL(None, use_errno=True).prctl
        control(_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        control(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (AttributeError, OSError):
        yield
        return
    try:
        yield
    finally:
        control(_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def held(folder: Path) -> int:
    """Mark `folder` as in use as long as this process lives; the descriptor of the lock."""
    import fcntl  # no Windows has it

    lock = os.open(folder / "new", os.O_WRONLY | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(folder / "new", folder / _LOCK)  # a lock that is there is held: nobody finds it in between
    return lock


def end_all(found: Callable[[], Iterable[int]]) -> None:
    """Kill the processes that `found` names until it names none: a killed one's children may come next."""
    for _ in range(50):
        processes = list(found())
        if not processes:
            return
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, os.WNOHANG)
            except (ProcessLookupError, PermissionError, ChildProcessError):
                continue
        time.sleep(0.01)


def orphans(own: Iterable[int], marked: Callable[[int], bool]) -> Iterator[int]:
    """Children of this process in other sessions than its own that are not `own`, and not `marked` as of a run.

    A child that this process started itself for another purpose is in its session.
    """
    mine, session = os.getpid(), os.getsid(0)
    for process in processes():
        status = _status(process)
        if status and status[0] == mine and status[1] != session and process not in own and not marked(process):
            yield process


def remove_abandoned() -> None:
    """End and remove what an `ol` that was killed left in the folder for temporary files."""
    if sys.platform == "win32":
        return
    try:
        folders = [*Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*")]
    except OSError:
        return  # whoever needs a folder there will say so
    for folder in folders:
        lock = _abandoned(folder)
        if lock is not None:
            end_all(partial(_of_folder, folder))
            remove(folder)
            os.close(lock)


def remove(path: Path) -> None:
    """Remove a folder, whatever student code made of its permissions."""
    for folder, folders, _ in os.walk(path):
        for name in folders:
            try:
                os.chmod(os.path.join(folder, name), 0o700)
            except OSError:
                continue
    shutil.rmtree(path, ignore_errors=True)


def processes() -> Iterator[int]:
    """All processes but this one that can be seen."""
    try:
        entries = os.listdir("/proc")
    except OSError:
        return
    for entry in entries:
        if entry.isdigit() and int(entry) != os.getpid():
            yield int(entry)


def environment(process: int) -> bytes:
    """The environment that a process was started with, or nothing if that is not to be seen."""
    try:
        return Path("/proc", str(process), "environ").read_bytes()
    except OSError:
        return b""


def _abandoned(folder: Path) -> int | None:
    """The lock on a folder that is ours and that nobody holds, now held; None if it is in use, or no folder of `ol`'s."""
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return None
        lock = os.open(folder / _LOCK, os.O_WRONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def _of_folder(folder: Path) -> list[int]:
    """The processes that carry the mark of the folder's runs, stand in the folder, or have a file in it open."""
    mark = f"{MARK}={folder.name}-".encode()
    return [each for each in processes() if mark in environment(each) or _is_in(each, folder)]


def _is_in(process: int, folder: Path) -> bool:
    at = Path("/proc", str(process))
    try:
        links = [at / "cwd", *(at / "fd").iterdir()]
    except OSError:
        return False
    for link in links:
        try:
            if os.readlink(link).startswith(f"{folder}{os.sep}"):
                return True
        except OSError:
            continue
    return False


def _status(process: int) -> tuple[int, int] | None:
    """A process's parent and session; None if it is gone."""
    try:
        fields = Path("/proc", str(process), "stat").read_text(errors="replace").rpartition(")")[2].split()
        return int(fields[1]), int(fields[3])
    except (OSError, ValueError, IndexError):
        return None

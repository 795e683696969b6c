"""Reading a file that a student's repo holds: only a file can be read, and nothing is waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import OlError

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def read_file(path: Path, shown: str) -> bytes:
    """The bytes of the regular file at `path`, which people know as `shown`.

    Raises OlError if something else has that name (a FIFO would keep us waiting for ever), if a link leads nowhere, or if
    the file may not be read; FileNotFoundError or NotADirectoryError if nothing has that name.
    """
    move = f"move {shown} away, then run ol again"
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise OlError(f"{shown} is a link that leads nowhere", next=move) from None
        raise
    except OSError as error:
        raise OlError(f"{shown} cannot be read: {error.strerror}", next="mend that, then run ol again") from None
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind != stat.S_IFREG:
        os.close(handle)
        raise OlError(f"{shown} is {_KINDS.get(kind, 'a device')}, not a file", next=move)
    with os.fdopen(handle, "rb") as file:
        return file.read()

"""An eye on what is opened: the course's answers lie on the same disk as the code that is judged by them.

It finds code that reads or runs them from their place beside `ol`, or hands their path to another process. It promises no
more: a process of its own, or a copy made before, is not seen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

_PROCESSES = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"})


def watch(answers: list[str], found: Callable[[str], None]) -> None:
    """Call `found(path)` once for each path in the files and folders `answers` that is opened from now on."""
    real_path, name_of, separator = os.path.realpath, os.fsdecode, os.sep
    seen: set[str] = set()

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        try:
            if event == "open" and not isinstance(arguments[0], int):
                path = real_path(name_of(arguments[0]))
                for answer in answers:
                    if (path == answer or path.startswith(answer + separator)) and path not in seen:
                        seen.add(path)
                        found(path)
            elif event in _PROCESSES:
                told = repr(arguments)
                for answer in answers:
                    if answer in told and answer not in seen:
                        seen.add(answer)
                        found(answer)
        except Exception:  # an audit hook that raises would change what it looks at
            return

    sys.addaudithook(look)

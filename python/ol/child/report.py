"""The runner's own report: a file of JSON lines, each numbered and sealed with a key that only the runner has.

Student code runs in this process and can find the file, the plugin and `json`. So the key and the encoder are in no
module, what writes is a function that answers to the runner's own modules alone, and `ol` believes only the lines whose
seal is right and whose numbers have no gap. This stops tricks with patched modules. It is no wall: code that looks for
the function's own cells finds the key there.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from hashlib import blake2b
from typing import Any


class Report:
    """`write(kind, **facts)` appends a record, if it is called from one of the modules whose `callers` are the globals.

    A call from elsewhere leaves a record of the kind `forged`. A fork of the student's code writes nothing.
    """

    __slots__ = ("write",)

    def __init__(self, path: str, key: str, callers: list[dict[str, Any]]) -> None:
        self.write = _writer(path, key, callers)


def _writer(path: str, key: str, callers: list[dict[str, Any]]) -> Callable[..., None]:
    # Everything that is called below is held here, whatever student code puts into its modules later.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    write_bytes, process_id, frame, seal = os.write, os.getpid, sys._getframe, blake2b
    encode = _own_copy("json.encoder").JSONEncoder().encode
    process, secret = process_id(), key.encode()
    number = 0

    def write(kind: str, **facts: Any) -> None:
        nonlocal number
        if process_id() != process:
            return
        asking = frame(1).f_globals
        for known in callers:
            if asking is known:
                break
        else:
            kind, facts = "forged", {}
        line = encode({"number": number, "kind": kind, **facts}).encode()
        line = seal(line, key=secret, digest_size=16).hexdigest().encode() + b" " + line + b"\n"
        number += 1
        while line:  # a write may take a part
            line = line[write_bytes(file, line) :]

    return write


def _own_copy(name: str) -> Any:
    """A module of the standard library, loaded anew and known to nobody else."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

"""What `ol` writes reaches its reader as far as it can, and never costs a verdict.

A student's code returns, raises, prints and names what it likes: lone surrogates, control characters, letters that the
terminal's encoding does not have. A pipe may close early (`ol check | grep -q PASSED`), a disk may be full.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

# Lone surrogates, which no encoding has, and control characters but tab and line feed: they could clear a verdict away.
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f]")


def settle() -> None:
    """Let the standard streams write a character that their encoding does not have as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """`text` with each lone surrogate and control character as an escape, such as \\x1b. Tab and line feed stay."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def all_printable(value: Any) -> Any:
    """A value of JSON, with every string in it made printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [all_printable(item) for item in value]
    if isinstance(value, dict):
        return {printable(key): all_printable(item) for key, item in value.items()}
    return value


def emit(text: str) -> None:
    """Write to standard output. Where that fails, standard error says why, unless the reader has just gone away."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (AttributeError, ValueError):
        return  # there is no standard output: it was closed before we began
    except OSError as error:
        _let_go(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            complain(f"ol: this could not be written to standard output: {error.strerror}")


def complain(line: str) -> None:
    """Write one line to standard error, if there is one."""
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except (AttributeError, ValueError):
        return
    except OSError:
        _let_go(sys.stderr)


def _let_go(stream: Any) -> None:
    """Let what the stream still holds go nowhere: Python writes it at its end, and would fail again."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass

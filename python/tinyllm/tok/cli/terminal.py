"""What goes to a terminal, and what came from one.

A text or a vocabulary is made by strangers: printed raw, it could move the cursor, recolour the screen, or reverse the
order in which a line reads. Whatever a person is shown goes through `visible`; only bytes for other programs are exact.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from typing import IO, Any

# Controls (C0, DEL, C1), halves of surrogate pairs, and the format characters that break or reorder a line.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")


def visible(text: str, keep: str = "") -> str:
    """`text` with each control character as an escape, so that a terminal shows it and does not obey it.

    `keep` lists those to leave alone, such as "\\n" where several lines are wanted. All other characters stay.

    >>> visible("red: \\x1b[31m\\n")
    'red: \\\\x1b[31m\\\\n'
    """
    return _UNSAFE.sub(lambda match: match[0] if match[0] in keep else _escaped(match[0]), text)


def _escaped(ch: str) -> str:
    return ascii(ch)[1:-1]


def is_terminal(stream: IO[Any] | None) -> bool:
    """Whether a person looks at this stream. A closed or replaced one is no terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def as_typed(argument: str) -> str:
    """A command-line argument for showing: the bytes that were typed, read as UTF-8, with U+FFFD for what is not.

    In another locale than UTF-8, Python decodes arguments otherwise. `text_argument` is the exact form, for texts.
    """
    try:
        return os.fsencode(argument).decode("utf-8", "replace")
    except UnicodeEncodeError:  # not from the command line
        return argument


def text_argument(argument: str, name: str = "TEXT") -> str:
    """A text given as a command-line argument, exactly: its bytes, read as UTF-8. Raises ValueError naming the byte."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not UTF-8: byte {error.object[error.start]:#04x} at position {error.start}"
        ) from None
    except UnicodeEncodeError:
        return argument


def note(line: str) -> None:
    """One line for a person, on standard error, where it is not mixed with results."""
    print(visible(line), file=sys.stderr, flush=True)


def next_step(command: str) -> None:
    """The last line of an output that is for people: the one thing to do next."""
    print(f"\nNext: {visible(command)}")


def named(path: str) -> str:
    """A path, safe to print."""
    return visible(as_typed(path))


def quoted(path: str) -> str:
    """A path as one types it in a shell, safe to print."""
    return visible(shlex.quote(as_typed(path)))


def facts(*rows: tuple[str, str]) -> None:
    """Names and values, one row a line, the values in one column."""
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:{width}}  {value}".rstrip())

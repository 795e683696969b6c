"""Where texts and ids come from: arguments, files and standard input. Bytes, read as UTF-8 whatever the locale; nothing is stripped.

Errors name the file or "standard input", and the byte, line or position.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TypeVar

from tinyllm.tok.cli.terminal import is_terminal, note
from tinyllm.tok.splits import CHOICES

STDIN = "-"  # as a FILE, it means standard input
T = TypeVar("T")


def check_split(name: str) -> None:
    """Raise ValueError unless --split may have this value."""
    if name not in CHOICES:
        raise ValueError(f"--split is {name!r:.60}; it must be {' or '.join(CHOICES)}")


def name_of(path: str) -> str:
    """What messages call this input."""
    return "standard input" if path == STDIN else os.fspath(path)


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """The file `path` for reading bytes, or standard input. Raises OSError, and ValueError for a compressed file."""
    if path != STDIN:
        with open(path, "rb") as file:
            if file.peek(4).startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
                raise ValueError(
                    f"{path} is compressed (gzip or zstd); plain text is read here; tok train and tok encode --out decompress files named .gz and .zst"
                )
            yield file
    elif sys.stdin is None:
        raise ValueError("standard input is closed")
    else:
        if is_terminal(sys.stdin):
            note("reading from the keyboard; Ctrl-D ends it")
        yield sys.stdin.buffer


def read_text(path: str) -> str:
    """The text of a file or of standard input, exactly. Raises OSError, ValueError naming the first byte that is not UTF-8."""
    with opened(path) as file:
        content = file.read()
    return decoded(content, name_of(path))


def decoded(content: bytes, name: str) -> str:
    """UTF-8 bytes as text. Raises ValueError naming the first byte that is none."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}: not UTF-8: byte {content[error.start]:#04x} at position {error.start}") from None


def each_line(path: str, use: Callable[[bytes], T]) -> Iterator[T]:
    """`use(line)` for each line of a file or of standard input, as soon as the line is there; lines end with "\\n" alone.

    A ValueError or TypeError that `use` raises comes out as a ValueError naming the file and the line.
    """
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                result = use(line)
            except (ValueError, TypeError) as error:
                raise ValueError(f"{name_of(path)}, line {number}: {error}") from None
            yield result


def ids_of(fields: Iterable[str]) -> Iterator[int]:
    """Whole numbers from their decimal digits, one by one. Raises ValueError naming the position and what stands there."""
    for position, field in enumerate(fields):
        if not _NUMBER.fullmatch(field):
            raise ValueError(
                f"ids[{position}] is {field!r:.60}; an id is a whole number, and ids are separated by white space"
            )
        yield int(field)


def fields_as_they_come(path: str) -> Iterator[str]:
    """What white space separates in a file or in standard input, each as soon as its end is there."""
    with opened(path) as file:
        rest = b""
        while arrived := file.read1(1 << 16):  # type: ignore[attr-defined]  # files opened for bytes have it
            *complete, rest = _SPACES.split(rest + arrived)
            yield from (field.decode("utf-8", "replace") for field in complete if field)
            if len(rest) > LONGEST + 1:
                break  # it is no id, whatever follows; nobody need wait for its end
        if rest:
            yield rest.decode("utf-8", "replace")


LONGEST = 1000  # digits of a number, which may have a sign
# int() takes "1_000" and digits of other scripts as well, and refuses more than 4,300 digits in its own words.
_NUMBER = re.compile(f"-?[0-9]{{1,{LONGEST}}}")


_SPACES = re.compile(rb"[ \t-\r]+")

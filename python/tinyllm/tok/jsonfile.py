"""JSON files that are read strictly and written whole or not at all. Given: students use it, they do not write it.

A tokenizer file that is read loosely gives other ids without an error: Python's json takes the last of two equal keys,
NaN, and half a surrogate pair. Here each of these is a ValueError that names the file.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, NoReturn


def read_json(path: str | os.PathLike[str]) -> Any:
    """What the UTF-8 JSON file `path` holds.

    Raises ValueError naming the file for anything that is not JSON: cut-off or empty text, a byte order mark, bytes that
    are not UTF-8, NaN and Infinity, a lone surrogate, nesting too deep to read, numbers too long to read; and for a path
    that is no regular file (a FIFO would block for ever). A repeated key is kept for `check_fields` to report with its JSON path.
    OSError comes through untouched. Cost: O(bytes).
    """
    text = read_text(path)
    if text.startswith("\ufeff"):
        raise ValueError(
            f"{os.fspath(path)}: not valid JSON: it begins with a byte order mark (U+FEFF); save it without one"
        )
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=refuse_constant)
    except RecursionError:
        raise ValueError(f"{os.fspath(path)}: not a tokenizer file: it is nested too deep to read") from None
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: not valid JSON: {error}") from None
    # Only an escape can smuggle a lone surrogate past UTF-8, so most files need no second look.
    if _escapes_lone_surrogate(text):
        surrogate = _find_surrogate(found)
        if surrogate is not None:
            raise ValueError(
                f"{os.fspath(path)}: not valid Unicode: the string {surrogate!a:.60} holds a lone surrogate"
            )
    return found


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of the UTF-8 file `path`, line ends as they are. Raises ValueError naming the file, or OSError."""
    with open(_checked_path(path), "rb", opener=_open_regular) as file:
        content = file.read()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)}: not UTF-8: byte {content[error.start]:#04x} at position {error.start}"
        ) from None


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Write `value` as indented UTF-8 JSON; an old file is replaced whole or stays as it was, and a failure leaves no litter."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8 under `path`, whole or not at all, as `replacing` does. Raises OSError."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` in one step when the block ends, or is gone if the block fails.

    A link stays a link (its target is replaced); permissions of an old file are kept. Raises OSError.
    """
    given = _checked_path(path)
    target = os.path.realpath(given)
    if os.path.islink(target):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), given)
    if os.path.isdir(target) or given.endswith(os.sep):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), given)
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(f"{given}: not a regular file; a device or a pipe cannot be replaced")
    # A name of its own, since the target's with an ending could be longer than a file system allows.
    draft = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.tmp")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(draft, target)
    except BaseException as error:
        if os.path.exists(draft):
            os.unlink(draft)
        if isinstance(error, OSError) and error.filename == draft:
            raise OSError(error.errno, error.strerror, given) from None  # the name that the caller knows
        raise


def check_fields(
    found: Any, where: str, allowed: Mapping[str, Collection[Any] | None] | None, optional: Collection[str] = ()
) -> None:
    """Raise ValueError unless `found` is a JSON object with exactly these fields, naming the field by its JSON path.

    `where` is the path of the object ("" for the whole file). `allowed` maps each field to the values it may have, or to
    None where the caller checks the value itself; None for all of it means any fields. Fields in `optional` may be absent.

    >>> check_fields({"type": "Fuse", "size": 3}, "decoder", {"type": ["Fuse"]})
    Traceback (most recent call last):
    ValueError: decoder.size is 3; this field is not known here
    """
    prefix = f"{where}." if where else ""
    if not isinstance(found, dict):
        raise ValueError(f"{where or 'the file'} is {shown(found)}; it must be an object")
    if isinstance(found, _RepeatedKey):
        raise ValueError(f"{prefix}{found.key} is there twice; a key may appear once")
    if allowed is None:
        return
    types = allowed.get("type")
    if types is not None and "type" in found and not any(_same(found["type"], value) for value in types):
        # An object of another type has other fields; those are not what is wrong with it.
        raise ValueError(f"{prefix}type is {shown(found['type'])}; it must be {_choice(types)}")
    for field, value in found.items():
        if field not in allowed:
            raise ValueError(f"{prefix}{field} is {shown(value)}; this field is not known here")
    for field, values in allowed.items():
        if field not in found:
            if field not in optional:
                raise ValueError(f"{prefix}{field} is missing" + (f"; it must be {_choice(values)}" if values else ""))
        elif values is not None and not any(_same(found[field], value) for value in values):
            raise ValueError(f"{prefix}{field} is {shown(found[field])}; it must be {_choice(values)}")


def shown(value: Any) -> str:
    """`value` as JSON, or as Python spells what has no JSON, cut to a length that fits an error message."""
    try:
        text = json.dumps(value, default=repr)
    except (TypeError, ValueError):  # a key that is no string, a list in itself
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _RepeatedKey(dict[str, Any]):
    """An object whose text names `key` twice."""

    key: str


def refuse_constant(name: str) -> NoReturn:
    """For json's `parse_constant`: NaN and the infinities, which Python reads, are no JSON. Raises ValueError."""
    raise ValueError(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated = _RepeatedKey(found)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            repeated.key = key
            break
        seen.add(key)
    return repeated


def _escapes_lone_surrogate(text: str) -> bool:
    r"""Whether the JSON `text` has an escape that stands for half a surrogate pair without the other half.

    An escape is a backslash that none escapes itself: `\\ud83d` in a file is a backslash and letters, as many a vocabulary
    has it. So the backslashes before the `u` must be odd in number. A pair is two escapes side by side.
    """
    if "\\ud" not in text and "\\uD" not in text:  # at a tenth of the cost of the pattern
        return False
    other_half = None  # where it must start
    for escape in re.finditer(r"(\\\\*)u[dD]([89a-fA-F])", text):
        if len(escape[1]) % 2:
            is_second = escape[2] in "cdefCDEF"
            start = escape.end() - len(r"\ud8")
            if is_second != (start == other_half) or (other_half is not None and not is_second):
                return True
            other_half = None if is_second else start + len(r"\ud83d")
    return other_half is not None


def _find_surrogate(found: Any) -> str | None:
    """The first string in `found` that holds a lone surrogate. (json joins the two halves of a pair.)"""
    waiting = [found]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= ch <= "\udfff" for ch in value):
                return value
        elif isinstance(value, dict):
            waiting.extend(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return None


def _checked_path(path: str | os.PathLike[str]) -> str:
    """`path` as a str. An int would be taken for an open file, and bytes would make a name of their `repr`."""
    found = os.fspath(path) if hasattr(type(path), "__fspath__") else path
    if not isinstance(found, str):
        raise TypeError(f"a path is a str or os.PathLike[str], not {type(found).__name__} ({found!r:.60})")
    if not found:
        raise FileNotFoundError(errno.ENOENT, "a path has at least one character", found)
    if "\0" in found:
        raise ValueError(f"{found!r:.60} is no path: it holds the character U+0000")
    return found


def _open_regular(path: str, flags: int) -> int:
    """An opener that does not wait for the other end of a FIFO."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not (stat.S_ISREG(os.fstat(handle).st_mode) or stat.S_ISDIR(os.fstat(handle).st_mode)):
        os.close(handle)
        raise ValueError(f"{path}: not a regular file")
    return handle


def _same(found: Any, value: Any) -> bool:
    """Equal and of one type: in JSON, 0 is not false and 1.0 is not 1."""
    return type(found) is type(value) and found == value


def _choice(values: Collection[Any]) -> str:
    return " or ".join(json.dumps(value) for value in values)

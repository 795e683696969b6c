"""Documents from text files of any size: whole files, lines, or a field of JSON Lines; plain, gzip or zstd.

Text is UTF-8 whatever the locale, and taken as it is but for line ends where lines are documents. By line, memory holds
one block and one line, never the file.

It does not know tokens: `counting.py` and `ids.py` count and encode what comes from here.

Invariant: cut into shares or not, a file gives the same documents, each once.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, Union

from tinyllm.tok.jsonfile import refuse_constant


class Readable(Protocol):
    """What has the `read` of a binary file."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; none at the end."""


Source = Union[str, "os.PathLike[str]", Readable]
By = Literal["file", "line", "jsonl"]

BLOCK = 1 << 20  # bytes read at once
COMPRESSED = (".gz", ".zst")


def documents(sources: Iterable[Source], *, by: By = "file", field: str = "text") -> Iterator[str]:
    r"""The documents in files, one after the other.

    `sources` are paths, or binary files open for reading. A name that ends in .gz or .zst is decompressed; zst needs the
    library zstandard (extra `zstd`).

    by="file"    the whole file
    by="line"    each line without its end, "\n" or "\r\n"; an empty line is an empty document
    by="jsonl"   the string under `field` in each line's JSON object; lines of white space are passed over

    Raises ValueError naming the file, and the line where there is one, for what is not UTF-8, JSON or a whole compressed
    file; OSError untouched. Memory: by file, the file; else a block of 1 MiB and the longest line.

    >>> import io
    >>> list(documents([io.BytesIO(b"one\ntwo\n")], by="line"))
    ['one', 'two']
    """
    _check_by(by)
    for source in _listed(sources):
        yield from Part(source).documents(by, field)


def shares(sources: Iterable[Source], count: int, *, by: By = "file") -> list[list[Part]]:
    """The files as `count` lists of parts of about equal size, for as many readers; those that would be empty are left out.

    Large plain files are cut at line ends unless whole files are the documents. Compressed files, and what is no regular
    file, stay whole; open files, which cannot be sent to another process, are all in the first share.
    """
    _check_by(by)
    parts = []
    for source in _listed(sources):
        parts += _parts(source, count) if by != "file" else [Part(source)]
    divided: list[list[Part]] = [[] for _ in range(count)]
    for part in sorted(parts, key=Part.size, reverse=True):  # the largest first, each to the share that has least
        share = (
            divided[0] if hasattr(part.source, "read") else min(divided, key=lambda share: sum(map(Part.size, share)))
        )
        share.append(part)
    return [share for share in divided if share]


class Part(NamedTuple):
    """The bytes `start` to `stop` of a file, both at line ends; `stop` None is its end."""

    source: Source
    start: int = 0
    stop: int | None = None

    def size(self) -> int:
        """Bytes in the file, before decompression; 0 where nobody can say."""
        if self.stop is None:
            return 0 if hasattr(self.source, "read") else os.path.getsize(self.source) - self.start
        return self.stop - self.start

    def documents(self, by: By, field: str = "text") -> Iterator[str]:
        """The documents in this part; see `documents`."""
        if by == "file":
            content = b"".join(_decompressed(self))
            try:
                yield content.decode("utf-8")
            except UnicodeDecodeError as error:
                line = content.count(b"\n", 0, error.start) + 1
                raise ValueError(f"{_name(self.source)}, line {line}: {_not_utf8(error)} of the file") from None
        elif by == "line":
            yield from self._each_line(_lines)
        else:
            yield from self._each_line(lambda block: _fields(block, field))

    def _each_line(self, texts_of: Callable[[bytes], list[str]]) -> Iterator[str]:
        """What `texts_of` makes of each block of lines. Only when it fails is the culprit looked for, line by line."""
        lines_before = 0
        for block in _line_blocks(_decompressed(self)):
            try:
                texts = texts_of(block)
            except ValueError:
                number, reason = _first_wrong_line(block, texts_of)
                number += lines_before + self._lines_skipped()
                raise ValueError(f"{_name(self.source)}, line {number}: {reason}") from None
            lines_before += block.count(b"\n")
            yield from texts

    def _lines_skipped(self) -> int:
        """How many lines of the file lie before this part."""
        if not self.start:
            return 0
        return sum(chunk.count(b"\n") for chunk in _decompressed(Part(self.source, 0, self.start)))


def text_in_json(line: str | bytes, field: str = "text") -> str:
    """The text of one line of JSON Lines, `{"text": ...}`; other keys are let be. Raises ValueError for any other line.

    >>> text_in_json('{"text": "Hi", "ids": [17250]}')
    'Hi'
    """
    try:
        line = (line.decode("utf-8") if isinstance(line, bytes) else line).removesuffix("\n")
        # Objects as tuples of pairs, because a dict would hide that a key is there twice.
        found = json.loads(line, object_pairs_hook=tuple, parse_constant=refuse_constant)
    except UnicodeDecodeError as error:
        raise ValueError(_not_utf8(error)) from None
    except RecursionError:
        raise ValueError("nested too deep to read") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos}") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    texts = [value for key, value in found if key == field] if isinstance(found, tuple) else []
    if len(texts) != 1 or not isinstance(texts[0], str):
        example = json.dumps({field: "Hi"}, ensure_ascii=False)
        raise ValueError(
            f"it must be an object with one {json.dumps(field, ensure_ascii=False)} that is a string, as in {example}"
        )
    if "\\u" in line:  # only an escape can smuggle half a surrogate pair past UTF-8
        half = next((i for i, ch in enumerate(texts[0]) if "\ud800" <= ch <= "\udfff"), None)
        if half is not None:
            raise ValueError(
                f"text is not valid Unicode: position {half} is the lone surrogate U+{ord(texts[0][half]):04X}"
            )
    return texts[0]


# ---- lines of a block ----


def _lines(block: bytes) -> list[str]:
    lines = block.decode("utf-8").split("\n")
    if not lines[-1]:
        lines.pop()  # the end of the last line, not a line
    return [line.removesuffix("\r") for line in lines] if b"\r" in block else lines


def _fields(block: bytes, field: str) -> list[str]:
    return [text_in_json(line, field) for line in block.decode("utf-8").split("\n") if line and not line.isspace()]


def _first_wrong_line(block: bytes, texts_of: Callable[[bytes], list[str]]) -> tuple[int, object]:
    """The number of the first line that `texts_of` refuses, from 1, and the reason."""
    for number, line in enumerate(block.split(b"\n"), start=1):
        try:
            texts_of(line)
        except UnicodeDecodeError as error:
            return number, _not_utf8(error)
        except ValueError as error:
            return number, error
    raise AssertionError("a block is refused only for one of its lines")


def _line_blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that end at line ends; the last may not."""
    waiting: list[bytes] = []  # the beginning of a line, in as many chunks as it takes
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*waiting, chunk[:end]])
            waiting = []
        if end < len(chunk):
            waiting.append(chunk[end:])
    if waiting:
        yield b"".join(waiting)


# ---- bytes of a file ----


def _decompressed(part: Part) -> Iterator[bytes]:
    """The bytes of a part, a block at a time. Raises ValueError naming a compressed file that is broken or cut off."""
    source = part.source
    if hasattr(source, "read"):
        yield from iter(lambda: source.read(BLOCK), b"")
        return
    name = os.fspath(source)
    with open(name, "rb") as file:
        if name.endswith(COMPRESSED) and not file.peek(1):
            raise ValueError(f"{name}: not a whole compressed file: it is empty")
        if name.endswith(".gz"):
            try:
                with gzip.open(file) as unzipped:
                    yield from iter(lambda: unzipped.read(BLOCK), b"")
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise ValueError(f"{name}: not a whole gzip file: {error}") from None
        elif name.endswith(".zst"):
            yield from _unzstd(file, name)
        else:
            if part.start:
                file.seek(part.start)
            left = sys.maxsize if part.stop is None else part.stop - part.start
            while chunk := file.read(min(BLOCK, left)):
                left -= len(chunk)
                yield chunk


def _unzstd(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The content of a zstd file. Frame by frame, because zstandard's own reader takes a cut-off file for a whole one."""
    try:
        import zstandard
    except ImportError:
        raise ValueError(f"{name}: .zst files need the library zstandard: pip install 'tinyllm-course[zstd]'") from None
    frame: Any = None
    try:
        for chunk in iter(lambda: file.read(BLOCK // 16), b""):
            while chunk:
                frame = frame or zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
                yield frame.decompress(chunk)
                chunk, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise ValueError(f"{name}: not a whole zstd file: {error}") from None
    if frame is not None:
        raise ValueError(f"{name}: not a whole zstd file: it is cut off")


def _parts(source: Source, count: int) -> list[Part]:
    """A file in at most `count` parts of about equal size, cut at line ends; one part if it cannot or need not be cut."""
    if hasattr(source, "read") or os.fspath(source).endswith(COMPRESSED):
        return [Part(source)]
    status = os.stat(source)
    if not stat.S_ISREG(status.st_mode) or status.st_size < BLOCK:
        return [Part(source)]
    cuts = [0]
    with open(source, "rb") as file:
        for k in range(1, count):
            file.seek(max(status.st_size * k // count, cuts[-1]))
            file.readline()
            if cuts[-1] < file.tell() < status.st_size:
                cuts.append(file.tell())
    return [Part(source, start, stop) for start, stop in zip(cuts, [*cuts[1:], None])]


# ---- the rules ----


def _check_by(by: str) -> None:
    if by not in ("file", "line", "jsonl"):
        raise ValueError(f'by is {by!r:.40}; it must be "file", "line" or "jsonl"')


def _listed(sources: Iterable[Source]) -> Iterable[Source]:
    if isinstance(sources, (str, bytes, os.PathLike)):
        raise TypeError(f"sources must be a list of paths, not one path: write [{sources!r:.60}]")
    return sources


def _name(source: Source) -> str:
    return str(getattr(source, "name", "the file")) if hasattr(source, "read") else os.fspath(source)


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"not UTF-8: byte {error.object[error.start]:#04x} at position {error.start}"

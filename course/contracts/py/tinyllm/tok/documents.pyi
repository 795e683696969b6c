"""Documents from text files of any size: whole files, lines, or a field of JSON Lines; plain, gzip or zstd.

Text is UTF-8 whatever the locale, and taken as it is but for line ends where lines are documents.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Protocol

class Readable(Protocol):
    """What has the `read` of a binary file."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; none at the end."""

Source = str | os.PathLike[str] | Readable
By = Literal["file", "line", "jsonl"]

def documents(sources: Iterable[Source], *, by: By = "file", field: str = "text") -> Iterator[str]:
    r"""The documents in files, one after the other.

    `sources` are paths, or binary files open for reading. A name that ends in .gz or .zst is decompressed; zst needs the
    library zstandard (extra `zstd`).

    by="file"    the whole file
    by="line"    each line without its end, "\n" or "\r\n"; an empty line is an empty document
    by="jsonl"   the string under `field` in each line's JSON object; lines of white space are passed over

    Raises ValueError naming the file, and the line where there is one, for what is not UTF-8, JSON or a whole compressed
    file; OSError untouched. Memory: by file, the file; else a block of 1 MiB and the longest line.
    """

def shares(sources: Iterable[Source], count: int, *, by: By = "file") -> list[list[Part]]:
    """The files as `count` lists of parts of about equal size, for as many readers; those that would be empty are left out.

    Large plain files are cut at line ends unless whole files are the documents. Compressed files, and what is no regular
    file, stay whole; open files, which cannot be sent to another process, are all in the first share.
    """

class Part(NamedTuple):
    """The bytes `start` to `stop` of a file, both at line ends; `stop` None is its end."""

    source: Source
    start: int = 0
    stop: int | None = None

    def size(self) -> int:
        """Bytes in the file, before decompression; 0 where nobody can say."""

    def documents(self, by: By, field: str = "text") -> Iterator[str]:
        """The documents in this part; see `documents`."""

def text_in_json(line: str | bytes, field: str = "text") -> str:
    """The text of one line of JSON Lines, `{"text": ...}`; other keys are let be. Raises ValueError for any other line."""

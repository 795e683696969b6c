"""Given: JSON files that are read strictly and written whole or not at all."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

def read_json(path: str | os.PathLike[str]) -> Any:
    """What the UTF-8 JSON file `path` holds. Raises ValueError naming the file for anything that is not JSON, or OSError."""

def read_text(path: str | os.PathLike[str]) -> str:
    """The text of the UTF-8 file `path`, line ends as they are. Raises ValueError naming the file, or OSError."""

def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Write `value` as indented UTF-8 JSON; an old file is replaced whole or stays as it was."""

def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8 under `path`, whole or not at all. Raises OSError."""

@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` in one step when the block ends, or is gone if the block fails."""

def check_fields(
    found: Any, where: str, allowed: Mapping[str, Collection[Any] | None] | None, optional: Collection[str] = ()
) -> None:
    """Raise ValueError unless `found` is a JSON object with exactly these fields, naming the field by its JSON path.

    `where` is the path of the object ("" for the whole file). `allowed` maps each field to the values it may have, or to
    None where the caller checks the value itself; None for all of it means any fields. Fields in `optional` may be absent.
    """

def shown(value: Any) -> str:
    """`value` as JSON, cut to a length that fits an error message."""

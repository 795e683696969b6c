"""A corpus of any size: its pre-tokens counted and its texts encoded, by several processes if asked; ids as a flat file.

Processes are started afresh ("spawn"): a script that starts them needs `if __name__ == "__main__":`. One that dies is an
error, never a hang.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.documents import By, Source

class Written(NamedTuple):
    """What `write_ids` wrote."""

    documents: int
    ids: int

def count_pretokens_in_files(
    sources: Iterable[Source],
    *,
    by: By = "file",
    field: str = "text",
    specials: Sequence[str] = (),
    pre_tokenizer: str | Mapping[str, Any] | None = None,
    workers: int = 1,
) -> Counter[str]:
    """`count_pretokens` of the documents in files (see `documents`), by `workers` processes, the caller being one of them.

    The result is the same for any number of workers. Large plain files are cut at line ends if lines are documents; a whole
    file, or a compressed one, is one worker's. Raises ValueError for `workers` below 1 and as `documents` does,
    ChildProcessError if a process dies. Memory: in each process, the distinct pre-tokens that it met.
    """

def encode_in_processes(
    tokenizer: Tokenizer, texts: Iterable[str], workers: int, **options: Any
) -> Iterator[list[int]]:
    """`tokenizer.encode(text, **options)` of each text, in order, by `workers` processes. `texts` may be endless.

    Raises what `encode` raises, and ChildProcessError if a process dies.
    """

def write_ids(
    tokenizer: Tokenizer,
    documents: Iterable[str],
    path: str | os.PathLike[str],
    *,
    dtype: Literal["uint16", "uint32"] = "uint16",
    end_of_text: int | None = None,
    workers: int = 1,
    **options: Any,
) -> Written:
    """Encode `documents` into the file `path`: the ids of each, and `end_of_text` behind each if it is an id.

    The file is little-endian numbers of `dtype` and nothing else, as nanoGPT reads it: np.memmap(path, dtype, "r").
    It is written as the texts come, under another name beside `path`, and takes its name when it is complete: an interruption leaves
    an old file as it was and no half of a new one. `options` go to `encode`, such as allowed_special="none".

    Raises ValueError for a vocabulary that `dtype` cannot hold and for an `end_of_text` that is no id of the tokenizer,
    before any text is read; then what `encode` raises, and OSError. Memory: some texts and their ids at a time.
    """

def checked_typecode(tokenizer: Tokenizer, dtype: str, end_of_text: int | None) -> str:
    """What `array` calls `dtype`. Raises ValueError unless it holds every id and `end_of_text` is one."""

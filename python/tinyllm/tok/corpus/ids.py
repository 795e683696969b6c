"""The ids of a corpus as a flat file, nanoGPT's: little-endian uint16 or uint32, nothing before, between or behind them."""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable, Mapping
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tinyllm.tok.corpus.processes import in_order
from tinyllm.tok.jsonfile import replacing

if TYPE_CHECKING:
    from tinyllm.tok.base import Tokenizer

DTYPES = {"uint16": "H", "uint32": "I" if array("I").itemsize == 4 else "L"}  # as `array` calls them


class Written(NamedTuple):
    """What `write_ids` wrote."""

    documents: int
    ids: int


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
    typecode = checked_typecode(tokenizer, dtype, end_of_text)
    behind = [] if end_of_text is None else [index(end_of_text)]
    texts = ids = 0
    with replacing(path) as file:
        for batch in in_order(partial(_encode_flat, tokenizer, options, typecode, behind), documents, workers):
            texts += batch.documents
            ids += len(batch.ids)
            file.write(batch.ids)
    return Written(texts, ids)


def checked_typecode(tokenizer: Tokenizer, dtype: str, end_of_text: int | None) -> str:
    """What `array` calls `dtype`. Raises ValueError unless it holds every id and `end_of_text` is one."""
    if dtype not in DTYPES:
        raise ValueError(f'dtype is {dtype!r:.40}; it must be "uint16" or "uint32"')
    most = 1 << 8 * array(DTYPES[dtype]).itemsize
    if tokenizer.vocab_size > most:
        raise ValueError(
            f'dtype "{dtype}" holds {most:,} different ids, but the vocabulary has {tokenizer.vocab_size:,}; use "uint32"'
        )
    if end_of_text is not None and not 0 <= index(end_of_text) < tokenizer.vocab_size:
        raise ValueError(f"end_of_text is {end_of_text}; this tokenizer has ids 0 to {tokenizer.vocab_size - 1}")
    return DTYPES[dtype]


class _Flat(NamedTuple):
    """The ids of a batch of documents as they go into the file."""

    documents: int
    ids: array[int]


def _encode_flat(
    tokenizer: Tokenizer, options: Mapping[str, Any], typecode: str, behind: list[int], texts: list[str]
) -> _Flat:
    ids = array(typecode)
    for text in texts:
        ids.extend(tokenizer.encode(text, **options))
        ids.extend(behind)
    if sys.byteorder == "big":
        ids.byteswap()
    return _Flat(len(texts), ids)

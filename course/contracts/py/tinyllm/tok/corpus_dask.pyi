"""Counting and encoding on many machines, as Dask bags (extra `dask`): Dask schedules, moves and repeats the work.

Nothing here starts a cluster: connect to one with `connected`, or with a `distributed.Client`, or Dask uses this machine.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from dask.bag import Bag

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.corpus import Written
from tinyllm.tok.documents import By, Source

def documents_bag(sources: Iterable[Source], partitions: int, *, by: By = "file", field: str = "text") -> Bag:
    """The documents in files (see `documents`) as a bag of at most `partitions`, each of which must fit into a machine's memory.

    Every machine must see the files under the same paths. Partitions are alike in size, and so not in the order of the files.
    """

def count_pretokens_in_bag(
    texts: Bag, *, specials: Sequence[str] = (), pre_tokenizer: str | Mapping[str, Any] | None = None
) -> Counter[str]:
    """`count_pretokens` of the texts in a bag, computed. BPETokenizer.train_from_counts learns from it."""

def encode_bag(tokenizer: Tokenizer, texts: Bag, **options: Any) -> Bag:
    """The bag of `tokenizer.encode(text, **options)` for each text, in the same partitions; nothing is computed yet."""

def write_ids_of_bag(
    tokenizer: Tokenizer,
    texts: Bag,
    folder: str | os.PathLike[str],
    *,
    dtype: Literal["uint16", "uint32"] = "uint16",
    end_of_text: int | None = None,
    **options: Any,
) -> list[Written]:
    """Encode each partition into a file of its own, `folder`/00000.bin and so on, and return what was written, in order.

    The files joined are what `write_ids` writes for all texts. Every machine must see the folder, which is made if it is missing.
    Each file is whole or not there, so a partition that is done twice does no harm. Raises as `write_ids` does.
    """

@contextmanager
def connected(address: str, seconds: float | None = None) -> Iterator[None]:
    """Everything in the block is computed by the Dask cluster whose scheduler is at `address`, such as "tcp://host:8786".

    Raises ValueError if the library distributed is missing, OSError if no scheduler answers within `seconds` (10), and
    ChildProcessError if Dask gives up on work that ended several of its workers.
    """

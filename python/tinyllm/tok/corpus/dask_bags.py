"""Counting and encoding on many machines, as Dask bags (extra `dask`): Dask schedules, moves and repeats the work.

A bag is a list of texts in partitions that lie on several machines. What comes out does not depend on the partitions, and
a partition that is lost with its machine is simply done again: each is computed from its texts alone.

Nothing here starts a cluster: connect to one with `connected`, or with a `distributed.Client`, or Dask uses this machine.
"""

# mypy: disable-error-code="no-untyped-call, no-any-return, attr-defined"
# Dask has no type hints.

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.corpus.documents import By, Part, Source, shares
from tinyllm.tok.corpus.ids import Written, checked_typecode, write_ids
from tinyllm.tok.merging.training import count_pretokens

if TYPE_CHECKING:
    from dask.bag import Bag

    from tinyllm.tok.base import Tokenizer

PATIENCE = 10  # seconds in which a scheduler must answer
FAN_IN = 8  # counters added up in one step, so that no machine holds those of all partitions


def documents_bag(sources: Iterable[Source], partitions: int, *, by: By = "file", field: str = "text") -> Bag:
    """The documents in files (see `documents`) as a bag of at most `partitions`, each of which must fit into a machine's memory.

    Every machine must see the files under the same paths. Partitions are alike in size, and so not in the order of the files.
    """
    from dask import bag

    parts = shares(sources, partitions, by=by) or [[]]
    return bag.from_sequence(parts, partition_size=1).map_partitions(partial(_documents, by=by, field=field))


def count_pretokens_in_bag(
    texts: Bag, *, specials: Sequence[str] = (), pre_tokenizer: str | Mapping[str, Any] | None = None
) -> Counter[str]:
    """`count_pretokens` of the texts in a bag, computed. BPETokenizer.train_from_counts learns from it."""
    count = partial(count_pretokens, specials=specials, pre_tokenizer=pre_tokenizer)
    return texts.reduction(count, _added_up, split_every=FAN_IN).compute()


def encode_bag(tokenizer: Tokenizer, texts: Bag, **options: Any) -> Bag:
    """The bag of `tokenizer.encode(text, **options)` for each text, in the same partitions; nothing is computed yet."""
    from dask import delayed

    # As a delayed value the tokenizer goes to each machine once, not once a partition, and keeps its caches there.
    return texts.map_partitions(_encoded, delayed(tokenizer, pure=True, traverse=False), options)


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
    from dask import compute, delayed

    checked_typecode(tokenizer, dtype, end_of_text)
    os.makedirs(folder, exist_ok=True)
    shared = delayed(tokenizer, pure=True, traverse=False)
    write = delayed(partial(write_ids, dtype=dtype, end_of_text=end_of_text, **options))
    paths = [os.path.join(folder, f"{i:05}.bin") for i in range(texts.npartitions)]
    return list(compute(*(write(shared, partition, path) for partition, path in zip(texts.to_delayed(), paths))))


@contextmanager
def connected(address: str, seconds: float | None = None) -> Iterator[None]:
    """Everything in the block is computed by the Dask cluster whose scheduler is at `address`, such as "tcp://host:8786".

    Raises ValueError if the library distributed is missing, OSError if no scheduler answers within `seconds` (10), and
    ChildProcessError if Dask gives up on work that ended several of its workers.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise ValueError("a Dask cluster needs the library dask: pip install 'tinyllm-course[dask]'") from None
    try:
        with Client(address, timeout=PATIENCE if seconds is None else seconds):
            yield
    except KilledWorker as error:
        raise ChildProcessError(
            f"the cluster gave up on work that ended its workers, perhaps for lack of memory: {error}"
        ) from None


def _documents(parts: Iterable[list[Part]], *, by: By, field: str) -> list[str]:
    return [document for share in parts for part in share for document in part.documents(by, field)]


def _encoded(texts: Iterable[str], tokenizer: Tokenizer, options: Mapping[str, Any]) -> list[list[int]]:
    return [tokenizer.encode(text, **options) for text in texts]


def _added_up(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total

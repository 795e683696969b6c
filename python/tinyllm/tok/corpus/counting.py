"""The pre-tokens of a corpus counted, by several processes if asked.

Counting is separable: the counters of a corpus' parts add up to that of the whole, so what comes out does not depend on
how the work was shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from tinyllm.tok.corpus.documents import By, Part, Source, shares
from tinyllm.tok.corpus.processes import checked_workers, started
from tinyllm.tok.merging.training import count_pretokens


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
    count = partial(_count, by=by, field=field, specials=specials, pre_tokenizer=pre_tokenizer)
    mine, *others = shares(sources, checked_workers(workers), by=by) or [[]]
    if not others:
        return count(mine)
    with started(len(others), count) as processes:
        for process, share in zip(processes, others):
            process.ask(share)
        counts = count(mine)
        for process in processes:
            counts.update(process.answer())
    return counts


def _count(
    share: list[Part], *, by: By, field: str, specials: Sequence[str], pre_tokenizer: str | Mapping[str, Any] | None
) -> Counter[str]:
    texts = chain.from_iterable(part.documents(by, field) for part in share)
    return count_pretokens(texts, specials=specials, pre_tokenizer=pre_tokenizer)

"""A corpus of any size: its pre-tokens counted and its texts encoded, by several processes if asked; ids as a flat file.

Counting is separable: the counters of a corpus' parts add up to that of the whole, so what comes out does not depend on
how the work was shared. `corpus_dask.py` shares it among machines.

Processes are started afresh ("spawn"), on every system alike, so a caller with threads is safe. As always with such
processes, a script that starts them needs `if __name__ == "__main__":`. One that dies is an error, never a hang.

The file of ids is nanoGPT's: little-endian uint16 or uint32, nothing before, between or behind them.
"""

from __future__ import annotations

import os
import signal
import sys
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from multiprocessing import get_context
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from tinyllm.tok.documents import By, Part, Source, shares
from tinyllm.tok.jsonfile import replacing

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tinyllm.tok.base import Tokenizer

T = TypeVar("T")

DTYPES = {"uint16": "H", "uint32": "I" if array("I").itemsize == 4 else "L"}  # as `array` calls them
BATCH = 1 << 18  # characters that a process is given at once: some 50 ms of encoding


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
    count = partial(_count, by=by, field=field, specials=specials, pre_tokenizer=pre_tokenizer)
    mine, *others = shares(sources, _checked_workers(workers), by=by) or [[]]
    if not others:
        return count(mine)
    with _processes(len(others), count) as processes:
        for process, share in zip(processes, others):
            process.ask(share)
        counts = count(mine)
        for process in processes:
            counts.update(process.answer())
    return counts


def encode_in_processes(
    tokenizer: Tokenizer, texts: Iterable[str], workers: int, **options: Any
) -> Iterator[list[int]]:
    """`tokenizer.encode(text, **options)` of each text, in order, by `workers` processes. `texts` may be endless.

    Raises what `encode` raises, and ChildProcessError if a process dies.
    """
    for batch in _in_order(partial(_encode, tokenizer, options), texts, workers):
        yield from batch


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
        for batch in _in_order(partial(_encode_flat, tokenizer, options, typecode, behind), documents, workers):
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


# ---- what a process does ----


def _count(
    share: list[Part], *, by: By, field: str, specials: Sequence[str], pre_tokenizer: str | Mapping[str, Any] | None
) -> Counter[str]:
    from tinyllm.tok.bpe import count_pretokens  # not every student's module has it; encoding needs none

    texts = chain.from_iterable(part.documents(by, field) for part in share)
    return count_pretokens(texts, specials=specials, pre_tokenizer=pre_tokenizer)


def _encode(tokenizer: Tokenizer, options: Mapping[str, Any], texts: list[str]) -> list[list[int]]:
    return [tokenizer.encode(text, **options) for text in texts]


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


# ---- processes ----


def _in_order(call: Callable[..., T], texts: Iterable[str], workers: int) -> Iterator[T]:
    """`call(batch)` for each batch of `texts`, in their order. Each process has one batch at a time, in turn."""
    if _checked_workers(workers) == 1:
        yield from map(call, _batches(texts))
        return
    with _processes(workers, call) as processes:
        idle, busy = deque(processes), deque[_Process]()
        for batch in _batches(texts):
            if idle:
                busy.append(idle.popleft())
                busy[-1].ask(batch)
            else:
                answer = busy[0].answer()
                busy.rotate(-1)
                busy[-1].ask(batch)
                yield answer
        for process in busy:
            yield process.answer()


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    if isinstance(texts, str):
        raise TypeError(
            "a corpus is an iterable of texts, not one str, which would be cut into characters: write [text]"
        )
    batch: list[str] = []
    size = 0
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a corpus is an iterable of str; it has {type(text).__name__} ({text!r:.40})")
        batch.append(text)
        size += len(text) + 1  # an endless row of empty texts must come through too
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Process:
    """Another process that answers `call(question)`, one at a time."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_answer_all, args=(theirs, call), daemon=True)
        self._process.start()
        theirs.close()  # or the end of the process would not be the end of the connection

    def ask(self, question: Any) -> None:
        try:
            self._connection.send(question)
        except OSError:
            pass  # it died; `answer` says so

    def answer(self) -> Any:
        try:
            answer, error = self._connection.recv()
        except (EOFError, OSError):
            self._process.join()
            raise ChildProcessError(
                f"a worker process ended with exit code {self._process.exitcode} before its work was done; nothing of it is kept"
            ) from None
        if error is not None:
            raise error
        return answer

    def end(self) -> None:
        self._process.terminate()
        self._process.join()
        self._connection.close()


@contextmanager
def _processes(count: int, call: Callable[[Any], Any]) -> Iterator[list[_Process]]:
    """Processes that end with the block, however it ends."""
    processes: list[_Process] = []
    try:
        for _ in range(count):
            processes.append(_Process(call))
        yield processes
    finally:
        for process in processes:
            process.end()


def _answer_all(connection: Connection, call: Callable[[Any], Any]) -> None:
    """What a `_Process` runs, until its caller is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the keyboard it goes to all processes; the caller ends this one
    with suppress(EOFError, OSError):
        while True:
            question = connection.recv()
            try:
                connection.send((call(question), None))
            except Exception as error:
                connection.send((None, error))


def _checked_workers(workers: int) -> int:
    if index(workers) < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")
    return index(workers)

"""Work shared by several processes: each answers one question at a time, and what comes out is in order.

It knows a tokenizer only by its `encode`, so it lies below them all: `BPETokenizer.encode_batch` calls it.

Processes are started afresh ("spawn"), on every system alike, so a caller with threads is safe. As always with such
processes, a script that starts them needs `if __name__ == "__main__":`. One that dies is an error, never a hang.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tinyllm.tok.base import Tokenizer

T = TypeVar("T")

BATCH = 1 << 18  # characters that a process is given at once: some 50 ms of encoding


def encode_in_processes(
    tokenizer: Tokenizer, texts: Iterable[str], workers: int, **options: Any
) -> Iterator[list[int]]:
    """`tokenizer.encode(text, **options)` of each text, in order, by `workers` processes. `texts` may be endless.

    Raises what `encode` raises, and ChildProcessError if a process dies.
    """
    for batch in in_order(partial(_encode, tokenizer, options), texts, workers):
        yield from batch


def in_order(call: Callable[..., T], texts: Iterable[str], workers: int) -> Iterator[T]:
    """`call(batch)` for each batch of `texts`, in their order. Each process has one batch at a time, in turn."""
    if checked_workers(workers) == 1:
        yield from map(call, _batches(texts))
        return
    with started(workers, call) as processes:
        idle, busy = deque(processes), deque[Process]()
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


@contextmanager
def started(count: int, call: Callable[[Any], Any]) -> Iterator[list[Process]]:
    """Processes that end with the block, however it ends."""
    processes: list[Process] = []
    try:
        for _ in range(count):
            processes.append(Process(call))
        yield processes
    finally:
        for process in processes:
            process.end()


class Process:
    """Another process that answers `call(question)`, one at a time."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        from multiprocessing import get_context  # here, since most who import this never start one

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


def checked_workers(workers: int) -> int:
    if index(workers) < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")
    return index(workers)


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


def _encode(tokenizer: Tokenizer, options: Mapping[str, Any], texts: list[str]) -> list[list[int]]:
    return [tokenizer.encode(text, **options) for text in texts]


def _answer_all(connection: Connection, call: Callable[[Any], Any]) -> None:
    """What a `Process` runs, until its caller is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the keyboard it goes to all processes; the caller ends this one
    with suppress(EOFError, OSError):
        while True:
            question = connection.recv()
            try:
                connection.send((call(question), None))
            except Exception as error:
                connection.send((None, error))

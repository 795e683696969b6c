"""What `tok train` and `tok encode --out` share: options that say what a document is, and the corpus they describe."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

import typer

from tinyllm.tok.cli.inputs import name_of, opened
from tinyllm.tok.cli.progress import Progress
from tinyllm.tok.cli.terminal import facts, named, next_step, quoted, text_argument
from tinyllm.tok.files.gpt2 import END_OF_TEXT

if TYPE_CHECKING:
    from tinyllm.tok.base import Tokenizer
    from tinyllm.tok.documents import By

BY = typer.Option(
    "--by",
    metavar="file|line|jsonl",
    help="A document is a file, a line, or a field of a line's JSON object.  [default: file]",
)
FIELD = typer.Option("--field", metavar="F", help="With --by jsonl, the field that holds the text.  [default: text]")
WORKERS = typer.Option("--workers", metavar="N", help="How many processes share the work.  [default: 1]")
DASK = typer.Option(
    "--dask",
    metavar="ADDRESS",
    help="Share the counting among the machines of a Dask cluster, by its scheduler's address (tcp://host:8786).",
)
OUT = typer.Option("--out", metavar="BIN", help="Write ids to this file, as numbers one after the other, instead.")
DTYPE = typer.Option("--dtype", metavar="uint16|uint32", help="With --out, the kind of numbers.  [default: uint16]")
END = typer.Option(
    "--end-of-text",
    metavar="TOKEN",
    help='With --out, what is put behind each document; "" for nothing.  [default: <|endoftext|>]',
)

PARTITION = 1 << 25  # bytes of a file that a machine of a cluster holds at once, if the file can be cut


class Corpus:
    """The documents of files, or of standard input, read once; and how much was read."""

    def __init__(
        self,
        paths: Sequence[str],
        by: str | None = None,
        field: str | None = None,
        workers: int | None = None,
        dask: str | None = None,
    ) -> None:
        """Raises ValueError for options that say nothing or contradict each other."""
        ways: dict[str | None, By] = {None: "file", "file": "file", "line": "line", "jsonl": "jsonl"}
        if by not in ways:
            raise ValueError(f"--by is {by!r:.60}; it must be file or line or jsonl")
        if field is not None and by != "jsonl":
            raise ValueError("--field goes with --by jsonl, whose lines have fields")
        if workers is not None and workers < 1:
            raise ValueError(f"--workers is {workers}; it must be at least 1")
        self.by = ways[by]
        self.field = "text" if field is None else text_argument(field, "--field")
        self.workers = workers or 1
        self.dask = dask
        self.sources = [path if os.path.isfile(path) else _Stream(path) for path in paths]
        if dask is not None:
            if workers is not None:
                raise ValueError("--workers does not go with --dask, whose cluster has its own")
            for source in self.sources:
                if isinstance(source, _Stream):
                    raise ValueError(f"{source.name}: not a regular file, so the machines of a cluster cannot share it")

    def documents(self) -> Iterator[str]:
        """Each document. Raises OSError, and ValueError naming the file and the line."""
        from tinyllm.tok.documents import documents

        return documents(self.sources, by=self.by, field=self.field)

    def counted(self, specials: Sequence[str], pre_tokenizer: str) -> Counter[str]:
        """The pre-tokens of all documents, counted by the processes or the cluster asked for."""
        if self.dask is not None:
            return self._counted_on(self.dask, specials, pre_tokenizer)
        from tinyllm.tok.corpus import count_pretokens_in_files

        return count_pretokens_in_files(
            self.sources,
            by=self.by,
            field=self.field,
            specials=specials,
            pre_tokenizer=pre_tokenizer,
            workers=self.workers,
        )

    def _counted_on(self, address: str, specials: Sequence[str], pre_tokenizer: str) -> Counter[str]:
        from tinyllm.tok.corpus_dask import connected, count_pretokens_in_bag, documents_bag

        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what fails is told in one line, not in its log
        with connected(address):
            paths = [os.path.abspath(str(source)) for source in self.sources]
            partitions = len(paths) + sum(map(os.path.getsize, paths)) // PARTITION
            texts = documents_bag(paths, partitions, by=self.by, field=self.field)
            return count_pretokens_in_bag(texts, specials=specials, pre_tokenizer=pre_tokenizer)

    def read(self) -> str:
        """How much there was: files, and the bytes in them."""
        size = sum(source.bytes if isinstance(source, _Stream) else os.path.getsize(source) for source in self.sources)
        return f"{self.files()}, {size:,} bytes"

    def files(self) -> str:
        """How many files, in words."""
        return f"{len(self.sources):,} {'file' if len(self.sources) == 1 else 'files'}"


class _Stream:
    """Standard input, or a pipe: what has no size, and is opened when the first byte is asked for."""

    def __init__(self, path: str) -> None:
        self.name = name_of(path)
        self.bytes = 0
        self._path = path
        self._file: IO[bytes] | None = None
        self._open = ExitStack()

    def read(self, size: int = -1) -> bytes:
        if self._file is None:
            self._file = self._open.enter_context(opened(self._path))
        chunk = self._file.read(size)
        self.bytes += len(chunk)
        if not chunk:
            self._open.close()
        return chunk


def refuse_without_out(**options: object) -> None:
    """Raise ValueError for the first of these options that was given: they say nothing where ids are printed."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(f"--{option.replace('_', '-')} goes with --out")


def write_corpus(
    tokenizer: Tokenizer,
    name: str,
    corpus: Corpus,
    path: str,
    *,
    dtype: str | None,
    end_of_text: str | None,
    options: dict[str, Any],
) -> None:
    """`tok encode --out`: encode every document into one flat file, and say what was written."""
    from tinyllm.tok.corpus import write_ids

    content = END_OF_TEXT if end_of_text is None else text_argument(end_of_text, "--end-of-text")
    id = tokenizer.token_to_id(content) if content else None
    if content and id is None:
        raise ValueError(
            f'{name} has no token {content!r:.60} to put behind each document; name another with --end-of-text, or "" for nothing'
        )
    with Progress() as progress:
        progress.stage(f"encoding {corpus.files()}")
        written = write_ids(
            tokenizer,
            corpus.documents(),
            path,
            dtype=dtype or "uint16",  # type: ignore[arg-type]  # it refuses any other
            end_of_text=id,
            workers=corpus.workers,
            **options,
        )
    facts(
        ("read", corpus.read()),
        ("documents", f"{written.documents:,}"),
        ("ids", f"{written.ids:,}{f', {id} behind each document' if id is not None else ''}"),
        ("wrote", f"{named(path)}, {os.path.getsize(path):,} bytes of {dtype or 'uint16'}"),
    )
    size = 4 if dtype == "uint32" else 2
    next_step(f"od -An -v -tu{size} -N{20 * size} {quoted(path)} | tok decode --tokenizer {quoted(name)}")

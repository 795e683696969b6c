"""`tok train`: a tokenizer of one's own, from text files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.char import CharTokenizer
from tinyllm.tok.cli.corpus_options import BY, DASK, FIELD, WORKERS, Corpus
from tinyllm.tok.cli.inputs import check_split
from tinyllm.tok.cli.outputs import check_output
from tinyllm.tok.cli.progress import Progress
from tinyllm.tok.cli.standins import stand_in
from tinyllm.tok.cli.terminal import facts, named, next_step, quoted, text_argument, visible
from tinyllm.tok.splits import CHOICES, DEFAULT

if TYPE_CHECKING:
    from tinyllm.tok.unigram import UnigramTokenizer


class Settings(NamedTuple):
    """What the command line asks for."""

    vocab_size: int | None
    specials: list[str]
    min_freq: int | None
    split: str


class Trained(NamedTuple):
    """A tokenizer, and what training saw, without the specials: bytes of text and the tokens that now spell them, if counted."""

    tokenizer: Tokenizer
    bytes: int | None = None
    tokens: int = 0


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command("train")(train)


def train(
    files: Annotated[
        list[str],
        typer.Argument(metavar="TEXTFILE", show_default=False, help='Texts; "-" is standard input.'),
    ],
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", show_default=False, help="The tokenizer.json to write.")
    ],
    algo: Annotated[
        str,
        typer.Option(
            "--algo",
            metavar="bpe|unigram|char",
            help="Byte-level BPE, a unigram language model, or one id a character.",
        ),
    ] = "bpe",
    vocab_size: Annotated[
        int | None,
        typer.Option(
            "--vocab-size",
            metavar="N",
            help="How many ids at most. bpe, unigram: 256 plus the specials at least; char: all characters by default.",
        ),
    ] = None,
    special: Annotated[
        list[str] | None,
        typer.Option(
            "--special",
            metavar="S",
            help="A special token, such as <|endoftext|>; may be repeated. Cut out of the texts.",
        ),
    ] = None,
    min_freq: Annotated[
        int | None,
        typer.Option("--min-freq", metavar="N", help="bpe: merge a pair only if it occurs this often.  [default: 2]"),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="|".join(CHOICES),
            help=f"bpe, unigram: whose pattern cuts texts into pre-tokens (GPT-2's, GPT-4's, GPT-4o's).  [default: {DEFAULT}]",
        ),
    ] = None,
    by: Annotated[str | None, BY] = None,
    field: Annotated[str | None, FIELD] = None,
    workers: Annotated[int | None, WORKERS] = None,
    dask: Annotated[str | None, DASK] = None,
) -> None:
    """Train a tokenizer on text files.

    The result is a tokenizer.json, which Hugging Face reads too. An old one is replaced whole or, if anything fails,
    stays as it was. Texts are UTF-8 and taken exactly as they are; those in files named .gz and .zst are decompressed.

    By line, a document is a line without its end, and files may be larger than memory: they are read in blocks, and
    --workers share them, or the machines of a --dask cluster, which must all see the files. The result is the same for any
    number of them.

    \b
    Examples
      tok train --vocab-size 1000 -o tok.json book.txt
      tok train --vocab-size 32000 --special "<|endoftext|>" -o tok.json texts/*.txt
      tok train --vocab-size 8000 --split o200k -o telugu.json telugu.txt
      tok train --algo unigram --vocab-size 8000 -o unigram.json book.txt
      tok train --algo char -o chars.json book.txt
      tok train --vocab-size 32000 --by jsonl --workers 4 -o tok.json corpus/*.jsonl.gz
    """
    if algo not in ALGORITHMS:
        raise ValueError(f"--algo is {algo!r:.60}; it must be {' or '.join(ALGORITHMS)}")
    if split is not None:
        check_split(split)
    if split is not None and algo == "char":
        raise ValueError("--split does not go with --algo char, which does not cut texts into pre-tokens")
    for option, value in (("--workers", workers), ("--dask", dask)):
        if value is not None and algo == "char":
            raise ValueError(f"{option} does not go with --algo char, which one process trains")
    specials = [text_argument(content, "--special") for content in special or []]
    check_output("-o", out, files)
    corpus = Corpus(files, by, field, workers, dask)
    with Progress() as progress:
        trained = ALGORITHMS[algo](corpus, Settings(vocab_size, specials, min_freq, split or DEFAULT), progress)
    tokenizer = trained.tokenizer
    tokenizer.save(out)
    facts(
        ("read", corpus.read()),
        ("asked for", _asked(algo, vocab_size, specials)),
        ("ids", f"{tokenizer.vocab_size:,}{'' if tokenizer.vocab_size == vocab_size else _why_fewer(algo)}"),
        *([("merges", f"{len(tokenizer.merges):,}")] if isinstance(tokenizer, BPETokenizer) else []),
        *([("bytes per token", _rate(trained.bytes, trained.tokens))] if trained.bytes is not None else []),
        ("wrote", named(out)),
    )
    next_step(f"tok encode --tokenizer {quoted(out)} --tokens -f {quoted(files[0])}")


def train_bpe(corpus: Corpus, settings: Settings, progress: Progress) -> Trained:
    """Count pre-tokens, then learn merges from the counts."""
    if settings.vocab_size is None:
        raise ValueError("--algo bpe needs --vocab-size, such as --vocab-size 1000")
    min_freq = 2 if settings.min_freq is None else settings.min_freq
    if not hasattr(BPETokenizer, "train_from_counts"):
        return _train_stand_in(corpus, settings, settings.vocab_size, min_freq, progress)
    # Wrong settings are told before anything is read.
    BPETokenizer.train([], settings.vocab_size, settings.specials, min_freq, pre_tokenizer=settings.split)
    counts = _counted(corpus, settings, progress)
    progress.stage(f"learning merges from {len(counts):,} distinct pre-tokens")
    tokenizer = BPETokenizer.train_from_counts(
        counts, settings.vocab_size, settings.specials, min_freq, pre_tokenizer=settings.split
    )
    return _trained(tokenizer, counts)


def _train_stand_in(corpus: Corpus, settings: Settings, vocab_size: int, min_freq: int, progress: Progress) -> Trained:
    """Train a student's own tokenizer: its contract asks for `train` alone, one process, GPT-2's split."""
    for option, asked in (
        (f"--split {settings.split}", settings.split != DEFAULT),
        ("--workers", corpus.workers > 1),
        ("--dask", corpus.dask is not None),
    ):
        if asked:
            raise ValueError(f"{option} needs the library's BPETokenizer, and {stand_in('bpe')} stands in for it")
    BPETokenizer.train([], vocab_size, settings.specials, min_freq)  # wrong settings are told before anything is read
    progress.stage(f"reading {corpus.files()}, and learning merges")
    return Trained(BPETokenizer.train(corpus.documents(), vocab_size, settings.specials, min_freq))


def train_unigram(corpus: Corpus, settings: Settings, progress: Progress) -> Trained:
    """Count pre-tokens, then learn tokens and their scores from the counts."""
    from tinyllm.tok.unigram import UnigramTokenizer

    if settings.vocab_size is None:
        raise ValueError("--algo unigram needs --vocab-size, such as --vocab-size 1000")
    if settings.min_freq is not None:
        raise ValueError(
            "--min-freq does not go with --algo unigram, which keeps the tokens that explain the texts best"
        )
    UnigramTokenizer.train([], settings.vocab_size, settings.specials, pre_tokenizer=settings.split)
    counts = _counted(corpus, settings, progress)
    progress.stage(f"learning tokens from {len(counts):,} distinct pre-tokens")
    return _trained(
        UnigramTokenizer.train_from_counts(
            counts, settings.vocab_size, settings.specials, pre_tokenizer=settings.split
        ),
        counts,
    )


def _counted(corpus: Corpus, settings: Settings, progress: Progress) -> Counter[str]:
    progress.stage(f"reading {corpus.files()}")
    return corpus.counted(settings.specials, settings.split)


def _trained(tokenizer: BPETokenizer | UnigramTokenizer, counts: Counter[str]) -> Trained:
    # No token goes across pre-tokens, so each distinct one needs encoding only once.
    tokens = sum(count * len(tokenizer.encode(pretoken, allowed_special="none")) for pretoken, count in counts.items())
    size = sum(count * len(pretoken.encode("utf-8")) for pretoken, count in counts.items())
    return Trained(tokenizer, size, tokens)


def train_char(corpus: Corpus, settings: Settings, progress: Progress) -> Trained:
    """Count characters. Every character is one token, known or not, so tokens can be counted on the way."""
    if settings.min_freq is not None:
        raise ValueError(
            "--min-freq does not go with --algo char, which keeps the most frequent characters by --vocab-size"
        )
    # Trained on nothing it knows the specials alone; and wrong settings are told before anything is read.
    markers = CharTokenizer.train([], settings.vocab_size, settings.specials)
    seen = {"bytes": 0, "tokens": 0}

    def counted(texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            ids = markers.encode(text)  # 0 for each character, the others are specials
            specials = [id for id in ids if id != 0]
            seen["tokens"] += len(ids) - len(specials)
            seen["bytes"] += len(text.encode("utf-8")) - len(markers.decode(specials).encode("utf-8"))
            yield text

    progress.stage(f"reading {corpus.files()}")
    return Trained(CharTokenizer.train(counted(corpus.documents()), settings.vocab_size, settings.specials), **seen)


ALGORITHMS: dict[str, Callable[[Corpus, Settings, Progress], Trained]] = {
    "bpe": train_bpe,
    "unigram": train_unigram,
    "char": train_char,
}


def _asked(algo: str, vocab_size: int | None, specials: list[str]) -> str:
    size = "all characters" if vocab_size is None else f"at most {vocab_size:,} ids"
    listed = f"; specials {' '.join(map(visible, specials))}" if specials else ""
    return f"{algo}, {size}{listed}"


def _why_fewer(algo: str) -> str:
    return "; no further pair is frequent enough" if algo == "bpe" else "; all that the texts have"


def _rate(size: int, tokens: int) -> str:
    return f"{size / tokens:.3f} on the training text" if tokens else "none: there is no text"

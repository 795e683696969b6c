"""`tok measure` and `tok curve`: what tokenizers cost on texts, and how the vocabulary size changes that."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tinyllm.tok.cli.inputs import check_split, name_of, read_text
from tinyllm.tok.cli.outputs import check_output
from tinyllm.tok.cli.progress import Progress
from tinyllm.tok.cli.standins import stand_in
from tinyllm.tok.cli.terminal import as_typed, note, visible
from tinyllm.tok.jsonfile import replacing
from tinyllm.tok.splits import CHOICES, DEFAULT, NEWER

if TYPE_CHECKING:
    from tinyllm.tok.measure import CurvePoint, Measurement

SIZES = "1000,2000,4000,8000,16000,32000"
PICTURES = (".png", ".svg", ".pdf")
STYLES = dict(zip(CHOICES, cycle((":", "--", "-", "-."))))  # one line style a split, one colour a text


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command("measure")(measure)
    app.command("curve")(curve)


def measure(
    files: Annotated[
        list[str],
        typer.Argument(metavar="TEXTFILE", show_default=False, help='Texts to measure on; "-" is standard input.'),
    ],
    tokenizer: Annotated[
        list[str] | None,
        typer.Option("--tokenizer", metavar="gpt2|smollm2|PATH", help="May be repeated.  [default: gpt2 and smollm2]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON array, one object a line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV with a header.")] = False,
) -> None:
    """Measure what tokenizers cost on texts.

    A row for each tokenizer on each TEXTFILE: bytes per token (more is cheaper), tokens per word and per character (less is
    cheaper), and the share of the vocabulary that the text used. A word is a run of characters without white space.

    \b
    Examples
      tok measure book.txt
      tok measure --tokenizer gpt2 --tokenizer mine.json --csv english.txt telugu.txt > costs.csv
    """
    from tinyllm.tok.measure import MEASUREMENT_COLUMNS, to_csv, to_json
    from tinyllm.tok.measure import measure as measured
    from tinyllm.tok.pretrained import load

    if as_json and as_csv:
        raise ValueError("--json does not go with --csv; choose one")
    tokenizers = {as_typed(name): load(name) for name in tokenizer or ["gpt2", "smollm2"]}
    texts = {as_typed(name_of(path)): [read_text(path)] for path in files}
    measurements = measured(tokenizers, texts)
    rows = [found.row() for found in measurements]
    if as_json:
        print(to_json(rows), end="")
    elif as_csv:
        print(to_csv(rows, MEASUREMENT_COLUMNS), end="")
    else:
        _print_tables(measurements)


def curve(
    files: Annotated[
        list[str], typer.Argument(metavar="TEXTFILE", show_default=False, help="Texts to train on, each by itself.")
    ],
    held_out: Annotated[
        list[str] | None,
        typer.Option(
            "--held-out", metavar="FILE", help="The text to measure on, one for each TEXTFILE, in the same order."
        ),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option("--split", metavar="|".join(CHOICES), help=f"May be repeated.  [default: {' and '.join(NEWER)}]"),
    ] = None,
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,N,...", help="Vocabulary sizes.")] = SIZES,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Draw the curves too: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Bytes per token against the vocabulary size, as CSV.

    For each TEXTFILE and split, one tokenizer is trained to the largest size and the smaller ones are read off its merges,
    which is exact. A text that runs out of pairs gets a row with the size it reached in place of the larger ones.
    Without --held-out a text is measured on itself, which flatters large vocabularies.

    --plot needs matplotlib: pip install "tinyllm-course[plot]".

    \b
    Examples
      tok curve --split gpt2 --split o200k book.txt > curve.csv
      tok curve --sizes 500,1000,2000 --held-out test.txt --plot curve.svg train.txt
    """
    from tinyllm.tok.bpe import BPETokenizer
    from tinyllm.tok.measure import CURVE_COLUMNS, to_csv
    from tinyllm.tok.measure import curve as points_of

    splits = split or list(NEWER)
    own = not hasattr(BPETokenizer, "train_from_counts")  # a student's, whose contract knows GPT-2's split alone
    for name in splits:
        check_split(name)
        if own and name != DEFAULT:
            raise ValueError(
                f"--split {name} needs the library's BPETokenizer, and {stand_in('bpe')} stands in for it; --split {DEFAULT} works"
            )
    if held_out and len(held_out) != len(files):
        raise ValueError(
            f"there are {len(files)} TEXTFILEs but {len(held_out)} --held-out FILEs; each text needs its own, or none"
        )
    wanted = _sizes(sizes)
    if plot is not None:
        check_output("--plot", plot, [*files, *(held_out or [])])
        if not plot.lower().endswith(PICTURES):
            raise ValueError(f"--plot is {visible(plot)}; its name must end in {' or '.join(PICTURES)}")
        _matplotlib()  # missing, it is better missed before the training than after
    if not held_out:
        note("measured on the texts trained on; --held-out FILE measures on text that training has not seen")
    points: list[CurvePoint] = []
    with Progress() as progress:
        for path, measured_path in zip(files, held_out or files):
            training, text = [read_text(path)], [read_text(measured_path)]
            name = as_typed(name_of(path))
            for each in splits:
                progress.stage(f"training on {visible(name)} with the split of {each}")
                split_option: dict[str, Any] = {} if own else {"pre_tokenizer": each}
                trained = BPETokenizer.train(training, wanted[-1], **split_option)
                points += points_of(trained, {name: text}, wanted, split=each)
    print(to_csv([point.row() for point in points], CURVE_COLUMNS), end="")
    if plot is not None:
        draw_curves(points, plot)


def draw_curves(
    points: Sequence[CurvePoint], path: str, title: str = "Bytes per token against vocabulary size"
) -> None:
    """Draw curve points as one picture: a colour for each text, a line style for each split. Raises ValueError or OSError.

    `path` ends in one of PICTURES; an old file is replaced whole or not at all.
    """
    pyplot = _matplotlib()
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    texts = list(dict.fromkeys(point.text for point in points))
    for text in texts:
        for split in dict.fromkeys(point.split for point in points if point.text == text):
            of_one = [point for point in points if (point.text, point.split) == (text, split)]
            label = visible(f"{text}, {split}")
            axes.plot(
                [point.vocab_size for point in of_one],
                [point.bytes_per_token for point in of_one],
                STYLES[split],
                color=f"C{texts.index(text)}",
                marker=".",
                label=f" {label}" if label.startswith("_") else label,  # matplotlib hides labels that begin with "_"
            )
    axes.set_xscale("log", base=2)
    # A size that one curve alone has is where it ran out of pairs; its label would stand in another's way.
    times = Counter(point.vocab_size for point in points)
    ticks = sorted(size for size in times if times[size] > 1) or sorted(times)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set(xlabel="vocabulary size (ids)", ylabel="bytes per token", title=title)
    axes.grid(alpha=0.3)
    for shown in axes.legend().get_texts():
        shown.set_parse_math(False)  # a "$" in the name of a file is no formula
    ending = os.path.splitext(path)[1][1:].lower()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    try:
        with replacing(path) as file:
            figure.savefig(file, format=ending, metadata=undated.get(ending))
    finally:
        pyplot.close(figure)


def _matplotlib() -> Any:
    """pyplot, drawing into files. It takes half a second to import, so only who draws pays."""
    try:
        import matplotlib
    except ImportError:
        raise ValueError(
            '--plot needs matplotlib, which is not installed: pip install "tinyllm-course[plot]"'
        ) from None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "tinyllm"  # the same points give the same file
    from matplotlib import pyplot

    return pyplot


def _sizes(listed: str) -> list[int]:
    fields = listed.split(",")
    for field in fields:
        if not (field.isascii() and field.isdigit() and len(field) < 10):
            raise ValueError(
                f"--sizes has {field!r:.60}; it must be whole numbers separated by commas, such as {SIZES}"
            )
    return sorted(map(int, fields))


COLUMNS = ("tokenizer", "tokens", "bytes_per_token", "tokens_per_word", "tokens_per_character", "vocab_used")


def _print_tables(measurements: Sequence[Measurement]) -> None:
    """A table for each text, with its size above: file names are too long for a column."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    for text in dict.fromkeys(found.text for found in measurements):
        of_text = [found for found in measurements if found.text == text]
        size = of_text[0]
        print(
            f"{visible(text)}: {size.bytes:,} bytes, {size.characters:,} characters, {size.words:,} words", flush=True
        )
        table = Table(box=box.SIMPLE)
        for name in COLUMNS:
            table.add_column(
                Text(name.replace("_", " ")), justify="left" if name == "tokenizer" else "right", overflow="fold"
            )
        for found in of_text:
            table.add_row(*(Text(_shown(name, getattr(found, name))) for name in COLUMNS))
        console.print(table)


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name == "vocab_used":
        return f"{value:.1%}"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else visible(value)

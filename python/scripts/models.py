"""Compare the library with Hugging Face on the real tokenizer.json files of other models, and write the table of a page.

    python python/scripts/models.py                  all of them; writes the table between the marks of course/formats/models.md
    python python/scripts/models.py --check          the same, but the page stays as it is
    python python/scripts/models.py --only qwen3     some of them; the page stays as it is
    python python/scripts/models.py --texts 20000    more texts than 3,000

For each file: ids (with and without the template, with and without the specials, in batches), offsets, decoded texts and the
names of tokens, on texts made here; and how long it takes to load it and to encode a first line, in turns with Hugging Face,
as the median of five. The files come from public packages (`model_files.py`), the texts from the tests' generators
(`python/tests/support`), with the file's own added tokens among them. Differences go to standard output.

Exit status: 0 no difference, 1 differences or a file that is refused, 2 a package cannot be had, or bad arguments.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from generated import ROOT
from model_files import MODELS, PackageError, path_of

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python" / "tests" / "support")]

import file_checks  # noqa: E402
import hard_texts  # noqa: E402
import random_files  # noqa: E402
import tokenizers  # noqa: E402
from comparison import Comparison, Difference, ours  # noqa: E402

from tinyllm.tok import pretrained  # noqa: E402

PAGE = ROOT / "course" / "formats" / "models.md"
BEGIN, END = "<!-- models: begin (python/scripts/models.py) -->\n", "<!-- models: end -->\n"
FIXTURES = ROOT / "course" / "fixtures"
TEXTS = 3000  # of each model, at least
ROUNDS = 5  # of loading, in turns
LINE = "The quick brown fox jumps over the lazy dog, 1234567890 times.\n"
SHOWN = 5  # differences of a model that are printed


@dataclass
class Report:
    """What came of one model."""

    name: str
    class_name: str = ""
    refusal: str = ""
    texts: int = 0
    without_offsets: int = 0
    differences: list[str] = field(default_factory=list)
    seconds: float = 0.0
    seconds_of_hf: float = 0.0

    @property
    def exact(self) -> bool:
        return not self.refusal and not self.differences


def compare(name: str, path: str, texts: int) -> Report:
    """Ours and Hugging Face's tokenizer of a file, on at least `texts` texts."""
    made = ours(lambda: pretrained.load(path))
    if made.kind != "value":
        return Report(name, refusal=made.value.removeprefix(f"{path}: "))
    report = Report(name, type(made.value).__name__)
    file = json.loads(Path(path).read_text("utf-8"))
    comparison = Comparison(made.value, tokenizers.Tokenizer.from_file(path), file_checks.unaligned(file["normalizer"]))
    for difference in differences(comparison, file, Random(f"models/{name}"), texts):
        report.differences.append(str(difference))
        if len(report.differences) == SHOWN:
            break
    report.texts, report.without_offsets = comparison.tally.texts, comparison.tally.without_offsets
    return report


def differences(comparison: Comparison, file: Mapping[str, Any], random: Random, texts: int) -> Iterator[Difference]:
    """Where the two part: on lines of the fixtures, on texts that are hard for any split, on the file's own tokens, on ids."""
    contents = [token["content"] for token in file["added_tokens"]]
    vocab = list(file["model"]["vocab"])
    made = [*fixture_lines(), *contents[:50]]
    made += [hard_texts.text(random, contents, most=12) for _ in range(max(0, texts - len(made)) // 2)]
    # Small samples of the vocabulary, each with texts of its tokens.
    while len(made) < texts:
        few = {"added_tokens": file["added_tokens"], "model": {"vocab": dict.fromkeys(random.sample(vocab, 200))}}
        made += random_files.texts(random, few, 50)
    yield from comparison.differences(made)
    for _ in range(texts // 10):
        yield from comparison.of_ids(
            [file["model"]["vocab"][random.choice(vocab)] for _ in range(random.randint(1, 12))]
        )
    yield from comparison.of_tokens(most=2000)


def fixture_lines() -> list[str]:
    """The texts of the oracles: 300 hard strings for each of the bundled models."""
    lines = (
        line for name in pretrained.NAMES for line in (FIXTURES / name / "oracle.jsonl").read_text("ascii").splitlines()
    )
    return list(dict.fromkeys(json.loads(line)["text"] for line in lines))


# Time to load


def load_times(path: str) -> tuple[float, float]:
    """Seconds to load the file and encode a first line, (ours, Hugging Face's): medians of rounds in turns, nothing else running."""
    ways: tuple[Callable[[], Any], ...] = (
        lambda: pretrained.load(path).encode(LINE),
        lambda: tokenizers.Tokenizer.from_file(path).encode(LINE),
    )
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for way, took in zip(ways, seconds):
            started = time.perf_counter()
            way()
            took.append(time.perf_counter() - started)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


# The table


def table(reports: Sequence[Report], texts: int) -> str:
    """The table as Markdown, with when and where it was measured."""
    lines = [
        f"As `make models` printed it on {datetime.date.today().isoformat()} ({os.cpu_count()} cores, {platform.system()}, Python",
        f"{platform.python_version()}, Hugging Face {tokenizers.__version__}), on at least {texts:,} texts each.",
        "",
        "| model | package | class | texts | differences | offsets | load: ours | Hugging Face | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    packages = {model.name: model.package for model in MODELS}
    for report in reports:
        cells = [report.name, f"`{packages[report.name]}`"]
        if report.refusal:
            first = report.refusal.splitlines()
            cells += [f"refused: {escaped(' '.join(map(str.strip, first)))}", "", "", "", "", "", ""]
        else:
            many = f"{len(report.differences)}" + ("+" if len(report.differences) == SHOWN else "")
            offsets = (
                f"refused {report.without_offsets:,}" if report.without_offsets else "equal" if report.exact else ""
            )
            ratio = report.seconds / report.seconds_of_hf
            times = [f"{report.seconds:.2f} s", f"{report.seconds_of_hf:.2f} s", f"{ratio:.2f} ×"]
            cells += [f"`{report.class_name}`", f"{report.texts:,}", many, offsets, *times]
        lines.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(lines) + "\n"


def escaped(text: str, most: int = 300) -> str:
    """A refusal as a cell shows it: no bar that ends the cell, no more than a reader looks at."""
    shown = text if len(text) <= most else text[:most] + " ..."
    return shown.replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


def with_table(text: str, lines: str) -> str:
    """The page with `lines` between the two marks."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{PAGE.name} must hold each of the two marks of the table once")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{lines}{END}{rest.partition(END)[2]}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--texts", type=int, default=TEXTS, help=f"texts for each model (default: {TEXTS})")
    parser.add_argument(
        "--only", nargs="+", choices=[model.name for model in MODELS], help="these models; no page is written"
    )
    parser.add_argument("--check", action="store_true", help="compare, and leave the page as it is")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    options = parser.parse_args(arguments)
    models = [model for model in MODELS if options.only is None or model.name in options.only]
    try:
        paths = {model.name: str(path_of(model)) for model in models}
    except (PackageError, OSError) as error:
        print(f"models: {error}", file=sys.stderr)
        return 2
    reports = []
    with ProcessPoolExecutor(options.workers) as pool:
        results = [pool.submit(compare, name, path, options.texts) for name, path in paths.items()]
        for result in results:
            reports.append(result.result())
            show(reports[-1])
    for report in reports:  # when no worker is busy
        if not report.refusal:
            report.seconds, report.seconds_of_hf = load_times(paths[report.name])
    made = table(reports, options.texts)
    print(made)
    if options.only is None and not options.check:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), made), "utf-8")
    exact = sum(report.exact for report in reports)
    print(f"{exact} of {len(reports)} models exact")
    return 0 if exact == len(reports) else 1


def show(report: Report) -> None:
    """One model's outcome in a line, its differences below."""
    outcome = "refused" if report.refusal else f"{len(report.differences)} differences on {report.texts:,} texts"
    print(f"{report.name:<16} {report.class_name or '-':<14} {outcome}", flush=True)
    for line in [*report.refusal.splitlines(), *report.differences]:
        print(f"  {line[:2000]}")


if __name__ == "__main__":
    sys.exit(main())

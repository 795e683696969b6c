"""Write the README's table of speeds from the last run of `make bench` that was kept, python/bench/results.json.

    python python/scripts/readme_speed.py            put the table between the README's two marks
    python python/scripts/readme_speed.py --check    exit status 1 if another one stands there

The numbers are the benchmark's own rows, rounded to two digits; none is computed here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from generated import ROOT, write_or_compare

README = ROOT / "README.md"
RESULTS = ROOT / "python" / "bench" / "results.json"
BEGIN, END = "<!-- speed: begin (python/scripts/readme_speed.py) -->\n", "<!-- speed: end -->\n"

# What is shown: our name for it, and the benchmark's rows (group, title) against tiktoken, Hugging Face's library and rustbpe.
Cell = tuple[str, str] | None
WORK: list[tuple[str, Cell, Cell, Cell]] = [
    (
        "speed: encode 10 MB English, first time",
        ("english", "encode 10 MB English, cold, against tiktoken"),
        ("english", "... cold, against HF"),
        None,
    ),
    ("... with its caches warm", ("english", "... warm, against tiktoken"), None, None),
    (
        "... 10 MB Python code, first time",
        ("code", "encode 10 MB Python code, cold, against tiktoken"),
        ("code", "... cold, against HF"),
        None,
    ),
    (
        "... 5 MB in many scripts, first time",
        ("scripts", "encode 5 MB in many scripts, cold, against tiktoken"),
        ("scripts", "... cold, against HF"),
        None,
    ),
    (
        "speed: decode 10 MB English",
        ("decode", "decode 10 MB English, against tiktoken"),
        ("decode", "... against HF"),
        None,
    ),
    (
        "time: train 10 MB, 4,096 ids",
        None,
        ("train", "train 10 MB, 4,096 ids, two processes: time against HF"),
        ("train", "... two processes: time against rustbpe"),
    ),
    (
        "... 100 MB, 32,768 ids",
        None,
        ("train-large", "train 100 MB, 32,768 ids, two processes: time against HF"),
        ("train-large", "... two processes: time against rustbpe"),
    ),
    (
        "memory: the same",
        None,
        ("train-large", "... two processes: peak memory against HF"),
        ("train-large", "... two processes: peak memory against rustbpe"),
    ),
    ("time: load GPT-2's tokenizer.json", None, ("load", "load GPT-2's tokenizer.json: time against HF"), None),
]
PEERS = {"tokenizers": "Hugging Face", "tiktoken": "tiktoken", "rustbpe": "rustbpe"}


def main(arguments: list[str]) -> int:
    text = README.read_text("utf-8")
    new = with_table(text, table(json.loads(RESULTS.read_text("utf-8"))))
    return write_or_compare({README: new}, "--check" in arguments)


def with_table(text: str, lines: str) -> str:
    """The text with `lines` between the two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit("README.md must hold each of the two marks of the table of speeds once")
    return f"{before}{BEGIN}{lines}{END}{after}"


def table(report: Mapping[str, Any]) -> str:
    """The table, and under which conditions it was measured."""
    values = {(row["group"], row["row"]): row["value"] for row in report["rows"]}
    if report["quick"]:
        raise SystemExit("a quick run is not for comparing: run `make bench` in full")
    missing = {cell for _, *cells in WORK for cell in cells if cell is not None} - values.keys()
    if missing:
        raise SystemExit(f"the run has no rows {sorted(missing)}: run `make bench` in full")
    names = [f"{PEERS[package]} {number}" for package, number in report["versions"].items() if package in PEERS]
    lines = [
        f"Ours as a multiple of theirs, as `make bench` printed it on {report['date']} ({report['machine']}, Python",
        f"{report['python']}, {', '.join(names)}; training in two processes). More speed is better, less time and memory.",
        "",
        "| | tiktoken | Hugging Face | rustbpe |",
        "|---|---|---|---|",
    ]
    for title, *cells in WORK:
        shown = ["" if cell is None else multiple(values[cell]) for cell in cells]
        lines.append("|" + "|".join(f" {text} " if text else " " for text in (title, *shown)) + "|")
    return "\n".join(lines) + "\n"


def multiple(value: float | None) -> str:
    """12.34 as "12 ×"; a row that was not measured as "–"."""
    return "–" if value is None else f"{value:.2g} ×" if value < 100 else f"{value:.0f} ×"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

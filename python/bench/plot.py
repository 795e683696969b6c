"""The benchmark as a picture: each ratio beside its goal, and how cost grows with size."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

SIZES = (1, 10, 100)


def plot(report: Mapping[str, Any], path: Path) -> None:
    """Write the picture of a report (what bench.json holds) to `path`."""
    rows = [row for row in report["rows"] if row["value"] is not None and row["must"] is not None]
    grown = any(name.startswith("growth") for name in report["medians"])
    if not rows and not grown:
        return
    figure = Figure(figsize=(11 + 6 * grown, 2 + 0.35 * len(rows)), layout="constrained")
    axes = figure.subplots(1, 1 + grown, squeeze=False)
    _goals(axes[0][0], rows)
    if grown:
        _growth(axes[0][1], report["medians"])
    figure.suptitle(
        f"tinyllm beside its peers: {report['date']}, {report['machine']}, Python {report['python']}", fontsize=10
    )
    figure.savefig(path, dpi=110)


def _goals(axes: Any, rows: list[Any]) -> None:
    """How far each row is beyond its goal: right of 1 it holds, whichever way the goal counts."""
    beyond = [row["value"] / row["must"] if row["kind"] == "speed" else row["must"] / row["value"] for row in rows]
    axes.barh(
        [f"{i + 1}  {row['row']}" for i, row in enumerate(rows)],
        beyond,
        color=["#3a7d44" if x >= 1 else "#b5432f" for x in beyond],
    )
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.invert_yaxis()
    axes.set_xlabel("measured / must reach (right of the line: reached)")
    for i, (row, x) in enumerate(zip(rows, beyond)):
        axes.text(x, i, f" {row['value']:.2g}{' s' if row['kind'] == 'seconds' else ' x'}", va="center", fontsize=8)


def _growth(axes: Any, medians: Mapping[str, Mapping[str, float]]) -> None:
    for what, field, style, peers in (
        ("", "cold", "-", ("tinyllm", "tiktoken")),
        ("train ", "seconds", "--", ("tinyllm", "hf", "rustbpe")),
    ):
        for peer in peers:
            points = [(size, medians.get(f"growth {size} {what}{peer}", {}).get(field)) for size in SIZES]
            known = [(size, seconds) for size, seconds in points if seconds is not None]
            if known:
                axes.plot(*zip(*known), style, marker="o", label=f"{'train' if what else 'encode'}, {peer}")
    axes.set(xscale="log", yscale="log", xlabel="MB of text", ylabel="seconds", title="how cost grows with size")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend(fontsize=8)

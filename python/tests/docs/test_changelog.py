"""The change log's newest entry says how the course is now, so that no change of it goes without an entry."""

from __future__ import annotations

import re
from datetime import date
from importlib.metadata import version
from pathlib import Path

from ol.catalog import Course, Module
from ol.grade import load_mutants

ROOT = Path(__file__).resolve().parents[3]
CHANGELOG = (ROOT / "course" / "CHANGELOG.md").read_text("utf-8")
COURSE = Course.load(ROOT / "course")


def state(module: Module) -> str:
    """A module's row of the table."""
    contracts = ", ".join(Path(contract).stem for contract in module.contracts)
    mutants = [mutant.id for mutant in load_mutants(COURSE, module)] if module.mutants else []
    shown = f"{len(mutants)} ({min(mutants)} to {max(mutants)})" if mutants else ""
    threshold = f"{module.threshold:.2f}" if mutants else ""
    cells = (module.id, contracts, str(len(module.test)), shown, threshold)
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def test_the_newest_entry_has_the_state_of_today() -> None:
    newest = re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1]
    rows = [line for line in newest.splitlines() if line.startswith("|")][2:]
    assert rows == [state(module) for module in COURSE.modules.values() if not module.later]


def test_entries_have_a_date_and_a_version_the_newest_first() -> None:
    titles = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    entries = [re.fullmatch(r"(\d{4}-\d\d-\d\d), version (\d+\.\d+\.\d+)", title) for title in titles]
    assert all(entries), titles
    dates = [date.fromisoformat(entry[1]) for entry in entries if entry]
    assert dates == sorted(dates, reverse=True)
    assert entries[0] and entries[0][2] == version("tinyllm-course")

"""Make course/notebooks/L1.2.ipynb from its source L1.2.py: convert, run, keep the outputs.

    python python/scripts/make_notebook.py           write it
    python python/scripts/make_notebook.py --check   compare and write nothing; exit status 1 if it is stale

The notebook holds nothing of the machine it was run on: no Python version, no times, no ids of cells that change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "course" / "notebooks" / "L1.2.py"
NOTEBOOK = SOURCE.with_suffix(".ipynb")


def made() -> str:
    """The notebook that the source gives, run, as the text of its file."""
    notebook: Any = jupytext.read(SOURCE)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # else a random one
    NotebookClient(
        notebook, timeout=120, coalesce_streams=True, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(notebook)
    return nbformat.writes(notebook, indent=1) + "\n"


def main() -> int:
    text = made()
    if sys.argv[1:] == ["--check"]:
        fresh = NOTEBOOK.is_file() and NOTEBOOK.read_text("utf-8") == text
        print(
            f"{NOTEBOOK.relative_to(ROOT)} is {'up to date' if fresh else 'stale: run python/scripts/make_notebook.py'}"
        )
        return 0 if fresh else 1
    NOTEBOOK.write_text(text, "utf-8")
    print(f"wrote {NOTEBOOK.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Make course/notebooks/L1.2.ipynb from its source L1.2.py: convert, run, keep the outputs.

    python python/scripts/make_notebook.py           write it
    python python/scripts/make_notebook.py --check   compare with the file on disk, write nothing

The notebook holds nothing of the machine it was run on: no Python version, no times, no ids of cells that change.

Exit status: 0 as promised, 1 the file differs (--check).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import jupytext
import nbformat
from generated import ROOT, write_or_compare
from nbclient import NotebookClient

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


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the file on disk, write nothing")
    options = parser.parse_args(arguments)
    return write_or_compare({NOTEBOOK: made()}, options.check)


if __name__ == "__main__":
    sys.exit(main())

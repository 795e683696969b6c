"""The notebook: made from its source, run anew, and its stored outputs are what comes out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("jupytext")
pytest.importorskip("ipykernel")

PYTHON = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> Any:
    sys.path.insert(0, str(PYTHON / "scripts"))
    try:
        import make_notebook
    finally:
        sys.path.pop(0)
    return make_notebook


@pytest.fixture(scope="module")
def made(script: Any) -> str:
    """The notebook as its source gives it today, run by a kernel that imports this checkout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(PYTHON))
        text: str = script.made()
    return text


def test_the_notebook_is_what_its_source_gives_when_it_is_run(script: Any, made: str) -> None:
    assert script.NOTEBOOK.read_text("utf-8") == made, "stale: run python/scripts/make_notebook.py"


def test_no_output_is_an_error_or_a_replacement_character(made: str) -> None:
    outputs = [output for cell in json.loads(made)["cells"] for output in cell.get("outputs", [])]
    assert len(outputs) == 9
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    assert "\ufffd" not in made


def test_it_shows_views_as_html(made: str) -> None:
    assert made.count('"text/html"') == 3

"""The judge shares no code with the judged, and what is copied into a stage stands on its own."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

OL = Path(__file__).resolve().parents[2] / "ol"
CHECKOUT = OL.parent.parent


def imported(path: Path) -> list[str]:
    """The absolute names that a file imports, anywhere in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.append(node.module)
    return names


def test_ol_imports_nothing_from_tinyllm() -> None:
    assert [
        (path.name, name) for path in OL.rglob("*.py") for name in imported(path) if name.startswith("tinyllm")
    ] == []


def test_what_is_copied_into_a_stage_needs_the_standard_library_and_pytest_only() -> None:
    roots = {name.partition(".")[0] for path in (OL / "child").glob("*.py") for name in imported(path)}
    assert roots - set(sys.stdlib_module_names) == {"pytest", "_pytest"}


@pytest.mark.slow
def test_in_the_checkout_the_reference_passes_and_the_model_suite_kills_every_mutant() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "ol.cli", "check", "L1.2", "--json"],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(OL.parent)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '"verdict": "passed"' in ended.stdout
    assert '"survivors": [],\n    "timeouts": []' in ended.stdout

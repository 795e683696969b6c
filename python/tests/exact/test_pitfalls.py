"""The table of pitfalls names tests that exist."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split(" | ")]
    for line in Path(__file__).with_name("PITFALLS.md").read_text("utf-8").split("\n")
    if line.startswith("| ") and not line.startswith("| mistake ")
]


def test_every_row_names_a_test_or_a_reason() -> None:
    assert len(ROWS) == 73
    for mistake, seen, held in ROWS:
        assert mistake and re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", seen), mistake
        assert "::test_" in held, mistake


def test_every_test_that_is_named_exists() -> None:
    for _, _, held in ROWS:
        for file, name in re.findall(r"`([\w/-]+\.py)::(\w+)`", held):
            tree = ast.parse((TESTS / file).read_text("utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{name}"

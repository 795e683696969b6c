"""A program in another text: it means the same, stands on the same lines, and is never the same twice."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ol.disguise import UNUSED, disguised

ROOT = Path(__file__).resolve().parents[3]
FILES = [
    *(ROOT / "course" / "reference").rglob("*.py"),
    *(ROOT / "course" / "wheats").rglob("*.py"),
    *(ROOT / "python" / "tinyllm" / "tok").glob("*.py"),
    *(ROOT / "python" / "ol").glob("*.py"),
]
HARD = r'''
"""A docstring with # and ; in it."""
def f(a, *rest, b=1, **named): return a if a else {**named}; pass;
async def g():  # a comment
    """Doc."""
    s = f"{'a'!r:>{10}} = {1:,} \
 (+)"; t = "# no comment; = 1"
    x: int = a[1:, ::-1] \
        + 2
    if x: return -x
    else: yield x
    def h(): return locals()
    class C:
        y = 1
    return """two
    lines = 2"""
u = "\u2028   \x0c"
'''


class Without(ast.NodeTransformer):
    """Takes the added assignments out."""

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        target = node.targets[0]
        return None if isinstance(target, ast.Name) and target.id.startswith(UNUSED) else node


@pytest.mark.parametrize("file", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_program_in_another_text_means_the_same(file: Path) -> None:
    source = file.read_bytes()
    changed = disguised(source)
    assert ast.dump(Without().visit(ast.parse(changed))) == ast.dump(ast.parse(source))
    assert changed.count(b"\n") == source.count(b"\n")
    assert changed != source and disguised(source) != changed


def test_hard_places_of_the_grammar_mean_the_same() -> None:
    for _ in range(50):
        changed = disguised(HARD.encode())
        assert changed != HARD.encode()
        assert ast.dump(Without().visit(ast.parse(changed))) == ast.dump(ast.parse(HARD))
        assert UNUSED not in changed.decode().partition("class C:")[2].partition("return")[0]


def test_its_bytecode_differs_too() -> None:
    source = b"def f(a):\n    b = a\n    c = b\n    d = c\n    e = d\n    return e\n"

    def code(text: bytes) -> bytes:
        names: dict = {}
        exec(compile(text, "f", "exec"), names)
        return names["f"].__code__.co_code

    assert len({code(disguised(source)) for _ in range(40)}) > 1


@pytest.mark.parametrize("text", [b"def f(:\n", b"\xff\xfe", b"'''", b""], ids=repr)
def test_what_is_no_python_stays_as_it_is(text: bytes) -> None:
    assert disguised(text) == text

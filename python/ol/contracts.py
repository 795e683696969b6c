"""Stubs: what `ol start` gives a student, made from a contract's required part and never stored.

A stub is the contract's own text with each empty body replaced by `raise NotImplementedError`, so that signatures, docstrings
and comments stay as they were written.
"""

from __future__ import annotations

import ast
import sys

from .child.contract import required_part

# What Python 3.10 does not have.
_NEW_IN_TYPING = frozenset("Self Never LiteralString override assert_never Unpack NotRequired Required".split())


def stub(contract: str) -> str:
    """The stub of a contract: valid Python 3.10, importable, every function raises NotImplementedError."""
    text = required_part(contract)
    tree = ast.parse(text)
    lines = text.splitlines()
    for node in sorted(_functions(tree), key=lambda node: node.lineno, reverse=True):
        _fill(node, lines)
    # The header last: it stands above all functions, whose line numbers had to stay right until here.
    start, end = _header(tree)
    lines[start:end] = _imports(tree)
    return _tidied(lines)


def is_stub(source: bytes, contract: str) -> bool:
    """Is this source still the contract's stub: the same syntax tree, docstrings aside?"""
    try:
        return _skeleton(ast.parse(source)) == _skeleton(ast.parse(stub(contract)))
    except (SyntaxError, ValueError):
        return False


def unwritten(source: bytes) -> list[str]:
    """Names of the test functions whose body is still nothing but `raise NotImplementedError`."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and _is_unwritten(node)]


def _is_unwritten(node: ast.FunctionDef) -> bool:
    body = [statement for statement in node.body if not _is_text(statement)]
    return len(body) == 1 and isinstance(body[0], ast.Raise) and "NotImplementedError" in ast.dump(body[0])


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _fill(node: ast.FunctionDef, lines: list[str]) -> None:
    """Give the function its body, in `lines`: after its docstring, or after the colon if it has none."""
    last = node.body[-1]
    assert last.end_lineno is not None
    indent = " " * (node.col_offset + 4)
    if _is_text(node.body[0]) and isinstance(node.body[0], ast.Expr):
        text_end = node.body[0].end_lineno or node.lineno
        lines[text_end : last.end_lineno] = [indent + "raise NotImplementedError"]
        return
    row = last.lineno - 1
    before, after = lines[row][: last.col_offset].rstrip(), lines[row][last.end_col_offset :].rstrip()
    lines[row : last.end_lineno] = [
        line for line in (before + after, indent + "raise NotImplementedError") if line.strip()
    ]


def _header(tree: ast.Module) -> tuple[int, int]:
    """The lines from the end of the docstring to the end of the last import."""
    start = (tree.body[0].end_lineno or 0) if tree.body and _is_text(tree.body[0]) else 0
    ends = [node.end_lineno or 0 for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return start, max([start, *ends])


def _imports(tree: ast.Module) -> list[str]:
    """The imports that the required part uses, the course's own last; those that Python 3.10 lacks only for annotations."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    plain: list[str] = []
    names: dict[str, set[str]] = {}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            wanted = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in used]
            if isinstance(node, ast.Import):
                plain += [f"import {ast.unparse(alias)}" for alias in wanted]
            elif node.module is not None:
                names.setdefault(node.module, set()).update(ast.unparse(alias) for alias in wanted)
    typing = names.get("typing", set())
    new = sorted(typing & _NEW_IN_TYPING)
    if new:
        names["typing"] = typing - _NEW_IN_TYPING | {"TYPE_CHECKING"}
    froms = {
        module: f"from {module} import {', '.join(sorted(some))}" for module, some in sorted(names.items()) if some
    }
    own = [line for module, line in froms.items() if module.partition(".")[0] not in sys.stdlib_module_names]
    standard = sorted(plain) + [line for line in froms.values() if line not in own]
    blocks = [["from __future__ import annotations"], standard, own]
    if new:
        blocks.append(["if TYPE_CHECKING:", f"    from typing import {', '.join(new)}"])
    return [line for block in blocks if block for line in ("", *block)]


def _tidied(lines: list[str]) -> str:
    """Two blank lines before a class or function, one before a method, as usual in Python and unusual in contracts."""
    tidied: list[str] = []
    decorated = False
    for line in lines:
        code = line.strip()
        starts = code.startswith(("def ", "class ", "@"))
        if starts and not decorated and tidied:
            opens_block = tidied[-1].rstrip().endswith(":") or tidied[-1].lstrip().startswith("#")
            wanted = 0 if opens_block else 2 if not line.startswith(" ") else 1
            while tidied and not tidied[-1].strip() and wanted:
                tidied.pop()
            tidied += [""] * wanted
        decorated = code.startswith("@") if starts else False
        tidied.append(line.rstrip())
    while tidied and not tidied[-1]:
        tidied.pop()
    return "\n".join(tidied) + "\n"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _skeleton(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and _is_text(node.body[0]):
            node.body = node.body[1:]
    return ast.dump(tree)

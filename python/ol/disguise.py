"""A program in another text: what it does and its line numbers stay, nothing else that a test could tell it by.

A suite of tests that looks at the source, the size or the bytecode of what it tests, and not at what that does, could
tell the reference from its mutants. So each time a program is laid out for a suite that is graded, there are other spaces
between its tokens, its lines end in other comments, and its functions assign to names that nobody uses.
It is no security: a test that parses the source and looks for one expression still finds it.
"""

from __future__ import annotations

import ast
import io
import secrets
import tokenize
from collections import defaultdict
from collections.abc import Iterator

UNUSED = "_unused_"  # how the names begin
_SPACED = frozenset("+-*/%=<>()[]{},:&|^~")  # operators that may have any number of spaces behind them
_LOOK_AT_NAMES = frozenset(
    {"locals", "vars", "dir", "eval", "exec"}
)  # a function with one of them gets no further name
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Match)
_ASYNC = (ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef)


def disguised(source: bytes) -> bytes:
    """`source` (Python in UTF-8) in another text each time; what cannot be read as Python comes back as it is."""
    try:
        text = source.decode("utf-8")
        insertions = _insertions(text, ast.parse(text))
        lines = text.split("\n")
        for (row, column), inserted in sorted(insertions.items(), reverse=True):
            line = lines[row - 1]
            lines[row - 1] = line[:column] + inserted + line[column:]
        changed = "\n".join(lines)
        ast.parse(changed)
        return changed.encode()
    except (SyntaxError, ValueError, IndexError, RecursionError, tokenize.TokenError):
        return source


def _insertions(text: str, tree: ast.Module) -> dict[tuple[int, int], str]:
    """What to insert: (row from 1, column) -> text."""
    found: defaultdict[tuple[int, int], str] = defaultdict(str)
    ends = {*_ends_of_statements(tree, False)}
    before = None  # the token before this one that is no comment
    quoted = 0  # inside an f-string, where a space may be text
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        quoted += tokenize.tok_name[token.type].endswith("STRING_START")
        quoted -= tokenize.tok_name[token.type].endswith("STRING_END")
        if token.type == tokenize.OP and token.string in _SPACED and not quoted:
            found[token.end] += " " * secrets.randbelow(3)
        elif token.type == tokenize.NEWLINE and token.string and before is not None:
            if before.end[0] in ends and before.string != ";" and secrets.randbelow(3) == 0:
                found[before.end] += f"; {UNUSED}{secrets.token_hex(4)} = {secrets.randbelow(1 << 30)}"
            found[token.start] += f"  # {secrets.token_hex(1 + secrets.randbelow(8))}"
        if token.type != tokenize.COMMENT:
            before = token
    return found


def _ends_of_statements(node: ast.AST, in_function: bool) -> Iterator[int]:
    """The last row of each simple statement inside a function."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        in_function = not _LOOK_AT_NAMES & {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    elif isinstance(node, ast.ClassDef):
        in_function = False  # a name there would be an attribute
    elif in_function and isinstance(node, ast.stmt) and not isinstance(node, (*_COMPOUND, *_ASYNC)):
        yield node.end_lineno or 0
    for child in ast.iter_child_nodes(node):
        yield from _ends_of_statements(child, in_function)

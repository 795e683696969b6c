"""Comparisons that an object which equals everything cannot pass.

The course tests say `assert encode("aaa") == [1, 0]`. A value whose class claims to equal anything would pass them all. So
in course tests every operand of a comparison is probed first: one that equals a fresh, unknown object is a liar. The
probe goes in after pytest has rewritten the assertions, so that tests read, and their failures are explained, as usual.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

_NAME = "@ol_honest"  # no name that source text could have
_PLAIN = frozenset({int, str, bool, bytes, float, type(None), complex, bytearray, range})
_CONTAINERS = (list, tuple, set, frozenset)
_UNTOUCHED = (ast.Is, ast.IsNot)


def honest(value: Any) -> Any:
    """`value` itself. Raises AssertionError if it, or an object inside it, equals or contains everything."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, dict):
        for key, item in dict.items(value):
            honest(key)
            honest(item)
    elif isinstance(value, _CONTAINERS):
        for item in _items(value):
            if type(item) not in _PLAIN:
                honest(item)
    if kind not in _CONTAINERS and kind is not dict and _lies(value):
        raise AssertionError(
            f"a {kind.__name__} came back that claims to equal everything: return plain values (int, str, list ...), "
            "not objects with an == of their own"
        )
    return value


def compare_honestly(tree: ast.Module) -> None:
    """Probe both sides of every comparison in `tree`, in place."""
    setattr(builtins, _NAME, honest)
    _Probe().visit(tree)


class _Probe(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        self.generic_visit(node)
        if not all(isinstance(operator, _UNTOUCHED) for operator in node.ops):
            node.left = self._probed(node.left)
            node.comparators = [self._probed(operand) for operand in node.comparators]
        return node

    def _probed(self, operand: ast.expr) -> ast.expr:
        if isinstance(operand, ast.Constant):
            return operand
        name = ast.copy_location(ast.Name(_NAME, ast.Load()), operand)
        return ast.copy_location(ast.Call(name, [operand], []), operand)


def _items(value: Any) -> Any:
    kind: Any = next(kind for kind in _CONTAINERS if isinstance(value, kind))
    return kind.__iter__(value)  # not a subclass's own, which may lie too


def _lies(value: Any) -> bool:
    stranger = object()
    try:
        if value == stranger:
            return True
        # Only where the class answers `in` itself: the fallback would use up an iterator.
        return hasattr(type(value), "__contains__") and stranger in value
    except Exception:  # no == for strangers, or none that gives a truth value: that is honest
        return False

"""Comparisons that an object which equals everything cannot pass.

The course tests say `assert encode("aaa") == [1, 0]`. A value whose class claims to equal anything would pass them all. So
in course tests every operand of a comparison is probed first: one that equals a fresh, unknown object is a liar. The
probe goes in after pytest has rewritten the assertions, so that tests read, and their failures are explained, as usual.

Two paths are fast, since a vocabulary has 50,000 entries and a test may ask hundreds of times whether a token is in it. A
container of plain values alone is known by the set of their types. And `token in vocabulary` compares the token with no key
but those of its hash, so that only the key it was found equal to is probed. (To remember that a container was honest would
be wrong: the next call of the student's code may change it.)
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

_NAME, _HOLDS = "@ol_honest", "@ol_holds"  # no names that source text could have
_PLAIN = frozenset({int, str, bool, bytes, float, type(None), complex, bytearray, range})
_CONTAINERS = (list, tuple, set, frozenset)
_BY_HASH = frozenset({dict, set, frozenset})
_UNTOUCHED = (ast.Is, ast.IsNot)


def honest(value: Any) -> Any:
    """`value` itself. Raises AssertionError if it, or an object inside it, equals or contains everything."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, dict):
        _honest_items(dict.keys(value))
        _honest_items(dict.values(value))
    elif isinstance(value, _CONTAINERS):
        _honest_items(_items(value))
    if kind not in _CONTAINERS and kind is not dict and _lies(value):
        raise AssertionError(
            f"a {kind.__name__} came back that claims to equal everything: return plain values (int, str, list ...), "
            "not objects with an == of their own"
        )
    return value


def holds(item: Any, container: Any) -> bool:
    """`item in container`, where neither side may lie. Raises AssertionError as `honest` does."""
    if type(container) in _BY_HASH and type(item) in _PLAIN:
        probe, found = _Probe(item), item in container
        # The slow way is for a key that answers for itself: one that equals everything never lets the probe be asked, and
        # one with an == of its own may know the item and not the probe.
        if (probe in container) == found and probe.equal == found and all(type(key) in _PLAIN for key in probe.met):
            return found
    return honest(item) in honest(container)


def compare_honestly(tree: ast.Module) -> None:
    """Probe both sides of every comparison in `tree`, in place."""
    setattr(builtins, _NAME, honest)
    setattr(builtins, _HOLDS, holds)
    _Comparisons().visit(tree)


class _Probe:
    """Stands for a plain value in a look-up by hash, and keeps the keys that it was compared with."""

    def __init__(self, item: Any) -> None:
        self.item, self.met, self.equal = item, [], False

    def __hash__(self) -> int:
        return hash(self.item)

    def __eq__(self, key: object) -> bool:
        self.met.append(key)
        self.equal = self.item == key
        return self.equal


class _Comparisons(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._membership(node)
        if not all(isinstance(operator, _UNTOUCHED) for operator in node.ops):
            node.left = self._probed(node.left)
            node.comparators = [self._probed(operand) for operand in node.comparators]
        return node

    def _membership(self, node: ast.Compare) -> ast.expr:
        call: ast.expr = ast.Call(ast.Name(_HOLDS, ast.Load()), [node.left, node.comparators[0]], [])
        if isinstance(node.ops[0], ast.NotIn):
            call = ast.UnaryOp(ast.Not(), call)
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def _probed(self, operand: ast.expr) -> ast.expr:
        if isinstance(operand, ast.Constant):
            return operand
        name = ast.copy_location(ast.Name(_NAME, ast.Load()), operand)
        return ast.copy_location(ast.Call(name, [operand], []), operand)


def _honest_items(items: Any) -> None:
    if not set(map(type, items)) <= _PLAIN:
        for item in items:
            honest(item)


def _items(value: Any) -> Any:
    kind: Any = next(kind for kind in _CONTAINERS if isinstance(value, kind))
    return list(kind.__iter__(value))  # not a subclass's own, which may lie too


def _lies(value: Any) -> bool:
    stranger = object()
    try:
        if value == stranger:
            return True
        # Only where the class answers `in` itself: the fallback would use up an iterator.
        return hasattr(type(value), "__contains__") and stranger in value
    except Exception:  # no == for strangers, or none that gives a truth value: that is honest
        return False

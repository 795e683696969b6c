"""Two values that should be equal, cut to what lies around their first difference."""

from __future__ import annotations

from typing import Any

from .failure import class_name, plain_text

_BEFORE, _AFTER = 4, 4  # items shown before and after the first difference
_TEXT = 28  # characters (or bytes) likewise
_LONGEST = 400


def describe(got: Any, expected: Any) -> dict[str, Any]:
    """{"expected": text, "got": text, "where": sentence, "column": column of the first difference, or None}."""
    if type(got) is not type(expected) and not (isinstance(got, (int, float)) and isinstance(expected, (int, float))):
        where = f"got a {class_name(got)}, expected a {class_name(expected)}"
        return {"expected": _short(expected), "got": _short(got), "where": where, "column": None}
    if isinstance(got, (str, bytes)):
        return _texts(got, expected)
    if isinstance(got, (list, tuple)):
        return _sequences(got, expected)
    if isinstance(got, dict):
        return _mappings(got, expected)
    if isinstance(got, (set, frozenset)):
        missing, extra = expected - got, got - expected
        where = "; ".join(
            f"{name}: {_short(some)}" for name, some in (("missing", missing), ("too many", extra)) if some
        )
        return {"expected": _short(expected), "got": _short(got), "where": where, "column": None}
    return {"expected": _short(expected), "got": _short(got), "where": "", "column": None}


def _first(got: Any, expected: Any) -> int:
    for index, (one, other) in enumerate(zip(got, expected)):
        if one != other:
            return index
    return min(len(got), len(expected))


def _sequences(got: Any, expected: Any) -> dict[str, Any]:
    at = _first(got, expected)
    start = max(0, at - _BEFORE)
    opening, closing = "()" if isinstance(got, tuple) else "[]"
    before = opening + ("..., " if start else "") + "".join(f"{_short(item, 60)}, " for item in expected[start:at])

    def around(values: Any) -> str:
        shown = ", ".join(_short(item, 60) for item in values[at : at + _AFTER])
        cut = len(values) > at + _AFTER
        text = before + shown + (", ..." if cut else "")
        return (
            (text if shown or cut else text.removesuffix(", "))
            + closing
            + (f"   ({len(values)} items)" if len(values) > 8 else "")
        )

    where = f"first difference at item {at}"
    if at == min(len(got), len(expected)):
        where += f": got {len(got)} items, expected {len(expected)}"
    return {"expected": around(expected), "got": around(got), "where": where, "column": len(before)}


def _texts(got: Any, expected: Any) -> dict[str, Any]:
    at = _first(got, expected)
    start = max(0, at - _TEXT)
    before = ("..." if start else "") + _quoted(got[start:at], closed=False)

    def around(text: Any) -> str:
        rest = _quoted(text[at : at + _TEXT])
        rest = rest[rest.index("'") + 1 :]
        return before + rest + ("..." if len(text) > at + _TEXT else "")

    unit = "byte" if isinstance(got, bytes) else "character"
    where = f"first difference at {unit} {at}"
    if at == min(len(got), len(expected)):
        where += f": got {len(got)} {unit}s, expected {len(expected)}"
    return {"expected": around(expected), "got": around(got), "where": where, "column": len(before)}


def _quoted(text: Any, closed: bool = True) -> str:
    """repr() that always uses single quotes, so that two texts can be compared column by column."""
    mark = b'"' if isinstance(text, bytes) else '"'
    shown = repr(mark + text).replace('"', "", 1)
    return shown if closed else shown[:-1]


def _mappings(got: dict[Any, Any], expected: dict[Any, Any]) -> dict[str, Any]:
    for key in [*expected, *got]:
        if key not in got:
            return {
                "expected": _entry(key, expected),
                "got": f"{len(got)} entries without it",
                "where": f"key {_short(key)} is missing",
                "column": None,
            }
        if key not in expected:
            return {
                "expected": f"{len(expected)} entries without it",
                "got": _entry(key, got),
                "where": f"key {_short(key)} is too many",
                "column": None,
            }
        if got[key] != expected[key]:
            return {
                "expected": _entry(key, expected),
                "got": _entry(key, got),
                "where": f"first difference at key {_short(key)}",
                "column": None,
            }
    return {"expected": _short(expected), "got": _short(got), "where": "", "column": None}


def _entry(key: Any, values: dict[Any, Any]) -> str:
    others = len(values) - 1
    return "{" + f"{_short(key)}: {_short(values[key])}" + (f", ... {others} more" if others else "") + "}"


def _short(value: Any, longest: int = _LONGEST) -> str:
    text = plain_text(value, repr)  # a student's __repr__ may fail: the report must not
    return text if len(text) <= longest else f"{text[: longest - 40]} ... {text[-20:]}"

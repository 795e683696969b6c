"""The shape of `.ol/state.json`: what a check remembers, and what makes a state sound.

{"modules": {id: {"last": {"passed": int, "total": int, "files": files}, "passed": files, "passed_with_ref_deps": files}},
"hints": {"id/number": level}}, where files are path -> SHA-256.
"""

from __future__ import annotations

from typing import Any


def sound_state(state: Any) -> dict[str, Any]:
    """`state` itself. Raises ValueError if it has not the shape above: it was cut short, or written by another hand."""
    modules, hints = (_table(_table(state, "it").get(key), key) for key in ("modules", "hints"))
    for id, entry in modules.items():
        for key, value in _table(entry, id).items():
            if key == "last":
                counts = [_table(value, key).get(name) for name in ("passed", "total")]
                if not all(type(count) is int for count in counts):
                    raise ValueError(f"{id} has no counts of tests")
                value = value.get("files")
            _table(value, key)
    if not all(type(level) is int and level >= 0 for level in hints.values()):
        raise ValueError("a hint has no level")
    return {"modules": modules, "hints": hints}


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no table")
    return value

"""A JSON document with one thing changed: every node in turn removed, doubled, renamed, retyped, changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

# What any node may become.
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    3,
    1.5,
    10**20,
    "",
    "a",
    "ab",
    "ByteLevel",
    "Digits",
    [],
    {},
    [0],
    ["a", "b"],
    {"a": 0},
    {"type": "ByteLevel"},
    {"type": "NFC"},
]
DOUBLED = "\x00doubled"


def nodes(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every node below `value`."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from nodes(child, (*path, key))


def mutants(
    document: dict[str, Any], wanted: Callable[[tuple[Any, ...]], bool] = lambda path: True
) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """(what was done, to which node, the text of the file), for the nodes that are wanted."""
    for path in filter(wanted, nodes(document)):

        def place(changed: dict, path: tuple = path):
            for step in path[:-1]:
                changed = changed[step]
            return changed, path[-1]

        def made(change, path: tuple = path) -> str:
            changed = copy.deepcopy(document)
            change(*place(changed))
            return json.dumps(changed).replace(json.dumps(DOUBLED)[1:-1], str(path[-1]))

        parent, key = place(document)
        old = parent[key]
        yield "removed", path, made(lambda parent, key: parent.pop(key))
        for value in VALUES:
            if type(value) is not type(old) or value != old:
                yield f"is now {value!r}", path, made(lambda parent, key, value=value: parent.__setitem__(key, value))
        if isinstance(parent, dict):
            for value in (old, None, 1, "ab"):
                yield (
                    f"is there twice, then {value!r}",
                    path,
                    made(lambda parent, key, value=value: parent.update({DOUBLED: value})),
                )
            yield "has another name", path, made(lambda parent, key: parent.update({f"{key}x": parent.pop(key)}))
        else:
            yield "is listed twice", path, made(lambda parent, key: parent.insert(key, parent[key]))
            yield "is the last", path, made(lambda parent, key: parent.append(parent.pop(key)))
            yield "is the first", path, made(lambda parent, key: parent.insert(0, parent.pop(key)))
        if isinstance(old, bool):
            yield "is the other", path, made(lambda parent, key: parent.__setitem__(key, not parent[key]))
        elif isinstance(old, int):
            for by in (-1, 1, 100):
                yield f"is {by} more", path, made(lambda parent, key, by=by: parent.__setitem__(key, parent[key] + by))
            yield "is a float", path, made(lambda parent, key: parent.__setitem__(key, float(parent[key])))
        elif isinstance(old, str):
            for change in ("{}x", "x{}", " {}", "{} ", "{0}{0}", "\ufeff{}"):
                yield (
                    f"is {change!r}",
                    path,
                    made(lambda parent, key, change=change: parent.__setitem__(key, change.format(parent[key]))),
                )


def names(path: tuple[Any, ...]) -> set[str]:
    """How an error may name a node: by its own path or one above it; a token also where it is used."""
    found = set()
    for length in range(1, len(path) + 1):
        dotted = ""
        for step in path[:length]:
            dotted += f"[{step}]" if isinstance(step, int) else f".{step}"
        found.add(dotted.lstrip("."))
    # A list that has lost an entry is noticed at the next, and an entry of a vocabulary where others rely on it.
    return found | ({"model.vocab", "model.merges", "added_tokens"} if path[:2] == ("model", "vocab") else set())

"""Everything in a file that stands in the way, told at once.

`jsonfile.check_fields` stops at the first field that is wrong. Whoever opens a model's file wants to know how far away it
is: all fields that are not obeyed here, each by its JSON path, whole. So the parsers of this package collect what they
refuse, and whoever called them asks once, at the end.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

LONGEST = 2000  # characters of a value in a message: any pattern that a model has stands there whole


class Refusals:
    """A list of what is refused, in the order in which it was met.

    >>> refusals = Refusals()
    >>> refusals.add("decoder.type", "CTC", "ByteLevel")
    >>> refusals.check()
    Traceback (most recent call last):
    ValueError: decoder.type is "CTC"; it must be ByteLevel
    """

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.lines)

    def add(self, where: str, found: object, right: str) -> None:
        """Refuse `found`, the value at the JSON path `where` ("" for the whole file); `right` says what may stand there."""
        self.say(f"{where or 'the file'} is {in_full(found)}; it must be {right}")

    def say(self, line: str) -> None:
        """Refuse with a line of one's own, for what is wrong between fields. A line is kept once."""
        if line not in self.lines:
            self.lines.append(line)

    def fields(
        self,
        found: object,
        where: str,
        known: Mapping[str, Sequence[object] | None],
        optional: Collection[str] = (),
    ) -> bool:
        """Whether `found` is a JSON object with exactly these fields; what is wrong is added, all of it.

        `where` is the path of the object. `known` maps each field to the values it may have, or to None where the caller
        looks at the value itself. Fields in `optional` may be absent. An object of another `type` has other fields, so
        then the type is all that is named.
        """
        if not isinstance(found, dict):
            self.add(where, found, "an object")
            return False
        before = len(self.lines)
        prefix = f"{where}." if where else ""
        repeated = getattr(found, "key", None)  # as `read_json` marks an object whose text has a key twice
        if repeated is not None:
            self.say(f"{prefix}{repeated} is there twice; a key may appear once")
        types = known.get("type")
        if types is not None and "type" in found and not is_one_of(found["type"], types):
            self.add(f"{prefix}type", found["type"], choice(types))
            return False
        for field, value in found.items():
            if field not in known:
                self.say(f"{prefix}{field} is {in_full(value)}; this field is not known here")
        for field, values in known.items():
            if field not in found:
                if field not in optional:
                    self.say(f"{prefix}{field} is missing" + (f"; it must be {choice(values)}" if values else ""))
            elif values is not None and not is_one_of(found[field], values):
                self.add(f"{prefix}{field}", found[field], choice(values))
        return len(self.lines) == before

    def check(self) -> None:
        """Raise ValueError if anything was refused: the line itself if there is one, else one line for each."""
        if len(self.lines) == 1:
            raise ValueError(self.lines[0])
        if self.lines:
            raise ValueError(f"{len(self.lines)} fields stand in the way:\n  " + "\n  ".join(self.lines))


def in_full(value: object) -> str:
    """`value` as JSON in one line, cut only where it is longer than any pattern."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError):  # a list in itself
        text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def is_one_of(found: object, values: Sequence[object]) -> bool:
    """Equal to one of `values` and of its type: in JSON, 0 is not false and 1.0 is not 1."""
    return any(type(found) is type(value) and found == value for value in values)


def choice(values: Sequence[object]) -> str:
    """The values as a message lists them: `"Isolated" or "Removed"`."""
    return " or ".join(map(in_full, values))

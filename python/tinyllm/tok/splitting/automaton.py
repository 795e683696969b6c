"""A pattern as an automaton, to ask what may stand beside what in its matches. It matches nothing itself.

Every way that a match may take, and that a regular expression engine may try on the way, is a path here: it starts at
`start`, takes a character at each step, passes look-aheads in between, whose own paths are in the automaton too. So what
no path does, no engine tries. A repeat of more than one is a loop, whatever its counts: that only adds paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tinyllm.tok.splitting.pattern_syntax import Alternatives, Chars, Look, Node, Repeat, Sequence


class Step(NamedTuple):
    """From one state to another over one character."""

    chars: Chars
    target: int


class Ahead(NamedTuple):
    """From one state to another past a look-ahead, whose own paths begin at `start`."""

    look: Look
    start: int
    target: int


class Automaton:
    """The states of a pattern. `end` is reached when it has matched.

    >>> from tinyllm.tok.splitting.pattern_syntax import parse
    >>> automaton = Automaton(parse("a?b"))
    >>> sorted(step.chars.position for step in automaton.next_steps(automaton.start))
    [0, 2]
    """

    def __init__(self, node: Node) -> None:
        self._free: list[list[int]] = []  # of each state, those reached without a condition
        self._steps: list[list[Step]] = []
        self._aheads: list[list[Ahead]] = []
        self.start = self._state()
        self.end = self._add(node, self.start)

    def reached(self, state: int) -> Iterator[int]:
        """The states reached from `state` without a character, itself included."""
        waiting, seen = [state], {state}
        while waiting:
            state = waiting.pop()
            yield state
            for target in (*self._free[state], *(ahead.target for ahead in self._aheads[state])):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def next_steps(self, state: int) -> list[Step]:
        """The steps that a path may take next; what look-aheads on the way do is not among them."""
        return [step for reached in self.reached(state) for step in self._steps[reached]]

    def next_aheads(self, state: int) -> list[Ahead]:
        """The look-aheads that a path may meet before its next character."""
        return [ahead for reached in self.reached(state) for ahead in self._aheads[reached]]

    def steps(self) -> list[Step]:
        """All steps, those of look-aheads too."""
        return [step for steps in self._steps for step in steps]

    def _state(self) -> int:
        self._free.append([])
        self._steps.append([])
        self._aheads.append([])
        return len(self._free) - 1

    def _add(self, node: Node, start: int) -> int:
        """Add the states of `node` behind `start`; the state in which it has matched."""
        if isinstance(node, Sequence):
            for part in node.parts:
                start = self._add(part, start)
            return start
        end = self._state()
        if isinstance(node, Chars):
            self._steps[start].append(Step(node, end))
        elif isinstance(node, Alternatives):
            for part in node.parts:
                entry = self._state()
                self._free[start].append(entry)
                self._free[self._add(part, entry)].append(end)
        elif isinstance(node, Look):
            inside = self._state()
            self._add(node.node, inside)
            self._aheads[start].append(Ahead(node, inside, end))
        else:
            self._repeat(node, start, end)
        return end

    def _repeat(self, node: Repeat, start: int, end: int) -> None:
        entry = self._state()
        self._free[start].append(entry)
        last = self._add(node.node, entry)
        self._free[last].append(end)
        if node.most != 1:
            self._free[last].append(entry)
        if node.least == 0:
            self._free[start].append(end)


def matching_alone(node: Node) -> Iterator[Chars]:
    """The characters that `node` matches alone, whatever follows them: it looks at nothing on that way."""
    if isinstance(node, Chars):
        yield node
    elif isinstance(node, Repeat) and node.least <= 1:
        yield from matching_alone(node.node)
    elif isinstance(node, Alternatives):
        for part in node.parts:
            yield from matching_alone(part)
    elif isinstance(node, Sequence):
        needed = [part for part in node.parts if not _can_be_skipped(part)]
        for part in node.parts if not needed else needed if len(needed) == 1 else ():
            yield from matching_alone(part)


def _can_be_skipped(node: Node) -> bool:
    """Whether `node` matches the empty string, whatever follows."""
    if isinstance(node, Repeat):
        return node.least == 0
    if isinstance(node, Sequence):
        return all(map(_can_be_skipped, node.parts))
    return isinstance(node, Alternatives) and any(map(_can_be_skipped, node.parts))

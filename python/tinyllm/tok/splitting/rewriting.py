r"""A pattern, written again for Python's `re`: over the kinds of characters, or over ASCII.

Sets become the letters of their kinds, or their ASCII characters, so nothing is left that `re` and Hugging Face's
engine could read differently: sets of listed characters, groups, alternatives, quantifiers and look-aheads. In particular
no set is written as the negation of another, and no end of the text is asked for: a character that belongs to no set
ends matches and look-aheads just as the end of the text does (`pattern_sequence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from tinyllm.tok.splitting.automaton import Automaton, matching_alone
from tinyllm.tok.splitting.char_sets import CharSet
from tinyllm.tok.splitting.kinds import Kinds
from tinyllm.tok.splitting.pattern_syntax import Alternatives, Chars, Look, Node, Repeat, Sequence


class DeadRun(NamedTuple):
    """Where no match starts at a character of `lead`, none starts in the run of such behind it, but at `beginnings`."""

    lead: CharSet
    beginnings: list[CharSet]


def over_kinds(tree: Node, kinds: Kinds, runs: Iterable[DeadRun]) -> re.Pattern[str]:
    """The pattern for strings of kinds. A match is in group 1; a match without it is a dead run."""
    return _compile(tree, kinds, runs, {letter: letter for letter in kinds.all})


def over_ascii(tree: Node, kinds: Kinds, runs: Iterable[DeadRun]) -> re.Pattern[str]:
    """The pattern for texts that are ASCII, which saves half of the time: they need no kinds, and matches are pre-tokens.

    The same, since an ASCII character belongs to the ASCII characters of a set if and only if its kind belongs to the set.
    """
    members = dict.fromkeys(kinds.all, "")
    for code in range(128):
        members[kinds[code]] += chr(code)
    return _compile(tree, kinds, runs, members)


def dead_runs(tree: Node) -> list[DeadRun]:
    r"""What a search may skip where nothing matched, so that a long run costs one attempt and not one from each place.

    Without it `\s+$` on a line of n spaces and a letter takes n * n steps (in HF, 4 seconds for 20,000). If an alternative
    that begins with `\s+` or `\s*` fails at a space, it fails at the next one too: else it would have matched from here,
    with one more. So no match starts at the next one, unless another alternative can begin with that character.

    The obvious shortcut, to skip the whole run, is wrong if there is one: `\s+$|\n` on "\n a" matches the "\n".
    """
    alternatives = tree.parts if isinstance(tree, Alternatives) else (tree,)
    leads = [_lead(alternative) for alternative in alternatives]
    alone = {chars.set for chars in matching_alone(tree)}
    runs = []
    for lead in dict.fromkeys(leads):
        if lead is None or lead in alone:  # a set all of which matches alone: no search fails there
            continue
        others = [Automaton(alternative) for alternative, own in zip(alternatives, leads) if own != lead]
        steps = [step for automaton in others for step in automaton.next_steps(automaton.start)]
        runs.append(DeadRun(lead, [step.chars.set for step in steps]))
    return runs


def _lead(alternative: Node) -> CharSet | None:
    """The set that `alternative` begins with as often as there are characters of it; None if it begins otherwise."""
    first = alternative.parts[0] if isinstance(alternative, Sequence) and alternative.parts else alternative
    if isinstance(first, Repeat) and first.most is None and isinstance(first.node, Chars):
        return first.node.set
    return None


def _compile(tree: Node, kinds: Kinds, runs: Iterable[DeadRun], members: dict[str, str]) -> re.Pattern[str]:
    """The pattern in which each kind is written as its members."""

    def written(letters: Iterable[str]) -> str:
        return _set_of("".join(members[letter] for letter in letters))

    def rewritten(node: Node) -> str:
        if isinstance(node, Chars):
            return written(kinds.of_set[node.set])
        if isinstance(node, Look):
            return f"(?{'!' if node.negative else '='}{rewritten(node.node)})"
        if isinstance(node, Repeat):
            inside = rewritten(node.node)
            return (inside if isinstance(node.node, Chars) else f"(?:{inside})") + _quantifier(node)
        if isinstance(node, Sequence):
            return "".join(map(rewritten, node.parts))
        return "(?:" + "|".join(map(rewritten, node.parts)) + ")"

    dead = ""
    for run in runs:
        beginnings = {letter for charset in run.beginnings for letter in kinds.of_set[charset]}
        rest = [letter for letter in kinds.of_set[run.lead] if letter not in beginnings]
        dead += f"|{written(kinds.of_set[run.lead])}{written(rest)}*"
    return re.compile(f"({rewritten(tree)}){dead}")


def _set_of(members: str) -> str:
    """A set of `re`."""
    if not members:
        return "(?!)"
    if len(members) == 1:
        return re.escape(members)
    return "[" + "".join(map(re.escape, members)) + "]"


def _quantifier(node: Repeat) -> str:
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((node.least, node.most))
    counted = f"{{{node.least},{'' if node.most is None else node.most}}}"
    return (short or counted) + ("?" if node.lazy else "")

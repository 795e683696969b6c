r"""Split patterns of tokenizer.json files, as Hugging Face tokenizers (HF) run them, at C speed, on any Python.

A pattern is parsed once (`pattern_syntax`), its characters become kinds (`kinds`), and the pattern, rewritten over
kinds, is run by Python's `re` on the string of a text's kinds. The text is cut at the same places. A text that is ASCII is
given to `re` itself, with each set rewritten as its ASCII characters: the same, since on such a text a character
belongs to one of these if and only if its kind belongs to the set.

Why `re` finds what HF's engine, Oniguruma, finds: both search from left to right, try alternatives in their order,
repeat as often (lazily: as rarely) as they can and back up one step at a time, and neither goes back into a look-ahead.
So they try the same ways in the same order, and the first that matches is the match. Where they part is refused
(`pattern_syntax`) or done here: `$` is a look-ahead, and empty matches follow HF's rules (`_matches_that_may_be_empty`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from tinyllm.tok.splitting.automaton import Automaton, matching_alone
from tinyllm.tok.splitting.char_sets import CharSet
from tinyllm.tok.splitting.kinds import Kinds
from tinyllm.tok.splitting.pattern_syntax import (
    FOLDED_TOGETHER,
    Alternatives,
    Chars,
    Look,
    Node,
    Repeat,
    Sequence,
    can_be_empty,
    parse,
)


class Pattern:
    r"""A split pattern, compiled. Pickles as its source; threads may share it.

    Raises ValueError that names what is outside the grammar and its position (0-based, in characters), TypeError if
    `source` is not a str. Cost: some milliseconds; what it keeps of the texts it saw is bounded.

    >>> Pattern(r"\p{L}+|\p{N}").split("été 12!")
    ['été', ' ', '1', '2', '!']
    >>> Pattern("a*+")
    Traceback (most recent call last):
        ...
    ValueError: pattern: a quantifier on a quantifier, '*+', at position 1; a group around the first would be clear
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = parse(source)
        self.automaton = Automaton(self.tree)
        _check_folds(self.automaton)
        self.kinds = Kinds(step.chars.set for step in self.automaton.steps())
        self.can_be_empty = can_be_empty(self.tree)
        self.matching_alone = list(matching_alone(self.tree))
        always = {letter for chars in self.matching_alone for letter in self.kinds.of_set[chars.set]}
        # The kinds that are in a match wherever they stand: where no earlier match takes such a character, one starts.
        self.always_matched = frozenset(always)
        # Whether the matches cover every text, so that nothing is between them.
        self.covers = not self.can_be_empty and always.issuperset(self.kinds.all)
        self._dead_runs = [] if self.can_be_empty else _dead_runs(self.tree, self.kinds, self.always_matched)
        self._of_kinds = self._compile({letter: letter for letter in self.kinds.all})
        of_ascii = dict.fromkeys(self.kinds.all, "")
        for code in range(128):
            of_ascii[self.kinds[code]] += chr(code)
        self._of_ascii = self._compile(of_ascii)

    def __reduce__(self) -> tuple[type[Pattern], tuple[str]]:
        return Pattern, (self.source,)

    def __repr__(self) -> str:
        return f"Pattern({self.source!r})"

    def matches(self, text: str) -> list[tuple[int, int]]:
        """The (start, end) of all matches, left to right, in characters; empty ones too, where HF has them.

        Cost: that of the pattern's backtracking, O(characters) for the published ones. Raises TypeError if `text` is
        not a str.

        >>> Pattern("(?=b)|c").matches("abc")
        [(1, 1), (2, 3)]
        """
        compiled, searched = self._searched(text)
        if self.can_be_empty:
            return _matches_that_may_be_empty(compiled, searched)
        return [match.span() for match in compiled.finditer(searched) if self.covers or match.lastindex]

    def split(self, text: str) -> list[str]:
        """The matches and what is between them, none empty: HF's `Split` with the behaviour Isolated.

        They join back to `text`. Cost: as `matches`. Raises TypeError if `text` is not a str.

        >>> Pattern("b+").split("abba")
        ['a', 'bb', 'a']
        """
        compiled, searched = self._searched(text)
        if self.can_be_empty or self._dead_runs:
            edges = [0, *(edge for span in self.matches(text) for edge in span), len(text)]
            return [text[start:end] for start, end in zip(edges, edges[1:]) if start < end]
        # A pattern that covers every text leaves nothing between matches, and `split` would list that nothing.
        found: list[str] = compiled.findall(searched) if self.covers else list(filter(None, compiled.split(searched)))
        if searched is text:
            return found
        pretokens = []
        start = 0
        for of_kinds in found:  # a plain loop takes half as long as pairs of edges
            end = start + len(of_kinds)
            pretokens.append(text[start:end])
            start = end
        return pretokens

    def _searched(self, text: str) -> tuple[re.Pattern[str], str]:
        """What to search in for `text`, and with what."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
        return (self._of_ascii, text) if text.isascii() else (self._of_kinds, text.translate(self.kinds))

    def _compile(self, members: dict[str, str]) -> re.Pattern[str]:
        """The pattern for `re`, in which each kind is written as its members."""

        def written(letters: Iterable[str]) -> str:
            return _set_of("".join(members[letter] for letter in letters))

        def rewritten(node: Node) -> str:
            if isinstance(node, Chars):
                return written(self.kinds.of_set[node.set])
            if isinstance(node, Look):
                return f"(?{'!' if node.negative else '='}{rewritten(node.node)})"
            if isinstance(node, Repeat):
                inside = rewritten(node.node)
                single = isinstance(node.node, Chars)
                return (inside if single else f"(?:{inside})") + _quantifier(node)
            if isinstance(node, Sequence):
                return "".join(map(rewritten, node.parts))
            return "(?:" + "|".join(map(rewritten, node.parts)) + ")"

        if self.covers:  # every match is one of the pattern, so a group to tell so, a tenth of the time, is spared
            return re.compile(rewritten(self.tree))
        dead = "".join(f"|{written(run.first)}{written(run.rest)}*" for run in self._dead_runs)
        return re.compile(f"({rewritten(self.tree)}){dead}")


class _DeadRun(NamedTuple):
    """Kinds of characters: where no match starts at one of `first`, none starts in the run of `rest` behind it."""

    first: list[str]
    rest: list[str]


def _dead_runs(tree: Node, kinds: Kinds, always_matched: frozenset[str]) -> list[_DeadRun]:
    r"""What a search may skip where nothing matched, so that a long run costs one attempt and not one from each place.

    Without it `\s+$` on a line of n spaces and a letter takes n * n steps (in HF, 4 seconds for 20,000). If an alternative
    that begins with `\s+` or `\s*` fails at a space, it fails at the next one too: else it would have matched from here,
    with one more. So no match starts at the next one, unless another alternative can begin with that character.

    The obvious shortcut, to skip the whole run, is wrong if there is one: `\s+$|\n` on "\n a" matches the "\n".
    """
    alternatives = tree.parts if isinstance(tree, Alternatives) else (tree,)
    leads = [_lead(alternative) for alternative in alternatives]
    runs = []
    for lead in dict.fromkeys(leads):
        if lead is None or always_matched.issuperset(kinds.of_set[lead]):
            continue
        others = [Automaton(alternative) for alternative, own in zip(alternatives, leads) if own != lead]
        steps = (step for automaton in others for step in automaton.next_steps(automaton.start))
        beginnings = {letter for step in steps for letter in kinds.of_set[step.chars.set]}
        members = kinds.of_set[lead]
        runs.append(_DeadRun(list(members), [letter for letter in members if letter not in beginnings]))
    return runs


def _lead(alternative: Node) -> CharSet | None:
    """The set that `alternative` begins with as often as there are characters of it; None if it begins otherwise."""
    first = alternative.parts[0] if isinstance(alternative, Sequence) and alternative.parts else alternative
    if isinstance(first, Repeat) and first.most is None and isinstance(first.node, Chars):
        return first.node.set
    return None


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


def _matches_that_may_be_empty(compiled: re.Pattern[str], searched: str) -> list[tuple[int, int]]:
    """All matches, as HF goes on after an empty one: from the next character, and none is empty where one has just ended.

    `finditer` goes on at the same place, where it finds a match that is not empty: with `|a` it takes an `a`, HF never.
    """
    spans: list[tuple[int, int]] = []
    position = 0
    while position <= len(searched):
        match = compiled.search(searched, position)
        if match is None:
            break
        start, end = match.span()
        if start == end and spans and spans[-1][1] == end:
            position = end + 1
        else:
            spans.append((start, end))
            position = end
    return spans


def _check_folds(automaton: Automaton) -> None:
    """Refuse two characters in a row that ignore case and that Unicode folds into one."""
    for step in automaton.steps():
        for following in automaton.next_steps(step.target) if step.chars.set.folded else ():
            for pair in FOLDED_TOGETHER:
                if pair[0] in step.chars.set.folded and pair[1] in following.chars.set.folded:
                    position = max(step.chars.position, following.chars.position)
                    raise ValueError(
                        f"pattern: {pair!r} under (?i:..) at position {position}; there Unicode folds the two letters into "
                        "one character, so case must be spelled out, as in [sS]"
                    )

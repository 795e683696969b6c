r"""Split patterns of tokenizer.json files, as Hugging Face tokenizers (HF) run them, at C speed, on any Python.

A pattern is parsed once (`pattern_syntax`), its characters become kinds (`kinds`), and the pattern, rewritten over
kinds (`rewriting`), is run by Python's `re` on the string of a text's kinds. The text is cut at the same places.

Why `re` finds what HF's engine, Oniguruma, finds: both search from left to right, try alternatives in their order,
repeat as often (lazily: as rarely) as they can and back up one step at a time, and neither goes back into a look-ahead.
So they try the same ways in the same order, and the first that matches is the match. Where they part is refused
(`pattern_syntax`) or done here: `$` is a look-ahead, and empty matches follow HF's rules (`_matches_that_may_be_empty`).

Not here: a limit to backing up. After ten million steps within a match Oniguruma gives up and HF panics; `re` goes on. A
pattern such as `(?:\w+\s?)+!`, which can cut one run in exponentially many ways, may take for ever where HF panics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tinyllm.tok.splitting.automaton import Automaton, matching_alone
from tinyllm.tok.splitting.kinds import Kinds
from tinyllm.tok.splitting.pattern_syntax import FOLDED_TOGETHER, can_be_empty, parse
from tinyllm.tok.splitting.rewriting import dead_runs, over_ascii, over_kinds


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
        self.can_be_empty = can_be_empty(self.tree)
        # What is in a match wherever it stands: where no earlier match takes such a character, one starts.
        self.always_matched = list(dict.fromkeys(chars.set for chars in matching_alone(self.tree)))
        self.dead_runs = [] if self.can_be_empty else dead_runs(self.tree)
        self.sets = [step.chars.set for step in self.automaton.steps()]
        self._kinds = Kinds(self.sets)
        covered = {letter for charset in self.always_matched for letter in self._kinds.of_set[charset]}
        # Whether the matches cover every text, so that nothing is between them.
        self.covers = not self.can_be_empty and covered.issuperset(self._kinds.all)
        self._of_kinds = over_kinds(self.tree, self._kinds, self.dead_runs)
        self._of_ascii = over_ascii(self.tree, self._kinds, self.dead_runs)

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
        return self._spans(*self._searched(text))

    def split(self, text: str) -> list[str]:
        """The matches and what is between them, none empty: HF's `Split` with the behaviour Isolated.

        They join back to `text`. Cost: as `matches`. Raises TypeError if `text` is not a str.

        >>> Pattern("b+").split("abba")
        ['a', 'bb', 'a']
        """
        compiled, searched = self._searched(text)
        # A pattern that covers every text leaves nothing between matches, and `split` would list that nothing.
        pretokens: Iterable[str] = compiled.findall(searched) if self.covers else self.cut(compiled, searched)
        if searched is text:
            return list(pretokens)
        cut = []
        start = 0
        for of_kinds in pretokens:  # a plain loop takes half as long as pairs of edges
            end = start + len(of_kinds)
            cut.append(text[start:end])
            start = end
        return cut

    def cut(self, compiled: re.Pattern[str], searched: str) -> Iterable[str]:
        """The matches and what is between them, none empty, by this pattern as it was rewritten for what is searched."""
        if not self.can_be_empty and not self.dead_runs:
            return filter(None, compiled.split(searched))
        edges = [0, *(edge for span in self._spans(compiled, searched) for edge in span), len(searched)]
        return [searched[start:end] for start, end in zip(edges, edges[1:]) if start < end]

    def _spans(self, compiled: re.Pattern[str], searched: str) -> list[tuple[int, int]]:
        if self.can_be_empty:
            return _matches_that_may_be_empty(compiled, searched)
        return [match.span() for match in compiled.finditer(searched) if match.lastindex]

    def _searched(self, text: str) -> tuple[re.Pattern[str], str]:
        """What to search in for `text`, and with what."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
        return (self._of_ascii, text) if text.isascii() else (self._of_kinds, text.translate(self._kinds))


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

r"""Several split patterns, one after the other: each splits what the ones before have cut apart, as DeepSeek's do.

Run on each pre-token by itself, the patterns take several calls for each: on chunks of text in many scripts DeepSeek-V3's
took 1.6 times as long, DeepSeek-Coder's three times. Here each pattern runs once, on all pre-tokens joined by a separator. It belongs to no set, so no match and
no look-ahead goes past it: to both it is like the end of a text (`rewriting`), which each pre-token ends in when it is
alone. The obvious separator, a newline, would be in the sets of most patterns, and `$` holds before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from tinyllm.tok.splitting.kinds import Kinds
from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.rewriting import over_ascii, over_kinds

SEPARATOR = "\x80"  # no ASCII character, and no letter of a kind; of Latin-1, so that strings stay a byte a character


class PatternSequence:
    r"""Patterns that split a text one after the other, each with the behaviour Isolated.

    Pickles as its patterns; threads may share it; what it keeps of the texts it saw is bounded.

    >>> PatternSequence([Pattern(r"\p{N}"), Pattern(r"\s+(?!\S)|\s+")]).split("a  1")
    ['a', '  ', '1']
    >>> Pattern(r"\p{N}|\s+(?!\S)|\s+").split("a  1")
    ['a', ' ', ' ', '1']
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self.patterns = tuple(patterns)
        self._kinds = Kinds(charset for pattern in patterns for charset in pattern.sets)
        self._of_kinds = [over_kinds(pattern.tree, self._kinds, pattern.dead_runs) for pattern in patterns]
        self._of_ascii = [over_ascii(pattern.tree, self._kinds, pattern.dead_runs) for pattern in patterns]

    def __reduce__(self) -> tuple[type[PatternSequence], tuple[tuple[Pattern, ...]]]:
        return PatternSequence, (self.patterns,)

    def __repr__(self) -> str:
        return f"PatternSequence({list(self.patterns)!r})"

    def split(self, text: str) -> list[str]:
        """What is left when each pattern has split what the one before left, none empty.

        They join back to `text`. Cost: as `Pattern.split`, for each pattern. Raises TypeError if `text` is not a str.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
        is_ascii = text.isascii()
        searched = text if is_ascii else text.translate(self._kinds)
        for pattern, compiled in zip(self.patterns, self._of_ascii if is_ascii else self._of_kinds):
            searched = SEPARATOR.join(pattern.cut(compiled, searched))
        pretokens = filter(None, searched.split(SEPARATOR))
        if is_ascii:
            return list(pretokens)
        edges = list(accumulate(map(len, pretokens), initial=0))
        return [text[start:end] for start, end in zip(edges, edges[1:])]

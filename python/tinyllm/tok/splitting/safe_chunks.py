r"""Where a text may be cut into chunks before it is split, decided from the patterns: nobody argues it by hand.

Text repeats itself, so it is cut into chunks at C speed and only chunks that are new are split (see `chunks.py`). A cut
is safe if splitting both sides alone gives what splitting the whole text gives, whatever else is in the text. Here the
kinds of the two characters beside a cut decide: a *pair* of kinds is safe if every cut between such characters is.

Of one pattern, between characters of the kinds p and q:
1. No path of its automaton takes a p and then a q. So whatever the engine tries before the cut ends there at the
   latest, and no match reaches across.
2. Each look-ahead that may be asked right behind a p says the same before a q as at the end of the text: it must take a
   character, and no path of it begins with a q, so a positive one fails and a negative one holds, at both.
Then all matches before the cut are those of the left side alone. As nothing looks back, the rest are those of the
right side alone. What can still differ is that neither p nor q is in a match, and what is between two matches is one
pre-token across the cut. So:
3. p or q is of a kind that is always in a match.
With several patterns, each of which splits what the one before left whole: 1 and 2 for the first ones, until 1, 2 and 3
hold for one. Those behind it then see no pre-token across the cut. ("a  1" is cut before the two spaces in DeepSeek-V3.)

These conditions are enough, not necessary. `python/tests/tok/splitting/test_safe_chunks.py` holds the result to all
strings of kinds up to a length.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from tinyllm.tok.splitting.char_sets import SPACE, CharSet
from tinyllm.tok.splitting.kinds import Kinds
from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.pattern_syntax import can_be_empty

BLOCK = 1 << 12  # characters cut at once: a list of all chunks would be larger than a long text
# Python 3.11 knows possessive runs, which do not remember where they could give back: a tenth less time to cut.
POSSESSIVE = "+" if sys.version_info >= (3, 11) else ""
# Before this code point are most of the scripts that have spaces between words.
EARLY_END = 0x1800
EARLY = CharSet(((0, EARLY_END - 1),))
# What a cut may be before, the best first: the more there is of it, the shorter the chunks.
NEXT = (SPACE, CharSet(((0x20, 0x20),)), CharSet(((0x0A, 0x0A),)))


class Chunker:
    """Cuts texts into chunks: before each character of `following` that comes after one of `previous`.

    Both are sets of `re`, and no character is in both.

    >>> list(Chunker("[a-z]", "[ ]").chunks("to  be, or"))
    [['to', '  be, or']]
    """

    def __init__(self, previous: str, following: str) -> None:
        self.previous, self.following = previous, following
        others = f"[^{following[1:]}"
        # What follows a cut is a run of `following` and then others, and so on where that run is not behind `previous`.
        # It is only asked there, not at each character: none of `previous` is in such a run, so no cut is inside it.
        run = f"{following}+{others}*"
        goes_on = "" if previous == others else f"(?:(?<!{previous}){run})*{POSSESSIVE}"
        self._chunk = re.compile(f"(?:{run}|{others}+){goes_on}")
        self._cut = re.compile(f"{following}(?<={previous}{following})")

    def chunks(self, text: str) -> Iterator[list[str]]:
        """Lists of chunks, none empty, which join back to `text`.

        Cost: O(characters). A list is of about BLOCK characters.
        """
        start = 0
        while len(text) - start > BLOCK:
            cut = self._cut.search(text, start + BLOCK)
            end = cut.start() if cut else len(text)
            # Cut out first: a part that is ASCII takes `re` a sixth less time alone than within a text that is not.
            yield self._chunk.findall(text[start:end])
            start = end
        if start < len(text):
            yield self._chunk.findall(text[start:])


def safe_chunker(steps: Sequence[Pattern]) -> Chunker | None:
    r"""A chunker for texts that are split by `steps`, one after the other, with the behaviour Isolated; None if no cut is safe.

    Splitting each chunk alone gives the pre-tokens of the whole text. Cost: about as much as compiling the patterns.

    >>> chunker = safe_chunker([Pattern(r" ?\p{L}+|\s+(?!\S)|\s+|.")])
    >>> list(chunker.chunks("to be,  or"))
    [['to', ' be,', '  or']]
    >>> safe_chunker([Pattern(r"[\s\S]+")]) is None
    True
    """
    kinds, safe = safe_pairs(steps)
    white_space = {*kinds.of_set[SPACE]}
    found = [
        {letter for letter in kinds.all if all((letter, kind) in safe for kind in kinds.of_set[following])}
        - white_space
        for following in NEXT
    ]
    if found[0] != found[1]:
        found[0] = (
            set()
        )  # white space in general is safe behind fewer characters than the space, which comes most often
    for letters, following in zip(found, NEXT):
        previous = _previous(kinds, letters)
        if previous:
            return Chunker(previous, _written(following))
    return None


def safe_pairs(steps: Sequence[Pattern]) -> tuple[Kinds, set[tuple[str, str]]]:
    """The kinds that tell apart what any of the steps does, and the pairs of kinds between which each cut is safe."""
    kinds = Kinds([*(charset for pattern in steps for charset in pattern.sets), EARLY, *NEXT])
    undecided = {(previous, following) for previous in kinds.all for following in kinds.all}
    safe: set[tuple[str, str]] = set()
    for pattern in steps:
        undecided -= _reached_across(pattern, kinds)
        always = {letter for charset in pattern.always_matched for letter in kinds.of_set[charset]}
        safe |= {pair for pair in undecided if not always.isdisjoint(pair)}
    return kinds, safe


def _reached_across(pattern: Pattern, kinds: Kinds) -> set[tuple[str, str]]:
    """The pairs of kinds between which a match, an attempt or a look-ahead of `pattern` may see across a cut."""
    if pattern.can_be_empty:
        return {(previous, following) for previous in kinds.all for following in kinds.all}
    automaton = pattern.automaton
    across = set()
    for step in automaton.steps():
        seen = {letter for later in automaton.next_steps(step.target) for letter in kinds.of_set[later.chars.set]}
        for ahead in automaton.next_aheads(step.target):
            # One that may be content with nothing, such as (?=$), may depend on look-aheads of its own.
            firsts = [first.chars.set for first in automaton.next_steps(ahead.start)]
            unknown = can_be_empty(ahead.look.node)
            seen.update(kinds.all if unknown else (letter for first in firsts for letter in kinds.of_set[first]))
        across |= {(previous, following) for previous in kinds.of_set[step.chars.set] for following in seen}
    return across


def _previous(kinds: Kinds, letters: set[str]) -> str:
    """The characters of some kinds, as a set of `re`; "" if it would be empty. Of sets that are not simple, the EARLY ones."""
    if letters == {*kinds.all} - {*kinds.of_set[SPACE]}:
        return _written(SPACE._replace(negated=True))
    codes = {code for code in range(EARLY_END) if kinds[code] in letters} if letters else set()
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return _written(CharSet(tuple(zip(starts, ends)))) if codes else ""


def _written(charset: CharSet) -> str:
    """A set of ranges, as `re` writes it."""
    ranges = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in charset.ranges)
    return f"[{'^' if charset.negated else ''}{ranges}]"

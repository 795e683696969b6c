r"""`Digits` and then GPT-2's split, as one pattern: two thirds of the time that one pattern after the other takes.

It is exact because the first step cuts around numbers alone, and what changes for GPT-2's pattern is in here: a number
takes no space before it; it stands alone, or in its run if they are not individual; what `Digits` alone calls a number
(see LATER) is cut off from other symbols; and white space before a number stands at the end of a part, so that
`\s+(?!\S)` takes all of it.

The obvious shortcut, GPT-2's pattern with `\p{N}` in place of ` ?\p{N}+`, forgets that last one: "a  1" is "a", "  ", "1", and
it makes "a", " ", " ", "1" of it. `python/tests/tok/fast/test_digits.py` holds this to the two steps, written by hand.
"""

from __future__ import annotations

# What `Digits` calls a number beside \p{N}, inside a class: 13 code points that are numbers since Unicode 17.0. To GPT-2 they
# are symbols, so that a run of both is cut between them.
LATER = "\U00011de0-\U00011de9\U00016ff4-\U00016ff6"


def digits_and_gpt2(individual: bool) -> str:
    """The pattern; `individual`: every number character is a pre-token of its own, else every run of them is.

    >>> digits_and_gpt2(True) == digits_and_gpt2(False)
    False
    """
    numbers = rf"[\p{{N}}{LATER}]" if individual else rf"\p{{N}}+|[{LATER}]+"
    return rf"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+|{numbers}| ?[^\s\p{{L}}\p{{N}}{LATER}]+|\s+(?![^\s\p{{N}}{LATER}])|\s+"

"""Pre-tokenizers as a tokenizer.json spells them, one of each kind and of each field, for tests to go through and to draw from."""

from __future__ import annotations

from random import Random
from typing import Any

BEHAVIORS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PATTERNS = (GPT2, r"\p{N}{1,3}", r"\s+(?!\S)|\s+", r"\s?\p{P}+", r"'s| ?\p{L}+", "(?=a)", "x*", "$", "é|Ã")
STRINGS = (" ", "a", "--", "", "▁")

Json = dict[str, Any]


def byte_level(prefix: bool = False, regex: bool = True) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def digits(individual: bool) -> Json:
    return {"type": "Digits", "individual_digits": individual}


def split(source: str, behavior: str = "Isolated", invert: bool = False, kind: str = "Regex") -> Json:
    return {"type": "Split", "pattern": {kind: source}, "behavior": behavior, "invert": invert}


def metaspace(scheme: str = "always", split: bool = True, mark: str = "▁") -> Json:
    return {"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}


def sequence(*steps: Json) -> Json:
    return {"type": "Sequence", "pretokenizers": list(steps)}


STEPS: tuple[Json, ...] = (
    *(byte_level(prefix, regex) for prefix in (False, True) for regex in (False, True)),
    *(digits(individual) for individual in (False, True)),
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    *({"type": kind} for kind in ("Punctuation", "Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
    *({"type": "CharDelimiterSplit", "delimiter": delimiter} for delimiter in "a "),
    *(
        metaspace(scheme, cut, mark)
        for scheme in ("always", "first", "never")
        for cut in (True, False)
        for mark in "▁a"
    ),
    *(split(" ?a|$", behavior, invert) for behavior in BEHAVIORS for invert in (False, True)),
    *(split("-", behavior, invert, "String") for behavior in BEHAVIORS for invert in (False, True)),
    *(split(pattern) for pattern in PATTERNS),
    split("", "Removed", True, "String"),
    sequence(),
)


def drawn(random: Random, most: int = 3) -> Json:
    """A pre-tokenizer of up to `most` steps in any order, nested now and then."""
    steps = [_drawn_step(random, most) for _ in range(random.randint(1, most))]
    return steps[0] if len(steps) == 1 else sequence(*steps)


def _drawn_step(random: Random, most: int) -> Json:
    if random.random() < 0.1 and most > 1:
        return sequence(*(_drawn_step(random, most - 1) for _ in range(random.randint(0, 2))))
    if random.random() < 0.3:
        kind, source = random.choice([("Regex", random.choice(PATTERNS)), ("String", random.choice(STRINGS))])
        return split(source, random.choice(BEHAVIORS), random.random() < 0.5, kind)
    return random.choice(STEPS)

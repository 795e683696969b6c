"""What a `pre_tokenizer` declaration means: the one place that interprets it.

A declaration is spelled as tokenizer.json spells it: ByteLevel (GPT-2's split), alone or after `Digits`, or the `Split`s of one
row of `splits.py` and ByteLevel without a split of its own. Anything else is refused by the name of the field.
(The traces of `explain/` interpret it once more, on purpose: they check this.)
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from tinyllm.tok.fast.chunks import SpaceChunker
from tinyllm.tok.fast.digits import digits_and_gpt2
from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.jsonfile import check_fields, shown
from tinyllm.tok.splits import BYTE_LEVEL, DEFAULT, SPLITS, Split
from tinyllm.tok.splitting.steps import steps_of

YES_NO = (True, False)


def declaration_of(pre_tokenizer: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """A declaration as tokenizer.json spells it, from the name of a split, from such a declaration, or from None (the default)."""
    if pre_tokenizer is None:
        return deepcopy(SPLITS[DEFAULT].declaration)
    if isinstance(pre_tokenizer, str):
        if pre_tokenizer not in SPLITS:
            raise ValueError(
                f"pre_tokenizer is {pre_tokenizer!r:.60}; it must be {', '.join(SPLITS)}, or a declaration"
            )
        return deepcopy(SPLITS[pre_tokenizer].declaration)
    if not isinstance(pre_tokenizer, Mapping):
        raise TypeError(f"pre_tokenizer is {pre_tokenizer!r:.60}; it must be a name, a declaration, or None")
    return deepcopy(dict(pre_tokenizer))  # the caller's may change; this one must stay what encodes


class PreTokenizer:
    """What a declaration asks for. Its patterns are compiled when they are first needed: a program that only decodes never does."""

    def __init__(self, patterns: tuple[str, ...], at_spaces: bool = False) -> None:
        self._patterns = patterns
        self._at_spaces = at_spaces  # GPT-2's, whose chunks are cut in half the time

    @Lazy
    def pretokenize(self) -> Callable[[str], list[str]]:
        """From a text to its pre-tokens."""
        return steps_of(self._patterns).split

    @Lazy
    def chunks(self) -> Callable[[str], Iterator[tuple[list[str], bool]]]:
        """From a text to lists of chunks, which pre-tokenize alike alone and in place; with each list, whether its chunks
        are shortened (`fast/chunks.py`)."""
        whole = steps_of(self._patterns).chunks
        if self._at_spaces:
            return SpaceChunker(whole).chunks
        return lambda text: ((chunks, False) for chunks in whole(text))


def pretokenizer_of(declaration: Any) -> PreTokenizer:
    """What `declaration` asks for. Raises ValueError naming the field, and what was found, for what is not known here."""
    where, steps = "pre_tokenizer", [declaration]
    if not isinstance(declaration, dict):
        raise ValueError(
            f"{where} is {shown(declaration)}; without one, bytes would not be mapped: it must be ByteLevel"
        )
    if declaration.get("type") == "Sequence":
        check_fields(declaration, where, {"type": ["Sequence"], "pretokenizers": None})
        where, steps = "pre_tokenizer.pretokenizers", declaration["pretokenizers"]
        if not _is_known_sequence(steps):
            raise ValueError(f"{where} is {shown(steps)}; it must be ByteLevel, alone or after Digits or Split")
    places = [where] if steps[0] is declaration else [f"{where}[{i}]" for i in range(len(steps))]
    first = steps[0].get("type") if len(steps) > 1 and isinstance(steps[0], dict) else None
    check_fields(
        steps[-1],
        places[-1],
        {"type": ["ByteLevel"], "add_prefix_space": [False], "trim_offsets": YES_NO, "use_regex": [first != "Split"]},
        optional=[] if first == "Split" else ["use_regex"],
    )
    if len(steps) == 1:
        return PreTokenizer(SPLITS[DEFAULT].patterns, at_spaces=True)
    if first == "Split":
        return PreTokenizer(_row_of(steps[:-1], places).patterns)
    check_fields(steps[0], places[0], {"type": ["Digits"], "individual_digits": YES_NO})
    return PreTokenizer((digits_and_gpt2(steps[0]["individual_digits"]),))


def _is_known_sequence(steps: Any) -> bool:
    """Whether `steps` are one or two, or `Split`s and one more."""
    if not isinstance(steps, list) or not steps:
        return False
    return len(steps) <= 2 or all(isinstance(step, dict) and step.get("type") == "Split" for step in steps[:-1])


def _row_of(steps: list[Any], places: list[str]) -> Split:
    """The row of the table whose patterns these `Split` steps have, letter for letter and in this order."""
    rows = [split for split in SPLITS.values() if split.declaration != BYTE_LEVEL]
    for i, (step, place) in enumerate(zip(steps, places)):
        pattern = _pattern_of(step, place, alone=len(steps) == 1)
        begun = rows
        rows = [split for split in begun if split.patterns[i : i + 1] == (pattern,)]
        if not rows:
            longer = [split for split in begun if len(split.patterns) > i]
            if not longer:
                raise ValueError(f"{place} is a Split; behind the last of {_names(begun)} it must be ByteLevel")
            raise ValueError(
                f"{place}.pattern.Regex is {shown(pattern)}; it must be that of {_names(longer)}, letter for letter"
            )
    whole = [split for split in rows if len(split.patterns) == len(steps)]
    if not whole:
        raise ValueError(f"{places[len(steps)]} is ByteLevel; it must be the next Split of {_names(rows)}")
    return whole[0]


def _pattern_of(step: Any, place: str, alone: bool) -> Any:
    """The pattern of a `Split` step. One alone matches every text whole, so removing what lies between is keeping all."""
    behaviors = ["Isolated", "Removed"] if alone else ["Isolated"]
    check_fields(step, place, {"type": ["Split"], "pattern": None, "behavior": behaviors, "invert": YES_NO})
    check_fields(step["pattern"], f"{place}.pattern", {"Regex": None})
    if step["invert"] != (step["behavior"] == "Removed"):
        raise ValueError(
            f"{place}.invert is {shown(step['invert'])} with behavior {step['behavior']}; "
            "it must be false with Isolated or true with Removed"
        )
    return step["pattern"]["Regex"]


def _names(splits: list[Split]) -> str:
    return ", ".join(split.name for split in splits)

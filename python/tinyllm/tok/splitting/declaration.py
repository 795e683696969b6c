"""What a `pre_tokenizer` declaration means: the one place that interprets it.

A declaration is spelled as tokenizer.json spells it: ByteLevel (GPT-2's split), alone or after `Digits`, or a `Split` by one
of the patterns in `splits.py` and ByteLevel without a split of its own. Anything else is refused by the name of the field.
(The traces of `explain/` interpret it once more, on purpose: they check this.)
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from tinyllm.tok.fast.ascii import DIGITS_ASCII, GPT2_ASCII, by_re_if_ascii
from tinyllm.tok.fast.chunks import DIGITS_CHUNKS, GPT2_CHUNKS, TIKTOKEN_CHUNKS
from tinyllm.tok.jsonfile import check_fields, shown
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splits import DEFAULT, SPLITS

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


class PreTokenizer(NamedTuple):
    """What a declaration asks for: the function from text to pre-tokens, and the pattern of its chunks (`fast/chunks.py`)."""

    pretokenize: Callable[[str], list[str]]
    chunk_pattern: str


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
        if not isinstance(steps, list) or not 1 <= len(steps) <= 2:
            raise ValueError(f"{where} is {shown(steps)}; it must be ByteLevel, alone or after Digits or Split")
    places = [where] if steps[0] is declaration else [f"{where}[{i}]" for i in range(len(steps))]
    first = steps[0].get("type") if len(steps) == 2 and isinstance(steps[0], dict) else None
    check_fields(
        steps[-1],
        places[-1],
        {"type": ["ByteLevel"], "add_prefix_space": [False], "trim_offsets": YES_NO, "use_regex": [first != "Split"]},
        optional=[] if first == "Split" else ["use_regex"],
    )
    if len(steps) == 1:
        return PreTokenizer(by_re_if_ascii(pretokenize_gpt2, GPT2_ASCII), GPT2_CHUNKS)
    if first == "Split":
        return PreTokenizer(_parse_split(steps[0], places[0]), TIKTOKEN_CHUNKS)
    check_fields(steps[0], places[0], {"type": ["Digits"], "individual_digits": YES_NO})
    individual = steps[0]["individual_digits"]

    def pretokenize(text: str) -> list[str]:
        return [pretoken for part in split_digits(text, individual) for pretoken in pretokenize_gpt2(part)]

    return PreTokenizer(by_re_if_ascii(pretokenize, DIGITS_ASCII.format("" if individual else "+")), DIGITS_CHUNKS)


def _parse_split(step: Any, where: str) -> Callable[[str], list[str]]:
    """The function of a `Split` step. The patterns match every text whole, so removing what lies between is keeping all."""
    check_fields(
        step, where, {"type": ["Split"], "pattern": None, "behavior": ["Isolated", "Removed"], "invert": YES_NO}
    )
    check_fields(step["pattern"], f"{where}.pattern", {"Regex": None})
    if step["invert"] != (step["behavior"] == "Removed"):
        raise ValueError(
            f"{where}.invert is {shown(step['invert'])} with behavior {step['behavior']}; "
            "it must be false with Isolated or true with Removed"
        )
    known = [split for split in SPLITS.values() if split.declaration["type"] == "Sequence"]
    for split in known:
        if step["pattern"]["Regex"] == split.pattern:
            return split.function
    raise ValueError(
        f"{where}.pattern.Regex is {shown(step['pattern']['Regex'])}; "
        f"it must be that of {', '.join(split.name for split in known)}, letter for letter"
    )

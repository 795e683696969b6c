r"""Split patterns of published tokenizer.json files, letter for letter: those that have a name here, and others."""

from __future__ import annotations

from tinyllm.tok.splits import SPLITS

# The steps, each of which splits what the one before left whole.
STEPS: dict[str, list[str]] = {
    **{name: list(split.patterns) for name, split in SPLITS.items()},
    "deepseek-coder": [
        r"[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        r"[一-龥ࠀ-一가-퟿]+",
    ],
    "deepseek-llm's own": [
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+$",
    ],
    "falcon's own": [
        r"[0-9][0-9][0-9]",
    ],
    "clip": [
        r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    ],
}
PATTERNS = list(dict.fromkeys(pattern for steps in STEPS.values() for pattern in steps))

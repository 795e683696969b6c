r"""All splits in one table: how each model cuts a text into pre-tokens.

A row is data: patterns, as their publishers spell them, and how tokenizer.json declares them. The engine in `splitting/` runs
them, decides which chunks are safe, and makes them exact for Unicode 16.0 on any Python. GPT-2's is besides written by
hand, in `pretok.py`: that is the course's.

tiktoken's own cl100k differs from that of tokenizer.json files in one place, white space at the end of the text, so it
has a row of its own.

Invariant: pre-tokens join back to the text and none is empty.
Source: tiktoken's `r50k_base`, `cl100k_base` (in the spelling of tokenizer.json files) and `o200k_base`; the tokenizer.json files
of Qwen 2 to 3, Qwen 3.5, Mistral-Nemo (tekken) and DeepSeek-V3.
"""

from typing import Any, NamedTuple

from tinyllm.tok.splitting.steps import steps_of

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K_PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# tiktoken's has `\s++$` before `\s*[\r\n]`. Here it is spelled so that Hugging Face's engine reads it alike: there a `$`
# also matches before a newline.
CL100K_TIKTOKEN_PATTERN = CL100K_PATTERN.replace(r"|\s*[\r\n]+|", r"|\s+(?![\s\S])|\s*[\r\n]+|")
O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

QWEN2_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN3_5_PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
TEKKEN_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK_V3_PATTERNS = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)

# GPT-2's split as tokenizer.json declares it: its bytes become stand-ins in the same step.
BYTE_LEVEL: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


class Split(NamedTuple):
    """A way to cut a text into pre-tokens.

    patterns     the regular expressions, each of which splits what the one before left whole
    declaration  how tokenizer.json declares it; whoever hands it out hands out a copy
    encoding     the encoding of tiktoken that cuts like this, if there is one
    variant_of   the split that this one replaces where tiktoken itself does otherwise than tokenizer.json files
    """

    name: str
    patterns: tuple[str, ...]
    declaration: dict[str, Any]
    encoding: str | None = None
    variant_of: str | None = None

    def pretokenize(self, text: str) -> list[str]:
        """Cut `text` into pre-tokens. Cost: O(characters). Raises TypeError if `text` is not a str.

        >>> SPLITS["qwen2"].pretokenize("I've 12 apples")
        ['I', "'ve", ' ', '1', '2', ' apples']
        """
        return steps_of(self.patterns).split(text)


def pretokenize_cl100k(text: str) -> list[str]:
    """Cut `text` into GPT-4's pre-tokens, those of `CL100K_PATTERN`.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_cl100k("I've 12345 apples!!")
    ['I', "'ve", ' ', '123', '45', ' apples', '!!']
    """
    return SPLITS["cl100k"].pretokenize(text)


def pretokenize_o200k(text: str) -> list[str]:
    """Cut `text` into GPT-4o's pre-tokens, those of `O200K_PATTERN`.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_o200k("McDonald's 12345!!")
    ['Mc', "Donald's", ' ', '123', '45', '!!']
    """
    return SPLITS["o200k"].pretokenize(text)


def pretokenize_cl100k_tiktoken(text: str) -> list[str]:
    r"""Cut `text` as tiktoken's `cl100k_base` does: white space at the end of the text is one pre-token, newlines and all.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_cl100k_tiktoken("end.\n\n  "), pretokenize_cl100k("end.\n\n  ")
    (['end', '.\n\n', '  '], ['end', '.\n\n', '  '])
    >>> pretokenize_cl100k_tiktoken("end\n\n  "), pretokenize_cl100k("end\n\n  ")
    (['end', '\n\n  '], ['end', '\n\n', '  '])
    """
    return SPLITS["cl100k_tiktoken"].pretokenize(text)


def of_tiktoken(name: str) -> Split:
    """What tiktoken itself does under this name. Raises ValueError, naming the names, for any but those in CHOICES.

    >>> of_tiktoken("cl100k").name, of_tiktoken("o200k").name
    ('cl100k_tiktoken', 'o200k')
    """
    if name not in CHOICES:
        raise ValueError(f"split is {name!r:.60}; it must be one of {', '.join(CHOICES)}")
    own = [split for split in SPLITS.values() if split.variant_of == name]
    return own[0] if own else SPLITS[name]


def _declared(*patterns: str, trim_offsets: bool = True) -> dict[str, Any]:
    """The declaration of a split by `patterns`: these first, then bytes, without a split of their own."""
    splits = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns
    ]
    byte_level = {**BYTE_LEVEL, "trim_offsets": trim_offsets, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [*splits, byte_level]}


# The table of all splits, by name. Whatever lists splits (choices, messages, checks, tests) is drawn from it, so a new one is
# a row here.
SPLITS: dict[str, Split] = {
    split.name: split
    for split in (
        Split("gpt2", (GPT2_PATTERN,), BYTE_LEVEL, "r50k_base"),
        Split("cl100k", (CL100K_PATTERN,), _declared(CL100K_PATTERN)),
        Split("o200k", (O200K_PATTERN,), _declared(O200K_PATTERN), "o200k_base"),
        Split(
            *("cl100k_tiktoken", (CL100K_TIKTOKEN_PATTERN,), _declared(CL100K_TIKTOKEN_PATTERN), "cl100k_base"),
            variant_of="cl100k",
        ),
        Split("qwen2", (QWEN2_PATTERN,), _declared(QWEN2_PATTERN, trim_offsets=False)),
        Split("qwen3.5", (QWEN3_5_PATTERN,), _declared(QWEN3_5_PATTERN, trim_offsets=False)),
        Split("tekken", (TEKKEN_PATTERN,), _declared(TEKKEN_PATTERN)),
        Split("deepseek-v3", DEEPSEEK_V3_PATTERNS, _declared(*DEEPSEEK_V3_PATTERNS)),
    )
}
DEFAULT = "gpt2"
CHOICES = tuple(name for name in SPLITS if SPLITS[name].variant_of is None)  # what whoever trains may choose from
OTHERS = tuple(name for name in CHOICES if name != DEFAULT)
# What is compared where GPT-2's is known to be the dearest: those that OpenAI made after it.
NEWER = tuple(name for name in OTHERS if of_tiktoken(name).encoding)

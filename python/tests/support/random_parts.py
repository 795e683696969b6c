"""The parts of a tokenizer.json but for its model, drawn from the grammar that the wide loader promises.

Each function takes a `random.Random` and returns the section as the file writes it. What a part may be stands in one table
below, with how often it is drawn; `random_files.py` puts a file together. Nothing here is taken from what reads such files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Part = dict[str, Any]
Draw = Callable[[Random], Part]

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
STRINGS = (
    "a",
    "b",
    "ab",
    " ",
    "  ",
    "\u2581",
    "é",
    "e\u0301",
    "A",
    "\ufb01",
    "1",
    "12",
    ".",
    "'",
    "\n",
    "ß",
    "日",
    "🙂",
    "<",
    "|>",
)

# The splits of real models, and steps that only meet beside others.
PATTERNS = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "\\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    r"[\r\n]",
    r"\s?\p{L}+",
    r"\s?\p{P}+",
    r"[0-9][0-9][0-9]",
    r"\s+$",
)

# A pattern of one's own: a few alternatives, each of atoms that may be repeated. Kept to what cannot be empty when repeated.
ATOMS = (
    *(r"\s", r"\S", r"\p{L}", r"\p{N}", r"\p{P}", r"\p{M}", r"\p{Lu}", r"\P{L}", r"[^\s\p{L}]", r"[a-z]", r"[^a-z\s]"),
    *("a", "b", " ", "é", "日", r"\n", r"\.", r"[ab]", r"[0-9]", r"[\r\n]", r"(?:ab)", r"(?i:'s|'t)", r"(a|bc)"),
)
QUANTIFIERS = ("", "", "", "?", "*", "+", "+", "{1,3}", "{2}", "{2,}")
ENDS = ("", "", "", "", r"(?!\S)", r"(?=\s)", "(?=a)", "$")


def table(*rows: tuple[float, Draw]) -> Draw:
    """A draw that takes one of the rows by its weight."""
    weights, draws = [weight for weight, _ in rows], [draw for _, draw in rows]
    return lambda random: random.choices(draws, weights)[0](random)


def flag(random: Random, often: float = 0.5) -> bool:
    return random.random() < often


def pattern(random: Random) -> str:
    """The source of a split pattern: a real model's, or one that nobody has written yet."""
    if flag(random):
        return random.choice(PATTERNS)
    alternatives = []
    for _ in range(random.randint(1, 3)):
        atoms = (random.choice(ATOMS) + random.choice(QUANTIFIERS) for _ in range(random.randint(1, 3)))
        alternatives.append("".join(atoms) + random.choice(ENDS))
    return "|".join(alternatives)


def string_or_regex(random: Random) -> Part:
    """What Replace looks for."""
    if flag(random, 0.7):
        return {"String": random.choice(STRINGS)}
    return {"Regex": random.choice((r"\s+", " {2,}", "[0-9]", "a|b", r"\p{L}", r"[^a-z]", r"\s+$", "(?:ab)+"))}


def replace(random: Random) -> Part:
    return {
        "type": "Replace",
        "pattern": string_or_regex(random),
        "content": random.choice(("", *STRINGS, "XYZ", "e\u0301")),
    }


def one_of_type(*types: str) -> Draw:
    return lambda random: {"type": random.choice(types)}


# Normalizers


NORMALIZER = table(
    (4, one_of_type("NFC", "NFC", "NFD", "NFKC", "NFKD")),
    (1, one_of_type("Lowercase")),
    (1, one_of_type("StripAccents")),
    (3, replace),
    (1, lambda random: {"type": "Prepend", "prepend": random.choice(STRINGS)}),
    (1, lambda random: {"type": "Strip", "strip_left": flag(random), "strip_right": flag(random)}),
)
UNICODE_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def normalizer(random: Random) -> Part | None:
    if flag(random, 0.4):
        return None
    if flag(random, 0.6):
        return NORMALIZER(random)
    parts = [NORMALIZER(random) for _ in range(random.randint(0, 3))]
    if flag(random, 0.1):
        parts.append({"type": "Sequence", "normalizers": [NORMALIZER(random)]})
    return {"type": "Sequence", "normalizers": parts}


# Pre-tokenizers


def byte_level(random: Random) -> Part:
    part = {"type": "ByteLevel", "add_prefix_space": flag(random, 0.3), "trim_offsets": flag(random)}
    return part if flag(random, 0.2) else {**part, "use_regex": flag(random)}


def metaspace(random: Random) -> Part:
    scheme, split = random.choice(("always", "first", "never")), flag(random)
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": split}


def split(random: Random) -> Part:
    isolated = flag(random)
    return {
        "type": "Split",
        "pattern": {"Regex": pattern(random)} if flag(random, 0.8) else {"String": random.choice(STRINGS)},
        "behavior": "Isolated" if isolated else random.choice(BEHAVIORS),
        "invert": not isolated and flag(random, 0.4),
    }


STEP = table(
    (5, split),
    (2, lambda random: {"type": "Digits", "individual_digits": flag(random)}),
    (1, lambda random: {"type": "Punctuation", "behavior": random.choice(BEHAVIORS)}),
    (0.5, one_of_type("Whitespace")),
    (0.5, one_of_type("WhitespaceSplit")),
    (0.5, metaspace),
)


def pre_tokenizer(random: Random, to_bytes: bool) -> Part | None:
    """Steps in any order; with `to_bytes`, ByteLevel is one of them, most often the last."""
    steps = [STEP(random) for _ in range(random.choice((0, 0, 1, 1, 2, 3)))]
    if to_bytes:
        at = len(steps) if flag(random, 0.8) else random.randint(0, len(steps))
        steps.insert(at, byte_level(random))
    elif flag(random, 0.5):
        steps.append(metaspace(random))
    if len(steps) < 2 and flag(random, 0.8):
        return steps[0] if steps else None
    if len(steps) > 1 and flag(random, 0.1):
        steps[:2] = [{"type": "Sequence", "pretokenizers": steps[:2]}]
    return {"type": "Sequence", "pretokenizers": steps}


# Post-processors


def template(random: Random, named: Sequence[tuple[str, int]]) -> Part:
    """A TemplateProcessing of the tokens in `named` (content, id). Its ids are what the file writes, which may be others'."""
    specials = {}
    for content, id in random.sample(list(named), min(len(named), random.randint(0, 3))):
        ids = [id if flag(random, 0.9) else random.randrange(400) for _ in range(random.choice((1, 1, 1, 2)))]
        specials[content] = {"id": content, "ids": ids, "tokens": [content] * len(ids)}
    pieces: list[Part] = [{"SpecialToken": {"id": content, "type_id": flag(random) + 0}} for content in specials]
    single = [*pieces, {"Sequence": {"id": "A", "type_id": 0}}]
    random.shuffle(single)
    if flag(random, 0.03):
        single.append({"Sequence": {"id": "A", "type_id": 0}})
    pair: list[Part] = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": single, "pair": [*pieces, *pair], "special_tokens": specials}


def post_processor(random: Random, named: Sequence[tuple[str, int]]) -> Part | None:
    def around(type: str, **fields: bool) -> Part:
        sep, cls = random.choice(named), random.choice(named)
        return {"type": type, "sep": list(sep), "cls": list(cls), **fields}

    def one() -> Part:
        choice = random.randrange(8)
        if choice < 3 or not named:
            return byte_level(random)
        if choice < 6:
            return template(random, named)
        if choice == 6:
            return around("BertProcessing")
        return around("RobertaProcessing", trim_offsets=flag(random), add_prefix_space=flag(random))

    if flag(random, 0.35):
        return None
    if flag(random, 0.75):
        return one()
    return {"type": "Sequence", "processors": [one() for _ in range(random.randint(0, 3))]}


# Truncation and padding


def truncation(random: Random) -> Part | None:
    if flag(random, 0.85):
        return None
    length = random.choice((0, 4, 5, 6, 8, 12, 40))
    strategy = random.choices(("LongestFirst", "OnlyFirst", "OnlySecond"), (20, 10, 1))[0]
    stride = random.choice((0, 0, 0, 1, 2))
    return {"direction": random.choice(("Left", "Right")), "max_length": length, "strategy": strategy, "stride": stride}


def padding(random: Random) -> Part | None:
    if flag(random, 0.85):
        return None
    return {
        "strategy": "BatchLongest" if flag(random) else {"Fixed": random.choice((0, 1, 5, 9))},
        "direction": random.choice(("Left", "Right")),
        "pad_to_multiple_of": random.choice((None, None, 0, 1, 4)),
        "pad_id": random.choice((0, 1, 7, 300)),
        "pad_type_id": 0,
        "pad_token": random.choice(("[PAD]", "a")),
    }


# Decoders


DECODER = table(
    (1, byte_level),
    (1, one_of_type("ByteFallback")),
    (1, one_of_type("Fuse")),
    (1, metaspace),
    (2, replace),
    (
        1,
        lambda random: {"type": "Strip", "content": random.choice(" \u2581a"), "start": random.randrange(3), "stop": 0},
    ),
    (
        0.2,
        lambda random: {"type": "Strip", "content": random.choice(" \u2581a"), "start": 0, "stop": random.randrange(3)},
    ),
)


def decoder(random: Random, to_bytes: bool) -> Part | None:
    if flag(random, 0.1):
        return None
    if to_bytes and flag(random, 0.8):
        return byte_level(random)
    if not to_bytes and flag(random, 0.4):
        space = {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}
        strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
        return {"type": "Sequence", "decoders": [space, {"type": "ByteFallback"}, {"type": "Fuse"}, strip]}
    if flag(random):
        return DECODER(random)
    return {"type": "Sequence", "decoders": [DECODER(random) for _ in range(random.randint(0, 3))]}

"""Random tokenizer.json files from the whole grammar that the wide loader promises, and texts hostile to each.

`draw(random)` makes a file with a small vocabulary; `texts(random, file, count)` texts of its own tokens, whole, cut and
joined, of white space, marks, digits and what `hard_texts` knows. The parts other than the model are drawn in
`random_parts.py`; `file_checks.py` compares ours with Hugging Face's on a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import hard_texts
import random_parts
import tokenizers
from comparison import theirs
from naive import ALPHABET, STAND_IN
from random_parts import flag

File = dict[str, Any]
Load = Callable[[File], Any]

LETTERS = "ab12é日. '\n\u0301ßA"
SEEDS = (
    "ab",
    "aab",
    "the",
    " the",
    "a1b2",
    "12 34",
    "don't",
    "é\u0301",
    "日本",
    "...",
    " a",
    "  ",
    "\n\n",
    "A's",
    "🙂",
    "<a>b",
)


def draw(random: Random) -> File:
    """A file: byte-level three times out of four, else of characters."""
    to_bytes = flag(random, 0.75)
    model = draw_model(random, to_bytes)
    named = [
        (token, model["vocab"][token]) for token in random.sample(list(model["vocab"]), min(4, len(model["vocab"])))
    ]
    named += [("[CLS]", random.randrange(50)), ("[SEP]", len(model["vocab"]))]
    file = {
        "version": "1.0",
        "truncation": random_parts.truncation(random),
        "padding": random_parts.padding(random),
        "added_tokens": draw_added_tokens(random, model["vocab"]),
        "normalizer": random_parts.normalizer(random),
        "pre_tokenizer": random_parts.pre_tokenizer(random, to_bytes),
        "post_processor": random_parts.post_processor(random, named),
        "decoder": random_parts.decoder(random, to_bytes),
        "model": model,
    }
    return with_their_ids(json.loads(json.dumps(file)))


def draw_model(random: Random, to_bytes: bool) -> File:
    """The model's section: every option, on a vocabulary of some hundred tokens at most."""
    fallback = flag(random, 0.05 if to_bytes else 0.5)
    plain = fallback and flag(random, 0.95)  # the rest is refused
    prefix = random.choices((None, "", "##"), (8, 2, 0 if plain else 1))[0]
    suffix = random.choices((None, "", "</w>"), (8, 2, 0 if plain else 2))[0]
    tokens = dict.fromkeys(alphabet(random, to_bytes))
    if fallback:
        tokens |= dict.fromkeys(f"<0x{byte:02X}>" for byte in range(256) if flag(random, 0.99))
    unk = random.choices((None, "<unk>", "a", "lacking"), (30, 8, 2, 0.3))[0]
    if unk not in (None, "lacking"):
        tokens[unk] = None
    if flag(random, 0.1):
        tokens[""] = None
    merges = draw_merges(random, tokens, to_bytes, prefix or "", suffix or "")
    ignore = flag(random, 0.3)
    if ignore:
        tokens |= dict.fromkeys(map("".join, random.sample(spelled_seeds(to_bytes), 6)))
    as_strings = flag(random, 0.3) and not any(" " in part or not part for pair in merges for part in pair)
    model = {
        "type": "BPE",
        "dropout": 0.0 if flag(random, 0.1) else None,
        "unk_token": unk,
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "fuse_unk": flag(random),
        "byte_fallback": fallback,
        "ignore_merges": ignore,
        "vocab": numbered(random, list(tokens)),
        "merges": [" ".join(pair) for pair in merges] if as_strings else [list(pair) for pair in merges],
    }
    for option in ("ignore_merges", "byte_fallback", "dropout"):  # files older than an option lack it
        if not model[option] and flag(random, 0.1):
            del model[option]
    return model


def alphabet(random: Random, to_bytes: bool) -> list[str]:
    """The symbols: all stand-ins of bytes, most of them, or a few; or characters."""
    if not to_bytes:
        return [*"\u2581", *(ch for ch in LETTERS + " tc日本<>" if flag(random, 0.9))]
    choice = random.random()
    if choice < 0.6:
        return list(ALPHABET)
    if choice < 0.85:
        return [symbol for symbol in ALPHABET if flag(random, 0.9)]
    return [symbol for seed in spelled_seeds(True) for symbol in seed if flag(random, 0.8)] or ["a"]


def spelled_seeds(to_bytes: bool) -> list[list[str]]:
    """The symbols of some short texts, from which merges are made."""
    if to_bytes:
        return [[STAND_IN[byte] for byte in seed.encode()] for seed in SEEDS]
    return [list(seed.replace(" ", "\u2581")) for seed in SEEDS]


def draw_merges(
    random: Random, tokens: dict[str, None], to_bytes: bool, prefix: str, suffix: str
) -> list[tuple[str, str]]:
    """Merges whose parts and results are in `tokens`, where they are put: those that join the seeds, and odd ones."""
    rows = []
    for row in spelled_seeds(to_bytes):
        row = [symbol if at == 0 else prefix + symbol for at, symbol in enumerate(row)]
        rows.append([*row[:-1], row[-1] + suffix] if flag(random, 0.7) else row)
    merges: dict[tuple[str, str], None] = {}
    for _ in range(random.randint(0, 30)):
        row = random.choice(rows)
        if len(row) > 1:
            at = random.randrange(len(row) - 1)
            pair = row[at], row[at + 1]
        else:
            pair = random.choice(list(tokens)), prefix + random.choice(list(tokens))
        if not all(pair):
            continue
        joined = pair[0] + pair[1][len(prefix) :]
        if len(row) > 1:
            row[at : at + 2] = [joined]
        merges[pair] = None
        tokens |= dict.fromkeys((*pair, joined))
    listed = list(merges)
    if flag(random, 0.3):
        random.shuffle(listed)
    return listed


def numbered(random: Random, tokens: list[str]) -> dict[str, int]:
    """Each token with its id: in any order, now and then with gaps."""
    if flag(random):
        random.shuffle(tokens)
    gaps = flag(random, 0.1)
    vocab, id = {}, 0
    for token in tokens:
        vocab[token] = id
        id += 1 + (gaps and flag(random, 0.1)) * random.randint(1, 3)
    return vocab


def draw_added_tokens(random: Random, vocab: dict[str, int]) -> list[File]:
    contents = hard_texts.contents(random) if flag(random, 0.6) else []
    if contents and flag(random, 0.3):
        contents += random.sample([*"ab", "A", "\ufb01", "e\u0301", "É", "<A>", "\u2581a"], 2)
    if flag(random, 0.3):
        contents += [token for token in random.sample(list(vocab), min(2, len(vocab))) if token]
    return [
        {
            "id": vocab.get(content, len(vocab)),
            "content": content,
            "single_word": flag(random, 0.15),
            "lstrip": flag(random, 0.2),
            "rstrip": flag(random, 0.15),
            "normalized": flag(random, 0.4),
            "special": flag(random),
        }
        for content in dict.fromkeys(contents)
    ]


def with_their_ids(file: File) -> File:
    """The file with the ids that Hugging Face gives its added tokens, whatever stood there.

    Two kinds of added token are left out, for nobody could say what is right. Of two that the normalizer makes equal, Hugging
    Face matches one today and the other tomorrow, by the order of a hash map. One of which the normalizer leaves nothing
    matches everywhere, until Hugging Face has filled the memory and is killed.
    """
    made = theirs(lambda: tokenizers.Tokenizer.from_str(json.dumps(file)))
    if made.kind == "refused":
        return file
    normalizer, kept = made.value.normalizer, {}
    for token in file["added_tokens"]:
        normal = token["content"]
        if token["normalized"] and normalizer is not None:
            normal = normalizer.normalize_str(normal)
        if normal:
            kept.setdefault((token["normalized"], normal), token)
    file["added_tokens"] = list(kept.values())
    given = tokenizers.Tokenizer.from_str(json.dumps(file)).get_added_tokens_decoder()
    ids = {token.content: id for id, token in given.items()}
    for token in file["added_tokens"]:
        token["id"] = ids.get(token["content"], token["id"])
    return file


def texts(random: Random, file: File, count: int) -> list[str]:
    """The empty text, and others made of what this file may get wrong."""
    contents = [token["content"] for token in file["added_tokens"]]
    byte_of = {stand_in: byte for byte, stand_in in STAND_IN.items()}
    own = [
        bytes(map(byte_of.__getitem__, t)).decode("utf-8", "ignore")
        for t in file["model"]["vocab"]
        if set(t) <= set(byte_of)
    ]
    own = [token for token in own if len(token) > 1] or ["ab"]
    made = [""]
    while len(made) < count:
        if flag(random, 0.4):
            made.append(hard_texts.text(random, contents, most=6))
            continue
        fragments = []
        for _ in range(random.randint(1, 7)):
            fragment = random.choice(
                random.choice((own, SEEDS, LETTERS, contents or SEEDS, random_parts.STRINGS, hard_texts.WHITE_SPACE))
            )
            cut = random.randint(0, len(fragment)) if flag(random, 0.15) else len(fragment)
            fragments.append(fragment[:cut])
        made.append(random.choice(("", "", "", " ")).join(fragments))
    return made

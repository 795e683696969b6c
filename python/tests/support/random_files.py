"""Random tokenizer.json files from the whole grammar that the wide loader promises, and texts hostile to each.

`draw(random)` makes a file with a small vocabulary; `texts(random, file, count)` texts of its own tokens, whole, cut and
joined, of white space, marks, digits and what `hard_texts` knows. `check_file` compares ours with Hugging Face's on one file.
The parts other than the model are drawn in `random_parts.py`, failures are made small in `shrinking.py`.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import hard_texts
import random_parts
import tokenizers
from comparison import Comparison, Difference, Outcome, Tally, ours, theirs
from naive import ALPHABET, STAND_IN
from random_parts import flag
from shrinking import shrink

from tinyllm.tok import pretrained

File = dict[str, Any]
Load = Callable[[File], Any]

# What may be refused though Hugging Face reads it: the pattern of a line of the error -> why. Anything else that is refused
# in a drawn file is a failure.
REFUSALS = {
    r"added_tokens\[\d+\]\.id is ": "a gap in the ids, and the added token's id is one of the vocabulary's: a clash",
    r"model\.byte_fallback is true; it must be false with a ": "fallback and prefixes or suffixes meet in no model's file",
}

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


# Comparing a file


@dataclass
class Result:
    """What came of one file: how it was read, and the differences found."""

    loaded: bool = False  # by both
    refused_by_both: bool = False
    refused_here: list[str] = field(default_factory=list)  # by ours alone, for reasons on the list
    differences: list[Difference] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)


def load(file: File) -> Any:
    """Our tokenizer of a file, read as a user reads it."""
    return load_text(json.dumps(file))


def load_text(text: str) -> Any:
    """The same for the text of a file. The name of the file is left out of an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(text, "utf-8")
        try:
            return pretrained.load(path)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"{path}: ")) from None


def check_file(file: File, texts: Sequence[str], load: Load = load, most: int = 1) -> Result:
    """Ours beside Hugging Face's on one file and these texts; at most `most` differences are looked for."""
    result = Result()
    hf = theirs(lambda: tokenizers.Tokenizer.from_str(json.dumps(file)))
    made = ours(lambda: load(file))
    if hf.kind == "refused" or made.kind != "value":
        if made.kind == "refused" and (hf.kind == "refused" or refuses_all(hf.value, texts)):
            result.refused_by_both = True
        elif made.kind == "refused" and not (unlisted := not_listed(made.value)):
            result.refused_here = reasons(made.value)
        else:
            told = (
                Outcome(made.kind, made.value if made.kind != "refused" else unlisted) if made.kind != "value" else made
            )
            result.differences.append(Difference("loading", None, told, hf))
        return result
    result.loaded = True
    comparison = Comparison(made.value, hf.value, unaligned(file["normalizer"]))
    for found in (comparison.differences(texts), comparison.of_tokens(most=100)):
        for difference in found:
            if len(result.differences) < most:
                result.differences.append(difference)
            else:
                break
    result.tally = comparison.tally
    return result


def refuses_all(hf: tokenizers.Tokenizer, texts: Sequence[str]) -> bool:
    """Whether Hugging Face reads the file and then panics on whatever is encoded; ours may say so when it reads the file."""
    return all(theirs(lambda: hf.encode(text)).kind == "refused" for text in ("", "a b", *texts))  # noqa: B023


def unaligned(normalizer: Any) -> bool:
    """Whether offsets may be refused: a Unicode form is among the normalizers."""
    if not isinstance(normalizer, dict):
        return False
    return normalizer.get("type") in random_parts.UNICODE_FORMS or any(
        map(unaligned, normalizer.get("normalizers", ()))
    )


def reasons(message: str) -> list[str]:
    """The lines of a refusal, one a field."""
    lines = message.splitlines()
    return [line.strip() for line in (lines[1:] if len(lines) > 1 else lines)]


def not_listed(message: str) -> list[str]:
    """The lines of a refusal that no row of REFUSALS allows."""
    return [line for line in reasons(message) if not any(re.match(allowed, line) for allowed in REFUSALS)]


# One file drawn by number: what the suite and `make fuzz` try


def try_file(seed: str, count: int = 50, load: Load = load) -> tuple[Result, str | None]:
    """(what came of the file with this seed, a report of its failure made small, or None)."""
    random = Random(seed)
    file = draw(random)
    result = check_file(file, texts(random, file, count), load)
    return result, report(file, result.differences[0], load) if result.differences else None


def report(file: File, difference: Difference, load: Load = load) -> str:
    """The smallest file found that differs in the same aspect, and the difference."""
    shown = difference

    def fails(file: File, text: str) -> bool:
        nonlocal shown
        inputs = difference.input if difference.aspect == "ids in a batch" else [text]
        for found in check_file(file, inputs, load, most=3).differences:
            if kind_of(found) == kind_of(difference):
                shown = found
                return True
        return False

    # The text of ids is compared wherever some text has these ids; without such a text nothing is made smaller.
    text = difference.input if isinstance(difference.input, str) else ""
    if fails(file, text):
        file, text = shrink(file, text, fails)
        fails(file, text)
    return f"{shown}\n  file {json.dumps(file, ensure_ascii=False)}"


def kind_of(difference: Difference) -> tuple[str, ...]:
    """What must stay the same while a failure is made small: the aspect, who refuses, and which field we refuse."""
    field = str(difference.ours.value).partition(" is ")[0] if difference.aspect == "loading" else ""
    return difference.aspect, difference.ours.kind, difference.theirs.kind, field


@dataclass
class Total:
    """What came of many files."""

    files: int = 0
    refused_by_both: int = 0
    refused_here: int = 0
    tally: Tally = field(default_factory=Tally)
    reports: list[str] = field(default_factory=list)

    def add(self, result: Result, report: str | None) -> None:
        """Count one file."""
        reports = [report] if report else []
        self.merge(Total(1, int(result.refused_by_both), int(bool(result.refused_here)), result.tally, reports))

    def merge(self, other: Total) -> None:
        """Count what another has counted."""
        self.files += other.files
        self.refused_by_both += other.refused_by_both
        self.refused_here += other.refused_here
        self.tally.add(other.tally)
        self.reports += other.reports

    def __str__(self) -> str:
        why = "".join(f"\n  {count:>6,} texts: {reason}" for reason, count in self.tally.reasons.items())
        return (
            f"{self.files:,} files, {self.refused_by_both:,} refused by both, {self.refused_here:,} refused by ours for a listed "
            f"reason; {self.tally.texts:,} texts, {self.tally.refused:,} refused by both, {self.tally.without_offsets:,} without "
            f"offsets{why}"
        )

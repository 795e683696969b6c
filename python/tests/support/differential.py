"""Differences between the library and Hugging Face or tiktoken, looked for at random.

Each function takes a `random.Random`, makes one input, and returns None or a sentence about the difference that it found.
`test_differential.py` runs some hundred of each in every suite, `scripts/fuzz.py` as many as you like.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import hard_texts
import hf_json
import naive
import oracles
import split_differences

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splits import DEFAULT, SPLITS

Difference = str | None


@cache
def ours(name: str) -> BPETokenizer:
    return BPETokenizer.from_hf_json(oracles.tokenizer_json(name))


@cache
def theirs(name: str) -> dict[str, Callable[[str], list[int]]]:
    """How each library encodes with specials and without, by the name it is called in a report."""
    path = oracles.tokenizer_json(name)
    with_specials, without = oracles.hf_of(path), oracles.without_specials(path)
    ways = {
        "HF": lambda text: with_specials.encode(text).ids,
        "HF without specials": lambda text: without.encode(text).ids,
    }
    if name == "gpt2":
        encoding = oracles.tiktoken_gpt2()
        ways["tiktoken"] = lambda text: encoding.encode(text, allowed_special="all")
        ways["tiktoken without specials"] = encoding.encode_ordinary
    return ways


@cache
def hf(name: str) -> Any:
    return oracles.hf_of(oracles.tokenizer_json(name))


def text_of_a_model(name: str, random: Random) -> Difference:
    """A hard text in GPT-2's or SmolLM2's ids: every policy, both libraries, and back."""
    text = hard_texts.text(random, list(ours(name).added))
    found = difference_in_encoding(name, text)
    if found is None:
        return difference_in_decoding(name, ours(name).encode(text))
    short = hard_texts.shrink(text, lambda text: difference_in_encoding(name, text) is not None)
    return difference_in_encoding(name, short)


def difference_in_encoding(name: str, text: str) -> Difference:
    found = {policy: ours(name).encode(text, allowed_special=policy) for policy in ("all", "none")}
    for library, encode in theirs(name).items():
        policy = "none" if "without" in library else "all"
        if encode(text) != found[policy]:
            return f"{name}, {text!a}, allowed_special={policy!r}: ours {found[policy]}, {library} {encode(text)}"
    return None


def difference_in_decoding(name: str, ids: list[int]) -> Difference:
    for skip in (False, True):
        found, right = ours(name).decode(ids, skip), hf(name).decode(ids, skip_special_tokens=skip)
        if found != right:
            return f"{name}, {ids}, skip_special={skip}: ours {found!a}, HF {right!a}"
    return None


def ids_of_a_model(name: str, random: Random) -> Difference:
    """Random ids, most of which no text has: cut characters, bytes that are not UTF-8."""
    most = random.choice((300, ours(name).vocab_size))
    return difference_in_decoding(name, [random.randrange(most) for _ in range(random.randint(0, 12))])


def trained_tokenizer(random: Random) -> Difference:
    """A random trained tokenizer with random added tokens, saved by each side and loaded by both."""
    corpus = hard_texts.corpus(random, length=20) + [
        hard_texts.text(random, most=8) for _ in range(random.randint(0, 3))
    ]
    size = 256 + random.randint(0, 40)
    contents = hard_texts.contents(random)
    trained = BPETokenizer.train(corpus, size, min_freq=random.randint(1, 3))
    next_free = len(trained.vocab)
    added = []
    for content in contents:
        id = trained.vocab.get(content, next_free)
        next_free += content not in trained.vocab
        added.append((content, id, random.random() < 0.5))
    split = random.choice((hf_json.SMOLLM2_SPLIT, *SPLITS))
    made = BPETokenizer(trained.vocab, trained.merges, added, split)
    texts = [hard_texts.text(random, contents, most=8) for _ in range(4)] + corpus
    with tempfile.TemporaryDirectory() as folder:
        by_us, by_them = Path(folder, "ours.json"), Path(folder, "theirs.json")
        made.save(by_us)
        hf_first = oracles.hf_of(by_us)
        hf_first.save(str(by_them))
        tokenizers = {
            "made": made,
            "saved and loaded": BPETokenizer.load(by_us),
            "saved by HF": BPETokenizer.load(by_them),
        }
    for way, tokenizer in tokenizers.items():
        for text in texts:
            found, right = tokenizer.encode(text), hf_first.encode(text).ids
            if found != right:
                return f"trained on {corpus!a} to {size}, added {added!a}, {way}, {text!a}: ours {found}, HF {right}"
            # Contents in the byte alphabet Hugging Face garbles: a named test.
            if not any(oracles.BYTE_OF.keys() >= set(content) for content in contents):
                for skip in (False, True):
                    if tokenizer.decode(found, skip) != hf_first.decode(found, skip_special_tokens=skip):
                        return f"added {added!a}, {way}, {found}, skip_special={skip}: another text than HF's"
    return None


def odd_merges(random: Random) -> Difference:
    """Merges that no trainer would make: ours, Hugging Face's and the naive twin's ids."""
    letters = "abcd"[: random.randint(1, 4)]
    vocab, merges = hard_texts.merge_list(random, letters)
    tokenizer = BPETokenizer(vocab, merges)
    oracle = oracles.hf_of(hf_json.document(vocab, merges))
    for length in (4, 7, 12, 30, 150):
        text = "".join(random.choices(letters, k=length))
        found, right = tokenizer.encode(text), oracle.encode(text).ids
        if not found == right == [vocab[token] for token in naive.merge(text, merges)]:
            return f"vocab {json.dumps(vocab)}, merges {merges}, {text!r}: ours {found}, HF {right}"
    return None


def training(random: Random) -> Difference:
    """Merges learned from a random corpus by a random split: ours, Hugging Face's."""
    corpus = hard_texts.corpus(random)
    if random.random() < 0.1:
        corpus += [hard_texts.text(random) for _ in range(3)]
    size, min_freq = 256 + random.randint(0, 60), random.randint(1, 4)
    split = random.choice((DEFAULT, *SPLITS))
    found = BPETokenizer.train(corpus, size, min_freq=min_freq, pre_tokenizer=split)
    right = oracles.hf_trained(corpus, size, min_freq, patterns=() if split == DEFAULT else SPLITS[split].patterns)
    what = f"train({corpus!a}, {size}, min_freq={min_freq}, pre_tokenizer={split!r})"
    if found.merges != oracles.hf_merges(right):
        return f"{what}: ours {found.merges}, HF {oracles.hf_merges(right)}"
    if found.vocab != right.get_vocab():
        return f"{what}: the vocabularies differ"
    return None


def training_with_specials(random: Random) -> Difference:
    """With specials, which Hugging Face does not cut out of the texts: so it gets the texts cut, by the naive twin."""
    specials = [content for content in hard_texts.contents(random) if len(content) > 1]
    corpus = [hard_texts.text(random, specials, most=6) for _ in range(random.randint(0, 6))]
    corpus += ["".join(random.choices([*"ab ", *specials], k=8)) for _ in range(4)]
    size, min_freq = 256 + len(specials) + random.randint(0, 40), random.randint(1, 3)
    segments = [segment for text in corpus for segment, _ in naive.cut(text, specials)]
    right = oracles.hf_trained(segments, size, min_freq, specials)
    spelled = [left + right for left, right in oracles.hf_merges(right) if left + right in specials]
    try:
        found = BPETokenizer.train(corpus, size, specials, min_freq)
    except ValueError as error:
        return (
            None
            if spelled and "which is a special" in str(error)
            else f"train({corpus!a}, {size}, {specials!a}): {error}"
        )
    if spelled:
        return f"train({corpus!a}, {size}, {specials!a}): a merge spells {spelled[0]!a}, and no error says so"
    if (found.merges, found.vocab) != (oracles.hf_merges(right), right.get_vocab()):
        return (
            f"train({corpus!a}, {size}, {specials!a}, {min_freq}): ours {found.merges}, HF {oracles.hf_merges(right)}"
        )
    return None


FAMILIES: dict[str, Callable[[Random], Difference]] = {
    "texts of gpt2": lambda random: text_of_a_model("gpt2", random),
    "texts of smollm2": lambda random: text_of_a_model("smollm2", random),
    "ids of gpt2": lambda random: ids_of_a_model("gpt2", random),
    "ids of smollm2": lambda random: ids_of_a_model("smollm2", random),
    "trained tokenizers": trained_tokenizer,
    "odd merges": odd_merges,
    "training": training,
    "training with specials": training_with_specials,
    "split patterns": split_differences.random_pattern,
    "refused split patterns": split_differences.refused_pattern,
    "published split patterns": split_differences.published_pattern,
}

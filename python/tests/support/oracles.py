"""What Hugging Face and tiktoken say: the two libraries whose ids are right by definition.

Nothing here is taken from the library under test, so a mistake there cannot hide by being on both sides.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tiktoken
import tokenizers
from naive import ALPHABET, BYTE_OF, STAND_IN  # noqa: F401  (tests take them from here)
from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "course" / "fixtures"
MODELS = ("gpt2", "smollm2")
END = "<|endoftext|>"

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def tokenizer_json(name: str) -> Path:
    return FIXTURES / name / "tokenizer.json"


def oracle_cases(name: str) -> list[tuple[str, list[int]]]:
    """The 300 hard strings of a model and their ids."""
    lines = (FIXTURES / name / "oracle.jsonl").read_text("utf-8").split("\n")
    return [(case["text"], case["ids"]) for case in map(json.loads, filter(None, lines))]


def hf_of(source: dict[str, Any] | str | os.PathLike[str]) -> tokenizers.Tokenizer:
    """Hugging Face's tokenizer from a document or from a file."""
    if isinstance(source, dict):
        return tokenizers.Tokenizer.from_str(json.dumps(source))
    return tokenizers.Tokenizer.from_file(os.fspath(source))


def without_specials(source: dict[str, Any] | str | os.PathLike[str]) -> tokenizers.Tokenizer:
    """The same, in the mode in which the text of a special token is ordinary text."""
    tokenizer = hf_of(source)
    tokenizer.encode_special_tokens = True
    return tokenizer


def hf_trained(
    texts: Iterable[str], vocab_size: int, min_freq: int = 0, specials: Sequence[str] = (), patterns: Sequence[str] = ()
) -> tokenizers.Tokenizer:
    """A tokenizer that Hugging Face trained, with GPT-2's split or that of some patterns. It does not cut specials out of the texts."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if patterns:
        splits = [pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in patterns]
        to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, to_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_freq,
        special_tokens=[AddedToken(special, special=True, normalized=False) for special in specials],
        initial_alphabet=ALPHABET,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def hf_merges(tokenizer: tokenizers.Tokenizer) -> list[tuple[str, str]]:
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def tiktoken_gpt2() -> tiktoken.Encoding:
    """tiktoken's GPT-2, built from our file since its own download is out of reach."""
    file = json.loads(tokenizer_json("gpt2").read_text("utf-8"))
    specials = {token["content"]: token["id"] for token in file["added_tokens"]}
    ranks = {
        bytes(BYTE_OF[ch] for ch in token): id for token, id in file["model"]["vocab"].items() if token not in specials
    }
    return tiktoken.Encoding("gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=specials)

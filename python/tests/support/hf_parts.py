"""Hugging Face's view of one part of a pipeline: added tokens and normalizer, or a pre-tokenizer, each compared on its own.

The model has the 256 byte symbols and no merges, so that every byte of every pre-token is seen with its offsets.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import tokenizers
from hf_json import document
from naive import ALPHABET, STAND_IN
from oracles import hf_of

BYTES_ONLY = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
FLAG_OF = {"w": "single_word", "l": "lstrip", "r": "rstrip", "n": "normalized", "s": "special"}
VOCAB = {symbol: id for id, symbol in enumerate(ALPHABET)}

Offsets = tuple[int, int]


def added_entries(tokens: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """The `added_tokens` of a file, from contents and the letters of their flags. A byte symbol keeps its id."""
    free = itertools.count(len(VOCAB))
    return [
        {
            "id": VOCAB[content] if content in VOCAB else next(free),
            "content": content,
            **{name: flag in flags for flag, name in FLAG_OF.items()},
        }
        for content, flags in tokens
    ]


def hf_tokenizer(
    tokens: Iterable[tuple[str, str]] = (), normalizer: Any = None, pre_tokenizer: Any = BYTES_ONLY
) -> tokenizers.Tokenizer:
    return hf_of(
        document(
            VOCAB,
            [],
            added_tokens=added_entries(tokens),
            normalizer=normalizer,
            pre_tokenizer=pre_tokenizer,
            decoder=None,
        )
    )


def hf_tokens(tokenizer: tokenizers.Tokenizer, text: str) -> list[tuple[int, Offsets]] | None:
    """(id, offsets) of every token of `text`, or None where Hugging Face panics."""
    try:
        encoding = tokenizer.encode(text)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None
    return list(zip(encoding.ids, encoding.offsets))


def byte_tokens(text: str, spans: Sequence[Offsets]) -> list[tuple[int, Offsets]]:
    """What the model makes of a normalized text whose characters have these spans: a token a byte."""
    return [(VOCAB[STAND_IN[byte]], span) for character, span in zip(text, spans) for byte in character.encode()]

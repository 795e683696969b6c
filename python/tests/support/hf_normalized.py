"""What Hugging Face's normalizers make of a text and where each new character stands, as a tokenizer's offsets show it."""

from __future__ import annotations

import json
from typing import Any

import hf_json
from tokenizers import Tokenizer

from tinyllm.tok.bytemap import bytes_to_unicode

STAND_INS = list(bytes_to_unicode().values())
BYTE_OF = {symbol: byte for byte, symbol in bytes_to_unicode().items()}
WHOLE_TEXT = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


class HFNormalizer:
    """`normalizer`, as JSON, in a tokenizer whose tokens are single bytes and whose pre-token is the whole text."""

    def __init__(self, normalizer: dict[str, Any]) -> None:
        vocab = {symbol: id for id, symbol in enumerate(STAND_INS)}
        file = hf_json.document(vocab, [], pre_tokenizer=WHOLE_TEXT, normalizer=normalizer)
        self._tokenizer = Tokenizer.from_str(json.dumps(file))

    def __call__(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """The normalized text, and for each of its UTF-8 bytes the span in characters of `text`."""
        encoding = self._tokenizer.encode(text)
        return bytes(BYTE_OF[token] for token in encoding.tokens).decode("utf-8"), encoding.offsets

    def text(self, text: str) -> str:
        """The normalized text alone, much faster."""
        return self._tokenizer.normalizer.normalize_str(text)

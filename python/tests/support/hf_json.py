"""A tokenizer.json as Hugging Face writes it, spelled out by hand: nothing here is taken from what loads and saves such files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SMOLLM2_SPLIT = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL]}


def document(
    vocab: dict[str, int],
    merges: Iterable[str | Sequence[str]],
    added: Iterable[tuple[str, int, bool]] = (),
    pre_tokenizer: Any = BYTE_LEVEL,
    **fields: Any,
) -> dict[str, Any]:
    """The whole file. A merge that is a str stays one; `fields` replace or add sections."""
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": id,
                "content": content,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": special,
            }
            for content, id, special in added
        ],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocab,
            "merges": [merge if isinstance(merge, str) else list(merge) for merge in merges],
        },
        **fields,
    }
    return json.loads(json.dumps(file))  # no object stands in two places

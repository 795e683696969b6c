"""Hugging Face's tokenizer.json, the chapter's subset of it, which course/formats/tokenizer.md describes: read and written.

Whatever it does not implement is refused by the name of the field: ignoring one gives other ids without an error.

Source: Hugging Face tokenizers 0.23.3.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import repeat
from typing import Any

from tinyllm.tok.files.gpt2 import HEADER
from tinyllm.tok.files.parts import (
    AddedToken,
    Parts,
    checked_added,
    checked_lines,
    checked_merges,
    checked_vocab,
    errors_name,
)
from tinyllm.tok.jsonfile import check_fields, read_json, shown
from tinyllm.tok.splits import BYTE_LEVEL
from tinyllm.tok.splitting.declaration import YES_NO, declaration_of, pretokenizer_of

# What a tokenizer.json may say besides its parts: field -> the values that change no ids, the first of which is written.
FILE_SETTINGS = {"version": ("1.0",), "truncation": (None,), "padding": (None,), "normalizer": (None,)}
MODEL_SETTINGS = {
    "type": ("BPE",),
    "dropout": (None,),
    "unk_token": (None,),
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "fuse_unk": (False,),
    "byte_fallback": (False,),
    "ignore_merges": (False,),
}


def read_tokenizer_json(path: str | os.PathLike[str]) -> Parts:
    """The parts of a tokenizer from a tokenizer.json. Raises ValueError naming the file, the field and what was found."""
    found = read_json(path)
    with errors_name(path):
        return parse_tokenizer_json(found)


def tokenizer_json(parts: Parts) -> dict[str, Any]:
    """The tokenizer.json of a tokenizer, each field spelled out, so that no reader needs to know a default."""
    vocab, merge_parts, added, special_ids, pre_tokenizer, post_processor = parts
    merges = list(zip(merge_parts[0::2], merge_parts[1::2]))
    # Strings are the form that every version reads, but not for a part with a space, nor for what looks like a header.
    as_pairs = any(" " in left + right or left.startswith(HEADER) for left, right in merges)
    return {
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
                "special": id in special_ids,
            }
            for content, id in sorted(added.items(), key=lambda entry: entry[1])
        ],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor,
        "decoder": BYTE_LEVEL,
        "model": {
            **{field: values[0] for field, values in MODEL_SETTINGS.items()},
            "vocab": dict(sorted(vocab.items(), key=lambda entry: entry[1])),
            "merges": [list(pair) if as_pairs else " ".join(pair) for pair in merges],
        },
    }


def parse_tokenizer_json(found: Any) -> Parts:
    """The parts that the JSON of a file declares. Raises ValueError naming the field and what was found."""
    added_tokens = check_declarations(found)
    model = found["model"]
    try:
        vocab = checked_vocab(model["vocab"])
        merge_parts = _parse_merges(model["merges"], vocab)
    except ValueError as error:
        raise ValueError(f"model.{error}") from None
    added, special_ids = checked_added(added_tokens, vocab)
    declared = declaration_of(found["pre_tokenizer"])
    return Parts(vocab, merge_parts, added, special_ids, declared, found.get("post_processor"))


def check_declarations(found: Any) -> list[AddedToken]:
    """Check all of a file but its vocabulary and merges, in little time. Returns the added tokens; raises ValueError."""
    if isinstance(found, dict) and type(found.get("model", 0)) is int:
        # Files of other kinds have fields that are not known here; those are not what is wrong with them. A vocab.json may
        # have a token "model", as GPT-2's has.
        what = (
            f"{found['model']}; it must be an object" if "model" in found else "missing; every tokenizer.json has one"
        )
        raise ValueError(f"model is {what} (a vocab.json is read with its merges.txt: from_gpt2)")
    parts = dict.fromkeys(("added_tokens", "pre_tokenizer", "post_processor", "decoder"))
    check_fields(found, "", {**FILE_SETTINGS, **parts, "model": None}, optional=[*FILE_SETTINGS, *parts])
    pretokenizer_of(found.get("pre_tokenizer"))  # refuses what it does not know
    byte_level = {"type": ["ByteLevel"], "add_prefix_space": YES_NO, "trim_offsets": YES_NO, "use_regex": YES_NO}
    if found.get("post_processor") is not None:
        check_fields(found["post_processor"], "post_processor", byte_level, optional=["use_regex"])
    check_fields(found.get("decoder"), "decoder", byte_level, optional=["use_regex"])
    model = found["model"]
    check_fields(model, "model", {**MODEL_SETTINGS, "vocab": None, "merges": None}, optional=MODEL_SETTINGS)
    check_fields(model["vocab"], "model.vocab", None)
    return _parse_added_tokens(found.get("added_tokens", []))


def _parse_merges(merges: Any, vocab: Mapping[str, int]) -> list[str]:
    """Merges as strings "a b" (files before 2024) or as pairs ["a", "b"] (since); not both in one file."""
    if not isinstance(merges, list):
        raise ValueError(f"merges is {shown(merges)}; it must be a list of pairs")
    kinds = {*map(type, merges)}
    if kinds == {str}:
        if HEADER in " ".join(merges) and any(map(str.startswith, merges, repeat(HEADER))):
            rank = next(rank for rank, merge in enumerate(merges) if merge.startswith(HEADER))
            raise ValueError(
                f"merges[{rank}] is {shown(merges[rank])}; Hugging Face skips such a string: it must be written as a pair"
            )
        return checked_lines(merges, vocab)
    if kinds == {str, list}:
        rank = next(rank for rank, merge in enumerate(merges) if type(merge) is not type(merges[0]))
        raise ValueError(
            f"merges[{rank}] is {shown(merges[rank])}, but the first is {shown(merges[0])}; all must be written one way"
        )
    return checked_merges(merges, vocab)


def _parse_added_tokens(added_tokens: Any) -> list[AddedToken]:
    if not isinstance(added_tokens, list):
        raise ValueError(f"added_tokens is {shown(added_tokens)}; it must be a list of objects")
    for i, token in enumerate(added_tokens):
        flags = {"single_word": [False], "lstrip": [False], "rstrip": [False], "normalized": YES_NO, "special": YES_NO}
        check_fields(token, f"added_tokens[{i}]", {"id": None, "content": None, **flags})
        if token["normalized"] != added_tokens[0]["normalized"]:
            raise ValueError(
                f"added_tokens[{i}].normalized is {shown(token['normalized'])}, but that of added_tokens[0] is not; "
                "all must be alike, or they would be matched in two passes"
            )
    return [(token["content"], token["id"], token["special"]) for token in added_tokens]

"""The rules for the parts and the files of a unigram tokenizer: what is refused, and what tokenizer.json says.

The file is a Hugging Face tokenizer.json with a Unigram model: ByteLevel pre-tokenizer and decoder, no normalizer, no unknown
token. What is read is what is written; anything else is refused, since ignoring a field gives other ids without an error.

Scores must be multiples of 1/8192 below 100. Sums of such numbers are exact, so two spellings that tie here tie everywhere; and
they have at most 15 digits. Hugging Face reads longer ones inexactly: of scores with 17 digits one in eight comes out different.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tinyllm.tok.bytemap import unicode_to_bytes
from tinyllm.tok.jsonfile import check_fields, shown
from tinyllm.tok.splits import BYTE_LEVEL, CHOICES, OTHERS, SPLITS

STEP = 8192  # scores are multiples of 1 / STEP
LIMIT = 100  # and nearer to 0 than this
ADDED_FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def checked_scores(scores: Iterable[tuple[str, float]], where: str = "vocab") -> list[tuple[str, float]]:
    """`scores` as a list. Raises ValueError naming the first entry that is wrong by its place in `where`."""
    entries = list(scores)
    byte_symbols = unicode_to_bytes().keys()
    id_of: dict[str, int] = {}
    for id, entry in enumerate(entries):
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise ValueError(f"{where}[{id}] is {entry!r:.60}; it must be a token and its score")
        token, score = entry
        if not isinstance(token, str) or not token or not byte_symbols >= set(token):
            raise ValueError(
                f"{where}[{id}] has the token {token!r:.60}; a token is one or more characters of the byte alphabet"
            )
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not abs(score) < LIMIT:
            raise ValueError(
                f"{where}[{id}] has the score {score!r:.60}; a score is a number between -{LIMIT} and {LIMIT}"
            )
        if score * STEP % 1:
            raise ValueError(
                f"{where}[{id}] has the score {score!r}; a score is a multiple of 1/{STEP}, or sums of scores are not exact"
            )
        if token in id_of:
            raise ValueError(f"{where}[{id}] is {token!r}, which {where}[{id_of[token]}] is already")
        id_of[token] = id
    for symbol in sorted(byte_symbols):
        if symbol not in id_of:
            raise ValueError(f"{where} lacks the byte symbol {symbol!r}; with all 256, every text can be spelled")
    return [(token, float(score)) for token, score in entries]


def check_specials(specials: Sequence[str], vocab: Mapping[str, int]) -> None:
    """Raise ValueError or TypeError naming the first special that is wrong."""
    if isinstance(specials, str):
        raise TypeError(f"specials must be a sequence of str, not the str {specials!r:.40}: write [{specials!r:.40}]")
    for position, special in enumerate(specials):
        if not isinstance(special, str):
            raise TypeError(f"specials has {special!r:.40}; a special is a str")
        if not special:
            raise ValueError("specials has the empty string; a special has at least one character")
        if any("\ud800" <= ch <= "\udfff" for ch in special):
            raise ValueError(f"specials has {special!a:.60}, with a lone surrogate; that is no Unicode text")
        if special in specials[:position]:
            raise ValueError(f"specials has {special!r} twice")
        if special in vocab:
            raise ValueError(f"the special {special!r} is a token of the vocabulary; choose another")


def tokenizer_json(
    entries: Iterable[tuple[str, float]], added: Mapping[str, int], pre_tokenizer: str
) -> dict[str, Any]:
    """The tokenizer.json of tokens with their scores, specials, and the name of a split; each field spelled out."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": id, "content": content, **ADDED_FLAGS} for content, id in added.items()],
        "normalizer": None,
        "pre_tokenizer": SPLITS[pre_tokenizer].declaration,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "Unigram",
            "unk_id": None,
            "vocab": [list(entry) for entry in entries],
            "byte_fallback": False,
        },
    }


def parsed(found: Any) -> tuple[list[Any], list[str], str]:
    """The arguments of UnigramTokenizer. ValueError names the field by its JSON path."""
    fixed: dict[str, list[str | None]] = {
        "version": ["1.0"],
        "truncation": [None],
        "padding": [None],
        "normalizer": [None],
        "post_processor": [None],
    }
    check_fields(found, "", {**fixed, "added_tokens": None, "pre_tokenizer": None, "decoder": None, "model": None})
    check_fields(
        found["model"], "model", {"type": ["Unigram"], "unk_id": [None], "vocab": None, "byte_fallback": [False]}
    )
    check_fields(found["decoder"], "decoder", {name: [value] for name, value in BYTE_LEVEL.items()})
    vocab, added = found["model"]["vocab"], found["added_tokens"]
    for where, value in (("model.vocab", vocab), ("added_tokens", added)):
        if not isinstance(value, list):
            raise ValueError(f"{where} is {shown(value)}; it must be a list")
    for i, token in enumerate(added):
        flags = {flag: [value] for flag, value in ADDED_FLAGS.items()}
        check_fields(token, f"added_tokens[{i}]", {"id": [len(vocab) + i], "content": None, **flags})
        if not isinstance(token["content"], str):
            raise ValueError(f"added_tokens[{i}].content is {shown(token['content'])}; it must be a string")
    for name in CHOICES:
        # As texts: for Python, 0 is False too, and Hugging Face refuses a 0 there.
        if json.dumps(found["pre_tokenizer"], sort_keys=True) == json.dumps(SPLITS[name].declaration, sort_keys=True):
            return checked_scores(vocab, "model.vocab"), [token["content"] for token in added], name
    raise ValueError(
        f"pre_tokenizer is {shown(found['pre_tokenizer'])}; "
        f"it must be ByteLevel, or the split of {' or '.join(OTHERS)} and ByteLevel"
    )

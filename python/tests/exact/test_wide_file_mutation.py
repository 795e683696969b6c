"""A file of the wide subset with one thing changed is obeyed as Hugging Face obeys it, or refused by the name of the thing.

As `test_file_mutation.py` does for the chapter's subset: every node of some small files is in turn removed, doubled, renamed,
retyped, changed. What loads gives Hugging Face's ids, offsets and texts; what Hugging Face does not load, ours does not.
"""

from __future__ import annotations

import json
from typing import Any

import comparison
import file_checks
import hf_json
import pytest
from comparison import Comparison
from mutated_json import mutants, names
from tokenizers import Tokenizer

pytestmark = pytest.mark.slow

VOCAB = {token: id for id, token in enumerate([*"ab12x", "Ġ", "Ã", "©", "ab", "Ġa", "12", "Ã©", "xab", "<u>"])}
MERGES = [("a", "b"), ("Ġ", "a"), ("1", "2"), ("Ã", "©"), ("x", "ab")]


def added(content: str, id: int, **flags: bool) -> dict[str, Any]:
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return {"id": id, "content": content, **plain, **flags}


def regex(source: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": source}, "behavior": behavior, "invert": invert}


def replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


TO_BYTES = {**hf_json.BYTE_LEVEL, "use_regex": False}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0, 1], "tokens": ["<s>", "x"]}},
}
FILES = {
    "a split, added tokens": {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [regex(r"\p{N}| ?\p{L}+|\s+(?!\S)"), TO_BYTES]},
        "added_tokens": [added("<s>", 14, special=True), added("<É>", 15, normalized=True, lstrip=True)],
    },
    "a template": {
        "pre_tokenizer": TO_BYTES,
        "post_processor": {"type": "Sequence", "processors": [hf_json.BYTE_LEVEL, TEMPLATE]},
    },
    "normalizers, RobertaProcessing": {
        "pre_tokenizer": TO_BYTES,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                *(replace("ab", "xab"), {"type": "Lowercase"}, {"type": "Prepend", "prepend": "a"}),
                *({"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "StripAccents"}),
            ],
        },
        "post_processor": {
            "type": "RobertaProcessing",
            **{"sep": ["b", 1], "cls": ["a", 0], "trim_offsets": True, "add_prefix_space": False},
        },
    },
    "steps in a row": {
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                *({"type": "Punctuation", "behavior": "Contiguous"}, {"type": "WhitespaceSplit"}),
                *({**hf_json.BYTE_LEVEL, "add_prefix_space": True}, {"type": "Digits", "individual_digits": False}),
                regex("[0-9][0-9]", "Removed"),
            ],
        },
    },
    "truncation and padding": {
        "pre_tokenizer": TO_BYTES,
        "truncation": {"direction": "Left", "max_length": 4, "strategy": "LongestFirst", "stride": 1},
        "padding": {
            **{"strategy": {"Fixed": 6}, "direction": "Right", "pad_to_multiple_of": 4},
            **{"pad_id": 3, "pad_type_id": 0, "pad_token": "[PAD]"},
        },
    },
    "characters with a fallback": {
        "normalizer": replace(" ", "\u2581"),
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": True},
        "decoder": {
            "type": "Sequence",
            "decoders": [
                *(replace("\u2581", " "), {"type": "ByteFallback"}, {"type": "Fuse"}),
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    },
}
MODELS: dict[str, dict[str, Any]] = {
    "unk_token, prefix and suffix": {
        **{"unk_token": "<u>", "fuse_unk": True, "end_of_word_suffix": "b", "dropout": 0.0},
        **{"continuing_subword_prefix": "a", "ignore_merges": True},
        **{"vocab": {"<u>": 0, "a": 1, "b": 2, "ab": 5, "abb": 6, "Ġ": 7, "": 8}, "merges": [["a", "ab"]]},
    },
    "fallback": {
        **{"byte_fallback": True, "unk_token": "<u>"},
        **{"vocab": {"<u>": 0, "a": 1, "b": 2, "ab": 3, "<0x31>": 4, "<0x32>": 5}, "merges": ["a b"]},
    },
}
PROBES = ["", "ab", " ab  12 x", "É e\u0301ab<É>", "<s>a1 2b <É>!", "xx.12ab\n\n", "Ab aB 1a2"]


def document(name: str) -> dict[str, Any]:
    file = hf_json.document(VOCAB, MERGES, **FILES.get(name, {}))
    file["model"] |= MODELS.get(name, {})
    return file


def wanted(name: str) -> Any:
    """The nodes of the sections that this file is about; vocabulary and merges once, in the files about the model."""
    sections = FILES[name].keys() if name in FILES else {"model"}
    plain = name in FILES and FILES[name].get("pre_tokenizer") is TO_BYTES
    return lambda path: path[0] in sections and not (plain and path[0] == "pre_tokenizer")


def difference(text: str, tokenizer: Any) -> str | None:
    """How a file that ours loads differs from Hugging Face's reading of it."""
    hf = comparison.theirs(lambda: Tokenizer.from_str(text))
    if hf.kind == "refused":
        return f"loads, and Hugging Face's does not: {hf.value}"
    compared = Comparison(tokenizer, hf.value, unaligned="NF" in text)
    return next((str(found) for found in compared.differences(PROBES)), None)


@pytest.mark.parametrize("name", [*FILES, *MODELS])
def test_every_field_is_obeyed_or_refused(name: str) -> None:
    wrong, counts = [], {"obeyed": 0, "refused": 0}
    with comparison.panics_unheard():
        for done, path, text in mutants(document(name), wanted(name)):
            what = f"{'.'.join(map(str, path))} {done}"
            made = comparison.ours(lambda: file_checks.load_text(text))  # noqa: B023  (called at once)
            if made.kind == "crashed":
                wrong.append(f"{what}: {made.value}")
            elif made.kind == "refused":
                counts["refused"] += 1
                if not names_it(made.value, path, done):
                    wrong.append(f"{what}: the error names something else: {made.value}")
            else:
                counts["obeyed"] += 1
                if (found := difference(text, made.value)) is not None:
                    wrong.append(f"{what}: {found}")
    assert wrong == []
    assert counts["refused"] > 100 and counts["obeyed"] > 10


def names_it(message: str, path: tuple[Any, ...], done: str) -> bool:
    """Whether a line of a refusal is about the node: by its own path or one above it, or by a name that it lost."""
    renamed = done == "has another name"
    return any(
        any(line.startswith(field) for field in names(path)) or (renamed and str(path[-1]) in line)
        for line in file_checks.reasons(message)
    )


@pytest.mark.parametrize("name", [*FILES, *MODELS])
def test_the_files_are_read_by_both_as_they_are(name: str) -> None:
    text = json.dumps(document(name))
    assert difference(text, file_checks.load_text(text)) is None

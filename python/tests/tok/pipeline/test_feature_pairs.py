"""Every feature of a tokenizer.json beside every other: ids, offsets and decoded texts are those of Hugging Face, run live.

A feature is a small change of one plain byte-level file. Each pair of them is put into a file together, in both orders where
the order shows (two normalizers, two steps), and compared on texts that are hard for the features themselves.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

import comparison
import file_checks
import hard_texts
import hf_json
import pytest
import random_files
from naive import ALPHABET

pytestmark = pytest.mark.slow

Part = dict[str, Any]

TOKENS = [
    "ab",
    "Ġab",
    "Ġa",
    "12",
    "Ã©",
    "ĠĠ",
    "ba",
    "aab",
    "ĊĊ",
    "Ġ1",
    "##b",
    "##ab",
    "b</w>",
    "ab</w>",
    "<unk>",
    "whole",
    "Ġwhole",
]
VOCAB = {token: id for id, token in enumerate([*ALPHABET, *TOKENS])}
MERGES = [
    ("a", "b"),
    ("Ġ", "ab"),
    ("Ġ", "a"),
    ("1", "2"),
    ("Ã", "©"),
    ("Ġ", "Ġ"),
    ("b", "a"),
    ("a", "ab"),
    ("Ċ", "Ċ"),
    ("Ġ", "1"),
]


@dataclass(frozen=True)
class Feature:
    """What it puts into each section; the lists of two features are joined, the fields of the second win."""

    normalizers: tuple[Part, ...] = ()
    before: tuple[Part, ...] = ()  # steps before ByteLevel
    after: tuple[Part, ...] = ()
    byte_level: Part = field(default_factory=dict)
    added: tuple[Part, ...] = ()
    model: Part = field(default_factory=dict)
    vocab_lacks: str = ""
    processors: tuple[Part, ...] = ()
    truncation: Part | None = None
    padding: Part | None = None
    decoder: Part = field(default_factory=dict)

    def __add__(self, other: Feature) -> Feature:
        return Feature(
            self.normalizers + other.normalizers,
            self.before + other.before,
            self.after + other.after,
            {**self.byte_level, **other.byte_level},
            self.added + other.added,
            {**self.model, **other.model},
            self.vocab_lacks + other.vocab_lacks,
            self.processors + other.processors,
            other.truncation or self.truncation,
            other.padding or self.padding,
            other.decoder or self.decoder,
        )


def token(content: str, **flags: bool) -> Part:
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return {"id": 0, "content": content, **plain, **flags}


def regex(source: str, behavior: str = "Isolated", invert: bool = False) -> Part:
    return {"type": "Split", "pattern": {"Regex": source}, "behavior": behavior, "invert": invert}


def replace(old: str, new: str) -> Part:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [270], "tokens": ["<unk>"]}},
}
ROBERTA = {
    "type": "RobertaProcessing",
    "sep": ["b", 66],
    "cls": ["a", 65],
    "trim_offsets": True,
    "add_prefix_space": False,
}
TRUNCATION = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
PADDING = {"direction": "Right", "pad_to_multiple_of": 4, "pad_id": 3, "pad_type_id": 0, "pad_token": "[PAD]"}

FEATURES = {
    "NFC": Feature(normalizers=({"type": "NFC"},)),
    "NFKC": Feature(normalizers=({"type": "NFKC"},)),
    "Lowercase": Feature(normalizers=({"type": "Lowercase"},)),
    "Replace that grows": Feature(normalizers=(replace("ab", "xaby"),)),
    "Replace that removes": Feature(normalizers=(replace(" ", ""),)),
    "Prepend": Feature(normalizers=({"type": "Prepend", "prepend": "a"},)),
    "Strip": Feature(normalizers=({"type": "Strip", "strip_left": True, "strip_right": True},)),
    "StripAccents": Feature(normalizers=({"type": "StripAccents"},)),
    "a prefix space": Feature(byte_level={"add_prefix_space": True}),
    "no split": Feature(byte_level={"use_regex": False}),
    "Digits": Feature(before=({"type": "Digits", "individual_digits": True},)),
    "Digits behind": Feature(after=({"type": "Digits", "individual_digits": False},)),
    "Punctuation": Feature(before=({"type": "Punctuation", "behavior": "Contiguous"},)),
    "a split, removed": Feature(before=(regex(r"\s+", "Removed"),)),
    "a split, merged with the next": Feature(before=(regex(r"[ab]", "MergedWithNext"),)),
    "a split with a look-ahead": Feature(before=(regex(r"\p{N}{1,2}|\s+(?!\S)|\s"),)),
    "WhitespaceSplit": Feature(before=({"type": "WhitespaceSplit"},)),
    "an added token": Feature(added=(token("<a>"),)),
    "a normalized added token": Feature(added=(token("<É>", normalized=True),)),
    "a special that strips both sides": Feature(added=(token("<s>", special=True, lstrip=True, rstrip=True),)),
    "a single word": Feature(added=(token("ab", single_word=True, normalized=True),)),
    "an added token of white space": Feature(added=(token("  "),)),
    "ignore_merges": Feature(model={"ignore_merges": True}),
    "unk_token": Feature(model={"unk_token": "<unk>"}, vocab_lacks="b1"),
    "fuse_unk": Feature(model={"unk_token": "<unk>", "fuse_unk": True}, vocab_lacks="b1."),
    "symbols that are lacking": Feature(vocab_lacks="Ġ2"),
    "a suffix": Feature(model={"end_of_word_suffix": "</w>"}),
    "a template": Feature(processors=(TEMPLATE,)),
    "RobertaProcessing": Feature(processors=(ROBERTA,)),
    "trimmed offsets": Feature(processors=({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},)),
    "truncation": Feature(truncation=TRUNCATION),
    "truncation on the left": Feature(truncation={**TRUNCATION, "direction": "Left", "max_length": 4, "stride": 1}),
    "padding to the longest": Feature(padding={**PADDING, "strategy": "BatchLongest"}),
    "padding to a length": Feature(padding={**PADDING, "strategy": {"Fixed": 9}, "direction": "Left"}),
    "no decoder": Feature(decoder={"null": True}),
    "a decoder of several": Feature(decoder={"type": "Sequence", "decoders": [replace("a", "z"), hf_json.BYTE_LEVEL]}),
}

TEXTS = [
    *(
        "",
        " ",
        "ab",
        " ab",
        "a1b2 12",
        "aab  ab\n\n",
        "Éa é e\u0301 ＡＢ ﬁ",
        "<a>ab<s> b",
        " <s>  <É><é>",
        "x<s>1 <a> 12.b!?",
    ),
    *(
        "  a  1  ",
        "whole ab whole",
        "日本 １２ab",
        "e<a>\u0301ab",
        "\u3000ab\u200bab",
        "12 .34.",
        "<s><s> <s>ab",
        "  <a>  ab.ab",
    ),
    *(hard_texts.text(Random(seed), ["<a>", "<s>", "<É>", "ab"], most=5) for seed in range(6)),
]


def file_of(feature: Feature) -> Part:
    """The file with what the feature changes. Ids of added tokens are those that Hugging Face gives."""
    vocab = {token: id for token, id in VOCAB.items() if token not in feature.vocab_lacks}
    merges = [
        pair for pair in MERGES if not {*pair} & {*feature.vocab_lacks} and {*pair, "".join(pair)} <= vocab.keys()
    ]
    steps = [*feature.before, {**hf_json.BYTE_LEVEL, **feature.byte_level}, *feature.after]
    file = hf_json.document(
        {token: id for id, token in enumerate(vocab)},
        merges,
        pre_tokenizer={"type": "Sequence", "pretokenizers": steps},
        normalizer={"type": "Sequence", "normalizers": list(feature.normalizers)},
        post_processor={"type": "Sequence", "processors": list(feature.processors)} if feature.processors else None,
        truncation=feature.truncation,
        padding=feature.padding,
        decoder=(None if "null" in feature.decoder else feature.decoder or hf_json.BYTE_LEVEL),
        added_tokens=list(feature.added),
    )
    file["model"] |= feature.model
    return random_files.with_their_ids(file)


def differences(first: Feature, second: Feature) -> list[str]:
    found = []
    files = [file_of(first + second)]
    if (turned := file_of(second + first)) != files[0]:
        files.append(turned)
    for file in files:
        found += [str(difference) for difference in file_checks.check_file(file, TEXTS).differences]
    return found


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_alone(name: str) -> None:
    assert differences(FEATURES[name], Feature()) == []


@pytest.mark.parametrize("name", list(FEATURES)[:-1])
def test_a_feature_beside_each_that_follows_it_in_the_table(name: str) -> None:
    following = list(FEATURES)[list(FEATURES).index(name) + 1 :]
    with comparison.panics_unheard():
        wrong = {other: differences(FEATURES[name], FEATURES[other]) for other in following}
    assert {other: found for other, found in wrong.items() if found} == {}


def test_hugging_face_reads_every_pair_and_few_texts_are_refused() -> None:
    """Else the pairs would be equal because both sides refuse."""
    refused = texts = 0
    with comparison.panics_unheard():
        for first, second in itertools.combinations(FEATURES.values(), 2):
            result = file_checks.check_file(
                file_of(first + second), TEXTS[:4], lambda file: comparison.ByHuggingFace(json.dumps(file))
            )
            assert result.loaded
            refused, texts = refused + result.tally.refused, texts + result.tally.texts
    assert refused <= 0.02 * texts


def test_every_feature_changes_what_becomes_of_some_text() -> None:
    """A feature that no text shows would be compared in vain."""

    def outcome(feature: Feature) -> list[Any]:
        tokenizer = comparison.ByHuggingFace(json.dumps(file_of(feature)))
        ids = tokenizer.encode_batch(TEXTS)
        return [ids, list(map(tokenizer.encode_with_offsets, TEXTS)), list(map(tokenizer.decode, ids))]

    plain = outcome(Feature())
    assert [name for name, feature in FEATURES.items() if outcome(feature) == plain] == []

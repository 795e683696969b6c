"""Offsets: the table of what each step does, probe by probe, and the chapter's tokenizers beside Hugging Face."""

import json

import hard_texts
import pytest
from hf_json import BYTE_LEVEL, SMOLLM2_SPLIT, document
from naive import ALPHABET

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pipeline.tokenizer import Pipeline

tokenizers = pytest.importorskip("tokenizers")

VOCAB = {symbol: id for id, symbol in enumerate(ALPHABET)}
MERGES = [("Ġ", "b"), ("Ġ", "Ġ"), ("X", "Y")]
VOCAB.update({left + right: len(VOCAB) + i for i, (left, right) in enumerate(MERGES)})
N = len(VOCAB)
WHOLE = {**BYTE_LEVEL, "use_regex": False}
MASK = {
    "id": N,
    "content": "<m>",
    "single_word": False,
    "lstrip": True,
    "rstrip": True,
    "normalized": False,
    "special": True,
}


@pytest.mark.parametrize(
    "fields, text, spans",
    [
        ({}, "a b", [(0, 1), (1, 3)]),
        ({}, "é", [(0, 1), (0, 1)]),
        ({"post_processor": BYTE_LEVEL}, "a b", [(0, 1), (2, 3)]),
        ({"post_processor": BYTE_LEVEL}, "a ", [(0, 1), (2, 2)]),
        ({"post_processor": {**BYTE_LEVEL, "add_prefix_space": True}}, " b", [(0, 2)]),
        ({"pre_tokenizer": {**BYTE_LEVEL, "add_prefix_space": True}}, "b", [(0, 1)]),
        ({"added_tokens": [MASK]}, "a  <m> a", [(0, 1), (1, 7), (7, 8)]),
        (
            {"normalizer": {"type": "Replace", "pattern": {"String": "ab"}, "content": "XYZ"}, "pre_tokenizer": WHOLE},
            "cab d",
            [(0, 1), (2, 3), (2, 3), (3, 4), (4, 5)],
        ),
    ],
)
def test_each_step_moves_offsets_as_in_hugging_face(fields, text, spans):
    file = document(VOCAB, MERGES, **fields)
    assert tokenizers.Tokenizer.from_str(json.dumps(file)).encode(text).offsets == spans
    assert Pipeline(file).encode_with_offsets(text)[1] == spans


def test_behind_a_dropped_byte_offsets_lie_too_far_left_within_a_pretoken():
    vocab = {token: id for token, id in VOCAB.items() if token != "Ą"}  # the stand-in of 04
    for pre_tokenizer, spans in ((BYTE_LEVEL, [(0, 1), (2, 3)]), (WHOLE, [(0, 1), (1, 2)])):
        file = document(vocab, MERGES, pre_tokenizer=pre_tokenizer)
        assert tokenizers.Tokenizer.from_str(json.dumps(file)).encode("a\x04b").offsets == spans
        assert Pipeline(file).encode_with_offsets("a\x04b")[1] == spans


@pytest.mark.parametrize("pre_tokenizer", [BYTE_LEVEL, SMOLLM2_SPLIT], ids=["gpt2", "digits"])
@pytest.mark.parametrize("trim", [None, BYTE_LEVEL, {**BYTE_LEVEL, "add_prefix_space": True}], ids=str)
def test_the_chapters_tokenizers_have_hugging_faces_offsets(pre_tokenizer, trim):
    added = [("<s>", N, True), ("<s> a", N + 1, False)]
    file = document(VOCAB, MERGES, added, pre_tokenizer, post_processor=trim)
    ours = BPETokenizer.from_hf_declaration(file)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file))
    random = hard_texts.Random(3)
    for _ in range(200):
        text = hard_texts.text(random, ["<s>", "<s> a"])
        expected = theirs.encode(text)
        assert ours.encode_with_offsets(text) == (expected.ids, expected.offsets), text


def test_what_a_file_says_of_offsets_is_saved_with_the_tokenizer(tmp_path):
    for post_processor in (None, BYTE_LEVEL, {**BYTE_LEVEL, "trim_offsets": False}):
        BPETokenizer.from_hf_declaration(document(VOCAB, MERGES, post_processor=post_processor)).save(
            tmp_path / "t.json"
        )
        assert json.loads((tmp_path / "t.json").read_text("utf-8"))["post_processor"] == post_processor


def test_with_a_normalizer_that_does_not_align_there_are_none(monkeypatch):
    tokenizer = Pipeline(document(VOCAB, MERGES, normalizer={"type": "NFC"}))
    monkeypatch.setattr(tokenizer.parts.normalizer, "aligns", False)
    with pytest.raises(ValueError, match="no offsets with this normalizer"):
        tokenizer.encode_with_offsets("a")

"""The oracle: 300 hard strings for each model, and Unicode's newer characters; and the files that `save` writes, in Hugging Face's hands."""

import json
from pathlib import Path

import oracles
import pytest

from tinyllm.tok.bpe import BPETokenizer

UNICODE_DEPENDENT = Path(__file__).parents[1] / "fixtures" / "unicode_dependent.jsonl"


@pytest.fixture(scope="module", params=oracles.MODELS)
def model(request):
    """(name, our tokenizer)."""
    return request.param, request.getfixturevalue(request.param)


def test_all_300_cases_of_each_model_have_their_ids(model) -> None:
    name, tokenizer = model
    cases = oracles.oracle_cases(name)
    assert len(cases) == 300
    assert [(text, tokenizer.encode(text)) for text, _ in cases] == cases


def test_a_batch_of_them_has_the_same_ids(model) -> None:
    name, tokenizer = model
    texts, ids = zip(*oracles.oracle_cases(name))
    assert tokenizer.encode_batch(texts) == [*ids]


def test_they_decode_as_hugging_face_decodes_them(model, request) -> None:
    name, tokenizer = model
    hf = request.getfixturevalue(f"hf_{name}")
    for _, ids in oracles.oracle_cases(name):
        assert tokenizer.decode(ids) == hf.decode(ids, skip_special_tokens=False)
        assert tokenizer.decode(ids, skip_special=True) == hf.decode(ids, skip_special_tokens=True)


def test_gpt2_gives_every_text_back(gpt2) -> None:
    for text, ids in oracles.oracle_cases("gpt2"):
        assert gpt2.decode(ids) == text
        assert gpt2.decode_bytes(ids) == text.encode()


def test_smollm2_gives_back_every_text_whose_bytes_it_has(smollm2) -> None:
    missing = {byte for byte, stand_in in oracles.STAND_IN.items() if stand_in not in smollm2.vocab}
    lossy = 0
    for text, ids in oracles.oracle_cases("smollm2"):
        kept = bytes(byte for byte in text.encode() if byte not in missing)
        assert smollm2.decode_bytes(ids) == kept
        lossy += kept != text.encode()
    assert 0 < lossy < 30  # some of the hard strings are about just that


def test_characters_younger_than_unicode_13_have_their_ids_on_every_python(gpt2, smollm2) -> None:
    cases = [json.loads(line) for line in UNICODE_DEPENDENT.read_text("utf-8").split("\n") if line]
    assert len(cases) > 100
    for case in cases:
        tokenizer = {"gpt2": gpt2, "smollm2": smollm2}[case["tokenizer"]]
        assert tokenizer.encode(case["text"]) == case["ids"], ascii(case["text"])


def test_hugging_face_loads_what_save_wrote_and_gives_the_same_ids(model, tmp_path) -> None:
    name, tokenizer = model
    tokenizer.save(tmp_path / "saved.json")
    hf = oracles.hf_of(tmp_path / "saved.json")
    for text, ids in oracles.oracle_cases(name):
        assert hf.encode(text).ids == ids


def test_we_load_what_save_wrote_and_give_the_same_ids(model, tmp_path) -> None:
    name, tokenizer = model
    tokenizer.save(tmp_path / "saved.json")
    loaded = BPETokenizer.load(tmp_path / "saved.json")
    for text, ids in oracles.oracle_cases(name):
        assert loaded.encode(text) == ids


def test_gpt2s_two_files_give_the_same_ids_as_its_tokenizer_json(gpt2, gpt2_files) -> None:
    tokenizer = BPETokenizer.from_gpt2(*gpt2_files)
    assert (tokenizer.vocab, tokenizer.merges, tokenizer.added) == (gpt2.vocab, gpt2.merges, gpt2.added)
    for text, ids in oracles.oracle_cases("gpt2"):
        assert tokenizer.encode(text) == ids


def test_without_specials_gpt2_encodes_as_tiktoken_encodes_ordinary_text(gpt2, tiktoken_gpt2) -> None:
    for text, _ in oracles.oracle_cases("gpt2"):
        assert gpt2.encode(text, allowed_special="none") == tiktoken_gpt2.encode_ordinary(text)
        assert gpt2.encode(text) == tiktoken_gpt2.encode(text, allowed_special="all")


def test_without_specials_smollm2_encodes_as_hugging_face_does(smollm2) -> None:
    hf = oracles.without_specials(oracles.tokenizer_json("smollm2"))
    for text, _ in oracles.oracle_cases("smollm2"):
        assert smollm2.encode(text, allowed_special="none") == hf.encode(text).ids

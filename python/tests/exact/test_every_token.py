"""Every token of both models, as text and as bytes."""

import oracles
import pytest

SIZES = {"gpt2": 50_257, "smollm2": 49_152}


@pytest.fixture(scope="module", params=oracles.MODELS)
def model(request):
    """(our tokenizer, Hugging Face's)."""
    return request.getfixturevalue(request.param), request.getfixturevalue(f"hf_{request.param}")


def bytes_by_the_alphabet(tokenizer, token: str) -> bytes:
    return token.encode() if token in tokenizer.added else bytes(oracles.BYTE_OF[ch] for ch in token)


@pytest.mark.parametrize("name", oracles.MODELS)
def test_the_vocabulary_has_the_size_of_the_model(name: str, request) -> None:
    assert (
        request.getfixturevalue(name).vocab_size
        == SIZES[name]
        == request.getfixturevalue(f"hf_{name}").get_vocab_size()
    )


def test_ids_and_tokens_are_those_of_hugging_face_both_ways(model) -> None:
    ours, hf = model
    for id in range(ours.vocab_size):
        token = hf.id_to_token(id)
        assert ours.id_to_token(id) == token
        assert ours.token_to_id(token) == id == hf.token_to_id(token)


def test_every_token_has_the_bytes_that_the_byte_alphabet_says(model) -> None:
    ours, hf = model
    for id in range(ours.vocab_size):
        assert ours.token_bytes(id) == ours.decode_bytes([id]) == bytes_by_the_alphabet(ours, hf.id_to_token(id))


def test_gpt2s_tokens_have_the_bytes_that_tiktoken_says(gpt2, tiktoken_gpt2) -> None:
    assert [gpt2.token_bytes(id) for id in range(50_257)] == [
        tiktoken_gpt2.decode_single_token_bytes(id) for id in range(50_257)
    ]


def test_every_token_alone_decodes_to_the_text_that_hugging_face_gives(model) -> None:
    ours, hf = model
    for id in range(ours.vocab_size):
        assert ours.decode([id]) == hf.decode([id], skip_special_tokens=False)
        assert ours.decode([id], skip_special=True) == hf.decode([id], skip_special_tokens=True)


def test_every_token_as_a_text_has_the_ids_of_hugging_face(model) -> None:
    """Tokens that are no whole characters become text with U+FFFD; that is a text like any other."""
    ours, hf = model
    texts = [ours.decode([id]) for id in range(ours.vocab_size)]
    assert ours.encode_batch(texts) == [encoding.ids for encoding in hf.encode_batch(texts)]


def test_every_spelling_in_the_byte_alphabet_as_a_text_has_the_ids_of_hugging_face(model) -> None:
    ours, hf = model
    texts = [ours.id_to_token(id) for id in range(ours.vocab_size)]
    assert ours.encode_batch(texts) == [encoding.ids for encoding in hf.encode_batch(texts)]


def test_a_merge_has_the_id_of_its_result_wherever_ids_begin(gpt2, smollm2) -> None:
    """GPT-2's ids are 256 + rank; SmolLM2's first merge has id 252, behind 17 specials and 235 byte symbols."""
    for tokenizer, first in ((gpt2, 256), (smollm2, 252)):
        assert tokenizer.vocab["".join(tokenizer.merges[0])] == first
        ids = [tokenizer.vocab[left + right] for left, right in tokenizer.merges]
        assert ids == [*range(first, first + len(ids))]


@pytest.mark.parametrize("specials", ["with specials", "without specials"])
def test_every_pair_of_added_tokens_side_by_side_and_apart(smollm2, hf_smollm2, specials: str) -> None:
    policy = "all" if specials == "with specials" else "none"
    hf = hf_smollm2 if policy == "all" else oracles.without_specials(oracles.tokenizer_json("smollm2"))
    for left in smollm2.added:
        for right in smollm2.added:
            for text in (
                left + right,
                f"{left} {right}",
                f"{left[:-1]}{right}",
                f" {left}\n{right}'s",
                f"{left[0]}{right}",
            ):
                assert smollm2.encode(text, allowed_special=policy) == hf.encode(text).ids, text

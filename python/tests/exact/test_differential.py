"""The same ids as Hugging Face and tiktoken, on inputs that nobody chose. `make fuzz N=1000000` tries more of the same."""

from random import Random

import differential
import hard_texts
import hf_json
import naive
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer

INPUTS = {
    "texts of gpt2": 3000,
    "texts of smollm2": 3000,
    "ids of gpt2": 2000,
    "ids of smollm2": 2000,
    "trained tokenizers": 100,
    "odd merges": 500,
    "training": 2000,
    "training with specials": 500,
    "split patterns": 400,
    "refused split patterns": 1000,
    "published split patterns": 100,
}

FRAGMENTS = st.sampled_from(
    [
        *hard_texts.WHITE_SPACE,
        *hard_texts.NEARLY_WHITE_SPACE,
        *hard_texts.APOSTROPHES,
        *hard_texts.LETTERS,
        *hard_texts.NUMBERS,
        *hard_texts.MARKS,
        *hard_texts.SYMBOLS,
        *hard_texts.CONTROLS,
        *hard_texts.SINCE_14_TO_18,
        *hard_texts.WORDS,
        *("<|endoftext|>", "<|endoftext|", "|>", "<|im_start|>", "<|im", "<reponame>", "<empty_output>", "<|im_end|>"),
    ]
)
TEXTS = st.lists(FRAGMENTS | st.characters(exclude_categories=["Cs"]), max_size=20).map("".join)


@pytest.mark.parametrize("family", INPUTS)
def test_no_difference_in_random(family: str) -> None:
    tried = (differential.FAMILIES[family](Random(f"suite/{family}/{number}")) for number in range(INPUTS[family]))
    assert [difference for difference in tried if difference is not None] == []


def test_every_family_is_tried() -> None:
    assert INPUTS.keys() == differential.FAMILIES.keys()


@pytest.mark.parametrize("name", oracles.MODELS)
@settings(max_examples=500)
@given(text=TEXTS)
def test_a_text_has_the_ids_of_both_libraries_with_specials_and_without(name: str, text: str) -> None:
    assert differential.difference_in_encoding(name, text) is None


@pytest.mark.parametrize("name", oracles.MODELS)
@settings(max_examples=300)
@given(data=st.data())
def test_any_ids_decode_to_the_text_that_hugging_face_gives(name: str, data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.integers(0, differential.ours(name).vocab_size - 1), max_size=12))
    assert differential.difference_in_decoding(name, ids) is None


@settings(max_examples=500)
@given(text=TEXTS)
def test_gpt2_decodes_what_it_encoded(text: str) -> None:
    gpt2 = differential.ours("gpt2")
    assert gpt2.decode(gpt2.encode(text)) == text
    assert gpt2.decode_bytes(gpt2.encode(text, allowed_special="none")) == text.encode()


@settings(max_examples=300)
@given(
    contents=st.lists(st.text("ab<> é", min_size=1, max_size=4), unique=True, max_size=6),
    specials=st.sets(st.integers(0, 5)),
    text=st.text("ab<> é", max_size=16),
)
def test_added_tokens_match_where_hugging_face_matches_them(contents: list[str], specials: set[int], text: str) -> None:
    vocab = {token: id for id, token in enumerate([*oracles.ALPHABET, "ab", "aab"])}
    merges = [("a", "b"), ("a", "ab")]
    added, free = [], len(vocab)
    for i, content in enumerate(contents):
        added.append((content, vocab.get(content, free), i in specials))
        free += content not in vocab
    tokenizer = BPETokenizer(vocab, merges, added)
    file = hf_json.document(vocab, merges, added)
    assert tokenizer.encode(text) == oracles.hf_of(file).encode(text).ids


@settings(max_examples=300)
@given(
    letters=st.sampled_from(["a", "ab", "abc"]),
    seed=st.integers(0, 2**32),
    text=st.text("abc", max_size=40),
)
def test_merges_that_no_trainer_would_make_join_the_lowest_rank_leftmost_one_at_a_time(
    letters: str, seed: int, text: str
) -> None:
    vocab, merges = hard_texts.merge_list(Random(seed), letters)
    text = "".join(ch for ch in text if ch in letters)
    found = BPETokenizer(vocab, merges).encode(text)
    assert found == [vocab[token] for token in naive.merge(text, merges)]
    assert found == oracles.hf_of(hf_json.document(vocab, merges)).encode(text).ids


@settings(max_examples=200)
@given(
    corpus=st.lists(st.text("ab é\n'", max_size=14), max_size=8),
    extra=st.integers(0, 30),
    min_freq=st.integers(1, 4),
)
def test_training_learns_the_merges_of_hugging_face(corpus: list[str], extra: int, min_freq: int) -> None:
    trained = BPETokenizer.train(corpus, 256 + extra, min_freq=min_freq)
    oracle = oracles.hf_trained(corpus, 256 + extra, min_freq)
    assert trained.merges == oracles.hf_merges(oracle)
    assert trained.vocab == oracle.get_vocab()


@pytest.mark.slow
def test_sixty_thousand_merges_are_those_of_hugging_face() -> None:
    """Training has a character for each symbol; from 55,296 on they are halves of surrogate pairs, which are no text."""
    random = Random(1)
    texts = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(4, 9))) for _ in range(29_000)]
    trained = BPETokenizer.train(texts, 1_000_000, min_freq=1)
    oracle = oracles.hf_trained(texts, 1_000_000, 1)
    assert len(trained.merges) > 0xE000 - 256
    assert trained.merges == oracles.hf_merges(oracle)
    assert trained.encode_batch(texts) == [encoding.ids for encoding in oracle.encode_batch(texts)]

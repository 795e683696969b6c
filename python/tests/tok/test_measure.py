"""Measurements: counts checked by hand, and curves held against tokenizers that were really trained to each size."""

import csv
import io
import json
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer
from tinyllm.tok.measure import (
    CURVE_COLUMNS,
    MEASUREMENT_COLUMNS,
    CurvePoint,
    Measurement,
    curve,
    flattens_at,
    measure,
    to_csv,
    to_json,
)
from tinyllm.tok.pretok import is_space

FIXTURES = Path(__file__).parents[3] / "course/fixtures"
TRAINING = ["the cat sat on the mat, the cats sat on the mats", "తెలుగు తెలుగు తెలుగులో", "aaaaaaaa aaaaa aaa"]


@lru_cache
def trained() -> BPETokenizer:
    return BPETokenizer.train(TRAINING, vocab_size=300, specials=["<|end|>"], min_freq=1)


def test_counts_of_a_text_are_those_of_its_bytes_characters_words_tokens_and_ids() -> None:
    [found] = measure({"bytes": ByteTokenizer()}, {"greeting": ["aé a"]})
    assert found == Measurement("greeting", "bytes", bytes=5, characters=4, words=2, tokens=5, used=4, vocab_size=256)


def test_ratios_are_those_of_the_counts() -> None:
    found = Measurement("t", "k", bytes=30, characters=20, words=5, tokens=10, used=8, vocab_size=32)
    assert (found.bytes_per_token, found.tokens_per_word, found.tokens_per_character, found.vocab_used) == (
        3.0,
        2.0,
        0.5,
        0.25,
    )


def test_an_empty_text_has_no_ratios() -> None:
    [found] = measure({"bytes": ByteTokenizer()}, {"nothing": []})
    assert (found.bytes_per_token, found.tokens_per_word, found.tokens_per_character, found.vocab_used) == (
        None,
        None,
        None,
        0.0,
    )


def test_documents_are_encoded_one_by_one() -> None:
    tokenizer = BPETokenizer.train(["ab"], vocab_size=257, min_freq=1)
    together, apart = measure({"ab": tokenizer}, {"together": ["ab"], "apart": ["a", "b"]})
    assert (together.tokens, apart.tokens) == (1, 2)


def test_measurements_come_text_by_text_in_the_order_given() -> None:
    tokenizers = {"bytes": ByteTokenizer(), "characters": CharTokenizer.train(["ab"])}
    found = measure(tokenizers, {"second": ["b"], "first": ["a"]})
    assert [(row.text, row.tokenizer) for row in found] == [
        ("second", "bytes"),
        ("second", "characters"),
        ("first", "bytes"),
        ("first", "characters"),
    ]


def test_a_text_is_read_once_for_all_tokenizers() -> None:
    found = measure({"one": ByteTokenizer(), "two": ByteTokenizer()}, {"t": (text for text in ["ab", "c"])})
    assert [row.tokens for row in found] == [3, 3]


def test_a_word_is_a_run_without_white_space() -> None:
    [found] = measure({"bytes": ByteTokenizer()}, {"t": ["\u3000one  two\tthree\u00a0four\u2028five\x1cfive "]})
    assert found.words == 5


@given(st.text())
def test_words_are_separated_by_exactly_the_characters_that_are_white_space(text: str) -> None:
    [found] = measure({"bytes": ByteTokenizer()}, {"t": [text]})
    spaced = "".join(" " if is_space(ch) else "x" for ch in text)
    assert found.words == len(spaced.split())


@pytest.mark.parametrize("texts", [{"t": "ab"}], ids=["one str"])
def test_one_str_in_place_of_documents_is_refused(texts: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="the text 't' must be an iterable of documents, not one str"):
        measure({"bytes": ByteTokenizer()}, texts)
    with pytest.raises(TypeError, match="the text 't' must be an iterable of documents, not one str"):
        curve(trained(), texts, [257])


def test_gpt2_takes_more_tokens_for_a_telugu_word_than_it_has_characters() -> None:
    gpt2 = BPETokenizer.from_hf_json(FIXTURES / "gpt2/tokenizer.json")
    [found] = measure({"gpt2": gpt2}, {"telugu": ["తెలుగు"]})
    assert (found.bytes, found.characters, found.tokens) == (18, 6, 18)


def test_a_curve_counts_down_by_one_token_a_merge_used() -> None:
    tokenizer = BPETokenizer.train(["hug hug hugs"], vocab_size=258)
    points = curve(tokenizer, {"a hug": ["hug"]}, [256, 257, 258], split="gpt2")
    assert points == [
        CurvePoint("a hug", "gpt2", 256, bytes=3, tokens=3),
        CurvePoint("a hug", "gpt2", 257, bytes=3, tokens=2),
        CurvePoint("a hug", "gpt2", 258, bytes=3, tokens=1),
    ]


@pytest.mark.parametrize("vocab_size", [257, 258, 260, 270, 280, 299])
def test_a_point_of_a_curve_is_what_training_to_that_size_gives(vocab_size: int) -> None:
    smaller = BPETokenizer.train(TRAINING, vocab_size=vocab_size, specials=["<|end|>"], min_freq=1)
    text = " ".join(TRAINING) + "<|end|> aaaaaaaaaaa that"
    [point] = curve(trained(), {"t": [text]}, [vocab_size])
    assert (point.vocab_size, point.tokens) == (smaller.vocab_size, len(smaller.encode(text)))


@given(st.lists(st.text("ab ", max_size=20)), st.integers(256, 290), st.text("abc "))
def test_every_point_of_every_curve_is_what_training_to_that_size_gives(
    texts: list[str], vocab_size: int, text: str
) -> None:
    largest = BPETokenizer.train(texts, vocab_size=290, min_freq=1)
    smaller = BPETokenizer.train(texts, vocab_size=vocab_size, min_freq=1)
    [point] = curve(largest, {"t": [text]}, [vocab_size])
    assert (point.vocab_size, point.tokens) == (smaller.vocab_size, len(smaller.encode(text)))


def test_sizes_that_a_run_did_not_reach_are_one_point_of_the_size_it_has() -> None:
    exhausted = BPETokenizer.train(["ab ab"], vocab_size=1000)
    assert [point.vocab_size for point in curve(exhausted, {"t": ["ab"]}, [2000, 256, 1000])] == [
        256,
        exhausted.vocab_size,
    ]


def test_a_size_without_room_for_the_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="the vocabulary size 256 is too small; without any merge there are 257 ids"):
        curve(trained(), {"t": ["a"]}, [256])


@pytest.mark.parametrize(
    "merges, message",
    [
        ([("ab", "c"), ("a", "b")], r"merges\[0\] joins 'ab' and 'c', but 'ab' is made later; no training does that"),
        (
            [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")],
            r"merges\[2\] and merges\[3\] make one token, 'abc'; no training does that",
        ),
    ],
    ids=["outranks its part", "one token twice"],
)
def test_a_list_that_no_training_makes_is_refused(merges: list[tuple[str, str]], message: str) -> None:
    vocab = {token: id for id, token in enumerate(["a", "b", "c", "ab", "bc", "abc"])}
    with pytest.raises(ValueError, match=message):
        curve(BPETokenizer(vocab, merges), {"t": ["abc"]}, [6])


def test_an_added_token_that_merges_make_is_refused() -> None:
    tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2}, [("a", "b")], added_tokens=[("ab", 2, False)])
    with pytest.raises(ValueError, match=r"merges\[0\] makes the added token 'ab'"):
        curve(tokenizer, {"t": ["ab"]}, [3])


def points_of(*tokens: int) -> list[CurvePoint]:
    return [CurvePoint("t", "s", 1000 << i, 10_000, count) for i, count in enumerate(tokens)]


@pytest.mark.parametrize(
    "tokens, size",
    [
        ((1000, 960, 940), 1000),
        ((1000, 900, 880), 2000),
        ((1000, 900, 800), None),
        ((1000, 990, 800, 790), 4000),
        ((1000,), None),
    ],
    ids=[
        "flat from the start",
        "flat after one doubling",
        "still rising",
        "a rise after a plateau",
        "nothing to compare",
    ],
)
def test_a_curve_is_flat_from_the_size_behind_its_last_doubling_that_pays(
    tokens: tuple[int, ...], size: int | None
) -> None:
    assert flattens_at(points_of(*tokens)) == size


def test_csv_and_json_hold_the_same_rows() -> None:
    rows = [found.row() for found in measure({"bytes": ByteTokenizer()}, {'a "text", quoted': ["aé a"], "none": []})]
    from_csv = list(csv.DictReader(io.StringIO(to_csv(rows, MEASUREMENT_COLUMNS))))
    assert json.loads(to_json(rows)) == rows
    assert [row["text"] for row in from_csv] == ['a "text", quoted', "none"]
    assert from_csv[0]["tokens_per_word"] == "2.5"
    assert from_csv[1]["tokens_per_word"] == ""


def test_the_csv_of_a_curve_has_one_line_a_point() -> None:
    assert to_csv([point.row() for point in points_of(3000)], CURVE_COLUMNS) == (
        "text,split,vocab_size,bytes,tokens,bytes_per_token\nt,s,1000,10000,3000,3.33333\n"
    )

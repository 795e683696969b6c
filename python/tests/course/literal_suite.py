"""The eleven tests that the course asks for, written from their docstrings word for word, by somebody who has not seen the mutants.

A fixture: `test_literal_suite.py` grades it. Each test does what its sentence in course.toml says and no more, so that the
sentences, followed faithfully, are enough to pass. The model suite beside `l1-2-bpe` is what a careful student adds.
"""

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits

HUGS = ["hug", "hug", "pug", "hugs"]


def test_hand_example_merges_and_tie():
    """hug, hug, pug, hugs with min_freq 1 and 259 ids: (u, g), (h, ug), then (p, ug), which wins a tie. ! is id 0, and "hugs pug" is 257, 82, 220, 258."""
    tokenizer = BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    assert tokenizer.merges == [("u", "g"), ("h", "ug"), ("p", "ug")]
    assert tokenizer.vocab["!"] == 0
    assert tokenizer.encode("hugs pug") == [257, 82, 220, 258]


def test_count_equal_to_min_freq_still_merges():
    """With min_freq 3 the merge (h, ug) is still made: its count is 3, as hug occurs twice. With min_freq 4 it is not."""
    assert ("h", "ug") in BPETokenizer.train(HUGS, 300, min_freq=3).merges
    assert ("h", "ug") not in BPETokenizer.train(HUGS, 300, min_freq=4).merges


def test_lowest_rank_merges_first():
    """Where (b, c) ranks before (a, b), the ids of "abc" are those of a, bc."""
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}
    assert BPETokenizer(vocab, [("b", "c"), ("a", "b")]).encode("abc") == [0, 4]


def test_equal_ranks_merge_leftmost():
    """With (a, a) as the only merge, "aaa" becomes aa, a. And aaa holds two (a, a) when training counts."""
    assert BPETokenizer({"a": 0, "aa": 1}, [("a", "a")]).encode("aaa") == [1, 0]
    assert BPETokenizer.train(["aaa"], 300, min_freq=2).merges == [("a", "a")]


def test_pretokenizer_examples():
    """I'll and I'LL, two spaces between letters, a tab before letters, U+001C before !, U+00A0 between letters, ½ before !."""
    assert pretokenize_gpt2("I'll") == ["I", "'ll"]
    assert pretokenize_gpt2("I'LL") == ["I", "'", "LL"]
    assert pretokenize_gpt2("a  b") == ["a", " ", " b"]
    assert pretokenize_gpt2("\tab") == ["\t", "ab"]
    assert pretokenize_gpt2("\x1c!") == ["\x1c!"]
    assert pretokenize_gpt2("a\xa0b") == ["a", "\xa0", "b"]
    assert pretokenize_gpt2("½!") == ["½", "!"]


def test_split_digits_both_modes():
    """With individual every digit is alone; without it every run of digits is whole."""
    assert split_digits("in 2024") == ["in ", "2", "0", "2", "4"]
    assert split_digits("in 2024", individual=False) == ["in ", "2024"]


def test_character_split_across_tokens_decodes_together():
    """A CJK character is three bytes, which decode to it only together."""
    tokenizer = BPETokenizer.train([], 256)
    ids = tokenizer.encode("日")
    assert len(ids) == 3
    assert tokenizer.decode(ids) == "日"
    assert tokenizer.decode(ids[:1]) != "日"


def test_special_token_is_one_id_and_never_trained_on():
    """A special has id 0, is found in text unless none is allowed, is left out on request, and no merge contains a part of it."""
    tokenizer = BPETokenizer.train(["ab<|end|>ab"] * 3, 300, ["<|end|>"])
    assert tokenizer.token_to_id("<|end|>") == 0
    assert 0 in tokenizer.encode("ab<|end|>ab")
    assert 0 not in tokenizer.encode("ab<|end|>ab", allowed_special="none")
    assert tokenizer.decode(tokenizer.encode("ab<|end|>ab"), skip_special=True) == "abab"
    assert not any(set(left + right) & set("<|end>") for left, right in tokenizer.merges)


def test_save_load_keeps_specials(tmp_path):
    """What load reads has the merges, the specials and the ids of what was saved."""
    tokenizer = BPETokenizer.train(["hug hug <s> pug"], 260, ["<s>"])
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.merges == tokenizer.merges
    assert loaded.special_ids == tokenizer.special_ids
    assert loaded.encode("hug <s> pug") == tokenizer.encode("hug <s> pug")


def test_bad_arguments_raise():
    """ValueError for a vocab_size below 256 plus the specials, for min_freq 0, and for a vocabulary with a gap in its ids."""
    with pytest.raises(ValueError):
        BPETokenizer.train(HUGS, 256, ["<s>"])
    with pytest.raises(ValueError):
        BPETokenizer.train(HUGS, 300, min_freq=0)
    with pytest.raises(ValueError):
        BPETokenizer({"a": 0, "b": 2}, [])


def test_round_trip_any_text():
    """Emoji, accents, tabs and runs of spaces: decode(encode(text)) is the text."""
    tokenizer = BPETokenizer.train(HUGS, 259, min_freq=1)
    for text in ("🙂", "café", "a\tb", "a   b"):
        assert tokenizer.decode(tokenizer.encode(text)) == text

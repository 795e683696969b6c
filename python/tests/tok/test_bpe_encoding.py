"""Encoding: merges by rank, bytes, chunks and caches. Real models are in `../exact/`."""

import gc
import itertools
from collections import Counter
from random import Random

import hard_texts
import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.fast import chunks, memo
from tinyllm.tok.merging import by_rank
from tinyllm.tok.merging.by_rank import merge_by_rank, merge_long_by_rank
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splitting import safe_chunks
from tinyllm.tok.splitting.declaration import pretokenizer_of

pytestmark = pytest.mark.fast

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def digits(individual: bool) -> dict:
    return {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": individual}, BYTE_LEVEL]}


def tokenizer_of(*merges: str, letters: str = "abcdĠ") -> BPETokenizer:
    """From merges like "a b": the letters get the first ids, the results the next ones."""
    pairs = [tuple(merge.split()) for merge in merges]
    tokens = [*letters, *dict.fromkeys(left + right for left, right in pairs)]
    return BPETokenizer({token: id for id, token in enumerate(tokens)}, pairs)


def tokens_of(tokenizer: BPETokenizer, text: str) -> list[str]:
    return [tokenizer.id_to_token(id) for id in tokenizer.encode(text)]


# ---- the order of merges ----


def test_the_chapters_example() -> None:
    tokenizer = BPETokenizer.train(["hug", "hug", "pug", "hugs"], 259, min_freq=1)
    assert tokenizer.encode("hugs pug") == [257, 82, 220, 258]


def test_rank_counts_not_position() -> None:
    assert tokens_of(tokenizer_of("b c", "a b"), "abc") == ["a", "bc"]
    assert tokens_of(tokenizer_of("a b", "b c"), "abc") == ["ab", "c"]


def test_of_equal_ranks_the_leftmost_merges_first() -> None:
    assert tokens_of(tokenizer_of("a a"), "aaa") == ["aa", "a"]
    assert tokens_of(tokenizer_of("a a"), "aaaa") == ["aa", "aa"]
    assert tokens_of(tokenizer_of("a b", "b a"), "aba") == ["ab", "a"]


def test_one_merge_at_a_time_even_if_its_result_outranks_it() -> None:
    """(ab, a) comes before (a, b): after the first "ab" it is next, and the second "ab" is never made."""
    assert tokens_of(tokenizer_of("ab a", "a b"), "abab") == ["aba", "b"]


def test_a_pair_is_two_tokens_not_their_letters() -> None:
    """Two ways to one token: only the pairs that are listed merge."""
    assert tokens_of(tokenizer_of("a b", "b c", "ab c", letters="abc"), "abc") == ["abc"]
    assert tokens_of(tokenizer_of("b c", "a b", "ab c", letters="abc"), "abc") == ["a", "bc"]


def test_two_merges_may_make_one_token() -> None:
    tokenizer = tokenizer_of("b c", "a b", "ab c", "a bc", letters="abc")
    assert tokens_of(tokenizer, "abc") == ["abc"]
    assert tokens_of(tokenizer, "ab") == ["ab"]


def test_a_token_of_the_vocabulary_that_no_merge_makes_is_not_found() -> None:
    tokenizer = BPETokenizer({"a": 0, "b": 1, "c": 2, "abc": 3, "bc": 4}, [("b", "c")])
    assert tokenizer.encode("abc") == [0, 4]


def test_merges_do_not_cross_pretokens() -> None:
    tokenizer = tokenizer_of("a Ġ", "Ġ b", "a b", letters="ab!Ġ")
    assert tokens_of(tokenizer, "a b") == ["a", "Ġb"]
    assert tokens_of(tokenizer, "a!b") == ["a", "!", "b"]
    assert tokens_of(tokenizer, "ab  b") == ["ab", "Ġ", "Ġb"]


def by_left(ranks: dict[tuple[int, int], int], ids: int = 20) -> list[dict[int, int]]:
    """What both ways to merge take: for each id as the left part, the ranks of the right parts."""
    return [{right: rank for (left, right), rank in ranks.items() if left == id} for id in range(ids)]


@pytest.mark.parametrize("merge", [merge_by_rank, merge_long_by_rank])
def test_both_ways_to_merge_do_what_one_at_a_time_does(merge) -> None:
    random = Random(3)
    for _ in range(400):
        letters = "abc"[: random.randint(1, 3)]
        vocab, merges = hard_texts.merge_list(random, letters)
        text = "".join(random.choices(letters, k=random.randint(1, 30)))
        ranks = {(vocab[left], vocab[right]): rank for rank, (left, right) in enumerate(merges)}
        results = [vocab[left + right] for left, right in merges]
        expected = [vocab[token] for token in naive.merge(text, merges)]
        assert merge([vocab[ch] for ch in text], by_left(ranks, len(vocab)), results) == expected, (text, merges)


@pytest.mark.parametrize("merge", [merge_by_rank, merge_long_by_rank])
@pytest.mark.parametrize(
    "symbols, ranks, results, merged",
    [
        ([], {}, [], []),
        ([7], {(7, 7): 0}, [8], [7]),
        ([0, 1], {(0, 1): 0}, [2], [2]),
        ([0, 1], {(1, 0): 0}, [2], [0, 1]),
        ([0, 1], {(0, 1): 1_000_000}, {1_000_000: 2}, [2]),
        ([0, 1, 2], {(1, 2): 0, (0, 3): 1}, [3, 4], [4]),
        ([0, 1, 2], {(0, 1): 0, (3, 2): 1}, [3, 4], [4]),
        ([0, 0, 0, 0, 0], {(0, 0): 0, (1, 1): 1, (2, 0): 2}, [1, 2, 3], [3]),
        ([0, 1, 0, 1, 2], {(0, 1): 1, (1, 2): 0}, [9, 8], [8, 0, 9]),
    ],
    ids=str,
)
def test_merging_by_hand(merge, symbols: list, ranks: dict, results: list, merged: list) -> None:
    assert merge(list(symbols), by_left(ranks), results) == merged


@pytest.mark.parametrize("length", [98, 99, 100, 101, 102, 400])
def test_a_pretoken_of_any_length_is_merged_alike(length: int) -> None:
    """From LONG symbols on, another algorithm does the work."""
    assert 98 < by_rank.LONG < 102
    for merges in (["a a", "aa aa"], ["ab a", "a b", "aba b"], ["b a", "a b", "ba ba"]):
        tokenizer = tokenizer_of(*merges)
        for unit in ("a", "ab", "aab"):
            text = (unit * length)[:length]
            assert tokens_of(tokenizer, text) == naive.merge(text, tokenizer.merges)


def test_a_hundred_thousand_symbols_are_no_trouble() -> None:
    tokenizer = tokenizer_of("a a", "aa aa")
    assert tokenizer.encode("a" * 100_001) == [tokenizer.vocab["aaaa"]] * 25_000 + [0]


# ---- bytes ----


def test_a_character_is_its_utf8_bytes_in_the_byte_alphabet() -> None:
    tokenizer = BPETokenizer.train([], 256)
    assert tokens_of(tokenizer, "é") == ["Ã", "©"]
    assert tokens_of(tokenizer, "你 \n") == ["ä", "½", "ł", "Ġ", "Ċ"]
    assert tokens_of(tokenizer, "Ġ") == ["Ä", "ł"]  # a letter like any other, not the stand-in of the space


def test_every_byte_has_its_own_id() -> None:
    tokenizer = BPETokenizer.train([], 256)
    text = "".join(map(chr, [*range(0x80), 0xE9, 0x4F60, 0x1F642]))
    assert tokenizer.encode(text) == [tokenizer.vocab[bytes_to_unicode()[byte]] for byte in text.encode()]


def test_a_byte_without_a_symbol_is_dropped_and_its_neighbours_may_merge() -> None:
    tokenizer = tokenizer_of("a b", letters="ab")
    assert tokens_of(tokenizer, "acb") == ["ab"]
    assert tokens_of(tokenizer, "c") == []
    assert tokens_of(tokenizer, "cacbc") == ["ab"]
    assert tokens_of(tokenizer, "c" * 200 + "a" + "c" * 200 + "b") == ["ab"]
    assert tokens_of(tokenizer, "a b") == ["a", "b"]  # the space parts pre-tokens before it is dropped


def test_nothing_has_no_ids() -> None:
    assert tokenizer_of("a b").encode("") == []


# ---- batches, chunks, caches ----


def test_a_batch_is_each_text_on_its_own() -> None:
    tokenizer = tokenizer_of("a b")
    assert tokenizer.encode_batch(["ab", "", "b", "ab"]) == [[5], [], [1], [5]]
    assert tokenizer.encode_batch(()) == []


def test_one_text_is_no_batch() -> None:
    with pytest.raises(TypeError, match=r"for one text call encode\(text\)"):
        tokenizer_of("a b").encode_batch("ab")


@pytest.mark.parametrize(
    "declaration, pretokenize",
    [
        (BYTE_LEVEL, pretokenize_gpt2),
        (digits(True), lambda text: [p for part in split_digits(text) for p in pretokenize_gpt2(part)]),
        (digits(False), lambda text: [p for part in split_digits(text, False) for p in pretokenize_gpt2(part)]),
    ],
    ids=["gpt2", "each digit", "runs of digits"],
)
@settings(max_examples=200)
@given(text=st.text("a1'!s \t\n\u3000\x1cé½", max_size=14))
def test_pretokens_are_those_of_the_whole_text_however_it_is_cut_up(declaration: dict, pretokenize, text: str) -> None:
    assert count_pretokens([text], pre_tokenizer=declaration) == Counter(pretokenize(text))


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_a_long_text_is_cut_in_blocks_that_change_nothing(block: int, monkeypatch) -> None:
    text = "a   b\n\n c1 22  3's  don't " + "x" * 20 + "  \n\t y"
    for declaration in (BYTE_LEVEL, digits(True)):
        whole = count_pretokens([text], pre_tokenizer=declaration)
        with monkeypatch.context() as patch:
            patch.setattr(chunks, "BLOCK", block)
            patch.setattr(safe_chunks, "BLOCK", block)
            assert count_pretokens([text], pre_tokenizer=declaration) == whole


def test_ascii_texts_are_pretokenized_like_all_others() -> None:
    """Another way leads there: `re`, whose classes are the right ones within ASCII."""
    ascii_texts = ["".join(combination) for combination in itertools.product("a'st 1\n!\x1c", repeat=4)]
    for declaration, pretokenize in (
        (BYTE_LEVEL, pretokenize_gpt2),
        (digits(True), lambda text: [p for part in split_digits(text) for p in pretokenize_gpt2(part)]),
        (digits(False), lambda text: [p for part in split_digits(text, False) for p in pretokenize_gpt2(part)]),
    ):
        by_re = pretokenizer_of(declaration).pretokenize
        assert [by_re(text) for text in ascii_texts] == [pretokenize(text) for text in ascii_texts]


def test_every_ascii_character_is_of_its_class_there_too() -> None:
    by_re = pretokenizer_of(BYTE_LEVEL).pretokenize
    by_digits = pretokenizer_of(digits(True)).pretokenize
    for ch in map(chr, range(128)):
        for text in (f"a{ch}'s{ch}1 {ch}{ch}  {ch}", f"{ch} a", f"!{ch}9{ch}"):
            assert by_re(text) == pretokenize_gpt2(text)
            assert by_digits(text) == [p for part in split_digits(text) for p in pretokenize_gpt2(part)]


def test_what_is_remembered_changes_no_ids(monkeypatch) -> None:
    texts = ["ab abc", "abc ab", "é ab", "ab" * 50, "a  b"] * 3
    fresh = [tokenizer_of("a b", "ab c").encode(text) for text in texts]
    one = tokenizer_of("a b", "ab c")
    assert [one.encode(text) for text in texts] == fresh
    monkeypatch.setattr(memo, "CACHED", 2)
    small = tokenizer_of("a b", "ab c")
    assert [small.encode(text) for text in texts] == fresh


def test_the_ids_given_are_the_callers_to_change() -> None:
    tokenizer = tokenizer_of("a b")
    tokenizer.encode("ab").append(99)
    tokenizer.encode_batch(["ab"])[0].clear()
    assert tokenizer.encode("ab") == [5]


def test_what_is_remembered_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(memo, "CACHED", 50)
    others = [found for found in gc.get_objects() if type(found) is memo.Memo]
    tokenizer = BPETokenizer.train([], 256)
    for i in range(300):
        tokenizer.encode(f"w{i}\n\tv{i} " + "long" * 100 + str(i))
    caches = [
        found for found in gc.get_objects() if type(found) is memo.Memo and not any(found is other for other in others)
    ]
    assert sum(len(cache) > 0 for cache in caches) >= 2
    assert all(len(cache) <= 50 for cache in caches)
    assert all(len(key) <= memo.CACHED_LENGTH for cache in caches for key in cache)


# ---- bad texts ----


@pytest.mark.parametrize("text", [None, 5, b"ab", ["ab"], 1.5], ids=repr)
def test_a_text_is_a_str(text: object) -> None:
    with pytest.raises(TypeError, match=f"text must be a str, not {type(text).__name__}"):
        tokenizer_of("a b").encode(text)


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("\ud800", r"position 0 is the lone surrogate U\+D800"),
        ("aé\udfffb", r"position 2 is the lone surrogate U\+DFFF"),
        ("\ud83d\ude42", r"position 0 is the lone surrogate U\+D83D"),
        ("ab\udcff", r"position 2 is the lone surrogate U\+DCFF"),
    ],
    ids=ascii,
)
def test_a_lone_surrogate_is_named_with_its_position(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        tokenizer_of("a b").encode(text)
    with pytest.raises(ValueError, match=complaint):
        tokenizer_of("a b").encode_batch(["ab", text])

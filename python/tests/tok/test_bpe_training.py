"""Training: which merges are learned, which ids tokens get, and that nothing but the counts matters.

Hugging Face's trainer is the judge in `../exact/`; here are the rules by hand, and a naive twin that counts every pair
again after every merge.
"""

import itertools
from collections import Counter
from random import Random

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.merging.training import learn_merges
from tinyllm.tok.splits import SPLITS

pytestmark = pytest.mark.fast

CHAPTER = ["hug", "hug", "pug", "hugs"]
COUNTS = st.dictionaries(st.text("abé ", min_size=1, max_size=7), st.integers(1, 3), max_size=5)


def learned(texts, merges: int = 100, **options) -> list[str]:
    specials = options.get("specials", ())
    return [" ".join(pair) for pair in BPETokenizer.train(texts, 256 + len(specials) + merges, **options).merges]


# ---- the rule ----


def test_the_chapters_example_learns_ug_hug_pug() -> None:
    tokenizer = BPETokenizer.train(CHAPTER, vocab_size=259, min_freq=1)
    assert tokenizer.merges == [("u", "g"), ("h", "ug"), ("p", "ug")]
    assert [tokenizer.vocab[token] for token in ("ug", "hug", "pug")] == [256, 257, 258]


def test_of_equal_counts_the_smaller_left_id_wins_then_the_smaller_right_id() -> None:
    assert learned(["bc", "ab"], min_freq=1) == ["a b", "b c"]
    assert learned(["ac", "ab"], min_freq=1) == ["a b", "a c"]
    # Ids, not bytes: the space is byte 32 but "Ġ" comes late in the byte alphabet, behind "z".
    assert learned([" q", "zz"], merges=1, min_freq=1) == ["z z"]
    # Ids, not spellings: "ug" has id 256, behind every byte symbol, so (p, ug) comes before (ug, s).
    assert learned(CHAPTER, min_freq=1)[2:] == ["p ug", "hug s"]


def test_pairs_are_counted_with_overlaps() -> None:
    assert learned(["aaaa", "bb", "bb"], merges=1) == ["a a"]  # three (a, a) in "aaaa"; two if they were not to overlap


def test_pairs_are_replaced_from_the_left_without_overlaps() -> None:
    assert learned(["aaaaa", "aaaaa"]) == ["a a", "aa a", "aa aaa"]
    assert learned(["aaaaaaa"], min_freq=1) == ["a a", "aa aa", "aa a", "aaaa aaa"]


def test_a_pretoken_counts_as_often_as_it_occurs() -> None:
    assert learned(["ab cd cd"], min_freq=2) == ["c d", "Ġ cd"]
    assert learned(["ab", "cd", "cd"], merges=1, min_freq=1) == ["c d"]


def test_merges_never_cross_pretokens() -> None:
    assert learned(["a.", "a."], min_freq=1) == []
    assert learned(["a b", "a b"]) == ["Ġ b"]


def test_symbols_are_bytes_not_characters() -> None:
    assert learned(["é"], min_freq=1) == ["Ã ©"]
    assert learned(["你", "你"]) == ["½ ł", "ä ½ł"]


@given(COUNTS, st.integers(0, 30), st.integers(1, 3))
@settings(max_examples=150)
def test_it_learns_what_counting_again_after_each_merge_learns(counts: dict, most: int, min_freq: int) -> None:
    assert learn_merges(counts, most, min_freq) == naive.train(counts, most, min_freq)


def test_it_learns_so_on_runs_that_overlap_themselves() -> None:
    random = Random(5)
    for _ in range(200):
        counts = Counter("".join(random.choices("ab", k=random.randint(1, 14))) for _ in range(4))
        assert learn_merges(counts, 40, 1) == naive.train(counts, 40, 1), counts


# ---- ids ----


def test_ids_are_specials_then_bytes_in_code_point_order_then_merges() -> None:
    tokenizer = BPETokenizer.train(["abab"], 259, specials=["<z>", "<a>"], min_freq=1)
    assert list(tokenizer.vocab) == ["<z>", "<a>", *sorted(bytes_to_unicode().values()), "ab"]
    assert list(tokenizer.vocab.values()) == list(range(259))
    assert (tokenizer.vocab["!"], tokenizer.vocab["Ġ"], tokenizer.vocab["ab"]) == (2, 222, 258)
    assert tokenizer.added == {"<z>": 0, "<a>": 1}
    assert tokenizer.special_ids == {0, 1}
    assert tokenizer.vocab_size == 259


def test_all_256_bytes_are_there_even_if_no_text_has_them() -> None:
    tokenizer = BPETokenizer.train(["ab"], 257)
    text = "".join(map(chr, range(0x110))) + "\U0010ffff"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.vocab) == 256


# ---- when it ends ----


@pytest.mark.parametrize("min_freq, merges", [(1, 4), (2, 2), (3, 2), (4, 1), (5, 0)])
def test_a_count_equal_to_min_freq_still_merges(min_freq: int, merges: int) -> None:
    assert len(learned(CHAPTER, min_freq=min_freq)) == merges


def test_min_freq_is_2_unless_said() -> None:
    assert learned(["ab", "cd", "cd"]) == ["c d"]


@pytest.mark.parametrize("extra", range(6))
def test_the_vocabulary_has_the_size_asked_for_or_less_if_pairs_run_out(extra: int) -> None:
    tokenizer = BPETokenizer.train(CHAPTER, 256 + extra, min_freq=1)
    assert tokenizer.vocab_size == 256 + min(extra, 4)


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["a"], ["a", "b"], iter(())], ids=lambda texts: repr(texts)[:12])
def test_texts_without_pairs_teach_nothing(texts) -> None:
    assert BPETokenizer.train(texts, 300, min_freq=1).merges == []


# ---- specials ----


def test_specials_are_cut_out_of_the_texts() -> None:
    assert learned(["<s>ab<s>"] * 5, specials=["<s>"]) == ["a b"]
    assert learned(["x<s>y"] * 5, specials=["<s>"]) == []


def test_each_side_of_a_special_is_pretokenized_on_its_own() -> None:
    counts = count_pretokens(["a  <s>  b<s>'s", "don<s>'t"], specials=["<s>"])
    assert counts == {"a": 1, "  ": 1, " ": 1, " b": 1, "'s": 1, "don": 1, "'t": 1}


def test_specials_that_begin_alike_are_cut_leftmost_then_longest() -> None:
    assert count_pretokens(["<s><s>x<s>y"], specials=["<s>", "<s>x"]) == {"y": 1}
    assert count_pretokens(["abcd"], specials=["ab", "bcd"]) == {"cd": 1}
    for order in itertools.permutations(["ab", "abc", "abcd"]):
        assert count_pretokens(["abcxabcdyabz"], specials=order) == {"x": 1, "y": 1, "z": 1}


def test_a_merge_that_would_spell_a_special_is_an_error() -> None:
    """No text left has the special itself, but other bytes may be spelled like it: "é" is spelled "Ã©" in the byte alphabet."""
    with pytest.raises(ValueError, match="merges 'Ã' and '©' into 'Ã©', which is a special"):
        BPETokenizer.train(["é"], 300, specials=["<s>", "Ã©"], min_freq=1)
    assert learned(["é"], specials=["Ã©"], min_freq=2) == []


# ---- nothing but the counts matters ----


@given(st.permutations(["ab ab", "abc", "bc", "é é", "cab"]))
@settings(max_examples=30)
def test_the_order_of_the_texts_does_not_matter(texts: list[str]) -> None:
    assert learned(texts, min_freq=1) == learned(["ab ab", "abc", "bc", "é é", "cab"], min_freq=1)


def test_the_order_of_the_counts_does_not_matter() -> None:
    counts = {"abab": 2, "ba": 3, "aabb": 1, " ab": 2}
    expected = learn_merges(counts, 20, 1)
    for order in itertools.permutations(counts.items()):
        assert learn_merges(dict(order), 20, 1) == expected


def test_training_is_counting_then_training_from_counts() -> None:
    texts = ["ab ab", "abc <s> é"]
    counts = count_pretokens(texts, specials=["<s>"])
    one, other = (
        BPETokenizer.train(texts, 280, ["<s>"], 1),
        BPETokenizer.train_from_counts(counts, 280, ["<s>"], 1),
    )
    assert (one.vocab, one.merges, one.added, one.special_ids) == (
        other.vocab,
        other.merges,
        other.added,
        other.special_ids,
    )
    assert BPETokenizer.train_from_counts(counts, 280, ["<s>"]).merges == learn_merges(counts, 23, 2)


def test_counts_of_parts_add_up_to_that_of_the_whole() -> None:
    texts = ["a b", "b  c", "a's"]
    assert count_pretokens(texts[:1]) + count_pretokens(texts[1:]) == count_pretokens(texts)
    assert count_pretokens(texts) == {"a": 2, " b": 1, "b": 1, " ": 1, " c": 1, "'s": 1}


def test_a_text_counts_the_same_however_it_is_cut_into_chunks() -> None:
    """One of these can be split at its spaces, the others cannot."""
    assert count_pretokens([" x a\ny a", " x a\t\ty a", " x a\n\n\ny a"]) == {
        **{" x": 3, " a": 6, "y": 3},
        **{"\n": 2, "\n\n": 1, "\t": 2},
    }


def test_texts_are_read_once_and_may_come_from_a_generator() -> None:
    read: list[int] = []

    def texts():
        for i in range(3):
            read.append(i)
            yield "ab"

    assert learned(texts()) == ["a b"]
    assert read == [0, 1, 2]


# ---- which split ----


def test_a_declared_split_is_used_and_kept() -> None:
    digits = {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Digits", "individual_digits": True},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        ],
    }
    assert learned(["22", "22"]) == ["2 2"]
    tokenizer = BPETokenizer.train(["22", "22"], 300, pre_tokenizer=digits)
    assert (tokenizer.merges, tokenizer.pre_tokenizer) == ([], digits)
    assert count_pretokens(["22"], pre_tokenizer=digits) == {"2": 2}


@pytest.mark.parametrize("name", SPLITS)
def test_a_split_has_a_name(name: str) -> None:
    tokenizer = BPETokenizer.train(["hug2222", "hug2222"], 300, pre_tokenizer=name)
    pretokens = SPLITS[name].pretokenize("hug2222")
    assert tokenizer.merges == BPETokenizer.train_from_counts(Counter(pretokens * 2), 300).merges != []
    assert tokenizer.pre_tokenizer == SPLITS[name].declaration
    assert len(tokenizer.encode("hug2222")) == len(pretokens)


def test_cl100k_cuts_numbers_in_threes() -> None:
    assert BPETokenizer.train(["2222", "2222"], 300).merges == [("2", "2"), ("22", "22")]
    assert BPETokenizer.train(["2222", "2222"], 300, pre_tokenizer="cl100k").merges == [("2", "2"), ("22", "2")]


# ---- bad arguments ----


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ({"vocab_size": 255}, "vocab_size is 255; it must be at least 256"),
        ({"vocab_size": 0}, "vocab_size is 0; it must be at least 256"),
        ({"vocab_size": 257, "specials": ["<a>", "<b>"]}, "vocab_size is 257; it must be at least 258.* 2 specials"),
        ({"vocab_size": 300, "min_freq": 0}, "min_freq is 0; it must be at least 1"),
        ({"vocab_size": 300, "min_freq": -1}, "min_freq is -1; it must be at least 1"),
        ({"vocab_size": 300, "specials": [""]}, "specials has the empty string"),
        ({"vocab_size": 300, "specials": ["<a>", "<b>", "<a>"]}, "specials has '<a>' twice"),
        ({"vocab_size": 300, "specials": ["a"]}, "the special 'a' is a byte symbol"),
        ({"vocab_size": 300, "specials": ["<a>", "Ġ"]}, "the special 'Ġ' is a byte symbol"),
        ({"vocab_size": 300, "specials": ["<a>", "<\ud800>"]}, "specials has '<.ud800>', with a lone surrogate"),
        ({"vocab_size": 300, "pre_tokenizer": "bert"}, "pre_tokenizer is 'bert'; it must be gpt2, cl100k, o200k"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("train", [BPETokenizer.train, BPETokenizer.train_from_counts], ids=["texts", "counts"])
def test_a_wrong_value_is_named(train, arguments: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        train({"ab": 2}, **arguments)


def test_the_largest_vocabulary_has_a_token_for_each_character_of_unicode() -> None:
    assert BPETokenizer.train(["ab"] * 9, 1_114_113, ["<a>"]).merges == [("a", "b")]


@pytest.mark.parametrize("vocab_size, specials", [(256, []), (257, ["<a>"])])
def test_the_smallest_vocabulary_has_the_bytes_and_the_specials(vocab_size: int, specials: list[str]) -> None:
    assert BPETokenizer.train(["ab"] * 9, vocab_size, specials).merges == []


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ({"specials": "<a>"}, r"specials must be a sequence of str, not the str '<a>': write \['<a>'\]"),
        ({"specials": {"<a>", "<b>"}}, "specials must be a sequence of str, such as a list, not set"),
        ({"specials": {"<a>": 0}}, "specials must be a sequence of str, such as a list, not dict"),
        ({"specials": iter(["<a>"])}, "specials must be a sequence of str, such as a list, not list_iterator"),
        ({"specials": None}, "specials must be a sequence of str, such as a list, not NoneType"),
        ({"specials": ["<a>", 5]}, "specials has 5; a special is a str"),
        ({"vocab_size": "300"}, "vocab_size is '300'; it must be an integer"),
        ({"vocab_size": 300.0}, r"vocab_size is 300\.0; it must be an integer"),
        ({"vocab_size": None}, "vocab_size is None; it must be an integer"),
        ({"min_freq": 1.5}, r"min_freq is 1\.5; it must be an integer"),
        ({"specials": [b"<a>"]}, "specials has b'<a>'; a special is a str"),
        ({"pre_tokenizer": 5}, "pre_tokenizer is 5; it must be a name, a declaration, or None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_type_is_named(arguments: dict, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        BPETokenizer.train(["ab"], **{"vocab_size": 300, **arguments})


class Index:
    """What counts as an integer without being one."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_sizes_are_whatever_has_index() -> None:
    assert BPETokenizer.train(["abc", "abc"], Index(257), min_freq=Index(2)).merges == [("a", "b")]
    assert BPETokenizer.train(["ab"], 257, min_freq=True).merges == [("a", "b")]


@pytest.mark.parametrize("wrong", [None, 5, b"ab", 1.5], ids=repr)
def test_texts_are_an_iterable_of_str(wrong: object) -> None:
    complaint = f"texts must be an iterable of str, not {type(wrong).__name__}$"
    with pytest.raises(TypeError, match=complaint):
        BPETokenizer.train(wrong, 300)
    with pytest.raises(TypeError, match=complaint):
        count_pretokens(wrong)


def test_one_text_is_no_iterable_of_texts() -> None:
    with pytest.raises(TypeError, match=r"texts must be an iterable of str, not str: write \[text\]$"):
        BPETokenizer.train("abab", 300)


def test_a_wrong_text_is_named_with_its_place() -> None:
    with pytest.raises(TypeError, match=r"texts\[1\].* must be a str, not bytes"):
        BPETokenizer.train(["ab", b"ab"], 300)
    with pytest.raises(ValueError, match=r"texts\[2\].* position 1 is the lone surrogate U\+D800"):
        BPETokenizer.train(["ab", "", "a\ud800"], 300)


@pytest.mark.parametrize(
    "counts, error, complaint",
    [
        (["ab"], TypeError, "counts must be a mapping from pre-token to count, not list"),
        ("ab", TypeError, "counts must be a mapping from pre-token to count, not str"),
        (None, TypeError, "counts must be a mapping from pre-token to count, not NoneType"),
        ({"ab": 1, 5: 2}, TypeError, "counts has the key 5; a pre-token is a str"),
        ({b"ab": 2}, TypeError, "counts has the key b'ab'; a pre-token is a str"),
        ({"a\ud800": 2}, ValueError, r"counts has the key 'a.ud800', with a lone surrogate"),
        ({"ab": -1}, ValueError, r"counts\['ab'\] is -1; a count is an integer, 0 or more"),
        ({"cd": 1, "ab": 1.0}, ValueError, r"counts\['ab'\] is 1\.0; a count is an integer"),
        ({"ab": "2"}, ValueError, r"counts\['ab'\] is '2'; a count is an integer"),
        ({"ab": True}, ValueError, r"counts\['ab'\] is True; a count is an integer"),
        ({"ab": float("nan")}, ValueError, r"counts\['ab'\] is nan; a count is an integer"),
    ],
    ids=lambda value: ascii(value) if isinstance(value, dict) else None,
)
def test_a_wrong_count_is_named(counts, error, complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        BPETokenizer.train_from_counts(counts, 300)


def test_a_count_of_nothing_is_a_pretoken_that_is_not_there() -> None:
    counts = {"ab": 0, "cd": 1, "": 3}
    assert BPETokenizer.train_from_counts(counts, 300, min_freq=1).merges == [("c", "d")]


def test_a_vocabulary_may_be_asked_for_that_no_text_fills() -> None:
    assert BPETokenizer.train(["abab abab"], vocab_size=10**9).merges == [("a", "b"), ("ab", "ab")]


def test_training_ends_with_words_where_its_symbols_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tinyllm.tok.merging.training.MOST_SYMBOLS", 257)
    assert len(BPETokenizer.train(["abab abab"], vocab_size=257).merges) == 1
    with pytest.raises(ValueError, match="training has made 257 tokens, and cannot make more: ask for fewer"):
        BPETokenizer.train(["abab abab"], vocab_size=258)

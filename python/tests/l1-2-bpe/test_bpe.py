"""The model suite for L1.2: the eleven tests that the chapter asks for, and what they leave open.

It imports only names of the two contracts, so it judges any implementation of them. Every expected value can be found by hand.
"""

import json
from pathlib import Path

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pretok import is_letter, is_number, is_space, pretokenize_gpt2, split_digits

HUGS = ["hug", "hug", "pug", "hugs"]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
DIGITS = {"type": "Digits", "individual_digits": True}


def numbered(*tokens: str) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens)}


def changed_file(path: Path, section: str | None, field: str, value: object) -> Path:
    """A saved tokenizer with one field changed, of the file or of one of its sections."""
    BPETokenizer(numbered("a", "b", "ab"), [("a", "b")], [("<s>", 3, True)]).save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    (content[section] if section else content)[field] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


# ---- training ----


def test_hand_example_merges_and_tie() -> None:
    """hug hug pug hugs, min_freq 1, 259 ids: merges (u,g), (h,ug), (p,ug)."""
    tokenizer = BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    # At the third step (p, ug) and (hug, s) both occur once. Their ids are (79, 256) and (257, 82).
    assert tokenizer.merges == [("u", "g"), ("h", "ug"), ("p", "ug")]
    assert [tokenizer.vocab[token] for token in ("!", "Ġ", "ug", "hug", "pug")] == [0, 220, 256, 257, 258]
    assert tokenizer.encode("hugs pug") == [257, 82, 220, 258]
    assert tokenizer.decode([257, 82, 220, 258]) == "hugs pug"


def test_count_equal_to_min_freq_still_merges() -> None:
    """min_freq 3 keeps the (h, ug) merge, whose count is exactly 3."""
    assert BPETokenizer.train(HUGS, vocab_size=300, min_freq=3).merges == [("u", "g"), ("h", "ug")]
    assert BPETokenizer.train(HUGS, vocab_size=300, min_freq=4).merges == [("u", "g")]
    assert BPETokenizer.train(HUGS, vocab_size=300).merges == [("u", "g"), ("h", "ug")]


def test_a_pretoken_counts_as_often_as_it_occurs() -> None:
    assert BPETokenizer.train(["xy xy xy", "ab cb ab"], vocab_size=257).merges == [("x", "y")]


def test_overlapping_pairs_count_and_merge_from_the_left() -> None:
    """aaaa has three (a, a), as many as bc has (b, c); then it is aa, aa."""
    tokenizer = BPETokenizer.train(["aaaa", "bc", "bc", "bc"], vocab_size=259, min_freq=1)
    assert tokenizer.merges == [("a", "a"), ("b", "c"), ("aa", "aa")]


def test_counts_follow_the_merges() -> None:
    """After (a, b), the pairs (x, a) and (b, y) are gone and (x, ab) and (ab, y) are there."""
    tokenizer = BPETokenizer.train(["xaby"] * 3 + ["ab"] * 9 + ["by"] * 2, vocab_size=300, min_freq=2)
    assert tokenizer.merges == [("a", "b"), ("x", "ab"), ("xab", "y"), ("b", "y")]


def test_training_ends_quietly_when_no_pair_is_left() -> None:
    assert BPETokenizer.train(["abc"], vocab_size=9999, min_freq=1).merges == [("a", "b"), ("ab", "c")]
    assert BPETokenizer.train(iter([]), vocab_size=300).vocab_size == 256


def test_bad_arguments_raise() -> None:
    """vocab_size below 256 + specials, or min_freq 0, is ValueError."""
    for arguments in (
        {"vocab_size": 255},
        {"vocab_size": 256, "specials": ["<s>"]},
        {"vocab_size": 300, "min_freq": 0},
    ):
        with pytest.raises(ValueError):
            BPETokenizer.train(HUGS, **arguments)
    assert BPETokenizer.train(HUGS, vocab_size=257, specials=["<s>"]).merges == []


# ---- pre-tokens ----


@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("I'm   here!!\n", ["I", "'m", "  ", " here", "!!", "\n"]),
        ("don't 2024 café", ["don", "'t", " 2024", " café"]),
        ("I'll've'restaurant", ["I", "'ll", "'ve", "'re", "staurant"]),
        ("he'd 's'S", ["he", "'d", " '", "s", "'", "S"]),
        ("a  b  ", ["a", " ", " b", "  "]),
        ("\tab\n\nc \n d", ["\t", "ab", "\n", "\n", "c", " \n", " d"]),
        ("a\x1c!b\xa0c\x85\x85d", ["a", "\x1c!", "b", "\xa0", "c", "\x85", "\x85", "d"]),
        ("½'s 一二 x² e\u0301", ["½", "'s", " 一二", " x", "²", " e", "\u0301"]),
        (" 12!! ", [" 12", "!!", " "]),
        ("", []),
    ],
    ids=ascii,
)
def test_pretokenizer_examples(text: str, pretokens: list[str]) -> None:
    """Contractions, white-space runs, U+001C, U+00A0, a leading tab, and ½."""
    assert pretokenize_gpt2(text) == pretokens


def test_character_classes() -> None:
    assert [ch for ch in map(chr, range(0x3001)) if is_space(ch)] == [
        *"\t\n\x0b\x0c\r \x85\xa0\u1680",
        *map(chr, range(0x2000, 0x200B)),
        *"\u2028\u2029\u202f\u205f\u3000",
    ]
    assert [is_letter(ch) for ch in "aßªʰǅ一1 \u0301_"] == [True] * 6 + [False] * 4
    assert [is_number(ch) for ch in "7½Ⅷ²٣①一a "] == [True] * 6 + [False] * 3


def test_split_digits_both_modes() -> None:
    """individual: one part per digit; otherwise one part per run."""
    assert split_digits("in 2024½, 7x") == ["in ", "2", "0", "2", "4", "½", ", ", "7", "x"]
    assert split_digits("in 2024½, 7x", individual=False) == ["in ", "2024½", ", ", "7", "x"]


def test_a_declared_digits_step_is_done() -> None:
    """Digits first: then the spaces before a digit are the end of a text, and stay together."""
    vocab, merges = numbered("1", "2", "12", "Ġ", "ĠĠ"), [("1", "2"), ("Ġ", "Ġ")]
    alone = {"type": "Sequence", "pretokenizers": [DIGITS, BYTE_LEVEL]}
    assert BPETokenizer(vocab, merges, (), alone).encode("12  1") == [0, 1, 4, 0]
    runs = {"type": "Sequence", "pretokenizers": [{**DIGITS, "individual_digits": False}, BYTE_LEVEL]}
    assert BPETokenizer(vocab, merges, (), runs).encode("12  1") == [2, 4, 0]


# ---- encoding ----


def test_lowest_rank_merges_first() -> None:
    """With (b,c) ranked before (a,b), "abc" encodes as [a, bc]."""
    vocab = numbered("a", "b", "c", "ab", "bc")
    assert BPETokenizer(vocab, [("b", "c"), ("a", "b")]).encode("abc") == [0, 4]
    assert BPETokenizer(vocab, [("a", "b"), ("b", "c")]).encode("abc") == [3, 2]


def test_equal_ranks_merge_leftmost() -> None:
    """With the one merge (a,a), "aaa" encodes as [aa, a]."""
    tokenizer = BPETokenizer(numbered("a", "aa"), [("a", "a")])
    assert tokenizer.encode("aaa") == [1, 0]
    assert tokenizer.encode("aaaa") == [1, 1]
    assert tokenizer.encode("aaaaa") == [1, 1, 0]


def test_a_merge_may_outrank_one_that_makes_its_part() -> None:
    """With (ab, a) before (a, b), abab is aba, b: the new ab merges with the a behind it at once."""
    tokenizer = BPETokenizer(numbered("a", "b", "ab", "aba"), [("ab", "a"), ("a", "b")])
    assert tokenizer.encode("abab") == [3, 1]


def test_long_runs_encode_as_short_ones_do() -> None:
    tokenizer = BPETokenizer(numbered("a", "b", "aa", "ab"), [("a", "a"), ("a", "b")])
    assert tokenizer.encode("a" * 1001 + "b") == [2] * 500 + [3]


def test_merges_never_cross_pretokens() -> None:
    assert BPETokenizer(numbered("a", "!", "a!"), [("a", "!")]).encode("a!") == [0, 1]


def test_a_byte_without_a_symbol_is_dropped() -> None:
    """Its neighbours may then merge, as in Hugging Face."""
    tokenizer = BPETokenizer(numbered("a", "!", "!!"), [("!", "!")])
    assert tokenizer.encode("a\x04a") == [0, 0]
    assert tokenizer.encode("!\x04!") == [2]
    assert tokenizer.encode("é") == []


def test_bytes_are_spelled_in_the_byte_alphabet() -> None:
    tokenizer = BPETokenizer.train([], vocab_size=256)
    assert [tokenizer.id_to_token(id) for id in tokenizer.encode("é \n\xad")] == ["Ã", "©", "Ġ", "Ċ", "Â", "Ń"]


def test_the_same_text_has_the_same_ids_twice() -> None:
    tokenizer = BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    ids = tokenizer.encode("hug hug")
    ids.append(0)
    assert tokenizer.encode("hug hug") == [257, 220, 257]


def test_encode_batch_keeps_empty_texts() -> None:
    tokenizer = BPETokenizer(numbered("a", "b"), [])
    assert tokenizer.encode_batch(["", "ab", "", "a"]) == [[], [0, 1], [], [0]]
    with pytest.raises(TypeError):
        tokenizer.encode_batch("ab")


def test_round_trip_any_text() -> None:
    """decode(encode(x)) == x for text with emoji, accents, tabs, and runs of spaces."""
    tokenizer = BPETokenizer.train(["the cat sat on the mat, the cat sat"], vocab_size=280, specials=["<s>"])
    for text in ("", "the 🙂👍🏽 café\t\tnaïve   end  ", "日本語\r\n½\x00\x1c\xa0", "<s>the<s", "e\u0301 \ufeff"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    with pytest.raises(ValueError):
        tokenizer.encode("\ud83d")


# ---- added tokens ----


def test_special_token_is_one_id_and_never_trained_on() -> None:
    """A special is id 0, matched in text, skipped on request, never merged."""
    tokenizer = BPETokenizer.train(["ab<|end|>ab"] * 3, vocab_size=300, specials=["<|end|>"])
    assert tokenizer.merges == [("a", "b")]
    assert (tokenizer.added, tokenizer.special_ids, tokenizer.vocab["!"]) == ({"<|end|>": 0}, {0}, 1)
    assert tokenizer.encode("ab<|end|>ab") == [257, 0, 257]
    assert tokenizer.decode([257, 0, 257]) == "ab<|end|>ab"
    assert tokenizer.decode([257, 0, 257], skip_special=True) == "abab"


def test_added_tokens_match_leftmost_then_longest() -> None:
    vocab = numbered("a", "b", "x", "<", ">")
    for contents in (["<a>", "<a><b>"], ["<a><b>", "<a>"]):
        tokenizer = BPETokenizer(vocab, [], [(content, 5 + i, True) for i, content in enumerate(contents)])
        assert tokenizer.encode("<a><b>x<a>") == [tokenizer.added["<a><b>"], 2, tokenizer.added["<a>"]]
    leftmost = BPETokenizer(vocab, [], [("ax", 5, True), ("xabb", 6, True)])
    assert leftmost.encode("axabb") == [5, 0, 1, 1]


def test_text_between_added_tokens_is_cut_on_its_own() -> None:
    """ "a  <s>b": the two spaces end a text, so they stay together."""
    tokenizer = BPETokenizer(numbered("a", "b", "Ġ", "ĠĠ", "Ġb"), [("Ġ", "Ġ"), ("Ġ", "b")], [("<s>", 5, True)])
    assert tokenizer.encode("a  <s>b") == [0, 3, 5, 1]
    assert tokenizer.encode("a  b") == [0, 2, 4]


def test_specials_match_only_where_they_are_allowed() -> None:
    tokenizer = BPETokenizer(numbered("<", "s", ">"), [], [("<s>", 3, True), ("s>", 4, False)])
    assert tokenizer.encode("<s>") == [3]
    assert tokenizer.encode("<s>", allowed_special="none") == [0, 4], "one that is not special always matches"
    assert tokenizer.encode("<s>", allowed_special=["<s>"]) == [3]
    with pytest.raises(ValueError):
        tokenizer.encode("<s>", allowed_special=["<t>"])


def test_skip_special_keeps_added_tokens_that_are_not_special() -> None:
    tokenizer = BPETokenizer(numbered("a"), [], [("<s>", 1, True), ("é日", 2, False)])
    assert tokenizer.decode([0, 1, 2], skip_special=True) == "aé日"
    assert tokenizer.token_bytes(2) == "é日".encode()


# ---- decoding ----


def test_character_split_across_tokens_decodes_together() -> None:
    """The three bytes of a CJK character decode to it only together."""
    tokenizer = BPETokenizer.train([], vocab_size=256)
    ids = tokenizer.encode("日")
    assert len(ids) == 3
    assert tokenizer.decode(ids) == "日"
    assert [tokenizer.decode([id]) for id in ids] == ["\ufffd"] * 3
    assert tokenizer.decode(ids[:2]) == "\ufffd"
    assert tokenizer.decode_bytes(ids[:2]) == b"\xe6\x97"
    with pytest.raises(ValueError):
        tokenizer.decode(ids[:2], errors="strict")


def test_ids_out_of_range_are_refused() -> None:
    tokenizer = BPETokenizer(numbered("a", "b"), [])
    assert (tokenizer.vocab_size, tokenizer.unk_id) == (2, None)
    for id in (-1, 2):
        with pytest.raises(ValueError):
            tokenizer.decode([0, id])
        with pytest.raises(ValueError):
            tokenizer.id_to_token(id)
    assert [tokenizer.token_to_id(token) for token in ("a", "b", "c")] == [0, 1, None]


# ---- parts and files ----


def test_parts_that_contradict_themselves_are_refused() -> None:
    for vocab, merges, added in (
        ({"a": 0, "b": 2}, [], []),
        ({"a": 0, "b": 0}, [], []),
        (numbered("a", "b"), [("a", "b")], []),
        (numbered("a", "aa"), [("a", "a"), ("a", "a")], []),
        (numbered("a", "b"), [], [("<s>", 3, True)]),
        (numbered("a", "b"), [], [("b", 0, True)]),
    ):
        with pytest.raises(ValueError):
            BPETokenizer(vocab, merges, added)
    assert BPETokenizer(numbered("a", "b"), [], [("b", 1, True), ("<s>", 2, True)]).encode("ab<s>") == [0, 1, 2]


def test_save_load_keeps_specials(tmp_path: Path) -> None:
    """load(save(t)) has the same merges, specials, and ids."""
    tokenizer = BPETokenizer(
        numbered("1", "2", "12", "é"),
        [("1", "2")],
        [("<b>", 4, True), ("<a b>", 5, False)],
        {"type": "Sequence", "pretokenizers": [DIGITS, BYTE_LEVEL]},
    )
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert (loaded.vocab, loaded.merges, loaded.pre_tokenizer) == (
        tokenizer.vocab,
        tokenizer.merges,
        tokenizer.pre_tokenizer,
    )
    assert (loaded.added, loaded.special_ids) == ({"<b>": 4, "<a b>": 5}, {4})
    assert loaded.encode("12<b><a b>") == [0, 1, 4, 5]


def test_merges_may_be_strings_or_pairs(tmp_path: Path) -> None:
    for merges in (["a b"], [["a", "b"]]):
        assert BPETokenizer.from_hf_json(changed_file(tmp_path / "t.json", "model", "merges", merges)).merges == [
            ("a", "b")
        ]


@pytest.mark.parametrize(
    "section, field, value",
    [
        (None, "normalizer", {"type": "NFC"}),
        (None, "post_processor", {"type": "TemplateProcessing"}),
        (None, "pre_tokenizer", None),
        (None, "pre_tokenizer", {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, DIGITS]}),
        (None, "lowercase", True),
        ("pre_tokenizer", "add_prefix_space", True),
        ("model", "dropout", 0.1),
        ("model", "unk_token", "<unk>"),
        ("model", "byte_fallback", True),
        ("model", "ignore_merges", True),
        ("model", "end_of_word_suffix", "</w>"),
        ("model", "lowercase", True),
        ("model", "vocab", {"a": 0, "b": 1, "ab": 3}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_outside_the_subset_is_refused(tmp_path: Path, section: str | None, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=field):
        BPETokenizer.from_hf_json(changed_file(tmp_path / "t.json", section, field, value))


def test_gpt2_files_have_one_header_line(tmp_path: Path) -> None:
    """ "# #" is a merge; <|endoftext|> is special without being declared."""
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text(json.dumps(numbered("#", "a", "##", "<|endoftext|>")), encoding="utf-8")
    for text in ("#version: 0.2\n# #\n", "# #"):
        merges.write_text(text, encoding="utf-8")
        tokenizer = BPETokenizer.from_gpt2(vocab, merges)
        assert (tokenizer.merges, tokenizer.special_ids) == ([("#", "#")], {3})
        assert tokenizer.encode("##a<|endoftext|>") == [2, 1, 3]

"""A tokenizer from its parts: what each must be, and that they are its own."""

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splits import CL100K_PATTERN, DEFAULT, SPLITS, Split
from tinyllm.tok.splitting.declaration import pretokenizer_of

pytestmark = pytest.mark.fast

VOCAB = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "bc": 5}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def test_a_tokenizer_shows_its_parts() -> None:
    tokenizer = BPETokenizer(VOCAB, [("a", "b"), ("ab", "c")], [("<s>", 6, True)])
    assert tokenizer.vocab == VOCAB
    assert tokenizer.merges == [("a", "b"), ("ab", "c")]
    assert tokenizer.added == {"<s>": 6}
    assert tokenizer.special_ids == frozenset({6})
    assert tokenizer.pre_tokenizer == BYTE_LEVEL
    assert tokenizer.vocab_size == 7
    assert tokenizer.unk_id is None


def test_the_parts_are_its_own() -> None:
    vocab, merges = dict(VOCAB), [("a", "b")]
    declaration = {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": True}, dict(BYTE_LEVEL)],
    }
    tokenizer = BPETokenizer(vocab, merges, [], declaration)
    vocab.clear()
    merges.clear()
    declaration["pretokenizers"].pop(0)
    declaration["pretokenizers"][0]["add_prefix_space"] = True
    assert tokenizer.vocab == VOCAB and tokenizer.merges == [("a", "b")]
    assert tokenizer.pre_tokenizer == {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL],
    }
    assert tokenizer.encode("ab") == [3]


def test_two_tokenizers_share_nothing() -> None:
    one, other = BPETokenizer(VOCAB, []), BPETokenizer(VOCAB, [("a", "b")])
    one.pre_tokenizer["use_regex"] = False
    assert other.pre_tokenizer == BPETokenizer(VOCAB, []).pre_tokenizer == BYTE_LEVEL
    assert (one.encode("ab"), other.encode("ab")) == ([0, 1], [3])


def test_merges_may_come_as_lists_and_from_an_iterator() -> None:
    assert BPETokenizer(VOCAB, iter([["a", "b"], ("ab", "c")])).merges == [("a", "b"), ("ab", "c")]


def test_the_empty_tokenizer_has_no_ids() -> None:
    tokenizer = BPETokenizer({}, [])
    assert (tokenizer.encode("ab"), tokenizer.decode([]), tokenizer.vocab_size) == ([], "", 0)


@pytest.mark.parametrize(
    "vocab, complaint",
    [
        ({"a": 1}, "vocab has no token with id 0, but one with id 1; ids must have no gap"),
        ({"a": 0, "b": 2, "c": 3}, "vocab has no token with id 1, but one with id 3; ids must have no gap"),
        ({"a": 0, "b": 5}, "vocab has no token with id 1, but one with id 5"),
        ({"a": 0, "b": 0}, r"vocab\['b'\] is 0, and so is vocab\['a'\]; an id belongs to one token"),
        ({"a": -1, "b": 0}, r"vocab\['a'\] is -1; an id is 0 or more"),
        ({"a": 0, "b": "1"}, r"vocab\['b'\] is '1'; an id is an integer"),
        ({"a": 0, "b": 1.0}, r"vocab\['b'\] is 1\.0; an id is an integer"),
        ({"a": 0, "b": True}, r"vocab\['b'\] is True; an id is an integer"),
        ({"a": False, "b": 1}, r"vocab\['a'\] is False; an id is an integer"),
        ({"a": 0, "b": None}, r"vocab\['b'\] is None; an id is an integer"),
        ({"a": 0, "": 1}, r"vocab\[''\] is 1; a token has at least one character"),
        ({"a": 0, "b\ud800": 1}, r"vocab has a token with the lone surrogate '\\ud800'"),
    ],
    ids=lambda value: None if isinstance(value, str) else ascii(value),
)
def test_a_wrong_vocabulary_is_named(vocab: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BPETokenizer(vocab, [])


@pytest.mark.parametrize("key", [5, None, b"a", ("a",)], ids=repr)
def test_a_token_is_a_str(key: object) -> None:
    with pytest.raises(TypeError, match="vocab has the key .*; a token is a str"):
        BPETokenizer({"a": 0, key: 1}, [])


@pytest.mark.parametrize("wrong", [None, 5, "ab", ["a"]], ids=repr)
def test_a_vocabulary_is_a_mapping(wrong: object) -> None:
    with pytest.raises(TypeError, match=f"vocab must be a mapping .*, not {type(wrong).__name__}"):
        BPETokenizer(wrong, [])


@pytest.mark.parametrize(
    "merges, complaint",
    [
        ([("a", "b"), ("x", "b")], r"merges\[1\] is 'x', 'b', but the vocabulary lacks its left part 'x'"),
        ([("a", "b"), ("a", "x")], r"merges\[1\] is 'a', 'x', but the vocabulary lacks its right part 'x'"),
        ([("b", "a")], r"merges\[0\] is 'b', 'a', but the vocabulary lacks its result 'ba'"),
        ([("a", "b"), ("ab", "c"), ("c", "c")], r"merges\[2\] is 'c', 'c', but the vocabulary lacks its result 'cc'"),
        ([("a", "b"), ("b", "c"), ("a", "b")], r"merges\[2\] is 'a', 'b', which merges\[0\] is already"),
        ([("a", "b"), ("a", "b")], r"merges\[1\] is 'a', 'b', which merges\[0\] is already"),
        ([("", "a")], r"merges\[0\] is '', 'a', but the vocabulary lacks its left part ''"),
        (["ab"], r"merges\[0\] is 'ab'; a merge is a pair of tokens"),
        (["a b"], r"merges\[0\] is 'a b'; a merge is a pair of tokens"),
        ([("a", "b"), ("a",)], r"merges\[1\] is \('a',\); a merge is a pair of tokens"),
        ([("a", "b", "c")], r"merges\[0\] is \('a', 'b', 'c'\); a merge is a pair of tokens"),
        ([("a", 1)], r"merges\[0\] is \('a', 1\); a merge is a pair of tokens"),
        ([(None, "a")], r"merges\[0\] is \(None, 'a'\); a merge is a pair of tokens"),
        ([(["a"], "b")], r"merges\[0\] is \(\['a'\], 'b'\); a merge is a pair of tokens"),
        ([("a", "b"), 5], r"merges\[1\] is 5; a merge is a pair of tokens"),
        ([None], r"merges\[0\] is None; a merge is a pair of tokens"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_wrong_merge_is_named(merges, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BPETokenizer(VOCAB, merges)


@pytest.mark.parametrize("wrong", [None, 5, "ab"], ids=repr)
def test_merges_and_added_tokens_are_iterables(wrong: object) -> None:
    with pytest.raises(TypeError, match=f"merges must be .*, not {type(wrong).__name__}"):
        BPETokenizer(VOCAB, wrong)
    with pytest.raises(TypeError, match=f"added_tokens must be .*, not {type(wrong).__name__}"):
        BPETokenizer(VOCAB, [], wrong)


def test_two_merges_may_make_one_token() -> None:
    merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")]
    assert BPETokenizer(VOCAB, merges).merges == merges
    # Also if what the merges make stands in the vocabulary in another order than they do.
    assert BPETokenizer(VOCAB, merges[::-1]).merges == merges[::-1]


def test_results_that_stand_in_the_vocabulary_in_order_are_fine_too() -> None:
    assert BPETokenizer({"a": 0, "aa": 1, "aaa": 2}, [("a", "a"), ("aa", "a")]).merges == [("a", "a"), ("aa", "a")]
    assert BPETokenizer({"aaa": 2, "aa": 1, "a": 0}, [("a", "a"), ("aa", "a")]).encode("aaa") == [2]


@pytest.mark.parametrize(
    "declaration, complaint",
    [
        ({}, r"pre_tokenizer\.type is missing"),
        ({"type": "Whitespace"}, r'pre_tokenizer\.type is "Whitespace"; it must be "ByteLevel"'),
        ({**BYTE_LEVEL, "add_prefix_space": True}, r"pre_tokenizer\.add_prefix_space is true; it must be false"),
        ({**BYTE_LEVEL, "use_regex": False}, r"pre_tokenizer\.use_regex is false; it must be true"),
        ({**BYTE_LEVEL, "trim_offsets": 1}, r"pre_tokenizer\.trim_offsets is 1; it must be true or false"),
        ({**BYTE_LEVEL, "extra": 1}, r"pre_tokenizer\.extra is 1; this field is not known here"),
        ({"type": "Sequence"}, r"pre_tokenizer\.pretokenizers is missing"),
        ({"type": "Sequence", "pretokenizers": []}, r"pre_tokenizer\.pretokenizers is \[\]; it must be"),
        ({"type": "Sequence", "pretokenizers": {}}, r"pre_tokenizer\.pretokenizers is \{\}; it must be"),
        ({"type": "Sequence", "pretokenizers": [BYTE_LEVEL] * 3}, r"pre_tokenizer\.pretokenizers is \[.*; it must be"),
        ({"type": "Sequence", "pretokenizers": [BYTE_LEVEL], "x": 1}, r"pre_tokenizer\.x is 1"),
        (
            {"type": "Sequence", "pretokenizers": [None]},
            r"pre_tokenizer\.pretokenizers\[0\] is null; it must be an object",
        ),
        (
            {"type": "Sequence", "pretokenizers": [5, BYTE_LEVEL]},
            r"pre_tokenizer\.pretokenizers\[0\] is 5; it must be an object",
        ),
        (
            {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, BYTE_LEVEL]},
            r'pre_tokenizer\.pretokenizers\[0\]\.type is "ByteLevel"; it must be "Digits"',
        ),
        (
            {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": 1}, BYTE_LEVEL]},
            r"pre_tokenizer\.pretokenizers\[0\]\.individual_digits is 1; it must be true or false",
        ),
        (
            {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, BYTE_LEVEL]},
            r"pre_tokenizer\.pretokenizers\[0\]\.individual_digits is missing",
        ),
        (
            {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, {"type": "Digits", "individual_digits": True}]},
            r'pre_tokenizer\.pretokenizers\[1\]\.type is "Digits"; it must be "ByteLevel"',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_wrong_declaration_is_named_by_its_path(declaration: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BPETokenizer(VOCAB, [], [], declaration)


def test_a_sequence_of_byte_level_alone_is_byte_level() -> None:
    tokenizer = BPETokenizer(VOCAB, [("a", "b")], [], {"type": "Sequence", "pretokenizers": [BYTE_LEVEL]})
    assert tokenizer.encode("abab") == [3, 3]


@pytest.mark.parametrize("wrong", [[], 5, [BYTE_LEVEL]], ids=repr)
def test_a_declaration_is_a_mapping(wrong: object) -> None:
    with pytest.raises(TypeError, match="pre_tokenizer is .*; it must be a name, a declaration, or None"):
        BPETokenizer(VOCAB, [], [], wrong)


def test_use_regex_may_be_left_out_and_trim_offsets_may_be_either() -> None:
    for declaration in (
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True},
    ):
        tokenizer = BPETokenizer(VOCAB, [("a", "b")], [], declaration)
        assert (tokenizer.encode("ab"), tokenizer.pre_tokenizer) == ([3], declaration)


# ---- the splits of GPT-4 and GPT-4o ----


def split_of(regex: str, **changes) -> dict:
    step = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False, **changes}
    return {"type": "Sequence", "pretokenizers": [step, {**BYTE_LEVEL, "use_regex": False}]}


@pytest.mark.parametrize("split", [split for split in SPLITS.values() if split.name != DEFAULT], ids=lambda s: s.name)
def test_the_splits_of_the_table_are_taken_as_files_declare_them(split: Split) -> None:
    letters = {ch: id for id, ch in enumerate(dict.fromkeys("McDonald's 1111!"))}
    declarations = [split.declaration]
    if len(split.patterns) == 1:
        declarations += [split_of(split.patterns[0]), split_of(split.patterns[0], behavior="Removed", invert=True)]
    for declaration in declarations:
        tokenizer = BPETokenizer(letters, [], [], declaration)
        assert tokenizer.pre_tokenizer == declaration
        assert pretokenizer_of(declaration).pretokenize("McDonald's 1111!") == split.pretokenize("McDonald's 1111!")


def test_the_splits_of_a_row_with_several_stand_all_there_in_their_order() -> None:
    *steps, byte_level = SPLITS["deepseek-v3"].declaration["pretokenizers"]
    removed = {**steps[0], "behavior": "Removed", "invert": True}
    for wrong, complaint in (
        ([*steps[:2], byte_level], r"pretokenizers\[2\] is ByteLevel; it must be the next Split of deepseek-v3"),
        ([*steps, steps[0], byte_level], r"\[3\] is a Split; behind the last of deepseek-v3 it must be ByteLevel"),
        ([steps[1], steps[0], steps[2], byte_level], r"\[0\]\.pattern\.Regex is .* it must be that of cl100k"),
        ([steps[0], steps[2], byte_level], r"\[1\]\.pattern\.Regex is .*; it must be that of deepseek-v3, letter"),
        ([removed, *steps[1:], byte_level], r'\[0\]\.behavior is "Removed"; it must be "Isolated"'),
        ([*steps, {**byte_level, "use_regex": True}], r"\[3\]\.use_regex is true; it must be false"),
    ):
        with pytest.raises(ValueError, match=complaint):
            BPETokenizer(VOCAB, [], [], {"type": "Sequence", "pretokenizers": wrong})


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"pattern": {"Regex": "x"}}, r'pretokenizers\[0\]\.pattern\.Regex is "x"; it must be that of cl100k'),
        ({"pattern": {"String": "x"}}, r"pretokenizers\[0\]\.pattern\.String is \"x\""),
        ({"pattern": "x"}, r'pretokenizers\[0\]\.pattern is "x"; it must be an object'),
        ({"behavior": "Removed"}, r"pretokenizers\[0\]\.invert is false with behavior Removed"),
        ({"invert": True}, r"pretokenizers\[0\]\.invert is true with behavior Isolated"),
        ({"behavior": "MergedWithNext"}, r'pretokenizers\[0\]\.behavior is "MergedWithNext"'),
        ({"invert": 0}, r"pretokenizers\[0\]\.invert is 0; it must be true or false"),
        ({"extra": 0}, r"pretokenizers\[0\]\.extra is 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_another_split_is_refused_by_its_path(changes: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BPETokenizer(VOCAB, [], [], split_of(CL100K_PATTERN, **changes))


def test_behind_a_split_byte_level_must_not_split_again() -> None:
    declaration = split_of(CL100K_PATTERN)
    for last, complaint in (
        (BYTE_LEVEL, "use_regex is true; it must be false"),
        ({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}, "use_regex is missing"),
    ):
        declaration["pretokenizers"][1] = last
        with pytest.raises(ValueError, match=rf"pre_tokenizer\.pretokenizers\[1\]\.{complaint}"):
            BPETokenizer(VOCAB, [], [], declaration)

"""Added tokens: where they match, which may, and which ids they have."""

import itertools

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer

pytestmark = pytest.mark.fast

LETTERS = {token: id for id, token in enumerate([*"abc<>'s!\\]^-", "Ġ", "Ċ", "Ġb", "ab"])}
N = len(LETTERS)


def tokenizer_of(*added: str) -> BPETokenizer:
    """Special tokens with the next free ids, in the order given; a content in parentheses is not special."""
    contents = [content.strip("()") for content in added]
    entries = [(content, LETTERS.get(content), content == name) for content, name in zip(contents, added)]
    free = itertools.count(N)
    listed = [(content, next(free) if id is None else id, special) for content, id, special in entries]
    return BPETokenizer(LETTERS, [("Ġ", "b"), ("a", "b")], listed)


def tokens_of(tokenizer: BPETokenizer, text: str, **options) -> list[str]:
    return [tokenizer.id_to_token(id) for id in tokenizer.encode(text, **options)]


# ---- matching ----


def test_an_added_token_is_one_id_wherever_it_stands() -> None:
    tokenizer = tokenizer_of("<s>")
    for text in ("<s>", "a<s>", "<s>a", "ab<s>ab", "<s><s>"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert tokenizer.encode(text).count(N) == text.count("<s>")


def test_a_part_of_one_is_ordinary_text() -> None:
    assert tokens_of(tokenizer_of("<s>"), "<s a s> <<s>>") == ["<", "s", "Ġ", "a", "Ġ", "s", ">", "Ġ", "<", "<s>", ">"]


@pytest.mark.parametrize("order", list(itertools.permutations(["<a>", "<a><b>", "<b>"])), ids=str)
def test_the_longest_wins_in_any_order_of_listing(order) -> None:
    assert tokens_of(tokenizer_of(*order), "<a><b><a><a>b<b>") == ["<a><b>", "<a>", "<a>", "b", "<b>"]


def test_the_leftmost_beats_the_longest() -> None:
    assert tokens_of(tokenizer_of("ab", "bca"), "abca") == ["ab", "c", "a"]
    assert tokens_of(tokenizer_of("bca", "ab"), "bcab") == ["bca", "b"]


def test_a_longer_one_that_does_not_end_leaves_the_shorter() -> None:
    assert tokens_of(tokenizer_of("<a>", "<a><b>"), "<a><a") == ["<a>", "<", "a"]
    assert tokens_of(tokenizer_of("aa", "aaaa"), "aaa") == ["aa", "a"]
    assert tokens_of(tokenizer_of("aaaa", "ab"), "aaab") == ["a", "a", "ab"]


def test_each_segment_is_pretokenized_on_its_own() -> None:
    tokenizer = tokenizer_of("<s>")
    assert tokens_of(tokenizer, "a  <s>  b") == ["a", "Ġ", "Ġ", "<s>", "Ġ", "Ġb"]
    assert tokens_of(tokenizer, "a <s> b") == ["a", "Ġ", "<s>", "Ġb"]
    assert tokens_of(tokenizer, "a<s>b") == ["a", "<s>", "b"]  # no merge goes across
    assert tokens_of(tokenizer, "'<s>s") == ["'", "<s>", "s"]


def test_a_contraction_does_not_see_what_stands_before_an_added_token() -> None:
    tokenizer = BPETokenizer({"!": 0, "'": 1, "s": 2, "'s": 3, "!'": 4}, [("'", "s"), ("!", "'")], [("<s>", 5, True)])
    assert tokenizer.encode("!'s") == [4, 2]
    assert tokenizer.encode("!<s>'s") == [0, 5, 3]


@pytest.mark.parametrize(
    "content", ["]", "^", "-", "\\", "a-c", "[a]", ".", "a.", " ", "\n", "日本", "\u0301", "🙂"], ids=ascii
)
def test_a_content_means_itself_whatever_its_characters(content: str) -> None:
    tokenizer = BPETokenizer({"a": 0, "b": 1, "c": 2, "Ġ": 3}, [], [(content, 4, False)])
    assert tokenizer.encode(f"b{content}c") == [1, 4, 2]
    assert tokenizer.encode(f"{content}{content}") == [4, 4]


@settings(max_examples=150)
@given(st.lists(st.text("ab<>", min_size=1, max_size=4), unique=True, max_size=5), st.text("ab<>", max_size=12))
def test_they_are_where_trying_all_contents_everywhere_finds_them(contents: list[str], text: str) -> None:
    vocab = {token: id for id, token in enumerate("ab<>")}
    free = itertools.count(4)
    added = [(content, vocab[content] if content in vocab else next(free), False) for content in contents]
    tokenizer = BPETokenizer(vocab, [], added)
    expected = []
    for segment, content in naive.cut(text, contents):
        expected += [vocab[ch] for ch in segment]
        expected += [tokenizer.added[content]] if content is not None else []
    assert tokenizer.encode(text) == expected


# ---- allowed_special ----


def test_specials_match_unless_they_are_forbidden() -> None:
    tokenizer = tokenizer_of("<a>", "<b>")
    assert tokens_of(tokenizer, "<a><b>") == tokens_of(tokenizer, "<a><b>", allowed_special="all") == ["<a>", "<b>"]
    assert tokens_of(tokenizer, "<a><b>", allowed_special="none") == [*"<a><b>"]


@pytest.mark.parametrize("kind", [set, list, tuple, frozenset, dict.fromkeys])
def test_only_the_specials_named_match(kind) -> None:
    tokenizer = tokenizer_of("<a>", "<b>")
    assert tokens_of(tokenizer, "<a><b>", allowed_special=kind(["<a>"])) == ["<a>", *"<b>"]
    assert tokens_of(tokenizer, "<a><b>", allowed_special=kind(["<b>", "<a>"])) == ["<a>", "<b>"]
    assert tokens_of(tokenizer, "<a><b>", allowed_special=kind([])) == [*"<a><b>"]


def test_policies_do_not_disturb_each_other() -> None:
    tokenizer = tokenizer_of("<a>", "<b>")
    for _ in range(2):
        assert tokens_of(tokenizer, "<a><b>", allowed_special="none") == [*"<a><b>"]
        assert tokens_of(tokenizer, "<a><b>") == ["<a>", "<b>"]
        assert tokens_of(tokenizer, "<a><b>", allowed_special=["<b>"]) == [*"<a>", "<b>"]


def test_tokens_that_are_not_special_always_match() -> None:
    tokenizer = tokenizer_of("<a>", "(<b>)")
    assert tokenizer.special_ids == {N}
    assert tokens_of(tokenizer, "<a><b>", allowed_special="none") == [*"<a>", "<b>"]
    assert tokens_of(tokenizer, "<a><b>", allowed_special=["<b>"]) == [*"<a>", "<b>"]
    assert tokens_of(tokenizer, "<a><b>", allowed_special=[]) == [*"<a>", "<b>"]


def test_a_forbidden_special_hides_no_other_token() -> None:
    tokenizer = tokenizer_of("<a", "(a>)", "<a><b>", "(<b>)")
    assert tokens_of(tokenizer, "<a><b>", allowed_special="none") == ["<", "a>", "<b>"]
    assert tokens_of(tokenizer, "<a><b>", allowed_special=["<a"]) == ["<a", ">", "<b>"]
    assert tokens_of(tokenizer, "<a><b>") == ["<a><b>"]


def test_no_text_reaches_a_control_token_when_they_are_forbidden() -> None:
    contents = ["<s>", "<ss>", "s>", "a", "<", "ab"]
    tokenizer = tokenizer_of(*contents)
    outside = [tokenizer.added[content] for content in contents if content not in LETTERS]
    for pieces in itertools.product(["<s>", "<ss>", "s>", "a", "<", "ab", " ", "\n"], repeat=3):
        ids = tokenizer.encode("".join(pieces), allowed_special="none")
        assert not {*ids} & {*outside}


def test_a_special_that_merges_spell_too_is_reached_by_ordinary_text() -> None:
    """A file may have one, and Hugging Face reads it so; `train` refuses to make it."""
    tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2}, [("a", "b")], [("ab", 2, True)])
    assert tokenizer.encode("ab", allowed_special="none") == [2]


@pytest.mark.parametrize("wrong", ["ALL", "", "<a>", "any", "al", "raise"])
def test_another_string_is_an_error_that_names_it(wrong: str) -> None:
    with pytest.raises(
        ValueError, match=f'allowed_special is {wrong!r}; it must be "all", "none", or a collection of contents'
    ):
        tokenizer_of("<a>").encode("a", allowed_special=wrong)


@pytest.mark.parametrize("wrong", [["<c>"], {"<c>"}, ["<a>", "<c>"], ["<c>", 5], ("<c>",)], ids=str)
def test_an_unknown_content_is_an_error_that_names_it_and_the_known_ones(wrong) -> None:
    with pytest.raises(
        ValueError, match="allowed_special has '<c>', which is no added token.*; there are '<a>', '<b>'"
    ):
        tokenizer_of("<a>", "<b>").encode("a", allowed_special=wrong)


def test_or_that_there_are_none() -> None:
    with pytest.raises(ValueError, match="allowed_special has '<c>', which is no added token.*; there are none"):
        tokenizer_of().encode("a", allowed_special=["<c>"])


@pytest.mark.parametrize("wrong", [None, 5, True, iter(["<a>"])], ids=["None", "5", "True", "an iterator"])
def test_what_is_no_collection_is_a_type_error(wrong: object) -> None:
    with pytest.raises(TypeError, match="allowed_special is .*; it must be"):
        tokenizer_of("<a>").encode("a", allowed_special=wrong)


@pytest.mark.parametrize("wrong", [[["<a>"]], [{}], [5], [None]], ids=repr)
def test_what_is_no_content_is_named(wrong: list) -> None:
    with pytest.raises((TypeError, ValueError), match="allowed_special has "):
        tokenizer_of("<a>").encode("a", allowed_special=wrong)


# ---- ids ----


def test_a_content_that_the_vocabulary_has_keeps_its_id_there() -> None:
    tokenizer = tokenizer_of("<s>", "(ab)", "Ġb", "<t>")
    assert tokenizer.added == {"<s>": N, "ab": LETTERS["ab"], "Ġb": LETTERS["Ġb"], "<t>": N + 1}
    assert tokenizer.special_ids == {N, LETTERS["Ġb"], N + 1}
    assert tokenizer.vocab_size == N + 2


def test_as_an_added_token_it_matches_before_anything_is_merged() -> None:
    assert tokens_of(tokenizer_of(), "cab") == ["c", "ab"]
    assert tokens_of(tokenizer_of("ca"), "cab") == ["ca", "b"]


def test_there_may_be_none() -> None:
    tokenizer = tokenizer_of()
    assert (tokenizer.added, tokenizer.special_ids, tokenizer.vocab_size) == ({}, frozenset(), N)
    assert tokenizer.unk_id is None


@pytest.mark.parametrize(
    "entry, complaint",
    [
        (("<s>", N + 1, True), rf"added_tokens\[0\]\.id is {N + 1} for '<s>'; it must be {N}, the next free id"),
        (("<s>", N - 1, True), rf"added_tokens\[0\]\.id is {N - 1} for '<s>'; it must be {N}"),
        (
            ("ab", N, True),
            rf"added_tokens\[0\]\.id is {N} for 'ab'; it must be {LETTERS['ab']}, its id in the vocabulary",
        ),
        (("<s>", None, True), r"added_tokens\[0\]\.id is None"),
        (("<s>", float(N), True), r"added_tokens\[0\]\.id is \d+\.0 for"),
        (("<s>", str(N), True), r"added_tokens\[0\]\.id is '\d+' for"),
        (("b", True, True), r"added_tokens\[0\]\.id is True for 'b'"),
        (("<s>", N, 1), r"added_tokens\[0\]\.special is 1; it must be true or false"),
        (("<s>", N, None), r"added_tokens\[0\]\.special is None"),
        (("", N, True), r"added_tokens\[0\]\.content is empty"),
        (("<\ud800>", N, True), r"added_tokens\[0\]\.content is '<\\ud800>', with a lone surrogate"),
        (("<\udfff", N, True), r"added_tokens\[0\]\.content is .* lone surrogate"),
        (("<s>", N), r"added_tokens\[0\] is \('<s>', \d+\); it must be \(content, id, special\)"),
        (("<s>", N, True, False), r"added_tokens\[0\] is .*; it must be \(content, id, special\)"),
        ("<s>", r"added_tokens\[0\] is '<s>'; it must be"),
        (5, r"added_tokens\[0\] is 5; it must be"),
    ],
    ids=str,
)
def test_a_wrong_entry_is_named(entry: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BPETokenizer(LETTERS, [("a", "b")], [entry])


@pytest.mark.parametrize("content", [5, None, b"<s>", ["<s>"]], ids=repr)
def test_a_content_is_a_str(content: object) -> None:
    with pytest.raises(TypeError, match=r"added_tokens\[1\]\.content is .*; it must be a str"):
        BPETokenizer(LETTERS, [], [("<a>", N, True), (content, N + 1, True)])


def test_a_content_listed_twice_is_named() -> None:
    with pytest.raises(ValueError, match=r"added_tokens\[2\]\.content is '<a>', which is listed already"):
        BPETokenizer(LETTERS, [], [("<a>", N, True), ("<b>", N + 1, True), ("<a>", N, True)])


def test_entries_may_be_lists_and_ids_anything_with_index() -> None:
    class Index:
        def __index__(self) -> int:
            return N

    tokenizer = BPETokenizer(LETTERS, [], iter([["<a>", Index(), True]]))
    assert tokenizer.added == {"<a>": N}
    assert type(tokenizer.added["<a>"]) is int


def test_characters_next_to_the_surrogates_are_fine() -> None:
    assert BPETokenizer({"a": 0}, [], [("\ud7ff\ue000", 1, True)]).encode("a\ud7ff\ue000") == [0, 1]

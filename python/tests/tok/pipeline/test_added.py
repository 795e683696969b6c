"""Added tokens in two passes with their flags: literal cases, and Hugging Face on short texts of telling characters."""

import itertools
import pickle
from random import Random

import hard_texts
import pytest
from hf_parts import added_entries, byte_tokens, hf_tokenizer, hf_tokens

from tinyllm.tok.pipeline.added import AddedToken, AddedTokens, Gap, Match, parse_added_tokens
from tinyllm.tok.pipeline.refusals import Refusals


def tokens_of(*tokens: tuple[str, str]) -> list[AddedToken]:
    """Added tokens from contents and the letters of their flags: w single_word, l lstrip, r rstrip, n normalized, s special."""
    return [AddedToken(**entry) for entry in added_entries(tokens)]


def cut(added: AddedTokens, text: str, allowed_special="all") -> list[str]:
    """Gaps, and added tokens in angle brackets."""
    parts = added.cut(text, allowed_special)
    return [part.text if isinstance(part, Gap) else f"<{part.content}>" for part in parts]


def spans(added: AddedTokens, text: str) -> list[tuple[str, int, int]]:
    return [(part.token.content, part.start, part.end) for part in added.cut_aligned(text) if isinstance(part, Match)]


# ---- two passes ----


def test_text_without_added_tokens_is_one_gap_and_no_text_is_none() -> None:
    assert list(AddedTokens([]).cut("ab")) == [Gap("ab", 1)]
    assert list(AddedTokens([]).cut("")) == []


def test_a_short_token_of_the_first_pass_beats_a_longer_one_of_the_second() -> None:
    assert cut(AddedTokens(tokens_of(("ab", ""), ("abc", "n"))), "abcd") == ["<ab>", "cd"]
    assert cut(AddedTokens(tokens_of(("ab", "n"), ("abc", "n"))), "abcd") == ["<abc>", "d"]


def test_the_second_pass_sees_each_gap_of_the_first_alone() -> None:
    assert cut(AddedTokens(tokens_of(("b", ""), ("ac", "n"))), "abcac") == ["a", "<b>", "c", "<ac>"]


def test_where_a_gap_starts_is_told_in_characters_that_stand_for_the_first() -> None:
    assert [part.at_start for part in AddedTokens(tokens_of(("b!", ""))).cut("ab!c") if isinstance(part, Gap)] == [1, 0]


# ---- flags ----


def test_lstrip_and_rstrip_widen_a_token_over_white_space() -> None:
    assert spans(AddedTokens(tokens_of(("<m>", "lr"))), "a \u3000<m>\n b") == [("<m>", 1, 8)]
    assert spans(AddedTokens(tokens_of(("<m>", "lr"))), "a\x1c<m>\u200bb") == [("<m>", 2, 5)]


def test_lstrip_stops_where_the_token_before_ends() -> None:
    assert spans(AddedTokens(tokens_of(("<m>", "l"), ("<r>", "r"))), "<r>  <m>") == [("<r>", 0, 5), ("<m>", 5, 8)]


def test_scanning_resumes_behind_the_bare_match_so_stripped_space_may_be_found_again() -> None:
    added = AddedTokens(tokens_of(("<r>", "r"), ("  ", "")))
    assert spans(added, "<r>   x") == [("<r>", 0, 6), ("  ", 3, 5)]
    assert cut(added, "<r>   x") == ["<<r>>", "<  >", " x"]


def test_a_token_that_nothing_is_left_of_is_none() -> None:
    assert cut(AddedTokens(tokens_of(("<r>", "r"), (" ", "l"))), "<r> x") == ["<<r>>", "x"]


def test_stripping_more_than_is_left_is_an_error_where_hugging_face_panics() -> None:
    tokens = [("<r>", "r"), ("  ", "l")]
    assert hf_tokens(hf_tokenizer(tokens), "<r>   x") is None
    with pytest.raises(ValueError, match=r"'  ' that ends at position 5 strips"):
        cut(AddedTokens(tokens_of(*tokens)), "<r>   x")


@pytest.mark.parametrize("beside", ["a", "1", "_", "é", "\u0301", "\u200d", "Ⓐ"])
def test_a_single_word_is_touched_by_no_word_character(beside) -> None:
    added = AddedTokens(tokens_of(("ab", "w")))
    assert cut(added, f"{beside}ab") == [f"{beside}ab"]
    assert cut(added, f"ab{beside}") == [f"ab{beside}"]
    assert cut(added, "-ab²") == ["-", "<ab>", "²"]


def test_a_match_that_single_word_turns_down_hides_what_is_inside_it() -> None:
    assert cut(AddedTokens(tokens_of(("ab", "w"), ("b", ""))), "xabb") == ["xab", "<b>"]


# ---- special tokens that are not allowed ----


def test_a_special_that_is_not_allowed_hides_what_is_inside_its_match() -> None:
    added = AddedTokens(tokens_of(("<s>", "s"), ("s>x", "")))
    assert cut(added, "<s>x", "none") == ["<s>x"]
    assert cut(added, "<s>x", "all") == cut(added, "<s>x", ["<s>"]) == ["<<s>>", "x"]


def test_only_special_tokens_need_to_be_allowed() -> None:
    added = AddedTokens(tokens_of(("<s>", "s"), ("<t>", "s"), ("<u>", "")))
    assert cut(added, "<s><t><u>", ["<t>"]) == ["<s>", "<<t>>", "<<u>>"]


@pytest.mark.parametrize(
    ("allowed", "error", "message"),
    [
        ("some", ValueError, 'it must be "all", "none", or a collection'),
        (None, TypeError, 'it must be "all", "none", or a collection'),
        (["<s>", "<x>"], ValueError, "'<x>', which is no added token; there are '<s>'"),
    ],
)
def test_another_policy_is_refused(allowed, error, message) -> None:
    with pytest.raises(error, match=message):
        cut(AddedTokens(tokens_of(("<s>", "s"))), "a", allowed)


# ---- lists of tokens ----


@pytest.mark.parametrize(("first", "second"), [("ab", "ab"), ("", "ab")])
def test_contents_that_are_empty_or_equal_are_refused(first, second) -> None:
    with pytest.raises(ValueError, match="twice|empty content"):
        AddedTokens([AddedToken(first, 1), AddedToken(second, 2)])


def test_added_tokens_pickle_even_long_ones() -> None:
    added = AddedTokens([AddedToken("a" * 2000, 1)])
    assert cut(added, "a" * 2000) == cut(pickle.loads(pickle.dumps(added)), "a" * 2000)


def naive(contents: list[str], text: str) -> list[str]:
    found = []
    start = 0
    while start < len(text):
        here = [content for content in contents if text.startswith(content, start)]
        found += [max(here, key=len)] if here else []
        start += len(found[-1]) if here else 1
    return found


def test_thousands_of_contents_that_begin_alike_are_told_apart() -> None:
    contents = [*("a" * n for n in range(1, 300, 2)), *(f"<unused{n}>" for n in range(2000)), "<unused1", ".*", "[]^-"]
    added = AddedTokens([AddedToken(content, id) for id, content in enumerate(contents)])
    random = Random(9)
    for _ in range(15):
        text = "".join(random.choices([*contents, "a", "b", "<", "1>"], k=20))
        assert [part.content for part in added.cut(text) if isinstance(part, AddedToken)] == naive(contents, text)


# ---- files ----


def parsed(entries: object) -> tuple[list[AddedToken] | None, list[str]]:
    refusals = Refusals()
    return parse_added_tokens(entries, "added_tokens", refusals), refusals.lines


def test_an_entry_of_a_file_is_an_added_token() -> None:
    assert parsed(added_entries([("<m>", "ls")])) == ([AddedToken("<m>", 256, lstrip=True, special=True)], [])
    assert parsed(None) == ([], [])


def test_an_empty_content_is_passed_over_as_hugging_face_does() -> None:
    entries = added_entries([("", "s"), ("<m>", "")])
    assert parsed(entries) == ([AddedToken("<m>", 257)], [])
    assert hf_tokenizer([("", "s"), ("<m>", "")]).get_added_tokens_decoder().keys() == {256}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"lstrip": 1}, "added_tokens[0].lstrip is 1; it must be true or false"),
        ({"id": True}, "added_tokens[0].id is true; it must be an integer of 32 bits, 0 or more"),
        ({"id": -1}, "added_tokens[0].id is -1; it must be an integer of 32 bits, 0 or more"),
        ({"content": 5}, "added_tokens[0].content is 5; it must be a string"),
        ({"more": 5}, "added_tokens[0].more is 5; this field is not known here"),
        ({"content": "<n>"}, 'added_tokens[1].content is "<n>"; it must be another than that of added_tokens[0]'),
    ],
)
def test_what_is_wrong_with_an_entry_is_named(change, line) -> None:
    first, second = added_entries([("<m>", ""), ("<n>", "")])
    assert parsed([{**first, **change}, second]) == (None, [line])


def test_a_list_that_is_none_is_refused() -> None:
    assert parsed({}) == (None, ["added_tokens is {}; it must be a list of added tokens"])


# ---- against Hugging Face ----

TOKEN_LISTS = [
    [("ab", ""), ("abc", "n"), ("bc", "")],
    [("ab", "n"), ("abc", ""), ("cab", "n")],
    [("ab", "w"), ("b", "n")],
    [("ab", "lr"), ("c", "wn")],
    [("ab", "lrn"), ("bc", "lr")],
    [("ab", "r"), ("  ", ""), (" c", "n")],
    [("ab", "r"), (" ", "l")],
    [("ab", "rs"), (" c", "l"), ("b", "s")],
    [("ab ", "sw"), ("b ", ""), (" ", "wn")],
    [("a", "s"), ("bc", "s"), ("ca", ""), ("aab", "")],
]


def ours(added: AddedTokens, text: str, allowed_special: str) -> list[tuple[int, tuple[int, int]]] | None:
    tokens = []
    try:
        for part in added.cut_aligned(text, allowed_special):
            if isinstance(part, Match):
                tokens.append((part.token.id, (part.start, part.end)))
            else:
                tokens += byte_tokens(part.text, part.spans)
    except ValueError:
        return None
    return tokens


def check(tokens: list[tuple[str, str]], texts) -> None:
    added, hf = AddedTokens(tokens_of(*tokens)), hf_tokenizer(tokens)
    for policy in ("all", "none"):
        hf.encode_special_tokens = policy == "none"
        for text in texts:
            expected = hf_tokens(hf, text)
            assert ours(added, text, policy) == expected, (text, policy)
            if expected is not None:
                aligned = [
                    part.token if isinstance(part, Match) else part.text for part in added.cut_aligned(text, policy)
                ]
                fast = [part.text if isinstance(part, Gap) else part for part in added.cut(text, policy)]
                assert fast == aligned, (text, policy)


@pytest.mark.parametrize("tokens", TOKEN_LISTS, ids=str)
def test_every_short_text_is_cut_as_hugging_face_cuts_it(tokens) -> None:
    check(tokens, ["".join(letters) for n in range(6) for letters in itertools.product("abc ", repeat=n)])


def test_hard_texts_are_cut_as_hugging_face_cuts_them() -> None:
    random = Random(9)
    for _ in range(40):
        tokens = [
            (content, "".join(flag for flag in "wlrns" if random.random() < 0.3))
            for content in hard_texts.contents(random)
        ]
        check(tokens, [hard_texts.text(random, [content for content, _ in tokens] or ["a"]) for _ in range(20)])

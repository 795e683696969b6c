"""GPT-2's pre-tokenizer, by its rules. Every code point is in `../exact/test_code_points.py`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.pretok import is_letter, is_number, is_space, pretokenize_gpt2, split_digits

pytestmark = pytest.mark.fast

WHITE_SPACE = [
    *"\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
]
TEXTS = st.text("a1!' \n\u3000\x1cst\u0301½é", max_size=20)


# ---- classes ----


@pytest.mark.parametrize("ch", WHITE_SPACE, ids=ascii)
def test_white_space_is_these_25(ch: str) -> None:
    assert len(WHITE_SPACE) == 25
    assert (is_space(ch), is_letter(ch), is_number(ch)) == (True, False, False)


@pytest.mark.parametrize("ch", "\x1c\x1d\x1e\x1f\x08\x0e\x84\x86\x9f\u180e\u200b\u2060\ufeff_", ids=ascii)
def test_what_is_nearly_white_space_is_none(ch: str) -> None:
    assert not is_space(ch)


@pytest.mark.parametrize("ch", "aZßʰǅªº你一가ー𐀀", ids=ascii)
def test_letters_are_the_five_categories_l(ch: str) -> None:
    assert (is_letter(ch), is_number(ch), is_space(ch)) == (True, False, False)


@pytest.mark.parametrize("ch", "09٣²½Ⅷ〇①𝟘", ids=ascii)
def test_numbers_are_the_three_categories_n(ch: str) -> None:
    assert (is_number(ch), is_letter(ch), is_space(ch)) == (True, False, False)


@pytest.mark.parametrize("ch", "\u0301\u094d\u20dd_!$🙂\x00\U00011de0", ids=ascii)
def test_marks_symbols_and_the_unassigned_are_neither(ch: str) -> None:
    assert (is_letter(ch), is_number(ch), is_space(ch)) == (False, False, False)


@pytest.mark.parametrize("is_class", [is_space, is_letter, is_number])
@pytest.mark.parametrize("not_one_character", ["", "ab", "  ", 32, b" ", None], ids=repr)
def test_a_class_is_asked_of_one_character(is_class, not_one_character: object) -> None:
    with pytest.raises(TypeError):
        is_class(not_one_character)


# ---- the six alternatives ----


@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("I'm   here!!\n", ["I", "'m", "  ", " here", "!!", "\n"]),
        ("don't 2024 café", ["don", "'t", " 2024", " café"]),
        ("Hi 你!", ["Hi", " 你", "!"]),
        ("నమస్తే", ["నమస", "్", "త", "ే"]),
        ("", []),
    ],
    ids=ascii,
)
def test_worked_examples(text: str, pretokens: list[str]) -> None:
    assert pretokenize_gpt2(text) == pretokens


@pytest.mark.parametrize("contraction", ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"])
def test_a_contraction_ends_where_it_ends(contraction: str) -> None:
    assert pretokenize_gpt2(f"I{contraction}up") == ["I", contraction, "up"]
    assert pretokenize_gpt2(contraction) == [contraction]
    assert pretokenize_gpt2(contraction * 2) == [contraction] * 2


@pytest.mark.parametrize("text", ["'S", "'T", "'RE", "'VE", "'M", "'LL", "'D", "'r", "'v", "'l", "'a", "'ſ"])
def test_nothing_else_is_a_contraction(text: str) -> None:
    assert pretokenize_gpt2(text) == ["'", text[1:]]


def test_an_apostrophe_in_a_run_of_symbols_begins_no_contraction() -> None:
    assert pretokenize_gpt2("!'s") == ["!'", "s"]
    assert pretokenize_gpt2(" 's") == [" '", "s"]
    assert pretokenize_gpt2("''s") == ["''", "s"]


@pytest.mark.parametrize("run", ["ab", "12", "!?", "½Ⅷ", "你好", "\u0301\u0302"], ids=ascii)
def test_a_run_of_one_class_takes_one_space_before_it(run: str) -> None:
    assert pretokenize_gpt2(run) == [run]
    assert pretokenize_gpt2(" " + run) == [" " + run]
    assert pretokenize_gpt2("  " + run) == [" ", " " + run]
    assert pretokenize_gpt2("   " + run) == ["  ", " " + run]


def test_runs_end_where_the_class_changes() -> None:
    assert pretokenize_gpt2("a1!b2?") == ["a", "1", "!", "b", "2", "?"]
    assert pretokenize_gpt2("e\u0301a") == ["e", "\u0301", "a"]


@pytest.mark.parametrize("space", [ch for ch in WHITE_SPACE if ch != " "], ids=ascii)
def test_no_other_white_space_leads_a_run(space: str) -> None:
    assert pretokenize_gpt2(f"{space}a") == [space, "a"]
    assert pretokenize_gpt2(f"a{space}1") == ["a", space, "1"]
    assert pretokenize_gpt2(f" {space}!") == [" ", space, "!"]
    assert pretokenize_gpt2(f"{space} !") == [space, " !"]


@pytest.mark.parametrize("separator", "\x1c\x1d\x1e\x1f", ids=ascii)
def test_the_four_separators_are_symbols(separator: str) -> None:
    assert pretokenize_gpt2(f"a {separator}!b") == ["a", f" {separator}!", "b"]


@pytest.mark.parametrize("end", [" ", "  ", "\n", "\n\n", " \n", "\t \n", "\xa0\xa0"], ids=ascii)
def test_white_space_at_the_end_stays_whole(end: str) -> None:
    assert pretokenize_gpt2("a" + end) == ["a", end]
    assert pretokenize_gpt2(end) == [end]


def test_white_space_before_a_run_gives_up_its_last() -> None:
    assert pretokenize_gpt2("a\n\n\nb") == ["a", "\n\n", "\n", "b"]
    assert pretokenize_gpt2("a \n \n b") == ["a", " \n \n", " b"]
    assert pretokenize_gpt2("\r\n\r\nx") == ["\r\n\r", "\n", "x"]


@given(TEXTS)
def test_pretokens_join_back_and_none_is_empty(text: str) -> None:
    pretokens = pretokenize_gpt2(text)
    assert "".join(pretokens) == text
    assert "" not in pretokens


@given(TEXTS)
def test_each_pretoken_is_of_one_kind(text: str) -> None:
    for pretoken in pretokenize_gpt2(text):
        if pretoken not in ("'s", "'t"):
            run = pretoken[1:] if pretoken[0] == " " and len(pretoken) > 1 and not is_space(pretoken[1]) else pretoken
            assert len({(is_space(ch), is_letter(ch), is_number(ch)) for ch in run}) == 1


@given(TEXTS)
def test_a_run_of_white_space_is_followed_by_white_space_or_the_end(text: str) -> None:
    """That is what the look-ahead in the fifth alternative says; a single one may stand before anything but U+0020 itself."""
    pretokens = pretokenize_gpt2(text)
    for pretoken, after in zip(pretokens, pretokens[1:]):
        if len(pretoken) > 1 and is_space(pretoken[-1]):
            assert is_space(after[0])
        if pretoken == " ":
            assert is_space(after[0])


@pytest.mark.parametrize("cut", [pretokenize_gpt2, split_digits])
@pytest.mark.parametrize("not_a_text", [None, 5, b"ab", ["a", "b"], 1.5], ids=repr)
def test_a_text_is_a_str(cut, not_a_text: object) -> None:
    with pytest.raises(TypeError, match=f"text must be a str, not {type(not_a_text).__name__}"):
        cut(not_a_text)


# ---- Digits ----


def test_each_number_is_a_part_of_its_own() -> None:
    assert split_digits("in 2024") == ["in ", "2", "0", "2", "4"]
    assert split_digits("1a22 ½Ⅷ") == ["1", "a", "2", "2", " ", "½", "Ⅷ"]


def test_or_each_run_of_numbers_is() -> None:
    assert split_digits("in 2024", individual=False) == ["in ", "2024"]
    assert split_digits("1a22 ½Ⅷ", individual=False) == ["1", "a", "22", " ", "½Ⅷ"]


def test_what_lies_between_numbers_stays_whole() -> None:
    assert split_digits("a b!\n") == ["a b!\n"]
    assert split_digits("") == []


def test_thirteen_numbers_of_unicode_17_are_digits_here_and_no_numbers_elsewhere() -> None:
    """Hugging Face's `Digits` step knows them, its GPT-2 split does not."""
    seventeen = [*range(0x11DE0, 0x11DEA), *range(0x16FF4, 0x16FF7)]
    assert split_digits("a" + "".join(map(chr, seventeen)) + "a") == ["a", *map(chr, seventeen), "a"]
    assert split_digits("a\U00011de0\U00016ff6a", individual=False) == ["a", "\U00011de0\U00016ff6", "a"]
    for outside in (0x11DDF, 0x11DEA, 0x16FF3, 0x16FF7):
        assert split_digits(f"a{chr(outside)}a") == [f"a{chr(outside)}a"]
    assert not any(is_number(chr(code)) for code in seventeen)
    assert pretokenize_gpt2("1\U00011de0") == ["1", "\U00011de0"]


@given(TEXTS, st.booleans())
def test_parts_join_back_and_alternate(text: str, individual: bool) -> None:
    parts = split_digits(text, individual)
    assert "".join(parts) == text and "" not in parts
    for part in parts:
        assert len({is_number(ch) for ch in part}) == 1
    for part, after in zip(parts, parts[1:]):
        assert is_number(part[0]) != is_number(after[0]) or (individual and len(part) == len(after) == 1)

"""digits: the one pattern is `Digits` and GPT-2's split, one after the other, both written by hand."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.fast.digits import digits_and_gpt2
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splits import GPT2_PATTERN
from tinyllm.tok.splitting.pattern import Pattern

both_kinds = pytest.mark.parametrize("individual", [True, False], ids=["each digit", "runs of digits"])

# One character of each kind: letter, number, number since Unicode 17.0, mark, symbol, space, other white space, what only looks
# like it, apostrophe, and the letters of contractions.
ONE_OF_EACH = "é1\U00011de0\u0301! \n\x1c'sl"


def by_hand(text: str, individual: bool) -> list[str]:
    return [pretoken for part in split_digits(text, individual) for pretoken in pretokenize_gpt2(part)]


@both_kinds
def test_every_short_string_of_kinds_is_cut_as_by_hand(individual: bool) -> None:
    split = Pattern(digits_and_gpt2(individual)).split
    for text in map("".join, product(ONE_OF_EACH, repeat=4)):
        assert split(text) == by_hand(text, individual), ascii(text)


@both_kinds
def test_every_ascii_character_is_cut_as_by_hand(individual: bool) -> None:
    split = Pattern(digits_and_gpt2(individual)).split
    for text in map("".join, product(map(chr, range(128)), repeat=2)):
        assert split(text) == by_hand(text, individual), ascii(text)


@both_kinds
@given(text=st.text(st.sampled_from(ONE_OF_EACH + "aret2½\u3000\U00016ff6") | st.characters(), max_size=30))
def test_any_text_is_cut_as_by_hand(individual: bool, text: str) -> None:
    assert Pattern(digits_and_gpt2(individual)).split(text) == by_hand(text, individual)


def test_gpt2s_pattern_with_digits_alone_would_be_wrong() -> None:
    shortcut = Pattern(GPT2_PATTERN.replace(r"| ?\p{N}+|", r"|\p{N}|"))
    assert by_hand("a  1", True) == ["a", "  ", "1"] == Pattern(digits_and_gpt2(True)).split("a  1")
    assert shortcut.split("a  1") == ["a", " ", " ", "1"]

"""Merges written as lines are checked as a whole where they are as trainers write them: as merge by merge, whatever they are."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.files.parts import checked_lines

VOCAB = {"a": 0, "b": 1, "\n": 2, "ab": 3, "aba": 4, "b\na": 5, "abb": 6}


def one_by_one(lines: list[str], vocab: dict[str, int]) -> list[str]:
    """The naive twin: lines that are no pairs come first, then pairs that are no merges."""
    pairs = [tuple(line.split(" ")) for line in lines]
    for rank, pair in enumerate(pairs):
        if len(pair) != 2 or "" in pair:
            raise ValueError(f"merges[{rank}]")
    rank_of: dict[tuple[str, ...], int] = {}
    for rank, pair in enumerate(pairs):
        if not {*pair, "".join(pair)} <= vocab.keys() or pair in rank_of:
            raise ValueError(f"merges[{rank}]")
        rank_of[pair] = rank
    return list(chain.from_iterable(rank_of))


def found_by(function, lines: list[str], vocab: dict[str, int]) -> list[str] | str:
    try:
        return function(lines, vocab)
    except ValueError as error:
        return str(error).split()[0]


@pytest.mark.fast
@given(
    st.lists(
        st.sampled_from(["a b", "ab a", "ab b", "a", "a  b", " a b", "a b ", "", " ", "b \na", "a b\nab a", "a\nb"])
    )
    | st.lists(st.text("ab \n", max_size=6)),
    st.permutations(list(VOCAB)),
)
def test_lines_give_what_they_give_one_by_one(lines: list[str], order: list[str]) -> None:
    vocab = {token: id for id, token in enumerate(order)}
    assert found_by(checked_lines, lines, vocab) == found_by(one_by_one, lines, vocab)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("lines", "rank"),
    [
        (["ab", "a b a"], 0),  # as many spaces as lines, but not one in each
        (["a b", "ab a "], 1),
        (["a b\nab a"], 0),  # a line end is none inside a JSON string
        (["a b", "a b"], 1),
        (["b a"], 0),
        (["a x"], 0),
    ],
)
def test_what_looks_like_good_lines_as_a_whole_is_refused(lines: list[str], rank: int) -> None:
    vocab = {"a": 0, "b": 1, "ab": 2, "aba": 3}
    with pytest.raises(ValueError, match=rf"^merges\[{rank}\] is "):
        checked_lines(lines, vocab)


@pytest.mark.fast
def test_lines_out_of_the_order_of_the_vocabulary_are_as_good() -> None:
    assert checked_lines(["ab a", "a b"], {"ab": 0, "b": 1, "a": 2, "aba": 3}) == ["ab", "a", "a", "b"]
    assert checked_lines([], {"a": 0}) == []

"""The shape of every tokenizer, and check_ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.base import Tokenizer, check_ids


class Lengths(Tokenizer):
    """One id a text: its length. The least that a tokenizer can be."""

    vocab_size, special_ids, unk_id = 10, frozenset(), None

    def encode(self, text):
        return [len(text)]

    def decode(self, ids, skip_special=False):
        return "".join("x" * id for id in check_ids(ids, self.vocab_size))

    def id_to_token(self, id):
        return "x" * id

    def token_to_id(self, token):
        return len(token)

    def save(self, path): ...

    @classmethod
    def load(cls, path):
        return cls()


class Index:
    """What counts as an integer without being one, as NumPy's integers do."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


# ---- Tokenizer ----


def test_a_tokenizer_must_have_all_parts() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Tokenizer()
    for part in ("encode", "decode", "id_to_token", "token_to_id", "save", "load"):
        assert part in Tokenizer.__abstractmethods__


def test_it_shows_its_kind_and_its_size() -> None:
    assert repr(Lengths()) == "<Lengths with 10 ids>"


def test_encode_batch_encodes_each_text() -> None:
    assert Lengths().encode_batch(["", "ab", "a"]) == [[0], [2], [1]]
    assert Lengths().encode_batch(()) == []


def test_encode_batch_refuses_one_str() -> None:
    with pytest.raises(TypeError, match=r"for one text call encode\(text\)"):
        Lengths().encode_batch("ab")


# ---- check_ids ----


def test_ids_come_back_as_a_list_of_ints() -> None:
    for ids in ([2, 0], (2, 0), iter([2, 0]), {2: "b", 0: "a"}):
        assert check_ids(ids, 3) == [2, 0]


def test_no_ids_are_fine() -> None:
    assert check_ids([], 0) == []


def test_the_list_given_is_not_the_list_returned() -> None:
    ids = [1]
    assert check_ids(ids, 2) is not ids


@pytest.mark.parametrize("id", [Index(1), True], ids=["__index__", "bool"])
def test_whatever_has_index_is_an_id_and_comes_back_a_plain_int(id: object) -> None:
    (plain,) = check_ids([id], 2)
    assert type(plain) is int and plain == 1


def test_numpy_integers_and_arrays_are_ids() -> None:
    numpy = pytest.importorskip("numpy")
    ids = check_ids(numpy.array([1, 2], dtype="uint8"), 3)
    assert ids == [1, 2] and {*map(type, ids)} == {int}
    with pytest.raises(TypeError, match=r"ids\[0\] is .*float64"):
        check_ids(numpy.array([1.0]), 3)


@pytest.mark.parametrize(
    "ids, complaint",
    [
        ([0, 3], r"ids\[1\] is 3; this tokenizer has ids 0 to 2"),
        ([0, 1, -1], r"ids\[2\] is -1;"),
        ([2**64], r"ids\[0\] is 18446744073709551616;"),
        ([0, 10**5000], r"ids\[1\] is an integer of 16610 bits; this tokenizer has ids 0 to 2"),
        ([Index(7)], r"ids\[0\] is 7;"),
        ([9, -9], r"ids\[0\] is 9;"),
    ],
    ids=["one too large", "negative", "huge", "too long to show", "__index__", "the first of two"],
)
def test_an_id_out_of_range_is_named_with_its_position(ids: list, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_ids(ids, 3)


@pytest.mark.parametrize(
    "ids, complaint",
    [
        ([0, 1.0], r"ids\[1\] is 1.0 \(float\)"),
        ([0, "1"], r"ids\[1\] is '1' \(str\)"),
        ([None], r"ids\[0\] is None \(NoneType\)"),
        ([[1]], r"ids\[0\] is \[1\] \(list\)"),
        (5, "ids must be an iterable of integers, not int"),
        ("12", r"not the str '12'; encode\(text\) gives the ids"),
    ],
    ids=["float", "digit", "None", "nested", "one int", "a text"],
)
def test_what_is_no_integer_is_named_with_its_position(ids: object, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        check_ids(ids, 3)


def test_bytes_are_ids() -> None:
    assert check_ids(b"\x00\x02", 3) == [0, 2]


@given(st.lists(st.integers(-3, 12)))
def test_it_passes_what_a_loop_would_pass(ids: list[int]) -> None:
    wrong = [(position, id) for position, id in enumerate(ids) if not 0 <= id < 10]
    if not wrong:
        assert check_ids(ids, 10) == ids
    else:
        with pytest.raises(ValueError) as caught:
            check_ids(ids, 10)
        assert str(caught.value).startswith(f"ids[{wrong[0][0]}] is {wrong[0][1]};")

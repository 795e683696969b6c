"""Decoding: bytes first, text once; and what one token is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.bytemap import bytes_to_unicode

pytestmark = pytest.mark.fast

# Ids 0 to 255 are the bytes themselves here, which makes ids easy to read; then tokens and added tokens.
BYTES = {stand_in: byte for byte, stand_in in bytes_to_unicode().items()}
AB, SPACE_A, HALF, SPECIAL, PLAIN, SPELLED = range(256, 262)
VOCAB = {**BYTES, "ab": AB, "Ġa": SPACE_A, "ä½": HALF, "<s>": SPECIAL}
ADDED = [("<s>", SPECIAL, True), ("<é Ġ>", PLAIN, False), ("Ġé", SPELLED, True)]


@pytest.fixture(scope="module")
def tokenizer() -> BPETokenizer:
    return BPETokenizer(VOCAB, [("a", "b"), ("Ġ", "a"), ("ä", "½")], ADDED)


# ---- decode ----


@pytest.mark.parametrize(
    "ids, text",
    [
        ([], ""),
        ([0x61], "a"),
        ([AB, SPACE_A, 0x0A], "ab a\n"),
        ([0xC3, 0xA9], "é"),
        ([HALF, 0xA0], "你"),
        ([0xF0, 0x9F, 0x99, 0x82], "🙂"),
        ([0x20, 0x3F], " ?"),  # nothing is cleaned up
        ([0x00, 0x1B, 0x7F], "\x00\x1b\x7f"),
        ([0xEF, 0xBB, 0xBF, 0x61], "\ufeffa"),
        ([SPECIAL, AB, SPECIAL], "<s>ab<s>"),
        ([PLAIN], "<é Ġ>"),
    ],
    ids=str,
)
def test_bytes_are_joined_then_decoded_once(tokenizer, ids: list[int], text: str) -> None:
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode_bytes(ids) == text.encode()


@pytest.mark.parametrize(
    "ids, text",
    [
        ([HALF], "\ufffd"),
        ([0xA0], "\ufffd"),
        ([HALF, 0x61], "\ufffda"),
        ([0xF0, 0x9F, 0x61], "\ufffda"),
        ([0xFF, 0xFE], "\ufffd\ufffd"),
        ([0xED, 0xA0, 0x80], "\ufffd\ufffd\ufffd"),  # half a surrogate pair
        ([0xE4, SPECIAL, 0xBD, 0xA0], "\ufffd<s>\ufffd\ufffd"),
    ],
    ids=str,
)
def test_bytes_that_are_no_utf8_are_shown_as_fffd(tokenizer, ids: list[int], text: str) -> None:
    assert tokenizer.decode(ids) == tokenizer.decode(ids, errors="replace") == text


def test_strict_decoding_refuses_them(tokenizer) -> None:
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode([HALF], errors="strict")
    assert tokenizer.decode([HALF, 0xA0], errors="strict") == "你"


@pytest.mark.parametrize("errors", ["ignore", "", None, "REPLACE"])
def test_errors_is_one_of_two(tokenizer, errors: object) -> None:
    with pytest.raises(ValueError, match=f'errors is {errors!r}; it must be "replace" or "strict"'):
        tokenizer.decode([0x61], errors=errors)


def test_special_tokens_are_left_out_on_request_and_others_never(tokenizer) -> None:
    ids = [SPECIAL, AB, PLAIN, SPELLED, SPECIAL]
    assert tokenizer.decode(ids, skip_special=True) == tokenizer.decode(ids, True) == "ab<é Ġ>"
    assert tokenizer.decode_bytes(ids, True) == "ab<é Ġ>".encode()
    assert tokenizer.decode(ids) == "<s>ab<é Ġ>Ġé<s>"
    assert tokenizer.decode([SPECIAL], skip_special=True) == ""
    assert tokenizer.decode([HALF, SPECIAL, 0xA0], skip_special=True) == "你"


def test_an_added_token_is_its_content_even_in_characters_of_the_byte_alphabet(tokenizer) -> None:
    assert tokenizer.decode([SPELLED]) == "Ġé"
    assert tokenizer.decode([SPACE_A, SPELLED]) == " aĠé"


@given(st.text(max_size=12))
@settings(max_examples=100)
def test_decode_inverts_encode(text: str) -> None:
    tokenizer = BPETokenizer(VOCAB, [("a", "b"), ("Ġ", "a"), ("ä", "½")], ADDED)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.decode_bytes(tokenizer.encode(text, allowed_special="none")) == text.encode()


@pytest.mark.parametrize("kind", [tuple, iter, lambda ids: {id: None for id in ids}, lambda ids: (id for id in ids)])
def test_ids_may_come_in_any_iterable(tokenizer, kind) -> None:
    assert tokenizer.decode(kind([AB, 0x21])) == "ab!"
    assert tokenizer.decode(kind([AB, SPECIAL]), skip_special=True) == "ab"


def test_bytes_and_numpy_arrays_are_ids(tokenizer) -> None:
    numpy = pytest.importorskip("numpy")
    assert tokenizer.decode(b"ab") == "ab"
    assert tokenizer.decode(numpy.array([AB, 0x21])) == "ab!"
    assert tokenizer.decode([numpy.int64(AB), 0x21]) == "ab!"
    assert tokenizer.decode(numpy.array([], dtype="int64")) == ""


def test_true_is_the_id_1(tokenizer) -> None:
    assert tokenizer.decode([True]) == "\x01"


def test_the_ids_given_are_not_changed(tokenizer) -> None:
    ids = [AB, SPECIAL]
    tokenizer.decode(ids, skip_special=True)
    assert ids == [AB, SPECIAL]


# ---- one token ----


@pytest.mark.parametrize(
    "id, token, content",
    [
        (0x61, "a", b"a"),
        (0x20, "Ġ", b" "),
        (0xA0, "ł", b"\xa0"),
        (SPACE_A, "Ġa", b" a"),
        (HALF, "ä½", b"\xe4\xbd"),
        (SPECIAL, "<s>", b"<s>"),
        (PLAIN, "<é Ġ>", "<é Ġ>".encode()),
        (SPELLED, "Ġé", "Ġé".encode()),
    ],
)
def test_a_token_has_a_spelling_bytes_and_an_id(tokenizer, id: int, token: str, content: bytes) -> None:
    assert tokenizer.id_to_token(id) == token
    assert tokenizer.token_bytes(id) == tokenizer.decode_bytes([id]) == content
    assert tokenizer.token_to_id(token) == id


def test_every_id_below_vocab_size_is_a_token(tokenizer) -> None:
    assert tokenizer.vocab_size == 262
    assert [tokenizer.token_to_id(tokenizer.id_to_token(id)) for id in range(262)] == list(range(262))


def test_a_token_with_a_character_outside_the_byte_alphabet_stands_for_itself() -> None:
    """No merge makes one, but files may have them; Hugging Face decodes them so."""
    tokenizer = BPETokenizer({"a": 0, "日": 1, "Ġ日": 2, " ": 3}, [])
    assert tokenizer.decode([0, 1, 2, 3]) == "a日Ġ日 "
    assert tokenizer.token_bytes(2) == "Ġ日".encode()


def test_an_unknown_token_has_no_id(tokenizer) -> None:
    assert tokenizer.token_to_id("abc") is None
    assert tokenizer.token_to_id("") is None
    assert tokenizer.token_to_id("é ") is None


@pytest.mark.parametrize("token", [5, None, b"a", ["a"]], ids=repr)
def test_a_token_is_a_str(tokenizer, token: object) -> None:
    with pytest.raises(TypeError, match=f"a token is a str, not {type(token).__name__}"):
        tokenizer.token_to_id(token)


# ---- bad ids ----


def calls(tokenizer: BPETokenizer):
    """Every method that takes ids; those that take one get it alone."""
    return {
        "decode": tokenizer.decode,
        "decode, specials skipped": lambda ids: tokenizer.decode(ids, skip_special=True),
        "decode_bytes": tokenizer.decode_bytes,
        "token_bytes": lambda ids: tokenizer.token_bytes(*ids),
        "id_to_token": lambda ids: tokenizer.id_to_token(*ids),
    }


CALLS = list(calls(BPETokenizer({"a": 0}, [])))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("id", [262, 300, -1, -262, 2**31, 2**64, -(2**64)])
def test_an_id_out_of_range_is_named(tokenizer, name: str, id: int) -> None:
    with pytest.raises(ValueError, match=rf"ids\[0\] is {id}; this tokenizer has ids 0 to 261"):
        calls(tokenizer)[name]([id])


@pytest.mark.parametrize("name", CALLS[:3])
@pytest.mark.parametrize(
    "ids, complaint",
    [([0, 1, 262], r"ids\[2\] is 262"), ([0, -1, 300], r"ids\[1\] is -1"), ((5, 999), r"ids\[1\] is 999")],
)
def test_the_first_of_several_is_named_with_its_position(tokenizer, name: str, ids, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        calls(tokenizer)[name](ids)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("id", [0.0, "a", "1", None, [1], b"a", 1j], ids=repr)
def test_what_is_no_integer_is_named(tokenizer, name: str, id: object) -> None:
    with pytest.raises(TypeError, match=rf"ids\[0\] is .*\({type(id).__name__}\); an id is an integer"):
        calls(tokenizer)[name]([id])


@pytest.mark.parametrize("name", CALLS[:3])
@pytest.mark.parametrize(
    "ids, complaint",
    [
        ("ab", "ids must be integers, not the str 'ab'"),
        (5, r"ids must be an iterable of integers, not int \(5\)"),
        (None, r"ids must be an iterable of integers, not NoneType"),
    ],
    ids=repr,
)
def test_what_is_no_iterable_of_integers_is_named(tokenizer, name: str, ids: object, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        calls(tokenizer)[name](ids)


@pytest.mark.parametrize("name", CALLS[:3])
@pytest.mark.parametrize("make", ["[[1, 2], [3, 4]]", "[[1]]", "[1.5]", "[True, None]"])
def test_arrays_of_the_wrong_shape_or_kind_are_type_errors(tokenizer, name: str, make: str) -> None:
    numpy = pytest.importorskip("numpy")
    wrong = numpy.array(eval(make))
    for ids in (wrong, list(wrong)):
        with pytest.raises(TypeError, match=r"ids\[[01]\] is .*; an id is an integer"):
            calls(tokenizer)[name](ids)

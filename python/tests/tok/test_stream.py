"""StreamDecoder: the text of a stream of ids is that of `decode`, and no character waits longer than it must."""

from functools import lru_cache
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as HFTokenizer
from tokenizers.decoders import DecodeStream

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer
from tinyllm.tok.stream import StreamDecoder

FIXTURES = Path(__file__).parents[3] / "course/fixtures"
END_OF_TEXT = 50256


@lru_cache
def gpt2() -> BPETokenizer:
    return BPETokenizer.from_hf_json(FIXTURES / "gpt2/tokenizer.json")


def pushed_bytes(given_bytes: bytes) -> list[str]:
    stream = StreamDecoder(ByteTokenizer())
    return [*map(stream.push, given_bytes), stream.close()]


@pytest.mark.parametrize(
    "ids, texts",
    [
        (
            [71, 2634, 18798, 12520, 97, 115],
            ["h", "é", "llo", " ", "", "🤷"],
        ),  # 12520 is the space and half of the emoji
        ([8582, 237, 121, 10545, 245, 98], ["", "", "🏽", " ", "", "日"]),
        ([66, 1878, 2634], ["c", "af", "é"]),
        ([447, 250, 80, 447, 251], ["", "“", "q", "", "”"]),
    ],
    ids=["a person shrugging", "a skin tone", "a word that ends in é", "quotation marks"],
)
def test_a_character_comes_out_with_its_last_byte(ids: list[int], texts: list[str]) -> None:
    stream = StreamDecoder(gpt2())
    assert [stream.push(id) for id in ids] == texts
    assert stream.close() == ""


@pytest.mark.parametrize(
    "ids",
    [
        [71, 2634, 18798, 12520, 97, 115, 8582, 237, 121, 10545, 245, 98],
        [66, 1878, 2634],
        [447, 250, 80, 447, 251],
        [8582, 64, 64],
    ],
)
def test_a_stream_is_never_behind_hugging_faces(ids: list[int]) -> None:
    theirs, hf = DecodeStream(skip_special_tokens=False), HFTokenizer.from_file(str(FIXTURES / "gpt2/tokenizer.json"))
    ours = StreamDecoder(gpt2())
    our_text = their_text = ""
    for id in ids:
        our_text += ours.push(id)
        their_text += theirs.step(hf, id) or ""
        assert our_text.startswith(their_text)
    assert our_text == their_text == gpt2().decode(ids)


def test_a_broken_character_comes_out_as_soon_as_the_next_byte_breaks_it() -> None:
    stream = StreamDecoder(gpt2())
    assert [stream.push(id) for id in (8582, 64, 64)] == ["", "\ufffda", "a"]


@pytest.mark.parametrize(
    "given_bytes, texts",
    [
        (b"\x80", ["\ufffd", ""]),
        (b"\xc0\xaf", ["\ufffd", "\ufffd", ""]),
        (b"\xe0\x80", ["", "\ufffd\ufffd", ""]),
        (b"\xf4\x90", ["", "\ufffd\ufffd", ""]),
        (b"\xf0\x9f\x99A", ["", "", "", "\ufffdA", ""]),
        (b"\xc3\xc3\xa9", ["", "\ufffd", "é", ""]),
        (b"\xed\xa0a", ["", "", "\ufffd\ufffda", ""]),
    ],
    ids=[
        "no first byte",
        "overlong",
        "overlong of three",
        "behind U+10FFFF",
        "cut short",
        "cut short by a letter",
        "half a surrogate",
    ],
)
def test_bytes_that_can_no_longer_become_a_character_do_not_wait(given_bytes: bytes, texts: list[str]) -> None:
    assert pushed_bytes(given_bytes) == texts


@pytest.mark.parametrize(
    "given_bytes", [b"\xc3", b"\xe0\xb0", b"\xf0\x9f\x99"], ids=["one of two", "two of three", "three of four"]
)
def test_a_character_left_incomplete_at_the_end_is_one_replacement_character(given_bytes: bytes) -> None:
    assert pushed_bytes(given_bytes) == [""] * len(given_bytes) + ["\ufffd"]


def test_telugu_pushed_byte_by_byte_comes_out_character_by_character() -> None:
    assert pushed_bytes("తెలుగు".encode()) == [
        "",
        "",
        "త",
        "",
        "",
        "ె",
        "",
        "",
        "ల",
        "",
        "",
        "ు",
        "",
        "",
        "గ",
        "",
        "",
        "ు",
        "",
    ]


@pytest.mark.parametrize("cut", range(len("తెలుగు నమస్కారం".encode()) + 1))
def test_telugu_cut_at_any_byte_joins_to_the_whole(cut: int) -> None:
    text = "తెలుగు నమస్కారం".encode()
    tokens = [part for part in (text[:cut], text[cut:]) if part]
    stream = StreamDecoder(tokenizer_of(tokens))
    assert "".join(map(stream.push, range(len(tokens)))) + stream.close() == "తెలుగు నమస్కారం"


def tokenizer_of(tokens: list[bytes]) -> BPETokenizer:
    """A tokenizer whose ids 0, 1, ... have these bytes."""
    stand_in_of = {gpt2().token_bytes(id): gpt2().id_to_token(id) for id in range(256)}
    return BPETokenizer(
        {"".join(stand_in_of[bytes([byte])] for byte in token): id for id, token in enumerate(tokens)}, []
    )


@given(st.lists(st.integers(0, 50256)))
def test_joined_texts_are_what_decode_gives_for_any_ids(ids: list[int]) -> None:
    stream = StreamDecoder(gpt2())
    assert "".join(map(stream.push, ids)) + stream.close() == gpt2().decode(ids)


@given(st.lists(st.integers(0, 50256) | st.just(END_OF_TEXT)))
def test_joined_texts_are_what_decode_gives_without_specials(ids: list[int]) -> None:
    stream = StreamDecoder(gpt2(), skip_special=True)
    assert "".join(map(stream.push, ids)) + stream.close() == gpt2().decode(ids, skip_special=True)


@given(st.lists(st.binary(min_size=1, max_size=5), unique=True, min_size=1))
def test_joined_texts_are_what_decode_gives_for_any_bytes_in_any_tokens(tokens: list[bytes]) -> None:
    tokenizer = tokenizer_of(tokens)
    stream = StreamDecoder(tokenizer)
    ids = range(len(tokens))
    assert (
        "".join(map(stream.push, ids)) + stream.close()
        == tokenizer.decode(ids)
        == b"".join(tokens).decode("utf-8", "replace")
    )


@given(st.text())
def test_no_valid_text_ever_waits_behind_its_last_character(text: str) -> None:
    assert pushed_bytes(text.encode())[-1] == ""


def test_a_special_token_gives_its_content() -> None:
    stream = StreamDecoder(gpt2())
    assert [stream.push(id) for id in (71, END_OF_TEXT)] == ["h", "<|endoftext|>"]


def test_a_skipped_special_does_not_part_the_bytes_around_it() -> None:
    first, second, third = gpt2().encode(" 日")
    stream = StreamDecoder(gpt2(), skip_special=True)
    assert [stream.push(id) for id in (first, second, END_OF_TEXT, third)] == [" ", "", "", "日"]


def test_after_close_a_new_stream_begins() -> None:
    stream = StreamDecoder(ByteTokenizer())
    stream.push(0xE0)
    assert (stream.close(), stream.close()) == ("\ufffd", "")
    assert [stream.push(byte) for byte in "é".encode()] == ["", "é"]


@pytest.mark.parametrize("wrong", [-1, 50257, 1 << 40])
def test_an_id_out_of_range_is_named_with_its_position(wrong: int) -> None:
    stream = StreamDecoder(gpt2())
    stream.push(71)
    with pytest.raises(
        ValueError, match=f"^the id at position 1 of the stream is {wrong}; this tokenizer has ids 0 to 50256$"
    ):
        stream.push(wrong)


def test_an_id_too_long_to_show_is_told_by_its_size() -> None:
    with pytest.raises(ValueError, match="^the id at position 0 of the stream is an integer of 16610 bits; this"):
        StreamDecoder(gpt2()).push(10**5000)


@pytest.mark.parametrize(
    "wrong, shown", [(1.0, "1.0 (float)"), ("a", "'a' (str)"), (None, "None (NoneType)"), ([1], "[1] (list)")]
)
def test_what_is_no_integer_is_named_with_its_position(wrong: object, shown: str) -> None:
    stream = StreamDecoder(gpt2())
    stream.push(1)  # so that 1.0, which equals 1, would be found among the ids met before
    with pytest.raises(TypeError) as error:
        stream.push(wrong)  # type: ignore[arg-type]
    assert str(error.value) == f"the id at position 1 of the stream is {shown}; an id is an integer"


def test_after_an_error_the_stream_goes_on() -> None:
    stream = StreamDecoder(gpt2())
    first, second, third = gpt2().encode(" 日")
    texts = [stream.push(first), stream.push(second)]
    with pytest.raises(ValueError, match="position 2"):
        stream.push(-1)
    assert [*texts, stream.push(third)] == [" ", "", "日"]


def test_positions_are_counted_from_the_start_of_each_stream() -> None:
    stream = StreamDecoder(gpt2())
    stream.push(71)
    stream.close()
    with pytest.raises(ValueError, match="position 0"):
        stream.push(-1)


def test_numpy_integers_are_ids() -> None:
    stream = StreamDecoder(gpt2())
    assert "".join(map(stream.push, numpy.array([71, 2634]))) == "hé"


def test_byte_ids_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="position 0 of the stream is 256; this tokenizer has ids 0 to 255"):
        StreamDecoder(ByteTokenizer()).push(256)


def test_a_tokenizer_whose_tokens_are_no_bytes_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"needs a tokenizer with token_bytes\(id\), such as BPETokenizer; CharTokenizer has none"
    ):
        StreamDecoder(CharTokenizer.train(["ab"]))

"""ByteTokenizer: the ids are the UTF-8 bytes."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.byte import ByteTokenizer


def test_ids_are_the_utf8_bytes() -> None:
    assert ByteTokenizer().encode("Aé日") == [0x41, 0xC3, 0xA9, 0xE6, 0x97, 0xA5]


def test_empty_text_has_no_ids() -> None:
    assert ByteTokenizer().encode("") == []
    assert ByteTokenizer().decode([]) == ""


def test_there_are_256_ids_and_no_special_or_unknown_one() -> None:
    tokenizer = ByteTokenizer()
    assert (tokenizer.vocab_size, tokenizer.special_ids, tokenizer.unk_id) == (256, frozenset(), None)


def test_tokens_are_spelled_as_two_upper_case_hexadecimal_digits() -> None:
    tokenizer = ByteTokenizer()
    assert [tokenizer.id_to_token(id) for id in (0, 10, 65, 255)] == ["<0x00>", "<0x0A>", "<0x41>", "<0xFF>"]


def test_token_to_id_inverts_id_to_token() -> None:
    tokenizer = ByteTokenizer()
    assert [tokenizer.token_to_id(tokenizer.id_to_token(id)) for id in range(256)] == list(range(256))


@pytest.mark.parametrize(
    "token", ["<0x0a>", "<0x0A", "<0xA>", "<0x00A>", "<0x+A>", "<0x 1>", "<0x٠٠>", "A", ""], ids=ascii
)
def test_other_spellings_of_a_token_are_none(token: str) -> None:
    assert ByteTokenizer().token_to_id(token) is None


def test_a_token_must_be_a_str() -> None:
    with pytest.raises(TypeError, match="a token is a str, not int"):
        ByteTokenizer().token_to_id(65)


def test_decode_joins_the_bytes_of_a_character() -> None:
    assert ByteTokenizer().decode([0xE6, 0x97, 0xA5]) == "日"


def test_bytes_that_are_no_utf8_decode_to_the_replacement_character() -> None:
    assert ByteTokenizer().decode([0x41, 0xE6, 0x97, 0x42, 0xFF]) == "A\ufffdB\ufffd"


def test_skip_special_leaves_nothing_out() -> None:
    assert ByteTokenizer().decode([104, 105], skip_special=True) == "hi"


@given(st.text())
def test_decode_inverts_encode(text: str) -> None:
    assert ByteTokenizer().decode(ByteTokenizer().encode(text)) == text


@pytest.mark.parametrize("ids, position", [([65, 256], 1), ([-1], 0)], ids=["too large", "negative"])
def test_an_id_out_of_range_is_named_with_its_position(ids: list[int], position: int) -> None:
    with pytest.raises(ValueError, match=rf"ids\[{position}\] is {ids[position]}; this tokenizer has ids 0 to 255"):
        ByteTokenizer().decode(ids)
    with pytest.raises(ValueError, match=str(ids[position])):
        ByteTokenizer().id_to_token(ids[position])


def test_a_lone_surrogate_is_named_with_its_position() -> None:
    with pytest.raises(ValueError, match="position 2 is the lone surrogate U[+]D800") as caught:
        ByteTokenizer().encode("日a\ud800")
    assert type(caught.value) is ValueError


def test_text_must_be_a_str() -> None:
    with pytest.raises(TypeError, match="text must be a str, not bytes"):
        ByteTokenizer().encode(b"a")


def test_the_file_names_the_model_and_nothing_else(tmp_path) -> None:
    ByteTokenizer().save(tmp_path / "tokenizer.json")
    assert json.loads((tmp_path / "tokenizer.json").read_text("utf-8")) == {"model": {"type": "Byte"}}


def test_load_reads_what_save_wrote(tmp_path) -> None:
    ByteTokenizer().save(tmp_path / "tokenizer.json")
    loaded = ByteTokenizer.load(tmp_path / "tokenizer.json")
    assert type(loaded) is ByteTokenizer and loaded.encode("é") == [195, 169]


@pytest.mark.parametrize(
    "content, complaint",
    [
        ("", "not valid JSON"),
        ("[]", "the file is []; it must be an object"),
        ("{}", "model is missing"),
        ('{"model": null}', "model is null; it must be an object"),
        ('{"model": {}}', "model.type is missing"),
        ('{"model": {"type": "BPE"}}', 'model.type is "BPE"; it must be "Byte"'),
        ('{"model": {"type": "Byte", "offset": 3}}', "model.offset is 3; this field is not known here"),
        ('{"model": {"type": "Byte"}, "version": "1.0"}', 'version is "1.0"; this field is not known here'),
        ('{"model": {"type": "BPE"}, "model": {"type": "Byte"}}', "model is there twice"),
    ],
)
def test_any_other_file_is_refused_by_name_and_field(tmp_path, content: str, complaint: str) -> None:
    path = tmp_path / "some.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ValueError) as caught:
        ByteTokenizer.load(path)
    assert str(caught.value).startswith(f"{path}: ") and complaint in str(caught.value)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        ByteTokenizer.load(tmp_path / "none.json")


def test_it_is_a_tokenizer_and_can_be_pickled() -> None:
    tokenizer = pickle.loads(pickle.dumps(ByteTokenizer()))
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.encode_batch(["", "é"]) == [[], [195, 169]]

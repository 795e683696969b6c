"""The course tests of L1.1. In a comparison your value stands on the left, the right one on the right."""

import json
import random

import pytest

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer

TEXTS = ["the cat sat", "", "日本 é", "a\tb\n\n", "🙂 <s>the</s>"]


class Index:
    """An integer without being an int, as the integers of NumPy are."""

    def __index__(self) -> int:
        return 2


def byte_and_char() -> list:
    return [ByteTokenizer(), CharTokenizer.train(TEXTS, specials=["<s>", "</s>"])]


# ---- ByteTokenizer ----


def test_byte_ids_are_the_bytes():
    """The ids are the UTF-8 bytes: one for an ASCII letter, two for é, three for 日."""
    tokenizer = ByteTokenizer()
    assert tokenizer.encode("Aé日") == [0x41, 0xC3, 0xA9, 0xE6, 0x97, 0xA5]
    assert tokenizer.encode("") == []
    assert (tokenizer.vocab_size, tokenizer.special_ids, tokenizer.unk_id) == (256, frozenset(), None)


def test_byte_tokens_are_spelled_in_hex():
    """Id 65 is the token <0x41>: two upper-case hexadecimal digits."""
    tokenizer = ByteTokenizer()
    assert [tokenizer.id_to_token(id) for id in (0, 10, 65, 255)] == ["<0x00>", "<0x0A>", "<0x41>", "<0xFF>"]
    assert [tokenizer.token_to_id(token) for token in ("<0x00>", "<0x0A>", "<0x41>", "<0xFF>")] == [0, 10, 65, 255]
    assert tokenizer.token_to_id("A") is None
    assert tokenizer.token_to_id("<0x0a>") is None, "one token, one spelling"


def test_byte_decode_joins_before_utf8():
    """The three bytes of 日 are a character only together; a part of them is one U+FFFD."""
    tokenizer = ByteTokenizer()
    assert tokenizer.decode([0xE6, 0x97, 0xA5]) == "日", "join all bytes, then decode once"
    assert tokenizer.decode([0xE6]) == "\ufffd"
    assert tokenizer.decode([0x41, 0xE6, 0x97, 0x42]) == "A\ufffdB"


# ---- CharTokenizer ----


def test_char_ids_by_count_then_code_point():
    """Frequent characters get small ids; equal counts go by code point, not by which came first."""
    tokenizer = CharTokenizer.train(["ccc", "ba", "ab"])
    assert tokenizer.vocab == {"<unk>": 0, "c": 1, "a": 2, "b": 3}
    assert CharTokenizer.train(["ab", "ba", "ccc"]).vocab == tokenizer.vocab, "the order of the texts does not matter"
    assert CharTokenizer.train(["ccc", "ba", "ab"], vocab_size=3).vocab == {"<unk>": 0, "c": 1, "a": 2}, (
        "<unk> counts too"
    )
    assert CharTokenizer.train(iter(["ab"])).vocab == {"<unk>": 0, "a": 1, "b": 2}, "texts may be any iterable"


def test_char_unknown_is_id_zero():
    """A character that training never saw is <unk>, id 0, and shows as <unk>."""
    tokenizer = CharTokenizer.train(["ab"])
    assert tokenizer.unk_id == 0
    assert tokenizer.encode("a日b") == [1, 0, 2]
    assert tokenizer.decode([1, 0, 2]) == "a<unk>b"
    assert tokenizer.decode([1, 0, 2], skip_special=True) == "ab", "<unk> is special"


def test_char_specials_come_after_unknown():
    """Specials take the ids from 1 in the order given; in a text they match leftmost, then longest."""
    tokenizer = CharTokenizer.train(["<s>abab<s>"], specials=["<s>", "<s><t>"])
    assert tokenizer.vocab == {"<unk>": 0, "<s>": 1, "<s><t>": 2, "a": 3, "b": 4}, (
        "specials are cut out before counting"
    )
    assert tokenizer.special_ids == {0, 1, 2}
    assert tokenizer.encode("<s>a<s><t>b") == [1, 3, 2, 4], "of <s> and <s><t> the longer one counts"
    assert tokenizer.decode([1, 3, 2, 4], skip_special=True) == "ab"
    with pytest.raises(ValueError):
        CharTokenizer.train(["ab"], vocab_size=2, specials=["<s>", "<t>"])


# ---- check_ids ----


@pytest.mark.parametrize("wrong", [1.0, "1", None, [1]], ids=repr)
def test_check_ids_accepts_what_counts_as_an_index(wrong):
    """Whatever has __index__ is an id and comes back as a plain int; anything else is TypeError."""
    assert check_ids((0, 2, 1), 3) == [0, 2, 1], "any iterable of ids, as a list"
    plain = check_ids([Index(), True], 3)
    assert plain == [2, 1]
    assert [type(id) for id in plain] == [int, int]
    with pytest.raises(TypeError):
        check_ids([0, wrong], 3)


@pytest.mark.parametrize("id", [3, -1, 2**33])
def test_check_ids_names_id_and_position(id):
    """An id out of range is ValueError, and the message names the id and where it stands. -1 must not reach the last token."""
    with pytest.raises(ValueError) as caught:
        check_ids([0, 1, 2, 0, 0, 0, 0, id], 3)
    message = str(caught.value)
    assert str(id) in message, "the message names the id"
    assert "7" in message, "and its position, here 7"
    for tokenizer in byte_and_char():
        with pytest.raises(ValueError):
            tokenizer.decode([-1])
        with pytest.raises(ValueError):
            tokenizer.id_to_token(tokenizer.vocab_size)


# ---- what all tokenizers promise ----


def test_lone_surrogates_are_refused():
    """Half a surrogate pair is no Unicode text: ValueError, with the position in characters."""
    for tokenizer in byte_and_char():
        with pytest.raises(ValueError) as caught:
            tokenizer.encode("日本 7\ud83d")
        assert "4" in str(caught.value), "the message names the position, here 4"


def test_encode_batch_equals_encode():
    """encode_batch gives the ids of each text, of empty ones too; one str is a mistake."""
    for tokenizer in byte_and_char():
        assert tokenizer.encode_batch(TEXTS) == [tokenizer.encode(text) for text in TEXTS]
        assert tokenizer.encode_batch([]) == []
        with pytest.raises(TypeError):
            tokenizer.encode_batch("abc")


def test_save_load_roundtrip(tmp_path):
    """load(save(t)) gives the same ids and specials; a file of another kind is ValueError."""
    generator = random.Random(11)
    texts = ["".join(generator.choices(["a", "t", " ", "é", "日", "🙂", "<s>", "\n"], k=12)) for _ in range(50)]
    for tokenizer in byte_and_char():
        tokenizer.save(tmp_path / "tokenizer.json")
        loaded = type(tokenizer).load(tmp_path / "tokenizer.json")
        assert loaded.vocab_size == tokenizer.vocab_size
        assert loaded.special_ids == tokenizer.special_ids
        assert loaded.unk_id == tokenizer.unk_id
        for text in texts:
            ids = tokenizer.encode(text)
            assert loaded.encode(text) == ids, f"the ids of {text!r}"
            assert loaded.decode(ids) == tokenizer.decode(ids)
        content = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
        content["model"]["type"] = "Unigram"
        (tmp_path / "other.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ValueError):
            type(tokenizer).load(tmp_path / "other.json")


def test_tokenizer_is_abstract():
    """Tokenizer says what every tokenizer has and cannot be made itself."""
    with pytest.raises(TypeError):
        Tokenizer()
    for tokenizer in byte_and_char():
        assert isinstance(tokenizer, Tokenizer) is True

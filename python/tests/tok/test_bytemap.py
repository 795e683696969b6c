"""The byte alphabet: 256 printable characters, one a byte."""

import unicodedata

import pytest

from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes


def test_the_188_visible_bytes_stand_for_themselves() -> None:
    stand_ins = bytes_to_unicode()
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    assert len(visible) == 188
    assert all(stand_ins[byte] == chr(byte) for byte in visible)


def test_the_other_68_count_up_from_256() -> None:
    others = [*range(0x21), *range(0x7F, 0xA1), 0xAD]
    assert len(others) == 68
    assert [bytes_to_unicode()[byte] for byte in others] == [chr(256 + n) for n in range(68)]


@pytest.mark.parametrize(
    "byte, stand_in",
    [
        (0x00, "Ā"),
        (0x0A, "Ċ"),
        (0x20, "Ġ"),
        (0x21, "!"),
        (0x7E, "~"),
        (0x7F, "ġ"),
        (0xA0, "ł"),
        (0xA1, "¡"),
        (0xAC, "¬"),
        (0xAD, "Ń"),
        (0xAE, "®"),
        (0xFF, "ÿ"),
    ],
    ids=ascii,
)
def test_values_on_both_sides_of_each_border(byte: int, stand_in: str) -> None:
    assert bytes_to_unicode()[byte] == stand_in
    assert unicode_to_bytes()[stand_in] == byte


def test_each_byte_has_a_stand_in_of_its_own() -> None:
    stand_ins = bytes_to_unicode()
    assert list(stand_ins) == list(range(256))
    assert len({*stand_ins.values()}) == 256
    assert all(len(stand_in) == 1 for stand_in in stand_ins.values())


def test_every_stand_in_can_be_seen() -> None:
    unseen = [stand_in for stand_in in unicode_to_bytes() if unicodedata.category(stand_in)[0] in "CZ"]
    assert unseen == []


def test_unicode_to_bytes_inverts_bytes_to_unicode() -> None:
    byte_of = unicode_to_bytes()
    assert [byte_of[stand_in] for stand_in in bytes_to_unicode().values()] == list(range(256))


def test_changing_the_map_given_changes_no_other() -> None:
    bytes_to_unicode()[0x20] = "_"
    assert bytes_to_unicode()[0x20] == "Ġ"


def test_hugging_face_has_the_same_alphabet() -> None:
    pre_tokenizers = pytest.importorskip("tokenizers.pre_tokenizers")
    assert {*pre_tokenizers.ByteLevel.alphabet()} == unicode_to_bytes().keys()

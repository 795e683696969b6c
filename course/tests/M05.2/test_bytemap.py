"""The course tests of M05.2. In a comparison your value stands on the left, the right one on the right."""

from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes

VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]


def test_printable_bytes_stand_for_themselves():
    """The 188 bytes 33-126, 161-172 and 174-255 map to the character with the same code point."""
    stand_ins = bytes_to_unicode()
    for byte in VISIBLE:
        assert stand_ins[byte] == chr(byte), f"byte {byte} can be seen as it is"
    assert stand_ins[173] != chr(173), "173 is the soft hyphen, which most screens do not show: it needs a stand-in"


def test_other_bytes_count_up_from_256():
    """The other 68 bytes, in rising order, take the code points 256, 257, ... 323."""
    stand_ins = bytes_to_unicode()
    others = [byte for byte in range(256) if byte not in VISIBLE]
    assert [ord(stand_ins[byte]) for byte in others] == list(range(256, 324)), "counted in order, not 256 + the byte"


def test_space_and_newline():
    """The two stand-ins that everybody meets: the space is Ġ, the newline Ċ."""
    stand_ins = bytes_to_unicode()
    assert stand_ins[ord(" ")] == "Ġ"
    assert stand_ins[ord("\n")] == "Ċ"
    assert "".join(stand_ins[byte] for byte in "é!".encode()) == "Ã©!", "é is the two bytes c3 a9"


def test_byte_map_is_one_to_one():
    """256 bytes, 256 different stand-ins, each one printable character."""
    stand_ins = bytes_to_unicode()
    assert sorted(stand_ins) == list(range(256))
    assert len(set(stand_ins.values())) == 256, "two bytes with one stand-in could not be told apart"
    for byte, stand_in in stand_ins.items():
        assert len(stand_in) == 1
        assert stand_in.isprintable() is True, f"the stand-in of byte {byte} cannot be seen"
        assert stand_in.isspace() is False, f"the stand-in of byte {byte} is white space"


def test_unicode_to_bytes_is_the_inverse():
    """unicode_to_bytes undoes bytes_to_unicode for every byte."""
    byte_of = unicode_to_bytes()
    assert len(byte_of) == 256
    assert byte_of["Ġ"] == 32
    for byte, stand_in in bytes_to_unicode().items():
        assert byte_of[stand_in] == byte

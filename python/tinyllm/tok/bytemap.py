"""The byte alphabet (M05.2): 256 printable characters that stand for the 256 bytes.

BPE merges strings, and files list tokens as text. Bytes such as the space or a control code would be invisible or
ambiguous there, so each byte gets a stand-in that can be seen. The map is a bijection: nothing is lost either way.
Source: `bytes_to_unicode` of OpenAI's GPT-2 encoder.
"""


def bytes_to_unicode() -> dict[int, str]:
    """Each byte value (0 to 255) to its stand-in, one character.

    The 188 bytes 33-126, 161-172 and 174-255 stand for themselves (the same code point). The other 68, in rising
    order, take the code points from 256 on. So the space (32) is "Ġ" and the newline (10) is "Ċ".

    >>> bytes_to_unicode()[32]
    'Ġ'
    """
    # 173 is missing from the third range: it is the soft hyphen, which most screens do not show.
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    stand_ins = {}
    next_free = 256
    for byte in range(256):
        if byte in visible:
            stand_ins[byte] = chr(byte)
        else:
            stand_ins[byte] = chr(next_free)
            next_free += 1
    return stand_ins


def unicode_to_bytes() -> dict[str, int]:
    """The inverse: each stand-in to its byte value.

    >>> unicode_to_bytes()["Ġ"]
    32
    """
    return {stand_in: byte for byte, stand_in in bytes_to_unicode().items()}

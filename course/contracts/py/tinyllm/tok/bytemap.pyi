"""M05.2: the byte alphabet, 256 printable characters that stand for the 256 bytes.

Source: `bytes_to_unicode` of OpenAI's GPT-2 encoder.
"""

def bytes_to_unicode() -> dict[int, str]:
    """Each byte value (0 to 255) to its stand-in, one character.

    The 188 bytes 33-126, 161-172 and 174-255 stand for themselves (the same code point). The other 68, in rising
    order, take the code points from 256 on. So the space (32) is "Ġ" and the newline (10) is "Ċ".

    >>> bytes_to_unicode()[32]
    'Ġ'
    """

def unicode_to_bytes() -> dict[str, int]:
    """The inverse: each stand-in to its byte value.

    >>> unicode_to_bytes()["Ġ"]
    32
    """

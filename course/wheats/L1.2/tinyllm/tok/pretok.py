r"""A second correct pre-tokenizer (L1.2), written another way than the reference: tests of students must pass on it too.

Python's `re` knows neither \p{L} nor the right \s. So each character outside ASCII is first replaced by one of ASCII that
the pattern treats alike, and the pattern runs on that image of the text. The image has as many characters as the text, so
places in it are places in the text. "A" stands for letters because no contraction has a capital.
"""

import re
from itertools import groupby

from tinyllm.tok.unicode16 import category

SPACES = {*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
# HF's Digits step knows Unicode 17.0, its split 16.0.
NEWER_DIGITS = {*range(0x11DE0, 0x11DEA), *range(0x16FF4, 0x16FF7)}
PATTERN = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\t-\r A-Za-z0-9]+|[\t-\r ]+(?![^\t-\r ])|[\t-\r ]+"
)


def is_space(ch):
    category(ch)  # raises the TypeError for what is not one character
    return ord(ch) in SPACES


def is_letter(ch):
    return category(ch).startswith("L")


def is_number(ch):
    return category(ch).startswith("N")


def pretokenize_gpt2(text):
    image = "".join(map(_image, _checked(text)))
    return [text[match.start() : match.end()] for match in PATTERN.finditer(image)]


def split_digits(text, individual=True):
    parts = []
    for digits, run in groupby(_checked(text), key=lambda ch: is_number(ch) or ord(ch) in NEWER_DIGITS):
        characters = list(run)
        parts += characters if digits and individual else ["".join(characters)]
    return parts


def _checked(text):
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    return text


def _image(ch):
    if ch.isascii():
        return ch
    if is_space(ch):
        return "\t"
    if is_letter(ch):
        return "A"
    return "0" if is_number(ch) else "_"

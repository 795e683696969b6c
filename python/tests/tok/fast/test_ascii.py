"""The way by `re` for ASCII texts is the pre-tokenizer."""

from itertools import product

import pytest

from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splits import BYTE_LEVEL
from tinyllm.tok.splitting.declaration import pretokenizer_of


def digits_then_gpt2(text: str, individual: bool = True) -> list[str]:
    return [pretoken for part in split_digits(text, individual) for pretoken in pretokenize_gpt2(part)]


@pytest.mark.parametrize(
    "declaration, pretokenize",
    [
        (BYTE_LEVEL, pretokenize_gpt2),
        ({"type": "Digits", "individual_digits": True}, digits_then_gpt2),
        ({"type": "Digits", "individual_digits": False}, lambda text: digits_then_gpt2(text, individual=False)),
    ],
    ids=["gpt2", "each digit", "runs of digits"],
)
def test_the_ascii_shortcut_is_the_pretokenizer_on_every_short_ascii_text(declaration, pretokenize):
    if declaration is not BYTE_LEVEL:
        declaration = {"type": "Sequence", "pretokenizers": [declaration, BYTE_LEVEL]}
    shortcut = pretokenizer_of(declaration).pretokenize
    every_ascii = [chr(code) for code in range(128)]
    for text in map("".join, product(every_ascii, repeat=2)):
        assert shortcut(text) == pretokenize(text), text
    for text in map("".join, product(" \n\x1ca1!'strevmld", repeat=4)):
        assert shortcut(text) == pretokenize(text), text

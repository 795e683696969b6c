"""L1.1: the tokenizer that needs no training: one id a byte."""

import os
from collections.abc import Iterable
from typing import Self

from tinyllm.tok.base import Tokenizer

class ByteTokenizer(Tokenizer):
    """256 ids, each the value of one UTF-8 byte. Never fails to spell a text; costs one id a byte.

    Id 65 is the token "<0x41>". There are no special ids and no unknown id.

    >>> ByteTokenizer().encode("é")
    [195, 169]
    """

    def __init__(self) -> None:
        """A tokenizer with the 256 byte values as ids."""

    def encode(self, text: str) -> list[int]:
        """The UTF-8 bytes of `text` as ids. Raises TypeError (not a str) or ValueError (a lone surrogate, by position)."""

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """Join the bytes, then decode UTF-8 once; invalid bytes become U+FFFD. Raises as `check_ids` does."""

    def id_to_token(self, id: int) -> str:
        """The token with this id: "<0x41>" for 65, two upper-case hexadecimal digits. Raises as `check_ids` does."""

    def token_to_id(self, token: str) -> int | None:
        """65 for "<0x41>"; None for any other spelling."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `{"model": {"type": "Byte"}}`."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file if it is anything else."""

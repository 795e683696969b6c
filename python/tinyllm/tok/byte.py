"""The tokenizer that needs no training (L1.1): one id a byte.

The floor under every other tokenizer here: it spells any text, and no text costs more ids.
It has no special tokens, so any text is ordinary text, and no unknown id, so nothing is ever lost.
Invariant: the ids are the UTF-8 bytes themselves, so `bytes(encode(text)) == text.encode("utf-8")`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.jsonfile import check_fields, read_json, write_json

if TYPE_CHECKING:
    from typing import Self


class ByteTokenizer(Tokenizer):
    """256 ids, each the value of one UTF-8 byte. Never fails to spell a text; costs one id a byte.

    Id 65 is the token "<0x41>". There are no special ids and no unknown id.

    >>> ByteTokenizer().encode("é")
    [195, 169]
    """

    def __init__(self) -> None:
        """A tokenizer with the 256 byte values as ids."""
        self.vocab_size = 256
        self.special_ids = frozenset()
        self.unk_id = None

    def encode(self, text: str) -> list[int]:
        """The UTF-8 bytes of `text` as ids.

        Raises TypeError if `text` is not a str, ValueError naming the position (in characters) of a lone surrogate.
        Cost: O(characters).
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
        try:
            return list(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            surrogate = f"U+{ord(text[error.start]):04X}"
            raise ValueError(
                f"text is not valid Unicode: position {error.start} is the lone surrogate {surrogate}"
            ) from None

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """The text of `ids`: all bytes joined first, then decoded as UTF-8 once; invalid bytes become U+FFFD.

        Decoding byte by byte would break every character that takes more than one. Raises as `check_ids` does.

        >>> ByteTokenizer().decode([195, 169, 195])
        'é�'
        """
        return bytes(check_ids(ids, self.vocab_size)).decode("utf-8", "replace")

    def id_to_token(self, id: int) -> str:
        """The token with this id: "<0x41>" for 65, two upper-case hexadecimal digits. Raises as `check_ids` does."""
        return f"<0x{check_ids([id], self.vocab_size)[0]:02X}>"

    def token_to_id(self, token: str) -> int | None:
        """65 for "<0x41>"; None for any other spelling."""
        if not isinstance(token, str):
            raise TypeError(f"a token is a str, not {type(token).__name__} ({token!r:.40})")
        return next((id for id in range(self.vocab_size) if self.id_to_token(id) == token), None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `{"model": {"type": "Byte"}}`; an existing file is replaced whole or not at all. Raises OSError."""
        write_json(path, {"model": {"type": "Byte"}})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file and the field for anything else."""
        found = read_json(path)
        try:
            check_fields(found, "", {"model": None})
            check_fields(found["model"], "model", {"type": ["Byte"]})
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
        return cls()

"""L1.1: the one shape of every tokenizer, and the check of ids that they share."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Self, SupportsIndex

class Tokenizer(ABC):
    """Text to ids and back. Ids run from 0 to vocab_size - 1.

    vocab_size   how many ids there are: the largest id plus one
    special_ids  ids of control tokens, which `decode(..., skip_special=True)` leaves out
    unk_id       the id that stands for text the vocabulary cannot spell, or None if there is no such id
    """

    vocab_size: int
    special_ids: frozenset[int]
    unk_id: int | None

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The ids of `text`; `encode("") == []`.

        Raises TypeError if `text` is not a str, ValueError naming the position (in characters) of a lone surrogate.
        """

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """`[encode(text) for text in texts]`. Raises TypeError if `texts` is one str."""

    @abstractmethod
    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """The text that `ids` spell; with `skip_special`, without the tokens in `special_ids`.

        Bytes that are not valid UTF-8 come out as U+FFFD. Ids are checked as in `check_ids`.
        """

    @abstractmethod
    def id_to_token(self, id: int) -> str:
        """The token with this id. Raises as `check_ids` does."""

    @abstractmethod
    def token_to_id(self, token: str) -> int | None:
        """The id of `token`, or None if the vocabulary does not have it."""

    @abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer as one UTF-8 JSON file. An existing file is replaced whole or not at all."""

    @classmethod
    @abstractmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file and what is wrong with it."""

def check_ids(ids: Iterable[SupportsIndex], vocab_size: int) -> list[int]:
    """`ids` as a list of plain ints, each from 0 to vocab_size - 1.

    Anything with `__index__` is an id, NumPy integers too. Raises TypeError for anything else, naming what was met and
    its position, and ValueError for an id out of range, naming the id and its position. -1 is out of range: it must
    not reach the last token.

    >>> check_ids((2, 0), vocab_size=3)
    [2, 0]
    """

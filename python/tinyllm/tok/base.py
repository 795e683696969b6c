"""The one shape of every tokenizer (L1.1), and the check of ids that they share.

It does not say how text becomes ids: `byte.py`, `char.py` and `bpe.py` do, each in its own way.
Invariant: every id from 0 to vocab_size - 1 belongs to one token, so `decode` never meets a hole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

if TYPE_CHECKING:
    import os
    from typing import Self


class Tokenizer(ABC):
    """Text to ids and back. Ids run from 0 to vocab_size - 1.

    vocab_size   how many ids there are: the largest id plus one
    special_ids  ids of control tokens, which `decode(..., skip_special=True)` leaves out
    unk_id       the id for text that the vocabulary cannot spell, or None if there is no such id
    """

    vocab_size: int
    special_ids: frozenset[int]
    unk_id: int | None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {self.vocab_size:,} ids>"

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The ids of `text`; `encode("") == []`.

        Raises TypeError if `text` is not a str, ValueError naming the position (in characters) of a lone surrogate.
        """

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """`[encode(text) for text in texts]`.

        Raises TypeError if `texts` is one str, which would be cut into characters, or no iterable; and what `encode`
        raises, with the position of the text among `texts`.
        """
        if isinstance(texts, (str, bytes)):
            raise TypeError("encode_batch takes a sequence of texts; for one text call encode(text)")
        try:
            listed = list(texts)
        except TypeError:
            raise TypeError(f"texts must be a sequence of str, not {type(texts).__name__} ({texts!r:.40})") from None
        batch = []
        for i, text in enumerate(listed):
            try:
                batch.append(self.encode(text))
            except (TypeError, ValueError) as error:
                raise (TypeError if isinstance(error, TypeError) else ValueError)(f"texts[{i}]: {error}") from error
        return batch

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
    its position, and ValueError for an id out of range, naming the id and its position.
    Cost: O(ids), most of it at C speed: real id lists are long and hardly ever wrong.

    >>> check_ids((2, 0), vocab_size=3)
    [2, 0]
    """
    if isinstance(ids, str):
        raise TypeError(f"ids must be integers, not the str {ids[:20]!r}; encode(text) gives the ids of a text")
    try:
        listed = list(ids)
    except TypeError:
        raise TypeError(f"ids must be an iterable of integers, not {type(ids).__name__} ({ids!r:.40})") from None
    try:
        plain = list(map(index, listed))
    except TypeError:
        position, wrong = next((i, x) for i, x in enumerate(listed) if not _is_index(x))
        raise TypeError(f"ids[{position}] is {wrong!r:.40} ({type(wrong).__name__}); an id is an integer") from None
    # min() and max() find a wrong id without a Python loop. -1 must not pass: as an index it would mean the last token.
    if plain and (min(plain) < 0 or max(plain) >= vocab_size):
        position, wrong = next((i, x) for i, x in enumerate(plain) if not 0 <= x < vocab_size)
        shown = str(wrong) if wrong.bit_length() <= 128 else f"an integer of {wrong.bit_length()} bits"
        raise ValueError(f"ids[{position}] is {shown}; this tokenizer has ids 0 to {vocab_size - 1}")
    return plain


def _is_index(x: SupportsIndex) -> bool:
    try:
        index(x)
    except TypeError:
        return False  # having `__index__` is not enough: an array of floats has it, and refuses
    return True

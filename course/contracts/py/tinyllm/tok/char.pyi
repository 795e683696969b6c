"""L1.1: the tokenizer with one id a character (Unicode code point)."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from tinyllm.tok.base import Tokenizer

class CharTokenizer(Tokenizer):
    """One id a character; a character that training never saw is `<unk>`, id 0.

    `vocab` maps each token to its id: "<unk>" first, then the specials, then single characters. "<unk>" and the
    specials are matched in the text, leftmost then longest, before the rest is cut into characters. `special_ids`
    holds their ids; `unk_id` is 0.

    >>> tokenizer = CharTokenizer.train(["abba", "a"])
    >>> tokenizer.encode("abc")
    [1, 2, 0]
    """

    vocab: dict[str, int]

    def __init__(self, vocab: Mapping[str, int]) -> None:
        """A tokenizer with this vocabulary (token to id); its tokens of several characters are the specials.

        Raises ValueError if "<unk>" is not id 0, if a token is empty, or if the ids have a gap or repeat.
        """

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int | None = None, specials: Sequence[str] = ()) -> Self:
        """Count the characters of `texts` (any iterable, read once), with the specials cut out first.

        Ids: "<unk>" 0, the specials in the order given, then characters by falling count, equal counts by code point.
        `vocab_size` bounds the number of ids, "<unk>" and specials included; None keeps every character.
        Raises ValueError for a `vocab_size` below 1 plus the specials, and for a special that is empty, repeated or "<unk>".
        """

    def encode(self, text: str) -> list[int]:
        """Specials first, leftmost then longest; then one id a character, 0 for an unknown one."""

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """Join the tokens; an unknown one shows as "<unk>" unless `skip_special`. Raises as `check_ids` does."""

    def id_to_token(self, id: int) -> str:
        """The token with this id. Raises as `check_ids` does."""

    def token_to_id(self, token: str) -> int | None:
        """The id of `token`, or None if the vocabulary does not have it."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a tokenizer.json that Hugging Face loads with the same ids.

        A WordLevel model, the pre-tokenizer Split([\\s\\S], Isolated), a Fuse decoder, "<unk>" and the specials as
        added special tokens.
        """

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file and the field for anything else."""

# --- optional: what the library offers beyond the contract; `ol` does not ask for it ---

class CharTokenizerOptional(CharTokenizer):
    """Members that the library's CharTokenizer has besides."""

    def __init__(self, vocab: Mapping[str, int], *, specials: Sequence[str] = ()) -> None:
        """As above. `specials` names specials of one character, which `vocab` alone cannot tell from ordinary ones."""

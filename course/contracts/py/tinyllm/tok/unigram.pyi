"""Lab 04, stretch goal: a unigram language model tokenizer over bytes.

Of all ways to spell a pre-token, encoding takes the most probable. Pre-tokens and the byte alphabet are those of BPE, so no
text is unknown and nothing is lost. Source: Kudo 2018, "Subword Regularization"; Hugging Face tokenizers for files and ties.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, Self

from tinyllm.tok.base import Tokenizer

class UnigramTokenizer(Tokenizer):
    """A unigram language model over the byte alphabet.

    vocab          token -> id: the 256 byte symbols and what training found
    scores         the score of each id below len(vocab): the logarithm of its probability, a multiple of 1/8192
    added          content -> id of the special tokens, which are matched in the text before it is pre-tokenized
    pre_tokenizer  "gpt2", "cl100k" or "o200k"
    special_ids    the ids of `added`
    vocab_size     the largest id plus one
    unk_id         None: every text is spelled in bytes
    """

    vocab: dict[str, int]
    scores: list[float]
    added: dict[str, int]
    pre_tokenizer: str
    special_ids: frozenset[int]
    unk_id: int | None
    vocab_size: int

    def __init__(
        self, scores: Iterable[tuple[str, float]], specials: Sequence[str] = (), pre_tokenizer: str = "gpt2"
    ) -> None:
        """A tokenizer from tokens with their scores, in the order of ids; the specials take the ids behind them.

        Raises ValueError for a token that is no string over the byte alphabet or comes twice, a score that is no multiple of
        1/8192 between -100 and 100, a byte symbol that is missing, a special that is empty, repeated or a token, and an
        unknown pre-tokenizer.
        """

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        specials: Sequence[str] = (),
        *,
        pre_tokenizer: str = "gpt2",
        max_token_bytes: int = 48,
        seeds: int = 100_000,
    ) -> Self:
        """Learn tokens and scores from `texts`, any iterable of str, read once.

        Ids: the 256 byte symbols in code-point order, the other tokens by falling score (then in code-point order), the
        specials in the order given. Specials are cut out of the texts, leftmost longest, and never spelled by a token.
        A token is whole characters or a part of one, of at most `max_token_bytes` (48 are 16 characters of Telugu).
        The vocabulary is smaller than `vocab_size` if the texts hold too few substrings that occur twice.
        """

    @classmethod
    def train_from_counts(
        cls,
        counts: Mapping[str, int],
        vocab_size: int,
        specials: Sequence[str] = (),
        *,
        pre_tokenizer: str = "gpt2",
        max_token_bytes: int = 48,
        seeds: int = 100_000,
    ) -> Self:
        """Learn from counted pre-tokens, as `train` does."""

    def encode(self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all") -> list[int]:
        """The ids of `text`: specials first, then pre-tokens, each in its most probable spelling.

        Of equally probable spellings the one whose last token starts leftmost, and so on towards the front.
        """

    def decode(
        self, ids: Iterable[int], skip_special: bool = False, *, errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """The text of `ids`: all bytes joined first, then decoded as UTF-8 once. Ids are checked as in `check_ids`."""

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`, joined; a special gives the UTF-8 of its content."""

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token; of a special, the UTF-8 of its content."""

    def id_to_token(self, id: int) -> str:
        """The token with this id, as the vocabulary spells it, or the content of a special."""

    def token_to_id(self, token: str) -> int | None:
        """The id of `token` (a vocabulary entry or the content of a special), or None."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a tokenizer.json with a Unigram model that Hugging Face loads with the same ids."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file, the field and what was found for anything else."""

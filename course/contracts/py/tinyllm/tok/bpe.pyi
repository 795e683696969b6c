"""L1.2: byte-level BPE, compatible with GPT-2: training, encoding, decoding, and the files of real models.

Tokens are strings over the byte alphabet (`tinyllm.tok.bytemap`), except added tokens, which are text.
Sources: Sennrich, Haddow and Birch 2016; Radford et al. 2019; Hugging Face tokenizers for ties, ids and files.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from tinyllm.tok.base import Tokenizer

class BPETokenizer(Tokenizer):
    """Byte-level BPE.

    vocab          token -> id, added tokens of the vocabulary included
    merges         pairs of tokens; the position of a pair is its rank
    added          content -> id of the added tokens, which are matched in the text before it is pre-tokenized
    pre_tokenizer  the declaration as tokenizer.json spells it
    special_ids    ids of the added tokens that are special
    vocab_size     the largest id plus one; every id below it belongs to one token
    unk_id         None: every text is spelled in bytes
    """

    vocab: dict[str, int]
    merges: list[tuple[str, str]]
    added: dict[str, int]
    pre_tokenizer: dict[str, Any]
    special_ids: frozenset[int]
    unk_id: int | None
    vocab_size: int

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        added_tokens: Iterable[tuple[str, int, bool]] = (),
        pre_tokenizer: Mapping[str, Any] | None = None,
    ) -> None:
        """A tokenizer from its parts.

        `added_tokens` are (content, id, special). The id of one that `vocab` has is its id there; the others take the
        next free ids in the order listed. `pre_tokenizer` None means ByteLevel, GPT-2's split.
        Raises ValueError for a gap in the ids, an id or a merge listed twice, and a merge whose parts or result the
        vocabulary lacks, naming it.
        """

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int, specials: Sequence[str] = (), min_freq: int = 2) -> Self:
        """Learn merges from `texts`, any iterable of str, read once.

        Ids: the specials in the order given, the 256 byte symbols in code-point order, then one token a merge. Each
        step merges the pair with the largest count (overlaps count: "aaa" has two (a, a)); of equal counts the
        smallest (left id, right id). Training ends when the vocabulary has `vocab_size` entries, when no pair is left,
        or when the best count is below `min_freq`. The specials are cut out of the texts, leftmost longest, before counting.

        Raises ValueError for `vocab_size` below 256 + len(specials), `min_freq` below 1, a special that is empty,
        repeated or equal to a byte symbol, and a merge that would spell a special.
        Memory grows with the distinct pre-tokens, not with the text.

        >>> BPETokenizer.train(["hug", "hug", "pug", "hugs"], vocab_size=259, min_freq=1).merges
        [('u', 'g'), ('h', 'ug'), ('p', 'ug')]
        """

    @classmethod
    def from_gpt2(cls, vocab_json: str | os.PathLike[str], merges_txt: str | os.PathLike[str]) -> Self:
        """Read the two files of the GPT-2 release (paths), `vocab.json` and `merges.txt`.

        Only a first line that starts with "#version" is a header. "<|endoftext|>" becomes a special added token if
        the vocabulary has it. Raises ValueError naming the file, and the line where there is one.
        """

    @classmethod
    def from_hf_json(cls, tokenizer_json: str | os.PathLike[str]) -> Self:
        """Read a Hugging Face tokenizer.json (a path): the subset that course/formats/tokenizer.md describes.

        Raises ValueError naming the field by its JSON path, and what was found, for anything outside the subset:
        ignoring a field would give other ids than the model's, without an error.
        """

    def encode(self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all") -> list[int]:
        """The ids of `text`: added tokens first, then pre-tokens, then merges by rank, lowest first, leftmost on a tie.

        `allowed_special`: which special tokens may be matched: "all", "none", or a collection of contents. The text of
        one that is not allowed is ordinary text. Added tokens that are not special always match.
        A byte that has no symbol in the vocabulary is dropped, as Hugging Face does.

        Raises TypeError if `text` is not a str, ValueError naming the position of a lone surrogate, ValueError for an
        unknown content or another string in `allowed_special`.
        """

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """`[encode(text) for text in texts]`. Raises TypeError if `texts` is one str."""

    def decode(
        self, ids: Iterable[int], skip_special: bool = False, *, errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """The text of `ids`: all bytes joined first, then decoded as UTF-8 once.

        `errors`: "replace" shows invalid bytes as U+FFFD, "strict" raises UnicodeDecodeError (a ValueError).
        An added token gives its content. Ids are checked as in `check_ids`.
        """

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`, joined. Ids are checked as in `check_ids`."""

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token; of an added token, the UTF-8 of its content. Raises as `check_ids` does."""

    def id_to_token(self, id: int) -> str:
        """The token with this id, as the vocabulary spells it. Raises as `check_ids` does."""

    def token_to_id(self, token: str) -> int | None:
        """The id of `token` (a vocabulary entry or the content of an added token), or None."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a tokenizer.json that Hugging Face loads with the same ids; an existing file is replaced whole or not at all."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote, by way of `from_hf_json`."""

# --- optional: what the library offers beyond the contract; `ol` does not ask for it ---

class BPETokenizerOptional(BPETokenizer):
    """Members that the library's BPETokenizer has besides."""

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        specials: Sequence[str] = (),
        min_freq: int = 2,
        *,
        pre_tokenizer: str | Mapping[str, Any] | None = None,
    ) -> Self:
        """As above. `pre_tokenizer`: "gpt2", "cl100k", "o200k", or a declaration as tokenizer.json spells it."""

    @classmethod
    def train_from_counts(
        cls,
        counts: Mapping[str, int],
        vocab_size: int,
        specials: Sequence[str] = (),
        min_freq: int = 2,
        *,
        pre_tokenizer: str | Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn merges from counted pre-tokens: `train` is this on `count_pretokens`, so counts from several machines add up."""

    @classmethod
    def from_hf_declaration(cls, declaration: Mapping[str, Any]) -> Self:
        """`from_hf_json` of a tokenizer.json that is parsed already."""

    @classmethod
    def from_tiktoken(cls, path: str | os.PathLike[str], split: str) -> Self:
        """Read a `.tiktoken` rank file; the ids are those of tiktoken's `encode_ordinary`, and there are no added tokens."""

    def encode_batch(self, texts: Sequence[str], *, workers: int = 1) -> list[list[int]]:
        """As above; with `workers` above 1 by that many processes."""

    def encode_with_offsets(
        self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all"
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of `text`, and for each its (start, end) in characters of it, as Hugging Face's `Encoding.offsets` has them."""

def count_pretokens(
    texts: Iterable[str], *, specials: Sequence[str] = (), pre_tokenizer: str | Mapping[str, Any] | None = None
) -> Counter[str]:
    """How often each pre-token occurs in `texts`, with the specials cut out first. Counters of parts add up to that of the whole."""

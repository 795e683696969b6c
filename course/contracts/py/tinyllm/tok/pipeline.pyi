"""Any BPE model's tokenizer.json, with Hugging Face's ids, texts and offsets: `Pipeline`, whatever model the file is of.

What a file asks for is done as Hugging Face tokenizers 0.23.3 does it, or refused: the second part of
course/formats/tokenizer.md says which. `BPETokenizer` reads a small subset of these files, the chapter's, and stays so;
`tinyllm.tok.pretrained.load` takes whichever of the two fits. Students write none of this.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from tinyllm.tok.base import Tokenizer

class Pipeline(Tokenizer):
    """A tokenizer as its tokenizer.json declares it. It has no training: `BPETokenizer` has.

    vocab        token -> id, as the model has it; ids may have gaps
    added        content -> id of the added tokens
    special_ids  the ids that `decode(..., skip_special=True)` leaves out
    unk_id       the id of the model's unk_token, if it has one
    vocab_size   the largest id plus one, those that the file puts around a text or pads with among them; an id in a gap
                 belongs to no token. `len(tokenizer)` is how many tokens there are, Hugging Face's size.

    It does not change once it is made. It can be pickled, copied, and shared by threads: its caches are bounded, stay out
    of the pickle, and only ever hold what would be computed again. Pairs of texts, attention masks, type ids and the parts
    that truncation cuts off are not given.
    """

    vocab: dict[str, int]
    added: dict[str, int]
    special_ids: frozenset[int]
    unk_id: int | None
    vocab_size: int

    def __init__(self, declaration: Mapping[str, Any]) -> None:
        """The tokenizer that `declaration`, a tokenizer.json's JSON, asks for. Nothing of the mapping is kept.

        Raises ValueError naming every field that stands in the way by its JSON path, what was found, and what may stand there.
        Cost: O(tokens + merges).
        """

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer.json. Raises ValueError as the constructor does, naming the file, and for what is not JSON."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer.json again, field for field; an existing file is replaced whole or not at all.

        Tokens come in the order of their ids; a "#version" string among the merges, which is no merge, is left out.
        """

    @property
    def declaration(self) -> dict[str, Any]:
        """The tokenizer.json that `save` writes. Made anew each time."""

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The pairs of tokens that merge, by rank, as the vocabulary spells them."""

    def __len__(self) -> int:
        """How many tokens there are; an id in a gap has none."""

    def describe(self) -> list[tuple[str, str]]:
        """The parts by name, in the order in which a text meets them, and what each does in words: what `tok info` shows."""

    def encode(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        allowed_special: Literal["all", "none"] | Collection[str] = "all",
    ) -> list[int]:
        """The ids of `text`, truncated and padded if the file says so, with the post-processor's if `add_special_tokens`.

        `allowed_special`: which special tokens may be found in the text; the text of another one is ordinary text, whole.
        Added tokens that are not special always match. "none" is right for text that users typed.

        Raises TypeError if `text` is not a str, ValueError naming the position of a lone surrogate, for an unknown content or
        another string in `allowed_special`, and where Hugging Face refuses the text or panics.
        """

    def encode_with_offsets(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        allowed_special: Literal["all", "none"] | Collection[str] = "all",
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of `text`, and for each its (start, end) in characters of it, end excluded: Hugging Face's `Encoding.offsets`.

        Tokens that are put around the text have (0, 0). Raises as `encode` does. Cost: some ten times that of `encode`;
        nothing is cached.
        """

    def encode_batch(
        self,
        texts: Sequence[str],
        *,
        workers: int = 1,
        add_special_tokens: bool = True,
        allowed_special: Literal["all", "none"] | Collection[str] = "all",
    ) -> list[list[int]]:
        """The ids of each text, padded to the longest if the file says so; with `workers` above 1 by that many processes.

        Raises TypeError if `texts` is one str or no iterable, ValueError for `workers` below 1, and what `encode` raises, with
        the position of the text among `texts`.
        """

    def decode(
        self, ids: Iterable[int], skip_special: bool = False, *, errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """The text of `ids`, as the file's decoder makes it; ids in gaps are skipped. Nothing is cleaned up.

        `errors`: "replace" shows bytes that are no text as U+FFFD, "strict" raises UnicodeDecodeError (a ValueError). Raises
        TypeError and ValueError for what is no id, as every `Tokenizer` does, and ValueError where Hugging Face's decoder panics.
        """

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`: with a ByteLevel decoder the tokens' own, joined; else the UTF-8 of `decode`."""

    def token_bytes(self, id: int) -> bytes:
        """What one token amid others adds to the text: with a ByteLevel decoder its bytes, else what the decoder makes of it.

        What a decoder does at the ends of a text only, or between all tokens, is left out. An id in a gap has no bytes.
        """

    def id_to_token(self, id: int) -> str:
        """The token with this id as the vocabulary spells it, or an added token's content, normalized if the token is.

        Raises ValueError for an id in a gap.
        """

    def token_to_id(self, token: str) -> int | None:
        """The id of `token` (the content of an added token, or a vocabulary entry), or None."""

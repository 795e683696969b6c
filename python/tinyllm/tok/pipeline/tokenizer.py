"""The tokenizer that does what a tokenizer.json declares, whatever model it is of.

A text goes through the parts in this order, which is Hugging Face's:

    added tokens that are not normalized are found in it
    each gap between them is normalized, and the other added tokens are found in that
    each gap between those is pre-tokenized
    the model makes ids of each pre-token
    truncation, then the post-processor, then padding

It has no training: `BPETokenizer` has. Pairs of texts, and the parts that truncation cuts off, are not given.

How it is fast: where the file's split lets it, text is cut at C speed into chunks that pre-tokenize alike alone and in place
(`safe_chunker` proves it for the pattern), and only chunks that are new are worked on. Else each pre-token is looked up.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.fast.memo import Lazy, Memo
from tinyllm.tok.jsonfile import read_json, write_json
from tinyllm.tok.pipeline.added import Gap, Match
from tinyllm.tok.pipeline.decoders import ByteLevel
from tinyllm.tok.pipeline.file import Parts, described, frame_of, parse_file, whole_file
from tinyllm.tok.pipeline.offsets import append, append_gap
from tinyllm.tok.pipeline.postprocessors import Part, Span, joined
from tinyllm.tok.splitting.text import check_text

if TYPE_CHECKING:
    from typing import Self

Allowed = Literal["all", "none"] | Collection[str]


class Pipeline(Tokenizer):
    """Any byte-level BPE model's tokenizer, and others that are BPE, as its tokenizer.json declares it.

    vocab        token -> id, as the model has it; ids may have gaps
    added        content -> id of the added tokens
    parts        what it declares, one object each
    special_ids  ids that `decode(..., skip_special=True)` leaves out
    vocab_size   the largest id plus one, those that the file puts around a text or pads with among them. An id in a gap
                 belongs to no token; decoding skips it. `len(tokenizer)` is how many tokens there are, Hugging Face's size.
    unk_id       the id of the model's unk_token, if it has one

    It does not change once it is made. It can be pickled, copied, and shared by threads: its caches are bounded, stay out of
    the pickle, and only ever hold what would be computed again.
    """

    def __init__(self, declaration: Mapping[str, Any]) -> None:
        """The tokenizer that `declaration`, a tokenizer.json's JSON, asks for. Nothing of the mapping is kept.

        Raises ValueError naming every field that stands in the way. Cost: O(tokens + merges).

        >>> byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
        >>> model = {"type": "BPE", "vocab": {"Ġ": 0, "a": 1, "Ġa": 2}, "merges": [["Ġ", "a"]]}
        >>> Pipeline({"pre_tokenizer": byte_level, "model": model}).encode("a a")
        [2, 2]
        """
        self.parts: Parts = parse_file(declaration)
        self._frame = frame_of(declaration)
        model, tokens = self.parts.model, self.parts.added_tokens.tokens
        self.vocab = model.vocab
        self.added = {token.content: token.id for token in tokens}
        self.unk_id = None if model.unk_token is None else model.vocab.get(model.unk_token)
        # Hugging Face decodes a token to its normalized content, and asks whether that is special.
        contents = {token.content for token in tokens if token.special}
        self._decoded_of = {token.id: self._decoded_content(token.content) for token in tokens}
        self.special_ids = frozenset(id for id, content in self._decoded_of.items() if content in contents)
        put_in = self.parts.post_processor.ids() if self.parts.post_processor else []
        padded = [self.parts.padding.pad_id] if self.parts.padding else []
        largest = max(model.vocab.values(), default=-1)
        self.vocab_size = max([largest, *self.added.values(), *put_in, *padded]) + 1

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer.json. Raises ValueError naming the file and every field that stands in the way."""
        found = read_json(path)
        try:
            return cls(found)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer.json again, field for field; an existing file is replaced whole or not at all.

        Raises OSError if the file cannot be written.
        """
        write_json(path, self.declaration)

    @property
    def declaration(self) -> dict[str, Any]:
        """The tokenizer.json that `save` writes. Made anew each time."""
        return whole_file(self._frame, self.parts)

    @Lazy
    def merges(self) -> list[tuple[str, str]]:
        """The pairs of tokens that merge, by rank."""
        return self.parts.model.merges

    def __len__(self) -> int:
        """How many tokens there are; an id in a gap has none."""
        return len(self.vocab) + sum(content not in self.vocab for content in self.added)

    def describe(self) -> list[tuple[str, str]]:
        """The parts by name, in the order in which a text meets them, and what each does in words."""
        return described(self.parts)

    def __reduce__(self) -> tuple[type[Pipeline], tuple[dict[str, Any]]]:
        return type(self), (self.declaration,)

    # ---- encodes ----

    def encode(self, text: str, *, add_special_tokens: bool = True, allowed_special: Allowed = "all") -> list[int]:
        """The ids of `text`, with those that the post-processor puts around it if `add_special_tokens`.

        `allowed_special`: which special tokens may be found in the text: "all", "none", or a collection of contents. The text of
        one that is not allowed is ordinary text. Added tokens that are not special always match.

        Raises TypeError if `text` is not a str, ValueError naming the position of a lone surrogate, for an unknown content or
        another string in `allowed_special`, and where Hugging Face refuses the text or panics. Cost: O(characters), plus the
        merging of new pre-tokens.
        """
        check_text(text)
        ids: list[int] = []
        for piece in self.parts.added_tokens.cut(text, allowed_special):
            if isinstance(piece, Gap):
                self._encode_gap(piece, ids)
            else:
                ids.append(piece.id)
        return self._framed(Part(ids), add_special_tokens, False).ids

    def encode_with_offsets(
        self, text: str, *, add_special_tokens: bool = True, allowed_special: Allowed = "all"
    ) -> tuple[list[int], list[Span]]:
        """The ids of `text`, and for each its (start, end) in characters of it: those of Hugging Face's `Encoding.offsets`.

        Tokens that are put around the text have (0, 0). Raises as `encode` does, and ValueError where the normalizer does not
        say which characters it made of which. Cost: some ten times that of `encode`; nothing is cached.

        >>> byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
        >>> model = {"type": "BPE", "vocab": {"Ġ": 0, "a": 1, "Ġa": 2}, "merges": [["Ġ", "a"]]}
        >>> Pipeline({"pre_tokenizer": byte_level, "model": model}).encode_with_offsets("a a")
        ([2, 2], [(0, 1), (1, 3)])
        """
        check_text(text)
        normalizer = self.parts.normalizer
        if normalizer is not None and not normalizer.aligns:
            raise ValueError(
                f"there are no offsets with this normalizer ({normalizer.words()}): which characters it makes of which is not known"
            )
        part = Part([], [], [])
        for piece in self.parts.added_tokens.cut_aligned(text, allowed_special):
            if isinstance(piece, Match):
                append(part, piece.token.id, (piece.start, piece.end), piece.spelled)
            else:
                append_gap(part, piece, self.parts.pre_tokenizer, self.parts.model)
        framed = self._framed(part, add_special_tokens, True)
        return framed.ids, framed.spans

    def encode_batch(
        self,
        texts: Sequence[str],
        *,
        workers: int = 1,
        add_special_tokens: bool = True,
        allowed_special: Allowed = "all",
    ) -> list[list[int]]:
        """`[encode(text) for text in texts]`, padded to the longest if the file says so; with `workers` above 1 by that many processes.

        Raises TypeError if `texts` is one str or no iterable, ValueError for `workers` below 1, and what `encode` raises, with
        the position of the text among `texts`.
        """
        options: dict[str, Any] = {"add_special_tokens": add_special_tokens, "allowed_special": allowed_special}
        if workers == 1 or isinstance(texts, (str, bytes)):
            batch = self._encode_each(texts, options)
        else:
            from tinyllm.tok.corpus import encode_in_processes  # here, since few need processes

            batch = list(encode_in_processes(self, texts, workers, **options))
        if self.parts.padding is not None and batch:
            length = self.parts.padding.length(map(len, batch))
            batch = [self.parts.padding.pad(Part(ids), length, False).ids for ids in batch]
        return batch

    def _encode_each(self, texts: Iterable[str], options: Mapping[str, Any]) -> list[list[int]]:
        if isinstance(texts, (str, bytes)):
            raise TypeError("encode_batch takes a sequence of texts; for one text call encode(text)")
        try:
            listed = list(texts)
        except TypeError:
            raise TypeError(f"texts must be a sequence of str, not {type(texts).__name__} ({texts!r:.40})") from None
        batch = []
        for i, text in enumerate(listed):
            try:
                batch.append(self.encode(text, **options))
            except (TypeError, ValueError) as error:
                raise type(error)(f"texts[{i}]: {error}") from error
        return batch

    def _encode_gap(self, gap: Gap, ids: list[int]) -> None:
        ids_of_chunk, ids_of_pretoken = self._memos
        pre_tokenizer = self.parts.pre_tokenizer
        if pre_tokenizer is None:
            ids += ids_of_pretoken[gap.text]
            return
        lists_of_chunks = None if gap.at_start and pre_tokenizer.looks_at_start else pre_tokenizer.chunks(gap.text)
        if lists_of_chunks is None:
            for pretoken_ids in map(ids_of_pretoken.__getitem__, pre_tokenizer.pretokens(gap.text, gap.at_start)):
                ids += pretoken_ids
            return
        for chunks in lists_of_chunks:
            for chunk_ids in map(ids_of_chunk.__getitem__, chunks):
                ids += chunk_ids

    def _framed(self, part: Part, add_special_tokens: bool, with_spans: bool) -> Part:
        """What truncation, the post-processor and padding make of a text's tokens."""
        truncation, padding, processor = self.parts.truncation, self.parts.padding, self.parts.post_processor
        if truncation is not None:
            part = truncation.truncate(part, processor.added if processor is not None and add_special_tokens else 0)
        if processor is not None:
            part = joined(processor.process([part], add_special_tokens, with_spans))
        if padding is not None:
            part = padding.pad(part, padding.length([len(part.ids)]), with_spans)
        return part

    @Lazy
    def _memos(self) -> tuple[Memo[str, tuple[int, ...]], Memo[str, tuple[int, ...]]]:
        """The ids of chunks and of pre-tokens."""
        ids_of_pretoken = Memo(self.parts.model.ids)
        pre_tokenizer = self.parts.pre_tokenizer
        if pre_tokenizer is None:
            return Memo(self.parts.model.ids), ids_of_pretoken  # there are no chunks
        cut, pretokens_of_piece = pre_tokenizer.pieces_of_chunk, pre_tokenizer.pretokens_of_piece

        def encode_piece(piece: str) -> tuple[int, ...]:
            return tuple(chain.from_iterable(map(ids_of_pretoken.__getitem__, pretokens_of_piece(piece))))

        ids_of_piece = Memo(encode_piece)

        def encode_chunk(chunk: str) -> tuple[int, ...]:
            return tuple(chain.from_iterable(map(ids_of_piece.__getitem__, cut(chunk))))

        return Memo(encode_chunk), ids_of_pretoken

    # ---- decodes, and tells about tokens ----

    def decode(
        self, ids: Iterable[int], skip_special: bool = False, *, errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """The text of `ids`, as the file's decoder makes it; ids in gaps are skipped. Nothing is cleaned up.

        `errors`: "replace" shows bytes that are no text as U+FFFD, "strict" raises UnicodeDecodeError (a ValueError). Raises
        as `check_ids` does, and ValueError where Hugging Face's decoder panics. Cost: O(ids + bytes).
        """
        if errors not in ("replace", "strict"):
            raise ValueError(f'errors is {errors!r}; it must be "replace" or "strict"')
        decoder = self.parts.decoder
        if isinstance(decoder, ByteLevel):
            return self.decode_bytes(ids, skip_special).decode("utf-8", errors)
        known = self._token_of
        tokens = [known[id] for id in self._kept(ids, skip_special) if id in known]
        return " ".join(tokens) if decoder is None else "".join(decoder.decode(tokens, errors))

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`. With a ByteLevel decoder they are the tokens' own, joined; else the UTF-8 of `decode`.

        Raises as `decode` does.
        """
        if self.decodes_by_bytes:
            return b"".join(map(self._bytes_of.__getitem__, self._kept(ids, skip_special)))
        return self.decode(ids, skip_special).encode("utf-8")

    @property
    def decodes_by_bytes(self) -> bool:
        """Whether the bytes of tokens, joined, are those of `decode`: the decoder is ByteLevel."""
        return isinstance(self.parts.decoder, ByteLevel)

    def token_bytes(self, id: int) -> bytes:
        """What one token amid others adds to the text: with a ByteLevel decoder its bytes, else what the decoder's steps make of it.

        What a decoder does at the ends of a text only, or between all tokens, is left out. An id in a gap has no bytes. Raises as
        `check_ids` does.
        """
        return self._bytes_of[check_ids([id], self.vocab_size)[0]]

    def id_to_token(self, id: int) -> str:
        """The token with this id, as the vocabulary spells it, or an added token's content, normalized if the token is.

        Raises as `check_ids` does, and ValueError for an id in a gap.
        """
        id = check_ids([id], self.vocab_size)[0]
        if id not in self._token_of:
            raise ValueError(f"id {id} belongs to no token: the ids of this vocabulary have gaps")
        return self._token_of[id]

    def token_to_id(self, token: str) -> int | None:
        """The id of `token` (the content of an added token, or a vocabulary entry), or None."""
        if not isinstance(token, str):
            raise TypeError(f"a token is a str, not {type(token).__name__} ({token!r:.40})")
        return self.added.get(token, self.vocab.get(token))

    def _kept(self, ids: Iterable[int], skip_special: bool) -> list[int]:
        checked = check_ids(ids, self.vocab_size)
        return [id for id in checked if id not in self.special_ids] if skip_special else checked

    def _decoded_content(self, content: str) -> str:
        return self.parts.added_tokens.normalized_contents.get(content, content)

    @Lazy
    def _token_of(self) -> dict[int, str]:
        return {**self.parts.model.token_of, **self._decoded_of}

    @Lazy
    def _bytes_of(self) -> _BytesOf:
        return _BytesOf(self)


class _BytesOf(dict[int, bytes]):
    """id -> bytes, made when first asked for: its size is bounded by the vocabulary's."""

    def __init__(self, tokenizer: Pipeline) -> None:
        super().__init__()
        self._token_of = tokenizer._token_of
        self._decoder = tokenizer.parts.decoder

    def __missing__(self, id: int) -> bytes:
        found = self._token_of.get(id, "").encode("utf-8")
        self[id] = found = found if self._decoder is None else self._decoder.token_bytes(found)
        return found

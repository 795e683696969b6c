"""Byte-level BPE, compatible with GPT-2 (L1.2): the tokenizer, and what it promises.

The text is cut into added tokens and pre-tokens; each pre-token becomes symbols, one a byte; merges join symbols, lowest
rank first; each symbol left is a token with an id. Tokens are strings over the byte alphabet of `bytemap.py`.

Here is the class, in the order of its life: made, encodes, decodes, saved. What it calls has rooms of its own: `splitting/`
cuts a text, `merging/` has the chapter's two algorithms, `files/` the rules for parts and files, and `fast/` what makes
encoding fast without being the algorithm. All of it in one file, the plain way, is the course's reference for L1.2.

It has no normalizer, dropout, unknown token or template: files that ask for one are refused, since ignoring a field gives
other ids than the model's without an error.

Sources: Sennrich, Haddow and Birch 2016; Radford et al. 2019; Hugging Face tokenizers for ties, ids and tokenizer.json.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.bytemap import unicode_to_bytes
from tinyllm.tok.fast.chunks import full_chunk
from tinyllm.tok.fast.memo import Lazy, Memo
from tinyllm.tok.files.gpt2 import read_gpt2
from tinyllm.tok.files.parts import Pair, Parts, checked_parts
from tinyllm.tok.files.tokenizer_json import parse_tokenizer_json, read_tokenizer_json, tokenizer_json
from tinyllm.tok.jsonfile import write_json
from tinyllm.tok.merging.by_rank import pretoken_encoder
from tinyllm.tok.merging.training import check_training, count_pretokens, learned_vocab
from tinyllm.tok.splits import of_tiktoken
from tinyllm.tok.splitting.added_tokens import AddedByPolicy
from tinyllm.tok.splitting.declaration import declaration_of, pretokenizer_of
from tinyllm.tok.splitting.text import check_text

if TYPE_CHECKING:
    from typing import Self

    from tinyllm.tok.pipeline.offsets import OffsetEncoder

__all__ = ["BPETokenizer", "count_pretokens"]


class BPETokenizer(Tokenizer):
    """Byte-level BPE.

    vocab          token -> id
    merges         pairs of tokens; the position of a pair is its rank
    added          content -> id of the added tokens, which are matched in the text before it is pre-tokenized
    pre_tokenizer  the declaration as tokenizer.json spells it
    special_ids    ids of the added tokens that are special
    vocab_size     the largest id plus one; every id below it belongs to one token
    unk_id         None: every text is spelled in bytes

    The parts do not change once the tokenizer is made. It can be pickled, copied, and shared by threads: its caches are
    bounded, stay out of the pickle, and only ever hold what would be computed again.
    """

    # ---- made: from parts, from texts, from files ----

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[Pair],
        added_tokens: Iterable[tuple[str, int, bool]] = (),
        pre_tokenizer: Mapping[str, Any] | None = None,
    ) -> None:
        """A tokenizer from its parts.

        `added_tokens` are (content, id, special). The id of one that `vocab` has is its id there; the others take the
        next free ids in the order listed. `pre_tokenizer` None means ByteLevel, GPT-2's split.
        Raises ValueError for a gap in the ids, an id or a merge listed twice, and a merge whose parts or result the
        vocabulary lacks, naming it. Cost: O(tokens + merges).

        >>> letters = {"a": 0, "b": 1, "c": 2, "bc": 3}
        >>> BPETokenizer(letters, [("b", "c")]).encode("abc")
        [0, 3]
        """
        self._take(checked_parts(vocab, merges, added_tokens, pre_tokenizer))

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
        """Learn merges from `texts`, any iterable of str, read once.

        Ids: the specials in the order given, the 256 byte symbols in code-point order, then one token a merge. The
        specials are cut out of the texts, leftmost longest, before counting. See `learn_merges` for the rule.
        `pre_tokenizer`: the name of a split in the table of `splits.py` (GPT-2's is the default), or a declaration as
        tokenizer.json spells it.

        Raises ValueError for `vocab_size` below 256 + len(specials), `min_freq` below 1,
        a special that is empty, repeated or equal to a byte symbol, and a merge that would spell a special.
        Memory grows with the distinct pre-tokens, not with the text.

        >>> BPETokenizer.train(["hug", "hug", "pug", "hugs"], vocab_size=259, min_freq=1).merges
        [('u', 'g'), ('h', 'ug'), ('p', 'ug')]
        """
        check_training(vocab_size, specials, min_freq)
        counts = count_pretokens(texts, specials=specials, pre_tokenizer=pre_tokenizer)
        return cls.train_from_counts(counts, vocab_size, specials, min_freq, pre_tokenizer=pre_tokenizer)

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
        """Learn merges from counted pre-tokens: `train` is this on `count_pretokens`, so counts from several machines add up.

        Raises as `train` does. `counts` must have been made with the same specials and pre-tokenizer.
        """
        vocab, merges = learned_vocab(counts, vocab_size, specials, min_freq)
        added = [(special, vocab[special], True) for special in specials]
        return cls(vocab, merges, added, declaration_of(pre_tokenizer))

    @classmethod
    def from_gpt2(cls, vocab_json: str | os.PathLike[str], merges_txt: str | os.PathLike[str]) -> Self:
        """Read the two files of the GPT-2 release (paths), `vocab.json` and `merges.txt`.

        Only a first line that starts with "#version" is a header: "# #" is a merge. "<|endoftext|>" becomes a special
        added token if the vocabulary has it. Raises ValueError naming the file, and the line where there is one.
        """
        return cls._of(read_gpt2(vocab_json, merges_txt))

    @classmethod
    def from_hf_json(cls, tokenizer_json: str | os.PathLike[str]) -> Self:
        """Read a Hugging Face tokenizer.json (a path): the subset that course/formats/tokenizer.md describes.

        Raises ValueError naming the field by its JSON path, and what was found, for anything outside the subset.
        """
        return cls._of(read_tokenizer_json(tokenizer_json))

    @classmethod
    def from_hf_declaration(cls, declaration: Mapping[str, Any]) -> Self:
        """`from_hf_json` of a tokenizer.json that is parsed already. Raises ValueError naming the field."""
        return cls._of(parse_tokenizer_json(declaration))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote, by way of `from_hf_json`."""
        return cls.from_hf_json(path)

    @classmethod
    def from_tiktoken(cls, path: str | os.PathLike[str], split: str) -> Self:
        """Read a `.tiktoken` rank file (a path); `split` names the pre-tokenizer, which the file does not hold.

        The ids are those of tiktoken's `encode_ordinary`. There are no added tokens: OpenAI's leave gaps in the ids.
        Raises ValueError naming the file and the line for a file that is damaged or that merges by rank cannot stand for.
        """
        from tinyllm.tok.tiktoken_file import read_tiktoken  # here, since few files are of this kind

        declaration = of_tiktoken(split).declaration
        return cls(*read_tiktoken(path), (), declaration)

    @classmethod
    def _of(cls, parts: Parts) -> Self:
        """A tokenizer of parts that are checked by now: checking those of a real file again would double its time."""
        tokenizer = cls.__new__(cls)
        tokenizer._take(parts)
        return tokenizer

    def _take(self, parts: Parts) -> None:
        self.vocab, self._merge_parts, self.added, self.special_ids, self.pre_tokenizer, self._post_processor = parts
        self.vocab_size = len(self.vocab) + sum(content not in self.vocab for content in self.added)  # ids have no gap
        self.unk_id = None
        self._caches = _Caches(self._parts())

    def _parts(self) -> Parts:
        return Parts(
            self.vocab, self._merge_parts, self.added, self.special_ids, self.pre_tokenizer, self._post_processor
        )

    # ---- encodes ----

    def encode(self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all") -> list[int]:
        """The ids of `text`: added tokens first, then pre-tokens, then merges by rank, lowest first, leftmost on a tie.

        `allowed_special`: which special tokens may be matched: "all", "none", or a collection of contents. The text of
        one that is not allowed is ordinary text: encode what a user typed with "none", or the user can write control
        tokens. (A special that merges or one byte spell too, as some files have, ordinary text reaches all the same;
        `train` makes none.) Added tokens that are not special always match, also one that begins inside the text of a special
        that is not allowed; there `Pipeline` and Hugging Face find none.
        A byte that has no symbol in the vocabulary is dropped, as Hugging Face does.

        Raises TypeError if `text` is not a str, ValueError naming the position of a lone surrogate, ValueError for an
        unknown content or another string in `allowed_special`. Cost: O(characters), plus the merging of new pre-tokens.

        >>> tokenizer = BPETokenizer({"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}, [("b", "c"), ("a", "b")])
        >>> tokenizer.encode("abc")  # rank, not position: a, bc
        [0, 4]
        """
        check_text(text)
        ids: list[int] = []
        caches = self._caches
        ids_of_chunk, ids_of_shortened = caches.memos
        for segment, added_id in caches.added_by_policy.allowed(allowed_special).cut(text):
            # Each segment between added tokens is pre-tokenized on its own, as if the text ended there.
            for chunks, shortened in caches.pretokenizer.chunks(segment):
                ids_of = ids_of_shortened if shortened else ids_of_chunk
                for chunk_ids in map(ids_of.__getitem__, chunks):
                    ids += chunk_ids
            if added_id is not None:
                ids.append(added_id)
        return ids

    def encode_batch(self, texts: Sequence[str], *, workers: int = 1) -> list[list[int]]:
        """`[encode(text) for text in texts]`; with `workers` above 1 by that many processes, worth it from some megabytes on.

        Raises TypeError if `texts` is one str, ValueError for `workers` below 1, and what `encode` raises.
        """
        if workers == 1 or isinstance(texts, str):
            return super().encode_batch(texts)
        from tinyllm.tok.corpus.processes import (
            encode_in_processes,  # here, since importing it takes as long as all the rest
        )

        return list(encode_in_processes(self, texts, workers))

    def encode_with_offsets(
        self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all"
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of `text`, and for each its (start, end) in characters of it: those of Hugging Face's `Encoding.offsets`.

        A token inside a character stands for all of it. White space that a token begins with is left out if the file's
        post-processor says `trim_offsets`. Raises as `encode` does. Cost: some ten times that of `encode`; nothing is cached.

        >>> tokenizer = BPETokenizer({"a": 0, "Ġ": 1, "Ġa": 2}, [("Ġ", "a")])
        >>> tokenizer.encode_with_offsets("a a")
        ([0, 2], [(0, 1), (1, 3)])
        """
        check_text(text)
        segments = self._caches.added_by_policy.allowed(allowed_special).cut(text)
        return self._caches.offset_encoder.encode(segments, {id: content for content, id in self.added.items()})

    # ---- decodes, and tells about tokens ----

    def decode(
        self, ids: Iterable[int], skip_special: bool = False, *, errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """The text of `ids`: all bytes joined first, then decoded as UTF-8 once. Nothing is cleaned up.

        Decoding token by token would break every character whose bytes lie in two tokens.
        `errors`: "replace" shows invalid bytes as U+FFFD, "strict" raises UnicodeDecodeError (a ValueError).
        Raises as `check_ids` does. Cost: O(ids + bytes).
        """
        if errors not in ("replace", "strict"):
            raise ValueError(f'errors is {errors!r}; it must be "replace" or "strict"')
        return self.decode_bytes(ids, skip_special).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`, joined; an added token gives the UTF-8 of its content. Raises as `check_ids` does."""
        if type(ids) is list and not skip_special:
            # `check_ids` costs as much as all the rest, so it is called only to name the culprit if there is one: looking up
            # in a list refuses what is no integer or too large, and -1, which it would take for the last, is looked for here.
            try:
                if min(ids, default=0) >= 0:
                    return b"".join(map(self._caches.bytes_of_id.__getitem__, ids))
            except (TypeError, IndexError, ValueError):
                pass
        ids = check_ids(ids, self.vocab_size)
        kept = [id for id in ids if id not in self.special_ids] if skip_special else ids
        return b"".join(map(self._caches.bytes_of_id.__getitem__, kept))

    @property
    def merges(self) -> list[Pair]:
        """The pairs of tokens that merge, by rank."""
        return self._caches.merges

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token; of an added token, the UTF-8 of its content. Raises as `check_ids` does."""
        return self._caches.bytes_of_id[check_ids([id], self.vocab_size)[0]]

    def id_to_token(self, id: int) -> str:
        """The token with this id: as the vocabulary spells it, or the content of an added token. Raises as `check_ids` does."""
        return self._caches.token_of_id[check_ids([id], self.vocab_size)[0]]

    def token_to_id(self, token: str) -> int | None:
        """The id of `token` (a vocabulary entry or the content of an added token), or None."""
        if not isinstance(token, str):
            raise TypeError(f"a token is a str, not {type(token).__name__} ({token!r:.40})")
        return self.vocab.get(token, self.added.get(token))

    # ---- is saved, pickled, copied ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a tokenizer.json that Hugging Face loads with the same ids; an existing file is replaced whole or not at all.

        Raises OSError if the file cannot be written.
        """
        write_json(path, tokenizer_json(self._parts()))

    def __getstate__(self) -> dict[str, Any]:
        """The parts, without the caches: they would make the pickle large and are refilled as they are needed."""
        return {name: value for name, value in vars(self).items() if name != "_caches"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._caches = _Caches(self._parts())


class _Caches:
    """What follows from a tokenizer's parts, and is made when it is first asked for: it changes no result, and no pickle has it.

    A program that only decodes never pays for the merges. It holds the parts and not the tokenizer, or the two would be a
    cycle, and such a tokenizer outlives its last use.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.pretokenizer = pretokenizer_of(parts.pre_tokenizer)
        self.added_by_policy = AddedByPolicy(parts.added, parts.special_ids)

    @Lazy
    def merges(self) -> list[Pair]:
        parts = self._parts.merge_parts
        return list(zip(parts[0::2], parts[1::2]))

    @Lazy
    def memos(self) -> tuple[Memo[str, tuple[int, ...]], Memo[str, tuple[int, ...]]]:
        """The ids of chunks, whole and shortened: stretches of text that pre-tokenize alike alone and in place (`splitting/safe_chunks.py`)."""
        pretokenize = self.pretokenizer.pretokenize
        ids_of_pretoken = Memo(pretoken_encoder(self._parts.vocab, self._parts.merge_parts))

        def encode_chunk(chunk: str) -> tuple[int, ...]:
            ids: list[int] = []
            for pretoken in pretokenize(chunk):
                ids += ids_of_pretoken[pretoken]
            return tuple(ids)

        def encode_shortened(chunk: str) -> tuple[int, ...]:
            if chunk.isascii() and chunk.isalpha():
                return ids_of_pretoken[" " + chunk]  # letters and a space before them: surely one pre-token
            return encode_chunk(full_chunk(chunk))

        return Memo(encode_chunk), Memo(encode_shortened)

    @Lazy
    def offset_encoder(self) -> OffsetEncoder:
        from tinyllm.tok.pipeline.offsets import OffsetEncoder  # here, since few ask for offsets

        parts = self._parts
        return OffsetEncoder(parts.vocab, self.merges, parts.pre_tokenizer, parts.post_processor)

    @Lazy
    def token_of_id(self) -> list[str]:
        id_of = {**self._parts.vocab, **self._parts.added}
        return sorted(id_of, key=id_of.__getitem__)

    @Lazy
    def bytes_of_id(self) -> list[bytes]:
        byte_of = unicode_to_bytes()

        def bytes_of(token: str) -> bytes:
            # A token with a character outside the byte alphabet, which no merge can make, stands for itself, as in Hugging Face.
            if token in self._parts.added or not byte_of.keys() >= set(token):
                return token.encode("utf-8")
            return bytes(map(byte_of.__getitem__, token))

        return [bytes_of(token) for token in self.token_of_id]

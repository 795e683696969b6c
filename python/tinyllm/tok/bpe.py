"""Byte-level BPE, compatible with GPT-2 (L1.2): training, encoding, decoding, and the files of real models.

The text is cut into added tokens and pre-tokens; each pre-token becomes symbols, one a byte; merges join symbols, lowest
rank first; each symbol left is a token with an id. Tokens are strings over the byte alphabet of `bytemap.py`.

It does not cut text into pre-tokens (`pretok.py` does), and it has no normalizer, dropout, unknown token or template: files
that ask for one are refused, since ignoring a field gives other ids than the model's without an error.

How it is laid out, in one file, since a student hands in one: the class in the order of its life (made, encodes, decodes,
saved), then the chapter's two algorithms (`learn_merges`, `merge_by_rank`) with the long way round for long pre-tokens, then
the rules for files. What else makes encoding fast stands in `chunks.py`.

Sources: Sennrich, Haddow and Birch 2016; Radford et al. 2019; Hugging Face tokenizers for ties, ids and tokenizer.json.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from heapq import heapify, heappop, heappush
from itertools import chain, islice, pairwise, repeat
from operator import add, index
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes
from tinyllm.tok.chunks import DIGITS_CHUNKS, GPT2_CHUNKS, TIKTOKEN_CHUNKS, Chunker, Lazy, Memo, full_chunk
from tinyllm.tok.jsonfile import check_fields, read_json, read_text, shown, write_json
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.trie import Trie

if TYPE_CHECKING:
    from typing import Self

Pair = tuple[str, str]


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
        vocab = _checked_vocab(vocab)
        self._set_parts(vocab, _checked_merges(merges, vocab), added_tokens, pre_tokenizer)

    def _set_parts(
        self,
        vocab: dict[str, int],
        merge_parts: list[str],
        added_tokens: Iterable[tuple[str, int, bool]],
        pre_tokenizer: Mapping[str, Any] | None,
    ) -> None:
        """`vocab` and `merge_parts` (see `_checked_merges`) are checked by now, and no one else's."""
        self.vocab = vocab
        self._merge_parts = merge_parts
        self.added, self.special_ids = _checked_added(added_tokens, self.vocab)
        self.pre_tokenizer = _declaration(pre_tokenizer)
        self.vocab_size = len(self.vocab) + sum(content not in self.vocab for content in self.added)  # ids have no gap
        self.unk_id = None
        self._make_caches()

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
        `pre_tokenizer`: "gpt2" (the default), "cl100k", "o200k" (see `splits.py`), or a declaration as tokenizer.json spells it.

        Raises ValueError for `vocab_size` below 256 + len(specials), `min_freq` below 1,
        a special that is empty, repeated or equal to a byte symbol, and a merge that would spell a special.
        Memory grows with the distinct pre-tokens, not with the text.

        >>> BPETokenizer.train(["hug", "hug", "pug", "hugs"], vocab_size=259, min_freq=1).merges
        [('u', 'g'), ('h', 'ug'), ('p', 'ug')]
        """
        _check_training(vocab_size, specials, min_freq)
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
        _check_training(vocab_size, specials, min_freq)
        _check_counts(counts)
        vocab_size, min_freq = index(vocab_size), index(min_freq)
        tokens = [*specials, *sorted(bytes_to_unicode().values())]
        merges = learn_merges(counts, vocab_size - len(tokens), min_freq)
        for left, right in merges:
            if left + right in specials:
                raise ValueError(f"training merges {left!r} and {right!r} into {left + right!r}, which is a special")
            tokens.append(left + right)
        vocab = {token: id for id, token in enumerate(tokens)}
        added = [(special, vocab[special], True) for special in specials]
        return cls(vocab, merges, added, _declaration(pre_tokenizer))

    @classmethod
    def from_gpt2(cls, vocab_json: str | os.PathLike[str], merges_txt: str | os.PathLike[str]) -> Self:
        """Read the two files of the GPT-2 release (paths), `vocab.json` and `merges.txt`.

        Only a first line that starts with "#version" is a header: "# #" is a merge. "<|endoftext|>" becomes a special
        added token if the vocabulary has it. Raises ValueError naming the file, and the line where there is one.
        """
        found = read_json(vocab_json)
        with _errors_name(vocab_json):
            check_fields(found, "", None)
            vocab = _checked_vocab(found)
        lines = read_text(merges_txt)
        with _errors_name(merges_txt):
            merge_parts = _parse_merges_txt(lines, vocab)
        added = [(END_OF_TEXT, vocab[END_OF_TEXT], True)] if END_OF_TEXT in vocab else []
        tokenizer = cls.__new__(cls)
        tokenizer._set_parts(vocab, merge_parts, added, None)
        return tokenizer

    @classmethod
    def from_hf_json(cls, tokenizer_json: str | os.PathLike[str]) -> Self:
        """Read a Hugging Face tokenizer.json (a path): the subset that course/formats/tokenizer.md describes.

        Raises ValueError naming the field by its JSON path, and what was found, for anything outside the subset.
        """
        found = read_json(tokenizer_json)
        tokenizer = cls.__new__(cls)
        with _errors_name(tokenizer_json):
            tokenizer._set_parts(*_parse_tokenizer_json(found))
        return tokenizer

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote, by way of `from_hf_json`."""
        return cls.from_hf_json(path)

    @classmethod
    def from_tiktoken(cls, path: str | os.PathLike[str], split: Literal["gpt2", "cl100k", "o200k"]) -> Self:
        """Read a `.tiktoken` rank file (a path); `split` names the pre-tokenizer, which the file does not hold.

        The ids are those of tiktoken's `encode_ordinary`. There are no added tokens: OpenAI's leave gaps in the ids.
        Raises ValueError naming the file and the line for a file that is damaged or that merges by rank cannot stand for.
        """
        from tinyllm.tok.tiktoken_file import read_tiktoken  # here, since a course's workspace may not have that module

        # tiktoken's own cl100k differs from the one in tokenizer.json files: white space at the end of a text stays whole.
        declarations = {"gpt2": "gpt2", "cl100k": "cl100k_tiktoken", "o200k": "o200k"}
        if split not in declarations:
            raise ValueError(f"split is {split!r:.60}; it must be one of {', '.join(declarations)}")
        return cls(*read_tiktoken(path), (), _declaration(declarations[split]))

    # ---- encodes ----

    def encode(self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all") -> list[int]:
        """The ids of `text`: added tokens first, then pre-tokens, then merges by rank, lowest first, leftmost on a tie.

        `allowed_special`: which special tokens may be matched: "all", "none", or a collection of contents. The text of
        one that is not allowed is ordinary text: encode what a user typed with "none", or the user can write control
        tokens. (A special that merges or one byte spell too, as some files have, ordinary text reaches all the same;
        `train` makes none.) Added tokens that are not special always match.
        A byte that has no symbol in the vocabulary is dropped, as Hugging Face does.

        Raises TypeError if `text` is not a str, ValueError naming the position of a lone surrogate, ValueError for an
        unknown content or another string in `allowed_special`. Cost: O(characters), plus the merging of new pre-tokens.

        >>> tokenizer = BPETokenizer({"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}, [("b", "c"), ("a", "b")])
        >>> tokenizer.encode("abc")  # rank, not position: a, bc
        [0, 4]
        """
        _check_text(text)
        ids: list[int] = []
        ids_of_chunk, ids_of_shortened = self._memos
        for segment, added_id in self._added_tokens(allowed_special).cut(text):
            # Each segment between added tokens is pre-tokenized on its own, as if the text ended there.
            for chunks, shortened in self._chunker.chunks(segment):
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
        from tinyllm.tok.corpus import encode_in_processes  # here, since that module imports this one

        return list(encode_in_processes(self, texts, workers))

    def _added_tokens(self, allowed_special: Literal["all", "none"] | Collection[str]) -> _AddedTokens:
        """The added tokens that may match: all that are not special, and the special ones allowed."""
        if isinstance(allowed_special, str):
            if allowed_special in ("all", "none"):
                return self._added_of_policy[allowed_special]
            raise ValueError(
                f'allowed_special is {allowed_special!r:.60}; it must be "all", "none", or a collection of contents'
            )
        if not isinstance(allowed_special, Collection):
            raise TypeError(
                f'allowed_special is {allowed_special!r:.60}; it must be "all", "none", or a collection of contents'
            )
        for content in allowed_special:
            if not isinstance(content, str) or content not in self.added:
                raise ValueError(
                    f"allowed_special has {content!r:.60}, which is no added token; "
                    f"there are {', '.join(map(repr, self.added)) or 'none'}"
                )
        return self._added_of_policy[frozenset(allowed_special)]

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
                    return b"".join(map(self._bytes_of_id.__getitem__, ids))
            except (TypeError, IndexError, ValueError):
                pass
        ids = check_ids(ids, self.vocab_size)
        kept = [id for id in ids if id not in self.special_ids] if skip_special else ids
        return b"".join(map(self._bytes_of_id.__getitem__, kept))

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token; of an added token, the UTF-8 of its content. Raises as `check_ids` does."""
        return self._bytes_of_id[check_ids([id], self.vocab_size)[0]]

    def id_to_token(self, id: int) -> str:
        """The token with this id: as the vocabulary spells it, or the content of an added token. Raises as `check_ids` does."""
        return self._token_of_id[check_ids([id], self.vocab_size)[0]]

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
        write_json(path, _tokenizer_json(self))

    def __getstate__(self) -> dict[str, Any]:
        """The parts, without the caches: they would make the pickle large and are refilled as they are needed."""
        return {name: value for name, value in vars(self).items() if name not in CACHES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_caches()

    def _make_caches(self) -> None:
        self._pretokenize, self._chunk_pattern = _pretokenizer(self.pre_tokenizer)
        added, special_ids = self.added, self.special_ids

        def select_added(policy: str | frozenset[str]) -> _AddedTokens:
            allowed: Collection[str] = added if policy == "all" else () if policy == "none" else policy
            return _AddedTokens(
                {content: id for content, id in added.items() if id not in special_ids or content in allowed}
            )

        # Not a method: a cache that holds its tokenizer is a cycle, and such a tokenizer outlives its last use.
        self._added_of_policy = Memo(select_added)

    # These tables wait for their first use: a program that only decodes never pays for the merges.

    @Lazy
    def merges(self) -> list[Pair]:
        """The pairs of tokens that merge, by rank."""
        return list(zip(self._merge_parts[0::2], self._merge_parts[1::2]))

    @Lazy
    def _chunker(self) -> Chunker:
        return Chunker(self._chunk_pattern)

    @Lazy
    def _memos(self) -> tuple[Memo[str, tuple[int, ...]], Memo[str, tuple[int, ...]]]:
        """The ids of chunks, whole and shortened: stretches of text that pre-tokenize alike alone and in place (`chunks.py`)."""
        pretokenize = self._pretokenize
        ids_of_pretoken = Memo(_pretoken_encoder(self.vocab, self._merge_parts))

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
    def _token_of_id(self) -> list[str]:
        id_of = {**self.vocab, **self.added}
        return sorted(id_of, key=id_of.__getitem__)

    @Lazy
    def _bytes_of_id(self) -> list[bytes]:
        byte_of = unicode_to_bytes()

        def bytes_of(token: str) -> bytes:
            # A token with a character outside the byte alphabet, which no merge can make, stands for itself, as in Hugging Face.
            if token in self.added or not byte_of.keys() >= set(token):
                return token.encode("utf-8")
            return bytes(map(byte_of.__getitem__, token))

        return [bytes_of(token) for token in self._token_of_id]


# ---- the chapter's two algorithms ----


def count_pretokens(
    texts: Iterable[str], *, specials: Sequence[str] = (), pre_tokenizer: str | Mapping[str, Any] | None = None
) -> Counter[str]:
    """How often each pre-token occurs in `texts`, with the specials cut out first, leftmost longest.

    Counters of parts add up to that of the whole, so the counting can be shared out. `texts` is read once; memory grows
    with the distinct stretches between white space, not with the text.

    >>> sorted(count_pretokens(["a b a", "b"]).items())
    [(' a', 1), (' b', 1), ('a', 1), ('b', 1)]
    """
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        hint = ": write [text]" if isinstance(texts, str) else ""
        raise TypeError(f"texts must be an iterable of str, not {type(texts).__name__}{hint}")
    _check_specials(specials)
    pretokenize, pattern = _pretokenizer(_declaration(pre_tokenizer))
    chunker = Chunker(pattern)
    special_tokens = _AddedTokens(dict.fromkeys(specials, 0))
    chunk_counts: Counter[str] = Counter()
    shortened_counts: Counter[str] = Counter()
    for i, text in enumerate(texts):
        try:
            _check_text(text)
        except (TypeError, ValueError) as error:
            raise type(error)(f"texts[{i}]: {error}") from None
        for segment, _ in special_tokens.cut(text):
            for chunks, shortened in chunker.chunks(segment):
                (shortened_counts if shortened else chunk_counts).update(chunks)
    for chunk, count in shortened_counts.items():
        chunk_counts[full_chunk(chunk)] += count
    counts: Counter[str] = Counter()
    for chunk, count in chunk_counts.items():
        for pretoken in pretokenize(chunk):
            counts[pretoken] += count
    return counts


def learn_merges(counts: Mapping[str, int], most: int, min_freq: int) -> list[Pair]:
    """At most `most` merges, learned from how often each pre-token occurs.

    Each step merges the pair with the largest count; of equal counts the one with the smallest (left id, right id). It ends
    when no pair is left or the best count is below `min_freq`. The result depends on nothing but the counts.

    A pre-token is held as a string with one character a symbol, so a pair is a string of two and a merge is `str.replace`.
    The characters are in the order of the ids, so comparing two pairs as strings compares (left id, right id).

    A merge costs only the pre-tokens that `where` lists for its pair, not a pass over all of them. The heap is lazy: an
    entry is a pair with a count that was once right. The count of a pair only falls once it is there: what a merge creates
    are pairs with the new symbol, which are pushed. So no entry is below the count of its pair, an entry whose count is
    still right when it comes up is the best of all, and any other goes back with its count of now.
    """
    # The byte symbols in code-point order, that is, in the order of their ids.
    alphabet = sorted(unicode_to_bytes().items())
    tokens = [stand_in for stand_in, _ in alphabet]  # symbol chr(i) is tokens[i]
    symbol_of_byte = bytes(sorted(range(256), key=[byte for _, byte in alphabet].__getitem__))
    pretokens = [pretoken.encode("utf-8").translate(symbol_of_byte).decode("latin-1") for pretoken in counts]
    frequency = list(counts.values())

    # Note where every adjacent pair occurs, overlaps included, once for each time, and count it.
    where: defaultdict[str, list[int]] = defaultdict(list)  # pair -> pre-tokens; some may have lost the pair since
    for i, symbols in enumerate(pretokens):
        for pair in map(add, symbols, symbols[1:]):
            where[pair].append(i)
    pair_counts = {pair: sum(map(frequency.__getitem__, found)) for pair, found in where.items()}
    heap = [(-count, pair) for pair, count in pair_counts.items()]
    heapify(heap)

    def replace_pair(old: str, new: str, found: list[int]) -> None:
        if found:
            count = sum(map(frequency.__getitem__, found))
            pair_counts[old] -= count
            pair_counts[new] = count
            where[new] = found
            heappush(heap, (-count, new))

    merges: list[Pair] = []
    while heap and len(merges) < most:
        # 1. Pick the pair with the largest count, on a tie the one with the smallest ids.
        count, pair = heappop(heap)
        if pair_counts[pair] != -count:
            if pair_counts[pair] > 0:
                heappush(heap, (-pair_counts[pair], pair))
            continue
        # 2. Stop if its count is too small.
        if -count < min_freq:
            break
        # 3. Add the token with the next id, and the merge with the next rank.
        left, right = pair[0], pair[1]
        if len(tokens) == MOST_SYMBOLS:
            raise ValueError(f"training has made {MOST_SYMBOLS:,} tokens, and cannot make more: ask for fewer")
        new = chr(len(tokens))
        merges.append((tokens[ord(left)], tokens[ord(right)]))
        tokens.append("".join(merges[-1]))
        # 4. Replace every occurrence, left to right, in the pre-tokens that have the pair; note what stood before and after it.
        before: defaultdict[str, list[int]] = defaultdict(list)  # neighbour -> pre-tokens, once for each occurrence
        after: defaultdict[str, list[int]] = defaultdict(list)
        for i in where.pop(pair):
            between = pretokens[i].split(pair)
            if len(between) > 1:
                pretokens[i] = new.join(between)
                for ahead, behind in pairwise(between):
                    if ahead:
                        before[ahead[-1]].append(i)
                    if behind:
                        after[behind[0]].append(i)
                after[new].extend([i] * between[1:-1].count(""))  # two occurrences touch
        # 5. The neighbours' old pairs lose what their new ones gain.
        for neighbour, found in before.items():
            replace_pair(neighbour + left, neighbour + new, found)
        for neighbour, found in after.items():
            replace_pair(right + (left if neighbour == new else neighbour), new + neighbour, found)
        del pair_counts[pair]
    return merges


def _pretoken_encoder(vocab: Mapping[str, int], merge_parts: Sequence[str]) -> Callable[[str], tuple[int, ...]]:
    """A function from a pre-token to its ids: its bytes as symbols, merged by rank. It holds the tables that this takes."""
    id_of_byte = {byte: vocab[symbol] for byte, symbol in bytes_to_unicode().items() if symbol in vocab}
    missing_bytes = bytes(byte for byte in range(256) if byte not in id_of_byte)
    # A merge is a pair of ids, not its bytes: two merges may make one token, and each has its own rank.
    ids = list(map(vocab.__getitem__, merge_parts))
    # A dict for each left part: a tenth faster than one with pairs as keys, since no pairs are made to look them up.
    no_ranks: dict[int, int] = {}
    ranks = [no_ranks] * len(vocab)
    for rank, (left, right) in enumerate(zip(ids[0::2], ids[1::2])):
        if ranks[left] is no_ranks:
            ranks[left] = {}
        ranks[left][right] = rank
    results = list(map(vocab.__getitem__, map(add, merge_parts[0::2], merge_parts[1::2])))

    def encode(pretoken: str) -> tuple[int, ...]:
        symbols = list(map(id_of_byte.__getitem__, pretoken.encode("utf-8").translate(None, missing_bytes)))
        merge = merge_by_rank if len(symbols) < LONG else merge_long_by_rank
        return tuple(merge(symbols, ranks, results))

    return encode


def merge_by_rank(symbols: list[int], ranks: Sequence[Mapping[int, int]], results: Sequence[int]) -> list[int]:
    """Merge the adjacent pair with the lowest rank, the leftmost if it occurs twice, until no adjacent pair has a rank.

    Symbols are ids; `ranks[left][right]` is the rank of a pair, and `results[rank]` the id that the merge makes. `symbols` is
    used up.
    One merge at a time, so it is right for any merge list, also one in which a merge outranks one that makes its parts.
    Cost: O(symbols squared), little for the few symbols of most pre-tokens; `merge_long_by_rank` is for the others.

    >>> merge_by_rank([0, 0, 0], [{0: 0}, {}], [1])  # "aaa" is "aa", "a"
    [1, 0]
    """
    # rank_at[i] is the rank of the pair (symbols[i], symbols[i + 1]). A merge changes two of them at most.
    rank_at = [ranks[left].get(right, NEVER) for left, right in pairwise(symbols)]
    while rank_at:
        lowest = min(rank_at)
        if lowest == NEVER:
            break
        at = rank_at.index(lowest)  # the leftmost
        merged = symbols[at] = results[lowest]
        del symbols[at + 1], rank_at[at]
        if at > 0:
            rank_at[at - 1] = ranks[symbols[at - 1]].get(merged, NEVER)
        if at < len(rank_at):
            rank_at[at] = ranks[merged].get(symbols[at + 1], NEVER)
    return symbols


def merge_long_by_rank(symbols: list[int], ranks: Sequence[Mapping[int, int]], results: Sequence[int]) -> list[int]:
    """`merge_by_rank` for many symbols: the same merges in the same order, in O(symbols log symbols).

    `merge_by_rank` looks at every pair for every merge; on a million symbols it would take days. Here a heap has the pairs,
    each entry the rank and the position in one number, so that the lowest rank comes first and the leftmost of equals.
    Symbols keep their first positions and are linked into a list; a merge drops the right symbol and pushes the two
    pairs that it changed. It does not look for the entries of pairs that are gone: an entry is stale if its position has no
    symbol any more or the pair there has another rank, and is skipped when it comes up. (The other short way, merging all
    occurrences of one pair at once, is wrong for some lists: with (ab, a) ranked before (a, b), "abab" is "aba", "b",
    not "ab", "ab".)
    """
    n = len(symbols)
    GONE = -1
    next_at = list(range(1, n + 1))
    last_at = list(range(-1, n - 1))
    heap = [
        rank * n + at
        for at, (left, right) in enumerate(pairwise(symbols))
        if (rank := ranks[left].get(right, NEVER)) != NEVER
    ]
    heapify(heap)
    while heap:
        rank, at = divmod(heappop(heap), n)
        right_at = next_at[at]
        if symbols[at] == GONE or right_at == n or ranks[symbols[at]].get(symbols[right_at]) != rank:
            continue
        symbols[at], symbols[right_at] = results[rank], GONE
        after = next_at[at] = next_at[right_at]
        before = last_at[at]
        if after < n:
            last_at[after] = at
            rank = ranks[symbols[at]].get(symbols[after], NEVER)
            if rank != NEVER:
                heappush(heap, rank * n + at)
        if before >= 0:
            rank = ranks[symbols[before]].get(symbols[at], NEVER)
            if rank != NEVER:
                heappush(heap, rank * n + before)
    return [symbol for symbol in symbols if symbol != GONE]


class _AddedTokens:
    """Finds added tokens in a text, leftmost, then longest, in whatever order they were listed."""

    def __init__(self, id_of: Mapping[str, int]) -> None:
        self._trie: Trie[int] = Trie()
        for content, id in id_of.items():
            self._trie.insert(content, id)
        firsts = "".join(sorted({content[0] for content in id_of}))
        # The trie needs a look only where a first character occurs; a set of one or more is found at C speed.
        self._first = re.compile(f"[{re.escape(firsts)}]") if firsts else None

    def cut(self, text: str) -> list[tuple[str, int | None]]:
        """Each segment of `text` with the id of the added token behind it; None behind the last."""
        if self._first is None:
            return [(text, None)]
        segments: list[tuple[str, int | None]] = []
        start = 0
        for first in self._first.finditer(text):
            if first.start() >= start:
                match = self._trie.longest_prefix(text, first.start())
                if match is not None:
                    length, id = match
                    segments.append((text[start : first.start()], id))
                    start = first.start() + length
        return [*segments, (text[start:], None)]


NEVER = 1 << 62  # the rank of a pair without one: behind all others
MOST_SYMBOLS = 0x110000  # `learn_merges` has one character a symbol, and Unicode has so many
LONG = 100  # symbols; from about here on the heap is faster
CACHES = frozenset(
    {
        "merges",
        "_pretokenize",
        "_chunk_pattern",
        "_chunker",
        "_added_of_policy",
        "_memos",
        "_token_of_id",
        "_bytes_of_id",
    }
)


# ---- the rules for parts, declarations and files ----

END_OF_TEXT = "<|endoftext|>"
HEADER = "#version"  # how the first line of a merges.txt may start
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
YES_NO = (True, False)

# What a tokenizer.json may say besides its parts: field -> the values that change no ids, the first of which is written.
FILE_SETTINGS = {"version": ("1.0",), "truncation": (None,), "padding": (None,), "normalizer": (None,)}
MODEL_SETTINGS = {
    "type": ("BPE",),
    "dropout": (None,),
    "unk_token": (None,),
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "fuse_unk": (False,),
    "byte_fallback": (False,),
    "ignore_merges": (False,),
}

# What `pretokenize_gpt2` does, and what it does behind `split_digits`, on ASCII. A digit takes no space before it, and
# white space before a digit stands at the end of a segment.
GPT2_ASCII = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\t-\r A-Za-z0-9]+|[\t-\r ]+(?![^\t-\r ])|[\t-\r ]+"
DIGITS_ASCII = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+|[0-9]{}| ?[^\t-\r A-Za-z0-9]+|[\t-\r ]+(?![^\t-\r 0-9])|[\t-\r ]+"


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
    at = _lone_surrogate(text)
    if at is not None:
        raise ValueError(f"text is not valid Unicode: position {at} is the lone surrogate U+{ord(text[at]):04X}")


def _lone_surrogate(text: str) -> int | None:
    """The position of the first half of a surrogate pair, or None in valid Unicode text."""
    if not text.isascii():
        try:
            text.encode("utf-16-le")  # which refuses what utf-8 refuses, in a quarter of the time
        except UnicodeEncodeError as error:
            return error.start
    return None


def _check_training(vocab_size: int, specials: Sequence[str], min_freq: int) -> None:
    _check_specials(specials)
    for name, value, least in (("vocab_size", vocab_size, 256 + len(specials)), ("min_freq", min_freq, 1)):
        if not hasattr(value, "__index__"):
            raise TypeError(f"{name} is {value!r:.40}; it must be an integer")
        if index(value) < least:
            reason = f", for 256 byte symbols and {len(specials)} specials" if name == "vocab_size" else ""
            raise ValueError(f"{name} is {value}; it must be at least {least}{reason}")


def _check_specials(specials: Sequence[str]) -> None:
    if isinstance(specials, str):
        raise TypeError(f"specials must be a sequence of str, not the str {specials!r:.40}: write [{specials!r:.40}]")
    if not isinstance(specials, Sequence):
        # A set has an order that changes from run to run, and with it would the ids.
        raise TypeError(f"specials must be a sequence of str, such as a list, not {type(specials).__name__}")
    for i, special in enumerate(specials):
        if not isinstance(special, str):
            raise TypeError(f"specials has {special!r:.40}; a special is a str")
        if not special:
            raise ValueError("specials has the empty string; a special has at least one character")
        if special in specials[:i]:
            raise ValueError(f"specials has {special!r} twice")
        if special in unicode_to_bytes():
            raise ValueError(f"the special {special!r} is a byte symbol of the vocabulary; choose a longer one")
        if _lone_surrogate(special) is not None:
            raise ValueError(f"specials has {special!a}, with a lone surrogate; that is no Unicode text")


def _check_counts(counts: Mapping[str, int]) -> None:
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts must be a mapping from pre-token to count, not {type(counts).__name__}")
    for pretoken, count in counts.items():
        if not isinstance(pretoken, str):
            raise TypeError(f"counts has the key {pretoken!r:.60}; a pre-token is a str")
        if _lone_surrogate(pretoken) is not None:
            raise ValueError(f"counts has the key {pretoken!a:.60}, with a lone surrogate; that is no Unicode text")
        if type(count) is not int or count < 0:
            raise ValueError(f"counts[{pretoken!r:.60}] is {count!r:.40}; a count is an integer, 0 or more")


def _checked_vocab(vocab: Mapping[str, int]) -> dict[str, int]:
    """`vocab` as a dict of its own. The first test of each kind looks at all tokens at once, at C speed."""
    if not isinstance(vocab, Mapping):
        raise TypeError(f"vocab must be a mapping from token to id, not {type(vocab).__name__}")
    vocab = dict(vocab)
    ids = vocab.values()
    try:
        "".join(vocab).encode("utf-8")
    except TypeError:
        token = next(token for token in vocab if not isinstance(token, str))
        raise TypeError(f"vocab has the key {token!r:.60}; a token is a str") from None
    except UnicodeEncodeError as error:
        raise ValueError(
            f"vocab has a token with the lone surrogate {error.object[error.start]!r}; that is no Unicode text"
        ) from None
    if "" in vocab:
        raise ValueError(f"vocab[''] is {vocab['']!r:.60}; a token has at least one character")
    if not {*map(type, ids)} <= {int}:
        token = next(token for token, id in vocab.items() if type(id) is not int)
        raise ValueError(f"vocab[{token!r}] is {vocab[token]!r:.60}; an id is an integer")
    if sorted(ids) != [*range(len(vocab))]:
        token_of: dict[int, str] = {}
        for token, id in vocab.items():
            if not 0 <= id:
                raise ValueError(f"vocab[{token!r}] is {id}; an id is 0 or more")
            if id in token_of:
                raise ValueError(
                    f"vocab[{token!r}] is {id}, and so is vocab[{token_of[id]!r}]; an id belongs to one token"
                )
            token_of[id] = token
        gap = next(id for id in range(len(vocab)) if id not in token_of)
        raise ValueError(f"vocab has no token with id {gap}, but one with id {max(token_of)}; ids must have no gap")
    return vocab


def _checked_merges(merges: Iterable[Pair], vocab: Mapping[str, int]) -> list[str]:
    """The parts of `merges`, one after the other: 50,000 tuples would take as long to make as to check, and few look at them.

    Like `_checked_vocab`, it looks for the culprit only if there is one.
    """
    if isinstance(merges, str) or not isinstance(merges, Iterable):
        raise TypeError(f"merges must be an iterable of pairs, not {type(merges).__name__}")
    listed = list(merges)
    if {*map(type, listed)} <= {tuple, list} and {*map(len, listed)} <= {2}:
        parts = list(chain.from_iterable(listed))
        if {*map(type, parts)} <= {str} and vocab.keys() >= {*parts}:
            results = {*map(add, parts[0::2], parts[1::2])}
            # If no result is there twice, no merge is; the reverse does not hold.
            if len(results) == len(listed) and vocab.keys() >= results:
                return parts
    rank_of: dict[Pair, int] = {}
    for rank, pair in enumerate(listed):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise ValueError(f"merges[{rank}] is {pair!r:.60}; a merge is a pair of tokens")
        left, right = pair
        for token, role in ((left, "left part"), (right, "right part"), (left + right, "result")):
            if token not in vocab:
                raise ValueError(
                    f"merges[{rank}] is {left!r}, {right!r}, but the vocabulary lacks its {role} {token!r}"
                )
        if (left, right) in rank_of:
            raise ValueError(f"merges[{rank}] is {left!r}, {right!r}, which merges[{rank_of[left, right]}] is already")
        rank_of[left, right] = rank
    return list(chain.from_iterable(rank_of))


def _checked_added(
    added_tokens: Iterable[tuple[str, int, bool]], vocab: Mapping[str, int]
) -> tuple[dict[str, int], frozenset[int]]:
    """content -> id, and the ids of the special ones."""
    if isinstance(added_tokens, str) or not isinstance(added_tokens, Iterable):
        raise TypeError(
            f"added_tokens must be an iterable of (content, id, special), not {type(added_tokens).__name__}"
        )
    added: dict[str, int] = {}
    special_ids = set()
    next_free = len(vocab)
    for i, entry in enumerate(added_tokens):
        if not isinstance(entry, (tuple, list)) or len(entry) != 3:
            raise ValueError(f"added_tokens[{i}] is {entry!r:.60}; it must be (content, id, special)")
        content, id, special = entry
        if not isinstance(content, str):
            raise TypeError(f"added_tokens[{i}].content is {content!r:.60}; it must be a str")
        if not content:
            raise ValueError(f"added_tokens[{i}].content is empty; it would match everywhere")
        if _lone_surrogate(content) is not None:
            raise ValueError(
                f"added_tokens[{i}].content is {content!a:.60}, with a lone surrogate; that is no Unicode text"
            )
        if content in added:
            raise ValueError(f"added_tokens[{i}].content is {content!r:.60}, which is listed already")
        if content not in vocab:
            right_id, reason = next_free, "the next free id"
            next_free += 1
        else:
            right_id, reason = vocab[content], "its id in the vocabulary"
        if isinstance(id, bool) or not hasattr(id, "__index__") or index(id) != right_id:
            raise ValueError(f"added_tokens[{i}].id is {id!r:.60} for {content!r:.60}; it must be {right_id}, {reason}")
        if not isinstance(special, bool):
            raise ValueError(f"added_tokens[{i}].special is {special!r:.60}; it must be true or false")
        added[content] = right_id
        if special:
            special_ids.add(right_id)
    return added, frozenset(special_ids)


def _declaration(pre_tokenizer: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """A declaration as tokenizer.json spells it, from a name, from such a declaration, or from None (GPT-2's)."""
    if pre_tokenizer is None or pre_tokenizer == "gpt2":
        return dict(BYTE_LEVEL)
    if isinstance(pre_tokenizer, str):
        splits = _known_splits()
        if pre_tokenizer not in splits:
            raise ValueError(
                f"pre_tokenizer is {pre_tokenizer!r:.60}; it must be gpt2, {', '.join(splits)}, or a declaration"
            )
        pattern = splits[pre_tokenizer][0]
        split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        return {"type": "Sequence", "pretokenizers": [split, {**BYTE_LEVEL, "use_regex": False}]}
    if not isinstance(pre_tokenizer, Mapping):
        raise TypeError(f"pre_tokenizer is {pre_tokenizer!r:.60}; it must be a name, a declaration, or None")
    return deepcopy(dict(pre_tokenizer))  # the caller's may change; this one must stay what encodes


def _known_splits() -> dict[str, tuple[str, Callable[[str], list[str]]]]:
    """The splits of `splits.py` by name: pattern and function."""
    from tinyllm.tok.splits import SPLITS  # here, since a course's workspace may not have that module

    return SPLITS


def _pretokenizer(declaration: Any) -> tuple[Callable[[str], list[str]], str]:
    """What a declaration asks for: the function from text to pre-tokens, and the pattern of its chunks."""
    where, steps = "pre_tokenizer", [declaration]
    if not isinstance(declaration, dict):
        raise ValueError(
            f"{where} is {shown(declaration)}; without one, bytes would not be mapped: it must be ByteLevel"
        )
    if declaration.get("type") == "Sequence":
        check_fields(declaration, where, {"type": ["Sequence"], "pretokenizers": None})
        where, steps = "pre_tokenizer.pretokenizers", declaration["pretokenizers"]
        if not isinstance(steps, list) or not 1 <= len(steps) <= 2:
            raise ValueError(f"{where} is {shown(steps)}; it must be ByteLevel, alone or after Digits or Split")
    places = [where] if steps[0] is declaration else [f"{where}[{i}]" for i in range(len(steps))]
    first = steps[0].get("type") if len(steps) == 2 and isinstance(steps[0], dict) else None
    check_fields(
        steps[-1],
        places[-1],
        {"type": ["ByteLevel"], "add_prefix_space": [False], "trim_offsets": YES_NO, "use_regex": [first != "Split"]},
        optional=[] if first == "Split" else ["use_regex"],
    )
    if len(steps) == 1:
        return _by_re_if_ascii(pretokenize_gpt2, GPT2_ASCII), GPT2_CHUNKS
    if first == "Split":
        return _parse_split(steps[0], places[0]), TIKTOKEN_CHUNKS
    check_fields(steps[0], places[0], {"type": ["Digits"], "individual_digits": YES_NO})
    individual = steps[0]["individual_digits"]

    def pretokenize(text: str) -> list[str]:
        return [pretoken for part in split_digits(text, individual) for pretoken in pretokenize_gpt2(part)]

    return _by_re_if_ascii(pretokenize, DIGITS_ASCII.format("" if individual else "+")), DIGITS_CHUNKS


def _by_re_if_ascii(pretokenize: Callable[[str], list[str]], ascii_pattern: str) -> Callable[[str], list[str]]:
    """`pretokenize`, by way of `re` where the text is ASCII: there the classes of `re` and of every Unicode version agree."""
    find = re.compile(ascii_pattern).findall
    return lambda text: find(text) if text.isascii() else pretokenize(text)


def _parse_split(step: Any, where: str) -> Callable[[str], list[str]]:
    """The function of a `Split` step. The patterns match every text whole, so removing what lies between is keeping all."""
    check_fields(
        step, where, {"type": ["Split"], "pattern": None, "behavior": ["Isolated", "Removed"], "invert": YES_NO}
    )
    check_fields(step["pattern"], f"{where}.pattern", {"Regex": None})
    if step["invert"] != (step["behavior"] == "Removed"):
        raise ValueError(
            f"{where}.invert is {shown(step['invert'])} with behavior {step['behavior']}; "
            "it must be false with Isolated or true with Removed"
        )
    for pattern, function in _known_splits().values():
        if step["pattern"]["Regex"] == pattern:
            return function
    raise ValueError(
        f"{where}.pattern.Regex is {shown(step['pattern']['Regex'])}; "
        f"it must be that of {', '.join(_known_splits())}, letter for letter"
    )


def _parse_merges_txt(text: str, vocab: Mapping[str, int]) -> list[str]:
    """The merges of a merges.txt, as `_parse_lines` gives them. Lines end with "\\n" alone: `splitlines` would also cut at U+0085."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    header = 1 if lines[0].startswith(HEADER) else 0
    if lines[-1] == "":
        lines.pop()  # the end of the last line, not a line
    try:
        return _parse_lines(lines[header:], vocab)
    except ValueError as error:
        rank = int(re.findall(r"^merges\[(\d+)", str(error))[0])
        raise ValueError(f"line {rank + header + 1}: {error}") from None


def _parse_lines(lines: list[str], vocab: Mapping[str, int]) -> list[str]:
    """The merges written as "left right", checked against `vocab`, as `_checked_merges` gives them.

    The files of trainers are checked as a whole, at C speed, in half the time that it takes merge by merge. This is exact:
    if nothing but a space and a line end are left of each line without its tokens, all parts are cut where they should be; and
    in these files the results stand in the vocabulary as they are, in order, so one comparison says that they are tokens, and
    no two the same.
    """
    text = "\n".join(lines)
    parts = text.replace("\n", " ").split(" ")
    results = text.replace(" ", "")
    no_separators = bytes(range(256)).translate(None, b" \n")
    first = vocab.get(results.partition("\n")[0], 0)
    if (
        text.encode("utf-8").translate(None, no_separators) + b"\n" == b" \n" * len(lines)
        and vocab.keys() >= {*parts}
        and results == "\n".join(islice(vocab, first, first + len(lines)))
    ):
        return parts
    for rank, line in enumerate(lines):
        if line.count(" ") != 1 or line.startswith(" ") or line.endswith(" "):
            raise ValueError(f"merges[{rank}] is {shown(line)}; it must be two tokens separated by one space")
    return _checked_merges([tuple(line.split(" ")) for line in lines], vocab)  # type: ignore[misc]


def _parse_tokenizer_json(found: Any) -> tuple[dict[str, int], list[str], list[tuple[str, int, bool]], dict[str, Any]]:
    """The four parts of a tokenizer.json, as `_set_parts` takes them. ValueError names the field."""
    if isinstance(found, dict) and "model" not in found:
        # Files of other kinds have fields that are not known here; those are not what is wrong with them.
        raise ValueError(
            "model is missing; every tokenizer.json has one (a vocab.json is read with its merges.txt: from_gpt2)"
        )
    parts = dict.fromkeys(("added_tokens", "pre_tokenizer", "post_processor", "decoder"))
    check_fields(found, "", {**FILE_SETTINGS, **parts, "model": None}, optional=[*FILE_SETTINGS, *parts])
    pre_tokenizer = found.get("pre_tokenizer")
    _pretokenizer(pre_tokenizer)
    byte_level = {"type": ["ByteLevel"], "add_prefix_space": YES_NO, "trim_offsets": YES_NO, "use_regex": YES_NO}
    if found.get("post_processor") is not None:
        check_fields(found["post_processor"], "post_processor", byte_level, optional=["use_regex"])
    check_fields(found.get("decoder"), "decoder", byte_level, optional=["use_regex"])
    model = found["model"]
    check_fields(model, "model", {**MODEL_SETTINGS, "vocab": None, "merges": None}, optional=MODEL_SETTINGS)
    check_fields(model["vocab"], "model.vocab", None)
    added_tokens = _parse_added_tokens(found.get("added_tokens", []))
    try:
        vocab = _checked_vocab(model["vocab"])
        merge_parts = _parse_merges(model["merges"], vocab)
    except ValueError as error:
        raise ValueError(f"model.{error}") from None
    return vocab, merge_parts, added_tokens, pre_tokenizer


def _parse_merges(merges: Any, vocab: Mapping[str, int]) -> list[str]:
    """Merges as strings "a b" (files before 2024) or as pairs ["a", "b"] (since); not both in one file."""
    if not isinstance(merges, list):
        raise ValueError(f"merges is {shown(merges)}; it must be a list of pairs")
    kinds = {*map(type, merges)}
    if kinds == {str}:
        if HEADER in " ".join(merges) and any(map(str.startswith, merges, repeat(HEADER))):
            rank = next(rank for rank, merge in enumerate(merges) if merge.startswith(HEADER))
            raise ValueError(
                f"merges[{rank}] is {shown(merges[rank])}; Hugging Face skips such a string: it must be written as a pair"
            )
        return _parse_lines(merges, vocab)
    if kinds == {str, list}:
        rank = next(rank for rank, merge in enumerate(merges) if type(merge) is not type(merges[0]))
        raise ValueError(
            f"merges[{rank}] is {shown(merges[rank])}, but the first is {shown(merges[0])}; all must be written one way"
        )
    return _checked_merges(merges, vocab)


def _parse_added_tokens(added_tokens: Any) -> list[tuple[str, int, bool]]:
    if not isinstance(added_tokens, list):
        raise ValueError(f"added_tokens is {shown(added_tokens)}; it must be a list of objects")
    for i, token in enumerate(added_tokens):
        flags = {"single_word": [False], "lstrip": [False], "rstrip": [False], "normalized": YES_NO, "special": YES_NO}
        check_fields(token, f"added_tokens[{i}]", {"id": None, "content": None, **flags})
        if token["normalized"] != added_tokens[0]["normalized"]:
            raise ValueError(
                f"added_tokens[{i}].normalized is {shown(token['normalized'])}, but that of added_tokens[0] is not; "
                "all must be alike, or they would be matched in two passes"
            )
    return [(token["content"], token["id"], token["special"]) for token in added_tokens]


def _tokenizer_json(tokenizer: BPETokenizer) -> dict[str, Any]:
    """The tokenizer.json of a tokenizer, each field spelled out, so that no reader needs to know a default."""
    # Strings are the form that every version reads, but not for a part with a space, nor for what looks like a header.
    as_pairs = any(" " in left + right or left.startswith(HEADER) for left, right in tokenizer.merges)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": id,
                "content": content,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": id in tokenizer.special_ids,
            }
            for content, id in sorted(tokenizer.added.items(), key=lambda entry: entry[1])
        ],
        "normalizer": None,
        "pre_tokenizer": tokenizer.pre_tokenizer,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {
            **{field: values[0] for field, values in MODEL_SETTINGS.items()},
            "vocab": dict(sorted(tokenizer.vocab.items(), key=lambda entry: entry[1])),
            "merges": [list(pair) if as_pairs else " ".join(pair) for pair in tokenizer.merges],
        },
    }


@contextmanager
def _errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever is wrong inside is wrong with this file."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None

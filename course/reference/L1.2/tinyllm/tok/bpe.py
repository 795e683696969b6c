"""Byte-level BPE, compatible with GPT-2 (L1.2): training, encoding, decoding, and the files of real models.

It is written to be read beside the chapter: the class, then what its methods share, in the chapter's order and words. What
each public name promises stands in the contract, `bpe.pyi`; the library's `tinyllm.tok.bpe` keeps the same promises, faster.
Sources: Sennrich, Haddow and Birch 2016; Radford et al. 2019; Hugging Face tokenizers for ties, ids and tokenizer.json.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf
from typing import Any

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes
from tinyllm.tok.jsonfile import check_fields, read_json, read_text, shown, write_json
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.trie import Trie

Pair = tuple[str, str]  # two tokens
Added = tuple[str, int, bool]  # content, id, special
PathName = str | os.PathLike[str]
CACHED = 1 << 16  # pre-tokens whose ids are kept
END_OF_TEXT = "<|endoftext|>"
HEADER = "#version"  # how the first line of a merges.txt may begin
# What a tokenizer.json may say without changing an id: field -> its values, the first of which is written.
YES_NO = [True, False]
BYTE_LEVEL = {"type": ["ByteLevel"], "add_prefix_space": [False], "trim_offsets": YES_NO, "use_regex": [True]}
FILE = {"version": ["1.0"], "truncation": [None], "padding": [None], "normalizer": [None]}
MODEL = {
    "type": ["BPE"],
    **dict.fromkeys(["dropout", "unk_token"], [None]),
    **dict.fromkeys(["continuing_subword_prefix", "end_of_word_suffix"], [None, ""]),
    **dict.fromkeys(["fuse_unk", "byte_fallback", "ignore_merges"], [False]),
}
ADDED = {**dict.fromkeys(["single_word", "lstrip", "rstrip"], [False]), "normalized": [False, True], "special": YES_NO}


class BPETokenizer(Tokenizer):
    """Byte-level BPE from a vocabulary and merges. `encode_batch` is that of every Tokenizer."""

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[Pair],
        added_tokens: Iterable[Added] = (),
        pre_tokenizer: Mapping[str, Any] | None = None,
    ) -> None:
        """A tokenizer from its parts; ValueError if they contradict each other."""
        self.vocab = dict(vocab)
        check_vocab(self.vocab)
        self.merges = checked_merges(merges, self.vocab, "merges[{}]")
        self.added, self.special_ids = checked_added(added_tokens, self.vocab)
        self.pre_tokenizer = first_values(BYTE_LEVEL) if pre_tokenizer is None else deepcopy(dict(pre_tokenizer))
        self._digits = digits_step(self.pre_tokenizer)
        self.unk_id = None
        id_of, byte_of = {**self.vocab, **self.added}, unicode_to_bytes()
        self._token_of = sorted(id_of, key=id_of.__getitem__)
        self._bytes_of = [unspell(token, {} if token in self.added else byte_of) for token in self._token_of]
        self.vocab_size = len(self._token_of)
        self._rank_of = {pair: rank for rank, pair in enumerate(self.merges)}
        self._ids_of: dict[str, list[int]] = {}  # the cache: pre-token -> ids

    @classmethod
    def train(
        cls, texts: Iterable[str], vocab_size: int, specials: Sequence[str] = (), min_freq: int = 2
    ) -> BPETokenizer:
        """Section 2.3: learn merges from `texts`. Ids: the specials, the 256 byte symbols by code point, then one token a merge."""
        if isinstance(texts, str):
            raise TypeError("texts must be an iterable of str, not one str")
        for i, special in enumerate(specials):
            if special == "" or special in specials[:i] or special in unicode_to_bytes():
                raise ValueError(f"specials[{i}] is {special!r}; it must not be empty, a repetition or a byte symbol")
        if vocab_size < 256 + len(specials) or min_freq < 1:
            raise ValueError(f"vocab_size {vocab_size} or min_freq {min_freq} is below {256 + len(specials)} or 1")
        counts: Counter[str] = Counter()
        for text in texts:
            for segment, _ in cut(text, specials):
                counts.update(pretokenize_gpt2(segment))
        tokens = [*specials, *sorted(bytes_to_unicode().values())]
        merges = learn_merges(counts, tokens, vocab_size - len(tokens), min_freq)
        for left, right in merges:
            if left + right in specials:
                raise ValueError(f"training merges {left!r} and {right!r} into the special {left + right!r}")
            tokens.append(left + right)
        vocab = {token: id for id, token in enumerate(tokens)}
        return cls(vocab, merges, [(special, vocab[special], True) for special in specials])

    def encode(self, text: str, *, allowed_special: str | Collection[str] = "all") -> list[int]:
        """Section 2.4: the ids of `text`, by added tokens, then pre-tokens, then merges by rank."""
        ids: list[int] = []
        for segment, content in cut(text, self._matching(allowed_special)):
            parts = [segment] if self._digits is None else split_digits(segment, self._digits)
            for part in parts:
                for pretoken in pretokenize_gpt2(part):
                    ids += self._encode_pretoken(pretoken)
            if content is not None:
                ids.append(self.added[content])
        return ids

    def _matching(self, allowed: str | Collection[str]) -> list[str]:
        """The contents that may match: of added tokens that are not special, and of special ones that are allowed."""
        if isinstance(allowed, str):
            if allowed not in ("all", "none"):
                raise ValueError(f'allowed_special is {allowed!r}; it must be "all", "none" or a collection')
            allowed = self.added if allowed == "all" else []
        if unknown := {*allowed} - self.added.keys():
            raise ValueError(f"allowed_special has {', '.join(map(repr, unknown))}, which is no added token")
        return [content for content, id in self.added.items() if id not in self.special_ids or content in allowed]

    def _encode_pretoken(self, pretoken: str) -> list[int]:
        """The ids of a pre-token, from the cache if they are there. They must not be changed."""
        ids = self._ids_of.get(pretoken)
        if ids is None:
            symbols = [symbol for symbol in spell(pretoken) if symbol in self.vocab]
            ids = [self.vocab[token] for token in merge_by_rank(symbols, self._rank_of)]
            if len(self._ids_of) >= CACHED:
                self._ids_of.clear()
            self._ids_of[pretoken] = ids
        return ids

    def decode(self, ids: Iterable[int], skip_special: bool = False, *, errors: str = "replace") -> str:
        """Section 2.5: the text of `ids`, all bytes joined first, then decoded as UTF-8 once."""
        if errors not in ("replace", "strict"):
            raise ValueError(f'errors is {errors!r}; it must be "replace" or "strict"')
        return self.decode_bytes(ids, skip_special).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`, joined."""
        skipped = self.special_ids if skip_special else ()
        return b"".join(self._bytes_of[id] for id in check_ids(ids, self.vocab_size) if id not in skipped)

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token; of an added token, the UTF-8 of its content."""
        return self._bytes_of[check_ids([id], self.vocab_size)[0]]

    def id_to_token(self, id: int) -> str:
        """The token with this id, as the vocabulary spells it."""
        return self._token_of[check_ids([id], self.vocab_size)[0]]

    def token_to_id(self, token: str) -> int | None:
        """The id of `token`, or None."""
        return self.vocab.get(token, self.added.get(token))

    @classmethod
    def from_gpt2(cls, vocab_json: PathName, merges_txt: PathName) -> BPETokenizer:
        """Section 2.6: read the two files of GPT-2's first release. Lines end with a newline alone, not at U+0085."""
        vocab, text = read_json(vocab_json), read_text(merges_txt)
        with naming(vocab_json):
            check_fields(vocab, "", None)
            check_vocab(vocab)
        with naming(merges_txt):
            lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
            header = 1 if text.startswith(HEADER) else 0  # and only the first line: "# #" is a merge
            pairs = checked_merges(lines[header:], vocab, "line {}", 1 + header)
        return cls(vocab, pairs, [(END_OF_TEXT, vocab[END_OF_TEXT], True)] if END_OF_TEXT in vocab else [])

    @classmethod
    def from_hf_json(cls, tokenizer_json: PathName) -> BPETokenizer:
        """Read a Hugging Face tokenizer.json. A field is obeyed, or refused by its name."""
        found = read_json(tokenizer_json)
        with naming(tokenizer_json):
            return cls(*parse_tokenizer_json(found))

    @classmethod
    def load(cls, path: PathName) -> BPETokenizer:
        """What `save` wrote."""
        return cls.from_hf_json(path)

    def save(self, path: PathName) -> None:
        """Write a tokenizer.json, each field spelled out, so that no reader needs to know a default."""
        added = [
            {"id": id, "content": content, **first_values(ADDED), "special": id in self.special_ids}
            for content, id in self.added.items()
        ]
        steps = {"pre_tokenizer": self.pre_tokenizer, "post_processor": None, "decoder": first_values(BYTE_LEVEL)}
        model = {**first_values(MODEL), "vocab": self.vocab, "merges": self.merges}
        write_json(path, {**first_values(FILE), "added_tokens": added, **steps, "model": model})

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_ids_of": {}}  # pickles and copies begin with an empty cache


# ---- the chapter's algorithms ----


def spell(pretoken: str) -> list[str]:
    """Section 2.2: the symbols of a pre-token, its UTF-8 bytes, each as its stand-in."""
    symbol_of = bytes_to_unicode()
    return [symbol_of[byte] for byte in pretoken.encode("utf-8")]


def unspell(token: str, byte_of: Mapping[str, int]) -> bytes:
    """The bytes of a token. One with a character that is no symbol, which no merge makes, stands for itself."""
    return bytes(map(byte_of.__getitem__, token)) if byte_of.keys() >= {*token} else token.encode("utf-8")


def learn_merges(counts: Mapping[str, int], tokens: Sequence[str], most: int, min_freq: int) -> list[Pair]:
    """At most `most` merges, from how often each pre-token occurs. `tokens` are those of the ids before the first.

    A merge costs only the pre-tokens that `where` lists for its pair. An entry of the heap has a count that was right once.
    Since only pairs with a new token gain, and are pushed then, no entry is below the true count: one that is still right
    when it comes up is the best of all, and any other goes back with the true count.
    """
    tokens, merges = list(tokens), []
    id_of = {token: id for id, token in enumerate(tokens)}
    spelled = {pretoken: [id_of[symbol] for symbol in spell(pretoken)] for pretoken in counts}
    pair_counts = Counter()
    where = defaultdict(set)  # pair -> the pre-tokens that have it, or had it once
    for pretoken, symbols in spelled.items():
        for pair in pairwise(symbols):
            pair_counts[pair] += counts[pretoken]
            where[pair].add(pretoken)
    heap = [(-count, pair) for pair, count in pair_counts.items()]
    heapify(heap)
    while heap and len(merges) < most:
        # 1. Take the pair with the largest count; of equal counts, the one with the smallest (left id, right id).
        count, pair = heappop(heap)
        if -count != pair_counts[pair]:
            if pair_counts[pair] > 0:
                heappush(heap, (-pair_counts[pair], pair))
            continue
        # 2. Stop if its count is below min_freq.
        if -count < min_freq:
            break
        # 3. Give the joined token the next id, and the pair the next rank.
        left, right = tokens[pair[0]], tokens[pair[1]]
        merges.append((left, right))
        tokens.append(left + right)
        # 4. In every pre-token, replace the pair from left to right wherever it stands. Then set the counts right.
        changes = Counter()
        for pretoken in where.pop(pair):
            for old in pairwise(spelled[pretoken]):
                changes[old] -= counts[pretoken]
            spelled[pretoken] = replace_pair(spelled[pretoken], pair, len(tokens) - 1)
            for new in pairwise(spelled[pretoken]):
                changes[new] += counts[pretoken]
                where[new].add(pretoken)
        for changed, change in changes.items():
            pair_counts[changed] += change
            if change > 0:
                heappush(heap, (-pair_counts[changed], changed))
    return merges


def replace_pair(symbols: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    replaced: list[int] = []
    for symbol in symbols:
        if replaced and (replaced[-1], symbol) == pair:
            replaced[-1] = new
        else:
            replaced.append(symbol)
    return replaced


def cut(text: str, contents: Collection[str]) -> Iterator[tuple[str, str | None]]:
    """Each segment of `text` with the content behind it: leftmost first, and of two that begin together the longer one."""
    check_text(text)
    trie = Trie()
    for content in contents:
        trie.insert(content, content)
    start = at = 0
    while at < len(text):
        length, content = trie.longest_prefix(text, at) or (0, None)
        if length > 0:
            yield text[start:at], content
            start = at + length
        at += max(length, 1)
    yield text[start:], None


def merge_by_rank(symbols: list[str], rank_of: Mapping[Pair, int]) -> list[str]:
    """Join the neighbouring pair of lowest rank where it stands first, one at a time, until no pair has a rank.

    Right for any list of merges, also where one outranks the merge that makes its part. Cost: O(symbols squared): little for
    the few symbols of most pre-tokens, days for a million letters without a space.
    """
    while len(symbols) > 1:
        rank, at = min((rank_of.get(pair, inf), at) for at, pair in enumerate(pairwise(symbols)))
        if rank == inf:
            break
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
    return symbols


# ---- what parts and files must be ----


def check_text(text: str, where: str = "text") -> None:
    if not isinstance(text, str):
        raise TypeError(f"{where} must be a str, not {type(text).__name__} ({text!r:.40})")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{where} has a lone surrogate, {text[error.start]!a}, at position {error.start}") from None


def check_vocab(vocab: Mapping[str, int], where: str = "vocab") -> None:
    for token, id in vocab.items():
        check_text(token, f"a token of {where}")
        if token == "" or type(id) is not int or not 0 <= id < len(vocab):
            raise ValueError(f"{where}[{token!r}] is {id!r:.40}; tokens are not empty, ids run from 0 without a gap")
    if len({*vocab.values()}) < len(vocab):
        raise ValueError(f"{where} has an id twice")


def checked_merges(merges: Iterable[Any], vocab: Collection[str], place: str, first: int = 0) -> list[Pair]:
    """Merges, as pairs or as strings "a b". `place` and `first` say how an error names one: by its rank or its line."""
    found: dict[Pair, int] = {}
    for at, merge in enumerate(merges, first):
        pair = merge.split(" ") if isinstance(merge, str) else merge
        problem = ""
        if not isinstance(pair, (tuple, list)) or [*map(type, pair)] != [str, str]:
            problem = "it must be two tokens"
        elif not all(token in vocab for token in (*pair, "".join(pair))):
            problem = "the vocabulary lacks a part of it, or its result"
        elif found.setdefault(tuple(pair), at) != at:
            problem = "it is listed before"
        if problem:
            raise ValueError(f"{place.format(at)} is {shown(merge)}; {problem}")
    return list(found)


def checked_added(added_tokens: Iterable[Added], vocab: Mapping[str, int]) -> tuple[dict[str, int], frozenset[int]]:
    """content -> id, which is that in the vocabulary or the next free one; and the ids of the special ones."""
    added, special_ids, free = {}, set(), len(vocab)
    for i, (content, id, special) in enumerate(added_tokens):
        where = f"added_tokens[{i}]"
        check_text(content, f"{where}.content")
        if content == "" or content in added:
            raise ValueError(f"{where}.content is {content!r:.60}; it must not be empty or listed before")
        added[content] = vocab.get(content, free)
        if type(id) is not int or id != added[content]:
            raise ValueError(f"{where}.id is {id!r:.60}; for {content!r:.60} it must be {added[content]}")
        free += content not in vocab
        special_ids |= {id} if special else set()
    return added, frozenset(special_ids)


@contextmanager
def naming(path: PathName) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def first_values(fields: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {field: values[0] for field, values in fields.items()}


def parse_tokenizer_json(found: Any) -> tuple[dict[str, int], list[Pair], list[Added], Any]:
    """The four arguments of BPETokenizer."""
    if isinstance(found, dict) and type(found.get("model", 0)) is int:  # GPT-2's vocab.json has a token "model"
        raise ValueError("model is missing or an id; a vocab.json is read with its merges.txt: from_gpt2")
    parts = dict.fromkeys(["added_tokens", "pre_tokenizer", "post_processor", "decoder"])
    check_fields(found, "", {**FILE, **parts, "model": None}, optional=[*FILE, *parts])
    digits_step(found.get("pre_tokenizer"))
    either = {**BYTE_LEVEL, "add_prefix_space": YES_NO, "use_regex": YES_NO}  # where it changes no id
    for part in ["decoder"] if found.get("post_processor") is None else ["post_processor", "decoder"]:
        check_fields(found.get(part), part, either, optional=["use_regex"])
    model, added_tokens = found["model"], found.get("added_tokens", [])
    check_fields(model, "model", {**MODEL, "vocab": None, "merges": None}, optional=MODEL)
    check_fields(model["vocab"], "model.vocab", None)
    check_vocab(model["vocab"], "model.vocab")
    if not isinstance(model["merges"], list) or len({*map(type, model["merges"])}) > 1:
        raise ValueError(f"model.merges is {shown(model['merges'])}; it must be a list of strings, or one of pairs")
    if any(isinstance(merge, str) and merge.startswith(HEADER) for merge in model["merges"]):
        raise ValueError(f"model.merges has a string with {HEADER}, which Hugging Face skips; write it as a pair")
    if not isinstance(added_tokens, list):
        raise ValueError(f"added_tokens is {shown(added_tokens)}; it must be a list of objects")
    for i, token in enumerate(added_tokens):
        check_fields(token, f"added_tokens[{i}]", {"id": None, "content": None, **ADDED})
        if token["normalized"] != added_tokens[0]["normalized"]:
            raise ValueError(f"added_tokens[{i}].normalized is not that of added_tokens[0]; all must be alike")
    added = [(token["content"], token["id"], token["special"]) for token in added_tokens]
    merges = checked_merges(model["merges"], model["vocab"], "model.merges[{}]")
    return model["vocab"], merges, added, found["pre_tokenizer"]


def digits_step(declared: Any) -> bool | None:
    """How `split_digits` is to cut before GPT-2's split: True for each digit alone, False for runs, None for not at all."""
    where, steps = "pre_tokenizer", [declared]
    if isinstance(declared, dict) and declared.get("type") == "Sequence":
        check_fields(declared, where, {"type": ["Sequence"], "pretokenizers": None})
        where, steps = "pre_tokenizer.pretokenizers", declared["pretokenizers"]
    if not isinstance(steps, list) or len(steps) not in (1, 2):
        raise ValueError(f"{where} is {shown(steps)}; it must be ByteLevel, alone or after Digits")
    last = where if steps[-1] is declared else f"{where}[{len(steps) - 1}]"
    check_fields(steps[-1], last, BYTE_LEVEL, optional=["use_regex"])
    if len(steps) == 1:
        return None
    check_fields(steps[0], f"{where}[0]", {"type": ["Digits"], "individual_digits": YES_NO})
    return steps[0]["individual_digits"]

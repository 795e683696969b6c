"""A second correct BPETokenizer (L1.2), written another way than the reference: tests of students must pass on it too.

Plain rather than fast: training counts all pairs anew for each merge, encoding goes once through the list of merges, and
nothing is kept from one call to the next.
"""

import operator
import os
import re
from collections import Counter
from itertools import pairwise

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes
from tinyllm.tok.jsonfile import check_fields, read_json, read_text, write_json
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
EITHER = [True, False]


class BPETokenizer(Tokenizer):
    def __init__(self, vocab, merges, added_tokens=(), pre_tokenizer=None):
        self.vocab = dict(vocab)
        self.merges = [_pair(number, pair) for number, pair in enumerate(merges)]
        self.pre_tokenizer = dict(BYTE_LEVEL if pre_tokenizer is None else pre_tokenizer)
        self.unk_id = None
        _check_vocab(self.vocab)
        _check_merges(self.merges, self.vocab)
        self.added, self.special_ids = _number_added(added_tokens, self.vocab)
        self._token_of = {id: token for token, id in {**self.added, **self.vocab}.items()}
        self.vocab_size = len(self._token_of)
        self._steps = _read_pre_tokenizer(self.pre_tokenizer)
        self._symbol_of, self._byte_of = bytes_to_unicode(), unicode_to_bytes()
        # For _merge: the merges that make a token, and whether no merge comes before one that makes a part of it.
        self._makers = {}
        for rank, (left, right) in enumerate(self.merges):
            self._makers.setdefault(left + right, []).append(rank)
        self._longest = max(map(len, self._makers), default=0)
        self._in_order = all(
            maker < rank
            for rank, pair in enumerate(self.merges)
            for part in pair
            for maker in self._makers.get(part, ())
        )

    # ---- training ----

    @classmethod
    def train(cls, texts, vocab_size, specials=(), min_freq=2):
        specials = _check_specials(specials)
        if isinstance(texts, str):
            raise TypeError("texts must be an iterable of str, not one str")
        if operator.index(vocab_size) < 256 + len(specials):
            raise ValueError(f"vocab_size is {vocab_size}; it must be at least {256 + len(specials)}")
        if operator.index(min_freq) < 1:
            raise ValueError(f"min_freq is {min_freq}; it must be at least 1")
        counts = Counter()
        for text in texts:
            for segment, _ in _cut(_check_text(text), specials):
                counts.update(pretokenize_gpt2(segment))
        tokens = [*specials, *sorted(unicode_to_bytes())]
        merges = []
        id_of = {token: id for id, token in enumerate(tokens)}
        symbol_of = bytes_to_unicode()
        spelled = {pretoken: [id_of[symbol_of[byte]] for byte in pretoken.encode("utf-8")] for pretoken in counts}
        while len(tokens) < vocab_size:
            pair_counts = Counter()
            for pretoken, ids in spelled.items():
                for pair in pairwise(ids):
                    pair_counts[pair] += counts[pretoken]
            best = min(pair_counts, key=lambda pair: (-pair_counts[pair], pair), default=None)
            if best is None or pair_counts[best] < min_freq:
                break
            left, right = tokens[best[0]], tokens[best[1]]
            if left + right in specials:
                raise ValueError(f"training merges {left!r} and {right!r} into the special {left + right!r}")
            merges.append((left, right))
            for ids in spelled.values():
                _replace(ids, best, len(tokens))
            tokens.append(left + right)
        vocab = {token: id for id, token in enumerate(tokens)}
        return cls(vocab, merges, [(special, vocab[special], True) for special in specials])

    # ---- encoding ----

    def encode(self, text, *, allowed_special="all"):
        ids = []
        for segment, content in _cut(_check_text(text), self._matching(allowed_special)):
            pretokens = [segment]
            for step in self._steps:
                pretokens = [part for pretoken in pretokens for part in step(pretoken)]
            for pretoken in pretokens:
                symbols = [self._symbol_of[byte] for byte in pretoken.encode("utf-8")]
                symbols = [symbol for symbol in symbols if symbol in self.vocab]
                ids += [self.vocab[token] for token in self._merge(symbols)]
            if content is not None:
                ids.append(self.added[content])
        return ids

    def _merge(self, symbols):
        """One pass over the merges in the order of their ranks, each applied from left to right wherever it fits.

        Why this is the same as "lowest rank first, leftmost of equals, one at a time", if no merge comes before one that
        makes a part of it: take the pass when it comes to rank r. No pair of a lower rank is there: such pairs were
        merged when their turn came, and a merge done since then made a token whose pairs all rank behind it. So r, if it
        is there, is the lowest; merging its leftmost occurrence makes only pairs that rank behind r; so the next lowest is r again,
        at its next occurrence, until there is none.
        In any other list a merge may make a pair of lower rank. Then the pass starts anew after each single merge.

        Only merges whose token is a part of the joined symbols can ever apply; the others are passed over unread.
        """
        joined = "".join(symbols)
        parts = {joined[i:j] for i in range(len(joined)) for j in range(i + 2, min(len(joined), i + self._longest) + 1)}
        ranks = sorted(rank for part in parts for rank in self._makers.get(part, ()))
        turn = 0
        while turn < len(ranks):
            pair = self.merges[ranks[turn]]
            merged = _replace(symbols, pair, "".join(pair), most=None if self._in_order else 1)
            turn = 0 if merged and not self._in_order else turn + 1
        return symbols

    def _matching(self, allowed_special):
        """The contents of the added tokens that may match."""
        special = [content for content, id in self.added.items() if id in self.special_ids]
        if isinstance(allowed_special, str):
            if allowed_special not in ("all", "none"):
                raise ValueError(f'allowed_special is {allowed_special!r}; it must be "all", "none" or a collection')
            allowed_special = special if allowed_special == "all" else []
        for content in allowed_special:
            if content not in self.added:
                raise ValueError(f"allowed_special has {content!r}, which is no added token")
        return [content for content in self.added if content in allowed_special or content not in special]

    # ---- decoding ----

    def decode(self, ids, skip_special=False, *, errors="replace"):
        if errors not in ("replace", "strict"):
            raise ValueError(f'errors is {errors!r}; it must be "replace" or "strict"')
        return self.decode_bytes(ids, skip_special).decode("utf-8", errors)

    def decode_bytes(self, ids, skip_special=False):
        skipped = self.special_ids if skip_special else ()
        return b"".join(self.token_bytes(id) for id in check_ids(ids, self.vocab_size) if id not in skipped)

    def token_bytes(self, id):
        token = self.id_to_token(id)
        if token in self.added or not all(symbol in self._byte_of for symbol in token):
            return token.encode("utf-8")
        return bytes(self._byte_of[symbol] for symbol in token)

    def id_to_token(self, id):
        return self._token_of[check_ids([id], self.vocab_size)[0]]

    def token_to_id(self, token):
        return self.vocab.get(token, self.added.get(token))

    # ---- files ----

    @classmethod
    def from_gpt2(cls, vocab_json, merges_txt):
        vocab = read_json(vocab_json)
        lines = read_text(merges_txt).replace("\r\n", "\n").split("\n")
        first = 1 if lines[0].startswith("#version") else 0
        if lines[-1] == "":
            lines.pop()
        with _Naming(vocab_json):
            check_fields(vocab, "", None)
            _check_vocab(vocab)
        with _Naming(merges_txt):
            merges = []
            for number, line in enumerate(lines[first:], start=first + 1):
                if not re.fullmatch("[^ ]+ [^ ]+", line):
                    raise ValueError(f"line {number} is {line!r}; it must be two tokens separated by one space")
                merges.append(tuple(line.split(" ")))
            end_of_text = "<|endoftext|>"
            return cls(vocab, merges, [(end_of_text, vocab[end_of_text], True)] if end_of_text in vocab else [])

    @classmethod
    def from_hf_json(cls, tokenizer_json):
        found = read_json(tokenizer_json)
        with _Naming(tokenizer_json):
            return cls(*_read_file(found))

    @classmethod
    def load(cls, path):
        return cls.from_hf_json(path)

    def save(self, path):
        plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        added = [
            {"id": id, "content": content, **plain, "special": id in self.special_ids}
            for content, id in sorted(self.added.items(), key=lambda entry: entry[1])
        ]
        model = {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": self.vocab,
            "merges": self.merges,
        }
        nothing = {"version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None}
        steps = {"pre_tokenizer": self.pre_tokenizer, "decoder": BYTE_LEVEL}
        write_json(path, {**nothing, **steps, "added_tokens": added, "model": model})


# ---- texts ----


def _check_text(text):
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    for position, ch in enumerate(text):
        if "\ud800" <= ch <= "\udfff":
            raise ValueError(f"text has a lone surrogate at position {position}")
    return text


def _cut(text, contents):
    """Each segment of the text with the content that follows it, None at the end."""
    start = at = 0
    longest_first = sorted(contents, key=len, reverse=True)
    while at < len(text):
        content = next((content for content in longest_first if text.startswith(content, at)), None)
        if content is None:
            at += 1
        else:
            yield text[start:at], content
            start = at = at + len(content)
    yield text[start:], None


def _replace(symbols, pair, merged, most=None):
    """Replace the pair in the list, from left to right, at most so often. How often it was."""
    done = at = 0
    while at + 1 < len(symbols) and done != most:
        if (symbols[at], symbols[at + 1]) == pair:
            symbols[at : at + 2] = [merged]
            done += 1
        at += 1
    return done


# ---- the rules ----


class _Naming:
    """Errors inside name the file."""

    def __init__(self, path):
        self.path = os.fspath(path)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, (ValueError, TypeError)):
            raise ValueError(f"{self.path}: {error}") from None


def _check_specials(specials):
    if isinstance(specials, str):
        raise TypeError("specials must be a sequence of str, not one str")
    specials = list(specials)
    for number, special in enumerate(specials):
        if not isinstance(special, str):
            raise TypeError(f"specials[{number}] is {special!r}; it must be a str")
        if special == "" or special in specials[:number] or special in unicode_to_bytes():
            raise ValueError(f"specials[{number}] is {special!r}; it must not be empty, repeated or a byte symbol")
    return specials


def _check_vocab(vocab):
    for token, id in vocab.items():
        if not isinstance(token, str):
            raise TypeError(f"vocab has the key {token!r}; a token is a str")
        if token == "" or type(id) is not int:
            raise ValueError(f"vocab has {token!r} with the id {id!r}; a token is not empty and an id is an integer")
        _check_text(token)
    for expected, id in enumerate(sorted(vocab.values())):
        if id != expected:
            raise ValueError(
                f"vocab has ids with a gap or a repetition at {expected}: each from 0 on must be there once"
            )


def _pair(number, pair):
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
        raise ValueError(f"merges[{number}] is {pair!r}; it must be a pair of tokens")
    return tuple(pair)


def _check_merges(merges, vocab):
    seen = set()
    for number, (left, right) in enumerate(merges):
        for token in (left, right, left + right):
            if token not in vocab:
                raise ValueError(f"merges[{number}] needs the token {token!r}, which the vocabulary lacks")
        if (left, right) in seen:
            raise ValueError(f"merges[{number}] is {left!r}, {right!r}, which is listed before")
        seen.add((left, right))


def _number_added(added_tokens, vocab):
    added, special_ids, free = {}, set(), len(vocab)
    for number, entry in enumerate(added_tokens):
        where = f"added_tokens[{number}]"
        if not isinstance(entry, (tuple, list)) or len(entry) != 3:
            raise ValueError(f"{where} is {entry!r}; it must be (content, id, special)")
        content, id, special = entry
        if not isinstance(content, str):
            raise TypeError(f"{where}.content is {content!r}; it must be a str")
        if _check_text(content) == "" or content in added:
            raise ValueError(f"{where}.content is {content!r}, which is empty or listed before")
        expected = vocab.get(content, free)
        free += content not in vocab
        if isinstance(id, bool) or not hasattr(id, "__index__") or operator.index(id) != expected:
            raise ValueError(f"{where}.id is {id!r}; it must be {expected}")
        if not isinstance(special, bool):
            raise ValueError(f"{where}.special is {special!r}; it must be true or false")
        added[content] = expected
        if special:
            special_ids.add(expected)
    return added, frozenset(special_ids)


def _read_pre_tokenizer(declared):
    """The functions that the declaration asks for, in order."""
    where, steps = "pre_tokenizer", [declared]
    if isinstance(declared, dict) and declared.get("type") == "Sequence":
        check_fields(declared, where, {"type": ["Sequence"], "pretokenizers": None})
        steps = declared["pretokenizers"]
        if not isinstance(steps, list) or len(steps) not in (1, 2):
            raise ValueError("pre_tokenizer.pretokenizers must be ByteLevel, alone or after Digits")
    functions = [pretokenize_gpt2]
    if len(steps) == 2:
        check_fields(steps[0], f"{where}.pretokenizers[0]", {"type": ["Digits"], "individual_digits": EITHER})
        individual = steps[0]["individual_digits"]
        functions.insert(0, lambda text: split_digits(text, individual))
    byte_level = {"type": ["ByteLevel"], "add_prefix_space": [False], "trim_offsets": EITHER, "use_regex": [True]}
    check_fields(steps[-1], where, byte_level, optional=["use_regex"])
    return functions


def _read_file(found):
    """The arguments of BPETokenizer from the content of a tokenizer.json."""
    null = dict.fromkeys(["truncation", "padding", "normalizer"], [None])
    own = dict.fromkeys(["added_tokens", "pre_tokenizer", "post_processor", "decoder"])
    check_fields(found, "", {"version": ["1.0"], **null, **own, "model": None}, optional=["version", *null, *own])
    byte_level = {"type": ["ByteLevel"], "add_prefix_space": EITHER, "trim_offsets": EITHER, "use_regex": EITHER}
    if found.get("post_processor") is not None:
        check_fields(found["post_processor"], "post_processor", byte_level, optional=["use_regex"])
    check_fields(found.get("decoder"), "decoder", byte_level, optional=["use_regex"])
    pre_tokenizer = found.get("pre_tokenizer")
    _read_pre_tokenizer(pre_tokenizer)

    settings = {
        "type": ["BPE"],
        "dropout": [None],
        "unk_token": [None],
        "continuing_subword_prefix": [None, ""],
        "end_of_word_suffix": [None, ""],
        "fuse_unk": [False],
        "byte_fallback": [False],
        "ignore_merges": [False],
    }
    model = found["model"]
    check_fields(model, "model", {**settings, "vocab": None, "merges": None}, optional=settings)
    check_fields(model["vocab"], "model.vocab", None)
    if not isinstance(model["merges"], list):
        raise ValueError("model.merges must be a list of pairs")
    if len({*map(type, model["merges"])}) > 1:
        raise ValueError("model.merges has strings and pairs; all must be written one way")
    merges = []
    for number, merge in enumerate(model["merges"]):
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if isinstance(merge, str) and (len(pair) != 2 or "" in pair or merge.startswith("#version")):
            raise ValueError(
                f"model.merges[{number}] is {merge!r}; it must be two tokens separated by one space, and no header"
            )
        merges.append(pair)

    listed = found.get("added_tokens", [])
    if not isinstance(listed, list):
        raise ValueError("added_tokens must be a list of objects")
    added = []
    for number, token in enumerate(listed):
        plain = {"single_word": [False], "lstrip": [False], "rstrip": [False], "normalized": EITHER, "special": EITHER}
        check_fields(token, f"added_tokens[{number}]", {"id": None, "content": None, **plain})
        if token["normalized"] != listed[0]["normalized"]:
            raise ValueError(f"added_tokens[{number}].normalized differs from that of added_tokens[0]")
        added.append((token["content"], token["id"], token["special"]))
    try:
        _check_vocab(model["vocab"])
        _check_merges([_pair(number, pair) for number, pair in enumerate(merges)], model["vocab"])
    except ValueError as error:
        raise ValueError(f"model.{error}") from None
    return model["vocab"], merges, added, pre_tokenizer

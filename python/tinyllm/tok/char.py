"""The tokenizer with one id a character (L1.1), a character being one Unicode code point.

The simplest tokenizer that is trained: training lists the characters it met, the most frequent first. Encoding cuts the
text at every character. It merges nothing, so texts stay long, and it loses every character that training never met.
Invariant: ids run from 0 without a gap; "<unk>" is 0; a token of several characters is a special.
Files: Hugging Face's WordLevel model, which loads there and gives the same ids.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.jsonfile import check_fields, read_json, shown, write_json

if TYPE_CHECKING:
    from typing import Self

UNKNOWN = "<unk>"


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

    def __init__(self, vocab: Mapping[str, int], *, specials: Sequence[str] = ()) -> None:
        """A tokenizer with this vocabulary (token to id); its tokens of several characters are the specials.

        `specials` names specials of one character, which `vocab` alone cannot tell from ordinary ones.
        Raises ValueError if "<unk>" is not id 0, if a token is empty, if the ids have a gap or repeat, or if a special
        is not in `vocab`. Cost: O(tokens).
        """
        self.vocab = _checked_vocab(vocab)
        matched = {token for token in self.vocab if len(token) > 1} | {*_checked_list(specials)}
        if not matched <= self.vocab.keys():
            raise ValueError(f"specials has {min(matched - self.vocab.keys())!r}, which is not in vocab")
        self.vocab_size = len(self.vocab)
        self.special_ids = frozenset(self.vocab[token] for token in matched)
        self.unk_id = 0
        self._token_of_id = sorted(self.vocab, key=self.vocab.__getitem__)
        self._token = _token_pattern(matched)

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int | None = None, specials: Sequence[str] = ()) -> Self:
        """Count the characters of `texts` (any iterable, read once), with "<unk>" and the specials cut out first.

        Ids: "<unk>" 0, the specials in the order given, then characters by falling count, equal counts by code point.
        `vocab_size` bounds the number of ids, "<unk>" and specials included; None keeps every character.
        Raises ValueError for a `vocab_size` below 1 plus the specials, and for a special that is empty, repeated or "<unk>".
        Cost: O(characters); memory grows with the distinct characters and the longest text.

        >>> CharTokenizer.train(["hello"], vocab_size=4, specials=["<s>"]).vocab
        {'<unk>': 0, '<s>': 1, 'l': 2, 'e': 3}
        """
        specials = _checked_list(specials)
        first = [UNKNOWN, *specials]
        if len({*first}) < len(first):
            repeated = next(token for i, token in enumerate(first) if token in first[:i])
            raise ValueError(
                f"specials has {repeated!r}, which is a token already; each may be listed once, and {UNKNOWN!r} never"
            )
        if vocab_size is not None and index(vocab_size) < len(first):
            raise ValueError(
                f"vocab_size is {vocab_size}; it must be at least {len(first)}: {UNKNOWN!r} and {len(specials)} specials"
            )
        if isinstance(texts, str):
            raise TypeError("texts must be an iterable of str, not one str: write [text]")
        token = _token_pattern(first)
        counts: Counter[str] = Counter()
        for text in texts:
            _check_text(text)
            counts.update(token.findall(text))
        for special in first:
            del counts[special]
        by_count = sorted(counts, key=lambda ch: (-counts[ch], ch))
        vocab = {token: id for id, token in enumerate([*first, *by_count][:vocab_size])}
        return cls(vocab, specials=specials)

    def encode(self, text: str) -> list[int]:
        """The ids of `text`: specials first, leftmost then longest; then one id a character, 0 for an unknown one.

        Raises TypeError if `text` is not a str, ValueError naming the position (in characters) of a lone surrogate.
        Cost: O(characters).
        """
        _check_text(text)
        return [self.vocab.get(token, 0) for token in self._token.findall(text)]

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """Join the tokens; an unknown one shows as "<unk>" unless `skip_special`. Raises as `check_ids` does."""
        skipped = self.special_ids if skip_special else ()
        return "".join(self._token_of_id[id] for id in check_ids(ids, self.vocab_size) if id not in skipped)

    def id_to_token(self, id: int) -> str:
        """The token with this id. Raises as `check_ids` does."""
        return self._token_of_id[check_ids([id], self.vocab_size)[0]]

    def token_to_id(self, token: str) -> int | None:
        """The id of `token`, or None if the vocabulary does not have it."""
        if not isinstance(token, str):
            raise TypeError(f"a token is a str, not {type(token).__name__} ({token!r:.40})")
        return self.vocab.get(token)

    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Write a tokenizer.json that Hugging Face loads with the same ids; an old file is replaced whole or not at all.

        A WordLevel model, the pre-tokenizer Split([\s\S], Isolated), a Fuse decoder, "<unk>" and the specials as
        added special tokens. Raises OSError if the file cannot be written.
        """
        added_tokens = [{"id": id, "content": self._token_of_id[id], **ADDED_FLAGS} for id in sorted(self.special_ids)]
        vocab = {token: id for id, token in enumerate(self._token_of_id)}
        model = {"type": "WordLevel", "vocab": vocab, "unk_token": UNKNOWN}
        write_json(path, {**FRAME, "added_tokens": added_tokens, "model": model})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file and the field for anything else."""
        found = read_json(path)
        try:
            vocab, specials = _parse(found)
            return cls(vocab, specials=specials)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None


# How a text is cut


def _token_pattern(specials: Collection[str]) -> re.Pattern[str]:
    """Matches one token: the longest special that starts here, else one character, line ends included."""
    longest_first = sorted(specials, key=len, reverse=True)  # of alternatives, `re` takes the first that matches
    return re.compile("|".join([*map(re.escape, longest_first), "."]), re.DOTALL)


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate = f"U+{ord(text[error.start]):04X}"
        raise ValueError(
            f"text is not valid Unicode: position {error.start} is the lone surrogate {surrogate}"
        ) from None


# The rules for vocabularies and files

ADDED_FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
FRAME: dict[str, Any] = {  # the fields that are the same in every file
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "normalizer": None,
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"[\s\S]"}, "behavior": "Isolated", "invert": False},
    "post_processor": None,
    "decoder": {"type": "Fuse"},
}


def _checked_vocab(vocab: Mapping[str, int]) -> dict[str, int]:
    vocab = dict(vocab)
    token_of: dict[int, str] = {}
    for token, id in vocab.items():
        _check_token(token, "vocab")
        if type(id) is not int or id < 0:
            raise ValueError(f"vocab[{token!r}] is {id!r:.40}; an id is an integer, 0 or more")
        if id in token_of:
            raise ValueError(f"vocab[{token!r}] is {id}, and so is vocab[{token_of[id]!r}]; an id belongs to one token")
        token_of[id] = token
    if token_of.get(0) != UNKNOWN:
        raise ValueError(f"vocab has {token_of.get(0)!r} as id 0; it must be {UNKNOWN!r}")
    for id in range(len(vocab)):
        if id not in token_of:
            raise ValueError(f"vocab has no token with id {id}, but one with id {max(token_of)}; ids must have no gap")
    return vocab


def _checked_list(specials: Sequence[str]) -> list[str]:
    if isinstance(specials, str):
        raise TypeError(f"specials must be a sequence of str, not the str {specials!r:.40}: write [{specials!r:.40}]")
    listed = list(specials)
    for special in listed:
        _check_token(special, "specials")
    return listed


def _check_token(token: Any, where: str) -> None:
    if not isinstance(token, str):
        raise TypeError(f"{where} has {token!r:.40}; a token is a str")
    if not token:
        raise ValueError(f"{where} has the empty string; a token has at least one character")
    if any("\ud800" <= ch <= "\udfff" for ch in token):
        raise ValueError(f"{where} has {token!a:.40}, with a lone surrogate; that is no Unicode text")


def _parse(found: Any) -> tuple[dict[str, int], list[str]]:
    """The vocabulary and the specials of a tokenizer.json. ValueError names the field."""
    fields: dict[str, Any] = {field: [value] for field, value in FRAME.items()}
    check_fields(found, "", {**fields, "pre_tokenizer": None, "decoder": None, "added_tokens": None, "model": None})
    for section in ("pre_tokenizer", "decoder"):
        check_fields(found[section], section, {field: [value] for field, value in FRAME[section].items()})
    check_fields(found["model"], "model", {"type": ["WordLevel"], "vocab": None, "unk_token": [UNKNOWN]})
    vocab = found["model"]["vocab"]
    check_fields(vocab, "model.vocab", None)
    specials = _parse_added_tokens(found["added_tokens"], vocab)
    for token in vocab:
        # Hugging Face never finds such a token in a text, which it cuts into characters; taken for a special, it would be found.
        if len(token) > 1 and token not in specials:
            raise ValueError(f"model.vocab[{token!r}] is no added token; a token of several characters must be one")
    return vocab, specials


def _parse_added_tokens(added_tokens: Any, vocab: Mapping[str, int]) -> list[str]:
    if not isinstance(added_tokens, list):
        raise ValueError(f"added_tokens is {shown(added_tokens)}; it must be a list of objects")
    specials: list[str] = []
    for i, token in enumerate(added_tokens):
        where = f"added_tokens[{i}]"
        check_fields(
            token, where, {"id": None, "content": None, **{flag: [value] for flag, value in ADDED_FLAGS.items()}}
        )
        content = token["content"]
        if not isinstance(content, str) or content not in vocab:
            raise ValueError(f"{where}.content is {shown(content)}, which model.vocab lacks")
        if content in specials:
            raise ValueError(f"{where}.content is {shown(content)}, which is listed already")
        check_fields({"id": token["id"]}, where, {"id": [vocab[content]]})
        specials.append(content)
    return specials

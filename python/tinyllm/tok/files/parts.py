"""The rules for a tokenizer's parts: what a vocabulary, merges and added tokens must be.

Each check looks at everything at once, at C speed, and for the culprit only if there is one: real files are large and hardly
ever wrong.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from operator import add, index
from typing import Any, NamedTuple

from tinyllm.tok.jsonfile import shown
from tinyllm.tok.splitting.declaration import declaration_of
from tinyllm.tok.splitting.text import lone_surrogate

Pair = tuple[str, str]
AddedToken = tuple[str, int, bool]  # content, id, special


class Parts(NamedTuple):
    """The parts of a tokenizer, checked, and no one else's.

    merge_parts    the left and right parts of all merges, one after the other: 50,000 tuples would take as long to make as
                   to check, and few look at them
    pre_tokenizer  the declaration as tokenizer.json spells it
    post_processor  likewise, or None: it changes no ids, but says whether offsets leave out white space
    """

    vocab: dict[str, int]
    merge_parts: list[str]
    added: dict[str, int]
    special_ids: frozenset[int]
    pre_tokenizer: dict[str, Any]
    post_processor: dict[str, Any] | None = None


def checked_parts(
    vocab: Mapping[str, int],
    merges: Iterable[Pair],
    added_tokens: Iterable[AddedToken],
    pre_tokenizer: str | Mapping[str, Any] | None,
) -> Parts:
    """The parts of a tokenizer from what a caller gave. Raises ValueError and TypeError naming what is wrong with them."""
    own_vocab = checked_vocab(vocab)
    merge_parts = checked_merges(merges, own_vocab)
    return Parts(own_vocab, merge_parts, *checked_added(added_tokens, own_vocab), declaration_of(pre_tokenizer))


def checked_vocab(vocab: Mapping[str, int]) -> dict[str, int]:
    """`vocab` as a dict of its own."""
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


def checked_merges(merges: Iterable[Pair], vocab: Mapping[str, int]) -> list[str]:
    """The left and right parts of `merges`, one after the other."""
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


def checked_lines(lines: list[str], vocab: Mapping[str, int]) -> list[str]:
    """The merges that `lines` write as "left right", checked against `vocab`, as `checked_merges` gives them.

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
    return checked_merges([tuple(line.split(" ")) for line in lines], vocab)  # type: ignore[misc]


def checked_added(
    added_tokens: Iterable[AddedToken], vocab: Mapping[str, int]
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
        if lone_surrogate(content) is not None:
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


@contextmanager
def errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever is wrong inside is wrong with this file."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None

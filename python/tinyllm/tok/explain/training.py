"""How merges are learned from texts, step by step.

Every pair is counted anew at each step, as the chapter defines it. It shares no code with `merging/training.py`, so a trace is
also a check: its merges are `train`'s. It is slow on purpose, and costs nothing unless called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.explain.encoding import check_text, cut, pretokenizer_of
from tinyllm.tok.explain.records import CountChange, CountedPretoken, PairCount, PretokenChange, Step, TrainTrace
from tinyllm.tok.merging.training import check_training
from tinyllm.tok.splitting.declaration import declaration_of


def trace_train(
    texts: Iterable[str],
    vocab_size: int,
    specials: Sequence[str] = (),
    min_freq: int = 2,
    *,
    pre_tokenizer: str | Mapping[str, Any] | None = None,
) -> TrainTrace:
    """How `BPETokenizer.train` with these arguments learns its merges, step by step. The trace's merges are those of `train`.

    Raises what `train` raises. Cost: O(steps x symbols) in time and O(steps x pairs) in the size of the trace.

    >>> trace = trace_train(["hug", "hug", "pug", "hugs"], vocab_size=259, min_freq=1)
    >>> [(step.token, step.chosen.count, len(step.tied)) for step in trace.steps]
    [('ug', 4, 0), ('hug', 3, 0), ('pug', 1, 1)]
    """
    check_training(vocab_size, specials, min_freq)
    stand_in = bytes_to_unicode()
    id_of = {token: id for id, token in enumerate([*specials, *sorted(stand_in.values())])}
    counts = _count_pretokens(texts, frozenset(specials), pretokenizer_of(declaration_of(pre_tokenizer)))
    symbols = [tuple(stand_in[byte] for byte in pretoken.encode("utf-8")) for pretoken in counts]
    pretokens = tuple(CountedPretoken(text, count, start) for (text, count), start in zip(counts.items(), symbols))

    steps: list[Step] = []
    pairs = _count_pairs(symbols, pretokens, id_of)
    while len(id_of) < vocab_size and pairs and pairs[0].count >= min_freq:
        chosen = pairs[0]
        token = chosen.left + chosen.right
        if token in specials:
            raise ValueError(f"training merges {chosen.left!r} and {chosen.right!r} into {token!r}, which is a special")
        id_of[token] = len(id_of)
        after = [_merge_everywhere(before, chosen.left, chosen.right) for before in symbols]
        changed = [PretokenChange(i, *states) for i, states in enumerate(zip(symbols, after)) if states[0] != states[1]]
        pairs_after = _count_pairs(after, pretokens, id_of)
        tied = tuple(pair for pair in pairs[1:] if pair.count == chosen.count)
        count_changes = tuple(_changes(pairs, pairs_after))
        steps.append(Step(len(steps), id_of[token], token, chosen, tied, tuple(pairs), tuple(changed), count_changes))
        symbols, pairs = after, pairs_after

    if len(id_of) == vocab_size:
        stopped = f"the vocabulary has its {vocab_size} entries"
    elif not pairs:
        stopped = "no pair is left"
    else:
        stopped = f"the best count left is {pairs[0].count}, and min_freq is {min_freq}"
    return TrainTrace(pretokens, tuple(specials), vocab_size, min_freq, tuple(steps), stopped, tuple(pairs))


# ---- counting for training, anew at each step ----


def _count_pretokens(
    texts: Iterable[str], specials: frozenset[str], pretokenize: Callable[[str], list[str]]
) -> dict[str, int]:
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        hint = ": write [text]" if isinstance(texts, str) else ""
        raise TypeError(f"texts must be an iterable of str, not {type(texts).__name__}{hint}")
    counts: dict[str, int] = {}
    for i, text in enumerate(texts):
        try:
            check_text(text)
        except (TypeError, ValueError) as error:
            raise type(error)(f"texts[{i}]: {error}") from None
        for pretoken, is_special in cut(text, specials, pretokenize):
            if not is_special:
                counts[pretoken] = counts.get(pretoken, 0) + 1
    return counts


def _count_pairs(
    symbols: list[tuple[str, ...]], pretokens: Sequence[CountedPretoken], id_of: Mapping[str, int]
) -> list[PairCount]:
    """Every adjacent pair with its count, best first."""
    counts: dict[tuple[str, str], int] = {}
    for row, pretoken in zip(symbols, pretokens):
        for pair in zip(row, row[1:]):
            counts[pair] = counts.get(pair, 0) + pretoken.count
    found = [PairCount(left, right, id_of[left], id_of[right], count) for (left, right), count in counts.items()]
    return sorted(found, key=lambda pair: (-pair.count, pair.left_id, pair.right_id))


def _merge_everywhere(symbols: tuple[str, ...], left: str, right: str) -> tuple[str, ...]:
    """Every occurrence merged that overlaps no earlier one, left to right."""
    merged: list[str] = []
    at = 0
    while at < len(symbols):
        if symbols[at : at + 2] == (left, right):
            merged.append(left + right)
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return tuple(merged)


def _changes(before: list[PairCount], after: list[PairCount]) -> Iterator[CountChange]:
    count_before = {(pair.left, pair.right): pair.count for pair in before}
    count_after = {(pair.left, pair.right): pair.count for pair in after}
    for pair in dict.fromkeys([*count_before, *count_after]):
        if count_before.get(pair, 0) != count_after.get(pair, 0):
            yield CountChange(*pair, count_before.get(pair, 0), count_after.get(pair, 0))

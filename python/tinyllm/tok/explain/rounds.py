"""The rounds of merging of one pre-token, by the chapter's definition and nothing else, and the merges that did not happen.

One merge at a time, the lowest rank first, the leftmost on a tie. It knows symbols, not where they come from: `encoding.py`
makes them for `BPETokenizer`, `pipeline.py` for `Pipeline`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tinyllm.tok.explain.records import Candidate, NeverChosen, Round

SMALL_TABLE = 100  # below so many merges, those that were never adjacent are listed too


def first_ranks(merges: Sequence[tuple[str, str]], prefix: str = "") -> dict[str, int]:
    """Each token that a merge makes, and the rank of the first merge that does. `prefix`: as in `rounds_of`."""
    last = len(merges) - 1
    made = (
        (left + right[len(prefix) :] for left, right in reversed(merges)) if prefix else map("".join, reversed(merges))
    )
    # From the last to the first, so the first stays.
    return dict(zip(made, range(last, -1, -1)))


def rounds_of(
    symbols: tuple[str, ...], ranks: Mapping[tuple[str, str], int], vocab: Mapping[str, int], prefix: str = ""
) -> Iterator[Round]:
    """The chapter's loop, one merge at a time; merges of the pair that was merged last belong to its round.

    `prefix`: what a right part starts with that is left out where parts join.
    """
    while True:
        before, candidates = symbols, _candidates(symbols, ranks)
        if not candidates or candidates[0].rank is None:
            return
        pair = candidates[0].left, candidates[0].right
        token = pair[0] + pair[1][len(prefix) :]
        merged: list[int] = []
        while _lowest(symbols, ranks) == pair:
            at = list(zip(symbols, symbols[1:])).index(pair)  # the leftmost
            merged.append(at + len(merged))  # each merge before it made the row one symbol shorter
            symbols = symbols[:at] + (token,) + symbols[at + 2 :]
        yield Round(ranks[pair], *pair, token, vocab[token], before, tuple(candidates), tuple(merged), symbols)


def _candidates(symbols: tuple[str, ...], ranks: Mapping[tuple[str, str], int]) -> list[Candidate]:
    at: dict[tuple[str, str], list[int]] = {}
    for position, pair in enumerate(zip(symbols, symbols[1:])):
        at.setdefault(pair, []).append(position)
    found = [Candidate(*pair, ranks.get(pair), tuple(positions)) for pair, positions in at.items()]
    return sorted(found, key=lambda candidate: (candidate.rank is None, candidate.rank or 0, candidate.at))


def _lowest(symbols: tuple[str, ...], ranks: Mapping[tuple[str, str], int]) -> tuple[str, str] | None:
    """The adjacent pair with the lowest rank, or None if no adjacent pair has one."""
    ranked = [pair for pair in zip(symbols, symbols[1:]) if pair in ranks]
    return min(ranked, key=ranks.__getitem__, default=None)


def never_chosen_of(
    rounds: tuple[Round, ...], symbols: tuple[str, ...], ranks: Mapping[tuple[str, str], int]
) -> Iterator[NeverChosen]:
    """The merges that were candidates and not chosen, and of a small table those that never were candidates, by rank."""
    chosen = {(round.left, round.right) for round in rounds}
    seen: dict[tuple[str, str], list[int]] = {}
    for number, round in enumerate(rounds, start=1):
        for candidate in round.candidates:
            if candidate.rank is not None and (candidate.left, candidate.right) not in chosen:
                seen.setdefault((candidate.left, candidate.right), []).append(number)
    listed = (
        [pair for pair in ranks if pair not in chosen]
        if len(ranks) < SMALL_TABLE
        else sorted(seen, key=ranks.__getitem__)
    )
    ever = {*symbols, *(round.token for round in rounds)}
    for pair in listed:
        if pair in seen:
            number = seen[pair][-1]
            reason = _why_taken(pair, number, rounds[number - 1])
            yield NeverChosen(ranks[pair], *pair, tuple(seen[pair]), number, reason)
        else:
            missing = " and ".join(dict.fromkeys(part for part in pair if part not in ever))
            reason = f"{missing} never was a symbol here"
            if not missing:
                reason = f"{pair[0]} never stood before {pair[1]} when a round began"
            yield NeverChosen(ranks[pair], *pair, (), None, reason)


def _why_taken(pair: tuple[str, str], number: int, round: Round) -> str:
    """Why `pair`, a candidate of this round, is none of the next: the round used its symbols."""
    candidate = next(candidate for candidate in round.candidates if (candidate.left, candidate.right) == pair)
    used = {at + offset for at in round.merged for offset in (0, 1)}
    taken = {part for at in candidate.at for part, place in zip(pair, (at, at + 1)) if place in used}
    took = " and ".join(part for part in dict.fromkeys(pair) if part in taken)
    return f"round {number} merged {round.left} + {round.right} (rank {round.rank}) first and took its {took}"

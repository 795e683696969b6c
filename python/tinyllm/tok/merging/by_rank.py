"""Merging by rank (the chapter's second algorithm): the symbols of a pre-token become tokens, lowest rank first.

The long way round, for long pre-tokens, stands beside it. It does not know texts, added tokens or files.

Source: Sennrich, Haddow and Birch 2016; Hugging Face tokenizers and tiktoken for ties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from operator import add

from tinyllm.tok.bytemap import bytes_to_unicode

NEVER = 1 << 62  # the rank of a pair without one: behind all others
LONG = 100  # symbols; from about here on the heap is faster


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


def pretoken_encoder(vocab: Mapping[str, int], merge_parts: Sequence[str]) -> Callable[[str], tuple[int, ...]]:
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

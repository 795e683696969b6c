"""The obvious versions of the two algorithms: too slow to use, too short to be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Pair = tuple[str, str]

# The byte alphabet, written out: byte -> stand-in.
_VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_HIDDEN = [byte for byte in range(256) if byte not in _VISIBLE]
STAND_IN = {**{byte: chr(byte) for byte in _VISIBLE}, **{byte: chr(256 + n) for n, byte in enumerate(_HIDDEN)}}
BYTE_OF = {stand_in: byte for byte, stand_in in STAND_IN.items()}
ALPHABET = sorted(BYTE_OF)


def train(counts: Mapping[str, int], merges: int, min_freq: int, specials: int = 0) -> list[Pair]:
    """Merges learned by counting every pair again after every merge."""
    id_of = {symbol: specials + i for i, symbol in enumerate(ALPHABET)}
    parts = {pretoken: [STAND_IN[byte] for byte in pretoken.encode()] for pretoken in counts}
    learned: list[Pair] = []
    while len(learned) < merges:
        pairs: Counter[Pair] = Counter()
        for pretoken, symbols in parts.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += counts[pretoken]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], id_of[pair[0]], id_of[pair[1]]))
        if pairs[best] < min_freq:
            break
        learned.append(best)
        id_of.setdefault(best[0] + best[1], len(id_of) + specials)
        parts = {pretoken: replace(symbols, best) for pretoken, symbols in parts.items()}
    return learned


def replace(symbols: Sequence[str], pair: Pair) -> list[str]:
    """`pair` joined wherever it occurs, from left to right, without overlaps."""
    result: list[str] = []
    i = 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            result.append(pair[0] + pair[1])
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result


def merge(symbols: Sequence[str], merges: Sequence[Pair]) -> list[str]:
    """The lowest rank first, the leftmost of equals, one merge at a time."""
    symbols = list(symbols)
    rank_of = {pair: rank for rank, pair in enumerate(merges)}
    while True:
        found = [(rank_of[pair], at) for at, pair in enumerate(zip(symbols, symbols[1:])) if pair in rank_of]
        if not found:
            return symbols
        _, at = min(found)
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]


def cut(text: str, contents: Sequence[str]) -> list[tuple[str, str | None]]:
    """(segment, the added token behind it or None), leftmost, then longest, by trying all contents everywhere."""
    result: list[tuple[str, str | None]] = []
    start = at = 0
    while at < len(text):
        found = [content for content in contents if text.startswith(content, at)]
        if found:
            longest = max(found, key=len)
            result.append((text[start:at], longest))
            start = at = at + len(longest)
        else:
            at += 1
    return [*result, (text[start:], None)]

"""Learning a unigram language model of tokens: which substrings to keep, and how probable each is.

Byte-pair encoding grows a vocabulary; this shrinks one. It starts from the substrings that occur often and repeats

1. EM. Every way to cut a pre-token into tokens has a probability, the product of its tokens'. Count how often each token
   is expected over all ways (E), and make the counts the new probabilities (M).
2. Pruning. Drop the tokens that would be missed least: those whose best spelling by other tokens is nearly as probable.

until the vocabulary is small enough. Single bytes always stay, so every text can be spelled. A token is whole characters
or a part of one.

It works on counted pre-tokens. A pre-token here is a str with one character a byte (Latin-1), and so is a token.
Invariant: the result depends on nothing but the counts. So sums of floats are `fsum`s: Python 3.12 changed what `sum`
makes of them.

Source: Kudo 2018, "Subword Regularization", section 3.2; SentencePiece's trainer for the M step and the pruning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, fsum, log
from operator import add

Scores = dict[str, float]  # token -> natural logarithm of its probability
# For each end: where the tokens that end there start, rising, and the tokens.
Lattice = list[tuple[list[int], list[str]]]

BYTES = [chr(byte) for byte in range(256)]
EM_STEPS = 2  # before each pruning
SHRINK = 0.75  # the share of the vocabulary that a pruning keeps
LAST_STEPS = 3  # EM steps with the final vocabulary
WHOLE = [1.0]
SEEN = 0.5  # a byte's expected count is at least this: one that never occurred must still be spelled
RARE = 0.02  # and any other token's this, for the sake of the logarithm


def learn_scores(counts: Mapping[str, int], size: int, longest: int, seeds: int, banned: Iterable[str] = ()) -> Scores:
    """At most `size` tokens, the 256 bytes among them, with their scores, from how often each pre-token occurs.

    A token is whole characters or a part of one, has at most `longest` bytes, and is none of `banned`; the search starts
    from at most `seeds` of them. There are fewer than `size` if the text holds fewer substrings that occur twice.
    Cost: a step is O(bytes of the distinct pre-tokens x longest), and there are about log(seeds / size) / log(4 / 3)
    rounds of three.
    """
    counted = sorted(
        (pretoken.encode("utf-8").decode("latin-1"), count) for pretoken, count in counts.items() if count > 0
    )
    texts = [text for text, _ in counted]
    frequencies = [count for _, count in counted]
    scores = _seed_scores(texts, frequencies, longest, seeds, frozenset(banned))
    lattices = [_lattice(text, scores, longest) for text in texts]
    while True:
        for _ in range(EM_STEPS):
            scores = _maximised(_expected(lattices, frequencies, scores))
        if len(scores) <= size:
            break
        scores = _pruned(scores, lattices, frequencies, size, longest)
        lattices = [_thinned(lattice, scores) for lattice in lattices]
    for _ in range(LAST_STEPS):
        scores = _maximised(_expected(lattices, frequencies, scores))
    return scores


def _seed_scores(
    texts: Sequence[str], frequencies: Sequence[int], longest: int, most: int, banned: frozenset[str]
) -> Scores:
    """The bytes and the substrings to start from, scored by how many bytes of the text they are.

    Substrings are counted one length after the other: one that occurs twice is longer by a byte than another that does.
    One that is always followed by the same character is left out, for the longer one says all that it does.
    """
    end = chr(256)  # no byte, so no substring goes across it
    joined = end.join(texts) + end
    frequency_at = [count for text, count in zip(texts, frequencies) for _ in range(len(text) + 1)]
    starts = [at for at, ch in enumerate(joined) if ch != end]
    substrings: dict[str, int] = {}
    for length in range(1, longest + 1):
        counts: dict[str, int] = {}
        for at in starts:
            substring = joined[at : at + length]
            counts[substring] = counts.get(substring, 0) + frequency_at[at]
        frequent = {substring: count for substring, count in counts.items() if count > 1}
        if length > 1:
            substrings.update(
                {each: count for each, count in frequent.items() if _is_sound(each) and each not in banned}
            )
        starts = [at for at in starts if joined[at + length] != end and joined[at : at + length] in frequent]
    needless = set()
    for substring, count in substrings.items():
        shorter = substring[:-1]
        while len(shorter) > 1 and shorter not in substrings:
            shorter = shorter[:-1]
        if substrings.get(shorter) == count:
            needless.add(shorter)
    bytes_of = {
        substring: count * len(substring) for substring, count in substrings.items() if substring not in needless
    }
    kept = dict(sorted(bytes_of.items(), key=lambda entry: (-entry[1], entry[0]))[: max(0, most - len(BYTES))])
    single = dict.fromkeys(BYTES, SEEN)
    for text, count in zip(texts, frequencies):
        for ch in text:
            single[ch] += count
    total = log(sum(kept.values()) + sum(single.values()))
    return {token: log(count) - total for token, count in [*single.items(), *kept.items()]}


def _is_sound(substring: str) -> bool:
    """Whether a substring is whole characters, or a part of one.

    Without this rule a model of Telugu is full of tokens that end with E0 B0, with which most of its letters begin:
    a third of all cuts in words then fell inside a character, and held-out text took more tokens.
    """
    try:
        substring.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return all("\x80" <= ch < "\xc0" for ch in substring[1:])
    return True


def _lattice(text: str, tokens: Mapping[str, object], longest: int) -> Lattice:
    """All ways to cut `text` into tokens."""
    lattice = []
    for end in range(1, len(text) + 1):
        starts = [start for start in range(max(0, end - longest), end) if text[start:end] in tokens]
        lattice.append((starts, [text[start:end] for start in starts]))
    return lattice


def _thinned(lattice: Lattice, tokens: Mapping[str, object]) -> Lattice:
    """What is left of a lattice when only `tokens` are. Where one token ends, it is a byte, and bytes stay."""
    thinned = []
    for starts, ending in lattice:
        if len(starts) > 1:
            starts = [start for start, token in zip(starts, ending) if token in tokens]
            ending = [token for token in ending if token in tokens]
        thinned.append((starts, ending))
    return thinned


def _expected(lattices: Iterable[Lattice], frequencies: Iterable[int], scores: Scores) -> dict[str, float]:
    """The E step: how often each token is expected, over all ways to cut all texts."""
    expected = dict.fromkeys(scores, 0.0)
    score_of = scores.__getitem__
    for lattice, frequency in zip(lattices, frequencies):
        # Forward: the logarithm of the probability of all ways to each position, and the share that each last token has in it.
        forward = [0.0]
        shares = []
        for starts, tokens in lattice:
            if len(starts) == 1:
                forward.append(forward[-1] + scores[tokens[0]])
                shares.append(WHOLE)
                continue
            ways = list(map(add, map(forward.__getitem__, starts), map(score_of, tokens)))
            best = max(ways)
            weights = [exp(way - best) for way in ways]
            total = fsum(weights)
            forward.append(best + log(total))
            shares.append([weight / total for weight in weights])
        # Backward: what arrives at a position is passed on by those shares, so nothing but products is left to do.
        arriving = [0.0] * len(lattice) + [float(frequency)]
        for end in range(len(lattice), 0, -1):
            here = arriving[end]
            if here:
                starts, tokens = lattice[end - 1]
                for start, token, share in zip(starts, tokens, shares[end - 1]):
                    part = here * share
                    expected[token] += part
                    arriving[start] += part
    return expected


def _maximised(expected: Mapping[str, float]) -> Scores:
    """The M step. With digamma in place of the logarithm, rare tokens get a little less than their share and fade out."""
    counts = {token: max(count, SEEN if len(token) == 1 else RARE) for token, count in expected.items()}
    total = _digamma(fsum(counts.values()))
    return {token: _digamma(count) - total for token, count in counts.items()}


def _pruned(scores: Scores, lattices: Iterable[Lattice], frequencies: Iterable[int], size: int, longest: int) -> Scores:
    """`scores` without the tokens that are missed least; never fewer than `size`."""
    used: Counter[str] = Counter()
    for lattice, frequency in zip(lattices, frequencies):
        for token in best_way(lattice, scores):
            used[token] += frequency
    total = sum(used.values())
    losses = {}
    for token in scores:
        if len(token) > 1:
            losses[token] = _loss(token, used, total, scores, longest) if used[token] else 0.0
    room = max(size, min(len(BYTES) + len(used), int(len(scores) * SHRINK))) - len(BYTES)
    kept = sorted(losses, key=lambda token: (-losses[token], -used[token], -scores[token], token))[:room]
    return {token: scores[token] for token in [*BYTES, *kept]}


def _loss(token: str, used: Mapping[str, int], total: int, scores: Scores, longest: int) -> float:
    """How much less probable the texts become when `token` is spelled by the other tokens wherever it was used."""
    lattice = _lattice(token, scores, longest)
    lattice[-1] = ([start for start in lattice[-1][0] if start], [part for part in lattice[-1][1] if part != token])
    parts = best_way(lattice, scores)
    new_total = total + used[token] * (len(parts) - 1)
    before = log(used[token]) - log(total)
    after = fsum(log(used[part] + used[token]) - log(new_total) for part in parts)
    return used[token] * (before - after)


def best_way(lattice: Lattice, scores: Scores) -> list[str]:
    """The most probable way through a lattice (Viterbi), of equal ones that whose last token starts leftmost."""
    best = [0.0]
    last_tokens = []
    for starts, tokens in lattice:
        ways = list(map(add, map(best.__getitem__, starts), map(scores.__getitem__, tokens)))
        best.append(max(ways))
        last_tokens.append(tokens[ways.index(best[-1])])
    way = []
    end = len(lattice)
    while end:
        way.append(last_tokens[end - 1])
        end -= len(way[-1])
    return way[::-1]


def _digamma(x: float) -> float:
    """The derivative of log(gamma(x)), for x > 0: log(x) less about 1 / (2x). Right to 1e-10."""
    shift = 0.0
    while x < 8:
        shift -= 1 / x
        x += 1
    square = 1 / (x * x)
    return shift + log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))

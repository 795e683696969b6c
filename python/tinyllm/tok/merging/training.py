"""Learning merges (the chapter's first algorithm): pre-tokens counted, then the most frequent pair merged, again and again.

`BPETokenizer.train` is these functions in order. What may be trained with is checked here too.

Source: Sennrich, Haddow and Birch 2016; Hugging Face tokenizers for ties and ids.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from operator import add, index
from typing import Any

from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes
from tinyllm.tok.fast.chunks import full_chunk
from tinyllm.tok.splitting.added_tokens import AddedTokens
from tinyllm.tok.splitting.declaration import declaration_of, pretokenizer_of
from tinyllm.tok.splitting.text import check_text, lone_surrogate

Pair = tuple[str, str]

MOST_SYMBOLS = 0x110000  # `learn_merges` has one character a symbol, and Unicode has so many


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
    check_specials(specials)
    pretokenizer = pretokenizer_of(declaration_of(pre_tokenizer))
    special_tokens = AddedTokens(dict.fromkeys(specials, 0))
    chunk_counts: Counter[str] = Counter()
    shortened_counts: Counter[str] = Counter()
    for i, text in enumerate(texts):
        try:
            check_text(text)
        except (TypeError, ValueError) as error:
            raise type(error)(f"texts[{i}]: {error}") from None
        for segment, _ in special_tokens.cut(text):
            for chunks, shortened in pretokenizer.chunks(segment):
                (shortened_counts if shortened else chunk_counts).update(chunks)
    for chunk, count in shortened_counts.items():
        chunk_counts[full_chunk(chunk)] += count
    counts: Counter[str] = Counter()
    for chunk, count in chunk_counts.items():
        for pretoken in pretokenizer.pretokenize(chunk):
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


def learned_vocab(
    counts: Mapping[str, int], vocab_size: int, specials: Sequence[str], min_freq: int
) -> tuple[dict[str, int], list[Pair]]:
    """The vocabulary and the merges that `counts` teach: specials, the 256 byte symbols, then one token a merge.

    Raises as `check_training` and `check_counts` do, and ValueError for a merge that would spell a special.
    """
    check_training(vocab_size, specials, min_freq)
    check_counts(counts)
    tokens = [*specials, *sorted(bytes_to_unicode().values())]
    merges = learn_merges(counts, index(vocab_size) - len(tokens), index(min_freq))
    for left, right in merges:
        if left + right in specials:
            raise ValueError(f"training merges {left!r} and {right!r} into {left + right!r}, which is a special")
        tokens.append(left + right)
    return {token: id for id, token in enumerate(tokens)}, merges


def check_training(vocab_size: int, specials: Sequence[str], min_freq: int) -> None:
    check_specials(specials)
    for name, value, least in (("vocab_size", vocab_size, 256 + len(specials)), ("min_freq", min_freq, 1)):
        if not hasattr(value, "__index__"):
            raise TypeError(f"{name} is {value!r:.40}; it must be an integer")
        if index(value) < least:
            reason = f", for 256 byte symbols and {len(specials)} specials" if name == "vocab_size" else ""
            raise ValueError(f"{name} is {value}; it must be at least {least}{reason}")


def check_specials(specials: Sequence[str]) -> None:
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
        if lone_surrogate(special) is not None:
            raise ValueError(f"specials has {special!a}, with a lone surrogate; that is no Unicode text")


def check_counts(counts: Mapping[str, int]) -> None:
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts must be a mapping from pre-token to count, not {type(counts).__name__}")
    for pretoken, count in counts.items():
        if not isinstance(pretoken, str):
            raise TypeError(f"counts has the key {pretoken!r:.60}; a pre-token is a str")
        if lone_surrogate(pretoken) is not None:
            raise ValueError(f"counts has the key {pretoken!a:.60}, with a lone surrogate; that is no Unicode text")
        if type(count) is not int or count < 0:
            raise ValueError(f"counts[{pretoken!r:.60}] is {count!r:.40}; a count is an integer, 0 or more")

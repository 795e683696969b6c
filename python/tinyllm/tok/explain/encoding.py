"""How a text becomes ids, round by round.

It follows the chapter's definition and nothing else: one merge at a time, the lowest rank first, the leftmost on a tie. It
shares no code with the fast ways of `encode`, so a trace is also a check: its ids are `encode`'s, for every tokenizer and text.
It is slow on purpose, and costs nothing unless called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.explain.records import AddedPart, Candidate, EncodeTrace, NeverChosen, PretokenPart, Round, Token
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splitting.steps import steps_of
from tinyllm.tok.trie import Trie

if TYPE_CHECKING:
    from tinyllm.tok.bpe import BPETokenizer

SMALL_TABLE = 100  # below so many merges, those that were never adjacent are listed too


def trace_encode(
    tokenizer: BPETokenizer, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all"
) -> EncodeTrace:
    """How `tokenizer` encodes `text`, round by round. The trace's ids are those of `tokenizer.encode`.

    Raises what `encode` raises for such arguments, and TypeError for a tokenizer without merges.
    Cost: O(symbols squared) for each distinct pre-token, in time and in the size of the trace, plus O(merges).

    >>> from tinyllm.tok.bpe import BPETokenizer
    >>> trace = trace_encode(BPETokenizer({"a": 0, "aa": 1}, [("a", "a")]), "aaa")
    >>> [(round.left, round.right, round.merged, round.after) for round in trace.parts[0].rounds]
    [('a', 'a', (0,), ('aa', 'a'))]
    """
    if not hasattr(tokenizer, "merges"):
        raise TypeError(f"a trace needs a BPETokenizer; {type(tokenizer).__name__} has no merges")
    check_text(text)
    tokenizer.encode("", allowed_special=allowed_special)  # refuses what it does not know
    ranks = dict(zip(tokenizer.merges, range(len(tokenizer.merges))))
    rank_of_token = first_ranks(tokenizer.merges)

    parts: list[AddedPart | PretokenPart] = []
    # Pre-token -> its first part, the index of that in parts, its start in bytes.
    first_of: dict[str, tuple[PretokenPart, int, int]] = {}
    start = 0
    added, pretokenize = added_contents(tokenizer, allowed_special), pretokenizer_of(tokenizer.pre_tokenizer)
    for part, is_added in cut(text, added, pretokenize):
        size = len(part.encode("utf-8"))
        if is_added:
            id = tokenizer.added[part]
            token = Token(id, part, tuple(part.encode("utf-8")), None, start, start + size)
            parts.append(AddedPart("added", part, id in tokenizer.special_ids, (token,)))
        elif part in first_of:
            first, index, first_start = first_of[part]
            by = start - first_start
            moved = [replace(t, start=t.start + by, end=t.end + by) for t in first.tokens]
            parts.append(replace(first, cached_from=index, rounds=(), never_chosen=(), tokens=tuple(moved)))
        else:
            first = _trace_pretoken(part, start, tokenizer.vocab, ranks, rank_of_token)
            first_of[part] = first, len(parts), start
            parts.append(first)
        start += size
    return EncodeTrace(text, tuple(token.id for part in parts for token in part.tokens), tuple(parts))


def first_ranks(merges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Each token that a merge makes, and the rank of the first merge that does."""
    last = len(merges) - 1
    # From the last to the first, so the first stays.
    return dict(zip(map("".join, reversed(merges)), range(last, -1, -1)))


# ---- one pre-token ----


def _trace_pretoken(
    pretoken: str,
    start: int,
    vocab: Mapping[str, int],
    ranks: Mapping[tuple[str, str], int],
    rank_of_token: Mapping[str, int],
) -> PretokenPart:
    raw = pretoken.encode("utf-8")
    stand_in = bytes_to_unicode()
    kept = [at for at, byte in enumerate(raw) if stand_in[byte] in vocab]
    dropped = tuple(at for at in range(len(raw)) if at not in set(kept))
    symbols = tuple(stand_in[raw[at]] for at in kept)
    rounds = tuple(_rounds(symbols, ranks, vocab))
    tokens = []
    first = 0  # in kept
    for symbol in rounds[-1].after if rounds else symbols:
        covered = kept[first : first + len(symbol)]  # one character of a symbol stands for one byte
        own = tuple(raw[at] for at in covered)
        rank = rank_of_token.get(symbol)
        tokens.append(Token(vocab[symbol], symbol, own, rank, start + covered[0], start + covered[-1] + 1))
        first += len(symbol)
    never_chosen = tuple(_never_chosen(rounds, symbols, ranks))
    return PretokenPart("pretoken", pretoken, tuple(raw), dropped, symbols, None, rounds, never_chosen, tuple(tokens))


def _rounds(
    symbols: tuple[str, ...], ranks: Mapping[tuple[str, str], int], vocab: Mapping[str, int]
) -> Iterator[Round]:
    """The chapter's loop, one merge at a time; merges of the pair that was merged last belong to its round."""
    while True:
        before, candidates = symbols, _candidates(symbols, ranks)
        if not candidates or candidates[0].rank is None:
            return
        pair = candidates[0].left, candidates[0].right
        merged: list[int] = []
        while _lowest(symbols, ranks) == pair:
            at = list(zip(symbols, symbols[1:])).index(pair)  # the leftmost
            merged.append(at + len(merged))  # each merge before it made the row one symbol shorter
            symbols = symbols[:at] + ("".join(pair),) + symbols[at + 2 :]
        token = "".join(pair)
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


def _never_chosen(
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


# ---- how a text is cut ----


def added_contents(tokenizer: BPETokenizer, allowed_special: Literal["all", "none"] | Collection[str]) -> list[str]:
    """The added tokens that may match: all that are not special, and the special ones allowed."""
    allowed = (
        {"all": tokenizer.added, "none": ()}[allowed_special] if isinstance(allowed_special, str) else allowed_special
    )
    return [content for content, id in tokenizer.added.items() if id not in tokenizer.special_ids or content in allowed]


def pretokenizer_of(declaration: Mapping[str, Any]) -> Callable[[str], list[str]]:
    """The function from text to pre-tokens that a declaration, as tokenizer.json spells it, asks for."""
    steps = declaration["pretokenizers"] if declaration["type"] == "Sequence" else [declaration]
    functions = [_step(step) for step in steps]

    def pretokenize(text: str) -> list[str]:
        parts = [text]
        for function in functions:
            parts = [part for whole in parts for part in function(whole)]
        return parts

    return pretokenize


def _step(step: Mapping[str, Any]) -> Callable[[str], list[str]]:
    if step["type"] == "Digits":
        return lambda text: split_digits(text, step["individual_digits"])
    if step["type"] == "ByteLevel":
        return pretokenize_gpt2 if step.get("use_regex", True) else lambda text: [text]
    if step["type"] == "Split":
        return steps_of((step["pattern"]["Regex"],)).split
    raise ValueError(f"pre_tokenizer has a step of type {step['type']!r}; a trace knows Digits, Split and ByteLevel")


def cut(text: str, added: Iterable[str], pretokenize: Callable[[str], list[str]]) -> Iterator[tuple[str, bool]]:
    """The parts of `text` and whether each is an added token: those first, leftmost, then longest; pre-tokens between them."""
    trie: Trie[None] = Trie()
    for content in added:
        trie.insert(content, None)
    start = at = 0
    while at < len(text):
        match = trie.longest_prefix(text, at)
        if match is None:
            at += 1
            continue
        yield from ((pretoken, False) for pretoken in pretokenize(text[start:at]))
        start, at = at, at + match[0]
        yield text[start:at], True
        start = at
    yield from ((pretoken, False) for pretoken in pretokenize(text[start:]))


def check_text(text: object) -> None:
    """Refuse what `encode` refuses: anything but a str, and a lone surrogate."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
    for position, ch in enumerate(text):
        if "\ud800" <= ch <= "\udfff":
            raise ValueError(f"text is not valid Unicode: position {position} is the lone surrogate U+{ord(ch):04X}")

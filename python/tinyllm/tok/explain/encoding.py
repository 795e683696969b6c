"""How a text becomes ids, round by round.

It follows the chapter's definition and nothing else: one merge at a time, the lowest rank first, the leftmost on a tie. It
shares no code with the fast ways of `encode`, so a trace is also a check: its ids are `encode`'s, for every tokenizer and text.
It is slow on purpose, and costs nothing unless called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.explain.pipeline import trace_pipeline
from tinyllm.tok.explain.records import AddedPart, EncodeTrace, PretokenPart, Token
from tinyllm.tok.explain.rounds import first_ranks, never_chosen_of, rounds_of
from tinyllm.tok.pipeline.tokenizer import Pipeline
from tinyllm.tok.pretok import pretokenize_gpt2, split_digits
from tinyllm.tok.splitting.steps import steps_of
from tinyllm.tok.trie import Trie

if TYPE_CHECKING:
    from tinyllm.tok.bpe import BPETokenizer


def trace_encode(
    tokenizer: BPETokenizer | Pipeline,
    text: str,
    *,
    allowed_special: Literal["all", "none"] | Collection[str] = "all",
) -> EncodeTrace:
    """How `tokenizer` encodes `text`, round by round. The trace's ids are those of `tokenizer.encode`.

    For a `Pipeline` it is a `PipelineTrace`, which has what the normalizer made of the text and what was put around it.
    Raises what `encode` raises for such arguments, and TypeError for a tokenizer without merges.
    Cost: O(symbols squared) for each distinct pre-token, in time and in the size of the trace, plus O(merges).

    >>> from tinyllm.tok.bpe import BPETokenizer
    >>> trace = trace_encode(BPETokenizer({"a": 0, "aa": 1}, [("a", "a")]), "aaa")
    >>> [(round.left, round.right, round.merged, round.after) for round in trace.parts[0].rounds]
    [('a', 'a', (0,), ('aa', 'a'))]
    """
    if not hasattr(tokenizer, "merges"):
        raise TypeError(f"a trace needs a BPETokenizer; {type(tokenizer).__name__} has no merges")
    if isinstance(tokenizer, Pipeline):
        return trace_pipeline(tokenizer, text, allowed_special=allowed_special)
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
    rounds = tuple(rounds_of(symbols, ranks, vocab))
    tokens = []
    first = 0  # in kept
    for symbol in rounds[-1].after if rounds else symbols:
        covered = kept[first : first + len(symbol)]  # one character of a symbol stands for one byte
        own = tuple(raw[at] for at in covered)
        rank = rank_of_token.get(symbol)
        tokens.append(Token(vocab[symbol], symbol, own, rank, start + covered[0], start + covered[-1] + 1))
        first += len(symbol)
    never_chosen = tuple(never_chosen_of(rounds, symbols, ranks))
    return PretokenPart("pretoken", pretoken, tuple(raw), dropped, symbols, None, rounds, never_chosen, tuple(tokens))


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

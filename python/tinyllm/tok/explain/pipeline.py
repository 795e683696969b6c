"""How a text becomes ids in a `Pipeline`: through normalizer, added tokens and pre-tokenizer to rounds of merging, and what is put around.

It takes the parts of the tokenizer one by one, the way that keeps track of characters, and merges by `rounds.py`; `encode`
cuts chunks and merges with numbers. So here too a trace is a check: its ids are `encode`'s.

A text that was changed on its way is not the text that the tokens spell. Places are therefore those of what the parts join
to, and `change_lines` of `display.py` says in words where that differs from the text given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from tinyllm.tok.bytemap import unicode_to_bytes
from tinyllm.tok.explain.records import AddedPart, ModelPretoken, PipelineTrace, PutIn, Token, UnknownToken
from tinyllm.tok.explain.rounds import first_ranks, never_chosen_of, rounds_of
from tinyllm.tok.pipeline.added import Match
from tinyllm.tok.pipeline.byte_level import ByteMap
from tinyllm.tok.pipeline.postprocessors import Part, joined
from tinyllm.tok.splitting.text import check_text

if TYPE_CHECKING:
    from tinyllm.tok.pipeline.tokenizer import Pipeline


def trace_pipeline(
    tokenizer: Pipeline,
    text: str,
    *,
    allowed_special: Literal["all", "none"] | Collection[str] = "all",
    with_rounds: bool = True,
) -> PipelineTrace:
    """What `trace_encode` gives for a `Pipeline`. Without rounds tokens are found as fast as `encode_with_offsets` is.

    Raises what `tokenizer.encode` raises.

    >>> from tinyllm.tok.pipeline import Pipeline
    >>> model = {"type": "BPE", "vocab": {"a": 0, "aa": 1}, "merges": [["a", "a"]]}
    >>> trace = trace_pipeline(Pipeline({"normalizer": {"type": "Lowercase"}, "model": model}), "aA")
    >>> trace.ids, trace.normalized, trace.parts[0].rounds[0].after
    ((1,), 'aa', ('aa',))
    """
    check_text(text)
    pretokens = _Pretokens(tokenizer, with_rounds)
    parts: list[AddedPart | ModelPretoken] = []
    normalized: list[str] = []
    start = 0
    for piece in tokenizer.parts.added_tokens.cut_aligned(text, allowed_special):
        if isinstance(piece, Match):
            normalized.append(piece.spelled)
            raw = piece.spelled.encode("utf-8")
            token = Token(piece.token.id, piece.token.content, tuple(raw), None, start, start + len(raw))
            parts.append(AddedPart("added", piece.spelled, piece.token.special, (token,)))
            start += len(raw)
            continue
        normalized.append(piece.text)
        cutter = tokenizer.parts.pre_tokenizer
        for pretoken in [piece] if cutter is None else cutter.pretokens_aligned(piece):
            part = pretokens.part(pretoken.text, len(parts), start)
            parts.append(part)
            start += len(part.bytes)
    framed = tuple(_framed(tokenizer, sum(len(part.tokens) for part in parts)))
    tokens = [token for part in parts for token in part.tokens]
    ids = tuple(tokens[place].id if isinstance(place, int) else place.id for place in framed)
    return PipelineTrace(text, ids, tuple(parts), "".join(normalized), framed)


def raw_of(trace: PipelineTrace) -> bytes:
    """The bytes that the parts join to, in which tokens have their places."""
    return b"".join(bytes(part.bytes) if part.kind == "pretoken" else part.text.encode("utf-8") for part in trace.parts)


def is_byte_level(tokenizer: Pipeline) -> bool:
    """Whether its model sees stand-ins of bytes, which the pre-tokenizer makes."""
    cutter = tokenizer.parts.pre_tokenizer
    return cutter is not None and any(isinstance(step, ByteMap) for step in cutter.steps)


# ---- one pre-token ----


class _Symbol(NamedTuple):
    token: str
    characters: tuple[int, ...]  # of the pre-token, those that it stands for
    byte: tuple[int, int] | None = None  # of a byte token: which byte of its character, and of how many
    is_unknown: bool = False


class _Pretokens:
    """Makes the parts of a trace that are pre-tokens; an equal one is taken from before."""

    def __init__(self, tokenizer: Pipeline, with_rounds: bool) -> None:
        self._model = tokenizer.parts.model
        self._byte_of = unicode_to_bytes() if is_byte_level(tokenizer) else {}
        merges = tokenizer.merges
        self._ranks = dict(zip(merges, range(len(merges)))) if with_rounds else {}  # of equal ones the last counts
        self._rank_of_token = first_ranks(merges, self._model.prefix)
        self._with_rounds = with_rounds
        # Pre-token -> its first part, the index of that, its start in bytes.
        self._first_of: dict[str, tuple[ModelPretoken, int, int]] = {}

    def part(self, seen: str, index: int, start: int) -> ModelPretoken:
        if seen not in self._first_of:
            made = self._made(seen, start)
            self._first_of[seen] = made, index, start
            return made
        first, first_index, first_start = self._first_of[seen]
        by = start - first_start
        moved = tuple(replace(token, start=token.start + by, end=token.end + by) for token in first.tokens)
        return replace(first, cached_from=first_index, rounds=(), never_chosen=(), tokens=moved)

    def _made(self, seen: str, start: int) -> ModelPretoken:
        of_character = [
            bytes([self._byte_of[char]]) if char in self._byte_of else char.encode("utf-8") for char in seen
        ]
        raw = b"".join(of_character)
        starts = [0, *accumulate(map(len, of_character))]
        whole = self._model.ignore_merges and seen in self._model.vocab
        symbols = [_Symbol(seen, tuple(range(len(seen))))] if whole else list(self._symbols(seen))
        spans = [_span(symbol, starts) for symbol in symbols]
        kept = {at for first, end in spans for at in range(first, end)}
        names = tuple(symbol.token for symbol in symbols)
        rounds = (
            tuple(rounds_of(names, self._ranks, self._model.vocab, self._model.prefix)) if self._with_rounds else ()
        )
        never_chosen = tuple(never_chosen_of(rounds, names, self._ranks)) if not whole and self._with_rounds else ()
        if self._with_rounds:
            results = rounds[-1].after if rounds else names
        else:
            results = tuple(map(self._model.token_of.__getitem__, self._model.ids(seen)))
        tokens = _in_order(list(self._tokens(results, symbols, spans, raw, start)))
        return ModelPretoken(
            kind="pretoken",
            text=raw.decode("utf-8", "replace"),
            bytes=tuple(raw),
            dropped=tuple(at for at in range(len(raw)) if at not in kept),
            symbols=names,
            cached_from=None,
            rounds=rounds,
            never_chosen=never_chosen,
            tokens=tokens,
            seen=seen,
            whole=whole,
            symbol_bytes=tuple(tuple(raw[first:end]) for first, end in spans),
        )

    def _symbols(self, seen: str) -> Iterator[_Symbol]:
        """The symbols of a pre-token, in the order of the model: an unknown character comes behind byte tokens that follow it."""
        model, vocab = self._model, self._model.vocab
        unknown: _Symbol | None = None
        for at, char in enumerate(seen):
            spelled = (model.prefix if at else "") + char + (model.suffix if at == len(seen) - 1 else "")
            byte_tokens = [f"<0x{byte:02X}>" for byte in spelled.encode("utf-8")] if model.byte_fallback else []
            if spelled in vocab:
                if unknown is not None:
                    yield unknown
                    unknown = None
                yield _Symbol(spelled, (at,))
            elif byte_tokens and all(token in vocab for token in byte_tokens):
                count = len(byte_tokens)
                yield from (_Symbol(token, (at,), (i, count)) for i, token in enumerate(byte_tokens))
            elif model.unk_token is not None:
                if model.unk_token not in vocab:
                    model.ids(seen)  # raises
                before: tuple[int, ...] = ()
                if unknown is not None and model.fuse_unk:
                    before = unknown.characters
                elif unknown is not None:
                    yield unknown
                unknown = _Symbol(model.unk_token, (*before, at), is_unknown=True)
        if unknown is not None:
            yield unknown

    def _tokens(
        self,
        results: Sequence[str],
        symbols: Sequence[_Symbol],
        spans: Sequence[tuple[int, int]],
        raw: bytes,
        start: int,
    ) -> Iterator[Token]:
        """The tokens, each with the symbols that it is spelled with. An empty token, which can only be an unknown one, is one symbol."""
        vocab, prefix = self._model.vocab, self._model.prefix
        first = 0
        for result in results:
            size, end = len(symbols[first].token), first + 1
            while size < len(result):
                size += len(symbols[end].token) - len(prefix)
                end += 1
            covered = spans[first:end]
            own = tuple(byte for a, b in covered for byte in raw[a:b])
            place = start + min(a for a, _ in covered), start + max(b for _, b in covered)
            kind = UnknownToken if end == first + 1 and symbols[first].is_unknown else Token
            yield kind(vocab[result], result, own, self._rank_of_token.get(result), *place)
            first = end


def _in_order(tokens: list[Token]) -> tuple[Token, ...]:
    """The tokens, none starting behind the next: byte tokens that come before a character they stand behind cover it too."""
    for at in range(len(tokens) - 2, -1, -1):
        if tokens[at].start > tokens[at + 1].start:
            tokens[at] = replace(tokens[at], start=tokens[at + 1].start)
    return tuple(tokens)


def _span(symbol: _Symbol, starts: Sequence[int]) -> tuple[int, int]:
    """The bytes of the pre-token that a symbol stands for."""
    first, end = starts[symbol.characters[0]], starts[symbol.characters[-1] + 1]
    if symbol.byte is not None and symbol.byte[1] == end - first:  # else the character is a stand-in, and so one byte
        return first + symbol.byte[0], first + symbol.byte[0] + 1
    return first, end


# ---- what is put around the tokens ----


def _framed(tokenizer: Pipeline, count: int) -> Iterator[int | PutIn]:
    """Where each id comes from, for a text of `count` tokens.

    Truncation, post-processor and padding only cut, join and put in, so they are run on places instead of ids: -1 for the
    first token of the text, -2 for the second. What is not negative then was put in.
    """
    truncation, processor, padding = (
        tokenizer.parts.truncation,
        tokenizer.parts.post_processor,
        tokenizer.parts.padding,
    )
    part = Part([-1 - place for place in range(count)], [(0, 0)] * count, [""] * count)
    if truncation is not None:
        part = truncation.truncate(part, 0 if processor is None else processor.added)
        # A part that is cut to nothing has no lists of its own.
        part = Part(part.ids, [(0, 0)] * len(part.ids), [""] * len(part.ids))
    if processor is not None:
        part = joined(processor.process([part], True, True))
    before_padding = len(part.ids)
    left = 0
    if padding is not None:
        part = padding.pad(part, padding.length([before_padding]), True)
        left = len(part.ids) - before_padding if padding.direction == "Left" else 0
    for at, (id, name) in enumerate(zip(part.ids, part.spelled)):
        if id < 0:
            yield -1 - id
        else:
            yield PutIn(id, name, "post_processor" if left <= at < left + before_padding else "padding")

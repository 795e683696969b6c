"""The records of a trace: what a tokenizer did, step by step. `encoding.py` and `training.py` fill them in.

They are frozen, hold nothing but strings, integers and tuples, and are written as JSON as course/formats/trace.md describes.
Positions of symbols count from 0 within their pre-token; offsets are in bytes of the text's UTF-8. Symbols and tokens are
spelled in the byte alphabet of `bytemap.py`, added tokens as they are.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True)
class Candidate:
    """A pair that is adjacent at the start of a round, its rank if it is a merge, and the positions of its left symbols."""

    left: str
    right: str
    rank: int | None
    at: tuple[int, ...]


@dataclass(frozen=True)
class Round:
    """A run of consecutive merges of one pair, as long as it gets.

    before, after  the symbols around it
    candidates     every adjacent pair of `before`: by rank, those without one at the end
    left, right    the pair chosen: the candidate with the lowest rank
    merged         where it was merged: positions in `before` of the left symbols. Occurrences that overlap an earlier
                   one are candidates and are not merged: "aaa" has (a, a) at 0 and 1, merged at 0
    """

    rank: int
    left: str
    right: str
    token: str
    id: int
    before: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    merged: tuple[int, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class NeverChosen:
    """A merge that did not happen, and why not.

    rounds    the rounds, counted from 1, at whose start the pair was adjacent; empty if it never was
    taken_in  the round in which its last occurrences went, None if it never was adjacent
    """

    rank: int
    left: str
    right: str
    rounds: tuple[int, ...]
    taken_in: int | None
    reason: str


@dataclass(frozen=True)
class Token:
    """A token of the result. `bytes` are its own; `start` and `end` say what it covers in the text (bytes dropped inside included).

    rank  that of the first merge that spells it; None for the symbol of a byte and for an added token
    """

    id: int
    token: str
    bytes: tuple[int, ...]
    rank: int | None
    start: int
    end: int


@dataclass(frozen=True)
class UnknownToken(Token):
    """A model's unk_token, in the place of characters without a token; `bytes` are theirs."""

    unknown: bool = True


@dataclass(frozen=True)
class PutIn:
    """An id that a post-processor or padding put around the text, and the token as the file names it there."""

    id: int
    token: str
    by: Literal["post_processor", "padding"]


@dataclass(frozen=True)
class AddedPart:
    """A part of the text that is an added token."""

    kind: Literal["added"]
    text: str
    special: bool
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class PretokenPart:
    """A part of the text that is a pre-token.

    bytes         its UTF-8
    dropped       positions in `bytes` of those that have no symbol in the vocabulary; their neighbours may merge
    symbols       the stand-ins of the bytes that are left: what the first round starts from
    cached_from   the index in `parts` of an equal pre-token whose result is taken again: then nothing is merged here
    never_chosen  merges that were adjacent and not chosen; of a table under 100 merges, all that were not chosen
    """

    kind: Literal["pretoken"]
    text: str
    bytes: tuple[int, ...]
    dropped: tuple[int, ...]
    symbols: tuple[str, ...]
    cached_from: int | None
    rounds: tuple[Round, ...]
    never_chosen: tuple[NeverChosen, ...]
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class ModelPretoken(PretokenPart):
    """A pre-token of a `Pipeline`; `text` and `bytes` are those that the normalizer and the pre-tokenizer made.

    seen          as the model sees it, in stand-ins of bytes or as it is
    whole         whether it is a token and was taken as such, without a merge (ignore_merges); it is then its only symbol
    symbol_bytes  the bytes that each of `symbols` stands for
    """

    seen: str
    whole: bool
    symbol_bytes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class EncodeTrace:
    """How a text becomes ids. The parts join back to the text, and the ids of their tokens are `ids`."""

    text: str
    ids: tuple[int, ...]
    parts: tuple[AddedPart | PretokenPart, ...]


@dataclass(frozen=True)
class PipelineTrace(EncodeTrace):
    """How a text becomes ids in a `Pipeline`. The parts join to what its normalizer and its pre-tokenizer made of the text.

    normalized  the text as the normalizer left it, with the added tokens as they were found
    framed      where each of `ids` comes from: an int, a token's position among those of all parts, from 0; a `PutIn` otherwise.
                Tokens that truncation cut off are not there, and a template may put a text there twice
    """

    normalized: str
    framed: tuple[int | PutIn, ...]


@dataclass(frozen=True)
class PairCount:
    """A pair of tokens, their ids, and how often it is adjacent, overlaps included, weighted by the counts of the pre-tokens."""

    left: str
    right: str
    left_id: int
    right_id: int
    count: int


@dataclass(frozen=True)
class CountedPretoken:
    """A distinct pre-token of the texts, how often it occurs, and its symbols at the start."""

    text: str
    count: int
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class PretokenChange:
    """What a step did to one pre-token; `pretoken` is its index in `pretokens`."""

    pretoken: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class CountChange:
    """A pair whose count a step changed."""

    left: str
    right: str
    before: int
    after: int


@dataclass(frozen=True)
class Step:
    """One merge learned.

    pairs   every pair with its count, best first: the largest count, of equal ones the smallest (left id, right id)
    chosen  pairs[0]
    tied    the pairs with the same count that came behind it only for their ids
    """

    rank: int
    id: int
    token: str
    chosen: PairCount
    tied: tuple[PairCount, ...]
    pairs: tuple[PairCount, ...]
    changed: tuple[PretokenChange, ...]
    counts_changed: tuple[CountChange, ...]


@dataclass(frozen=True)
class TrainTrace:
    """How merges are learned from texts. `stopped` says why there is no further step, `pairs_left` what could have come next."""

    pretokens: tuple[CountedPretoken, ...]
    specials: tuple[str, ...]
    vocab_size: int
    min_freq: int
    steps: tuple[Step, ...]
    stopped: str
    pairs_left: tuple[PairCount, ...]


def to_json(trace: EncodeTrace | TrainTrace, indent: int | None = None) -> str:
    """The trace as JSON, as course/formats/trace.md describes it: ASCII only, so that it can be pasted anywhere."""
    return json.dumps(asdict(trace), indent=indent)

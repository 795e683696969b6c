"""What a tokenizer costs: tokens against bytes, characters and words, and bytes per token against the vocabulary size.

It does not say which tokenizer is better: more bytes per token is cheaper on this text, and nothing more. Compare on text
that none of the tokenizers was trained on.

A word here is a run of characters without white space (the 25 White_Space code points). That is a rough measure for
scripts that put no spaces between words, and the reason why bytes and characters stand beside it.

`curve` needs one tokenizer for all sizes: a trained list of merges, cut off anywhere, is what training to the smaller
size would have learned. It encodes the text once and undoes merges from the last to the first.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyllm.tok.fast.chunks import WHITE_SPACE

if TYPE_CHECKING:
    from tinyllm.tok.base import Tokenizer
    from tinyllm.tok.bpe import BPETokenizer

WORD = re.compile(f"[^{WHITE_SPACE}]+")


@dataclass(frozen=True)
class Measurement:
    """What one tokenizer did to one text: counts, and the ratios they give. A ratio without a denominator is None.

    used   how many different ids occurred
    """

    text: str
    tokenizer: str
    bytes: int
    characters: int
    words: int
    tokens: int
    used: int
    vocab_size: int

    @property
    def bytes_per_token(self) -> float | None:
        """More is cheaper."""
        return _ratio(self.bytes, self.tokens)

    @property
    def tokens_per_word(self) -> float | None:
        """Fertility: 1 if every word were one token."""
        return _ratio(self.tokens, self.words)

    @property
    def tokens_per_character(self) -> float | None:
        """Above 1, characters are split."""
        return _ratio(self.tokens, self.characters)

    @property
    def vocab_used(self) -> float | None:
        """The share of the vocabulary that occurred, from 0 to 1. It grows with the text."""
        return _ratio(self.used, self.vocab_size)

    def row(self) -> dict[str, Any]:
        """Counts and ratios by name, in the order of MEASUREMENT_COLUMNS."""
        return {column: getattr(self, column) for column in MEASUREMENT_COLUMNS}


MEASUREMENT_COLUMNS = (
    *("text", "tokenizer", "bytes", "characters", "words", "tokens", "used", "vocab_size"),
    *("bytes_per_token", "tokens_per_word", "tokens_per_character", "vocab_used"),
)


@dataclass(frozen=True)
class CurvePoint:
    """How many tokens a text of so many bytes is with a vocabulary of `vocab_size`."""

    text: str
    split: str
    vocab_size: int
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float | None:
        """More is cheaper."""
        return _ratio(self.bytes, self.tokens)

    def row(self) -> dict[str, Any]:
        """Its fields by name, in the order of CURVE_COLUMNS."""
        return {column: getattr(self, column) for column in CURVE_COLUMNS}


CURVE_COLUMNS = ("text", "split", "vocab_size", "bytes", "tokens", "bytes_per_token")


def measure(tokenizers: Mapping[str, Tokenizer], texts: Mapping[str, Iterable[str]]) -> list[Measurement]:
    """Every tokenizer on every text, text by text; both go by the names they have in the mappings.

    A text is an iterable of documents, each encoded on its own by `encode(document)`; it is read once.
    Raises TypeError if a text is one str: write [text]. Cost: that of encoding.

    >>> from tinyllm.tok.byte import ByteTokenizer
    >>> [found] = measure({"bytes": ByteTokenizer()}, {"greeting": ["hi", "నమ స్తే"]})
    >>> found.tokens, found.characters, found.words, found.bytes_per_token
    (21, 9, 3, 1.0)
    """
    measurements = []
    for text_name, documents in texts.items():
        if isinstance(documents, str):
            raise TypeError(f"the text {text_name!r} must be an iterable of documents, not one str: write [text]")
        size: Counter[str] = Counter()
        ids_of = {name: Counter[int]() for name in tokenizers}
        for document in documents:
            for name, tokenizer in tokenizers.items():
                ids_of[name].update(tokenizer.encode(document))
            size.update(
                bytes=len(document.encode("utf-8")), characters=len(document), words=len(WORD.findall(document))
            )
        for name, tokenizer in tokenizers.items():
            ids = ids_of[name]
            counts = (size["bytes"], size["characters"], size["words"], ids.total(), len(ids), tokenizer.vocab_size)
            measurements.append(Measurement(text_name, name, *counts))
    return measurements


def curve(
    tokenizer: BPETokenizer, texts: Mapping[str, Iterable[str]], sizes: Iterable[int], split: str = ""
) -> list[CurvePoint]:
    """How many tokens each text would be with the first merges only, for each vocabulary size, smallest first.

    `tokenizer` is the result of one training run to the largest size; `split` names its split in the points. A run that
    found too few pairs for the largest sizes gives one point, with the size that it has, in their place.
    Raises ValueError for a size below that of a vocabulary without merges, and for a list of merges that no training
    makes (one that outranks a merge that makes its parts, or two that make one token).
    Cost: that of encoding the texts once, and O(merges).

    >>> from tinyllm.tok.bpe import BPETokenizer
    >>> trained = BPETokenizer.train(["hug hug hugs"], vocab_size=258)
    >>> [point.tokens for point in curve(trained, {"a hug": ["hug"]}, [256, 257, 258])]
    [3, 2, 1]
    """
    without_merges = tokenizer.vocab_size - len(tokenizer.merges)
    wanted = sorted({min(size, tokenizer.vocab_size) for size in sizes})
    if wanted and wanted[0] < without_merges:
        raise ValueError(
            f"the vocabulary size {wanted[0]} is too small; without any merge there are {without_merges} ids"
        )
    _check_trained(tokenizer)
    points = []
    for name, documents in texts.items():
        if isinstance(documents, str):
            raise TypeError(f"the text {name!r} must be an iterable of documents, not one str: write [text]")
        size, ids = 0, Counter[int]()
        for document in documents:
            size += len(document.encode("utf-8"))
            ids.update(tokenizer.encode(document))
        uses = _uses(tokenizer, ids)
        for vocab_size in wanted:
            # Every use of a merge that is not there yet is one token more.
            tokens = ids.total() + sum(uses[vocab_size - without_merges :])
            points.append(CurvePoint(name, split, vocab_size, size, tokens))
    return points


def flattens_at(points: Sequence[CurvePoint], gain: float = 0.05) -> int | None:
    """The first vocabulary size of a curve from which on no measured doubling brings `gain` (a share) more bytes per token.

    None if the last doubling still does. The points are of one text and split; sizes without a measured double are let be.

    >>> points = [CurvePoint("t", "s", size, 100, tokens) for size, tokens in [(1000, 50), (2000, 40), (4000, 39), (8000, 38)]]
    >>> flattens_at(points)
    2000
    """
    ratio_of = {point.vocab_size: point.bytes_per_token for point in points if point.bytes_per_token is not None}
    flat = None
    for size in sorted((size for size in ratio_of if 2 * size in ratio_of), reverse=True):
        if ratio_of[2 * size] >= (1 + gain) * ratio_of[size]:
            break
        flat = size
    return flat


def to_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV with a header; None is an empty field, and ratios have six significant digits."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()})
    return out.getvalue()


def to_json(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as a JSON array of objects, one a line; None is null."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _check_trained(tokenizer: BPETokenizer) -> None:
    """Only a merge whose parts were there before it can be undone without its parts, so this order is what `curve` rests on."""
    rank_of_token = {left + right: rank for rank, (left, right) in enumerate(tokenizer.merges)}
    for rank, (left, right) in enumerate(tokenizer.merges):
        if rank_of_token[left + right] != rank:
            raise ValueError(
                f"merges[{rank}] and merges[{rank_of_token[left + right]}] make one token, {left + right!r}; no training does that"
            )
        if left + right in tokenizer.added:
            raise ValueError(f"merges[{rank}] makes the added token {left + right!r}; no training does that")
        for part in (left, right):
            if rank_of_token.get(part, -1) > rank:
                raise ValueError(
                    f"merges[{rank}] joins {left!r} and {right!r}, but {part!r} is made later; no training does that"
                )


def _uses(tokenizer: BPETokenizer, ids: Mapping[int, int]) -> list[int]:
    """How often encoding used each merge, by rank, given how often each id came out.

    A merge was used once for each of its tokens that came out, and once for each that went into a larger token. With ranks
    in the order of training, merging goes from low ranks to high ones, so taking back the merges from some rank on leaves
    exactly what the list cut off there gives.
    """
    times = {token: ids.get(id, 0) for token, id in tokenizer.vocab.items()}
    uses = []
    for left, right in reversed(tokenizer.merges):
        uses.append(times[left + right])
        times[left] += uses[-1]
        times[right] += uses[-1]
    return uses[::-1]

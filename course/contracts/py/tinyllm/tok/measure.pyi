"""Lab 04: what a tokenizer costs: tokens against bytes, characters and words, and against the vocabulary size.

A word is a run of characters without white space (the 25 White_Space code points).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.bpe import BPETokenizer

MEASUREMENT_COLUMNS: tuple[str, ...]
CURVE_COLUMNS: tuple[str, ...]

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

    @property
    def tokens_per_word(self) -> float | None:
        """Fertility: 1 if every word were one token."""

    @property
    def tokens_per_character(self) -> float | None:
        """Above 1, characters are split."""

    @property
    def vocab_used(self) -> float | None:
        """The share of the vocabulary that occurred, from 0 to 1."""

    def row(self) -> dict[str, Any]:
        """Counts and ratios by name, in the order of MEASUREMENT_COLUMNS."""

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

    def row(self) -> dict[str, Any]:
        """Its fields by name, in the order of CURVE_COLUMNS."""

def measure(tokenizers: Mapping[str, Tokenizer], texts: Mapping[str, Iterable[str]]) -> list[Measurement]:
    """Every tokenizer on every text, text by text. A text is an iterable of documents, encoded one by one, read once."""

def curve(
    tokenizer: BPETokenizer, texts: Mapping[str, Iterable[str]], sizes: Iterable[int], split: str = ""
) -> list[CurvePoint]:
    """How many tokens each text would be with the first merges only, for each vocabulary size, smallest first.

    Exact: prefixes of one training run are what smaller runs learn. A run that found too few pairs for the largest sizes
    gives one point, with the size that it has, in their place. Raises ValueError for a size below that of a vocabulary
    without merges, and for a list of merges that no training makes.
    """

def flattens_at(points: Sequence[CurvePoint], gain: float = 0.05) -> int | None:
    """The first size of a curve from which on no measured doubling brings `gain` (a share) more bytes per token; None if the last does."""

def to_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV with a header; None is an empty field, and ratios have six significant digits."""

def to_json(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as a JSON array of objects, one a line; None is null."""

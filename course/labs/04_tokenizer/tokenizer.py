"""Lab 04: your byte-level BPE tokenizer. Fill in what raises NotImplementedError, from the top down.

Tokens are integers all the way: ids 0 to 255 are the bytes, each merge adds the next id, special tokens come last.
A *chunk* is a part of the text that no merge may cross. README.md explains the algorithm and names the test of each part.

    pytest <the folder of this file>                     your code
    pytest <the folder of this file> --impl=solution     the reference, where solution.py lies beside this file
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import regex  # noqa: F401  (pretokenize will need it)

Pair = tuple[int, int]

# --- given: the published patterns ---

GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""

GPT4_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"""
    r"""| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
)

O200K_PATTERN = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)


# --- yours ---


def pretokenize(text: str, pattern: str = GPT4_PATTERN) -> list[str]:
    """Cut `text` into chunks: the matches of `pattern` from left to right (PyPI `regex` knows \\p{L}; `re` does not).

    >>> pretokenize("Hi 123")
    ['Hi', ' ', '123']
    """
    raise NotImplementedError


def get_pair_counts(chunks: Mapping[tuple[int, ...], int]) -> Counter[Pair]:
    """Count adjacent pairs of ids. `chunks` maps each distinct chunk (its ids) to how often it occurs.

    >>> get_pair_counts({(1, 2, 1, 2): 3, (2, 1): 10})
    Counter({(2, 1): 13, (1, 2): 6})
    """
    raise NotImplementedError


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """`ids` with each `pair` replaced by `new_id`, scanning from the left; what was replaced is not looked at again.

    >>> merge([97, 97, 97], (97, 97), 256)
    [256, 97]
    """
    raise NotImplementedError


class BPETokenizer:
    """A byte-level BPE tokenizer.

    merges          pair of ids -> new id, in the order learned
    vocab           id -> the bytes it stands for; print it when something looks wrong
    special_tokens  content -> id; these ids follow the last merge
    pattern         the regular expression that cuts text into chunks
    """

    def __init__(
        self,
        merges: Mapping[Pair, int] | None = None,
        pattern: str = GPT4_PATTERN,
        special_tokens: Iterable[str] = (),
    ) -> None:
        """Given. A tokenizer from its merges; without any, one that spells every text in bytes."""
        self.pattern = pattern
        self.merges = dict(merges or {})
        self.vocab = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), new_id in self.merges.items():
            self.vocab[new_id] = self.vocab[left] + self.vocab[right]
        self.special_tokens: dict[str, int] = {}
        for content in special_tokens:
            if not content or content in self.special_tokens:
                raise ValueError(f"special tokens must be distinct and not empty, but {content!r} is not")
            self.special_tokens[content] = len(self.vocab)
            self.vocab[len(self.vocab)] = content.encode("utf-8")

    @classmethod
    def train(
        cls,
        corpus: str | Iterable[str],
        vocab_size: int,
        pattern: str = GPT4_PATTERN,
        special_tokens: Sequence[str] = (),
    ) -> BPETokenizer:
        """Learn `vocab_size` - 256 - len(`special_tokens`) merges, fewer if the pairs run out.

        `corpus` is one text or an iterable of texts (documents); no chunk spans two of them. Each step merges the pair
        with the largest count; of equal counts, the smallest pair of ids. New ids count up from 256.
        End with `return cls(merges, pattern, special_tokens)`.
        """
        raise NotImplementedError

    def _encode_chunk(self, chunk: str) -> list[int]:
        """The ids of one chunk: of the pairs that are there, merge the one learned first, until none is left."""
        raise NotImplementedError

    def encode(self, text: str, allowed_special: str = "all") -> list[int]:
        """The ids of `text`.

        `allowed_special`: "all" gives special tokens found in the text their ids, whole; "none" encodes them as plain
        text, which is what text from users needs. Where two special tokens start at one place, the longer one counts.
        """
        raise NotImplementedError

    def decode(self, ids: Iterable[int]) -> str:
        """The text of `ids`, special tokens included; bytes that are not UTF-8 become U+FFFD."""
        raise NotImplementedError


# --- given: the measure that goes with the study in README.md ---


def bytes_per_token(tokenizer: BPETokenizer, text: str) -> float:
    """UTF-8 bytes of `text` for each token it takes: more is better. Raises ValueError if `text` is empty."""
    if not text:
        raise ValueError("the text is empty, so there are no tokens to divide by")
    return len(text.encode("utf-8")) / len(tokenizer.encode(text))

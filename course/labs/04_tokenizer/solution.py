"""Lab 04, the reference: a byte-level BPE tokenizer in one small file. Look at it after your own try.

Tokens are integers all the way: ids 0 to 255 are the bytes, each merge adds the next id, special tokens come last.
It is written to be read, not to be fast: every step of training counts all pairs anew, which costs
O(merges x distinct chunks). It shares no code with the library `tinyllm`, so each can be checked against the other.
A *chunk* is what the library calls a pre-token: a part of the text that no merge may cross.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import regex

Pair = tuple[int, int]

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

# GPT-2 numbers the bytes in another order: first those that print as a character of their own, then the others. The
# byte at position i has id i. Its files spell the first kind as chr(byte), the others as chr(256), chr(257), ...
GPT2_PRINTABLE = (*range(33, 127), *range(161, 173), *range(174, 256))
GPT2_BYTE_ORDER = (*GPT2_PRINTABLE, *range(33), *range(127, 161), 173)


def pretokenize(text: str, pattern: str = GPT4_PATTERN) -> list[str]:
    """Cut `text` into chunks: the matches of `pattern` from left to right. They join back to the text.

    Raises ValueError if the pattern leaves part of the text out, since those characters would be lost.
    """
    chunks = [match.group() for match in regex.finditer(pattern, text)]
    if "".join(chunks) != text:
        raise ValueError(f"the pattern does not match all of the text: {pattern!r}")
    return chunks


def get_pair_counts(chunks: Mapping[tuple[int, ...], int]) -> Counter[Pair]:
    """Count adjacent pairs of ids. `chunks` maps each distinct chunk (its ids) to how often it occurs.

    >>> get_pair_counts({(1, 2, 1, 2): 3, (2, 1): 10})
    Counter({(2, 1): 13, (1, 2): 6})
    """
    counts: Counter[Pair] = Counter()
    for ids, frequency in chunks.items():
        for pair in zip(ids, ids[1:]):
            counts[pair] += frequency
    return counts


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """`ids` with each `pair` replaced by `new_id`, scanning from the left; what was replaced is not looked at again.

    >>> merge([97, 97, 97], (97, 97), 256)
    [256, 97]
    """
    merged = []
    position = 0
    while position < len(ids):
        if tuple(ids[position : position + 2]) == pair:
            merged.append(new_id)
            position += 2
        else:
            merged.append(ids[position])
            position += 1
    return merged


def bytes_per_token(tokenizer: BPETokenizer, text: str) -> float:
    """UTF-8 bytes of `text` for each token it takes: more is better. Raises ValueError if `text` is empty."""
    if not text:
        raise ValueError("the text is empty, so there are no tokens to divide by")
    return len(text.encode("utf-8")) / len(tokenizer.encode(text))


class BPETokenizer:
    """A byte-level BPE tokenizer.

    merges          pair of ids -> new id, in the order learned
    vocab           id -> the bytes it stands for
    special_tokens  content -> id; these ids follow the last merge
    pattern         the regular expression that cuts text into chunks
    byte_order      the bytes that ids 0 to 255 stand for: 0 to 255, but for tokenizers that number them otherwise
    """

    def __init__(
        self,
        merges: Mapping[Pair, int] | None = None,
        pattern: str = GPT4_PATTERN,
        special_tokens: Iterable[str] = (),
        *,
        byte_order: Sequence[int] = range(256),
    ) -> None:
        """A tokenizer from its merges; without any, one that spells every text in bytes.

        Raises ValueError if a special token is empty or listed twice.
        """
        self.pattern = pattern
        self.byte_order = tuple(byte_order)
        self.merges = dict(merges or {})
        self.vocab = {id: bytes([byte]) for id, byte in enumerate(self.byte_order)}
        self._id_of_byte = {byte: id for id, byte in enumerate(self.byte_order)}
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
        *,
        byte_order: Sequence[int] = range(256),
    ) -> BPETokenizer:
        """Learn `vocab_size` - 256 - len(`special_tokens`) merges, fewer if the pairs run out.

        `corpus` is one text or an iterable of texts (documents); no chunk spans two of them. Special tokens are cut
        out of the texts first: their characters teach nothing about language. Each step merges the pair with the
        largest count; of equal counts, the smallest pair of ids. So the result depends on the counts alone.
        Raises ValueError if `vocab_size` has no room for the bytes and the special tokens.
        """
        merge_total = vocab_size - 256 - len(special_tokens)
        if merge_total < 0:
            raise ValueError(
                f"vocab_size is {vocab_size}; the bytes and the special tokens alone need {vocab_size - merge_total}"
            )
        untrained = cls({}, pattern, special_tokens, byte_order=byte_order)
        frequencies: Counter[str] = Counter()
        for text in [corpus] if isinstance(corpus, str) else corpus:
            for segment in untrained._split_special(text):
                if segment not in untrained.special_tokens:
                    frequencies.update(pretokenize(segment, pattern))
        # Equal chunks are counted once and weighted: a corpus has far fewer distinct chunks than chunks.
        chunks = {tuple(untrained._encode_chunk(chunk)): frequency for chunk, frequency in frequencies.items()}

        merges: dict[Pair, int] = {}
        while len(merges) < merge_total:
            counts = get_pair_counts(chunks)
            if not counts:
                break
            best = min(counts, key=lambda pair: (-counts[pair], pair))
            merges[best] = 256 + len(merges)
            chunks = {tuple(merge(ids, best, merges[best])): frequency for ids, frequency in chunks.items()}
        return cls(merges, pattern, special_tokens, byte_order=byte_order)

    @classmethod
    def from_gpt2_merges(cls, merges_txt: str) -> BPETokenizer:
        """GPT-2's tokenizer from the text of its merges.txt (stretch goal): the ids are tiktoken's and OpenAI's.

        The file spells tokens in printable stand-ins for the bytes, one merge a line, "Ġ t" for space and t. The ids
        of single bytes follow GPT-2's order, not the bytes' values.
        """
        stand_ins = [chr(byte) for byte in GPT2_PRINTABLE]
        stand_ins += [chr(256 + n) for n in range(256 - len(stand_ins))]
        ids = {stand_in: id for id, stand_in in enumerate(stand_ins)}
        lines = merges_txt.removesuffix("\n").split("\n")
        if lines[0].startswith("#version"):
            del lines[0]  # only the first line can be a header: "# #" further down is a merge
        merges: dict[Pair, int] = {}
        for line in lines:
            left, right = line.split(" ")
            merges[ids[left], ids[right]] = ids[left + right] = 256 + len(merges)
        return cls(merges, GPT2_PATTERN, ["<|endoftext|>"], byte_order=GPT2_BYTE_ORDER)

    def encode(self, text: str, allowed_special: str = "all") -> list[int]:
        """The ids of `text`.

        `allowed_special`: "all" gives special tokens found in the text their ids, whole; "none" encodes them as plain
        text, which is what text from users needs. Raises ValueError for anything else.
        """
        if allowed_special not in ("all", "none"):
            raise ValueError(f'allowed_special is "all" or "none", not {allowed_special!r}')
        ids = []
        for segment in self._split_special(text) if allowed_special == "all" else [text]:
            if allowed_special == "all" and segment in self.special_tokens:
                ids.append(self.special_tokens[segment])
            else:
                for chunk in pretokenize(segment, self.pattern):
                    ids += self._encode_chunk(chunk)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of `ids`. All bytes are joined first, since one character may be spread over several tokens.

        Bytes that are not UTF-8 become U+FFFD. Raises KeyError for an id that the vocabulary lacks.
        """
        return b"".join([self.vocab[id] for id in ids]).decode("utf-8", errors="replace")

    def _encode_chunk(self, chunk: str) -> list[int]:
        """The ids of one chunk: of the pairs that are there, the one learned first is merged, until none is left."""
        ids = [self._id_of_byte[byte] for byte in chunk.encode("utf-8")]
        while True:
            mergeable = [pair for pair in zip(ids, ids[1:]) if pair in self.merges]
            if not mergeable:
                return ids
            earliest = min(mergeable, key=self.merges.__getitem__)
            ids = merge(ids, earliest, self.merges[earliest])

    def _split_special(self, text: str) -> list[str]:
        """Cut `text` around its special tokens, leftmost first, the longest of those that start at one place."""
        if not self.special_tokens:
            return [text]
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        return regex.split("(" + "|".join(map(regex.escape, longest_first)) + ")", text)

"""A unigram language model tokenizer, SentencePiece's other algorithm, over bytes: of all ways to spell a pre-token, the most probable.

Each token has a score, the logarithm of its probability; the score of a spelling is the sum. Encoding finds the best
spelling (Viterbi), where BPE replays merges. Pre-tokens and the byte alphabet are those of `bpe.py`, so no text is
unknown and nothing is lost: unlike SentencePiece, it does not normalize. Nor does it sample spellings.

Learning the scores is `train.py`; the rules for parts and files are `file.py`.
Source: Kudo 2018, "Subword Regularization"; Hugging Face tokenizers for the file and for ties.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.bytemap import bytes_to_unicode, unicode_to_bytes
from tinyllm.tok.fast.memo import Lazy, Memo
from tinyllm.tok.jsonfile import read_json, write_json
from tinyllm.tok.splits import CHOICES, SPLITS
from tinyllm.tok.splitting.steps import Steps, steps_of
from tinyllm.tok.splitting.text import check_text
from tinyllm.tok.trie import Trie
from tinyllm.tok.unigram.file import LIMIT, STEP, check_specials, checked_scores, parsed, tokenizer_json
from tinyllm.tok.unigram.train import learn_scores

if TYPE_CHECKING:
    from typing import Self

Tokens = tuple[tuple[int, float, int], ...]  # (length, score, id) of each token that begins at a place


class UnigramTokenizer(Tokenizer):
    """A unigram language model over the byte alphabet.

    vocab          token -> id: the 256 byte symbols and what training found
    scores         the score of each id below len(vocab)
    added          content -> id of the special tokens, which are matched in the text before it is pre-tokenized
    pre_tokenizer  the name of a split, one of `splits.CHOICES`
    special_ids    the ids of `added`
    vocab_size     the largest id plus one
    unk_id         None: every text is spelled in bytes

    The parts do not change once it is made. It can be pickled, copied, and shared by threads.
    """

    def __init__(
        self, scores: Iterable[tuple[str, float]], specials: Sequence[str] = (), pre_tokenizer: str = "gpt2"
    ) -> None:
        """A tokenizer from tokens with their scores, in the order of ids; the specials take the ids behind them.

        Raises ValueError for a token that is no string over the byte alphabet or comes twice, a score that is no
        multiple of 1/8192 between -100 and 100, a byte symbol that is missing, a special that is empty, repeated or a
        token, and an unknown pre-tokenizer.

        >>> letters = [(symbol, -9.0) for symbol in bytes_to_unicode().values()]
        >>> tokenizer = UnigramTokenizer([*letters, ("ab", -1.0), ("bc", -0.5)])
        >>> [tokenizer.id_to_token(id) for id in tokenizer.encode("abc")]
        ['a', 'bc']
        """
        if not isinstance(pre_tokenizer, str) or pre_tokenizer not in CHOICES:
            raise ValueError(f"pre_tokenizer is {pre_tokenizer!r:.60}; it must be {' or '.join(map(repr, CHOICES))}")
        entries = checked_scores(scores)
        self.vocab = {token: id for id, (token, _) in enumerate(entries)}
        self.scores = [score for _, score in entries]
        check_specials(specials, self.vocab)
        self.added = {content: id for id, content in enumerate(specials, start=len(self.vocab))}
        self.pre_tokenizer = pre_tokenizer
        self.special_ids = frozenset(self.added.values())
        self.vocab_size = len(self.vocab) + len(self.added)
        self.unk_id = None
        self._caches = self._new_caches()

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        specials: Sequence[str] = (),
        *,
        pre_tokenizer: str = "gpt2",
        max_token_bytes: int = 48,
        seeds: int = 100_000,
    ) -> Self:
        """Learn tokens and scores from `texts`, any iterable of str, read once.

        Ids: the 256 byte symbols in code-point order, the other tokens by falling score (then in code-point order), the
        specials in the order given. Specials are cut out of the texts, leftmost longest, and never spelled by a token.
        A token is whole characters or a part of one, of at most `max_token_bytes` (48 are 16 characters of Telugu).
        The vocabulary is smaller than `vocab_size` if the texts hold too few substrings that occur twice. The result
        depends on nothing but how often each pre-token occurs.

        Raises ValueError for `vocab_size` below 256 + len(specials), `max_token_bytes` or `seeds` below 1, and as
        `__init__` does; TypeError if `texts` is one str. Cost: see `learn_scores`; `seeds` bounds time and memory.
        """
        if isinstance(texts, str):
            raise TypeError("texts must be an iterable of str, not one str: write [text]")
        untrained = cls([(symbol, 0.0) for symbol in _byte_symbols()], specials, pre_tokenizer)
        chunks: Counter[str] = Counter()
        for text in texts:
            check_text(text)
            for segment, _ in untrained._segments(text, "all"):
                for found in untrained._caches.steps.chunks(segment):
                    chunks.update(found)
        counts: Counter[str] = Counter()
        for chunk, count in chunks.items():
            for pretoken in untrained._caches.steps.split(chunk):
                counts[pretoken] += count
        return cls.train_from_counts(
            counts, vocab_size, specials, pre_tokenizer=pre_tokenizer, max_token_bytes=max_token_bytes, seeds=seeds
        )

    @classmethod
    def train_from_counts(
        cls,
        counts: Mapping[str, int],
        vocab_size: int,
        specials: Sequence[str] = (),
        *,
        pre_tokenizer: str = "gpt2",
        max_token_bytes: int = 48,
        seeds: int = 100_000,
    ) -> Self:
        """Learn from counted pre-tokens, as `train` does. `counts` must have been made with the same specials and pre-tokenizer."""
        symbols = _byte_symbols()
        cls([(symbol, 0.0) for symbol in symbols], specials, pre_tokenizer)  # wrong settings are told before the work
        if index(vocab_size) < len(symbols) + len(specials):
            raise ValueError(
                f"vocab_size is {vocab_size}; it must be at least {256 + len(specials)}: 256 byte symbols and {len(specials)} specials"
            )
        for name, value in (("max_token_bytes", max_token_bytes), ("seeds", seeds)):
            if index(value) < 1:
                raise ValueError(f"{name} is {value}; it must be at least 1")
        byte_of = unicode_to_bytes()
        banned = {
            bytes(map(byte_of.__getitem__, special)).decode("latin-1")
            for special in specials
            if byte_of.keys() >= set(special)
        }
        learned = learn_scores(counts, vocab_size - len(specials), max_token_bytes, seeds, banned)
        stand_ins = bytes_to_unicode()
        scores = {"".join(stand_ins[ord(ch)] for ch in token): _rounded(score) for token, score in learned.items()}
        found = sorted(scores.keys() - set(symbols), key=lambda token: (-scores[token], token))
        return cls([(token, scores[token]) for token in [*symbols, *found]], specials, pre_tokenizer)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote. Raises ValueError naming the file, the field and what was found for anything else."""
        found = read_json(path)
        try:
            return cls(*parsed(found))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a tokenizer.json with a Unigram model that Hugging Face loads with the same ids; an old file is replaced
        whole or not at all. Raises OSError."""
        write_json(path, tokenizer_json(zip(self.vocab, self.scores), self.added, self.pre_tokenizer))

    def encode(self, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all") -> list[int]:
        """The ids of `text`: specials first, then pre-tokens, each in its most probable spelling.

        Of equally probable spellings the one whose last token starts leftmost, and so on towards the front.
        `allowed_special`: which specials may be matched: "all", "none", or a collection of contents. The text of one that
        is not allowed is ordinary text.
        Raises TypeError if `text` is not a str, ValueError naming the position of a lone surrogate, ValueError for an
        unknown content or another string in `allowed_special`. Cost: O(characters x longest token) for text that is new.
        """
        check_text(text)
        ids: list[int] = []
        for segment, special_id in self._segments(text, allowed_special):
            for chunks in self._caches.steps.chunks(segment):
                for chunk in chunks:
                    ids.extend(self._caches.ids_of[chunk])
            if special_id is not None:
                ids.append(special_id)
        return ids

    def decode(
        self, ids: Iterable[int], skip_special: bool = False, *, errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """The text of `ids`: all bytes joined first, then decoded as UTF-8 once.

        `errors`: "replace" shows invalid bytes as U+FFFD, "strict" raises UnicodeDecodeError. Ids are checked as in `check_ids`.
        """
        if errors not in ("replace", "strict"):
            raise ValueError(f'errors is {errors!r}; it must be "replace" or "strict"')
        return self.decode_bytes(ids, skip_special).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int], skip_special: bool = False) -> bytes:
        """The bytes of `ids`, joined; a special gives the UTF-8 of its content. Raises as `check_ids` does."""
        ids = check_ids(ids, self.vocab_size)
        if skip_special:
            ids = [id for id in ids if id not in self.special_ids]
        return b"".join(map(self._caches.bytes_of_id.__getitem__, ids))

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token; of a special, the UTF-8 of its content. Raises as `check_ids` does."""
        return self._caches.bytes_of_id[check_ids([id], self.vocab_size)[0]]

    def id_to_token(self, id: int) -> str:
        """The token with this id, as the vocabulary spells it, or the content of a special. Raises as `check_ids` does."""
        return self._caches.token_of_id[check_ids([id], self.vocab_size)[0]]

    def token_to_id(self, token: str) -> int | None:
        """The id of `token` (a vocabulary entry or the content of a special), or None."""
        if not isinstance(token, str):
            raise TypeError(f"a token is a str, not {type(token).__name__} ({token!r:.40})")
        return self.vocab.get(token, self.added.get(token))

    # ---- below: how ----

    def _segments(
        self, text: str, allowed: Literal["all", "none"] | Collection[str]
    ) -> Iterator[tuple[str, int | None]]:
        """Each stretch of text between specials, with the id of the special behind it; None behind the last."""
        # Of alternatives, `re` takes the first that matches, so the longest must stand first.
        contents = sorted(self._allowed(allowed), key=len, reverse=True)
        found = re.split("(" + "|".join(map(re.escape, contents)) + ")", text) if contents else [text]
        for segment, content in zip(found[::2], [*found[1::2], None]):
            yield segment, None if content is None else self.added[content]

    def _allowed(self, allowed: Literal["all", "none"] | Collection[str]) -> Collection[str]:
        if isinstance(allowed, str):
            if allowed not in ("all", "none"):
                raise ValueError(
                    f'allowed_special is {allowed!r:.60}; it must be "all", "none", or a collection of contents'
                )
            return self.added if allowed == "all" else ()
        for content in allowed:
            if content not in self.added:
                known = ", ".join(map(repr, self.added)) or "none"
                raise ValueError(f"allowed_special has {content!r:.60}, which is no special here; there are {known}")
        return allowed

    def _new_caches(self) -> _Caches:
        return _Caches(self.vocab, self.scores, self.added, self.pre_tokenizer)

    def __getstate__(self) -> dict[str, Any]:
        """The parts, without the caches, which are refilled as they are needed."""
        return {name: value for name, value in vars(self).items() if name != "_caches"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._caches = self._new_caches()


class _Caches:
    """What follows from a tokenizer's parts, and is made when it is first asked for: it changes no result, and no pickle has it."""

    def __init__(self, vocab: dict[str, int], scores: list[float], added: dict[str, int], pre_tokenizer: str) -> None:
        self._vocab = vocab
        self._scores = scores
        self._added = added
        self._pre_tokenizer = pre_tokenizer

    @Lazy
    def steps(self) -> Steps:
        return steps_of(SPLITS[self._pre_tokenizer].patterns)

    @Lazy
    def ids_of(self) -> Memo[str, list[int]]:
        """The ids of a chunk."""
        pretokenize, stand_ins = self.steps.split, bytes_to_unicode()
        tokens_at = _tokens_at(self._vocab, self._scores)

        def encode_chunk(chunk: str) -> list[int]:
            ids: list[int] = []
            for pretoken in pretokenize(chunk):
                ids.extend(_best_spelling("".join(map(stand_ins.__getitem__, pretoken.encode("utf-8"))), tokens_at))
            return ids

        return Memo(encode_chunk)

    @Lazy
    def token_of_id(self) -> list[str]:
        return [*self._vocab, *self._added]

    @Lazy
    def bytes_of_id(self) -> list[bytes]:
        byte_of = unicode_to_bytes()
        return [bytes(map(byte_of.__getitem__, token)) for token in self._vocab] + [
            content.encode("utf-8") for content in self._added
        ]


def _best_spelling(symbols: str, tokens_at: Trie[Tokens]) -> list[int]:
    """The ids of the most probable spelling of one pre-token, given in the byte alphabet (Viterbi).

    From each position, in order, every token there makes an offer to the position behind it. Only a better offer
    replaces another, so of equal ones the token that starts leftmost stays.
    """
    best = [0.0] + [-inf] * len(symbols)
    # (length, id) of the last token on the best way to each position.
    last: list[tuple[int, int]] = [(0, 0)] * len(best)
    for start in range(len(symbols)):
        longest = tokens_at.longest_prefix(symbols, start)
        assert longest is not None, "every byte symbol is a token"
        for length, score, id in longest[1]:
            offer = best[start] + score
            if offer > best[start + length]:
                best[start + length] = offer
                last[start + length] = (length, id)
    ids = []
    end = len(symbols)
    while end:
        length, id = last[end]
        ids.append(id)
        end -= length
    return ids[::-1]


def _tokens_at(vocab: dict[str, int], scores: list[float]) -> Trie[Tokens]:
    """Each token with all the tokens it starts with, itself included: the longest at a position tells of all."""
    trie: Trie[Tokens] = Trie()
    # Each one a beginning of the next. In sorted order a token comes right behind its beginnings.
    open_tokens: list[str] = []
    for token in sorted(vocab):
        while open_tokens and not token.startswith(open_tokens[-1]):
            open_tokens.pop()
        open_tokens.append(token)
        trie.insert(token, tuple((len(each), scores[vocab[each]], vocab[each]) for each in open_tokens))
    return trie


def _rounded(score: float) -> float:
    """The nearest score that a file can hold. The lowest are of tokens that hardly ever occur."""
    return max(1 - LIMIT, round(score * STEP) / STEP)


def _byte_symbols() -> list[str]:
    return sorted(bytes_to_unicode().values())

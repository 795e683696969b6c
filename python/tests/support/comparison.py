"""One tokenizer of ours beside Hugging Face's: everything that both say about a text, and where they part.

The tokenizer is anything with the interface of the wide loader: `encode(text, add_special_tokens=, allowed_special=)`,
`encode_with_offsets(text)`, `encode_batch(texts)`, `decode(ids, skip_special)`. Where Hugging Face refuses or panics, ours must
raise ValueError; both are then an `Outcome` of the kind "refused". Whatever else ours raises is a difference.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# Before the import: threads of Hugging Face's in each of several processes are slower than none, and warn after a fork.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
import tokenizers  # noqa: E402

from tinyllm.tok.bpe import BPETokenizer  # noqa: E402

BATCH = 8  # texts of a batch: padding to the longest changes the others


class Outcome(NamedTuple):
    """What a call gave: ("value", it), ("refused", the message) or ("crashed", the error)."""

    kind: str
    value: Any

    def __str__(self) -> str:
        return ascii(self.value) if self.kind == "value" else f"{self.kind}: {self.value}"


class Difference(NamedTuple):
    """A place where the two part: in what, on which text (or ids, or texts), and what each said."""

    aspect: str
    input: Any
    ours: Outcome
    theirs: Outcome

    def __str__(self) -> str:
        return f"{self.aspect} of {self.input!a}\n  ours {self.ours}\n  HF   {self.theirs}"


@dataclass
class Tally:
    """How much was compared, and how often Hugging Face refused a text, in which case ours must."""

    texts: int = 0
    refused: int = 0
    without_offsets: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        self.texts += other.texts
        self.refused += other.refused
        self.without_offsets += other.without_offsets
        for reason, count in other.reasons.items():
            self.reasons[reason] = self.reasons.get(reason, 0) + count


def ours(call: Callable[[], Any]) -> Outcome:
    """What our side gave. A ValueError is a refusal; any other error is a crash."""
    try:
        return Outcome("value", call())
    except ValueError as error:
        return Outcome("refused", str(error))
    except Exception as error:
        return Outcome("crashed", f"{type(error).__name__}: {error}")


def theirs(call: Callable[[], Any]) -> Outcome:
    """What Hugging Face gave. Its errors have no common class, and a panic is not even an Exception."""
    try:
        return Outcome("value", call())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Outcome("refused", str(error))


@contextlib.contextmanager
def panics_unheard() -> Iterator[None]:
    """Nothing that this process writes to its standard error is seen: a panic prints a line of its own before it is caught."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def part(ours: Outcome, theirs: Outcome) -> bool:
    """Whether two outcomes are a difference: other values, or one side alone refuses, or ours crashes."""
    return ours.kind != theirs.kind or (ours.kind == "value" and ours.value != theirs.value)


class Comparison:
    """Ours and Hugging Face's tokenizer of one file.

    `unaligned` says that the file's normalizer is one whose offsets ours may refuse. It may then refuse offsets, never guess.
    """

    def __init__(self, tokenizer: Any, hf: tokenizers.Tokenizer, unaligned: bool = False) -> None:
        self.ours, self.hf, self.unaligned = tokenizer, hf, unaligned
        # The chapter's class sees texts of specials that are not allowed in a way of its own, a tested difference.
        specials = any(token.special for token in hf.get_added_tokens_decoder().values())
        self.compares_policy = specials and type(tokenizer).__name__ != "BPETokenizer"
        self.tally = Tally()

    def differences(self, texts: Sequence[str]) -> Iterator[Difference]:
        """Where they part on these texts, each alone and in batches."""
        for text in texts:
            yield from self.of_text(text)
        for start in range(0, len(texts), BATCH):
            yield from self.of_batch(list(texts[start : start + BATCH]))

    def of_text(self, text: str) -> Iterator[Difference]:
        """Where they part on a text: its ids with and without the template and the specials, its offsets, its ids' texts."""
        self.tally.texts += 1
        encoding = theirs(lambda: self.hf.encode(text))
        right = Outcome("value", encoding.value.ids) if encoding.kind == "value" else encoding
        if encoding.kind == "refused":
            self.tally.refused += 1
            reason = encoding.value.partition(":")[0][:80]
            self.tally.reasons[reason] = self.tally.reasons.get(reason, 0) + 1
        found = ours(lambda: self.ours.encode(text))
        if part(found, right):
            yield Difference("ids", text, found, right)
        yield from self._offsets(text, encoding)
        yield from self._other_ways(text)
        if right.kind == "value":
            yield from self.of_ids(right.value)

    def _offsets(self, text: str, encoding: Outcome) -> Iterator[Difference]:
        found = ours(lambda: self.ours.encode_with_offsets(text))
        if self.unaligned and found.kind == "refused" and encoding.kind == "value":
            self.tally.without_offsets += 1
            return
        right = encoding
        if encoding.kind == "value":
            right = Outcome("value", (encoding.value.ids, encoding.value.offsets))
        if part(found, right):
            yield Difference("offsets", text, found, right)

    def _other_ways(self, text: str) -> Iterator[Difference]:
        # The chapter's class has no template to leave out, and no word for it.
        without = {} if isinstance(self.ours, BPETokenizer) else {"add_special_tokens": False}
        found = ours(lambda: self.ours.encode(text, **without))
        right = theirs(lambda: self.hf.encode(text, add_special_tokens=False).ids)
        if part(found, right):
            yield Difference("ids without the template", text, found, right)
        if not self.compares_policy:
            return
        found = ours(lambda: self.ours.encode(text, allowed_special="none"))
        self.hf.encode_special_tokens = True
        right = theirs(lambda: self.hf.encode(text).ids)
        self.hf.encode_special_tokens = False
        if part(found, right):
            yield Difference("ids without specials", text, found, right)

    def of_ids(self, ids: list[int]) -> Iterator[Difference]:
        """Where they part on the text of these ids."""
        for skip in (False, True):
            found = ours(lambda: self.ours.decode(ids, skip))  # noqa: B023  (called at once)
            right = theirs(lambda: self.hf.decode(ids, skip_special_tokens=skip))  # noqa: B023
            if part(found, right):
                yield Difference(f"text, skip_special={skip},", ids, found, right)

    def of_batch(self, texts: list[str]) -> Iterator[Difference]:
        """Where they part on texts encoded together."""
        found = ours(lambda: self.ours.encode_batch(texts))
        right = theirs(lambda: [encoding.ids for encoding in self.hf.encode_batch(texts)])
        if part(found, right):
            yield Difference("ids in a batch", texts, found, right)

    def of_tokens(self, most: int = 400) -> Iterator[Difference]:
        """Where they part on what an id is called, and back."""
        for token, id in sorted(self.hf.get_vocab().items(), key=lambda entry: entry[1])[:most]:
            found, right = ours(lambda: self.ours.id_to_token(id)), self.hf.id_to_token(id)  # noqa: B023
            if part(found, Outcome("value", right)):
                yield Difference("token", id, found, Outcome("value", right))
            found, right = ours(lambda: self.ours.token_to_id(token)), self.hf.token_to_id(token)  # noqa: B023
            if part(found, Outcome("value", right)):
                yield Difference("id", token, found, Outcome("value", right))


class ByHuggingFace:
    """Hugging Face's tokenizer behind our interface. Compared with itself it shows that a comparison has no opinion of its own."""

    def __init__(self, source: str) -> None:
        outcome = theirs(lambda: tokenizers.Tokenizer.from_str(source))
        if outcome.kind == "refused":
            raise ValueError(outcome.value)
        self.hf: tokenizers.Tokenizer = outcome.value

    def encode(self, text: str, *, add_special_tokens: bool = True, allowed_special: str = "all") -> list[int]:
        self.hf.encode_special_tokens = allowed_special == "none"
        ids: list[int] = self._or_refuse(lambda: self.hf.encode(text, add_special_tokens=add_special_tokens).ids)
        return ids

    def encode_with_offsets(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        self.hf.encode_special_tokens = False
        encoding = self._or_refuse(lambda: self.hf.encode(text))
        return encoding.ids, encoding.offsets

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        self.hf.encode_special_tokens = False
        return [encoding.ids for encoding in self._or_refuse(lambda: self.hf.encode_batch(list(texts)))]

    def decode(self, ids: list[int], skip_special: bool = False) -> str:
        text: str = self._or_refuse(lambda: self.hf.decode(ids, skip_special_tokens=skip_special))
        return text

    def id_to_token(self, id: int) -> str:
        token: str = self.hf.id_to_token(id)
        return token

    def token_to_id(self, token: str) -> int | None:
        id: int | None = self.hf.token_to_id(token)
        return id

    @staticmethod
    def _or_refuse(call: Callable[[], Any]) -> Any:
        outcome = theirs(call)
        if outcome.kind == "refused":
            raise ValueError(outcome.value)
        return outcome.value

"""Truncation and padding: how many ids a text becomes, where a file says so.

Truncation comes before the post-processor, and leaves room for the tokens that it puts in, if they are asked for. What is cut
off is gone: Hugging Face keeps it as further encodings of the text, which `stride` lets overlap, and `encode` gives only the
first. Padding comes last. `BatchLongest` makes the texts of one batch equally long, so it does nothing to a text alone, but
for `pad_to_multiple_of`.

Where Hugging Face panics we raise ValueError: for a stride that reaches the length, when a text is too long.

Source: Hugging Face tokenizers 0.23.3, utils/truncation.rs, utils/padding.rs, tokenizer/encoding.rs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tinyllm.tok.pipeline.postprocessors import Part, is_id
from tinyllm.tok.pipeline.refusals import Refusals

DIRECTIONS = ("Left", "Right")


class Truncation(NamedTuple):
    """The longest that a text may be, in ids, those of the post-processor counted in."""

    max_length: int
    stride: int
    strategy: str
    direction: str

    def truncate(self, part: Part, added: int) -> Part:
        """`part` cut to `max_length`; `added` is how many tokens the post-processor will put around it.

        Raises ValueError if it is too long and the stride reaches the length, or the strategy cuts a second text only.
        """
        length = self.max_length - added
        if length < 0:
            return part  # Hugging Face's number wraps around, so that every text is short enough
        if len(part.ids) <= length:
            return part
        if length == 0:
            return Part([])
        if self.strategy == "OnlySecond":
            raise ValueError(
                f"the text has {len(part.ids)} ids, more than {length}, and truncation.strategy OnlySecond cuts a second text only"
            )
        if self.stride >= length:
            raise ValueError(
                f"the text has {len(part.ids)} ids, more than {length}, and truncation.stride {self.stride} is not below that"
            )
        return part.cut(slice(-length, None) if self.direction == "Left" else slice(length))

    def words(self) -> str:
        return f"to {self.max_length} ids, cut {'before' if self.direction == 'Left' else 'behind'}"


class Padding(NamedTuple):
    """Ids that make a text longer. `size` None means as long as the longest of a batch."""

    size: int | None
    multiple: int
    direction: str
    pad_id: int
    pad_token: str

    def length(self, lengths: Iterable[int]) -> int:
        """How long the texts of a batch become, given their lengths. None becomes shorter."""
        length = max(lengths) if self.size is None else self.size
        return length + -length % self.multiple if self.multiple else length

    def pad(self, part: Part, length: int, with_spans: bool) -> Part:
        """`part` with pads, whose spans are (0, 0), up to `length` ids."""
        missing = length - len(part.ids)
        if missing <= 0:
            return part
        pads = Part([self.pad_id] * missing, [(0, 0)] * missing, [self.pad_token] * missing).only(with_spans)
        before, after = (pads, Part([])) if self.direction == "Left" else (Part([]), pads)
        return part.between(before, after)

    def words(self) -> str:
        to = "the longest of a batch" if self.size is None else f"{self.size} ids"
        to += f", to a multiple of {self.multiple}" if self.multiple else ""
        return f"to {to}, with {self.pad_token!r} {'before' if self.direction == 'Left' else 'behind'}"


def parse_truncation(found: Any, where: str, refusals: Refusals) -> Truncation | None:
    """The truncation that `found` declares; None for null, and if anything in it is refused."""
    if found is None:
        return None
    strategies = ("LongestFirst", "OnlyFirst", "OnlySecond")
    fields = {"max_length": None, "strategy": strategies, "stride": None, "direction": DIRECTIONS}
    right = refusals.fields(found, where, fields, ["direction"])
    if not _are_sizes(found, ("max_length", "stride"), where, refusals) or not right:
        return None
    return Truncation(found["max_length"], found["stride"], found["strategy"], found.get("direction", "Right"))


def parse_padding(found: Any, where: str, refusals: Refusals) -> Padding | None:
    """The padding that `found` declares; None for null, and if anything in it is refused."""
    if found is None:
        return None
    fields = dict.fromkeys(("strategy", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"))
    right = refusals.fields(found, where, {**fields, "direction": DIRECTIONS}, ["pad_to_multiple_of"])
    if not isinstance(found, dict):
        return None
    multiple, strategy = found.get("pad_to_multiple_of"), found.get("strategy")
    if multiple is not None:
        right &= _are_sizes(found, ("pad_to_multiple_of",), where, refusals)
    for field in ("pad_id", "pad_type_id"):
        if field in found and not is_id(found[field]):
            refusals.add(f"{where}.{field}", found[field], "an id")
            right = False
    if "pad_token" in found and not isinstance(found["pad_token"], str):
        refusals.add(f"{where}.pad_token", found["pad_token"], "a string")
        right = False
    size: int | None = None
    if isinstance(strategy, dict) and strategy.keys() == {"Fixed"} and is_size(strategy["Fixed"]):
        size = strategy["Fixed"]
    elif strategy != "BatchLongest" and "strategy" in found:
        refusals.add(f"{where}.strategy", strategy, '"BatchLongest" or an object with the one field "Fixed", a length')
        right = False
    if not right:
        return None
    return Padding(size, multiple or 0, found["direction"], found["pad_id"], found["pad_token"])


def _are_sizes(found: Any, fields: Iterable[str], where: str, refusals: Refusals) -> bool:
    wrong = [field for field in fields if isinstance(found, dict) and field in found and not is_size(found[field])]
    for field in wrong:
        refusals.add(f"{where}.{field}", found[field], "an integer, 0 or more")
    return not wrong


def is_size(found: object) -> bool:
    return type(found) is int and 0 <= found < 1 << 64

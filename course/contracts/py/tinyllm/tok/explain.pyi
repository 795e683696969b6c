"""See what a tokenizer does: traces of encoding and of training, and a view of tokens for notebooks. Given: students use it.

The records that the two traces return, and their JSON, are described in course/formats/trace.md.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.explain.notebook import TokenView
from tinyllm.tok.explain.records import EncodeTrace, TrainTrace

def trace_encode(
    tokenizer: BPETokenizer, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all"
) -> EncodeTrace:
    """How `tokenizer` encodes `text`, round by round. The trace's ids are those of `tokenizer.encode`.

    It merges one occurrence at a time, the lowest rank first, the leftmost on a tie; a run of merges of one pair is a round.
    Raises what `encode` raises for such arguments, and TypeError for a tokenizer without merges.
    Cost: O(symbols squared) for each distinct pre-token, in time and in the size of the trace, plus O(merges).
    """

def trace_train(
    texts: Iterable[str],
    vocab_size: int,
    specials: Sequence[str] = (),
    min_freq: int = 2,
    *,
    pre_tokenizer: str | Mapping[str, Any] | None = None,
) -> TrainTrace:
    """How `BPETokenizer.train` with these arguments learns its merges, step by step. The trace's merges are those of `train`.

    Raises what `train` raises. Cost: O(steps x symbols) in time and O(steps x pairs) in the size of the trace.
    """

def view(
    tokenizer: BPETokenizer, text: str, *, allowed_special: Literal["all", "none"] | Collection[str] = "all"
) -> TokenView:
    """The tokens of `text`, to look at: let a notebook show the result (`_repr_html_`), or print it.

    Equal ids have equal colours; pointing at a token shows its id, bytes and merge rank; tokens that share one character
    are in one frame. Of a long text the first 2,000 tokens are shown.
    Raises what `tokenizer.encode` raises, TypeError for a tokenizer without merges, and ValueError if the ids that it gives
    do not spell the text. Cost: O(bytes + merges).
    """

def to_json(trace: EncodeTrace | TrainTrace, indent: int | None = None) -> str:
    """The trace as JSON, as course/formats/trace.md describes it: ASCII only, so that it can be pasted anywhere."""

def write_page(
    path: str | os.PathLike[str],
    tokenizer: BPETokenizer,
    text: str,
    *,
    name: str = "",
    train: TrainTrace | None = None,
    live: bool = False,
    opened: Literal["encode", "train", "bytes"] = "encode",
    allowed_special: Literal["all", "none"] | Collection[str] = "all",
) -> None:
    """Write one HTML file, without need of a network, that steps through the encoding of `text`; an old file is replaced whole.

    `name` says in the page which tokenizer it is. `train` is what the train view shows; without it, up to 40 merges learned
    from `text` itself. `opened` is the view to begin with. `live` adds a field to type in: the file grows by the tokenizer.
    Raises what `trace_encode` raises, OSError, and ValueError for a `live` page with a tokenizer that the port cannot run.
    """

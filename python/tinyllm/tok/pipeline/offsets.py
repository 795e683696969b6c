"""Where in the text each id comes from, as Hugging Face's `Encoding.offsets` has it, for both BPE classes.

What each step does to offsets, all in characters of the text that was given:

an added token       the text that it took, white space that it strips included
a normalizer         each new character takes the place of one of the text (`aligned.py`, `normalizers.py`)
a prefix space       takes the place of the character that it stands before, so the first token starts there
ByteLevel            all bytes of a character take its place: the tokens of an emoji all have the offsets of the emoji
the model            a token stands for as many bytes as its symbols, counted from the start of the pre-token; so behind a
                     dropped character offsets lie too far left, and a token inside a character stands for all of it
truncation           cuts them with the ids
a template, padding  (0, 0) for what is put in
`trim_offsets`       the white space that a token starts or ends with is left out (`postprocessors.py`)

`Pipeline` does this itself. `OffsetEncoder` is for `BPETokenizer`, which finds its added tokens in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.model import BPEModel
from tinyllm.tok.pipeline.postprocessors import Part, Span, joined, parse_post_processor
from tinyllm.tok.pipeline.pretokenizers import PreTokenizer, parse_pre_tokenizer
from tinyllm.tok.pipeline.refusals import Refusals


def append_gap(part: Part, gap: AlignedText, pre_tokenizer: PreTokenizer | None, model: BPEModel) -> None:
    """Add the tokens of a gap between added tokens to `part`."""
    token_of = model.token_of
    for pretoken in [gap] if pre_tokenizer is None else pre_tokenizer.pretokens_aligned(gap):
        for id, start, end in model.ids_with_spans(pretoken.text):
            append(part, id, pretoken.span(start, end), token_of[id])


def append(part: Part, id: int, span: Span, spelled: str) -> None:
    """Add one token to `part`."""
    part.ids.append(id)
    part.spans.append(span)
    part.spelled.append(spelled)


class OffsetEncoder:
    """Ids with offsets for a tokenizer that has no normalizer.

    vocab, merges  those of `BPEModel`
    pre_tokenizer  the declaration as tokenizer.json spells it
    post_processor  likewise, or None; only a ByteLevel with `trim_offsets` matters

    Raises ValueError as their parsers do.

    >>> byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    >>> encoder = OffsetEncoder({"a": 0, "Ġ": 1, "Ġa": 2}, [("Ġ", "a")], byte_level, byte_level)
    >>> encoder.encode([("a a", 9)], {9: "<s>"})
    ([0, 2, 9], [(0, 1), (2, 3), (3, 6)])
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        pre_tokenizer: Mapping[str, Any],
        post_processor: Mapping[str, Any] | None,
    ) -> None:
        refusals = Refusals()
        self._pre_tokenizer = parse_pre_tokenizer(pre_tokenizer, "pre_tokenizer", refusals)
        self._post_processor = parse_post_processor(post_processor, "post_processor", refusals)
        refusals.check()
        self._model = BPEModel(vocab, merges)

    def encode(
        self, segments: Iterable[tuple[str, int | None]], content_of: Mapping[int, str]
    ) -> tuple[list[int], list[Span]]:
        """The ids and offsets of a text cut into `segments`: each with the id of the added token behind it, or None.

        `content_of`: added id -> content. Cost: some ten times that of encoding; nothing is cached.
        """
        part, at = Part([], [], []), 0
        for segment, id in segments:
            append_gap(part, AlignedText.of(segment, at), self._pre_tokenizer, self._model)
            at += len(segment)
            if id is not None:
                append(part, id, (at, at + len(content_of[id])), content_of[id])
                at += len(content_of[id])
        if self._post_processor is not None:
            part = joined(self._post_processor.process([part], True, True))
        return part.ids, part.spans

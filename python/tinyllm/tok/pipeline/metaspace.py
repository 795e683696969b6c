"""Metaspace, SentencePiece's way with spaces: each becomes a visible character, and words start with one.

Source: HF tokenizers 0.23.3, `Metaspace`.
"""

from __future__ import annotations

from tinyllm.tok.pipeline.aligned import AlignedText

SCHEMES = ("always", "first", "never")


class Metaspace:
    """Replaces each space by `replacement`, one character, puts one in front, and cuts before each of them.

    `scheme`: a pre-token that does not start with `replacement` gets one "always", "never", or only if it is "first": it
    stands for the start of the original text. Without `split` nothing is cut.

    >>> Metaspace("▁", "first", True).pretokens("a  b", at_start=True)
    ['▁a', '▁', '▁b']
    """

    def __init__(self, replacement: str, scheme: str, split: bool) -> None:
        self.replacement = replacement
        self.scheme = scheme
        self.split = split

    def pretokens(self, text: str, at_start: bool = False) -> list[str]:
        mark = self.replacement
        text = text.replace(" ", mark)
        if self._prepends(text, at_start):
            text = mark + text
        if not self.split:
            return [text]
        before, *behind = text.split(mark)
        return [before, *(mark + part for part in behind)] if before else [mark + part for part in behind]

    def pretokens_aligned(self, aligned: AlignedText) -> list[AlignedText]:
        mark = self.replacement
        aligned = AlignedText(aligned.text.replace(" ", mark), aligned.spans)
        if self._prepends(aligned.text, aligned.spans[0][0] == 0):
            aligned = aligned.prepend(mark)
        if not self.split:
            return [aligned]
        cuts = [0, *(i for i, ch in enumerate(aligned.text) if ch == mark and i), len(aligned.text)]
        return [aligned.slice(start, end) for start, end in zip(cuts, cuts[1:])]

    def _prepends(self, text: str, at_start: bool) -> bool:
        return (self.scheme == "always" or (self.scheme == "first" and at_start)) and not text.startswith(
            self.replacement
        )

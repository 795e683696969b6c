"""A model's split: one pattern, or several, each of which splits what the one before left whole.

It knows no files and no names: `splits.py` has those, `declaration.py` says what a tokenizer.json asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.safe_chunks import Chunker, safe_chunker

KEPT = 32  # splits that stay compiled; hardly a program has more of them


class Steps:
    r"""Patterns that split one after the other, with the behaviour Isolated, and the chunks that they allow.

    Raises as `Pattern` does. Cost: some milliseconds a pattern, and as much again when chunks are first asked for.

    >>> steps = Steps([r"\p{N}", " ?[a-z]+"])
    >>> steps.split("in 12 ways"), list(steps.chunks("in 12 ways"))
    (['in', ' ', '1', '2', ' ways'], [['in', ' 12', ' ways']])
    """

    def __init__(self, sources: list[str] | tuple[str, ...]) -> None:
        self.patterns = list(map(Pattern, sources))
        if len(self.patterns) == 1:
            self.split = self.patterns[0].split  # type: ignore[method-assign]  # a call less for each chunk

    def split(self, text: str) -> list[str]:
        """The pre-tokens of `text`; they join back to it and none is empty. Raises TypeError if `text` is not a str."""
        pretokens = [text]
        for pattern in self.patterns:
            pretokens = [pretoken for whole in pretokens for pretoken in pattern.split(whole)]
        return pretokens

    def chunks(self, text: str) -> Iterator[list[str]]:
        """Lists of chunks, which join back to `text`: split alone, they give the pre-tokens of `text`.

        If no cut is safe under these patterns, a text is one chunk.
        """
        return iter([[text]] if text else []) if self._chunker is None else self._chunker.chunks(text)

    @Lazy
    def _chunker(self) -> Chunker | None:
        return safe_chunker(self.patterns)


@lru_cache(maxsize=KEPT)
def steps_of(sources: tuple[str, ...]) -> Steps:
    """The Steps of some patterns, compiled once a process: tokenizers with the same split share them."""
    return Steps(sources)

"""A text that was changed, and for each of its characters the place in the original text that it stands for.

A normalizer changes the text and a pre-tokenizer cuts it and puts stand-ins in it; the offsets of a token are still
those of the text that was given. `AlignedText` carries them along, as HF tokenizers does: a new character takes the
place of the one it stands behind, whatever it was made from. It decides nothing about which characters change.

Source: HF tokenizers 0.23.3, whose NormalizedString keeps the same alignments by bytes; all bytes of a character have
one alignment there, so here they are kept by characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int]  # start and end in characters of the original text, end excluded


@dataclass(frozen=True)
class AlignedText:
    """`text`, and for each of its characters the span of the original text that it stands for.

    Raises ValueError if there is not one span for each character. Spans never fall and are never empty: `transform`
    and `replace` keep it so.

    >>> AlignedText.of("a b").replace([(1, 2)], "--")
    AlignedText(text='a--b', spans=[(0, 1), (1, 2), (1, 2), (2, 3)])
    """

    text: str
    spans: list[Span]

    def __post_init__(self) -> None:
        if len(self.text) != len(self.spans):
            raise ValueError(f"{len(self.text)} characters and {len(self.spans)} spans; there must be one for each")

    @classmethod
    def of(cls, text: str, start: int = 0) -> AlignedText:
        """`text` as it stands in the original from the character `start` on: each character stands for itself."""
        return cls(text, list(zip(range(start, start + len(text)), range(start + 1, start + len(text) + 1))))

    def slice(self, start: int, end: int) -> AlignedText:
        """The characters from `start` to `end`, end excluded, with their spans."""
        return AlignedText(self.text[start:end], self.spans[start:end])

    def span(self, start: int, end: int) -> Span:
        """The span of the original that the characters from `start` to `end` stand for: a token's offsets.

        ValueError for an empty range, which stands for nothing.
        """
        if not 0 <= start < end <= len(self.spans):
            raise ValueError(f"no characters from {start} to {end} in a text of {len(self.spans)}")
        return self.spans[start][0], self.spans[end - 1][1]

    def transform(self, changes: Iterable[tuple[str, int]], removed: int = 0) -> AlignedText:
        """A new text, told character by character. `removed` characters go at the start, before the first of them.

        Each change is a character and a number: 0, it replaces the next character; -n, it replaces the next one and
        the n after that go; 1, it is new and takes the span of what was last replaced or removed.

        Raises ValueError for a new character with nothing before it and for a replacement of nothing: on such changes
        HF panics or repeats characters.
        """
        spans: list[Span] = []
        characters: list[str] = []
        size = len(self.spans)
        at = removed
        for character, change in changes:
            if change > 0:
                if at < 1:
                    raise ValueError(f"{character!a} is new at the very start of the text; it has no place there")
                spans.append(self.spans[at - 1])
            else:
                if at >= size:
                    raise ValueError(f"{character!a} replaces a character behind the end of {self.text!a:.60}")
                spans.append(self.spans[at])
                at = min(at + 1 - change, size)
            characters.append(character)
        return AlignedText("".join(characters), spans)

    def replace(self, matches: Iterable[Span], content: str) -> AlignedText:
        """`content` in the place of each match, a (start, end) in characters of `text`, rising, not overlapping.

        What is new takes the span of the last character of the match, or of the one before an empty match. Raises
        ValueError for an empty match at the very start, unless `content` is empty.
        """
        texts: list[str] = []
        spans: list[Span] = []
        done = 0
        for start, end in matches:
            texts += self.text[done:start], content
            spans += self.spans[done:start]
            if content:
                if end < 1:
                    raise ValueError(
                        f"an empty match at the start of {self.text!a:.60} cannot be replaced by {content!a}"
                    )
                spans += [self.spans[end - 1]] * len(content)
            done = end
        texts.append(self.text[done:])
        spans += self.spans[done:]
        return AlignedText("".join(texts), spans)

    def prepend(self, content: str) -> AlignedText:
        """`content` before the text, with the span of its first character; an empty text stays empty.

        >>> AlignedText.of("ab", start=5).prepend("> ").spans
        [(5, 6), (5, 6), (5, 6), (6, 7)]
        """
        if not self.text:
            return self
        return AlignedText(content + self.text, [self.spans[0]] * len(content) + self.spans)

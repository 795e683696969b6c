"""ByteLevel as a pre-tokenizer, in its three parts: a space in front, GPT-2's split, and stand-ins for bytes.

What stands behind it in a Sequence sees the stand-ins, not the text: Falcon's `Digits` takes the stand-ins of the bytes
B2, B3, B9 and BC to BE, which are "²", "³", "¹" and "¼" to "¾", for digits, and cuts inside a character.

Its `trim_offsets` says nothing here; it is the post-processor's.
Source: HF tokenizers 0.23.3, `ByteLevel`; OpenAI's GPT-2 encoder for the pattern.
"""

from __future__ import annotations

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.pipeline.aligned import AlignedText

GPT2_SPLIT = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class PrefixSpace:
    """Puts a space before each pre-token that does not start with one; it stands for what the first character stands for.

    >>> PrefixSpace().pretokens("a"), PrefixSpace().pretokens(" a"), PrefixSpace().pretokens("\\na")
    ([' a'], [' a'], [' \\na'])
    """

    def pretokens(self, text: str) -> list[str]:
        return [text if text.startswith(" ") else " " + text]

    def pretokens_aligned(self, aligned: AlignedText) -> list[AlignedText]:
        return [aligned if aligned.text.startswith(" ") else aligned.prepend(" ")]


class ByteMap:
    """Puts the stand-in of each UTF-8 byte in the place of the text; all bytes of a character stand for what it stands for.

    >>> ByteMap().pretokens(" é")
    ['ĠÃ©']
    """

    def pretokens(self, text: str) -> list[str]:
        return [text.encode().decode("latin-1").translate(self._stand_in)]

    def pretokens_aligned(self, aligned: AlignedText) -> list[AlignedText]:
        spans = [span for character, span in zip(aligned.text, aligned.spans) for _ in range(len(character.encode()))]
        return [AlignedText(self.pretokens(aligned.text)[0], spans)]

    @Lazy
    def _stand_in(self) -> dict[int, str]:
        return bytes_to_unicode()

"""Decoders: from tokens back to text.

A decoder takes the tokens of all ids as the vocabulary spells them, added tokens among them by their contents, and changes
the list; what is left is joined. Without one the tokens are joined by spaces.

ByteLevel     joins all tokens and reads their characters as bytes; a token with a character outside the byte alphabet is
              its own UTF-8. (So an added token that happens to be spelled in the alphabet, as "<é>" is, comes out as
              broken bytes. Hugging Face does that; BPETokenizer, for the chapter, gives the token itself.)
ByteFallback  tokens <0x00> to <0xFF> in a row are bytes; one U+FFFD for each if they are no text together
Fuse          one token of all
Replace       a string or a pattern in each token by another
Strip         a character at the ends of each token, a number of times at most
Metaspace     its mark is a space, but in the first token nothing
BPEDecoder    its suffix is a space, but in the last token nothing
Sequence      one after the other

Source: Hugging Face tokenizers 0.23.3, decoders/ and the decoders in pre_tokenizers/ and normalizers/replace.rs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tinyllm.tok.bytemap import unicode_to_bytes
from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.pipeline.postprocessors import BYTE_LEVEL
from tinyllm.tok.pipeline.refusals import Refusals
from tinyllm.tok.pipeline.truncation import is_size

BYTE_TOKEN = re.compile(r"<0x(\+[0-9A-Fa-f]|[0-9A-Fa-f]{2})>")  # a sign and one digit is a number to Hugging Face
REPLACEMENT = "\ufffd"


class Decoder:
    """One step from tokens to text. The base class is Fuse."""

    def decode(self, tokens: Sequence[str], errors: str) -> list[str]:
        """The tokens behind this step.

        `errors`: "replace" for U+FFFD where bytes are no text, "strict" for UnicodeDecodeError. Raises ValueError where
        Hugging Face panics.
        """
        return ["".join(tokens)]

    def token_bytes(self, token: bytes) -> bytes:
        """What one token amid others adds to the text; `token` is UTF-8 until a step makes bytes of it."""
        return token

    def words(self) -> str:
        """What it does, in a few words."""
        return "joined"


class ByteLevel(Decoder):
    """The byte alphabet read as bytes."""

    def decode(self, tokens: Sequence[str], errors: str) -> list[str]:
        return [b"".join(map(self.bytes_of, tokens)).decode("utf-8", errors)]

    def bytes_of(self, token: str) -> bytes:
        try:
            return bytes(map(self._byte_of.__getitem__, token))
        except KeyError:
            return token.encode("utf-8")

    def token_bytes(self, token: bytes) -> bytes:
        return self.bytes_of(token.decode("utf-8", "replace"))

    @Lazy
    def _byte_of(self) -> dict[str, int]:
        return unicode_to_bytes()

    def words(self) -> str:
        return "stand-ins read as bytes"


class ByteFallback(Decoder):
    """Byte tokens read as bytes."""

    def decode(self, tokens: Sequence[str], errors: str) -> list[str]:
        decoded: list[str] = []
        waiting: list[int] = []
        for token in tokens:
            byte = BYTE_TOKEN.fullmatch(token)
            if byte:
                waiting.append(int(byte[1], 16))
            else:
                decoded += [*_text_of(waiting, errors), token]
                waiting = []
        return decoded + _text_of(waiting, errors)

    def token_bytes(self, token: bytes) -> bytes:
        byte = BYTE_TOKEN.fullmatch(token.decode("utf-8", "replace"))
        return bytes([int(byte[1], 16)]) if byte else token

    def words(self) -> str:
        return "tokens <0x00> to <0xFF> read as bytes"


def _text_of(values: list[int], errors: str) -> list[str]:
    if not values:
        return []
    try:
        return [bytes(values).decode("utf-8")]
    except UnicodeDecodeError:
        if errors == "strict":
            raise
        return [REPLACEMENT] * len(values)


class EachToken(Decoder):
    """Replace, Strip, Metaspace, BPEDecoder: each token on its own, the first and the last maybe otherwise."""

    def __init__(
        self,
        change: Callable[[str], str],
        words: str,
        first: Callable[[str], str] | None = None,
        last: Callable[[str], str] | None = None,
    ) -> None:
        self._change, self._words, self._first, self._last = change, words, first, last

    def decode(self, tokens: Sequence[str], errors: str) -> list[str]:
        changed = list(map(self._change, tokens))
        if tokens and self._first is not None:
            changed[0] = self._first(tokens[0])
        if tokens and self._last is not None:
            changed[-1] = self._last(tokens[-1])
        return changed

    def token_bytes(self, token: bytes) -> bytes:
        try:
            return self._change(token.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError:  # a part of a character, as ByteFallback leaves it
            return token

    def words(self) -> str:
        return self._words


class Steps(Decoder):
    """Several steps, one after the other."""

    def __init__(self, steps: Sequence[Decoder]) -> None:
        self.steps = steps

    def decode(self, tokens: Sequence[str], errors: str) -> list[str]:
        decoded = list(tokens)
        for step in self.steps:
            decoded = step.decode(decoded, errors)
        return decoded

    def token_bytes(self, token: bytes) -> bytes:
        for step in self.steps:
            token = step.token_bytes(token)
            if type(step) in (Decoder, ByteLevel):
                break  # what comes behind sees the whole text as one token
        return token

    def words(self) -> str:
        return ", then ".join(step.words() for step in self.steps) or "joined"


# ---- from the file ----


def parse_decoder(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    """The decoder that `found` declares; None for null, and if anything in it is refused."""
    if found is None:
        return None
    kind = found.get("type") if isinstance(found, dict) else None
    parse = PARSERS.get(kind) if isinstance(kind, str) else None
    if parse is None:
        refusals.fields(found, where, {"type": tuple(PARSERS)})
        return None
    return parse(found, where, refusals)


def _parse_byte_level(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    return ByteLevel() if refusals.fields(found, where, BYTE_LEVEL, ["use_regex"]) else None


def _parse_byte_fallback(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    return ByteFallback() if refusals.fields(found, where, {"type": None}) else None


def _parse_fuse(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    return Decoder() if refusals.fields(found, where, {"type": None}) else None


def _parse_replace(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    if not refusals.fields(found, where, {"type": None, "pattern": None, "content": None}):
        return None
    pattern, content = found["pattern"], found["content"]
    kind, source = next(iter(pattern.items())) if isinstance(pattern, dict) and len(pattern) == 1 else (None, None)
    if not isinstance(content, str):
        refusals.add(f"{where}.content", content, "a string")
    if kind not in ("String", "Regex") or not isinstance(source, str) or not source:
        refusals.add(f"{where}.pattern", pattern, 'an object such as {"Regex": "..."} or {"String": "..."}, not empty')
    elif isinstance(content, str):
        words = f"{source!r} as {content!r}"
        if kind == "String":
            return EachToken(lambda token: token.replace(source, content), words)
        change = _replaced_by_pattern(source, content, f"{where}.pattern.Regex", refusals)
        return None if change is None else EachToken(change, words)
    return None


def _replaced_by_pattern(source: str, content: str, where: str, refusals: Refusals) -> Callable[[str], str] | None:
    from tinyllm.tok.splitting.pattern import Pattern  # here, since few files have one

    try:
        pattern = Pattern(source)
    except ValueError as error:
        refusals.say(f"{where}: {error}")
        return None

    def change(token: str) -> str:
        made, done = "", 0
        for start, end in pattern.matches(token) if token else ():
            made += token[done:start] + content
            done = end
        return made + token[done:]

    return change


def _parse_strip(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    right = refusals.fields(found, where, {"type": None, "content": None, "start": None, "stop": None})
    if not isinstance(found.get("content", ""), str) or len(found.get("content", " ")) != 1:
        refusals.add(f"{where}.content", found["content"], "one character")
        right = False
    for field in ("start", "stop"):
        if field in found and not is_size(found[field]):
            refusals.add(f"{where}.{field}", found[field], "an integer, 0 or more")
            right = False
    if not right:
        return None
    content, start, stop = found["content"], found["start"], found["stop"]
    words = f"{content!r} stripped, {start} before and {stop} behind at most"
    return EachToken(lambda token: _stripped(token, content, start, stop), words)


def _stripped(token: str, content: str, start: int, stop: int) -> str:
    first = min(start, len(token) - len(token.lstrip(content)))
    behind = len(token) - len(token.rstrip(content))
    last = len(token) - min(stop, behind)
    if first > last or (behind == len(token) and stop > behind):
        raise ValueError(f"the decoder strips more of the token {token!r} than it has; Hugging Face's panics on it")
    return token[first:last]


def _parse_metaspace(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    schemes = ("always", "first", "never")
    fields = {"type": None, "replacement": None, "prepend_scheme": schemes, "split": (True, False, None)}
    old_fields = {"add_prefix_space": (True, False, None), "str_rep": None}
    right = refusals.fields(found, where, {**fields, **old_fields}, ["prepend_scheme", "split", *old_fields])
    mark, scheme = found.get("replacement", " "), found.get("prepend_scheme", "always")
    if not isinstance(mark, str) or len(mark) != 1:
        refusals.add(f"{where}.replacement", mark, "one character")
        right = False
    if found.get("add_prefix_space") is False and scheme != "never":
        refusals.add(f"{where}.prepend_scheme", scheme, '"never", since add_prefix_space is false')
        right = False
    if not isinstance(found.get("str_rep"), (str, type(None))):
        refusals.add(f"{where}.str_rep", found["str_rep"], "a string")
        right = False
    if not right:
        return None
    words = f"{mark!r} as a space" + ("" if scheme == "never" else ", in the first token as nothing")
    first = None if scheme == "never" else lambda token: token.replace(mark, "")
    return EachToken(lambda token: token.replace(mark, " "), words, first=first)


def _parse_bpe_decoder(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    if not refusals.fields(found, where, {"type": None, "suffix": None}):
        return None
    suffix = found["suffix"]
    if not isinstance(suffix, str) or not suffix:
        refusals.add(f"{where}.suffix", suffix, "a string of one character or more")
        return None
    return EachToken(
        lambda token: token.replace(suffix, " "),
        f"{suffix!r} as a space, in the last token as nothing",
        last=lambda token: token.replace(suffix, ""),
    )


def _parse_sequence(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    if not refusals.fields(found, where, {"type": None, "decoders": None}):
        return None
    if not isinstance(found["decoders"], list):
        refusals.add(f"{where}.decoders", found["decoders"], "a list of decoders")
        return None
    steps = [_parse_step(step, f"{where}.decoders[{i}]", refusals) for i, step in enumerate(found["decoders"])]
    return Steps([step for step in steps if step is not None])


def _parse_step(found: Any, where: str, refusals: Refusals) -> Decoder | None:
    if found is None:
        refusals.add(where, found, "a decoder")
    return parse_decoder(found, where, refusals)


PARSERS = {
    "ByteLevel": _parse_byte_level,
    "ByteFallback": _parse_byte_fallback,
    "Fuse": _parse_fuse,
    "Replace": _parse_replace,
    "Strip": _parse_strip,
    "Metaspace": _parse_metaspace,
    "BPEDecoder": _parse_bpe_decoder,
    "Sequence": _parse_sequence,
}

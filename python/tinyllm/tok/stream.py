"""Text from ids that arrive one by one, as a model writes them.

A token may end inside a character, so the text of one token alone is often not text at all: the four tokens of an emoji
would show as four U+FFFD. Here bytes wait until their character is complete. The texts that come out, joined, are
exactly `decode` of all the ids.

It does not know words or lines: a character comes out as soon as its last byte is there. A byte that can no longer become
a character comes out as U+FFFD at once, so broken text never blocks what follows. One case waits a byte longer: ED before
A0 to BF, half a surrogate, which Python's decoder judges when it sees the byte behind them.

Invariant: the bytes held back are the beginning of one character, at most three.
Source: the Unicode Standard's rule for U+FFFD (one for each maximal part of a character), as Python's UTF-8 decoder has it.
"""

from __future__ import annotations

from codecs import utf_8_decode
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from tinyllm.tok.base import check_ids
from tinyllm.tok.byte import ByteTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tinyllm.tok.base import Tokenizer


class StreamDecoder:
    """Decodes ids as they arrive: `push` gives the text that is complete, `close` the rest.

    The tokenizer must have `token_bytes(id)`, as BPETokenizer and UnigramTokenizer do; ByteTokenizer, whose ids are bytes,
    works too, and a `Pipeline` whose decoder is ByteLevel. Not for several threads at once: one stream has one decoder.

    >>> stream = StreamDecoder(ByteTokenizer())
    >>> [stream.push(id) for id in "é!".encode()], stream.close()
    (['', 'é', '!'], '')
    """

    def __init__(self, tokenizer: Tokenizer, *, skip_special: bool = False) -> None:
        """A decoder at the start of a stream; with `skip_special` it leaves out special tokens, as `decode` does.

        Raises TypeError for a tokenizer whose tokens have no bytes, such as CharTokenizer, and ValueError for a `Pipeline` whose
        decoder makes of a token what stands around it says: its bytes joined would be another text than `decode`'s.
        """
        self._bytes_of = _BytesOf(_token_bytes(tokenizer), tokenizer.special_ids if skip_special else frozenset())
        self._vocab_size = tokenizer.vocab_size
        self._pending = b""  # the beginning of a character
        self._position = 0  # how many ids have come since the start

    def push(self, id: SupportsIndex) -> str:
        """The text that this id completes; "" if its last character is not complete yet.

        Raises TypeError for what is no integer, and ValueError for an id out of range, naming the id and its position in
        the stream (0 is the first id). The stream is then as before the call. Cost: O(bytes of the token).
        """
        try:
            arrived = self._pending + self._bytes_of[index(id)]
        except TypeError:
            found = f"{id!r:.40} ({type(id).__name__})"
            raise TypeError(
                f"the id at position {self._position} of the stream is {found}; an id is an integer"
            ) from None
        except ValueError:
            known = f"this tokenizer has ids 0 to {self._vocab_size - 1}"
            wrong = index(id)
            shown = str(wrong) if wrong.bit_length() <= 128 else f"an integer of {wrong.bit_length()} bits"
            raise ValueError(f"the id at position {self._position} of the stream is {shown}; {known}") from None
        self._position += 1
        text, used = utf_8_decode(arrived, "replace", False)
        self._pending = arrived[used:]
        return text

    def close(self) -> str:
        """The end of the stream: U+FFFD if a character was left incomplete, else "".

        The decoder is then at the start of a new stream. Closing twice gives "" the second time.
        """
        text, _ = utf_8_decode(self._pending, "replace", True)
        self._pending = b""
        self._position = 0
        return text


class _BytesOf(dict[int, bytes]):
    """id -> bytes, asked of the tokenizer once for each id. Its size is bounded by the vocabulary's."""

    def __init__(self, token_bytes: Callable[[int], bytes], left_out: frozenset[int]) -> None:
        super().__init__()
        self._token_bytes = token_bytes
        self._left_out = left_out

    def __missing__(self, id: int) -> bytes:
        self[id] = found = b"" if id in self._left_out else self._token_bytes(id)
        return found


def _token_bytes(tokenizer: Tokenizer) -> Callable[[int], bytes]:
    if isinstance(tokenizer, ByteTokenizer):
        return lambda id: bytes(check_ids([id], tokenizer.vocab_size))  # its ids are the bytes
    if not hasattr(tokenizer, "token_bytes"):
        raise TypeError(
            f"StreamDecoder needs a tokenizer with token_bytes(id), such as BPETokenizer; {type(tokenizer).__name__} has none"
        )
    if not getattr(tokenizer, "decodes_by_bytes", True):
        raise ValueError(
            "this tokenizer's decoder is not ByteLevel, so a token's text depends on those around it and cannot be given "
            "as it comes; decode(ids) gives the text of all"
        )
    token_bytes: Callable[[int], bytes] = tokenizer.token_bytes
    return token_bytes

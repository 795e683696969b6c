"""Lab 04: text from ids that arrive one by one, as a model writes them."""

from typing import SupportsIndex

from tinyllm.tok.base import Tokenizer

class StreamDecoder:
    """Decodes ids as they arrive: `push` gives the text that is complete, `close` the rest.

    The texts, joined, are `decode` of all the ids. The tokenizer must have `token_bytes(id)`, as BPETokenizer does;
    ByteTokenizer, whose ids are bytes, works too.

    >>> stream = StreamDecoder(ByteTokenizer())
    >>> [stream.push(id) for id in "é!".encode()], stream.close()
    (['', 'é', '!'], '')
    """

    def __init__(self, tokenizer: Tokenizer, *, skip_special: bool = False) -> None:
        """A decoder at the start of a stream; with `skip_special` it leaves out special tokens, as `decode` does.

        Raises TypeError for a tokenizer whose tokens have no bytes, such as CharTokenizer.
        """

    def push(self, id: SupportsIndex) -> str:
        """The text that this id completes; "" if its last character is not complete yet.

        Bytes that can no longer become a character are U+FFFD at once (ED before A0 to BF: one byte later).
        Raises TypeError for what is no integer, and ValueError for an id out of range, naming the id and its position in
        the stream (0 is the first id). The stream is then as before the call.
        """

    def close(self) -> str:
        """The end of the stream: U+FFFD if a character was left incomplete, else "". The decoder is then at the start of a new one."""

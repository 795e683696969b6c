r"""GPT-2's pre-tokenizer, written by hand (L1.2).

It does what this regular expression does, at each position the first alternative that matches:

    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

and, for SmolLM2, the `Digits` step that comes before it. It does not map bytes and knows no added tokens: `bpe.py` does.

`BPETokenizer.encode` does not go this way. It cuts a text at places where two pre-tokens surely meet (`fast/chunks.py`), and
what is new of the chunks is split by the pattern above, by an engine that runs it faster than this does (`splitting/pattern.py`).
The pre-tokens are the same: tests hold both to this module. The plain way, this alone, is the course's and that of traces
(`explain/encoding.py`).

Character classes are those of Unicode 16.0, which Hugging Face and tiktoken use, whatever the running Python carries.
Invariant: pre-tokens join back to the text and none is empty.
Source: OpenAI's GPT-2 encoder; Hugging Face tokenizers, `ByteLevel` and `Digits`.
"""

from collections.abc import Sequence
from functools import lru_cache

from tinyllm.tok.unicode16 import category

# The 25 code points with the property White_Space. `str.isspace` also accepts U+001C to U+001F, which are symbols here.
WHITE_SPACE = frozenset(
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")

# Numbers of Unicode 17.0 that 16.0 does not have. `Digits` knows them, the GPT-2 split does not
# (measured over every code point with Hugging Face tokenizers 0.23.3).
DIGITS_SINCE_17 = frozenset(map(chr, [*range(0x11DE0, 0x11DEA), *range(0x16FF4, 0x16FF7)]))


def is_space(ch: str) -> bool:
    r"""Is this one character `\s`, one of the 25 code points with the property White_Space?

    Raises TypeError unless `ch` is one character.

    >>> is_space("\u3000"), is_space("\x1c")
    (True, False)
    """
    return _kind(ch) == "space"


def is_letter(ch: str) -> bool:
    r"""Is this one character `\p{L}`: category Lu, Ll, Lt, Lm or Lo? Raises TypeError unless `ch` is one character.

    >>> is_letter("ʰ"), is_letter("\u0301")
    (True, False)
    """
    return _kind(ch) == "letter"


def is_number(ch: str) -> bool:
    r"""Is this one character `\p{N}`: category Nd, Nl or No? Raises TypeError unless `ch` is one character.

    >>> is_number("½"), is_number("一")
    (True, False)
    """
    return _kind(ch) == "number"


def pretokenize_gpt2(text: str) -> list[str]:
    """Cut `text` into GPT-2's pre-tokens.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_gpt2("I'm   here!!")
    ['I', "'m", '  ', ' here', '!!']
    """
    kinds = _kinds(text)
    pretokens = []
    start = 0
    while start < len(text):
        # 1. One of the seven contractions.
        end = _end_of_contraction(text, start)
        if end is None:
            # 2, 3, 4. An optional single space, then a run of letters, of numbers, or of anything else that is not white space.
            first = start + 1 if text[start] == " " and start + 1 < len(text) else start
            if kinds[first] == "space":
                first = start
            end = _end_of_run(kinds, first)
            # 5. White space, but not the last of it if more follows: that one is left for the next pre-token.
            # 6. White space, all of it if it is a single character.
            if kinds[first] == "space" and end < len(text) and end - start > 1:
                end -= 1
        pretokens.append(text[start:end])
        start = end
    return pretokens


def split_digits(text: str, individual: bool = True) -> list[str]:
    """Cut `text` as Hugging Face's `Digits` step does, the first of SmolLM2's two steps.

    `individual`: every number character is a part of its own; else every run of them is. What lies between stays whole.
    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> split_digits("in 2024")
    ['in ', '2', '0', '2', '4']
    >>> split_digits("in 2024", individual=False)
    ['in ', '2024']
    """
    digits = [kind == "number" or ch in DIGITS_SINCE_17 for ch, kind in zip(text, _kinds(text))]
    parts = []
    start = 0
    while start < len(text):
        end = start + 1 if digits[start] and individual else _end_of_run(digits, start)
        parts.append(text[start:end])
        start = end
    return parts


def _end_of_contraction(text: str, start: int) -> int | None:
    """Where the contraction at `start` ends, or None if there is none. No two of the seven match at one place."""
    if text[start] == "'":
        for contraction in CONTRACTIONS:
            if text.startswith(contraction, start):
                return start + len(contraction)
    return None


def _end_of_run(kinds: Sequence[object], start: int) -> int:
    """Where the run of equal kinds that begins at `start` ends."""
    end = start + 1
    while end < len(kinds) and kinds[end] == kinds[start]:
        end += 1
    return end


def _kinds(text: str) -> list[str]:
    """The kind of each character."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
    return list(map(_kind, text))


# Texts use few characters and use them often: looking each up once makes this module three times as fast (100 kB of English).
@lru_cache(maxsize=1 << 13)
def _kind(ch: str) -> str:
    """ "space", "letter", "number" or "other". Every code point is exactly one of them: no letter or number is white space."""
    if ch in WHITE_SPACE:
        return "space"
    return {"L": "letter", "N": "number"}.get(category(ch)[0], "other")

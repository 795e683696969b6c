r"""GPT-2's pre-tokenizer, written by hand (L1.2).

It does what this regular expression does, at each position the first alternative that matches:

    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

and, for SmolLM2, the `Digits` step that comes before it. It does not map bytes and knows no added tokens: `bpe.py` does.
Character classes are those of Unicode 16.0, which Hugging Face and tiktoken use, whatever the running Python carries.
Source: OpenAI's GPT-2 encoder; Hugging Face tokenizers, `ByteLevel` and `Digits`.
"""

from collections.abc import Callable

from tinyllm.tok.unicode16 import category

CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")

# The 25 code points with the property White_Space.
WHITE_SPACE = frozenset(
    [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)

# Numbers since Unicode 17.0: Hugging Face's `Digits` step knows them, its GPT-2 split does not.
NEWER_DIGITS = frozenset([*range(0x11DE0, 0x11DEA), *range(0x16FF4, 0x16FF7)])


def is_space(ch: str) -> bool:
    r"""Is this one character `\s`, one of the 25 code points with the property White_Space?

    Not `str.isspace`, which also accepts U+001C to U+001F. Raises TypeError unless `ch` is one character.

    >>> is_space("\u3000"), is_space("\x1c")
    (True, False)
    """
    return ord(ch) in WHITE_SPACE


def is_letter(ch: str) -> bool:
    r"""Is this one character `\p{L}`: category Lu, Ll, Lt, Lm or Lo? Raises TypeError unless `ch` is one character.

    >>> is_letter("一"), is_letter("\u0301")
    (True, False)
    """
    return category(ch).startswith("L")


def is_number(ch: str) -> bool:
    r"""Is this one character `\p{N}`: category Nd, Nl or No? Raises TypeError unless `ch` is one character.

    >>> is_number("½"), is_number("一")
    (True, False)
    """
    return category(ch).startswith("N")


def pretokenize_gpt2(text: str) -> list[str]:
    """Cut `text` into GPT-2's pre-tokens. They join back to the text and none is empty.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_gpt2("I'm   here!!")
    ['I', "'m", '  ', ' here', '!!']
    """
    _check_str(text)
    pretokens = []
    start = 0
    while start < len(text):
        end = _end_of_pretoken(text, start)
        pretokens.append(text[start:end])
        start = end
    return pretokens


def split_digits(text: str, individual: bool = True) -> list[str]:
    """Cut `text` as Hugging Face's `Digits` step does, the first of SmolLM2's two steps.

    `individual`: every number character is a part of its own; else every run of them is. What lies between stays
    whole. The parts join back to the text and none is empty. Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> split_digits("in 2024")
    ['in ', '2', '0', '2', '4']
    >>> split_digits("in 2024", individual=False)
    ['in ', '2024']
    """
    _check_str(text)
    parts = []
    start = 0
    while start < len(text):
        if not _is_digit(text[start]):
            end = _end_of_run(text, start, _is_no_digit)
        elif individual:
            end = start + 1
        else:
            end = _end_of_run(text, start, _is_digit)
        parts.append(text[start:end])
        start = end
    return parts


def _end_of_pretoken(text: str, start: int) -> int:
    """Where the pre-token that begins at `start` ends, by the first of the chapter's six rules that fits."""
    # 1. One of the seven contractions, lower case only, whatever comes after it.
    for contraction in CONTRACTIONS:
        if text.startswith(contraction, start):
            return start + len(contraction)
    # 2, 3, 4. A run of letters, of numbers, or of what is none of the three, with one space U+0020 before it if there is one.
    first = start + 1 if text[start] == " " else start
    for belongs in (is_letter, is_number, _is_other):
        end = _end_of_run(text, first, belongs)
        if end > first:
            return end
    # 5. A run of white space; if more text follows, without the run's last character, which begins the next pre-token.
    end = _end_of_run(text, start, is_space)
    if end < len(text) and end - start > 1:
        return end - 1
    # 6. A run of white space, by now a single character before more text.
    return end


def _end_of_run(text: str, start: int, belongs: Callable[[str], bool]) -> int:
    """Where the run of characters that belong to it ends; `start` itself if the first does not."""
    end = start
    while end < len(text) and belongs(text[end]):
        end += 1
    return end


def _is_other(ch: str) -> bool:
    return not (is_space(ch) or is_letter(ch) or is_number(ch))


def _is_digit(ch: str) -> bool:
    return is_number(ch) or ord(ch) in NEWER_DIGITS


def _is_no_digit(ch: str) -> bool:
    return not _is_digit(ch)


def _check_str(text: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")

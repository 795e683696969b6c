"""L1.2: GPT-2's pre-tokenizer, written by hand.

It does what this regular expression does, at each position the first alternative that matches:

    's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+

Character classes are those of Unicode 16.0 (`tinyllm.tok.unicode16.category`); `unicodedata.category` passes too.
Source: OpenAI's GPT-2 encoder; Hugging Face tokenizers, `ByteLevel` and `Digits`.
"""

def is_space(ch: str) -> bool:
    """Is this one character `\\s`, one of the 25 code points with the property White_Space?

    Not `str.isspace`, which also accepts U+001C to U+001F. Raises TypeError unless `ch` is one character.
    """

def is_letter(ch: str) -> bool:
    """Is this one character `\\p{L}`: category Lu, Ll, Lt, Lm or Lo? Raises TypeError unless `ch` is one character."""

def is_number(ch: str) -> bool:
    """Is this one character `\\p{N}`: category Nd, Nl or No? Raises TypeError unless `ch` is one character."""

def pretokenize_gpt2(text: str) -> list[str]:
    """Cut `text` into GPT-2's pre-tokens. They join back to the text and none is empty.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_gpt2("I'm   here!!")
    ['I', "'m", '  ', ' here', '!!']
    """

def split_digits(text: str, individual: bool = True) -> list[str]:
    """Cut `text` as Hugging Face's `Digits` step does, the first of SmolLM2's two steps.

    `individual`: every number character is a part of its own; else every run of them is. What lies between stays
    whole. The parts join back to the text and none is empty. Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> split_digits("in 2024")
    ['in ', '2', '0', '2', '4']
    >>> split_digits("in 2024", individual=False)
    ['in ', '2024']
    """

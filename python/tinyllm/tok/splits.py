r"""All splits in one table, and those of GPT-4 (cl100k) and GPT-4o (o200k), written by hand like GPT-2's in `pretok.py`.

Each does what its regular expression does: at each position the first alternative that matches, as far as it reaches.
An alternative is one function here, and the two public functions list them in the pattern's order. A function returns
the position where its match ends, or 0 if it does not match; no match is empty, so no match ends at 0.

A regular expression finds its longest way by trying and backing up. Here each function goes straight to the end that
the backing up would find, and says why it is the same.

tiktoken's own cl100k differs from that of tokenizer.json files in one place, white space at the end of the text, so it
has a function of its own.

Character classes are those of Unicode 16.0, as Hugging Face tokenizers and tiktoken have them, on any Python.
Invariant: pre-tokens join back to the text and none is empty.
Source: tiktoken's `cl100k_base` (in the spelling of tokenizer.json files) and `o200k_base`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tinyllm.tok.pretok import is_space, pretokenize_gpt2
from tinyllm.tok.unicode16 import category

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K_PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# tiktoken's has `\s++$` before `\s*[\r\n]`. Here it is spelled so that Hugging Face's engine reads it alike: there a `$`
# also matches before a newline.
CL100K_TIKTOKEN_PATTERN = CL100K_PATTERN.replace(r"|\s*[\r\n]+|", r"|\s+(?![\s\S])|\s*[\r\n]+|")
O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# GPT-2's split as tokenizer.json declares it: its bytes become stand-ins in the same step.
BYTE_LEVEL: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


class Split(NamedTuple):
    """A way to cut a text into pre-tokens.

    pattern      the regular expression, as its publisher spells it
    function     does what the pattern does
    declaration  how tokenizer.json declares it; whoever hands it out hands out a copy
    variant_of   the split that this one replaces where tiktoken itself does otherwise than tokenizer.json files
    """

    name: str
    pattern: str
    function: Callable[[str], list[str]]
    declaration: dict[str, Any]
    variant_of: str | None = None


def split_then_bytes(pattern: str) -> dict[str, Any]:
    """The declaration of a split by `pattern`: the pattern first, then bytes, without a split of their own."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, {**BYTE_LEVEL, "use_regex": False}]}


# The kinds of characters, one letter each. A text's kinds are one string as long as the text, plus END.
UPPER, LOWER, UNCASED = "U", "L", "C"  # Lu and Lt; Ll; Lm and Lo, the letters that have no case
MARK, NUMBER = "M", "N"  # M*; N*
SPACE, NEWLINE = " ", "\n"  # white space; of it, \r and \n
SYMBOL, SLASH = "#", "/"  # what is left; of it, the slash
END = "."  # belongs to no class, so every run ends there at the latest

KIND_OF_CATEGORY = {
    **{"Lu": UPPER, "Lt": UPPER, "Ll": LOWER, "Lm": UNCASED, "Lo": UNCASED},
    **{"Mn": MARK, "Mc": MARK, "Me": MARK, "Nd": NUMBER, "Nl": NUMBER, "No": NUMBER},
}

# The classes of the patterns, as sets of kinds.
LETTERS = UPPER + LOWER + UNCASED  # \p{L}
UPPERS = UPPER + UNCASED + MARK  # [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
LOWERS = LOWER + UNCASED + MARK  # [\p{Ll}\p{Lm}\p{Lo}\p{M}]
SPACES = SPACE + NEWLINE  # \s
SYMBOLS = SYMBOL + SLASH + MARK  # [^\s\p{L}\p{N}]
PREFIXES = SYMBOLS + SPACE  # [^\r\n\p{L}\p{N}]


def pretokenize_cl100k(text: str) -> list[str]:
    """Cut `text` into GPT-4's pre-tokens, those of `CL100K_PATTERN`.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_cl100k("I've 12345 apples!!")
    ['I', "'ve", ' ', '123', '45', ' apples', '!!']
    """
    kinds = _kinds(text)
    pretokens = []
    start = 0
    while start < len(text):
        end = (
            _contraction(text, start)
            or _letters(kinds, start)
            or _numbers(kinds, start)
            or _symbols(text, kinds, start, NEWLINE)
            or _newlines(kinds, start)
            or _spaces(kinds, start)
        )
        pretokens.append(text[start:end])
        start = end
    return pretokens


def pretokenize_o200k(text: str) -> list[str]:
    """Cut `text` into GPT-4o's pre-tokens, those of `O200K_PATTERN`.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_o200k("McDonald's 12345!!")
    ['Mc', "Donald's", ' ', '123', '45', '!!']
    """
    kinds = _kinds(text)
    pretokens = []
    start = 0
    while start < len(text):
        end = (
            _cased_letters(text, kinds, start)
            or _numbers(kinds, start)
            or _symbols(text, kinds, start, NEWLINE + SLASH)
            or _newlines(kinds, start)
            or _spaces(kinds, start)
        )
        pretokens.append(text[start:end])
        start = end
    return pretokens


def pretokenize_cl100k_tiktoken(text: str) -> list[str]:
    r"""Cut `text` as tiktoken's `cl100k_base` does: white space at the end of the text is one pre-token, newlines and all.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_cl100k_tiktoken("end.\n\n  "), pretokenize_cl100k("end.\n\n  ")
    (['end', '.\n\n', '  '], ['end', '.\n\n', '  '])
    >>> pretokenize_cl100k_tiktoken("end\n\n  "), pretokenize_cl100k("end\n\n  ")
    (['end', '\n\n  '], ['end', '\n\n', '  '])
    """
    pretokens = pretokenize_cl100k(text)
    # The other pattern cuts such a run at most once, behind its last newline. What is left has none and stays whole.
    if len(pretokens) > 1 and all(map(is_space, pretokens[-2] + pretokens[-1])):
        pretokens[-2:] = [pretokens[-2] + pretokens[-1]]
    return pretokens


# The table of all splits, by name. Whatever lists splits (choices, messages, checks, tests) is drawn from it: a new one is a
# row here, with its pattern and its function above.
SPLITS: dict[str, Split] = {
    "gpt2": Split("gpt2", GPT2_PATTERN, pretokenize_gpt2, BYTE_LEVEL),
    "cl100k": Split("cl100k", CL100K_PATTERN, pretokenize_cl100k, split_then_bytes(CL100K_PATTERN)),
    "o200k": Split("o200k", O200K_PATTERN, pretokenize_o200k, split_then_bytes(O200K_PATTERN)),
    "cl100k_tiktoken": Split(
        "cl100k_tiktoken",
        CL100K_TIKTOKEN_PATTERN,
        pretokenize_cl100k_tiktoken,
        split_then_bytes(CL100K_TIKTOKEN_PATTERN),
        variant_of="cl100k",
    ),
}
DEFAULT = "gpt2"
CHOICES = tuple(name for name in SPLITS if SPLITS[name].variant_of is None)  # what whoever trains may choose from
NEWER = tuple(name for name in CHOICES if name != DEFAULT)  # what is compared where GPT-2's is known to be the dearest


def of_tiktoken(name: str) -> Split:
    """What tiktoken itself does under this name. Raises ValueError, naming the names, for any but those in CHOICES.

    >>> of_tiktoken("cl100k").name, of_tiktoken("o200k").name
    ('cl100k_tiktoken', 'o200k')
    """
    if name not in CHOICES:
        raise ValueError(f"split is {name!r:.60}; it must be one of {', '.join(CHOICES)}")
    own = [split for split in SPLITS.values() if split.variant_of == name]
    return own[0] if own else SPLITS[name]


def _contraction(text: str, start: int) -> int:
    """`(?i:'s|'t|'re|'ve|'m|'ll|'d)`. Ignoring case, the long s (U+017F) is an s; no other character joins in."""
    if text[start : start + 1] != "'":
        return 0
    following = text[start + 1 : start + 3].lower()
    if following[:1] in ("s", "\u017f", "t", "m", "d"):
        return start + 2
    return start + 3 if following in ("re", "ve", "ll") else 0


def _letters(kinds: str, start: int) -> int:
    r"""`[^\r\n\p{L}\p{N}]?\p{L}+`: letters, and before them one character of any kind but newlines and numbers.

    The prefix is never a letter, so whether it is taken is settled by the first character alone.
    """
    first = start + 1 if kinds[start] in PREFIXES else start
    end = _end_of_run(kinds, first, LETTERS)
    return end if end > first else 0


def _cased_letters(text: str, kinds: str, start: int) -> int:
    r"""The first two alternatives of o200k, in which a change from lower to upper case is a cut:

        [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
        [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?

    Uncased letters and marks are in the upper and in the lower class. A mark may also be the prefix, which makes no
    difference: the match that starts with it ends at the same place either way, so here it never is.
    """
    first = start + 1 if kinds[start] in PREFIXES and kinds[start] != MARK else start
    end_of_upper = _end_of_run(kinds, first, UPPERS)
    end = _end_of_run(kinds, end_of_upper, LOWERS)
    if end == end_of_upper:
        # Nothing of the lower class follows, so the upper class gives back characters until the last is of both classes.
        while end > first and kinds[end - 1] == UPPER:
            end -= 1
        # Only capitals: the first alternative does not match, and the second takes them all.
        if end == first:
            end = end_of_upper
    if end == first:
        return 0
    return _contraction(text, end) or end


def _numbers(kinds: str, start: int) -> int:
    r"""`\p{N}{1,3}`."""
    end = start
    while end < start + 3 and kinds[end] == NUMBER:
        end += 1
    return end if end > start else 0


def _symbols(text: str, kinds: str, start: int, tail: str) -> int:
    r"""` ?[^\s\p{L}\p{N}]+[\r\n]*` (o200k: `[\r\n/]*`): what is neither letter, number nor white space, marks included."""
    first = start + 1 if text[start] == " " else start
    end = _end_of_run(kinds, first, SYMBOLS)
    return _end_of_run(kinds, end, tail) if end > first else 0


def _newlines(kinds: str, start: int) -> int:
    r"""`\s*[\r\n]+`: white space up to the last newline of its run; `\s*` takes the whole run first and then backs up to it."""
    return kinds.rfind(NEWLINE, start, _end_of_run(kinds, start, SPACES)) + 1


def _spaces(kinds: str, start: int) -> int:
    r"""`\s+(?!\S)|\s+`: all white space at the end of the text; else all but the last, which may go with what follows."""
    end = _end_of_run(kinds, start, SPACES)
    return end if kinds[end] == END or end == start + 1 else end - 1


def _end_of_run(kinds: str, start: int, members: str) -> int:
    """The first position from `start` on whose kind is not one of `members`."""
    while kinds[start] in members:
        start += 1
    return start


def _kinds(text: str) -> str:
    """The kind of each character, and END. Each distinct character is looked up once: a text has few of them."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
    return text.translate({ord(ch): _kind(ch) for ch in set(text)}) + END


def _kind(ch: str) -> str:
    """The kind of one character."""
    if is_space(ch):
        return NEWLINE if ch in "\r\n" else SPACE
    return SLASH if ch == "/" else KIND_OF_CATEGORY.get(category(ch), SYMBOL)

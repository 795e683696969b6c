r"""The splits of GPT-4 (cl100k) and GPT-4o (o200k), written by hand: naive twins of the engine that runs their patterns.

That of GPT-2 is the library's own `pretok.py`.

Each does what its regular expression does: at each position the first alternative that matches, as far as it reaches.
An alternative is one function here, and the two public functions list them in the pattern's order. A function returns
the position where its match ends, or 0 if it does not match; no match is empty, so no match ends at 0.

A regular expression finds its longest way by trying and backing up. Here each function goes straight to the end that
the backing up would find, and says why it is the same. It shares nothing with the engine but the table of Unicode 16.0.
"""

from tinyllm.tok.pretok import is_space, pretokenize_gpt2
from tinyllm.tok.unicode16 import category

__all__ = ["pretokenize_cl100k", "pretokenize_cl100k_tiktoken", "pretokenize_gpt2", "pretokenize_o200k"]

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

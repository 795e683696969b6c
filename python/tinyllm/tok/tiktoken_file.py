r"""Reads `.tiktoken` files, which hold ranks and no merges, and finds the merges that give tiktoken's ids.

A line is a token in base64, a space, and its rank, which is also its id. What tiktoken does with them differs from
`merge_by_rank` twice. It joins the two neighbours whose bytes *together* have the lowest rank, leftmost on a tie: it knows no
pairs. And it looks a whole pre-token up before it merges anything. So a reader must know, first, which pair makes a token.

    Found by    doing what tiktoken does to the token's own bytes, until two symbols are left. They are the pair.
    Example     "hug" with the ranks ug 256, hug 257, hu 258: h u g, then h ug. The pair is (h, ug).

One pair a token is enough, for any ranks and any text. Say that in the middle of a text two neighbours x, y spell a token.
No merge has crossed the ends of this stretch, or they would not be ends of symbols. So every merge in it was the lowest,
leftmost one of the whole text, hence also of the stretch alone; and merges elsewhere do not change the stretch. It went
through the states that the token's bytes go through alone. That run has one state of two symbols at most (each merge takes
one symbol away), so x, y is the pair found. Then pairs and ranks offer the same merges in the same order in each state.

The obvious shortcuts fail:
    The first (or last) cut into two tokens. With ab before bc, the run on "abc" is ab c, and (a, bc) never meet: "abc"
    would come out as ab c. In cl100k_base this is wrong for 47,826 of 100,256 tokens (49,534), the cut with the lowest
    parts for 8,418. (Listing every cut is not wrong, only twice as long: the others never meet.)
    A run with only the ranks below the token's. In Llama 3's file ".:.:" is (".:.", ":"), and ".:." has the higher rank.

If the run stops with three symbols or more, no text makes the token by merging. Where it is text, tiktoken still gives its id
to a pre-token that is just this token; no list of merges can, so the file is refused. (Llama 3's has such tokens, " việc" for
one; r50k_base, cl100k_base and o200k_base have none.) Where it is no valid UTF-8, no pre-token equals it, and it stays unused.

Source: tiktoken 0.14, `load_tiktoken_bpe` and `_byte_pair_merge`.
"""

from __future__ import annotations

import os
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from itertools import repeat
from operator import add, itemgetter

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.jsonfile import read_text

NEVER = 1 << 62  # the rank of neighbours that make no token: behind all others


def read_tiktoken(path: str | os.PathLike[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The vocabulary (token to id) and the merges (pairs of tokens, lowest rank first) of the `.tiktoken` file `path`.

    Tokens are spelled in the byte alphabet. A BPETokenizer of these two, with the file's own split, gives the ids of
    tiktoken's `encode_ordinary` for every text.

    Raises ValueError naming the file, and the line where there is one: for a line that is anything else than a token and
    its rank, a token or a rank given twice, a gap in the ranks, a byte that is no token, and a token that only a look-up
    could give. OSError comes through. Cost: O(tokens); the bytes of each are merged once.
    """
    text = read_text(path)
    try:
        ranks = _parse_ranks(text)
        return _vocab_and_merges(ranks)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def _parse_ranks(text: str) -> dict[bytes, int]:
    """Token -> rank, in the order of the lines; the ranks are 0, 1, 2 and so on, and every byte is a token."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()  # the end of the last line, not a line
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(lines, start=1):
        try:
            token, rank = _parse_line(line.removesuffix("\r"))
        except ValueError as error:
            raise ValueError(f"line {number} is {line!r:.60}; {error}") from None
        if token in ranks:
            raise ValueError(
                f"line {number} has the token {token!r:.60}, which line {_line_of(token, ranks)} has already"
            )
        ranks[token] = rank
    _check_ranks(ranks)
    return ranks


def _parse_line(line: str) -> tuple[bytes, int]:
    """Token and rank. Nothing is read loosely: what tiktoken skips or corrects in a line may be a damaged file."""
    token_base64, space, digits = line.partition(" ")
    if not (token_base64 and space and digits):
        raise ValueError("it must be a token in base64, a space, and the token's rank")
    try:
        token = a2b_base64(token_base64)
    except ValueError:
        token = b""
    # Decoding skips what is not base64, so only what is encoded to the same characters was read as it stands.
    if b2a_base64(token, newline=False).decode() != token_base64:
        raise ValueError("its first part must be a token in base64")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10 and str(int(digits)) == digits):
        raise ValueError("its second part must be a rank, an integer that is 0 or more")
    return token, int(digits)


def _check_ranks(ranks: Mapping[bytes, int]) -> None:
    if sorted(ranks.values()) != [*range(len(ranks))]:
        token_of: dict[int, bytes] = {}
        for token, rank in ranks.items():
            if rank in token_of:
                raise ValueError(
                    f"line {_line_of(token, ranks)} has the rank {rank}, which line {_line_of(token_of[rank], ranks)} has already"
                )
            token_of[rank] = token
        gap = next(rank for rank in range(len(ranks)) if rank not in token_of)
        last = max(token_of)
        raise ValueError(
            f"no line has the rank {gap}, but line {_line_of(token_of[last], ranks)} has {last}; ranks are ids, which must have no gap"
        )
    for byte in range(256):
        if bytes([byte]) not in ranks:
            raise ValueError(f"no line has the token of the byte {byte:#04x}; each of the 256 bytes must be a token")


def _vocab_and_merges(ranks: Mapping[bytes, int]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The vocabulary in the order of ids, and one merge a token in the order of ranks.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ug": 256, b"hug": 257, b"hu": 258}
    >>> _vocab_and_merges(ranks)[1]
    [('u', 'g'), ('h', 'ug'), ('h', 'u')]
    """
    stand_in = bytes_to_unicode()
    tokens = sorted(ranks.items(), key=itemgetter(1))
    vocab = {"".join(map(stand_in.__getitem__, token)): rank for token, rank in tokens}
    merges = []
    for spelled, (token, _) in zip(vocab, tokens):
        if len(token) > 1:
            symbols = _last_two(spelled, vocab)
            if len(symbols) == 2:
                merges.append((symbols[0], symbols[1]))
            elif _is_text(token):
                raise ValueError(
                    f"line {_line_of(token, ranks)} has the token {spelled!r:.60}, but merging its bytes ends with {' '.join(symbols):.60}: "
                    "tiktoken gives it only to a text that is just this token, by look-up, which merges cannot do"
                )
    return vocab, merges


def _last_two(token: str, ranks: Mapping[str, int]) -> list[str]:
    """The two symbols that tiktoken joins last to make `token`, or the three or more at which its merging stops.

    Strings over the byte alphabet stand for bytes here, so that tokens need no second spelling.
    """
    symbols = list(token)
    # rank_at[i] is the rank of the token that symbols i and i + 1 make. A merge changes two of them at most.
    rank_at = list(map(ranks.get, map(add, symbols, symbols[1:]), repeat(NEVER)))
    while len(symbols) > 2:
        lowest = min(rank_at)
        if lowest == NEVER:
            break
        at = rank_at.index(lowest)  # the leftmost
        symbols[at] += symbols.pop(at + 1)
        del rank_at[at]
        if at > 0:
            rank_at[at - 1] = ranks.get(symbols[at - 1] + symbols[at], NEVER)
        if at < len(rank_at):
            rank_at[at] = ranks.get(symbols[at] + symbols[at + 1], NEVER)
    return symbols


def _is_text(token: bytes) -> bool:
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _line_of(token: bytes, ranks: Mapping[bytes, int]) -> int:
    return list(ranks).index(token) + 1

r"""How text, bytes and tokens are shown to people: nothing invisible, nothing made up.

A token may be half a character, a control code, or white space. Decoded alone it would be U+FFFD, nothing, or a gap that
cannot be told from the next. So: white space and control characters are written visibly, bytes that are no whole character
as hex, a combining mark without its letter on a dotted circle, and tokens that share one character form one group. The marks
used for it (␣ ‹ › ◌ and the backslash) are escaped where the text itself has them: what is shown can be read only one way.

It knows nothing of HTML or terminals: `notebook.py`, `page.py` and the commands draw what it finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.explain.pipeline import raw_of
from tinyllm.tok.explain.records import PipelineTrace, PutIn, Token
from tinyllm.tok.explain.rounds import first_ranks
from tinyllm.tok.unicode16 import category

if TYPE_CHECKING:
    from tinyllm.tok.bpe import BPETokenizer
    from tinyllm.tok.pipeline.tokenizer import Pipeline

ESCAPES = {" ": "␣", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
PUT_IN = {"post_processor": "put in by the post-processor", "padding": "put in as padding"}
LONGEST_CHANGED = 200  # characters of a changed text that a line has
CIRCLE = "\u25cc"  # what a mark stands on where there is no letter
# Printable by their category, yet blank (Hangul fillers, the empty Braille cell), or with a meaning of their own here.
BLANK_OR_TAKEN = frozenset("\u115f\u1160\u3164\uffa0\u2800␣‹›\ufffd" + CIRCLE)
# Marks that show nothing: the grapheme joiner, Khmer's inherent vowels, the variation selectors.
BLANK_MARKS = frozenset(
    map(chr, [0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)


@dataclass(frozen=True)
class Dropped:
    """Bytes of the text that no token covers, because the vocabulary has no symbol for them; `start` and `end` in bytes."""

    bytes: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Group:
    """Tokens (and dropped bytes) that only together are whole characters, and those characters. Mostly a single token.

    What was put in around a text is a group by itself, whose text is "".
    """

    text: str
    parts: tuple[Token | Dropped | PutIn, ...]


def display(text: str) -> str:
    r"""`text` with white space, control characters and whatever else shows nothing written out.

    >>> print(display("a b\tc\u200d"))
    a␣b\tc\u200d
    """
    shown: list[str] = []
    on_something = False  # whether there is a character that a combining mark can stand on
    for ch in text:
        kind = category(ch)[0]
        if ch in ESCAPES:
            shown.append(ESCAPES[ch])
        elif kind in "CZ" or ch in BLANK_OR_TAKEN or ch in BLANK_MARKS:
            shown.append(_escaped(ch))
        else:
            shown.append(CIRCLE + ch if kind == "M" and not on_something else ch)
        on_something = shown[-1].endswith(ch)
    return "".join(shown)


def display_bytes(raw: bytes) -> str:
    """`raw` as visible text, with bytes that are no whole character in hex.

    >>> display_bytes("é 你".encode()[:5])
    'é␣‹E4 BD›'
    """
    return "".join(display(part) if isinstance(part, str) else f"‹{hex_of(part)}›" for part in _characters(raw))


def width(shown: str) -> int:
    """How many columns a fixed-width font gives to displayed text: two for a wide character, none for a mark."""
    return sum(0 if category(ch)[0] == "M" else 2 if east_asian_width(ch) in "WF" else 1 for ch in shown)


def hex_of(raw: Iterable[int]) -> str:
    """Bytes in hex, as in "E4 BD A0"."""
    return " ".join(f"{byte:02X}" for byte in raw)


def counted(number: int, unit: str) -> str:
    """A number of things, as in "1 byte" or "1,000 bytes"."""
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def locate(tokenizer: BPETokenizer, text: str, ids: Sequence[int]) -> list[Token]:
    """The tokens of `ids` and what each covers of `text`, whose encoding they are.

    Raises ValueError if the ids do not spell the text. Cost: O(bytes + merges).
    """
    rank_of = first_ranks(tokenizer.merges)
    raw = text.encode("utf-8")
    can_drop = {byte for byte, stand_in in bytes_to_unicode().items() if stand_in not in tokenizer.vocab}
    contents = {id: content for content, id in tokenizer.added.items()}
    tokens: list[Token] = []
    at = 0
    for id in ids:
        own = tokenizer.token_bytes(id)
        if id in contents:  # stands in the text as it is
            start = raw.find(own, at)
            end = start + len(own)
        else:  # its bytes stand there in order, dropped ones between them
            start, end = -1, at
            for byte in own:
                while end < len(raw) and raw[end] in can_drop:
                    end += 1
                start = end if start < 0 else start
                if raw[end : end + 1] != bytes([byte]):
                    start = -1
                    break
                end += 1
        if start < 0 or not can_drop.issuperset(raw[at:start]):
            raise ValueError(
                f"ids[{len(tokens)}] is {id}, whose bytes {hex_of(own)} are not what the text has at byte {at}"
            )
        token = tokenizer.id_to_token(id)
        tokens.append(Token(id, token, tuple(own), None if id in contents else rank_of.get(token), start, end))
        at = end
    if not can_drop.issuperset(raw[at:]):
        raise ValueError(f"the ids spell {at} of the text's {len(raw)} bytes")
    return tokens


def group(text: str, tokens: Iterable[Token]) -> list[Group]:
    """Tokens and dropped bytes in the order of the text, those that share a character together."""
    raw = text.encode("utf-8")
    return list(_groups(raw, tokens, 0, len(raw)))


def groups_of(trace: PipelineTrace) -> list[Group]:
    """The same for all ids of a trace, those that were put in among them; tokens that were cut off are not there."""
    raw, tokens = raw_of(trace), [token for part in trace.parts for token in part.tokens]
    if not tokens:
        dropped = list(_groups(raw, (), 0, len(raw)))
        return dropped + [Group("", (place,)) for place in trace.framed if isinstance(place, PutIn)]
    groups: list[Group] = []
    run: list[int] = []
    for place, following in zip(trace.framed, [*trace.framed[1:], None]):
        if isinstance(place, PutIn):
            groups.append(Group("", (place,)))
            continue
        run.append(place)
        if following != place + 1:
            start = 0 if run[0] == 0 else tokens[run[0]].start
            end = len(raw) if place == len(tokens) - 1 else tokens[place].end
            groups += _groups(raw, tokens[run[0] : place + 1], start, end)
            run = []
    return groups


def change_lines(tokenizer: Pipeline, trace: PipelineTrace) -> list[str]:
    """What is otherwise than in the text given, a line each: none if the tokens spell the text and nothing else."""
    lines = []
    if trace.normalized != trace.text and tokenizer.parts.normalizer is not None:
        lines.append(f"normalized ({tokenizer.parts.normalizer.words()}): {_short(trace.normalized)}")
    joined = raw_of(trace).decode("utf-8", "replace")
    if joined != trace.normalized:
        lines.append(f"the pre-tokens, joined: {_short(joined)}")
    for by, words in PUT_IN.items():
        names = [place.token for place in trace.framed if isinstance(place, PutIn) and place.by == by]
        if names:
            times = f", {len(names):,} times" if len(names) > 1 and len(set(names)) == 1 else ""
            lines.append(f"{words}: {' '.join(map(display, dict.fromkeys(names)))}{times}")
    kept = {place for place in trace.framed if isinstance(place, int)}
    cut_off = sum(len(part.tokens) for part in trace.parts) - len(kept)
    if cut_off:
        lines.append(f"left out: {counted(cut_off, 'token')} of the text")
    return lines


def _short(text: str) -> str:
    return display(text) if len(text) <= LONGEST_CHANGED else f"{display(text[:LONGEST_CHANGED])} …"


def hues(ids: Iterable[int], count: int) -> dict[int, int]:
    """A hue, 0 to count - 1, for each id: the same wherever it occurs, in the order of first occurrence.

    A new id takes another hue than the token before it, so two new neighbours can be told apart.
    """
    hue_of: dict[int, int] = {}
    before = None
    for id in ids:
        if id not in hue_of:
            hue = len(hue_of) % count
            hue_of[id] = (hue + 1) % count if hue == before else hue
        before = hue_of[id]
    return hue_of


def _groups(raw: bytes, tokens: Iterable[Token], start: int, end: int) -> Iterator[Group]:
    """The groups of the bytes from `start` to `end`. The text of one is whole characters, also where it is cut inside one."""
    parts: list[Token | Dropped] = []
    for part in _with_dropped(raw, tokens, start, end):
        parts.append(part)
        if part.end == end or _begins_character(raw, part.end):
            first, last = parts[0].start, part.end
            while not _begins_character(raw, first):
                first -= 1
            while not _begins_character(raw, last):
                last += 1
            yield Group(raw[first:last].decode("utf-8", "replace"), tuple(parts))
            parts = []


def _begins_character(raw: bytes, at: int) -> bool:
    return at in (0, len(raw)) or raw[at] & 0xC0 != 0x80


def _with_dropped(raw: bytes, tokens: Iterable[Token], start: int, end: int) -> Iterator[Token | Dropped]:
    at = start
    for token in tokens:
        if token.start > at:
            yield Dropped(tuple(raw[at : token.start]), at, token.start)
        yield token
        at = max(at, token.end)
    if at < end:
        yield Dropped(tuple(raw[at:end]), at, end)


def _characters(raw: bytes) -> Iterator[str | bytes]:
    """Stretches of whole characters, as text, and of other bytes, in turn."""
    stray = b""
    while raw:
        try:
            text, bad, rest = raw.decode("utf-8"), b"", b""
        except UnicodeDecodeError as error:
            text, bad, rest = raw[: error.start].decode("utf-8"), raw[error.start : error.end], raw[error.end :]
        if text:
            if stray:
                yield stray
            yield text
            stray = b""
        stray, raw = stray + bad, rest
    if stray:
        yield stray


def _escaped(ch: str) -> str:
    code = ord(ch)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

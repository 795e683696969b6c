"""Tokens in colour, for notebooks: `view(tokenizer, text)`.

A notebook draws the object's `_repr_html_`; everywhere else its `repr` says the same in plain text. Nothing of IPython is
imported. The HTML is one element with inline styles: no style sheet, no script, so it survives exports and cannot touch the
rest of the page. Its colours are thin tints over the page's own background, which read alike in light and dark, and each
token has a border besides.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

from tinyllm.tok.explain.display import (
    PUT_IN,
    Dropped,
    Group,
    change_lines,
    counted,
    display,
    display_bytes,
    group,
    groups_of,
    hex_of,
    hues,
    locate,
    width,
)
from tinyllm.tok.explain.pipeline import trace_pipeline
from tinyllm.tok.explain.records import PutIn, Token, UnknownToken
from tinyllm.tok.pipeline.tokenizer import Pipeline

if TYPE_CHECKING:
    from tinyllm.tok.bpe import BPETokenizer

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart (red, green, blue); their yellow is darker here.
HUES = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (178, 166, 20),
    (128, 128, 128),
)
MOST = 2000  # tokens shown; a notebook with more of them is slow to scroll


def view(
    tokenizer: BPETokenizer | Pipeline,
    text: str,
    *,
    allowed_special: Literal["all", "none"] | Collection[str] = "all",
) -> TokenView:
    """The tokens of `text`, to look at: let a notebook show the result, or print it.

    Equal ids have equal colours; pointing at a token shows its id, bytes and merge rank; tokens that share one character
    are in one frame. Of a long text the first 2,000 tokens are shown. If the tokenizer changed the text before it was cut,
    or put tokens around it, the view says so: the tokens then are those of the changed text.
    Raises what `tokenizer.encode` raises, TypeError for a tokenizer without merges, and ValueError if the ids that it gives
    do not spell the text. Cost: O(bytes + merges).

    >>> from tinyllm.tok.bpe import BPETokenizer
    >>> view(BPETokenizer({"a": 0, "aa": 1}, [("a", "a")]), "aaa")
    3 characters, 3 bytes, 2 tokens
    id  token  bytes  rank
     1  aa     61 61     0
     0  a      61        -
    """
    if not hasattr(tokenizer, "merges"):
        raise TypeError(f"view shows a BPETokenizer's tokens; {type(tokenizer).__name__} has no merges")
    ids = tokenizer.encode(text, allowed_special=allowed_special)
    if isinstance(tokenizer, Pipeline):
        trace = trace_pipeline(tokenizer, text, allowed_special=allowed_special, with_rounds=False)
        if list(trace.ids) != ids:
            raise ValueError(f"the tokens found are {trace.ids!r:.60}, and the ids {ids!r:.60}: please report it")
        changes = tuple(change_lines(tokenizer, trace))
        return TokenView(text, trace.ids, tuple(groups_of(trace)), tokenizer.special_ids, changes)
    return TokenView(text, tuple(ids), tuple(group(text, locate(tokenizer, text, ids))), tokenizer.special_ids)


@dataclass(frozen=True, repr=False)
class TokenView:
    """A text and its tokens. `groups` are tokens (and bytes that the vocabulary cannot spell) that share a character.

    changes  lines that say where the tokens are not those of the text as it was given
    """

    text: str
    ids: tuple[int, ...]
    groups: tuple[Group, ...]
    special_ids: frozenset[int]
    changes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A table, one token a line."""
        rows = [("id", "token", "bytes", "rank"), *(_row(part) for part in self._shown())]
        id_width, token_width, raw_width, rank_width = (max(map(width, column)) for column in zip(*rows))
        lines = [
            f"{id:>{id_width}}  {token}{' ' * (token_width - width(token))}  {raw:{raw_width}}  {rank:>{rank_width}}"
            for id, token, raw, rank in rows
        ]
        return "\n".join([self._summary(), *self.changes, *(lines if self.ids else []), *self._rest()])

    def _repr_html_(self) -> str:
        """What a notebook draws."""
        hue_of = hues(self.ids, len(HUES))
        shown = 0
        boxes = []
        for tokens in self.groups:
            if shown >= MOST:
                break
            shown += len(tokens.parts)
            boxes.append(_group_html(tokens, hue_of, self.special_ids))
        small = "font-size:.85em;opacity:.75"
        ids = " ".join(map(str, self.ids[:MOST]))
        return (
            f'<div style="font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;line-height:2.1;max-width:60em">'
            f'<div style="{small}">{self._summary()}</div>'
            + "".join(f'<div style="{small};line-height:1.5">{escape(line)}</div>' for line in self.changes)
            + f'<div style="overflow-wrap:anywhere" dir="ltr">{"".join(boxes)}</div>'
            f'<div style="{small};line-height:1.5;overflow-wrap:anywhere">ids&ensp;{ids or "none"}</div>'
            + "".join(f'<div style="{small}">{line}</div>' for line in self._rest())
            + "</div>"
        )

    def _summary(self) -> str:
        counts = (len(self.text), "character"), (len(self.text.encode("utf-8")), "byte"), (len(self.ids), "token")
        return ", ".join(counted(*count) for count in counts)

    def _shown(self) -> list[Token | Dropped | PutIn]:
        return [part for tokens in self.groups for part in tokens.parts][:MOST]

    def _rest(self) -> list[str]:
        return [f"and {len(self.ids) - MOST:,} more tokens"] if len(self.ids) > MOST else []


def label(part: Token | Dropped | PutIn) -> str:
    """What is written for a token: its text made visible, or hex where its bytes are no whole character.

    One that was put in, or stands for characters without a token, is written by its name.
    """
    if isinstance(part, (PutIn, UnknownToken)):
        return display(part.token)
    return display_bytes(bytes(part.bytes))


def note(part: Token | Dropped | PutIn) -> str:
    """What pointing at a token tells."""
    if isinstance(part, PutIn):
        return f"id {part.id} · {PUT_IN[part.by]}"
    if isinstance(part, UnknownToken):
        return f"id {part.id} · stands for bytes {hex_of(part.bytes)}, which have no token"
    if isinstance(part, Dropped):
        return f"no token: the vocabulary has no symbol for {hex_of(part.bytes)}"
    rank = "" if part.rank is None else f" · rank {part.rank}"
    inside = part.end - part.start - len(part.bytes)
    dropped = f" · {counted(inside, 'byte')} dropped inside" if inside else ""
    return f"id {part.id} · bytes {hex_of(part.bytes)}{rank}{dropped}"


def _row(part: Token | Dropped | PutIn) -> tuple[str, str, str, str]:
    if isinstance(part, PutIn):
        return str(part.id), label(part), "(put in)", "-"
    if isinstance(part, Dropped):
        return "-", "(dropped)", hex_of(part.bytes), "-"
    return str(part.id), label(part), hex_of(part.bytes), "-" if part.rank is None else str(part.rank)


def _group_html(tokens: Group, hue_of: dict[int, int], special_ids: frozenset[int]) -> str:
    boxes = "".join(_token_html(part, hue_of, special_ids) for part in tokens.parts)
    if len(tokens.parts) > 1:
        frame = (
            "border:1px dashed rgba(128,128,128,.9);border-radius:.5em;padding:.25em .1em .25em .45em;margin:0 .15em"
        )
        title = f"one character in {len(tokens.parts)} parts"
        boxes = f'<span style="{frame}" title="{title}"><bdi>{escape(display(tokens.text))}</bdi>&thinsp;{boxes}</span>'
    return boxes + ("<br>" if tokens.text.endswith("\n") else "<wbr>")


def _token_html(part: Token | Dropped | PutIn, hue_of: dict[int, int], special_ids: frozenset[int]) -> str:
    box = "border-radius:.3em;padding:.15em .3em;margin:0 .1em;"
    if isinstance(part, Dropped):
        box += "border:1px dotted rgba(128,128,128,.9);text-decoration:line-through"
    else:
        colour = ",".join(map(str, HUES[hue_of[part.id]]))
        box += f"border:1px solid rgba({colour},.75);background:rgba({colour},.2)"
        if part.id in special_ids or isinstance(part, PutIn):
            box += ";border-width:2px;font-weight:bold"
    return f'<span style="{box}" title="{escape(note(part))}"><bdi>{escape(label(part))}</bdi></span>'

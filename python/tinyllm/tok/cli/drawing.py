"""Tokens and traces on a terminal, drawn with rich: with colour where there is one, and complete without.

Every text that is drawn has been through `display` or `visible`, so nothing of it is obeyed. Tokens are set apart by spaces,
which is unambiguous, since a space of the text is shown as ␣. Importing this imports rich: commands do so when they draw.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from tinyllm.tok.cli.terminal import visible
from tinyllm.tok.explain.display import Dropped, Group, counted, display, display_bytes, hex_of, hues
from tinyllm.tok.explain.notebook import TokenView, label
from tinyllm.tok.explain.records import (
    EncodeTrace,
    ModelPretoken,
    PipelineTrace,
    PretokenPart,
    Round,
    Step,
    Token,
    TrainTrace,
)

# Backgrounds with black on them read alike on light and dark terminals.
STYLES = tuple(
    f"black on {colour}" for colour in ("cyan", "yellow", "green", "magenta", "bright_blue", "bright_red", "white")
)
SOFT = "dim"


@contextmanager
def drawing() -> Iterator[Console]:
    """Draws on standard output: as wide as the terminal; 80 columns and no colour for a pipe, a file, or with NO_COLOR.

    Lines come out without the blanks that rich fills them up with.
    """
    out = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    with out.capture() as captured:
        yield out
    print("\n".join(line.rstrip(" ") for line in captured.get().split("\n")), end="")


def draw_tokens(view: TokenView) -> None:
    """The tokens of a text in colour, one id one colour, and the ids below; before them how the tokenizer changed the text."""
    with drawing() as out:
        for line in view.changes:
            out.print(Text(line, SOFT))
        out.print(_tokens(view.groups, hues(view.ids, len(STYLES))))
    print(*view.ids)


def draw_encode(
    out: Console, trace: EncodeTrace, groups: list[Group], everything: bool, changes: Iterable[str] = ()
) -> None:
    """A trace of encoding, part by part. `everything`: the pairs of each round too, and the merges that were not chosen.

    `changes`: lines that say where the tokens are not those of the text as it was given.
    """
    hue_of = hues(trace.ids, len(STYLES))
    sizes = {"character": trace.text, "byte": trace.text.encode("utf-8"), "part": trace.parts, "token": trace.ids}
    out.print(", ".join(counted(len(whole), unit) for unit, whole in sizes.items()))
    for line in changes:
        out.print(line)
    out.print(_tokens(groups, hue_of))
    out.print(Text(" ".join(map(str, trace.ids)), SOFT))
    for number, part in enumerate(trace.parts, start=1):
        shown = display(part.text) if part.kind == "added" else display_bytes(bytes(part.bytes))
        title = Text.assemble(f"\n{number}  ", (shown, "bold"))
        if part.kind == "added":
            first = "" if isinstance(trace, PipelineTrace) else ", matched before anything else"  # some are normalized
            title.append(f"  added token{first}", SOFT)
            out.print(title)
            out.print(_indented(Text(f"id       {part.tokens[0].id}")))
        elif part.cached_from is not None:
            title.append(f"  as in {part.cached_from + 1}: taken from the cache, nothing is merged again", SOFT)
            out.print(title)
            out.print(_indented(Text.assemble("ids      ", _ids(part.tokens))))
        else:
            out.print(title)
            _draw_pretoken(out, part, hue_of, everything)


def draw_train(out: Console, trace: TrainTrace, everything: bool) -> None:
    """A trace of training. `everything`: each step's pair counts and what it changed."""
    total = sum(pretoken.count for pretoken in trace.pretokens)
    out.print(f"{counted(len(trace.pretokens), 'distinct pre-token')}, {counted(total, 'pre-token')} in all")
    table = _grid("right", "left", "left")
    for pretoken in trace.pretokens:
        table.add_row(f"{pretoken.count} ×", display(pretoken.text), Text(" ".join(pretoken.symbols), SOFT))
    out.print(_indented(table))
    if trace.steps and not everything:
        table = _grid("right", "right", "left", "left", "left", head=("rank", "count", "merge", "new token", ""))
        for step in trace.steps:
            chosen = step.chosen
            ties = Text(_why(step) if step.tied else "", SOFT)
            merge, made = f"{chosen.left} + {chosen.right}", f"{step.token} = {step.id}"
            table.add_row(str(step.rank), str(chosen.count), merge, made, ties)
        out.print()
        out.print(table)
    for step in trace.steps if everything else ():
        chosen = step.chosen
        pair_text = (f"{chosen.left} + {chosen.right}", "bold")
        becomes = f", {_times(chosen.count)}, becomes {step.token}, id {step.id}"
        out.print(Text.assemble(f"\n{step.rank}  ", pair_text, becomes))
        table = _grid("right", "left", "left", "left", head=("count", "pair", "ids", ""))
        for pair in step.pairs:
            note = "chosen" if pair == chosen else "tie: larger ids" if pair in step.tied else ""
            row = str(pair.count), f"{pair.left} + {pair.right}", f"{pair.left_id}, {pair.right_id}", note
            table.add_row(*row, style="bold" if pair == chosen else None)
        out.print(_indented(table))
        for change in step.changed:
            out.print(_indented(Text(f"{' '.join(change.before)}  →  {' '.join(change.after)}", SOFT)))
    out.print(f"\nStopped: {trace.stopped}.")


def _why(step: Step) -> str:
    """How a tie was broken."""
    chosen, second = step.chosen, step.tied[0]
    others = f" and {counted(len(step.tied) - 1, 'more pair')}" if len(step.tied) > 1 else ""
    ids = f"ids {chosen.left_id}, {chosen.right_id} before {second.left_id}, {second.right_id}"
    return f"tie with {second.left} + {second.right}{others}: {ids}"


def _draw_pretoken(out: Console, part: PretokenPart, hue_of: dict[int, int], everything: bool) -> None:
    out.print(_indented(Text.assemble("bytes    ", hex_of(part.bytes))))
    if part.dropped:
        dropped = hex_of(part.bytes[at] for at in part.dropped)
        out.print(_indented(Text(f"dropped  {dropped}: the vocabulary has no symbol for it")))
    if isinstance(part, ModelPretoken) and part.whole:
        out.print(_indented(Text(f"whole    {visible(part.seen)} is a token: nothing is merged (ignore_merges)")))
    else:
        out.print(_indented(Text.assemble("symbols  ", visible(" ".join(part.symbols)) or "none")))
    if part.rounds:
        out.print()
        _draw_rounds(out, part, everything)
        out.print()
        for tree in _trees(part):
            out.print(_indented(tree))
        out.print()
    out.print(_indented(Text.assemble("ids      ", _ids(part.tokens))))
    if part.never_chosen and everything:
        table = _grid("right", "left", "left", head=("rank", "not chosen", "why"))
        for merge in part.never_chosen:
            table.add_row(str(merge.rank), _pair(merge.left, merge.right), Text(visible(merge.reason), SOFT))
        out.print()
        out.print(_indented(table))
    elif part.never_chosen:
        out.print(_indented(Text(f"{counted(len(part.never_chosen), 'merge')} not chosen; --all says why", SOFT)))


def _draw_rounds(out: Console, part: PretokenPart, everything: bool) -> None:
    table = _grid("right", "right", "left", "left", head=("round", "rank", "merge", "symbols after it"))
    for number, round in enumerate(part.rounds, start=1):
        table.add_row(str(number), str(round.rank), _pair(round.left, round.right), _symbols(round))
        if everything:
            ranked = [f"{c.rank} {_pair(c.left, c.right)}" for c in round.candidates if c.rank is not None]
            table.add_row("", "", "", Text("of  " + ", ".join(ranked), SOFT))
    out.print(_indented(table))


def _symbols(round: Round) -> Text:
    """The row after a round, with what it made in bold."""
    made = {at - before for before, at in enumerate(round.merged)}
    return Text(" ").join(Text(symbol, "bold" if i in made else "") for i, symbol in enumerate(round.after))


def _trees(part: PretokenPart) -> Iterable[Tree]:
    """How each token of more than one byte was put together."""
    made: dict[str, Round] = {round.token: round for round in part.rounds}

    def grow(symbol: str, onto: Tree | None) -> Tree:
        round = made.get(symbol)
        line = Text.assemble((symbol, "bold" if onto is None else ""), (f"  rank {round.rank}" if round else "", SOFT))
        node = Tree(line, guide_style=SOFT) if onto is None else onto.add(line)
        if round and len(symbol) > 2:  # of two bytes there is nothing more to tell
            for side in (round.left, round.right):
                grow(side, node)
        return node

    return [grow(token.token, None) for token in part.tokens if token.token in made]


def _tokens(groups: Iterable[Group], hue_of: dict[int, int]) -> Text:
    """Tokens one after another; those that share a character as character:part+part."""
    line = Text()
    for tokens in groups:
        if len(line):
            line.append(" ")
        if len(tokens.parts) > 1:
            line.append(f"{display(tokens.text)}:")
        for i, part in enumerate(tokens.parts):
            line.append("+" if i else "")
            if isinstance(part, Dropped):
                line.append(f"(dropped {hex_of(part.bytes)})", SOFT)
            else:
                line.append(label(part), STYLES[hue_of[part.id]])
    return line


def _ids(tokens: Iterable[Token]) -> Text:
    if not tokens:
        return Text("none")
    return Text(", ").join(Text.assemble(str(token.id), (f" {label(token)}", SOFT)) for token in tokens)


def _pair(left: str, right: str) -> str:
    return visible(f"{left} + {right}")


def _grid(*sides: JustifyMethod, head: tuple[str, ...] = ()) -> Table:
    """Columns without lines, two spaces apart; the last takes what is left of the width."""
    table = Table(box=None, show_header=bool(head), pad_edge=False, padding=(0, 2, 0, 0), header_style=SOFT)
    for i, side in enumerate(sides):
        table.add_column(head[i] if head else "", justify=side, overflow="fold")
    return table


def _indented(what: Text | Table | Tree) -> Padding:
    return Padding(what, (0, 0, 0, 3), expand=False)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"

"""`tok explain`: how a text becomes ids, and how merges are learned, step by step; on the terminal or as a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.cli.encode import TOKENIZER, Special
from tinyllm.tok.cli.inputs import STDIN, read_text
from tinyllm.tok.cli.outputs import check_output
from tinyllm.tok.cli.terminal import facts, next_step, quoted, text_argument
from tinyllm.tok.pipeline.tokenizer import Pipeline
from tinyllm.tok.pretrained import load

if TYPE_CHECKING:
    from tinyllm.tok.explain.records import EncodeTrace

LONGEST_TEXT = 20_000  # bytes
LONGEST_PRETOKEN = 500  # bytes; a trace grows with their square


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command("explain")(explain)


def explain(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", show_default=False, help="The text; with --train, the texts to learn from."
        ),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("-f", "--file", metavar="FILE", help='A file instead of a TEXT; "-" is standard input.'),
    ] = None,
    tokenizer: Annotated[str, TOKENIZER] = "gpt2",
    special: Annotated[
        Special, typer.Option("--special", help='With "none", a special token\'s text is ordinary text.')
    ] = Special.all,
    train: Annotated[
        bool, typer.Option("--train", help="Learn merges from the texts instead, cut as the tokenizer cuts them.")
    ] = False,
    merges: Annotated[int, typer.Option("--merges", metavar="N", help="--train: how many merges at most.")] = 40,
    min_freq: Annotated[
        int, typer.Option("--min-freq", metavar="N", help="--train: merge a pair only if it occurs this often.")
    ] = 2,
    everything: Annotated[
        bool, typer.Option("--all", help="Show the pairs of each round, and the merges not chosen and why.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The trace as JSON, as course/formats/trace.md describes it.")
    ] = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a page to step through: one file, no network.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="--html: the page also encodes what is typed into it.")] = False,
) -> None:
    """Show how a text becomes ids.

    Its bytes, the pairs side by side, and which pair is merged when. Symbols are spelled in the byte alphabet, in which a space is Ġ. In texts and tokens a space is shown as ␣, and bytes
    that are no whole character as hex.

    \b
    Examples
      tok explain internationalization
      tok explain --train --min-freq 1 --merges 3 hug hug pug hugs
      tok explain --html page.html --live "Hi there"
    """
    # Drawing and pages are slow to import, and only this command needs them.
    from tinyllm.tok.explain.encoding import trace_encode
    from tinyllm.tok.explain.pipeline import trace_pipeline
    from tinyllm.tok.explain.records import PipelineTrace, to_json
    from tinyllm.tok.explain.training import trace_train

    if live and html is None:
        raise ValueError("--live is for pages; say where with --html FILE")
    if sum([as_json, html is not None, everything]) > 1:
        raise ValueError("--json, --html and --all do not go together")
    if html is not None:
        if not os.path.isdir(os.path.dirname(html) or "."):
            raise ValueError(f"--html {html}: there is no folder {os.path.dirname(html)}")
        check_output("--html", html, files or [])
    paths = files or ([] if texts else [STDIN])
    given = [*map(text_argument, texts or []), *map(read_text, paths)]
    if len(given) > 1 and not train:
        raise ValueError(f"{len(given)} texts; give one, in quotation marks if it has spaces, or several with --train")
    loaded = _bpe(load(tokenizer), tokenizer)
    if isinstance(loaded, Pipeline):
        _check_pipeline(loaded, tokenizer, train=train, live=live)
    learned = None
    if train:
        assert isinstance(loaded, BPETokenizer)
        _check_length("the texts have", sum(len(text.encode("utf-8")) for text in given), LONGEST_TEXT)
        learned = trace_train(given, 256 + _not_negative(merges), (), min_freq, pre_tokenizer=loaded.pre_tokenizer)
    if train and html is None:
        assert learned is not None
        if as_json:
            print(to_json(learned))
        else:
            from tinyllm.tok.cli.drawing import draw_train, drawing

            with drawing() as out:
                draw_train(out, learned, everything)
        return
    text = given[0]
    _check_length("the text has", len(text.encode("utf-8")), LONGEST_TEXT)
    if isinstance(loaded, Pipeline):  # its pre-tokens may be as long as the text, and their rounds take long
        _check_pretokens(trace_pipeline(loaded, text, allowed_special=special.value, with_rounds=False))
    trace = trace_encode(loaded, text, allowed_special=special.value)
    _check_pretokens(trace)
    if html is not None:
        from tinyllm.tok.explain.page import write_page

        opened: Literal["encode", "train"] = "train" if train else "encode"
        write_page(
            html, loaded, text, name=tokenizer, train=learned, live=live, opened=opened, allowed_special=special.value
        )
        facts(("wrote", quoted(html)))
        next_step(f"open {quoted(html)} in a browser")
    elif as_json:
        print(to_json(trace))
    else:
        from tinyllm.tok.cli.drawing import draw_encode, drawing
        from tinyllm.tok.explain.display import change_lines, group, groups_of

        with drawing() as out:
            if isinstance(loaded, Pipeline) and isinstance(trace, PipelineTrace):
                draw_encode(out, trace, groups_of(trace), everything, change_lines(loaded, trace))
            else:
                tokens = [token for part in trace.parts for token in part.tokens]
                draw_encode(out, trace, group(text, tokens), everything)


def _bpe(loaded: object, name: str) -> BPETokenizer | Pipeline:
    if not isinstance(loaded, (BPETokenizer, Pipeline)):
        raise ValueError(f"{name} is a {type(loaded).__name__}, which has no merges to explain")
    return loaded


def _check_pipeline(loaded: Pipeline, name: str, *, train: bool, live: bool) -> None:
    """Refuse what is not there for tokenizers of the wide loader, with what is there instead."""
    if train:
        raise ValueError(
            f"--train learns with the split of a tokenizer that BPETokenizer reads, and {name} is a Pipeline; "
            "name another with --tokenizer, such as gpt2, or train with tok train --split"
        )
    if live:
        raise ValueError(
            f"--live runs a tokenizer that BPETokenizer reads in the page, and {name} is a Pipeline; "
            "without --live the page shows one text"
        )


def _not_negative(merges: int) -> int:
    if merges < 0:
        raise ValueError(f"--merges is {merges}; it must be 0 or more")
    return merges


def _check_pretokens(trace: EncodeTrace) -> None:
    for part in trace.parts:
        if part.kind == "pretoken":
            _check_length("a pre-token has", len(part.bytes), LONGEST_PRETOKEN)


def _check_length(what: str, length: int, most: int) -> None:
    if length > most:
        raise ValueError(
            f"{what} {length:,} bytes; explain shows at most {most:,}, since a trace grows with their square"
        )

"""`tok encode` and `tok decode`: texts to ids and back, from arguments, files or standard input."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tinyllm.tok.base import Tokenizer, check_ids
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.cli.corpus_options import BY, DTYPE, END, FIELD, OUT, WORKERS, Corpus, refuse_without_out, write_corpus
from tinyllm.tok.cli.inputs import STDIN, each_line, fields_as_they_come, ids_of, opened, read_text
from tinyllm.tok.cli.outputs import check_output
from tinyllm.tok.cli.terminal import as_typed, is_terminal, text_argument, visible
from tinyllm.tok.documents import text_in_json
from tinyllm.tok.pretrained import load
from tinyllm.tok.stream import StreamDecoder

Encode = Callable[[str], "list[int]"]


class Special(str, Enum):
    """Which special tokens may be matched in a text."""

    all = "all"
    none = "none"


class _TellsNegativeIds(TyperCommand):
    """A command for which "-1" is a wrong id, not an unknown option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if re.match("-[0-9]", getattr(error, "option_name", None) or ""):  # typer does not export the error's class
                raise ValueError("an id is 0 or more, and begins with no '-'") from None
            raise


TOKENIZER = typer.Option("--tokenizer", metavar="gpt2|smollm2|PATH", help="A bundled tokenizer, or a tokenizer.json.")


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command("encode")(encode)
    app.command("decode", cls=_TellsNegativeIds)(decode)


def encode(
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", show_default=False, help="Texts to encode.")
    ] = None,
    files: Annotated[
        list[str] | None, typer.Option("-f", "--file", metavar="FILE", help='A file to encode; "-" is standard input.')
    ] = None,
    tokenizer: Annotated[str, TOKENIZER] = "gpt2",
    special: Annotated[
        Special, typer.Option("--special", help='With "none", a special token\'s text is ordinary text.')
    ] = Special.all,
    tokens: Annotated[bool, typer.Option("--tokens", help="Show the tokens instead of their ids.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show the tokens in colour, and their ids below.")] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='JSON Lines: {"text": ...} in, {"text": ..., "ids": [...]} out.')
    ] = False,
    out: Annotated[str | None, OUT] = None,
    dtype: Annotated[str | None, DTYPE] = None,
    end_of_text: Annotated[str | None, END] = None,
    by: Annotated[str | None, BY] = None,
    field: Annotated[str | None, FIELD] = None,
    workers: Annotated[int | None, WORKERS] = None,
) -> None:
    """Encode texts to ids.

    One line of ids for each TEXT, then for each FILE; without either, for the whole of standard input. A text is taken
    exactly as it is, white space and line ends at its end included. FILEs are plain text; with --out, those named .gz and
    .zst are decompressed. What users typed is encoded safely with --special none: with the default, its "<|endoftext|>"
    becomes the control token.

    With --jsonl, lines come from the FILEs or from standard input and go out one by one, so another program can wait for
    each answer; a line's other keys are let be. The first bad line stops it.

    With --out, the documents of the FILEs become one flat file of little-endian numbers, as nanoGPT reads it: the ids of
    each, and the end of text behind it. It is written as they come; the name is there when all of it is.

    \b
    Examples
      tok encode "Hi there"
      tok encode --tokenizer smollm2 --tokens "Hi there"
      printf 'Hi there' | tok encode
      tok encode --special none "<|endoftext|>"
      tok encode --jsonl < oracle.jsonl | cmp - oracle.jsonl
      tok encode --out train.bin --by jsonl -f corpus.jsonl.zst
    """
    if out is None:
        refuse_without_out(dtype=dtype, end_of_text=end_of_text, by=by, field=field, workers=workers)
    else:
        for given, what in (
            (texts, "a TEXT"),
            (tokens, "--tokens"),
            (show, "--show"),
            (jsonl, "--jsonl (say --by jsonl)"),
        ):
            if given:
                raise ValueError(f"{what} does not go with --out, which writes the ids of FILEs")
        check_output("--out", out, [*(files or []), tokenizer])
        corpus = Corpus(files or [STDIN], by, field, workers)
        loaded = load(tokenizer)
        _encoder(loaded, special, tokenizer)  # refuses a policy that the tokenizer does not have
        options = {"allowed_special": "none"} if special is Special.none and _has_policy(loaded) else {}
        write_corpus(loaded, tokenizer, corpus, out, dtype=dtype, end_of_text=end_of_text, options=options)
        return
    if jsonl and (texts or tokens or show):
        raise ValueError(
            f"{'a TEXT' if texts else '--tokens' if tokens else '--show'} does not go with --jsonl, which reads its texts from lines"
        )
    if tokens and show:
        raise ValueError("--tokens does not go with --show")
    loaded = load(tokenizer)
    to_ids = _encoder(loaded, special, tokenizer)
    if jsonl:
        for path in files or [STDIN]:
            for line in each_line(path, lambda line: _json_line(text_in_json(line), to_ids)):
                print(line, flush=True)
        return
    for text in _texts(texts or [], files or []):
        if show:
            _show(loaded, text, special)
            continue
        ids = to_ids(text)
        print(*(map(_spelled, map(loaded.id_to_token, ids)) if tokens else ids))


def _show(tokenizer: Tokenizer, text: str, special: Special) -> None:
    from tinyllm.tok.cli.drawing import draw_tokens
    from tinyllm.tok.explain.notebook import view

    draw_tokens(view(tokenizer, text, allowed_special=special.value))  # type: ignore[arg-type]  # it refuses tokenizers of other kinds


def _texts(arguments: list[str], files: list[str]) -> Iterator[str]:
    for argument in arguments:
        yield text_argument(argument)
    for path in files if files or arguments else [STDIN]:
        yield read_text(path)


def _has_policy(tokenizer: Tokenizer) -> bool:
    return "allowed_special" in inspect.signature(tokenizer.encode).parameters


def _encoder(tokenizer: Tokenizer, special: Special, name: str) -> Encode:
    """`encode` under the policy asked for. A tokenizer without a policy must not match specials silently where none was asked for."""
    if special is Special.all:
        return tokenizer.encode
    if _has_policy(tokenizer):
        encode: Callable[..., list[int]] = tokenizer.encode  # the base class does not know of the policy
        return lambda text: encode(text, allowed_special="none")
    if tokenizer.special_ids:
        raise ValueError(
            f"--special none: {name} is a {type(tokenizer).__name__}, which always matches its special tokens"
        )
    return tokenizer.encode


def _json_line(text: str, to_ids: Encode) -> str:
    return json.dumps({"text": text, "ids": to_ids(text)})


def _spelled(token: str) -> str:
    """A token without a space in it, so that a line of tokens can be counted. The byte alphabet has none; added tokens may."""
    return visible(token).replace(" ", "\\x20")


def decode(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", show_default=False, help="Ids to decode.")] = None,
    tokenizer: Annotated[str, TOKENIZER] = "gpt2",
    stream: Annotated[
        bool, typer.Option("--stream", help="Write each character as soon as its ids have come.")
    ] = False,
) -> None:
    """Decode ids to their text.

    Without an ID, ids come from standard input, separated by white space. Nothing but the text is written: a pipe or a file gets the exact bytes that the ids stand for, and no line end behind them. A terminal gets a line end,
    U+FFFD for bytes that are not UTF-8, and control characters as escapes.

    With --stream, text is written while ids are still coming, as a model writes it. A character waits for its last byte,
    and bytes that are not UTF-8 are U+FFFD everywhere.

    \b
    Examples
      tok decode 17250 612
      tok encode -f FILE | tok decode | cmp - FILE
    """
    loaded = load(tokenizer)
    if stream:
        arriving = " ".join(map(as_typed, ids)).split() if ids else fields_as_they_come(STDIN)
        _decode_stream(_stream_of(loaded, tokenizer), ids_of(arriving))
        return
    if ids:
        fields = " ".join(map(as_typed, ids)).split()
    else:
        with opened(STDIN) as file:
            fields = file.read().decode("utf-8", "replace").split()
    numbers = list(ids_of(fields))
    if is_terminal(sys.stdout):
        print(visible(loaded.decode(numbers), keep="\n\t"))
    else:
        sys.stdout.buffer.write(_bytes_of(loaded, numbers))


def _stream_of(tokenizer: Tokenizer, name: str) -> StreamDecoder:
    try:
        return StreamDecoder(tokenizer)
    except ValueError as error:
        raise ValueError(f"--stream: {name}: {error}") from None


def _decode_stream(stream: StreamDecoder, ids: Iterable[int]) -> None:
    """Write each text as it is complete, and flush it: someone waits for it."""
    for_person = is_terminal(sys.stdout)

    def write(text: str) -> None:
        if text:
            sys.stdout.write(visible(text, keep="\n\t") if for_person else text)
            sys.stdout.flush()

    for id in ids:
        write(stream.push(id))
    write(stream.close())
    if for_person:
        print()


def _bytes_of(tokenizer: Tokenizer, ids: list[int]) -> bytes:
    """The exact bytes that ids stand for, also where they are not valid UTF-8."""
    if isinstance(tokenizer, ByteTokenizer):
        return bytes(check_ids(ids, tokenizer.vocab_size))
    if hasattr(tokenizer, "decode_bytes"):
        return bytes(tokenizer.decode_bytes(ids))
    return tokenizer.decode(ids).encode("utf-8")

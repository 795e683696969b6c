"""The command `tok`: one module a group of commands, and here what they share: how they are found, run, and how they fail.

A group is a module of this package with `register(app)`, which adds its commands to the application; to add one, write the
module and name it in GROUPS. All groups are imported at every start, so at their top they import only what is quick; what
is slow to import (rich, matplotlib, dask) is imported inside the function that needs it. A test holds them to it.

A command raises ValueError, TypeError or OSError for whatever is wrong; `run` turns it into one line on standard error and
exit status 2. Commands write text to standard output with `print` (UTF-8 whatever the locale) and bytes to `sys.stdout.buffer`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from tinyllm.tok.cli.standins import explained as explained_by_stand_in
from tinyllm.tok.cli.standins import stand_ins
from tinyllm.tok.cli.terminal import visible

if TYPE_CHECKING:
    import typer

# The order of `tok --help`.
GROUPS = ("train", "encode", "explain", "measure", "convert")

HELP = """Byte-level BPE tokenizers: train them, encode and decode texts, convert their files.

\b
Examples
  tok encode "Hi there"                             ids of GPT-2
  tok encode --tokenizer smollm2 -f book.txt        ids of SmolLM2
  tok train --vocab-size 1000 -o tok.json book.txt  a tokenizer of your own
"""


def main() -> None:
    """The entry point `tok`."""
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # while typer was being imported
        status = 130
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one `tok` command line and return its exit status.

    0 done; 2 wrong input, with one line on standard error that says what; 130 interrupted; 141 the reader of the output
    went away (as a program that SIGPIPE ends), without a word.
    """
    import typer

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Text is UTF-8 whatever the locale, and messages never fail to print.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        command = typer.main.get_command(application())
        # Not command.main(): it prints errors in boxes, and has its own ideas of interrupts and broken pipes.
        with command.make_context("tok", list(arguments) or ["--help"]) as context:
            command.invoke(context)
        sys.stdout.flush()
        return 0
    except typer.Exit as exit:
        return exit.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        _give_up_output()
        return 141
    except Exception as error:
        if os.environ.get("TOK_TRACEBACK"):
            raise
        if isinstance(error, OSError):
            _give_up_output()
        print(f"tok: {visible(_readable(_explained(error)))}", file=sys.stderr)
        return 2


def application() -> typer.Typer:
    """The commands of all groups."""
    import typer

    app = typer.Typer(name="tok", help=HELP, add_completion=False, rich_markup_mode=None)
    app.callback()(_no_options)
    for group in GROUPS:
        import_module(f"{__name__}.{group}").register(app)
    return app


def _no_options() -> None:
    # With a callback, an application of one command is still called by the command's name.
    pass


def _explained(error: Exception) -> str:
    """What went wrong, for a person."""
    if hasattr(error, "format_message"):  # the errors of the command line; typer does not export their class
        return f"{error.format_message()} (tok {_subcommand(error)}--help shows what is)"
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
    if isinstance(error, ValueError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    theirs = explained_by_stand_in(error)
    if theirs is not None:
        return theirs
    if isinstance(error, TypeError) and not stand_ins():
        return str(error)
    blamed = f"{' and '.join(stand_ins())}, in the library's place" if stand_ins() else "a bug in tok"
    return f"{blamed}: {type(error).__name__}: {error}; with TOK_TRACEBACK=1 it shows where"


def _readable(message: str) -> str:
    """A message with the paths in it as they were typed: where the locale is not UTF-8, they hold surrogates for its bytes."""
    try:
        return message.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return message


def _subcommand(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return "" if context is None or context.parent is None else f"{context.info_name} "


def _give_up_output() -> None:
    """Point standard output at nothing: Python's last flush, at exit, would fail once more and say so."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
    except (OSError, ValueError, AttributeError):
        pass  # an output without a file behind it

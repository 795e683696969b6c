"""What all commands of `tok` share: help, errors, interrupts, streams, locale, and a quick start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tinyllm.tok import cli

COMMANDS = [command.name for command in cli.application().registered_commands]


# Help


def test_help_lists_the_commands_and_fits_80_columns(tok: Any) -> None:
    done = tok("--help")
    assert (done.status, done.err) == (0, "")
    for command in COMMANDS:
        assert f"\n  {command} " in done.text
    assert max(map(len, done.text.splitlines())) <= 80
    assert "..." not in done.text.partition("Commands:")[2]  # no summary is cut short


def test_tok_alone_is_help(tok: Any) -> None:
    assert tok() == tok("--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command: str, tok: Any) -> None:
    done = tok(command, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.text.startswith(f"Usage: tok {command} ")
    assert (
        f"\n  Examples\n    tok {command} " in done.text
        or f"\n    tok {command} " in done.text.partition("Examples")[2]
    )
    assert "\x1b" not in done.text


def test_help_on_a_terminal_needs_no_colour(tok_terminal: Any) -> None:
    assert "\x1b" not in tok_terminal("--help", NO_COLOR="1").text


# Errors


def failing_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `tok` with one command, `fail`, that raises `error`."""
    app = typer.Typer(rich_markup_mode=None)

    @app.command("fail")
    def fail() -> None:
        raise error

    app.callback()(lambda: None)
    monkeypatch.setattr(cli, "application", lambda: app)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("the value"), "tok: the value\n"),
        (TypeError("the type"), "tok: the type\n"),
        (ValueError("two\nlines\x1b[31m"), "tok: two\\nlines\\x1b[31m\n"),
        (FileNotFoundError(2, "No such file or directory", "a.txt"), "tok: a.txt: No such file or directory\n"),
        (OSError(28, "No space left on device"), "tok: No space left on device\n"),
        (OSError("in words"), "tok: in words\n"),
        (MemoryError(), "tok: out of memory\n"),
        (ValueError("caf\udcc3\udca9: bad"), "tok: café: bad\n"),
        (ValueError("half a pair \ud800"), "tok: half a pair \\ud800\n"),
        (KeyError("key"), "tok: a bug in tok: KeyError: 'key'; with TOK_TRACEBACK=1 it shows where\n"),
    ],
)
def test_any_error_is_one_line_and_status_2(
    error: Exception, line: str, tok: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_with(error, monkeypatch)
    assert tok("fail") == (2, b"", line)


def test_tok_traceback_shows_where(tok: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing_with(KeyError("key"), monkeypatch)
    monkeypatch.setenv("TOK_TRACEBACK", "1")
    with pytest.raises(KeyError):
        tok("fail")


def test_an_interrupt_is_status_130_without_a_word(tok: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing_with(KeyboardInterrupt(), monkeypatch)
    assert tok("fail") == (130, b"", "")


def test_an_interrupt_while_tok_is_still_being_imported_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from tinyllm.tok.cli import main; main()"
    ended = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_an_unknown_command_is_told_the_way(tok: Any) -> None:
    assert tok("endcode").err.startswith("tok: No such command 'endcode'.")
    assert tok("endcode").status == 2


# Streams, in processes of their own


def test_ctrl_c_ends_a_waiting_command_without_a_traceback(tok_command: Any) -> None:
    with subprocess.Popen(
        **tok_command("encode", "--jsonl"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a test run in the background ignores it
    ) as process:
        process.stdin.write(b'{"text": "!"}\n')
        process.stdin.flush()
        process.stdout.readline()  # it runs, and waits for the next line
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 130
        assert process.stderr.read() == b""


def test_a_reader_that_goes_away_ends_it_without_a_word(tok_command: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b " * 100_000)
    with subprocess.Popen(
        **tok_command("encode", "-f", "text"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.read(5)
        process.stdout.close()
        assert process.wait(300) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line(tok_command: Any) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            **tok_command("encode", "Hi"), stdout=full, stderr=subprocess.PIPE, timeout=300, check=False
        )
    assert (done.returncode, done.stderr) == (2, b"tok: No space left on device\n")


@pytest.mark.parametrize(
    ("closed", "message"), [(">&-", "tok: standard output is closed\n"), ("<&-", "tok: standard input is closed\n")]
)
def test_a_closed_stream_is_one_line(closed: str, message: str, tok_command: Any) -> None:
    options = tok_command("encode")
    options["args"] = ["sh", "-c", f'"$@" {closed}', "sh", *options["args"]]
    done = subprocess.run(**options, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (2, message)


def test_waiting_for_the_keyboard_says_so(tok_terminal: Any) -> None:
    done = tok_terminal("encode", typed=b"Hi\x04\x04")
    assert b"reading from the keyboard; Ctrl-D ends it" in done.out
    assert done.text.endswith("17250\r\n")


# Whatever the locale

C_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
STRICT = ("-X", "utf8=0", "-X", "warn_default_encoding", "-W", "error")


def test_in_the_c_locale_texts_are_utf_8_all_the_same(tok_process: Any, tmp_path: Path) -> None:
    def tok(*arguments: Any, stdin: bytes = b"") -> Any:
        return tok_process(*arguments, stdin=stdin, python=STRICT, **C_LOCALE)

    text = "Hi 你!é".encode()
    (tmp_path / "té.txt").write_bytes(text)
    assert tok("encode", text) == (0, b"17250 220 19526 254 0 2634\n", "")
    assert tok("encode", "--tokens", text).out == "Hi Ġ ä½ ł ! Ã©\n".encode()
    trained = tok(
        "train", "--vocab-size", "257", "--special", "<é>".encode(), "-o", "té.json".encode(), "té.txt".encode()
    )
    assert trained.status == 0 and "specials <é>\n" in trained.text and "wrote            té.json\n" in trained.text
    tokenizer = "--tokenizer=té.json".encode()
    assert "added tokens   0 <é>\n" in tok("info", "té.json".encode()).text
    ids = tok("encode", tokenizer, "-f", "té.txt".encode()).out
    assert tok("encode", tokenizer, stdin=text).out == ids
    assert tok("encode", tokenizer, "--jsonl", stdin=b'{"text": "' + text + b'"}').out.startswith(
        b'{"text": "Hi \\u4f60!\\u00e9"'
    )
    assert tok("decode", tokenizer, stdin=ids).out == text
    assert tok("encode", tokenizer, "-f", "né.txt".encode()).err == "tok: né.txt: No such file or directory\n"


def test_the_entry_point_is_the_module_too(tok_process: Any) -> None:
    assert tok_process("decode", "17250") == (0, b"Hi", "")


# A quick start

SLOW = {"rich", "matplotlib", "dask", "tokenizers", "tiktoken", "numpy", "regex", "zstandard", "multiprocessing"}
SLOW |= {"tinyllm.tok.explain", "tinyllm.tok.unigram", "tinyllm.tok.corpus.dask_bags"}


def test_starting_imports_nothing_slow() -> None:
    program = """
import sys, typer
typers = {*sys.modules}  # old versions of it import rich at once
from tinyllm.tok import cli
cli.application()
cli.run(["encode", "--help"])
print(*{*sys.modules} - typers, file=sys.stderr)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    assert {"tinyllm.tok.cli.encode", "tinyllm.tok.bpe"} <= {*done.stderr.split()}
    assert SLOW.isdisjoint(done.stderr.split())

"""`tok decode`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer


@pytest.fixture
def letters(tmp_path: Path) -> str:
    """A tokenizer with the bytes of "a", of a line end, and two of the four of "🙂", and an added token with a control character."""
    BPETokenizer({"a": 0, "Ċ": 1, "ð": 2, "Ł": 3}, [], [("\x1b[2J", 4, True), ("🙂", 5, False)]).save(
        tmp_path / "letters.json"
    )
    return "letters.json"


def test_ids_give_their_text_and_nothing_else(tok: Any) -> None:
    assert tok("decode", "17250", "220", "19526", "254", "0") == (0, "Hi 你!".encode(), "")
    assert tok("decode", "--tokenizer", "smollm2", "1") == (0, b"<|im_start|>", "")


def test_ids_may_come_from_standard_input_separated_by_any_white_space(tok: Any, letters: str) -> None:
    assert tok("decode", "--tokenizer", letters, stdin=b" 0\n0\t1\r\n0 ").out == b"aa\na"
    assert tok("decode", "--tokenizer", letters, stdin=b"").out == b""


def test_ids_in_quotes_are_ids_too(tok: Any, letters: str) -> None:
    assert tok("decode", "--tokenizer", letters, "0 1", "0").out == b"a\na"


def test_a_pipe_gets_the_exact_bytes_also_of_half_a_character(tok: Any, letters: str, tmp_path: Path) -> None:
    assert tok("decode", "--tokenizer", letters, "2", "3").out == b"\xf0\x9f"
    assert tok("decode", "--tokenizer", letters, "4").out == b"\x1b[2J"
    ByteTokenizer().save(tmp_path / "byte.json")
    assert tok("decode", "--tokenizer", "byte.json", "240", "159").out == b"\xf0\x9f"


def test_a_char_tokenizer_decodes_too(tok: Any, tmp_path: Path) -> None:
    CharTokenizer.train(["é"]).save(tmp_path / "char.json")
    assert tok("decode", "--tokenizer", "char.json", "1", "0").out == "é<unk>".encode()


@pytest.mark.parametrize("text", ["", "a\n", "\r\n", " é\x00\u2028", "\ufeffa"])
def test_decode_gives_back_what_encode_read(text: str, tok: Any) -> None:
    assert tok("decode", stdin=tok("encode", stdin=text.encode()).out).out == text.encode()


def test_a_terminal_gets_a_line_end_and_no_control_character(tok_terminal: Any, letters: str) -> None:
    assert (
        tok_terminal("decode", "--tokenizer", letters, "0", "4", "1", "0", "2", "5").text
        == "a\\x1b[2J\r\na\ufffd🙂\r\n"
    )


WHOLE = "an id is a whole number, and ids are separated by white space"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["0", "x"], b"", f"ids[1] is 'x'; {WHOLE}"),
        (["0,1"], b"", f"ids[0] is '0,1'; {WHOLE}"),
        ([], b"[0, 1]", f"ids[0] is '[0,'; {WHOLE}"),
        (["1.0"], b"", f"ids[0] is '1.0'; {WHOLE}"),
        (["1_0"], b"", f"ids[0] is '1_0'; {WHOLE}"),
        (["+1"], b"", f"ids[0] is '+1'; {WHOLE}"),
        (["١"], b"", f"ids[0] is '١'; {WHOLE}"),
        ([], b"0\x001", f"ids[0] is '0\\x001'; {WHOLE}"),
        ([], b"\xff", f"ids[0] is '\ufffd'; {WHOLE}"),
        (["9" * 5000], b"", f"ids[0] is '{'9' * 59}; {WHOLE}"),
        (["0", "6"], b"", "ids[1] is 6; this tokenizer has ids 0 to 5"),
        (["--", "-1"], b"", "ids[0] is -1; this tokenizer has ids 0 to 5"),
        ([], b"-1", "ids[0] is -1; this tokenizer has ids 0 to 5"),
        (["-1"], b"", "an id is 0 or more, and begins with no '-'"),
        (["0", "-12"], b"", "an id is 0 or more, and begins with no '-'"),
        (["0", "-x"], b"", "No such option: -x (tok decode --help shows what is)"),
        (
            ["--steam", "0"],
            b"",
            "No such option: --steam (Possible options: --stream) (tok decode --help shows what is)",
        ),
    ],
)
def test_wrong_ids_are_one_line_and_status_2(
    arguments: list[str], stdin: bytes, message: str, tok: Any, letters: str
) -> None:
    assert tok("decode", "--tokenizer", letters, *arguments, stdin=stdin) == (2, b"", f"tok: {message}\n")


def test_a_stream_gives_the_same_text(tok: Any) -> None:
    text = "Hi 你! తెలుగు 🙂\n"
    ids = tok("encode", stdin=text.encode()).out
    assert tok("decode", "--stream", stdin=ids) == (0, text.encode(), "")
    assert tok("decode", "--stream", *ids.decode().split()) == (0, text.encode(), "")


def test_a_stream_shows_bytes_that_are_not_utf8_as_replacement_characters(tok: Any, letters: str) -> None:
    assert tok("decode", "--stream", "--tokenizer", letters, "2", "0", "2", "3").out == "\ufffda\ufffd".encode()


def test_a_stream_writes_a_character_before_the_next_id_has_come(tok_command: Any) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(**tok_command("decode", "--stream"), **pipes) as process:
        seen = []
        for ids in (b"17250 ", b"19526 254 "):
            process.stdin.write(ids)
            process.stdin.flush()
            seen.append(process.stdout.read1())
        rest, errors = process.communicate(b"0")
    assert (seen, rest, errors, process.returncode) == ([b"Hi", "你".encode()], b"!", b"", 0)


def test_a_stream_stops_at_the_first_wrong_id_behind_what_was_right(tok: Any) -> None:
    assert tok("decode", "--stream", stdin=b"17250 x 0") == (
        2,
        b"Hi",
        "tok: ids[1] is 'x'; an id is a whole number, and ids are separated by white space\n",
    )
    assert tok("decode", "--stream", "17250", "50257") == (
        2,
        b"Hi",
        "tok: the id at position 1 of the stream is 50257; this tokenizer has ids 0 to 50256\n",
    )


def test_a_stream_does_not_wait_for_the_end_of_what_is_no_id(tok_command: Any) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(**tok_command("decode", "--stream"), **pipes) as process:
        process.stdin.write(b"17250 " + b"1" * 2000)
        process.stdin.flush()
        assert process.stderr.read() == f"tok: ids[1] is '{'1' * 59}; {WHOLE}\n".encode()
        assert (process.stdout.read(), process.wait()) == (b"Hi", 2)


def test_a_stream_needs_tokens_with_bytes(tok: Any, tmp_path: Path) -> None:
    CharTokenizer.train(["é"]).save(tmp_path / "char.json")
    status, out, error = tok("decode", "--stream", "--tokenizer", "char.json", "1")
    assert (status, out) == (2, b"")
    assert (
        error
        == "tok: StreamDecoder needs a tokenizer with token_bytes(id), such as BPETokenizer; CharTokenizer has none\n"
    )


def test_a_stream_on_a_terminal_shows_controls_as_escapes(tok_terminal: Any, letters: str) -> None:
    assert "\\x1b[2J\r\n" == tok_terminal("decode", "--stream", "--tokenizer", letters, "4").out.decode()

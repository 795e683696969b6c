"""tinyllm.tok.cli.terminal: what a terminal may be shown."""

from __future__ import annotations

import unicodedata

import pytest

from tinyllm.tok.cli.terminal import is_terminal, quoted, text_argument, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a b"),
        ("é 你 🙂 e\u0301", "é 你 🙂 e\u0301"),
        ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("a\r\nb\tc\x00\x7f", "a\\r\\nb\\tc\\x00\\x7f"),
        ("\u202egpj.exe\u2069", "\\u202egpj.exe\\u2069"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\ud800", "\\ud800"),
        ("\ufeff", "\\ufeff"),
        ("\\n", "\\n"),
    ],
)
def test_control_characters_become_escapes_and_all_else_stays(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_kept_characters_stay() -> None:
    assert visible("a\n\tb\r\n", keep="\n\t") == "a\n\tb\\r\n"


def test_no_control_surrogate_or_bidirectional_override_comes_through_of_all_code_points() -> None:
    every = visible("".join(map(chr, range(0x110000))))
    assert not {unicodedata.category(ch) for ch in every} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(ch) for ch in every} & {
        "LRE",
        "RLE",
        "LRO",
        "RLO",
        "PDF",
        "LRI",
        "RLI",
        "FSI",
        "PDI",
    }


def test_a_path_is_quoted_for_the_shell_and_safe_to_print() -> None:
    assert quoted("tok.json") == "tok.json"
    assert quoted("my tok.json") == "'my tok.json'"
    assert quoted("\x1b[1m") == "'\\x1b[1m'"


def test_a_text_argument_is_the_bytes_that_were_typed() -> None:
    assert text_argument("é\n") == "é\n"
    with pytest.raises(ValueError, match="TEXT is not UTF-8: byte 0xff at position 1"):
        text_argument("a\udcff")


def test_a_missing_or_closed_stream_is_no_terminal() -> None:
    assert not is_terminal(None)
    with open(__file__, "rb") as file:
        pass
    assert not is_terminal(file)

"""`tok encode`."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok import pretrained
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer


@pytest.fixture
def chapter(tmp_path: Path) -> str:
    """The chapter's training example, saved."""
    BPETokenizer.train(["hug", "hug", "pug", "hugs"], 259, min_freq=1).save(tmp_path / "chapter.json")
    return "chapter.json"


@pytest.fixture
def byte_tokenizer(tmp_path: Path) -> str:
    """One id a byte, which loads at once."""
    ByteTokenizer().save(tmp_path / "byte.json")
    return "byte.json"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--tokenizer", "gpt2", "Hi 你!"], "17250 220 19526 254 0"),
        (["Hi 你!"], "17250 220 19526 254 0"),
        (["internationalization"], "45609 1634"),
        (["--special", "none", "<|endoftext|>"], "27 91 437 1659 5239 91 29"),
        (["--special", "all", "<|endoftext|>"], "50256"),
        (["<|endoftext|>"], "50256"),
        (["--tokenizer", "smollm2", "<|im_start|>"], "1"),
        ([""], ""),
        (["--", "--tokens"], "438 83 482 641"),
    ],
)
def test_a_text_gives_one_line_of_ids(arguments: list[str], line: str, tok: Any) -> None:
    assert tok("encode", *arguments) == (0, f"{line}\n".encode(), "")


def test_the_chapters_example_gives_the_chapters_ids(chapter: str, tok: Any) -> None:
    assert tok("encode", "--tokenizer", chapter, "hugs pug").text == "257 82 220 258\n"


def test_each_text_is_a_line_then_each_file(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"Hi")
    (tmp_path / "b").write_bytes(b"internationalization")
    assert tok("encode", "-f", "a", "!", "--file", "b", '"').text == "0\n1\n17250\n45609 1634\n"


def test_without_text_and_file_the_whole_of_standard_input_is_one_text(tok: Any) -> None:
    assert tok("encode", stdin=b"Hi\nHi\n").text == "17250 198 17250 198\n"
    assert tok("encode", stdin=b"").text == "\n"


def test_a_dash_as_a_file_is_standard_input(tok: Any) -> None:
    assert tok("encode", "-f", "-", stdin=b"Hi").text == "17250\n"


@pytest.mark.parametrize("text", [" a ", "a\n", "\n", "a\r\nb", "\ufeffa", "a\x00", "a\x85b\u2028", "\t"])
def test_nothing_is_stripped_or_translated(text: str, tok: Any, byte_tokenizer: str, tmp_path: Path) -> None:
    ids = " ".join(map(str, text.encode())) + "\n"
    (tmp_path / "text").write_bytes(text.encode())
    assert tok("encode", "--tokenizer", byte_tokenizer, "-f", "text").text == ids
    assert tok("encode", "--tokenizer", byte_tokenizer, stdin=text.encode()).text == ids
    assert tok("encode", "--tokenizer", byte_tokenizer, "--", text).text == ids


def test_tokens_are_shown_as_the_vocabulary_spells_them(tok: Any) -> None:
    assert tok("encode", "--tokens", "Hi 你!<|endoftext|>").text == "Hi Ġ ä½ ł ! <|endoftext|>\n"


def test_a_shown_token_has_no_space_and_no_control_character(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({}, [], [("a b", 0, False), ("\x1b[31m", 1, True), ("\n", 2, False)]).save(tmp_path / "odd.json")
    assert tok("encode", "--tokenizer", "odd.json", "--tokens", "\x1b[31ma b\n").text == "\\x1b[31m a\\x20b \\n\n"


def test_a_byte_tokenizer_has_no_special_tokens_to_refuse(tok: Any, byte_tokenizer: str) -> None:
    for special in ("all", "none"):
        assert tok("encode", "--tokenizer", byte_tokenizer, "--special", special, "é").text == "195 169\n"


def test_a_tokenizer_that_always_matches_specials_refuses_to_be_told_not_to(tok: Any, tmp_path: Path) -> None:
    CharTokenizer.train(["ab"], specials=["<s>"]).save(tmp_path / "char.json")
    assert tok("encode", "--tokenizer", "char.json", "<s>ab").text == "1 2 3\n"
    refused = tok("encode", "--tokenizer", "char.json", "--special", "none", "<s>ab")
    assert refused == (
        2,
        b"",
        "tok: --special none: char.json is a CharTokenizer, which always matches its special tokens\n",
    )


# JSON Lines


def test_jsonl_writes_what_json_dumps_writes(tok: Any) -> None:
    lines = b'{"text": "Hi \xe4\xbd\xa0!"}\n{"text":""}\n{"ids": [1], "text": "\\ud83d\\ude42"}'
    expected = '{"text": "Hi \\u4f60!", "ids": [17250, 220, 19526, 254, 0]}\n{"text": "", "ids": []}\n{"text": "\\ud83d\\ude42", "ids": [8582, 25081]}\n'
    assert tok("encode", "--jsonl", stdin=lines) == (0, expected.encode(), "")


@pytest.mark.parametrize("name", pretrained.NAMES)
def test_the_oracle_comes_out_of_jsonl_byte_for_byte(name: str, tok: Any) -> None:
    oracle = pretrained.course_file(f"fixtures/{name}/oracle.jsonl")
    assert tok("encode", "--tokenizer", name, "--jsonl", "-f", str(oracle)).out == oracle.read_bytes()


def test_jsonl_reads_files_one_after_the_other(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"text": "!"}\n')
    (tmp_path / "b").write_bytes(b'{"text": "\\""}')
    assert [json.loads(line)["ids"] for line in tok("encode", "--jsonl", "-f", "a", "-f", "b").text.splitlines()] == [
        [0],
        [1],
    ]


def test_jsonl_keeps_to_the_policy_for_specials(tok: Any) -> None:
    done = tok("encode", "--jsonl", "--special", "none", stdin=b'{"text": "<|endoftext|>"}')
    assert json.loads(done.text)["ids"] == [27, 91, 437, 1659, 5239, 91, 29]


OBJECT = 'it must be an object with one "text" that is a string, as in {"text": "Hi"}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON: Expecting value at character 0"),
        (b"Hi", "not JSON: Expecting value at character 0"),
        (b'{"text": "Hi"} x', "not JSON: Extra data at character 15"),
        (b'{"text": "Hi', "not JSON: Unterminated string starting at at character 9"),
        (b'{"text": "Hi", "n": NaN}', "not JSON: NaN is not a JSON number"),
        (b"\xef\xbb\xbf{}", "not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig) at character 0"),
        (b'{"text": "\xff"}', "not UTF-8: byte 0xff at position 10"),
        (b"[" * 100_000, "nested too deep to read"),
        (b'["Hi"]', OBJECT),
        (b'[["text", "Hi"]]', OBJECT),
        (b"null", OBJECT),
        (b"{}", OBJECT),
        (b'{"Text": "Hi"}', OBJECT),
        (b'{"text": 3}', OBJECT),
        (b'{"text": null}', OBJECT),
        (b'{"text": {"text": "Hi"}}', OBJECT),
        (b'{"text": "a", "text": "b"}', OBJECT),
        (b'{"text": "a\\ud800"}', "text is not valid Unicode: position 1 is the lone surrogate U+D800"),
    ],
)
def test_a_bad_line_stops_it_with_its_number(line: bytes, reason: str, tok: Any, byte_tokenizer: str) -> None:
    done = tok(
        "encode", "--tokenizer", byte_tokenizer, "--jsonl", stdin=b'{"text": "!"}\n' + line + b'\n{"text": "!"}\n'
    )
    assert done == (2, b'{"text": "!", "ids": [33]}\n', f"tok: standard input, line 2: {reason}\n")


def test_a_bad_line_of_a_file_names_the_file(tok: Any, byte_tokenizer: str, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_bytes(b"\n")
    assert tok("encode", "--tokenizer", byte_tokenizer, "--jsonl", "-f", "cases.jsonl").err.startswith(
        "tok: cases.jsonl, line 1: "
    )


def test_jsonl_answers_each_line_before_it_waits_for_the_next(tok_command: Any) -> None:
    with subprocess.Popen(**tok_command("encode", "--jsonl"), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for text, ids in [("!", [0]), ('"', [1])]:
            process.stdin.write(json.dumps({"text": text}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"text": text, "ids": ids}
        process.stdin.close()
        assert process.wait(300) == 0


# What is refused


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["--jsonl", "Hi"], b"", "a TEXT does not go with --jsonl, which reads its texts from lines"),
        (["--jsonl", "--tokens"], b"", "--tokens does not go with --jsonl, which reads its texts from lines"),
        (["--tokenizer", "gpt3", "Hi"], b"", "'gpt3' is no file, and no bundled tokenizer; those are gpt2, smollm2"),
        (["--tokenizer", "./none.json", "Hi"], b"", "./none.json: No such file or directory"),
        (["--tokenizer", ".", "Hi"], b"", ".: Is a directory\n"),
        (["-f", "none.txt"], b"", "none.txt: No such file or directory"),
        (["-f", "."], b"", ".: Is a directory"),
        ([], b"ab\xffc", "standard input: not UTF-8: byte 0xff at position 2"),
        ([], b"\xed\xa0\x80", "standard input: not UTF-8: byte 0xed at position 0"),
        (["a\udcffb"], b"", "TEXT is not UTF-8: byte 0xff at position 1"),
        (["--special", "some", "Hi"], b"", "Invalid value for '--special': "),
        (["--zzz"], b"", "No such option: --zzz (tok encode --help shows what is)"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments: list[str], stdin: bytes, message: str, tok: Any) -> None:
    done = tok("encode", *arguments, stdin=stdin)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"tok: {message}") and done.err.count("\n") == 1


def test_a_file_that_is_not_utf_8_is_named_with_the_byte(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("é".encode("latin-1"))
    assert tok("encode", "-f", "latin.txt").err == "tok: latin.txt: not UTF-8: byte 0xe9 at position 0\n"


@pytest.mark.parametrize("how", [[], ["--jsonl"]])
def test_a_compressed_file_is_refused_with_what_reads_it(how: list[str], tok: Any, tmp_path: Path) -> None:
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"Hi"))
    reads = "tok train and tok encode --out decompress files named .gz and .zst"
    message = f"tok: c.gz is compressed (gzip or zstd); plain text is read here; {reads}\n"
    assert tok("encode", *how, "-f", "c.gz") == (2, b"", message)


def test_texts_before_a_wrong_one_are_answered(tok: Any) -> None:
    done = tok("encode", "!", "-f", "none.txt")
    assert (done.status, done.out) == (2, b"0\n")

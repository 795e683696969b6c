"""`tok train`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok import pretrained
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splits import CHOICES


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    """The chapter's training example, one document a file."""
    for name, text in [("1", "hug"), ("2", "hug"), ("3", "pug"), ("4", "hugs")]:
        (tmp_path / name).write_text(text)
    return ["1", "2", "3", "4"]


def merges(path: Path) -> list[str]:
    return json.loads(path.read_text("utf-8"))["model"]["merges"]  # type: ignore[no-any-return]


REPORT = """\
read             4 files, 13 bytes
asked for        bpe, at most 259 ids
ids              259
merges           3
bytes per token  2.600 on the training text
wrote            out.json

Next: tok encode --tokenizer out.json --tokens -f 1
"""


def test_the_chapters_example_learns_the_chapters_merges_and_says_so(
    tok: Any, texts: list[str], tmp_path: Path
) -> None:
    done = tok("train", "--vocab-size", "259", "--min-freq", "1", "-o", "out.json", *texts)
    assert done == (0, REPORT.encode(), "reading 4 files\nlearning merges from 3 distinct pre-tokens\n")
    assert merges(tmp_path / "out.json") == ["u g", "h ug", "p ug"]


def test_its_next_command_works(tok: Any, texts: list[str]) -> None:
    done = tok("train", "--vocab-size", "259", "--min-freq", "1", "-o", "out.json", *texts)
    command = done.text.splitlines()[-1].removeprefix("Next: tok ").split()
    assert tok(*command).text == "hug\n"


def test_min_freq_is_2_unless_told(tok: Any, texts: list[str], tmp_path: Path) -> None:
    assert tok("train", "--vocab-size", "259", "-o", "out.json", *texts).status == 0
    assert merges(tmp_path / "out.json") == ["u g", "h ug"]


def test_a_file_is_one_document_and_its_line_ends_are_part_of_it(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\r\n\r\n\r\n a")
    assert tok("train", "--vocab-size", "258", "-o", "out.json", "text", "text").status == 0
    assert merges(tmp_path / "out.json") == ["č Ċ", "čĊ čĊ"]


def test_specials_come_first_and_are_cut_out_of_the_texts(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("<|end|>" * 9 + "abab")
    done = tok("train", "--vocab-size", "260", "--special", "<|end|>", "--special", "你", "-o", "out.json", "text")
    assert "asked for        bpe, at most 260 ids; specials <|end|> 你\n" in done.text
    assert "bytes per token  2.000 on the training text\n" in done.text  # abab is ab, ab; the specials are left out
    tokenizer = BPETokenizer.load(tmp_path / "out.json")
    assert tokenizer.added == {"<|end|>": 0, "你": 1}
    assert tokenizer.merges == [("a", "b")]


def test_the_bytes_per_token_are_those_of_encoding_the_text(tok: Any, tmp_path: Path) -> None:
    text = "the cat sat on the mat; the mat sat.\n\n  12 12 你好 你好 don't don't\n" * 3
    (tmp_path / "text").write_text(text, "utf-8")
    done = tok("train", "--vocab-size", "280", "-o", "out.json", "text")
    tokens = len(pretrained.load(tmp_path / "out.json").encode(text))
    assert f"bytes per token  {len(text.encode()) / tokens:.3f} on the training text\n" in done.text


def test_numbers_are_grouped_by_thousands(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ab " * 1000)
    done = tok("train", "--vocab-size", "1000000", "-o", "out.json", "text")
    assert "read             1 file, 3,000 bytes\nasked for        bpe, at most 1,000,000 ids\n" in done.text


def test_empty_texts_train_to_the_bytes_alone(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("")
    done = tok("train", "--vocab-size", "300", "-o", "out.json", "text")
    assert done.status == 0
    assert (
        "ids              256; no further pair is frequent enough\nmerges           0\nbytes per token  none: there is no text\n"
        in done.text
    )


def test_a_split_of_another_model_goes_into_the_file(tok: Any, tmp_path: Path) -> None:
    text = "తెలుగు తెలుగు"
    (tmp_path / "telugu").write_text(text, "utf-8")
    lengths = {}
    for split in CHOICES:
        done = tok("train", "--vocab-size", "300", "--split", split, "-o", "out.json", "telugu")
        assert done.status == 0
        lengths[split] = len(tok("encode", "--tokenizer", "out.json", "-f", "telugu").text.split())
    trained = {split: BPETokenizer.train([text], 300, pre_tokenizer=split) for split in CHOICES}
    assert lengths == {split: len(tokenizer.encode(text)) for split, tokenizer in trained.items()}
    assert lengths["gpt2"] == 13
    assert lengths["o200k"] == 3


def test_unigram_keeps_the_tokens_that_explain_the_text(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "hugs").write_text("hug pug hugs bug " * 5)
    done = tok("train", "--algo", "unigram", "--vocab-size", "261", "--special", "<s>", "-o", "out.json", "hugs")
    assert (done.status, done.err) == (0, "reading 1 file\nlearning tokens from 6 distinct pre-tokens\n")
    assert "asked for        unigram, at most 261 ids; specials <s>" in done.text
    assert tok("encode", "--tokenizer", "out.json", "--tokens", "hugs<s>").text == "hug s <s>\n"


def test_char_learns_characters_by_falling_count(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("<s>ébbé b", "utf-8")
    done = tok("train", "--algo", "char", "--special", "<s>", "-o", "out.json", "text")
    report = """\
read             1 file, 11 bytes
asked for        char, all characters; specials <s>
ids              5; all that the texts have
bytes per token  1.333 on the training text
wrote            out.json

Next: tok encode --tokenizer out.json --tokens -f text
"""
    assert done == (0, report.encode(), "reading 1 file\n")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["model"]["vocab"] == {
        "<unk>": 0,
        "<s>": 1,
        "b": 2,
        "é": 3,
        " ": 4,
    }


def test_char_keeps_as_many_ids_as_asked_for(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("aab")
    assert tok("train", "--algo", "char", "--vocab-size", "2", "-o", "out.json", "text").status == 0
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["model"]["vocab"] == {"<unk>": 0, "a": 1}


def test_a_text_may_come_through_a_pipe(tok: Any) -> None:
    assert "ids              257\n" in tok("train", "--vocab-size", "257", "-o", "out.json", "-", stdin=b"abab").text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out.json", "1"], "--algo bpe needs --vocab-size, such as --vocab-size 1000"),
        (["--vocab-size", "300", "1"], "Missing option '-o' / '--out'. (tok train --help shows what is)"),
        (["--vocab-size", "300", "-o", "out.json"], "Missing argument 'TEXTFILE'. (tok train --help shows what is)"),
        (
            ["--vocab-size", "255", "-o", "out.json", "1"],
            "vocab_size is 255; it must be at least 256",
        ),
        (["--vocab-size", "many", "-o", "out.json", "1"], "Invalid value for '--vocab-size': "),
        (["--vocab-size", "300", "--min-freq", "0", "-o", "out.json", "1"], "min_freq is 0; "),
        (["--vocab-size", "300", "--special", "", "-o", "out.json", "1"], "specials has the empty string"),
        (
            ["--vocab-size", "300", "--special", "a\udcff", "-o", "out.json", "1"],
            "--special is not UTF-8: byte 0xff at position 1",
        ),
        (
            ["--vocab-size", "300", "--algo", "wordpiece", "-o", "out.json", "1"],
            "--algo is 'wordpiece'; it must be bpe or unigram or char",
        ),
        (["--algo", "char", "--min-freq", "2", "-o", "out.json", "1"], "--min-freq does not go with --algo char"),
        (["--algo", "char", "--split", "o200k", "-o", "out.json", "1"], "--split does not go with --algo char"),
        (
            ["--vocab-size", "300", "--split", "gpt4", "-o", "out.json", "1"],
            "--split is 'gpt4'; it must be gpt2 or cl100k or ",
        ),
        (["--algo", "char", "--workers", "2", "-o", "out.json", "1"], "--workers does not go with --algo char"),
        (["--algo", "unigram", "-o", "out.json", "1"], "--algo unigram needs --vocab-size"),
        (
            ["--algo", "unigram", "--vocab-size", "300", "--min-freq", "2", "-o", "out.json", "1"],
            "--min-freq does not go with --algo unigram",
        ),
        (["--algo", "char", "--vocab-size", "0", "-o", "out.json", "1"], "vocab_size is 0; it must be at least 1"),
        (["--vocab-size", "300", "-o", "none/out.json", "1"], "{folder}/none: there is no such folder to write into"),
        (["--vocab-size", "300", "-o", ".", "1"], "-o . is a folder; name a file"),
        (["--vocab-size", "300", "-o", "new/", "1"], "-o new/ is a folder; name a file"),
        (["--vocab-size", "300", "-o", "", "1"], "-o is empty; name a file"),
        (
            ["--vocab-size", "300", "-o", "-", "1"],
            "-o - is not standard output, since a result is written whole or not at all",
        ),
        (
            ["--vocab-size", "300", "-o", "/dev/null", "1"],
            "-o /dev/null is not a regular file, so it cannot be replaced whole",
        ),
        (["--vocab-size", "300", "-o", "out.json", "none"], "none: No such file or directory"),
        (
            ["--vocab-size", "300", "-o", "out.json", "latin"],
            "latin, line 1: not UTF-8: byte 0xe9 at position 0 of the file",
        ),
    ],
)
def test_wrong_input_is_one_line_and_status_2_and_nothing_is_written(
    arguments: list[str], message: str, tok: Any, texts: list[str], tmp_path: Path
) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")
    before = sorted(tmp_path.iterdir())
    done = tok("train", *arguments)
    *notes, last = done.err.splitlines()
    assert (done.status, done.out) == (2, b"")
    assert last.startswith(f"tok: {message.format(folder=tmp_path)}")
    assert set(notes) <= {"reading 1 file"}
    assert sorted(tmp_path.iterdir()) == before


def test_settings_are_checked_before_a_text_is_read(tok: Any) -> None:
    done = tok("train", "--vocab-size", "3", "-o", "out.json", "there-is-no-such-text")
    assert done.err.startswith("tok: vocab_size is 3; ")


def test_a_failed_training_leaves_the_old_tokenizer_whole(tok: Any, texts: list[str], tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("old")
    assert tok("train", "--vocab-size", "300", "-o", "out.json", "1", "none").status == 2
    assert (tmp_path / "out.json").read_text() == "old"


def test_a_terminal_sees_a_bar_that_is_gone_afterwards(tok_terminal: Any, texts: list[str]) -> None:
    done = tok_terminal("train", "--vocab-size", "259", "--min-freq", "1", "-o", "out.json", *texts)
    assert done.status == 0
    assert "reading 4 files" in done.text and "━" in done.text
    assert done.text.endswith(REPORT.replace("\n", "\r\n"))


def test_without_colour_the_bar_has_none(tok_terminal: Any, texts: list[str]) -> None:
    done = tok_terminal("train", "--vocab-size", "259", "-o", "out.json", *texts, NO_COLOR="1")
    assert done.status == 0
    assert "\x1b[3" not in done.text and "\x1b[9" not in done.text


@pytest.mark.parametrize("out", ["2", "./2", "link"])
def test_a_text_that_is_read_is_never_written_over(out: str, tok: Any, texts: list[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("2")
    done = tok("train", "--vocab-size", "300", "-o", out, *texts)
    assert done == (2, b"", "tok: -o would write over 2, which is read; name another file\n")
    assert (tmp_path / "2").read_text() == "hug"

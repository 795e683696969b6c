"""`tok train` on corpora, and `tok encode --out`."""

from __future__ import annotations

import gzip
import json
from array import array
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.corpus import dask_bags


def merges(path: Path) -> list[Any]:
    return json.loads(path.read_text("utf-8"))["model"]["merges"]  # type: ignore[no-any-return]


@pytest.fixture
def byte_tokenizer(tmp_path: Path) -> str:
    """One id a byte, which loads at once."""
    ByteTokenizer().save(tmp_path / "byte.json")
    return "byte.json"


# ---- tok train ----

LEARNED = ["a a", "b b"]  # of the documents "aa", "bb", "aa"


def train(tok: Any, *arguments: str, **more: Any) -> Any:
    return tok("train", "--vocab-size", "300", "--min-freq", "1", "-o", "out.json", *arguments, **more)


def test_by_line_a_document_is_a_line_without_its_end(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "texts").write_bytes(b"aa\nbb\r\naa\n")
    assert train(tok, "--by", "line", "texts").status == 0
    assert merges(tmp_path / "out.json") == LEARNED


def test_by_jsonl_a_document_is_a_field_of_a_line(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "texts").write_text('{"body": "aa", "text": 3}\n{"body": "bb"}\n{"body": "aa"}\n')
    assert train(tok, "--by", "jsonl", "--field", "body", "texts").status == 0
    assert merges(tmp_path / "out.json") == LEARNED


def test_compressed_texts_are_decompressed(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "texts.gz").write_bytes(gzip.compress(b"aa\nbb\n"))
    (tmp_path / "texts.zst").write_bytes(zstandard.compress(b"aa\n"))
    assert train(tok, "--by", "line", "texts.gz", "texts.zst").status == 0
    assert merges(tmp_path / "out.json") == LEARNED


def test_workers_learn_the_same(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("aa\nbb\n")
    (tmp_path / "b").write_text("aa\n")
    done = train(tok, "--by", "line", "--workers", "2", "a", "b")
    assert done.text.startswith("read             2 files, 9 bytes\n")
    assert merges(tmp_path / "out.json") == LEARNED


def test_standard_input_may_be_a_corpus(tok: Any, tmp_path: Path) -> None:
    done = train(tok, "--by", "line", "--workers", "2", "-", stdin=b"aa\nbb\naa\n")
    assert done.text.startswith("read             1 file, 9 bytes\n")
    assert merges(tmp_path / "out.json") == LEARNED


def test_a_dask_cluster_learns_the_same(tok: Any, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    (tmp_path / "a").write_text("aa\nbb\n")
    (tmp_path / "b").write_text("aa\n")
    (tmp_path / "bad").write_bytes(b"a\n\xff\n")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        done = train(tok, "--by", "line", "--dask", cluster.scheduler_address, "a", "b")
        assert (done.status, done.text.splitlines()[0]) == (0, "read             2 files, 9 bytes")
        assert merges(tmp_path / "out.json") == LEARNED
        failed = train(tok, "--by", "line", "--dask", cluster.scheduler_address, "a", "bad")
    assert failed.status == 2
    assert failed.err.splitlines()[-1] == f"tok: {tmp_path}/bad, line 2: not UTF-8: byte 0xff at position 0"


def test_a_cluster_that_does_not_answer_is_one_line(tok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(dask_bags, "PATIENCE", 1)
    (tmp_path / "texts").write_text("aa")
    done = train(tok, "--dask", "tcp://127.0.0.1:9", "texts")
    assert (done.status, done.err.splitlines()[0], len(done.err.splitlines())) == (2, "reading 1 file", 2)
    assert "tcp://127.0.0.1:9" in done.err


def test_unigram_reads_corpora_too(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "texts").write_bytes(b"aa\nbb\naa\n")
    assert train_unigram(tok, "--by", "line", "--workers", "2", "texts").status == 0


def train_unigram(tok: Any, *arguments: str) -> Any:
    return tok("train", "--algo", "unigram", "--vocab-size", "300", "-o", "out.json", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "lines", "texts"], "--by is 'lines'; it must be file or line or jsonl"),
        (["--field", "body", "texts"], "--field goes with --by jsonl, whose lines have fields"),
        (["--by", "line", "--field", "body", "texts"], "--field goes with --by jsonl, whose lines have fields"),
        (["--workers", "0", "texts"], "--workers is 0; it must be at least 1"),
        (
            ["--workers", "2", "--dask", "tcp://x:1", "texts"],
            "--workers does not go with --dask, whose cluster has its own",
        ),
        (
            ["--dask", "tcp://x:1", "-"],
            "standard input: not a regular file, so the machines of a cluster cannot share it",
        ),
        (["--by", "jsonl", "texts"], "texts, line 2: not JSON: Expecting value at character 0"),
        (["--by", "line", "bad"], "bad, line 2: not UTF-8: byte 0xff at position 0"),
        (["--by", "line", "cut.gz"], "cut.gz: not a whole gzip file: "),
        (["--by", "line", "--workers", "2", "texts", "bad"], "bad, line 2: not UTF-8: byte 0xff at position 0"),
        (["--workers", "2", "texts", "none"], "none: No such file or directory"),
    ],
)
def test_what_is_wrong_with_a_corpus_is_one_line(arguments: list[str], message: str, tok: Any, tmp_path: Path) -> None:
    (tmp_path / "texts").write_bytes(b'{"text": "aa"}\nbb\n')
    (tmp_path / "bad").write_bytes(b"a\n\xff\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"aa")[:-4])
    done = train(tok, *arguments)
    assert (done.status, done.out) == (2, b"") and done.err.splitlines()[-1].startswith(f"tok: {message}")
    assert not (tmp_path / "out.json").exists()


# ---- tok encode --out ----


def test_out_writes_the_ids_of_each_file_and_the_end_of_text_behind_it(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"Hi there")
    (tmp_path / "b").write_bytes(b"Hi")
    done = tok("encode", "--out", "ids.bin", "-f", "a", "-f", "b")
    assert (tmp_path / "ids.bin").read_bytes() == array("H", [17250, 612, 50256, 17250, 50256]).tobytes()
    assert done.text == (
        "read       2 files, 10 bytes\n"
        "documents  2\n"
        "ids        5, 50256 behind each document\n"
        "wrote      ids.bin, 10 bytes of uint16\n"
        "\n"
        "Next: od -An -v -tu2 -N40 ids.bin | tok decode --tokenizer gpt2\n"
    )


def test_documents_may_be_lines_and_the_numbers_wide(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "texts").write_bytes(b"Hi\nHi there\n")
    for workers in ("1", "2"):
        tok("encode", "--out", "ids.bin", "--dtype", "uint32", "--by", "line", "--workers", workers, "-f", "texts")
        assert (tmp_path / "ids.bin").read_bytes() == array("I", [17250, 50256, 17250, 612, 50256]).tobytes()


def test_smollm2_has_another_id_for_the_end_of_text(tok: Any, tmp_path: Path) -> None:
    assert tok("encode", "--tokenizer", "smollm2", "--out", "ids.bin", stdin=b"").status == 0
    assert (tmp_path / "ids.bin").read_bytes() == array("H", [0]).tobytes()


def test_the_end_of_text_may_be_another_token_or_nothing(tok: Any, byte_tokenizer: str, tmp_path: Path) -> None:
    for end, ids in (("<0xFF>", b"a\0\xff\0"), ("", b"a\0")):
        assert (
            tok("encode", "--tokenizer", byte_tokenizer, "--out", "ids.bin", "--end-of-text", end, stdin=b"a").status
            == 0
        )
        assert (tmp_path / "ids.bin").read_bytes() == ids


def test_special_none_keeps_what_looks_like_an_end_of_text_out_of_the_documents(tok: Any, tmp_path: Path) -> None:
    tok("encode", "--special", "none", "--out", "ids.bin", stdin=b"<|endoftext|>")
    ids = array("H", (tmp_path / "ids.bin").read_bytes()).tolist()
    assert ids == [27, 91, 437, 1659, 5239, 91, 29, 50256]


def test_the_next_command_shows_the_beginning_of_the_file(tok: Any, tmp_path: Path) -> None:
    last = tok("encode", "--out", "ids.bin", stdin=b"Hi there").text.splitlines()[-1]
    numbers = array("H", (tmp_path / "ids.bin").read_bytes()[:40])
    assert last == "Next: od -An -v -tu2 -N40 ids.bin | tok decode --tokenizer gpt2"
    assert tok("decode", stdin=" ".join(map(str, numbers)).encode()).out == b"Hi there<|endoftext|>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Hi"], "a TEXT does not go with --out, which writes the ids of FILEs"),
        (["--jsonl"], "--jsonl (say --by jsonl) does not go with --out"),
        (["--tokens"], "--tokens does not go with --out"),
        (["--dtype", "uint8"], 'dtype is \'uint8\'; it must be "uint16" or "uint32"'),
        (
            ["--end-of-text", "<end>"],
            "gpt2 has no token '<end>' to put behind each document; name another with --end-of-text",
        ),
        (["--tokenizer", "byte.json"], "byte.json has no token '<|endoftext|>' to put behind each document"),
        (["-f", "none"], "none: No such file or directory"),
        (["--by", "jsonl"], "standard input, line 1: it must be an object"),
    ],
)
def test_a_file_that_would_be_wrong_is_not_written(
    arguments: list[str], message: str, tok: Any, byte_tokenizer: str, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    done = tok("encode", "--out", "ids.bin", *arguments, stdin=b"3")
    assert (done.status, done.out) == (2, b"") and done.err.splitlines()[-1].startswith(f"tok: {message}")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("text", "--out would write over text, which is read; name another file"),
        ("byte.json", "--out would write over byte.json, which is read; name another file"),
        ("-", "--out - is not standard output, since a result is written whole or not at all"),
        ("", "--out is empty; name a file"),
        ("new/", "--out new/ is a folder; name a file"),
    ],
)
def test_an_output_that_would_be_lost_or_cost_an_input_is_refused(
    out: str, message: str, tok: Any, byte_tokenizer: str, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("Hi")
    done = tok("encode", "--tokenizer", byte_tokenizer, "--end-of-text", "", "-f", "text", "--out", out)
    assert (done.status, done.out) == (2, b"") and done.err.startswith(f"tok: {message}")
    assert (tmp_path / "text").read_text() == "Hi"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["byte.json", "text"]


def test_uint16_is_refused_for_a_vocabulary_that_does_not_fit(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({chr(0x10000 + i): i for i in range(65_537)}, []).save(tmp_path / "large.json")
    done = tok("encode", "--tokenizer", "large.json", "--out", "ids.bin", "--end-of-text", "", stdin=b"")
    message = 'tok: dtype "uint16" holds 65,536 different ids, but the vocabulary has 65,537; use "uint32"'
    assert (done.status, done.err.splitlines()[-1]) == (2, message) and not (tmp_path / "ids.bin").exists()


@pytest.mark.parametrize("option", ["--dtype", "--end-of-text", "--by", "--field"])
def test_options_of_a_corpus_say_nothing_without_out(option: str, tok: Any) -> None:
    assert tok("encode", option, "x", "Hi") == (2, b"", f"tok: {option} goes with --out\n")

"""Counting and encoding a corpus: the same whatever the number of processes, written whole or not at all, and no hang."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.corpus import Written, count_pretokens_in_files, encode_in_processes, write_ids
from tinyllm.tok.corpus import processes as module
from tinyllm.tok.documents import documents

TEXTS = ["the cat sat on the mat", "", "ਪੰਜਾਬੀ <|end|> text", "  the  cat\n"] * 40


@pytest.fixture(scope="module")
def trained() -> BPETokenizer:
    return BPETokenizer.train(TEXTS, vocab_size=300, specials=["<|end|>"])


def lines(folder: Path, count: int, name: str = "lines.txt") -> Path:
    path = folder / name
    path.write_bytes("".join(f"line {i} of the ਪਾਠ\n" for i in range(count)).encode())
    return path


# ---- counting ----


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_counts_the_same(tmp_path: Path, workers: int) -> None:
    path = lines(tmp_path, 60_000)  # 1.6 MB: more than a block, so it is cut
    found = count_pretokens_in_files([path], by="line", workers=workers)
    assert found == count_pretokens(documents([path], by="line"))
    assert found[" of"] == 60_000


def test_workers_share_files_that_cannot_be_cut(tmp_path: Path) -> None:
    paths = [lines(tmp_path, count, str(count)) for count in (3, 1, 2)]
    found = count_pretokens_in_files(paths, workers=2)
    assert (found["line"], found["\n"], sum(found.values())) == (
        6,
        6,
        6 * 8,
    )  # the vowel sign of ਪਾਠ is no letter, so that is three


def test_specials_and_the_split_reach_every_worker(tmp_path: Path) -> None:
    path = tmp_path / "texts"
    path.write_text("a<|end|>12\n" * 200_000, encoding="utf-8")
    digits = {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Digits", "individual_digits": True},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        ],
    }
    found = count_pretokens_in_files([path], by="line", specials=["<|end|>"], pre_tokenizer=digits, workers=2)
    assert found == Counter({"a": 200_000, "1": 200_000, "2": 200_000})


def test_an_error_in_a_worker_is_the_callers(tmp_path: Path) -> None:
    good, bad = lines(tmp_path, 10), tmp_path / "bad.txt"
    bad.write_bytes(b"ok\n\xff\n")
    with pytest.raises(ValueError, match="bad.txt, line 2: not UTF-8: byte 0xff at position 0"):
        count_pretokens_in_files([good, bad], by="line", workers=2)


def test_no_files_have_no_pretokens() -> None:
    assert count_pretokens_in_files([], workers=2) == Counter()


@pytest.mark.parametrize("workers", [0, -1])
def test_fewer_than_one_worker_is_refused(workers: int) -> None:
    with pytest.raises(ValueError, match=f"workers is {workers}; it must be at least 1"):
        count_pretokens_in_files([], workers=workers)
    with pytest.raises(ValueError, match=f"workers is {workers}; it must be at least 1"):
        list(encode_in_processes(ByteTokenizer(), [], workers))


def run_python(program: str, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a program that may hang if the test's subject is broken."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True, timeout=seconds
    )


def test_a_worker_that_is_killed_is_an_error_not_a_hang(tmp_path: Path) -> None:
    # The worker waits for ever for the other end of a pipe; the program kills it.
    program = """
import os, sys, threading, time, multiprocessing
from tinyllm.tok.corpus import count_pretokens_in_files

def kill_the_worker():
    while not multiprocessing.active_children():
        time.sleep(0.01)
    multiprocessing.active_children()[0].kill()

if __name__ == "__main__":
    os.mkfifo(sys.argv[2])
    threading.Thread(target=kill_the_worker, daemon=True).start()
    try:
        count_pretokens_in_files(sys.argv[1:], workers=2)
    except ChildProcessError as error:
        print(error)
"""
    done = run_python(program, str(lines(tmp_path, 10)), str(tmp_path / "pipe"))
    assert done.stdout == "a worker process ended with exit code -9 before its work was done; nothing of it is kept\n"


def test_an_error_ends_the_other_workers_at_once(tmp_path: Path) -> None:
    # The worker would wait for ever for the other end of a pipe; the caller's own share is broken.
    program = """
import os, sys
from tinyllm.tok.corpus import count_pretokens_in_files

if __name__ == "__main__":
    os.mkfifo(sys.argv[2])
    try:
        count_pretokens_in_files(sys.argv[1:], workers=2)
    except ValueError as error:
        print(error)
"""
    (tmp_path / "bad").write_bytes(b"\xff")
    done = run_python(program, str(tmp_path / "bad"), str(tmp_path / "pipe"))
    assert done.stdout.endswith("bad, line 1: not UTF-8: byte 0xff at position 0 of the file\n")


def test_a_script_without_its_guard_fails_and_does_not_hang(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom tinyllm.tok.corpus import count_pretokens_in_files\ncount_pretokens_in_files(sys.argv[1:], workers=2)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    paths = [str(lines(tmp_path, 10, name)) for name in "ab"]
    done = subprocess.run([sys.executable, script, *paths], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "ChildProcessError: a worker process ended with exit code 1" in done.stderr


# ---- encoding in processes ----


@pytest.mark.parametrize("workers", [1, 2])
def test_encoding_in_processes_equals_encode_one_by_one(
    trained: BPETokenizer, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(module, "BATCH", 50)  # so that there are many batches
    assert list(encode_in_processes(trained, TEXTS, workers)) == [trained.encode(text) for text in TEXTS]


def test_options_reach_encode_in_every_process(trained: BPETokenizer) -> None:
    [ids] = encode_in_processes(trained, ["<|end|>"], 2, allowed_special="none")
    assert ids == trained.encode("<|end|>", allowed_special="none") != [0]


def test_texts_are_read_as_they_are_needed(trained: BPETokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 4)
    read = []

    def endless():
        while True:
            read.append("abcd")
            yield "abcd"

    encoded = encode_in_processes(trained, endless(), 2)
    assert [next(encoded) for _ in range(10)] == [trained.encode("abcd")] * 10
    assert len(read) <= 10 + 2  # a batch for each process
    encoded.close()


def test_an_error_of_encode_comes_through_from_a_process(trained: BPETokenizer) -> None:
    with pytest.raises(ValueError, match="position 2 is the lone surrogate U\\+D800"):
        list(encode_in_processes(trained, ["ok", "ab\ud800"], 2))


class _DiesWhenItArrives(ByteTokenizer):
    """A tokenizer that ends the process into which it is sent."""

    def __reduce__(self):
        return os._exit, (7,)


def test_a_process_that_dies_while_encoding_is_an_error() -> None:
    with pytest.raises(ChildProcessError, match="a worker process ended with exit code 7 before its work was done"):
        list(encode_in_processes(_DiesWhenItArrives(), ["a", "b"], 2))


# ---- ids as a flat file ----


def test_the_file_holds_the_ids_of_each_document_and_the_end_of_text_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "ids.bin"
    assert write_ids(ByteTokenizer(), ["ab", "", "c"], path, end_of_text=255) == Written(documents=3, ids=6)
    assert path.read_bytes() == b"a\0b\0\xff\0" + b"\xff\0" + b"c\0\xff\0"  # little-endian


def test_numpy_reads_the_file_as_nanogpt_does(tmp_path: Path, trained: BPETokenizer) -> None:
    path = tmp_path / "ids.bin"
    write_ids(trained, TEXTS, path, dtype="uint32", end_of_text=0)
    assert np.memmap(path, np.uint32, "r").tolist() == [id for text in TEXTS for id in [*trained.encode(text), 0]]


def test_without_an_end_of_text_nothing_is_put_between_documents(tmp_path: Path) -> None:
    write_ids(ByteTokenizer(), ["a", "b"], tmp_path / "ids.bin")
    assert (tmp_path / "ids.bin").read_bytes() == b"a\0b\0"


def test_processes_write_the_same_file(tmp_path: Path, trained: BPETokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 50)
    done = [
        write_ids(trained, TEXTS, tmp_path / f"{workers}.bin", end_of_text=0, workers=workers) for workers in (1, 3)
    ]
    assert done[0] == done[1] and done[0].documents == len(TEXTS)
    assert (tmp_path / "1.bin").read_bytes() == (tmp_path / "3.bin").read_bytes()


class _Sized(ByteTokenizer):
    """A tokenizer with as many ids as a test wants."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        self.vocab_size = vocab_size


def test_uint16_is_refused_when_the_vocabulary_does_not_fit(tmp_path: Path) -> None:
    texts = iter(["a"])
    with pytest.raises(
        ValueError, match=r'dtype "uint16" holds 65,536 different ids, but the vocabulary has 65,537; use "uint32"'
    ):
        write_ids(_Sized(65_537), texts, tmp_path / "ids.bin")
    assert list(texts) == ["a"] and not list(tmp_path.iterdir())  # nothing was read or written
    write_ids(_Sized(65_536), ["a"], tmp_path / "ids.bin")
    write_ids(_Sized(65_537), ["a"], tmp_path / "ids.bin", dtype="uint32")


@pytest.mark.parametrize("id", [-1, 256])
def test_an_end_of_text_that_is_no_id_is_refused(tmp_path: Path, id: int) -> None:
    with pytest.raises(ValueError, match=f"end_of_text is {id}; this tokenizer has ids 0 to 255"):
        write_ids(ByteTokenizer(), ["a"], tmp_path / "ids.bin", end_of_text=id)


def test_another_dtype_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='dtype is \'int8\'; it must be "uint16" or "uint32"'):
        write_ids(ByteTokenizer(), ["a"], tmp_path / "ids.bin", dtype="int8")  # type: ignore[arg-type]


@pytest.mark.parametrize("texts, message", [("ab", "not one str"), ([b"ab"], "it has bytes"), ([3], "it has int")])
def test_what_is_no_corpus_of_texts_is_refused(tmp_path: Path, texts: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        write_ids(ByteTokenizer(), texts, tmp_path / "ids.bin")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_file_whole_and_no_litter(tmp_path: Path, trained: BPETokenizer) -> None:
    path = tmp_path / "ids.bin"
    path.write_bytes(b"old")

    def breaks_off():
        yield "x" * module.BATCH  # enough to be written
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        write_ids(trained, breaks_off(), path)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_an_output_that_cannot_be_written_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere/ids.bin'$"):
        write_ids(ByteTokenizer(), ["a"], tmp_path / "nowhere" / "ids.bin")
    with pytest.raises(TypeError, match="not bytes"):
        write_ids(ByteTokenizer(), ["a"], os.fsencode(tmp_path / "ids.bin"))
    assert os.listdir(tmp_path) == []


def test_the_permissions_of_an_old_file_are_kept_and_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "ids.bin", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_ids(ByteTokenizer(), ["a"], link)
    assert link.is_symlink() and path.read_bytes() == b"a\0" and path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_interruption_leaves_no_half_file_under_the_name_and_a_clean_restart(
    tmp_path: Path, ending: signal.Signals
) -> None:
    program = """
import itertools, sys
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.corpus import write_ids

def endless():
    for i in itertools.count():
        if i == 2000:
            print("writing", flush=True)
        yield "some text " * 100

write_ids(ByteTokenizer(), endless(), sys.argv[1])
"""
    path = tmp_path / "ids.bin"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(
        [sys.executable, "-c", program, path],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a test run in the background ignores it
    ) as running:
        try:
            assert running.stdout.readline() == b"writing\n"
            running.send_signal(ending)
            running.wait(60)
        finally:
            running.kill()  # it would write for ever
    assert not path.exists()
    assert write_ids(ByteTokenizer(), ["a"], path) == Written(1, 1)
    assert path.read_bytes() == b"a\0"
    if ending is signal.SIGINT:
        assert list(tmp_path.iterdir()) == [path]


@given(st.lists(st.text(max_size=20), max_size=20), st.integers(1, 40))
def test_batches_hold_every_text_once_and_in_order(texts: list[str], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", size)
        batches = list(module._batches(texts))
    assert [text for batch in batches for text in batch] == texts and all(batches)

"""Bags on a local cluster of two processes: equal merges and ids, and a lost worker survived."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.corpus import Written, write_ids
from tinyllm.tok.corpus_dask import connected, count_pretokens_in_bag, documents_bag, encode_bag, write_ids_of_bag
from tinyllm.tok.documents import documents

dask = pytest.importorskip("dask")
bags = pytest.importorskip("dask.bag")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("texts")
    for i in range(6):
        (folder / f"{i}.txt").write_text(
            "".join(f"the cat sat on mat {i * j} <|end|>\n" for j in range(200)), encoding="utf-8"
        )
    return sorted(folder.iterdir())


def test_a_bag_of_files_holds_their_documents(client, paths: list[Path]) -> None:
    found = documents_bag(paths, 4, by="line")
    assert found.npartitions == 4
    assert sorted(found.compute()) == sorted(documents(paths, by="line"))


def test_a_bag_gives_the_same_merges(client, paths: list[Path]) -> None:
    counts = count_pretokens_in_bag(documents_bag(paths, 6, by="line"), specials=["<|end|>"])
    assert counts == count_pretokens(documents(paths, by="line"), specials=["<|end|>"])
    trained = BPETokenizer.train(documents(paths, by="line"), 300, ["<|end|>"])
    assert BPETokenizer.train_from_counts(counts, 300, ["<|end|>"]).merges == trained.merges != []


def test_a_bag_gives_the_same_ids(client, paths: list[Path]) -> None:
    trained = BPETokenizer.train(documents(paths), 300, ["<|end|>"])
    texts = list(documents(paths, by="line"))
    bag = bags.from_sequence(texts, npartitions=5)
    assert encode_bag(trained, bag).compute() == [trained.encode(text) for text in texts]
    plain = encode_bag(trained, bag, allowed_special="none").compute()
    assert plain == [trained.encode(text, allowed_special="none") for text in texts]


def test_the_files_of_a_bag_joined_are_the_file_of_all_texts(client, tmp_path: Path) -> None:
    texts = ["ab", "", "c", "de"]
    folder = tmp_path / "ids"
    done = write_ids_of_bag(ByteTokenizer(), bags.from_sequence(texts, npartitions=2), folder, end_of_text=0)
    assert done == [Written(2, 4), Written(2, 5)]
    write_ids(ByteTokenizer(), texts, tmp_path / "all.bin", end_of_text=0)
    assert [path.name for path in sorted(folder.iterdir())] == ["00000.bin", "00001.bin"]
    assert b"".join(path.read_bytes() for path in sorted(folder.iterdir())) == (tmp_path / "all.bin").read_bytes()


def test_a_dtype_that_does_not_fit_is_refused_before_the_cluster_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="end_of_text is 256; this tokenizer has ids 0 to 255"):
        write_ids_of_bag(ByteTokenizer(), bags.from_sequence(["a"]), tmp_path / "ids", end_of_text=256)
    assert not list(tmp_path.iterdir())


def test_without_the_library_dask_a_cluster_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ValueError, match=r"a Dask cluster needs the library dask: pip install 'tinyllm-course\[dask\]'"
    ):
        with connected("tcp://127.0.0.1:9"):
            pass


def test_work_that_ends_every_worker_is_an_error(client) -> None:
    def killed(text: str) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return text

    address = client.scheduler.address
    with pytest.raises(ChildProcessError, match="the cluster gave up on work that ended its workers"):
        with connected(address):
            count_pretokens_in_bag(bags.from_sequence(["a"]).map(killed))


def test_a_lost_worker_is_survived(client, tmp_path: Path) -> None:
    texts = [f"text {i} of many" for i in range(100)]
    marker = tmp_path / "died once"

    def killed_once(text: str) -> str:
        if text == texts[50] and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return text

    bag = bags.from_sequence(texts, npartitions=10)
    assert count_pretokens_in_bag(bag.map(killed_once)) == count_pretokens(texts)
    assert marker.exists()
    marker.unlink()
    trained = BPETokenizer.train(texts, 300)
    assert encode_bag(trained, bag.map(killed_once)).compute() == [trained.encode(text) for text in texts]
    assert marker.exists()

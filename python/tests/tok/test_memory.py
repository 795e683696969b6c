"""Memory is bounded: what the caches hold after hostile texts, and what training holds of a text that it has read."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.corpus import count_pretokens_in_files, documents, processes, write_ids
from tinyllm.tok.fast import memo
from tinyllm.tok.fast.memo import CACHED, CACHED_LENGTH, Memo

MB = 1_000_000


def trained() -> BPETokenizer:
    return BPETokenizer.train(["the cat sat on the mat, the cats sat on the mats"] * 2, vocab_size=280)


def caches(tokenizer: BPETokenizer) -> list[Memo]:
    """All caches that a tokenizer holds, wherever it keeps them."""
    found: list[Memo] = []
    waiting: list[Any] = [vars(tokenizer)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Memo):
            found.append(value)
            waiting.extend(vars(value).values())
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif type(value).__module__.startswith("tinyllm."):
            waiting.append(vars(value))
        elif callable(value) and getattr(value, "__closure__", None):
            waiting.extend(cell.cell_contents for cell in value.__closure__)
    return found


def peak(work: Callable[[], Any]) -> int:
    """The most bytes that Python objects held at one time while `work` ran, beyond those held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_cache_never_holds_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "CACHED", 100)
    tokenizer = trained()
    for i in range(1_000):
        assert tokenizer.decode(tokenizer.encode(f" n{i},")) == f" n{i},"
        assert all(len(cache) <= 100 for cache in caches(tokenizer))
    assert any(len(cache) > 10 for cache in caches(tokenizer))  # it does hold something


def test_a_long_text_is_not_kept_by_any_cache() -> None:
    tokenizer = trained()
    tokenizer.encode("so that the caches are there")
    before = [len(cache) for cache in caches(tokenizer)]
    tokenizer.encode("x" * (CACHED_LENGTH + 2))
    tokenizer.encode(" " * (CACHED_LENGTH + 2))
    assert [len(cache) for cache in caches(tokenizer)] == before != []


def test_a_policy_of_specials_is_not_kept_for_ever() -> None:
    tokenizer = BPETokenizer.train(["ab"], 256 + 30, [f"<{i}>" for i in range(30)])
    rng = random.Random(1)
    for _ in range(3_000):
        tokenizer.encode("ab", allowed_special={f"<{i}>" for i in range(30) if rng.random() < 0.5})
    assert all(len(cache) <= CACHED for cache in caches(tokenizer))


@pytest.mark.slow
def test_a_million_distinct_pretokens_leave_the_caches_within_their_bound() -> None:
    tokenizer = trained()
    for start in range(0, 1_000_000, 10_000):
        tokenizer.encode("".join(f" n{i:x}z" for i in range(start, start + 10_000)))
    held = caches(tokenizer)
    assert held and all(len(cache) <= 262_144 for cache in held)  # what CACHED says today
    assert all(len(key) <= 64 for cache in held for key in cache if isinstance(key, str))


@pytest.mark.slow
def test_a_thousand_distinct_pretokens_of_100_kb_leave_nothing_behind() -> None:
    # "x" has no symbol here and is dropped, which is quick; what is left of each pre-token is 7,000 symbols to merge.
    tokenizer = BPETokenizer({"a": 0, "b": 1, "c": 2, "ab": 3}, [("a", "b")])
    distinct = map("".join, itertools.product("abc", repeat=7))

    def encode(times: int) -> None:
        for letters in itertools.islice(distinct, times):
            ids = tokenizer.encode((letters + "x" * 93) * 1_000)
            assert tokenizer.decode(ids) == letters * 1_000

    encode(900)
    before = [len(cache) for cache in caches(tokenizer)]
    tracemalloc.start()  # it makes all slower, so it sees the last hundred only
    try:
        encode(100)
        assert tracemalloc.get_traced_memory()[0] < MB
    finally:
        tracemalloc.stop()
    assert [len(cache) for cache in caches(tokenizer)] == before and max(before) < 100


@pytest.mark.slow
def test_a_generator_of_100_mb_trains_without_the_text_being_held() -> None:
    # Long words: what tracemalloc costs, it costs for each.
    stock = [f" {'word' * 25}{i:04}" for i in range(1000)]
    sizes: list[int] = []

    def texts() -> Iterator[str]:
        for i in range(1000):
            text = "".join(stock[i:] + stock[:i])
            sizes.append(len(text))
            yield text

    found: list[BPETokenizer] = []
    held = peak(lambda: found.append(BPETokenizer.train(texts(), 400)))
    assert sum(sizes) == 105 * MB and len(found[0].merges) == 144
    assert held < 5 * MB


def test_counting_holds_the_distinct_chunks_and_not_the_texts() -> None:
    texts = (" one two three" * 10_000 for _ in range(20))  # 2.8 MB, in texts of 140 kB
    assert peak(lambda: count_pretokens(texts)) < 2 * MB


def test_a_file_by_line_is_counted_and_encoded_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "BLOCK", 1 << 15)
    monkeypatch.setattr(processes, "BATCH", 1 << 13)
    path = tmp_path / "text"
    path.write_bytes((b"one two three four " * 100 + b"\n") * 1_000)  # 1.9 MB
    assert peak(lambda: count_pretokens_in_files([path], by="line")) < MB // 2
    tokenizer = trained()
    texts = documents.documents([path], by="line")
    assert peak(lambda: write_ids(tokenizer, texts, tmp_path / "ids.bin")) < MB // 2

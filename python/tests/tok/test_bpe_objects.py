"""A tokenizer as an object: pickled, copied, shared by threads, after fork and in processes of their own.

What needs processes is in the second half; only the first is quick enough to be run for every mutant.
"""

import copy
import gc
import multiprocessing
import pickle
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.fast import memo

VOCAB = {"a": 0, "b": 1, "c": 2, "ab": 3, "Ġ": 4}
TEXTS = ["ab", "a b", "abc <s>", "", "cab" * 30, "ab " * 5]


def make() -> BPETokenizer:
    return BPETokenizer(VOCAB, [("a", "b")], [("<s>", 5, True)])


def parts(tokenizer: BPETokenizer) -> dict:
    names = ("vocab", "merges", "added", "pre_tokenizer", "special_ids", "vocab_size", "unk_id")
    return {name: getattr(tokenizer, name) for name in names}


@pytest.mark.fast
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles_before_and_after_use(protocol: int) -> None:
    tokenizer = make()
    expected = [tokenizer.encode(text) for text in TEXTS]
    for used in (make(), tokenizer):
        again = pickle.loads(pickle.dumps(used, protocol))
        assert parts(again) == parts(tokenizer)
        assert [again.encode(text) for text in TEXTS] == expected
        assert again.encode("<s>", allowed_special="none") == tokenizer.encode("<s>", allowed_special="none")
        assert (again.decode([3, 4, 5]), again.token_bytes(3)) == ("ab <s>", b"ab")


@pytest.mark.fast
def test_what_it_remembers_is_not_pickled() -> None:
    tokenizer = make()
    fresh = pickle.dumps(tokenizer)
    for i in range(1000):
        tokenizer.encode(f"ab{i}", allowed_special=["<s>"] if i % 2 else "none")
    tokenizer.decode([3])
    assert tokenizer.merges == [("a", "b")]  # a list that is made when it is asked for
    assert pickle.dumps(tokenizer) == fresh


@pytest.mark.fast
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_it_can_be_copied(copied) -> None:
    tokenizer = make()
    tokenizer.encode("ab")
    again = copied(tokenizer)
    assert parts(again) == parts(tokenizer)
    assert [again.encode(text) for text in TEXTS] == [tokenizer.encode(text) for text in TEXTS]


@pytest.mark.fast
def test_a_copy_remembers_for_itself() -> None:
    tokenizer = make()
    tokenizer.encode("ab")
    again = copy.copy(tokenizer)
    again.encode("ab")
    assert again._caches is not tokenizer._caches
    for name in ("memos", "added_by_policy"):
        assert vars(again._caches)[name] is not vars(tokenizer._caches)[name]


@pytest.mark.fast
def test_a_tokenizer_that_nobody_uses_is_gone_at_once() -> None:
    """Real ones take 30 MB: none may wait for the garbage collector, so none may hold itself."""
    gc.collect()
    gc.disable()
    try:
        tokenizer = make()
        for policy in ("all", "none", ["<s>"]):
            tokenizer.encode("ab a<s> é", allowed_special=policy)
        tokenizer.decode([3])
        tokenizer.token_bytes(3)
        gone = weakref.ref(tokenizer)
        del tokenizer
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.fast
def test_a_subclass_pickles_as_itself() -> None:
    again = pickle.loads(pickle.dumps(Mine(VOCAB, [("a", "b")])))
    assert type(again) is Mine and again.encode("ab") == [3]


@pytest.mark.fast
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda mine: pickle.loads(pickle.dumps(mine))])
def test_what_a_subclass_adds_comes_along_whatever_its_name(copied) -> None:
    mine = Mine(VOCAB, [("a", "b")])
    mine.note, mine._private = "seen", "kept"
    again = copied(mine)
    assert (again.note, again._private, again.encode("ab")) == ("seen", "kept", [3])


class Mine(BPETokenizer):
    pass


@pytest.mark.fast
def test_threads_may_share_it(monkeypatch) -> None:
    monkeypatch.setattr(memo, "CACHED", 20)  # so that caches are emptied while others read them
    texts = [f"ab{'c' * (i % 40)} a{i}b <s>" for i in range(400)]
    expected = [make().encode(text) for text in texts]
    tokenizer = make()
    start = threading.Barrier(8)

    def work(_: int) -> list[list[int]]:
        start.wait()
        return [tokenizer.encode(text) for text in texts]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(found == expected for found in pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)


# ---- processes ----


def encode_in_a_child(tokenizer: BPETokenizer, texts: list[str], answer) -> None:
    answer.put(([tokenizer.encode(text) for text in texts], tokenizer.decode([0, 1])))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_may_share_it_however_they_start(method: str, gpt2) -> None:
    texts = ["Hello world", "  1 2 don't\n", "<|endoftext|>é日本"]
    expected = [gpt2.encode(text) for text in texts]  # used before it is handed over
    context = multiprocessing.get_context(method)
    answer = context.Queue()
    child = context.Process(target=encode_in_a_child, args=(gpt2, texts, answer))
    child.start()
    assert answer.get(timeout=60) == (expected, '!"')
    child.join(timeout=60)
    assert child.exitcode == 0


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this platform does not fork")
def test_a_fork_while_other_threads_encode_does_no_harm(gpt2) -> None:
    """The library holds no lock that a child could find locked."""
    texts = [f"word{i} and {i * 7} more" for i in range(300)]
    expected = [gpt2.encode(text) for text in texts]
    stop = threading.Event()

    def keep_encoding() -> None:
        while not stop.is_set():
            for text in texts:
                gpt2.encode(text + " ")

    threads = [threading.Thread(target=keep_encoding) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(3):
            answer = context.Queue()
            child = context.Process(target=encode_in_a_child, args=(gpt2, texts, answer))
            child.start()
            assert answer.get(timeout=60)[0] == expected
            child.join(timeout=60)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this platform does not fork")
def test_a_fork_while_another_thread_makes_its_tables_does_no_harm() -> None:
    """Tables are made on first use; before Python 3.12, functools.cached_property locks them for all tokenizers at once."""
    making, forked = threading.Event(), threading.Event()

    class Slow(dict):
        def __getitem__(self, token: str) -> int:
            making.set()
            forked.wait(timeout=60)
            return super().__getitem__(token)

    slow = make()
    slow.vocab = Slow(VOCAB)
    slow.__setstate__(slow.__getstate__())  # whose tables are still to be made
    thread = threading.Thread(target=slow.encode, args=("ab",))
    thread.start()
    assert making.wait(timeout=60)
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    child = context.Process(target=encode_in_a_child, args=(make(), ["ab"], answer))
    child.start()
    try:
        assert answer.get(timeout=30) == ([[3]], "ab")
    finally:
        forked.set()
        child.kill()
        child.join()
        thread.join()


def test_encoding_and_importing_start_no_threads(gpt2) -> None:
    before = threading.active_count()
    gpt2.encode("a text")
    gpt2.encode_batch(["a", "b"])
    assert threading.active_count() == before

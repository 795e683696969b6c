"""Laws that hold for whole runs: nothing but the input decides the result, in whatever process, order, batch or locale."""

import hashlib
import json
import os
import random
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import hard_texts
import naive
import oracles
import pytest

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.pretok import pretokenize_gpt2

TEXTS = [
    *(
        "the cat sat on the mat",
        "the cats sat on the mats",
        "naïve café déjà vu",
        "1984 2024 1984",
        "日本語 日本 日本語",
    ),
    *(hard_texts.text(random.Random(seed), ["<s>", "<s>x"], most=30) for seed in range(30)),
]
SPECIALS = ["<s>", "<s>x", "x<"]

TRAIN = """
import hashlib, json, pathlib, sys
sys.path.insert(0, {python!r})
from tinyllm.tok.bpe import BPETokenizer
texts, specials, folder = json.loads(pathlib.Path(sys.argv[1]).read_text("ascii"))
tokenizer = BPETokenizer.train(texts, 400, specials, 1)
path = folder + "/" + sys.argv[2] + ".json"
tokenizer.save(path)
again = BPETokenizer.load(path)
if again.encode_batch(texts) != tokenizer.encode_batch(texts):
    sys.exit("what was saved has other ids")
ids = hashlib.sha256(json.dumps(tokenizer.encode_batch(texts)).encode()).hexdigest()
print(hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest(), ids)
"""


def in_a_process(tmp_path, name: str, texts: list[str], flags: tuple[str, ...] = (), **environment: str) -> str:
    """What training on `texts` prints in a process of its own: the hashes of the file and of the ids."""
    (tmp_path / f"{name}.input").write_text(json.dumps([texts, SPECIALS, str(tmp_path)]), "ascii")
    code = TRAIN.format(python=str(oracles.ROOT / "python"))
    done = subprocess.run(
        [sys.executable, *flags, "-W", "error", "-c", code, str(tmp_path / f"{name}.input"), name],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def here(texts: list[str], tmp_path) -> str:
    tokenizer = BPETokenizer.train(texts, 400, SPECIALS, 1)
    tokenizer.save(tmp_path / "here.json")
    ids = hashlib.sha256(json.dumps(tokenizer.encode_batch(texts)).encode()).hexdigest()
    return f"{hashlib.sha256((tmp_path / 'here.json').read_bytes()).hexdigest()} {ids}\n"


# ---- training ----


@pytest.mark.parametrize("seed", ["0", "1", "2", "random"])
def test_the_hash_seed_changes_nothing(seed: str, tmp_path) -> None:
    assert in_a_process(tmp_path, f"seed{seed}", TEXTS, PYTHONHASHSEED=seed) == here(TEXTS, tmp_path)


@pytest.mark.parametrize(
    "flags, environment",
    [
        ((), {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
        (("-X", "utf8=0"), {"LC_ALL": "POSIX"}),
        (("-X", "utf8"), {}),
        (("-X", "warn_default_encoding"), {"PYTHONUTF8": "0"}),
        (("-I",), {}),
        (("-O",), {}),
    ],
    ids=str,
)
def test_neither_locale_nor_flags_change_anything(flags: tuple, environment: dict, tmp_path) -> None:
    """`-O` too: no check may be an `assert`. Warnings are errors, so a file opened with the locale's encoding would fail."""
    assert in_a_process(tmp_path, "there", TEXTS, flags, **environment) == here(TEXTS, tmp_path)


def test_the_order_of_texts_and_how_they_are_cut_into_batches_change_nothing() -> None:
    expected = BPETokenizer.train(TEXTS, 400, SPECIALS, 1)
    for seed in range(5):
        shuffled = random.Random(seed).sample(TEXTS, len(TEXTS))
        assert BPETokenizer.train(shuffled, 400, SPECIALS, 1).merges == expected.merges
        counts = sum((count_pretokens([text], specials=SPECIALS) for text in shuffled), start=count_pretokens([]))
        assert BPETokenizer.train_from_counts(counts, 400, SPECIALS, 1).merges == expected.merges


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_number_of_workers_changes_nothing(workers: int) -> None:
    parts = [TEXTS[i::workers] for i in range(workers)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        counts = sum(pool.map(count_with_specials, parts), start=count_pretokens([]))
    assert counts == count_pretokens(TEXTS, specials=SPECIALS)
    assert (
        BPETokenizer.train_from_counts(counts, 400, SPECIALS, 1).merges
        == BPETokenizer.train(TEXTS, 400, SPECIALS, 1).merges
    )


def count_with_specials(texts: list[str]):
    return count_pretokens(texts, specials=SPECIALS)


def test_memory_grows_with_distinct_pretokens_not_with_the_text() -> None:
    def peak(lines: int) -> int:
        tracemalloc.start()
        BPETokenizer.train((f"a few words again and again {i % 50}\n" for i in range(lines)), 300)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100)  # whatever is made once
    assert peak(20_000) < 2 * peak(200)


def test_no_learned_token_spans_two_pretokens() -> None:
    trained = BPETokenizer.train(TEXTS, 600, SPECIALS, 1)
    inside = {
        pretoken.encode()
        for text in TEXTS
        for segment, _ in naive.cut(text, SPECIALS)
        for pretoken in pretokenize_gpt2(segment)
    }
    for left, right in trained.merges:
        token = bytes(oracles.BYTE_OF[ch] for ch in left + right)
        assert any(token in pretoken for pretoken in inside)


def test_a_longer_run_of_training_goes_on_where_a_shorter_one_ends() -> None:
    long = BPETokenizer.train(TEXTS, 500, min_freq=1)
    for size in (256, 257, 300, 499):
        assert BPETokenizer.train(TEXTS, size, min_freq=1).merges == long.merges[: size - 256]


# ---- encoding ----


def test_text_by_text_or_in_batches_or_again_the_ids_are_the_same(gpt2) -> None:
    fresh = BPETokenizer.from_hf_json(oracles.tokenizer_json("gpt2"))
    texts = [hard_texts.text(random.Random(f"laws/{seed}")) for seed in range(500)]
    one_by_one = [fresh.encode(text) for text in texts]
    assert gpt2.encode_batch(texts) == one_by_one == [fresh.encode(text) for text in reversed(texts)][::-1]


def test_ids_of_a_text_cut_at_an_added_token_are_those_of_its_segments(gpt2) -> None:
    for seed in range(300):
        random_ = random.Random(f"cut/{seed}")
        left, right = hard_texts.text(random_), hard_texts.text(random_)
        assert gpt2.encode(f"{left}<|endoftext|>{right}") == [*gpt2.encode(left), 50256, *gpt2.encode(right)]


@pytest.mark.parametrize("unit", ["a", "^", "ab", "你", "aA1", "x" * 3 + "y"])
def test_four_times_the_text_takes_no_more_than_some_four_times_the_time(unit: str, gpt2) -> None:
    """Quadratic time would be sixteen times. Each is one pre-token, or many new ones."""

    def seconds(characters: int) -> float:
        text = unit * (characters // len(unit))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            gpt2.encode(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(80_000) < 9 * seconds(20_000) + 0.02

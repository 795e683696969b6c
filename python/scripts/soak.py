"""Mixed work from threads and processes on one tokenizer for a long time: the ids stay the same and memory stays bounded.

    python python/scripts/soak.py                 half an hour, 8 threads in each of 2 processes
    python python/scripts/soak.py --seconds 60 --cached 5000    as the slow tests do it

Every thread encodes texts that it has seen and new ones, long and short, with all policies, in batches; decodes; asks for
tokens; pickles the tokenizer and uses the copy; trains and saves small tokenizers. Every result is compared with what it
was the first time, or with what decoding says.

Memory is measured twice over, all the time: the blocks that Python has allocated, and the resident size of the process, which
also has what the allocator keeps for each thread. Both grow until the caches have been full once, which takes some minutes;
with `--cached` they are smaller. What counts are medians, since copies of a tokenizer come and go: in the last fifth of the
time a tenth more blocks than in the second fifth are allowed, and half as much again of resident memory.

Exit status: 0 no difference and bounded memory, 1 not so, 2 bad arguments.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pickle
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

PYTHON = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PYTHON), str(PYTHON / "tests" / "support")]

import hard_texts  # noqa: E402

from tinyllm.tok.bpe import BPETokenizer  # noqa: E402
from tinyllm.tok.fast import memo  # noqa: E402

GROWTH = {"blocks": 1.1, "bytes": 1.5}  # how much more there may be in the last fifth of the time than in the second
KNOWN = 500  # texts whose ids are known before the work begins


class Soak:
    """The work of one process: a tokenizer that its threads share, and what they found."""

    def __init__(self, tokenizer: BPETokenizer, seed: str, seconds: float) -> None:
        self.tokenizer = tokenizer
        self.seed = seed
        self.until = time.monotonic() + seconds
        random = Random(seed)
        self.texts = [hard_texts.text(random, list(tokenizer.added)) for _ in range(KNOWN)]
        self.ids = tokenizer.encode_batch(self.texts)
        self.plain = [tokenizer.encode(text, allowed_special="none") for text in self.texts]
        self.operations = 0
        self.differences: list[str] = []
        self.lock = threading.Lock()

    def work(self, number: int) -> None:
        """What one thread does until the time is up."""
        random = Random(f"{self.seed}/{number}")
        steps = (
            [self.encode_known] * 8
            + [self.encode_new] * 8
            + [self.decode, self.batch, self.long_text] * 2
            + [self.copy, self.train]
        )
        done = 0
        while time.monotonic() < self.until:
            try:
                difference = random.choice(steps)(random)
            except Exception as error:  # whatever it is, it is what this looks for
                difference = f"{type(error).__name__}: {error}"
            done += 1
            if difference:
                with self.lock:
                    self.differences.append(difference)
        with self.lock:
            self.operations += done

    def encode_known(self, random: Random) -> str | None:
        i = random.randrange(KNOWN)
        policy, expected = random.choice(
            (("all", self.ids[i]), ("none", self.plain[i]), (list(self.tokenizer.added), self.ids[i]))
        )
        found = self.tokenizer.encode(self.texts[i], allowed_special=policy)
        return None if found == expected else f"{self.texts[i]!a}, {policy!r}: {found}, at first {expected}"

    def encode_new(self, random: Random) -> str | None:
        text = f"{hard_texts.text(random)}{random.getrandbits(64)}"
        found = self.tokenizer.decode_bytes(self.tokenizer.encode(text, allowed_special="none"))
        return None if found == text.encode() else f"{text!a} comes back as {found!r}"

    def decode(self, random: Random) -> str | None:
        i = random.randrange(KNOWN)
        id = random.randrange(self.tokenizer.vocab_size)
        if self.tokenizer.token_to_id(self.tokenizer.id_to_token(id)) != id:
            return f"the token of {id} has another id"
        return None if self.tokenizer.decode(self.ids[i]) == self.texts[i] else f"{self.ids[i]} decodes to another text"

    def batch(self, random: Random) -> str | None:
        start = random.randrange(KNOWN - 20)
        found = self.tokenizer.encode_batch(self.texts[start : start + 20])
        return None if found == self.ids[start : start + 20] else f"a batch from {start} has other ids"

    def long_text(self, random: Random) -> str | None:
        text = "".join(random.choices(self.texts, k=40)) + "x" * random.randrange(3000)
        found = self.tokenizer.decode(self.tokenizer.encode(text))
        return None if found == text else "a long text does not come back"

    def copy(self, random: Random) -> str | None:
        if random.random() < 0.98:  # 3 MB each time
            return None
        i = random.randrange(KNOWN)
        return (
            None
            if pickle.loads(pickle.dumps(self.tokenizer)).encode(self.texts[i]) == self.ids[i]
            else "a copy has other ids"
        )

    def train(self, random: Random) -> str | None:
        corpus = hard_texts.corpus(random, length=20)
        trained = BPETokenizer.train(corpus, 290, ["<s>"], 1)
        with tempfile.TemporaryDirectory() as folder:
            trained.save(Path(folder, "tokenizer.json"))
            loaded = BPETokenizer.load(Path(folder, "tokenizer.json"))
        return (
            None
            if loaded.encode_batch(corpus) == trained.encode_batch(corpus)
            else f"trained on {corpus!a}, saved: other ids"
        )


def soak(path: str, seed: str, seconds: float, threads: int, cached: int, answer: Any) -> None:
    """One process: its threads, and its memory while they work."""
    memo.CACHED = cached
    started = time.monotonic()
    work = Soak(BPETokenizer.load(path), seed, seconds)
    workers = [threading.Thread(target=work.work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    samples = []
    while any(worker.is_alive() for worker in workers):
        time.sleep(min(1.0, seconds / 200))
        samples.append((time.monotonic() - started, {"blocks": sys.getallocatedblocks(), "bytes": resident()}))
    memory = {
        measure: [
            median(sample[measure] for at, sample in samples if start * seconds <= at < end * seconds)
            for start, end in ((0.2, 0.4), (0.8, 1.0))
        ]
        for measure in GROWTH
    }
    answer.put({"operations": work.operations, "differences": work.differences, "memory": memory})


def resident() -> int:
    """Bytes of this process that are in memory."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux: the most it ever was will do
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--threads", type=int, default=8, help="in each process")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--cached", type=int, default=memo.CACHED, help="entries of a cache (default: as the library has it)"
    )
    parser.add_argument("--seed", default="soak")
    options = parser.parse_args(arguments)
    path = str(PYTHON.parent / "course" / "fixtures" / "gpt2" / "tokenizer.json")
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    children = [
        context.Process(
            target=soak,
            args=(path, f"{options.seed}/{number}", options.seconds, options.threads, options.cached, answers),
        )
        for number in range(options.processes)
    ]
    for child in children:
        child.start()
    results = [answers.get(timeout=options.seconds + 120) for _ in children]
    for child in children:
        child.join()
    failed = False
    for number, result in enumerate(results):
        (blocks, blocks_late), (size, size_late) = result["memory"]["blocks"], result["memory"]["bytes"]
        print(
            f"process {number}: {result['operations']:,} operations by {options.threads} threads in {options.seconds:.0f} s, "
            f"{len(result['differences'])} differences; {blocks:,.0f} blocks early, {blocks_late:,.0f} late; "
            f"{size / 1e6:.0f} MB early, {size_late / 1e6:.0f} MB late"
        )
        for difference in result["differences"][:10]:
            print(f"  {difference}")
        failed |= bool(result["differences"])
        failed |= any(late > GROWTH[measure] * early for measure, (early, late) in result["memory"].items())
    print(json.dumps({"operations": sum(result["operations"] for result in results), "seed": options.seed}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

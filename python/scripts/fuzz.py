"""Look for differences from Hugging Face and tiktoken in random inputs, as many as you like.

    python python/scripts/fuzz.py 1000000                 a million inputs, spread over all families
    python python/scripts/fuzz.py 1000 --family training  one family alone
    python python/scripts/fuzz.py --family training --seed 7 --at 1234    one input again, the one a report named

The inputs are those of `python/tests/support/differential.py`, of which every test run tries some hundred. The seed
is today's date unless given, so that each day tries others; the report names it. Differences go to standard output.

Exit status: 0 no difference, 1 differences, 2 bad arguments.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

PYTHON = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PYTHON), str(PYTHON / "tests" / "support")]

from differential import FAMILIES  # noqa: E402

# Inputs of a family in 1,000: about the same time for each, but for the texts, which stand for everything a user may write.
SHARES = {
    "texts of gpt2": 330,
    "texts of smollm2": 290,
    "ids of gpt2": 60,
    "ids of smollm2": 60,
    "trained tokenizers": 5,
    "odd merges": 25,
    "training": 30,
    "training with specials": 20,
    "split patterns": 60,
    "refused split patterns": 60,
    "published split patterns": 60,
}
BATCH = 2000  # inputs a worker tries before it reports
SHOWN = 20  # differences of a family that are printed


def try_batch(family: str, seed: str, numbers: range) -> list[tuple[int, str]]:
    """(number of the input, difference) of a batch; an exception is a difference, too."""
    found = []
    for number in numbers:
        try:
            difference = FAMILIES[family](Random(f"{seed}/{family}/{number}"))
        except Exception:
            difference = traceback.format_exc()
        if difference is not None:
            found.append((number, difference))
    return found


def batches(family: str, inputs: int) -> Iterator[range]:
    size = BATCH if "texts" in family or "ids" in family else 50
    for start in range(0, inputs, size):
        yield range(start, min(start + size, inputs))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("inputs", type=int, nargs="?", default=10_000, help="how many inputs to try (default: 10000)")
    parser.add_argument("--family", choices=FAMILIES, help="one family alone")
    parser.add_argument("--seed", default=datetime.date.today().isoformat(), help="default: today's date")
    parser.add_argument("--at", type=int, help="try this one input again")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    options = parser.parse_args(arguments)
    if options.at is not None:
        if options.family is None:
            parser.error("--at needs --family")
        found = try_batch(options.family, options.seed, range(options.at, options.at + 1))
        print(found[0][1] if found else "no difference")
        return 1 if found else 0

    total = differing = 0
    with ProcessPoolExecutor(options.workers) as pool:
        for family in [options.family] if options.family else FAMILIES:
            started = time.monotonic()
            inputs = (
                options.inputs if options.family else max(1, options.inputs * SHARES[family] // sum(SHARES.values()))
            )
            results = [pool.submit(try_batch, family, options.seed, numbers) for numbers in batches(family, inputs)]
            found = [difference for result in results for difference in result.result()]
            seconds = time.monotonic() - started
            print(f"{family:<24} {inputs:>9,} inputs {len(found):>6,} differences {seconds:8.1f} s", flush=True)
            for number, difference in found[:SHOWN]:
                print(f"  --family {family!r} --seed {options.seed} --at {number}: {difference}")
            total += inputs
            differing += len(found)
    print(f"{'all':<24} {total:>9,} inputs {differing:>6,} differences   seed {options.seed}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

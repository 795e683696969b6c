"""Write the merges that Hugging Face's BpeTrainer learns from the story, for test_trainer_matches_hf_merges.

    python python/scripts/make_training_golden.py            write course/fixtures/training/merges.json
    python python/scripts/make_training_golden.py --check    compare with the file on disk, write nothing

The specials do not occur in the story: Hugging Face would learn their text as ordinary text, which the course does not want.

Exit status: 0 as promised, 1 the file differs (--check), 2 another version of tokenizers than the recorded one.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import tokenizers
from generated import ROOT, write_or_compare
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

FOLDER = ROOT / "course" / "fixtures" / "training"
VERSION = "0.23.3"

# Each ends for another reason: the size is reached (three), the best count is too small, no pair is left.
CONFIGS: list[dict[str, Any]] = [
    {"vocab_size": 300, "specials": [], "min_freq": 2},
    {"vocab_size": 400, "specials": ["<|endoftext|>"], "min_freq": 2},
    {"vocab_size": 640, "specials": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], "min_freq": 1},
    {"vocab_size": 2000, "specials": [], "min_freq": 5},
    {"vocab_size": 9000, "specials": ["<|endoftext|>"], "min_freq": 1},
]


def hf_merges(texts: list[str], config: dict[str, Any]) -> list[list[str]]:
    tokenizer = tokenizers.Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    trainer = BpeTrainer(
        vocab_size=config["vocab_size"],
        min_frequency=config["min_freq"],
        special_tokens=config["specials"],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return json.loads(tokenizer.to_str())["model"]["merges"]


def golden() -> str:
    story = (FOLDER / "story.txt").read_text(encoding="utf-8")
    paragraphs = story.split("\n\n")
    lines = []
    for config in CONFIGS:
        merges = [f"{left} {right}" for left, right in hf_merges(paragraphs, config)]
        lines.append(json.dumps({**config, "merges": merges}, ensure_ascii=False))
    return (
        f'{{"tokenizers": "{VERSION}", "texts": "story.txt, cut at empty lines", "configs": [\n'
        + ",\n".join(lines)
        + "\n]}\n"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the file on disk, write nothing")
    options = parser.parse_args(arguments)
    if tokenizers.__version__ != VERSION:
        print(f"make_training_golden: this needs tokenizers {VERSION}, found {tokenizers.__version__}", file=sys.stderr)
        return 2
    return write_or_compare({FOLDER / "merges.json": golden()}, options.check)


if __name__ == "__main__":
    sys.exit(main())

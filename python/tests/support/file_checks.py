"""A whole tokenizer.json read by us and by Hugging Face, and compared; a failure is made small by `shrinking.py`.

`check_file` compares one file on given texts, `try_file` one that `random_files.py` draws, `Total` counts what came of many.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import random_parts
import tokenizers
from comparison import Comparison, Difference, Outcome, Tally, ours, theirs
from random_files import File, draw
from random_files import texts as draw_texts
from shrinking import shrink

from tinyllm.tok import pretrained

Load = Callable[[File], Any]

# What may be refused though Hugging Face reads it: the pattern of a line of the error -> why. Anything else that is refused
# in a drawn file is a failure.
REFUSALS = {
    r"added_tokens\[\d+\]\.id is ": "a gap in the ids, and the added token's id is one of the vocabulary's: a clash",
    r"model\.byte_fallback is true; it must be false with a ": "fallback and prefixes or suffixes meet in no model's file",
}


@dataclass
class Result:
    """What came of one file: how it was read, and the differences found."""

    loaded: bool = False  # by both
    refused_by_both: bool = False
    refused_here: list[str] = field(default_factory=list)  # by ours alone, for reasons on the list
    differences: list[Difference] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)


def load(file: File) -> Any:
    """Our tokenizer of a file, read as a user reads it."""
    return load_text(json.dumps(file))


def load_text(text: str) -> Any:
    """The same for the text of a file. The name of the file is left out of an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(text, "utf-8")
        try:
            return pretrained.load(path)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"{path}: ")) from None


def check_file(file: File, texts: Sequence[str], load: Load = load, most: int = 1) -> Result:
    """Ours beside Hugging Face's on one file and these texts; at most `most` differences are looked for."""
    result = Result()
    hf = theirs(lambda: tokenizers.Tokenizer.from_str(json.dumps(file)))
    made = ours(lambda: load(file))
    if hf.kind == "refused" or made.kind != "value":
        if made.kind == "refused" and (hf.kind == "refused" or refuses_all(hf.value, texts)):
            result.refused_by_both = True
        elif made.kind == "refused" and not (unlisted := not_listed(made.value)):
            result.refused_here = reasons(made.value)
        else:
            told = (
                Outcome(made.kind, made.value if made.kind != "refused" else unlisted) if made.kind != "value" else made
            )
            result.differences.append(Difference("loading", None, told, hf))
        return result
    result.loaded = True
    comparison = Comparison(made.value, hf.value, unaligned(file["normalizer"]))
    for found in (comparison.differences(texts), comparison.of_tokens(most=100)):
        for difference in found:
            if len(result.differences) < most:
                result.differences.append(difference)
            else:
                break
    result.tally = comparison.tally
    return result


def refuses_all(hf: tokenizers.Tokenizer, texts: Sequence[str]) -> bool:
    """Whether Hugging Face reads the file and then panics on whatever is encoded; ours may say so when it reads the file."""
    return all(theirs(lambda: hf.encode(text)).kind == "refused" for text in ("", "a b", *texts))  # noqa: B023


def unaligned(normalizer: Any) -> bool:
    """Whether offsets may be refused: a Unicode form is among the normalizers."""
    if not isinstance(normalizer, dict):
        return False
    return normalizer.get("type") in random_parts.UNICODE_FORMS or any(
        map(unaligned, normalizer.get("normalizers", ()))
    )


def reasons(message: str) -> list[str]:
    """The lines of a refusal, one a field."""
    lines = message.splitlines()
    return [line.strip() for line in (lines[1:] if len(lines) > 1 else lines)]


def not_listed(message: str) -> list[str]:
    """The lines of a refusal that no row of REFUSALS allows."""
    return [line for line in reasons(message) if not any(re.match(allowed, line) for allowed in REFUSALS)]


# One file drawn by number: what the suite and `make fuzz` try


def try_file(seed: str, count: int = 50, load: Load = load) -> tuple[Result, str | None]:
    """(what came of the file with this seed, a report of its failure made small, or None)."""
    random = Random(seed)
    file = draw(random)
    result = check_file(file, draw_texts(random, file, count), load)
    return result, report(file, result.differences[0], load) if result.differences else None


def report(file: File, difference: Difference, load: Load = load) -> str:
    """The smallest file found that differs in the same aspect, and the difference."""
    shown = difference

    def fails(file: File, text: str) -> bool:
        nonlocal shown
        inputs = difference.input if difference.aspect == "ids in a batch" else [text]
        for found in check_file(file, inputs, load, most=3).differences:
            if kind_of(found) == kind_of(difference):
                shown = found
                return True
        return False

    # The text of ids is compared wherever some text has these ids; without such a text nothing is made smaller.
    text = difference.input if isinstance(difference.input, str) else ""
    if fails(file, text):
        file, text = shrink(file, text, fails)
        fails(file, text)
    return f"{shown}\n  file {json.dumps(file, ensure_ascii=False)}"


def kind_of(difference: Difference) -> tuple[str, ...]:
    """What must stay the same while a failure is made small: the aspect, who refuses, and which field we refuse."""
    field = str(difference.ours.value).partition(" is ")[0] if difference.aspect == "loading" else ""
    return difference.aspect, difference.ours.kind, difference.theirs.kind, field


@dataclass
class Total:
    """What came of many files."""

    files: int = 0
    refused_by_both: int = 0
    refused_here: int = 0
    tally: Tally = field(default_factory=Tally)
    reports: list[str] = field(default_factory=list)

    def add(self, result: Result, report: str | None) -> None:
        """Count one file."""
        reports = [report] if report else []
        self.merge(Total(1, int(result.refused_by_both), int(bool(result.refused_here)), result.tally, reports))

    def merge(self, other: Total) -> None:
        """Count what another has counted."""
        self.files += other.files
        self.refused_by_both += other.refused_by_both
        self.refused_here += other.refused_here
        self.tally.add(other.tally)
        self.reports += other.reports

    def __str__(self) -> str:
        why = "".join(f"\n  {count:>6,} texts: {reason}" for reason, count in self.tally.reasons.items())
        return (
            f"{self.files:,} files, {self.refused_by_both:,} refused by both, {self.refused_here:,} refused by ours for a listed "
            f"reason; {self.tally.texts:,} texts, {self.tally.refused:,} refused by both, {self.tally.without_offsets:,} without "
            f"offsets{why}"
        )

"""Random tokenizer.json files of the wide subset give what Hugging Face gives. `make fuzz` tries 100,000 of them.

The harness itself comes first: compared with itself Hugging Face shows no difference, and one mistake in a loader is found and
made small.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import comparison
import file_checks
import pytest
import random_files
import random_parts
import tokenizers
from comparison import ByHuggingFace
from random_files import File

FILES, TEXTS = 2000, 50
PART = 50  # files of one test, so that workers can share them
CAP = 0.05  # of all files, and of all texts: where Hugging Face refuses or panics, and ours must refuse


def by_hugging_face(file: File) -> ByHuggingFace:
    return ByHuggingFace(json.dumps(file))


def with_flags(file: File, **flags: bool) -> File:
    """The file with these flags on all its added tokens."""
    return {**file, "added_tokens": [{**token, **flags} for token in file["added_tokens"]]}


# Loaders that pass over one thing: what the comparison is there to find.
MISTAKES: dict[str, Callable[[File], File]] = {
    "lstrip is passed over": lambda file: with_flags(file, lstrip=False),
    "single_word is passed over": lambda file: with_flags(file, single_word=False),
    "the two passes are one": lambda file: with_flags(file, normalized=False),
    "special is passed over": lambda file: with_flags(file, special=False),
    "the normalizer is passed over": lambda file: {**file, "normalizer": None},
    "the post-processor is passed over": lambda file: {**file, "post_processor": None},
    "padding is passed over": lambda file: {**file, "padding": None},
    "truncation is passed over": lambda file: {**file, "truncation": None},
    "the decoder is passed over": lambda file: {**file, "decoder": None},
    "ignore_merges is passed over": lambda file: {**file, "model": {**file["model"], "ignore_merges": False}},
    "fuse_unk is passed over": lambda file: {**file, "model": {**file["model"], "fuse_unk": False}},
}


def test_hugging_face_shows_no_difference_from_itself() -> None:
    with comparison.panics_unheard():
        tried = [file_checks.try_file(f"itself/{number}", 10, by_hugging_face) for number in range(60)]
    assert [report for _, report in tried if report] == []
    assert sum(result.loaded for result, _ in tried) > 50


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_loader_that_passes_over_something_is_found(mistake: str) -> None:
    def load(file: File) -> Any:
        return by_hugging_face(MISTAKES[mistake](file))

    with comparison.panics_unheard():
        for number in range(200):
            file = random_files.draw(random_files.Random(f"mistake/{number}"))
            texts = random_files.texts(random_files.Random(number), file, 20)
            if file_checks.check_file(file, texts, load).differences:
                return
    pytest.fail("200 files did not show it")


def test_a_failure_is_made_small() -> None:
    def load(file: File) -> Any:
        return by_hugging_face({**file, "normalizer": None})

    with comparison.panics_unheard():
        reports = (file_checks.try_file(f"small/{number}", 10, load)[1] for number in range(100))
        found = next(report for report in reports if report is not None and report.startswith("ids of"))
    file = json.loads(found.partition("\n  file ")[2])
    left = {section for section in ("normalizer", "post_processor", "truncation", "padding") if file[section]}
    assert left == {"normalizer"}
    assert len(file["model"]["vocab"]) <= 2 and file["model"]["merges"] == [] and file["added_tokens"] == []


def test_two_added_tokens_that_the_normalizer_makes_equal_are_not_drawn() -> None:
    """Hugging Face takes one or the other by the order of a hash map, so in one process they differ soon."""
    file = random_files.draw(random_files.Random("none"))
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    file["normalizer"] = {"type": "Lowercase"}
    file["model"] = {**file["model"], "vocab": {"a": 0, "A": 1, "b": 2}, "merges": [], "unk_token": None}
    file["added_tokens"] = [{"id": 0, "content": "a", **added}, {"id": 1, "content": "A", **added}]
    file["truncation"] = file["padding"] = file["post_processor"] = None
    text = json.dumps(file)
    seen = {tuple(tokenizers.Tokenizer.from_str(text).encode("a").ids) for _ in range(200)}
    assert seen == {(0,), (1,)}
    assert [token["content"] for token in random_files.with_their_ids(file)["added_tokens"]] == ["a"]


def test_every_part_of_the_grammar_is_drawn() -> None:
    drawn = [random_files.draw(random_files.Random(f"drawn/{number}")) for number in range(300)]
    types = {kind for file in drawn for section in file.values() for kind in types_in(section)}
    assert types == {
        *("BPE", "Sequence", "Replace", "Strip", "Metaspace", "ByteLevel", "Fuse", "ByteFallback"),
        *random_parts.UNICODE_FORMS,
        *("Lowercase", "StripAccents", "Prepend", "Split", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit"),
        *("TemplateProcessing", "BertProcessing", "RobertaProcessing"),
    }
    for option in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges"):
        assert {bool(file["model"].get(option)) for file in drawn} == {True, False}, option
    for section in ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"):
        assert {file[section] is None for file in drawn} == {True, False}, section


def types_in(value: Any) -> set[str]:
    """What stands at `type`, anywhere below."""
    if isinstance(value, list):
        return set().union(*map(types_in, value))
    if not isinstance(value, dict):
        return set()
    below = set().union(*(types_in(child) for key, child in value.items() if key != "vocab"))
    return below | ({value["type"]} if isinstance(value.get("type"), str) else set())


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, FILES, PART))
def test_no_difference_from_hugging_face(start: int) -> None:
    """Where Hugging Face refuses a file or a text, ours does; a file that ours alone refuses is refused for a reason on the list."""
    total = file_checks.Total()
    with comparison.panics_unheard():
        for number in range(start, start + PART):
            total.add(*file_checks.try_file(f"suite/{number}", TEXTS))
    print(total)
    assert total.reports == []


@pytest.mark.slow
def test_hugging_face_refuses_few_of_the_files_and_texts() -> None:
    """Else the comparison would say less than it seems to: a property of what is drawn, whoever reads it."""
    total = file_checks.Total()
    with comparison.panics_unheard():
        for number in range(0, FILES, 10):
            total.add(*file_checks.try_file(f"suite/{number}", TEXTS, by_hugging_face))
    print(total)
    assert total.refused_by_both <= CAP * total.files
    assert total.tally.refused <= CAP * total.tally.texts

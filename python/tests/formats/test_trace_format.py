"""course/formats/trace.md against the records it describes."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hf_json import document

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.explain import records, to_json, trace_encode, trace_train
from tinyllm.tok.pipeline import Pipeline

PAGE = (Path(__file__).resolve().parents[3] / "course" / "formats" / "trace.md").read_text("utf-8")
ENCODE_EXAMPLE, PIPELINE_EXAMPLE, TRAIN_EXAMPLE = map(json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))


def test_the_encode_example_is_what_trace_encode_gives() -> None:
    tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2, "bb": 3}, [("a", "b"), ("b", "b")])
    assert json.loads(to_json(trace_encode(tokenizer, "abb"))) == ENCODE_EXAMPLE


def test_the_example_of_a_pipeline_is_what_trace_encode_gives() -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}},
    }
    file = document(
        {"a": 0, "b": 1, "ab": 2},
        [("a", "b")],
        [("<s>", 3, True)],
        normalizer={"type": "Lowercase"},
        post_processor=template,
    )
    assert json.loads(to_json(trace_encode(Pipeline(file), "AB"))) == PIPELINE_EXAMPLE


def test_the_train_example_is_what_trace_train_gives() -> None:
    assert json.loads(to_json(trace_train(["aab", "aab"], 257))) == TRAIN_EXAMPLE


@pytest.mark.parametrize(
    "record", [record for record in vars(records).values() if is_dataclass(record)], ids=lambda record: record.__name__
)
def test_every_field_of_every_record_is_described(record: type) -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert {field.name for field in fields(record)} <= named

"""The inputs of every course test are ones for which the contract promises an outcome.

The tests run on a strict wheat: the reference behind modules that refuse any other input (`strict/`). A test that passes
an input outside the contract would fail a correct class that happens to mind it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ol.catalog import Course, Module
from ol.grade import Suite
from ol.judge import judge_sources
from ol.sandbox import Workshop, workshop
from ol.stage import Source, Sources, Stage, folder_sources, reference_sources
from ol.verdict import PASSED, verdict_of

ROOT = Path(__file__).resolve().parents[3]
COURSE = Course.load(ROOT / "course")
STRICT = folder_sources(Path(__file__).resolve().parent / "strict", "python/")
WITHOUT_INPUTS = {"python/tinyllm/tok/bytemap.py"}  # its two functions take none


def strict_sources(module: Module) -> Sources:
    """The reference of `module`, each file that has a strict one behind it."""
    sources = reference_sources(COURSE, module)
    for path in sorted(STRICT.keys() & sources.keys()):
        folder, _, name = path.rpartition("/")
        sources[f"{folder}/unguarded_{name}"] = sources[path]
        sources[path] = STRICT[path]
    ranges = json.loads((COURSE.path / "fixtures/unicode16/classes.json").read_text("utf-8"))["version_dependent"]
    characters = f"frozenset(chr(code) for first, last in {ranges} for code in range(first, last + 1))"
    sources["python/tinyllm/tok/changing.py"] = Source(f"CHANGING = {characters}\n".encode(), "changing.py")
    return sources | {path: STRICT[path] for path in STRICT if path.endswith("/guard.py")}


@pytest.fixture(scope="module")
def shop() -> Iterator[Workshop]:
    with workshop() as made:
        yield made


WITH_CONTRACT = [module for module in COURSE.modules.values() if module.contracts and not module.later]


@pytest.mark.parametrize("module", WITH_CONTRACT, ids=lambda module: module.id)
def test_course_tests_pass_where_every_precondition_is_enforced(shop: Workshop, module: Module) -> None:
    assert {*module.paths} - WITHOUT_INPUTS <= STRICT.keys(), "each file that takes inputs has a strict one"
    run = judge_sources(shop, COURSE, module, strict_sources(module))
    verdict, notes = verdict_of(module, run)
    failures = [(record.get("name"), record["failure"]) for record in run.records if record.get("failure")]
    assert verdict == PASSED, (notes, [failure for failure in failures if failure[0] not in run.canaries])


def test_the_model_suite_passes_where_every_precondition_is_enforced(shop: Workshop) -> None:
    module = COURSE.module("L1.2")
    suite = Suite.of(shop, COURSE, module, (ROOT / module.own_tests).parent)
    run = suite.run(strict_sources(module), module.limits.tests)
    assert run.of("test") and [record["name"] for record in run.of("test") if record["outcome"] != "passed"] == []


NAMES = """
from tinyllm.tok.base import check_ids
from tinyllm.tok.bpe import BPETokenizer as BPE
from tinyllm.tok.byte import ByteTokenizer as Byte
from tinyllm.tok.char import CharTokenizer as Char
from tinyllm.tok.guard import OutsideContract
from tinyllm.tok.pretok import is_letter, is_number, pretokenize_gpt2, split_digits
from tinyllm.tok.trie import Trie
DIGITS = {"type": "Digits", "individual_digits": True}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
def names_it(call):
    try: return eval(call) and None
    except OutsideContract: return "outside"
    except Exception as error: return type(error).__name__
"""

# A call -> what comes of it: "outside", the exception that the contract names, or None where all is well.
CALLS = {
    'BPE({"日": 0}, [])': "outside",
    'BPE({"日": 0}, [], [("日", 0, False)])': None,
    'BPE({" ": 0}, [])': "outside",
    'BPE({"a": True}, [])': "outside",
    'BPE({"a": 1}, [])': "ValueError",
    'BPE({"a": 0, "aa": 1}, [["a", "a"]])': "outside",
    'BPE({"a": 0}, [("a", "a")])': "ValueError",
    'BPE({"a": 0}, [], [("x", 2, True), ("y", 1, True)])': "outside",
    'BPE({"a": 0}, [], [("x", 5, True)])': "ValueError",
    'BPE({"a": 0, "b": 1}, [], [("b", 0, True)])': "ValueError",
    'BPE({"a": 0}, [], [("", 1, True)])': "outside",
    'BPE({"a": 0}, [], [["x", 1, True]])': "outside",
    'BPE({"a": 0}, [], (), {"type": "Whitespace"})': "outside",
    'BPE({"a": 0}, [], (), {"type": "Sequence", "pretokenizers": [DIGITS, BYTE_LEVEL]})': None,
    'BPE.train("hug", 256)': "outside",
    'BPE.train([b"hug"], 256)': "outside",
    'BPE.train(["\\ud800"], 256)': "outside",
    'BPE.train(["\\u1c89"], 256)': "outside",
    "BPE.train([], 256.0)": "outside",
    'BPE.train([], 256, "<s>")': "outside",
    'BPE.train([], 257, ["a"])': "ValueError",
    'BPE({"a": 0}, []).encode("\\ud800")': "ValueError",
    'BPE({"a": 0}, []).encode(7)': "TypeError",
    'BPE({"a": 0}, []).encode("a", allowed_special=None)': "outside",
    'BPE({"a": 0}, []).encode("a", allowed_special="some")': "ValueError",
    'BPE({"a": 0}, []).encode_batch(iter(["a"]))': "outside",
    'BPE({"a": 0}, []).encode_batch("a")': "TypeError",
    'BPE({"a": 0}, []).decode(0)': "outside",
    'BPE({"a": 0}, []).decode([0], errors="ignore")': "outside",
    'BPE({"a": 0}, []).decode_bytes("a")': "outside",
    'BPE({"a": 0}, []).token_to_id(0)': "outside",
    'BPE({"a": 0}, []).save(7)': "outside",
    "is_letter('\\u1c89')": "outside",
    "is_number('12')": "TypeError",
    "pretokenize_gpt2('\\ud800')": "outside",
    "split_digits('a', 1)": "outside",
    "Trie().insert(1, 1)": "outside",
    "Trie().longest_prefix('a', 1.0)": "outside",
    "Trie().insert('', 1)": "ValueError",
    "check_ids(7, 3)": "outside",
    "check_ids([None], 3)": "TypeError",
    "check_ids([0], 3.0)": "outside",
    "Byte().decode('a')": "outside",
    "Char({'<unk>': 0, 'a': '1'})": "outside",
    "Char.train('ab')": "outside",
    "Char.train(['ab'], 1.5)": "outside",
}


def test_the_strict_wheat_refuses_what_no_contract_speaks_of_and_nothing_else(shop: Workshop) -> None:
    sources = strict_sources(COURSE.module("L1.2")) | strict_sources(COURSE.module("L1.1"))
    stage = Stage(shop, sources, COURSE.module("L1.2").limits)
    program = f"{NAMES}\nimport json\nprint(json.dumps([names_it(call) for call in {[*CALLS]!r}]))"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=stage.folder / "python", capture_output=True, text=True, check=True
    )
    assert dict(zip(CALLS, json.loads(ended.stdout))) == CALLS

"""course/formats/vectors.md: the files are as the page says, and its command and its loop run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok import pretrained

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "course" / "formats" / "vectors.md").read_text("utf-8")
ORACLES = {name: ROOT / "course" / "fixtures" / name / "oracle.jsonl" for name in pretrained.NAMES}
UNICODE_DEPENDENT = ROOT / "python" / "tests" / "fixtures" / "unicode_dependent.jsonl"


def objects(path: Path) -> list[Any]:
    content = path.read_bytes()
    assert content.endswith(b"\n") and b"\r" not in content
    return [json.loads(line) for line in content.decode("ascii").split("\n")[:-1]]


@pytest.mark.parametrize("path", [*ORACLES.values(), UNICODE_DEPENDENT], ids=[*ORACLES, "unicode_dependent"])
def test_a_file_of_vectors_is_ascii_json_lines_spelled_as_json_dumps_spells(path: Path) -> None:
    found = objects(path)
    assert path.read_bytes() == b"".join(json.dumps(case).encode() + b"\n" for case in found)
    for case in found:
        assert set(case) - {"tokenizer"} == {"text", "ids"}
        case["text"].encode("utf-8")  # no lone surrogate


@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_has_300_texts_no_two_alike(name: str) -> None:
    assert len({case["text"] for case in objects(ORACLES[name])}) == 300


@pytest.mark.parametrize("name", ORACLES)
def test_the_ids_give_the_text_back_but_for_bytes_that_the_vocabulary_lacks(name: str) -> None:
    tokenizer = pretrained.load(name)
    lacking = [byte for byte, symbol in byte_alphabet().items() if tokenizer.token_to_id(symbol) is None]
    assert len(lacking) == {"gpt2": 0, "smollm2": 21}[name]
    for case in objects(ORACLES[name]):
        kept = case["text"].encode("utf-8").translate(None, bytes(lacking))
        assert tokenizer.decode(case["ids"]) == kept.decode("utf-8", "replace")


def byte_alphabet() -> dict[int, str]:
    from tinyllm.tok.bytemap import bytes_to_unicode

    return bytes_to_unicode()


def test_the_pages_lines_are_the_first_of_the_oracle() -> None:
    shown = re.search(r"```\n(.*?)```", PAGE, re.DOTALL)[1]  # type: ignore[index]
    assert ORACLES["gpt2"].read_text("ascii").startswith(shown)


def test_the_pages_command_finds_no_difference(tmp_path: Path) -> None:
    command = re.search(r"```\n(tok encode.*?)```", PAGE, re.DOTALL)[1]  # type: ignore[index]
    tok = tmp_path / "tok"
    tok.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tinyllm.tok.cli "$@"\n')
    tok.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def port(tmp_path: Path) -> Path:
    """The page's loop, beside a port.mjs that is the course's own port with GPT-2's files."""
    if shutil.which("node") is None:
        pytest.skip("there is no Node here to run the page's loop")
    course = ROOT / "course"
    (tmp_path / "port.mjs").write_text(
        f"""
        import {{ readFileSync }} from "node:fs";
        import {{ BPETokenizer }} from "{course / "ports" / "bpe.mjs"}";
        const read = (path) => JSON.parse(readFileSync(path, "utf8"));
        const tokenizer = new BPETokenizer(read("{course / "fixtures" / "gpt2" / "tokenizer.json"}"), read("{course / "fixtures" / "unicode16" / "classes.json"}"));
        export const encode = (text) => tokenizer.encode(text);
        """
    )
    loop = tmp_path / "compare.mjs"
    loop.write_text(re.search(r"```js\n(.*?)```", PAGE, re.DOTALL)[1])  # type: ignore[index]
    return loop


def test_the_pages_loop_finds_the_courses_port_right(port: Path) -> None:
    done = subprocess.run(["node", port, ORACLES["gpt2"]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "300 texts, same ids\n", "")


def test_the_pages_loop_shows_the_first_difference(port: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"text": "Hi", "ids": [17250]}\n{"text": "a\\tb", "ids": [64, 197, 66]}\n')
    done = subprocess.run(["node", port, cases], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == 'line 2: "a\\tb"\n  expected 64,197,66\n  got      64,197,65\n'

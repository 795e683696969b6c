"""The page for porters, course/ports/README.md: its examples are what this library does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splitting.declaration import pretokenizer_of

PORTS = Path(__file__).resolve().parents[3] / "course" / "ports"
PAGE = (PORTS / "README.md").read_text("utf-8")
SECTION = PAGE.partition("\n## The algorithm, whole\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_the_splits_that_it_shows_are_made(name: str, request: pytest.FixtureRequest) -> None:
    tokenizer: BPETokenizer = request.getfixturevalue(name)
    pretokenize = pretokenizer_of(tokenizer.pre_tokenizer).pretokenize
    lines = SECTION.partition("```json\n")[2].partition("```\n")[0].splitlines()
    assert len(lines) == 8
    for line in map(json.loads, lines):
        pretokens = [
            [segment] if added_id is not None else pretokenize(segment)
            for segment, added_id in segments(tokenizer, line["text"])
        ]
        assert [pretoken for part in pretokens for pretoken in part] == line[name]


def segments(tokenizer: BPETokenizer, text: str) -> list[tuple[str, int | None]]:
    """The text cut at its added tokens, each of which is a segment of its own."""
    found = re.split(f"({'|'.join(map(re.escape, tokenizer.added))})", text)
    return [(segment, tokenizer.added.get(segment)) for segment in found if segment]


def test_the_merges_that_it_shows_are_made() -> None:
    rows = re.findall(r"^\| (`.+`) \| ([ab c]+) \| ([abc ]+):", SECTION, re.MULTILINE)
    assert len(rows) == 3
    for shown, symbols, become in rows:
        merges = [tuple(merge.split()) for merge in re.findall(r"`([^`]+)`", shown)]
        vocab = {token: id for id, token in enumerate([*"abc", *map("".join, merges)])}
        ids = BPETokenizer(vocab, merges).encode(symbols.replace(" ", ""))
        assert ids == [vocab[token] for token in become.split()]


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_the_lines_that_have_noncharacters_are_those_that_it_names(name: str) -> None:
    (named,) = re.findall(r"Lines ([\d, and]+) of the oracles have them", PAGE)
    lines = (PORTS.parent / "fixtures" / name / "oracle.jsonl").read_text("utf-8").split("\n")[:-1]
    having = [
        number
        for number, line in enumerate(lines, start=1)
        if any(0xFDD0 <= ord(ch) <= 0xFDEF or ord(ch) & 0xFFFE == 0xFFFE for ch in json.loads(line)["text"])
    ]
    assert list(map(int, re.findall(r"\d+", named))) == having

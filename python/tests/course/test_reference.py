"""The chapter of L1.2 against the plain reference, line by line: each number worked by hand is what the reference gives."""

from __future__ import annotations

import ast
import doctest
import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import plain
import pytest

from tinyllm.tok.bpe import BPETokenizer

ROOT = Path(__file__).resolve().parents[3]
CHAPTER = (ROOT / "course/chapters/L1.2.md").read_text("utf-8")
SOURCES = {name: (plain.FOLDER / f"{name}.py").read_text("utf-8") for name in ("pretok", "bpe")}
HUGS = ["hug", "hug", "pug", "hugs"]
REQUIRED = {"base": ["Tokenizer", "check_ids"], "bytemap": ["bytes_to_unicode", "unicode_to_bytes"], "trie": ["Trie"]}


def section(title: str) -> str:
    return re.split(r"^#+ ", CHAPTER.partition(f"# {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(title: str) -> list[list[str]]:
    """The rows of the table in a section, cell by cell."""
    found = re.findall(r"^\| (.*) \|$", section(title), re.MULTILINE)
    return [[cell.strip() for cell in row.split(" | ")] for row in found[1:]]


# ---- what it is made of ----


def test_it_stands_on_what_students_have_and_nothing_else() -> None:
    for name, source in SOURCES.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("tinyllm"):
                module = node.module.rpartition(".")[2]
                if module in REQUIRED:
                    assert {alias.name for alias in node.names} <= {*REQUIRED[module]}, module
                else:
                    assert module in {"unicode16", "jsonfile", "pretok"}, f"{name} imports {module}"
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names
                assert name != "pretok" or not {"re", "regex"} & {*modules}


def test_each_file_can_be_read_in_one_sitting() -> None:
    assert len(SOURCES["pretok"].splitlines()) < 200
    assert len(SOURCES["bpe"].splitlines()) <= 400


# ---- the order of the chapter ----


def test_the_class_goes_through_the_sections_in_their_order() -> None:
    of_the_class = SOURCES["bpe"].partition("class BPETokenizer")[2].partition("\n# ----")[0]
    assert re.findall(r"Section (2\.\d)", of_the_class) == ["2.3", "2.4", "2.5", "2.6"]
    assert {"2.3", "2.4", "2.5", "2.6"} <= {*re.findall(r"^### (2\.\d) ", CHAPTER, re.MULTILINE)}


def test_the_four_steps_of_training_have_the_chapters_words() -> None:
    plainly = " ".join(section("2.3 Training").replace("`", "").split())
    steps = re.findall(r"^ +# (\d)\. (.*)$", SOURCES["bpe"], re.MULTILINE)
    assert [number for number, _ in steps] == ["1", "2", "3", "4"]
    for number, step in steps:
        first_sentence = step.partition(". ")[0].removesuffix(".")
        assert f"{number}. {first_sentence[0].lower()}{first_sentence[1:]}" in plainly


def test_the_six_rules_of_the_split_stand_in_the_chapters_order() -> None:
    numbers = re.findall(r"^ +# ((?:\d, )*\d)\. ", SOURCES["pretok"], re.MULTILINE)
    assert ", ".join(numbers).split(", ") == [row[0] for row in rows("2.1 First cut, then merge")] == list("123456")


# ---- the worked numbers ----


@pytest.mark.parametrize("class_", [plain.bpe.BPETokenizer, BPETokenizer], ids=["the reference", "the library"])
def test_gpt2s_own_vocab_json_is_told_about_from_gpt2(tmp_path: Path, class_: type) -> None:
    content = json.loads((ROOT / "course/fixtures/gpt2/tokenizer.json").read_text("utf-8"))
    assert {"model", "version"} < content["model"]["vocab"].keys(), "two tokens that are fields of a tokenizer.json too"
    (tmp_path / "vocab.json").write_text(json.dumps(content["model"]["vocab"]), "utf-8")
    with pytest.raises(ValueError, match="a vocab.json is read with its merges.txt: from_gpt2"):
        class_.from_hf_json(tmp_path / "vocab.json")


def test_the_chapters_examples_run_on_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "tinyllm.tok.pretrained", raising=False)  # it loads by the class that is there
    monkeypatch.setitem(sys.modules, "tinyllm.tok.pretok", plain.pretok)
    monkeypatch.setitem(sys.modules, "tinyllm.tok.bpe", plain.bpe)
    blocks = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", CHAPTER, re.MULTILINE | re.DOTALL))
    session = doctest.DocTestParser().get_doctest(blocks, {}, "chapter", "L1.2.md", 0)
    assert len(session.examples) > 20
    report: list[str] = []
    doctest.DocTestRunner().run(session, out=report.append)
    assert "".join(report) == ""


def test_the_examples_in_its_docstrings_are_true() -> None:
    result = doctest.testmod(plain.pretok)
    assert (result.failed, result.attempted) == (0, 6)


def test_cutting_gives_the_pretokens_of_the_table_one_by_one() -> None:
    text = "I'm   here!!\n"
    at = 0
    for _, _, shown in rows("Cutting"):
        pretoken = {"two spaces": "  ", r"`\n`": "\n"}.get(shown) or shown[1:-1].replace("here", " here").replace(
            "  ", " "
        )
        end = plain.pretok._end_of_pretoken(text, at)
        assert text[at:end] == pretoken
        at = end
    assert at == len(text)


def test_learning_has_the_symbols_the_counts_and_the_merge_of_each_step() -> None:
    tokenizer = plain.bpe.BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    id_of = tokenizer.vocab
    spelled = {pretoken: [id_of[symbol] for symbol in plain.bpe.spell(pretoken)] for pretoken in ("hug", "pug", "hugs")}
    times = Counter(HUGS)
    steps = rows("Learning")
    assert [step[0] for step in steps] == ["1", "2", "3"]
    for number, symbols, counts, merge in steps:
        shown = [
            " ".join(map(tokenizer.id_to_token, ids)) + (" (twice)" if times[pretoken] == 2 else "")
            for pretoken, ids in spelled.items()
        ]
        assert symbols == ", ".join(shown)
        pair_counts: Counter[str] = Counter()
        for pretoken, ids in spelled.items():
            for left, right in pairwise(map(tokenizer.id_to_token, ids)):
                pair_counts[f"({left}, {right})"] += times[pretoken]
        assert dict(re.findall(r"(\(\w+, \w+\)) (\d+)", counts)) == {pair: str(n) for pair, n in pair_counts.items()}
        left, right = tokenizer.merges[int(number) - 1]
        assert merge == f"({left}, {right}): `{left}{right}` is {id_of[left + right]}"
        for pretoken, ids in spelled.items():
            spelled[pretoken] = plain.bpe.replace_pair(ids, (id_of[left], id_of[right]), id_of[left + right])


def test_replaying_passes_through_the_states_of_the_chapter() -> None:
    """Each line of the two listings: the symbols, then what they are once all merges up to a rank are done."""
    merges = plain.bpe.BPETokenizer.train(HUGS, vocab_size=259, min_freq=1).merges
    listing = re.findall(r"^    (.*?)→  (.*?)  +rank (\d)", section("Replaying"), re.MULTILINE)
    assert len(listing) == 4
    symbols: list[str] = []
    for before, after, rank in listing:
        symbols = before.split() or symbols
        allowed = {pair: r for r, pair in enumerate(merges) if r <= int(rank)}
        assert plain.bpe.merge_by_rank(list(symbols), allowed) == after.split()

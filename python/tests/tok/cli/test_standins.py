"""Under a student's path, where their modules stand in for the library's, a command works or says in one line what to write."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ol.catalog import Course
from ol.contracts import stub

ROOT = Path(__file__).parents[4]
CORRECT = {"the plain reference": ROOT / "course/reference/L1.2", "the naive wheat": ROOT / "course/wheats/L1.2"}
TEXT = "hug hug pug hugs\nhug 123\n"


def repo(folder: Path, modules: dict[str, str]) -> Path:
    package = folder / "python" / "tinyllm" / "tok"
    package.mkdir(parents=True)
    for name, text in modules.items():
        (package / f"{name}.py").write_text(text, "utf-8")
    (folder / "t.txt").write_text(TEXT, "utf-8")
    return folder


def stubs(*module_ids: str) -> dict[str, str]:
    course = Course.load()
    modules = [course.module(id) for id in module_ids]
    return {Path(file).stem: stub(course.contract(module, file) or "") for module in modules for file in module.files}


@pytest.fixture
def tok(tok_process: Callable) -> Callable:
    """`tok` under the path of a student who follows `ol start`: PYTHONPATH=python, and the library behind it."""
    path = os.pathsep.join(["python", str(ROOT / "python")])
    return lambda *arguments: tok_process(*arguments, PYTHONPATH=path)


# Every command that a tokenizer takes part in, and what a correct one of the student's gives; None where that is in a file.
COMMANDS = [
    (["encode", "Hi there"], "17250 612\n"),
    (["encode", "--tokenizer", "smollm2", "--tokens", "in 24"], "in Ġ 2 4\n"),
    (["encode", "--special", "none", "<|endoftext|>"], "27 91 437 1659 5239 91 29\n"),
    (["decode", "17250", "612"], "Hi there"),
    (["decode", "--stream", "17250", "612"], "Hi there"),
    (["info", "gpt2"], None),
    (["train", "--vocab-size", "260", "-o", "own.json", "t.txt"], None),
    (["train", "--vocab-size", "260", "--by", "line", "--special", "<s>", "-o", "own.json", "t.txt"], None),
    (["curve", "--split", "gpt2", "--sizes", "257,258", "t.txt"], None),
    (["measure", "--tokenizer", "gpt2", "t.txt"], None),
    (["explain", "hugs"], None),
    (["explain", "--train", "--merges", "2", "hug", "hug"], None),
    (["explain", "--html", "page.html", "hugs"], None),
    (["convert", "gpt2", "-o", "two"], None),
    (["encode", "--out", "ids.bin", "--by", "line", "--workers", "2", "-f", "t.txt"], None),
]


@pytest.mark.slow
@pytest.mark.parametrize("correct", CORRECT.values(), ids=CORRECT.keys())
def test_every_command_works_with_a_students_finished_tokenizer(correct: Path, tmp_path: Path, tok: Callable) -> None:
    repo(tmp_path, {})
    shutil.copytree(correct / "tinyllm", tmp_path / "python" / "tinyllm", dirs_exist_ok=True)
    for arguments, expected in COMMANDS:
        status, out, err = tok(*arguments)
        assert status == 0, (arguments, err)
        assert expected is None or out.decode() == expected
    assert tok("encode", "--tokenizer", "own.json", "<s>").out == b"0\n"


@pytest.mark.slow
def test_every_command_names_in_one_line_what_a_stub_lacks(tmp_path: Path, tok: Callable) -> None:
    repo(tmp_path, stubs("L1.2"))
    for arguments, _ in COMMANDS:
        status, out, err = tok(*arguments)
        assert (status, out) == (2, b""), arguments
        said = [line for line in err.splitlines() if line.startswith("tok: ")]
        assert len(said) == 1 and said[0].startswith("tok: python/tinyllm/tok/bpe.py: "), (arguments, err)
        assert " is still to be written (line " in said[0]


def test_a_stub_of_an_earlier_module_is_named_as_that_modules(tmp_path: Path, tok: Callable) -> None:
    repo(tmp_path, stubs("M05.2"))
    status, _, err = tok("encode", "Hi")
    assert status == 2
    assert err.startswith("tok: python/tinyllm/tok/bytemap.py: ") and " is still to be written" in err


@pytest.mark.parametrize("option", [["--split", "o200k"], ["--workers", "2"]], ids=" ".join)
def test_an_option_that_only_the_librarys_class_takes_is_refused_by_name(
    option: list[str], tmp_path: Path, tok: Callable
) -> None:
    repo(tmp_path, stubs("L1.2"))
    _, _, err = tok("train", *option, "--vocab-size", "260", "-o", "own.json", "t.txt")
    assert err.startswith(f"tok: {option[0]}") and "python/tinyllm/tok/bpe.py stands in for it" in err


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("bpe", "def encode(:\n", "python/tinyllm/tok/bpe.py, line 1: invalid syntax"),
        ("bpe", "class Tokeniser: ...\n", "python/tinyllm/tok/bpe.py: cannot import name 'BPETokenizer'"),
        ("bpe", "1 / 0\n", "python/tinyllm/tok/bpe.py, line 1, in <module>: ZeroDivisionError: division by zero"),
        ("bpe", "class BPETokenizer: ...\n", "python/tinyllm/tok/bpe.py has no BPETokenizer.load yet"),
        ("merging", "", "python/tinyllm/tok/merging.py hides the library's folder of that name"),
    ],
    ids=["a syntax error", "a missing class", "an error at import", "a missing method", "a file called as a folder"],
)
def test_what_is_wrong_with_a_students_file_is_told_by_its_path(
    name: str, text: str, says: str, tmp_path: Path, tok: Callable
) -> None:
    repo(tmp_path, {name: text})
    status, _, err = tok("encode", "Hi")
    assert status == 2 and err.startswith(f"tok: {says}"), err
    assert err.count("\n") == 1

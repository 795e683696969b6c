"""tinyllm.tok.pretrained: tokenizers by name or by file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tinyllm.tok import pretrained
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer
from tinyllm.tok.unigram import UnigramTokenizer

PACKAGE = Path(pretrained.__file__).parent


def test_gpt2_is_a_name() -> None:
    assert pretrained.load("gpt2").encode("Hi 你!") == [17250, 220, 19526, 254, 0]


def test_smollm2_is_a_name() -> None:
    tokenizer = pretrained.load("smollm2")
    assert tokenizer.vocab_size == 49152
    assert tokenizer.encode("<|im_start|>") == [1]


@pytest.mark.parametrize(
    "tokenizer",
    [
        BPETokenizer.train(["hug"], 256),
        ByteTokenizer(),
        CharTokenizer.train(["hug"]),
        UnigramTokenizer.train(["hug hug"], 258),
    ],
    ids=["bpe", "byte", "char", "unigram"],
)
def test_a_file_is_read_by_the_class_that_its_model_type_names(tokenizer: object, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    tokenizer.save(path)  # type: ignore[attr-defined]
    for given in (path, str(path)):
        loaded = pretrained.load(given)
        assert type(loaded) is type(tokenizer)
        assert loaded.encode("hug") == tokenizer.encode("hug")  # type: ignore[attr-defined]


def test_an_old_file_without_a_model_type_is_bpe(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    BPETokenizer.train(["hug"], 256).save(path)
    found = json.loads(path.read_text("utf-8"))
    del found["model"]["type"]
    path.write_text(json.dumps(found), "utf-8")
    assert type(pretrained.load(path)) is BPETokenizer


def test_another_model_type_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"model": {"type": "WordPiece"}}')
    with pytest.raises(
        ValueError, match=r'other\.json: model\.type is "WordPiece"; there are BPE, Byte, WordLevel, Unigram'
    ):
        pretrained.load(path)


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"model": 3}', '{"model": {"type": null}}', '{"model": {"type": ["BPE"]}}']
)
def test_what_is_no_tokenizer_is_refused_by_the_name_of_the_file(content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"other\.json: "):
        pretrained.load(path)


def test_an_unknown_name_is_told_the_names() -> None:
    with pytest.raises(ValueError, match="'gpt3' is no file, and no bundled tokenizer; those are gpt2, smollm2"):
        pretrained.load("gpt3")
    with pytest.raises(ValueError, match="^'x{59} is no file, and no bundled tokenizer; those are gpt2, smollm2$"):
        pretrained.load("x" * 5000)


def test_a_missing_path_is_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path / "gpt3", str(tmp_path / "gpt3"), Path("gpt3")):
        with pytest.raises(FileNotFoundError):
            pretrained.load(path)


def test_what_is_neither_name_nor_path_is_a_type_error() -> None:
    for other in (None, 3, b"gpt2", ["gpt2"]):
        with pytest.raises(TypeError, match="a tokenizer is a name or a path"):
            pretrained.load(other)  # type: ignore[arg-type]


def test_an_array_of_names_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="a tokenizer is a name or a path, not array"):
        pretrained.load(np.array(["gpt2", "smollm2"]))  # type: ignore[arg-type]


def test_a_name_means_the_bundled_file_also_where_a_file_is_called_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ByteTokenizer().save("gpt2")
    assert type(pretrained.load("gpt2")) is BPETokenizer
    assert type(pretrained.load("./gpt2")) is ByteTokenizer
    assert type(pretrained.load(Path("gpt2"))) is ByteTokenizer


def test_a_file_in_the_working_folder_needs_no_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ByteTokenizer().save("mine")
    assert type(pretrained.load("mine")) is ByteTokenizer


def run_installed(site: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program against a copy of the package in `site`, as an installed one; `-S` keeps this checkout out."""
    shutil.copytree(PACKAGE, site / "tinyllm" / "tok", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, "-S", "-c", program], env=environment, cwd=site, capture_output=True, text=True, check=False
    )


def test_an_installed_package_finds_the_names_beside_it(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    gpt2 = pretrained.course_file("fixtures/gpt2/tokenizer.json").parent
    shutil.copytree(gpt2, site / "tinyllm_course" / "fixtures" / "gpt2")
    done = run_installed(
        site, 'from tinyllm.tok.pretrained import *; print(path_of("gpt2")); print(load("gpt2").encode("Hi"))'
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        str(site / "tinyllm_course" / "fixtures" / "gpt2" / "tokenizer.json"),
        "[17250]",
    ]


def test_a_package_without_its_course_says_where_it_looked(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    done = run_installed(site, 'from tinyllm.tok.pretrained import load; load("gpt2")')
    file = "fixtures/gpt2/tokenizer.json"
    places = [site / "tinyllm_course" / file, site.parent / "course" / file]
    said = f"FileNotFoundError: {file} of the course is neither at {places[0]} nor at {places[1]}; pip install tinyllm-course"
    assert said in done.stderr


# ---- BPE files: the chapter's class where it reads them, else Pipeline ----


def changed_file(path: Path, **fields: object) -> Path:
    """A tokenizer.json of the chapter's subset with `fields` changed, those of the model with a name like model__vocab."""
    BPETokenizer.train(["hug hug"], 258).save(path)
    found = json.loads(path.read_text("utf-8"))
    for name, value in fields.items():
        section, _, field = name.partition("__")
        if field:
            found[section][field] = value(found[section][field]) if callable(value) else value
        else:
            found[section] = value
    path.write_text(json.dumps(found), "utf-8")
    return path


@pytest.mark.parametrize(
    "fields",
    [
        {"normalizer": {"type": "NFC"}},
        {"model__ignore_merges": True},
        {"model__vocab": lambda vocab: {**vocab, "gap": 1000}},
        {"model__vocab": lambda vocab: {**vocab, "": 258}},
        {"pre_tokenizer": None},
    ],
    ids=["normalizer", "ignore_merges", "gap", "empty token", "no pre-tokenizer"],
)
def test_a_bpe_file_outside_the_chapters_subset_is_a_pipeline(tmp_path: Path, fields: dict) -> None:
    path = changed_file(tmp_path / "file.json", **fields)
    with pytest.raises(ValueError):
        BPETokenizer.load(path)
    tokenizer = pretrained.load(path)
    assert type(tokenizer).__name__ == "Pipeline"
    assert tokenizer.decode(tokenizer.encode("hug")) == "hug"


def test_a_file_that_no_class_reads_is_told_all_its_fields(tmp_path: Path) -> None:
    path = changed_file(tmp_path / "file.json", model__dropout=0.5, decoder={"type": "CTC"})
    with pytest.raises(ValueError) as error:
        pretrained.load(path)
    first, *lines = str(error.value).splitlines()
    assert first == f"{path}: 2 fields stand in the way:"
    assert [line.split()[0] for line in lines] == ["decoder.type", "model.dropout"]


def test_what_is_wrong_with_a_vocabulary_is_said_as_the_chapter_says_it(tmp_path: Path) -> None:
    path = changed_file(tmp_path / "file.json", model__merges=[["h", "nothing"]])
    with pytest.raises(ValueError, match=r"file\.json: model\.merges\[0\] is 'h', 'nothing'"):
        pretrained.load(path)


@pytest.mark.parametrize("model", [None, "ByteLevel", []])
def test_a_model_that_is_no_object_is_named(tmp_path: Path, model: object) -> None:
    path = changed_file(tmp_path / "file.json", normalizer={"type": "NFC"}, model=model)
    with pytest.raises(ValueError, match=r"file\.json: model is .*; it must be an object"):
        pretrained.load(path)

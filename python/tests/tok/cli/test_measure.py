"""`tok measure` and `tok curve`."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.cli.measure import draw_curves
from tinyllm.tok.measure import CurvePoint
from tinyllm.tok.splits import NEWER


@pytest.fixture
def greeting(tmp_path: Path) -> str:
    (tmp_path / "greeting").write_text("Hi there", "utf-8")
    return "greeting"


@pytest.fixture
def byte_json(tmp_path: Path) -> str:
    ByteTokenizer().save(tmp_path / "byte.json")
    return "byte.json"


def test_a_table_has_a_row_for_each_tokenizer(tok: Any, greeting: str, byte_json: str) -> None:
    done = tok("measure", "--tokenizer", "gpt2", "--tokenizer", byte_json, greeting)
    lines = [line.split() for line in done.text.splitlines()]
    assert (done.status, done.err) == (0, "")
    assert done.text.startswith("greeting: 8 bytes, 8 characters, 2 words\n")
    assert ["gpt2", "2", "4.000", "1.000", "0.250", "0.0%"] in lines
    assert ["byte.json", "8", "1.000", "4.000", "1.000", "2.7%"] in lines


def test_without_a_tokenizer_the_bundled_ones_are_measured(tok: Any, greeting: str) -> None:
    assert [row["tokenizer"] for row in json.loads(tok("measure", "--json", greeting).text)] == ["gpt2", "smollm2"]


def test_json_and_csv_have_the_same_rows(tok: Any, greeting: str, byte_json: str, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    command = ["measure", "--tokenizer", byte_json, greeting, "empty"]
    from_json = json.loads(tok(*command, "--json").text)
    from_csv = list(csv.DictReader(io.StringIO(tok(*command, "--csv").text)))
    assert from_json[0] == {
        "text": "greeting",
        "tokenizer": "byte.json",
        "bytes": 8,
        "characters": 8,
        "words": 2,
        "tokens": 8,
        "used": 7,
        "vocab_size": 256,
        "bytes_per_token": 1.0,
        "tokens_per_word": 4.0,
        "tokens_per_character": 1.0,
        "vocab_used": 7 / 256,
    }
    assert [row["text"] for row in from_csv] == ["greeting", "empty"]
    assert (from_json[1]["bytes_per_token"], from_csv[1]["bytes_per_token"]) == (None, "")


def test_an_empty_text_has_no_ratio_to_show(tok: Any, byte_json: str) -> None:
    done = tok("measure", "--tokenizer", byte_json, "-", stdin=b"")
    assert "standard input: 0 bytes, 0 characters, 0 words" in done.text
    assert ["byte.json", "0", "-", "-", "-", "0.0%"] in [line.split() for line in done.text.splitlines()]


def test_names_that_would_move_the_cursor_are_shown_as_escapes(tok: Any, byte_json: str, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[2J").write_text("a")
    assert "a\\x1b[2J: 1 bytes" in tok("measure", "--tokenizer", byte_json, "a\x1b[2J").text


def test_names_that_look_like_markup_are_shown_as_they_are(
    tok: Any, byte_json: str, greeting: str, tmp_path: Path
) -> None:
    (tmp_path / byte_json).rename(tmp_path / "[red]x")
    assert "[red]x" in tok("measure", "--tokenizer", "./[red]x", greeting).text


CURVE = """\
text,split,vocab_size,bytes,tokens,bytes_per_token
hugs,gpt2,256,21,21,1
hugs,gpt2,258,21,11,1.90909
hugs,gpt2,259,21,7,3
"""


def test_a_curve_is_csv_with_a_row_for_each_size(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "hugs").write_text("hug hugs hug hugs hug")
    done = tok("curve", "--split", "gpt2", "--sizes", "258,256,259", "hugs")
    assert (done.status, done.text) == (0, CURVE)
    assert done.err.startswith("measured on the texts trained on; --held-out FILE")


def test_a_curve_is_what_training_to_each_size_gives(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "train").write_text("తెలుగు తెలుగులో ఒక తెలుగు వాక్యం, ఒక వాక్యం", "utf-8")
    (tmp_path / "test").write_text("తెలుగు వాక్యంలో", "utf-8")
    done = tok("curve", "--sizes", "260,265", "--held-out", "test", "train")
    rows = list(csv.DictReader(io.StringIO(done.text)))
    assert [(row["text"], row["split"]) for row in rows] == [("train", split) for split in NEWER for _ in range(2)]
    for row in rows:
        trained = BPETokenizer.train(
            [(tmp_path / "train").read_text("utf-8")], int(row["vocab_size"]), pre_tokenizer=row["split"]
        )
        assert int(row["tokens"]) == len(trained.encode((tmp_path / "test").read_text("utf-8")))


def test_a_plot_is_drawn_beside_the_csv(tok: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "hugs").write_text("hug hugs hug hugs hug")
    command = ["curve", "--split", "gpt2", "--sizes", "256,258,259", "--plot", "curve.svg", "hugs"]
    assert tok(*command).text == CURVE
    first = (tmp_path / "curve.svg").read_bytes()
    assert b"<svg" in first
    assert tok(*command).status == 0
    assert (tmp_path / "curve.svg").read_bytes() == first


@pytest.mark.parametrize("name", ["a$x^$", "_b", "a\nb"])
@pytest.mark.parametrize("ending", ["svg", "PDF", "png"])
def test_a_plot_names_texts_as_they_are(name: str, ending: str, tok: Any, tmp_path: Path, recwarn: Any) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / name).write_text("hug hugs hug hugs hug")
    done = tok("curve", "--split", "gpt2", "--sizes", "256,258", "--plot", f"curve.{ending}", name)
    assert done.status == 0 and [str(warning.message) for warning in recwarn] == []
    drawn = (tmp_path / f"curve.{ending}").read_bytes()
    if ending == "svg":
        shown = name.replace("\n", "\\n")
        assert f"{shown}, gpt2 -->".encode() in drawn  # the label, in the comment before its outlines


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        ("curve.xyz", "--plot is curve.xyz; its name must end in .png or .svg or .pdf"),
        ("none/curve.png", "{folder}/none: there is no such folder to write into"),
        ("hugs.svg", "--plot would write over hugs.svg, which is read; name another file"),
        ("", "--plot is empty; name a file"),
    ],
)
def test_a_plot_that_cannot_be_written_is_refused_before_the_training(
    plot: str, message: str, tok: Any, tmp_path: Path
) -> None:
    (tmp_path / "hugs.svg").write_text("hug hugs")
    done = tok("curve", "--plot", plot, "hugs.svg")
    assert done == (2, b"", f"tok: {message.format(folder=tmp_path)}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["hugs.svg"]


def test_a_plot_that_fails_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = pytest.importorskip("matplotlib.figure")

    def broken(self: object, file: Any, **_: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(figure.Figure, "savefig", broken)
    (tmp_path / "curve.svg").write_text("old")
    with pytest.raises(OSError, match="No space left"):
        draw_curves([CurvePoint("text", "gpt2", 256, 8, 8)], str(tmp_path / "curve.svg"))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_without_matplotlib_a_plot_says_what_to_install(
    tok: Any, greeting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert tok("curve", "--plot", "curve.png", greeting) == (
        2,
        b"",
        'tok: --plot needs matplotlib, which is not installed: pip install "tinyllm-course[plot]"\n',
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", "--json", "--csv", "greeting"], "--json does not go with --csv; choose one"),
        (["measure", "none"], "none: No such file or directory"),
        (["measure", "--tokenizer", "gpt3", "greeting"], "'gpt3' is no file, and no bundled tokenizer"),
        (["measure"], "Missing argument 'TEXTFILE'."),
        (["curve", "--split", "gpt4", "greeting"], "--split is 'gpt4'; it must be gpt2 or cl100k or "),
        (["curve", "--sizes", "1k", "greeting"], "--sizes has '1k'; it must be whole numbers separated by commas"),
        (["curve", "--sizes", "", "greeting"], "--sizes has ''; it must be whole numbers"),
        (["curve", "--sizes", "100", "greeting"], "vocab_size is 100; it must be at least 256"),
        (
            ["curve", "--sizes", "100,300", "greeting"],
            "the vocabulary size 100 is too small; without any merge there are 256 ids",
        ),
        (["curve", "--held-out", "a", "greeting", "greeting"], "there are 2 TEXTFILEs but 1 --held-out FILEs"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments: list[str], message: str, tok: Any, greeting: str) -> None:
    done = tok(*arguments)
    assert done.status == 2
    assert done.err.splitlines()[-1].startswith(f"tok: {message}")
    assert "Traceback" not in done.err

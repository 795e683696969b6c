"""The benchmark's own logic: what counts as reached, who takes turns, and that no text is repeated. It times nothing."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import corpora
import jobs
import pytest
import rows
from rows import JOBS, ROWS, SAME, Job, Row

import bench

SCRIPT = Path(bench.__file__)


def row(kind: str, must: float) -> Row:
    return Row("title", "group", kind, ("ours", "seconds"), ("theirs", "seconds"), must)


@pytest.mark.parametrize(
    ("kind", "value", "reached"),
    [
        ("speed", 2.0, True),  # they take twice as long
        ("cost", 0.5, True),
    ],
)
def test_half_their_time_is_twice_their_speed(kind: str, value: float, reached: bool) -> None:
    assert row(kind, 1.0).value({"ours": {"seconds": 1.0}, "theirs": {"seconds": 2.0}}) == value
    assert row(kind, 1.0).reaches(1.0, value) is reached


def test_a_speed_must_not_be_below_its_goal_and_a_cost_not_above() -> None:
    assert [row("speed", 0.5).reaches(0.5, value) for value in (0.49, 0.5)] == [False, True]
    assert [row("cost", 1.3).reaches(1.3, value) for value in (1.3, 1.31)] == [True, False]


def test_what_was_not_measured_is_neither_reached_nor_missed() -> None:
    assert row("speed", 1.0).value({"ours": {"seconds": 1.0}}) is None
    assert row("speed", 1.0).reaches(1.0, None) is None
    assert row("speed", 1.0).reaches(None, 2.0) is None


def test_every_row_names_jobs_that_exist() -> None:
    named = {name for row in ROWS for name, _ in filter(None, (row.ours, row.theirs))} | {
        name for pair in SAME for name in pair
    }
    assert named <= JOBS.keys()
    assert {job.function for job in JOBS.values()} <= jobs.JOBS.keys()
    assert {JOBS[name].peer for name in JOBS if JOBS[name].function == "train"} == jobs.TRAINERS.keys()


def test_peers_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    monkeypatch.setattr(
        bench, "run", lambda job, arguments: ran.append((job.peer, *arguments)) or {"seconds": len(ran)}
    )
    work = {
        "one": Job("encode", "one", ("{english}",), rounds=2),
        "two": Job("encode", "two", (), rounds=3),
        "none": Job("encode", "none", ("{missing}",)),
    }
    found = bench.measure(work, {"english": "text"})
    assert ran == [("one", "text"), ("two",), ("one", "text"), ("two",), ("two",)]
    assert found == {"one": {"seconds": [1, 3]}, "two": {"seconds": [2, 4, 5]}}


def test_the_median_counts_and_different_results_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SAME", [("ours", "theirs"), ("ours", "ours too")])
    found = {
        "ours": {"seconds": [1.0, 9.0, 2.0], "result": ["a", "a"]},
        "theirs": {"seconds": [4.0], "result": ["b"]},
        "ours too": {"result": ["a"]},
    }
    report = bench.results([row("speed", 1.0)], found)
    assert report["rows"][0]["value"] == 2.0 and report["rows"][0]["must reached"] is True
    assert report["different"] == [("ours", "theirs")]


def test_peak_memory_is_that_of_the_whole_tree_of_processes() -> None:
    # The child holds 100 MB and says so; its parent waits for it.
    child = "import sys; held = bytearray(100_000_000); print('held', flush=True); sys.stdin.read()"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        watch = bench.Watch(process.pid)
        watch._done.wait(0.2)
        process.communicate()
    assert watch.peak() > 100_000_000


# ---- texts ----


def test_a_line_is_taken_the_first_time_it_is_met() -> None:
    lines = list(corpora._each_line_once(["one\n\n\ntwo \n", "two\none\n\nthree"]))
    assert lines == [b"one\n", b"\n", b"two\n", b"\n", b"three\n"]


def test_whole_lines_are_taken_as_long_as_they_fit() -> None:
    assert list(corpora._up_to(6, [b"12\n", b"34\n", b"5\n"])) == [b"12\n", b"34\n"]


def test_html_loses_its_mark_up_and_other_files_are_left_out() -> None:
    tape = io.BytesIO()
    with tarfile.open(fileobj=tape, mode="w") as archive:
        for name, content in (
            ("a/x.html", b"<head><title>no</title></head><p>one &amp; <b>two</b></p>"),
            ("a/x.png", b"no"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    tape.seek(0)
    assert list(corpora._texts_in_tar(tape, r"\.html$")) == ["one & two"]


def test_a_corpus_is_cut_at_a_line_end(tmp_path: Path) -> None:
    path = tmp_path / "english.txt"
    path.write_bytes(b"first\nsecond\n")
    whole = corpora.Corpus("english", path, "here")
    assert corpora.cut(whole, 9, tmp_path).path.read_bytes() == b"first\n"
    assert corpora.cut(whole, 13, tmp_path) == whole


def test_a_source_out_of_reach_is_one_line_and_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(folder: Path) -> list[str]:
        raise OSError("no network")

    monkeypatch.setitem(corpora.SOURCES, "english", (10, "a registry", unreachable))
    assert corpora.get("english", tmp_path) is None
    assert capsys.readouterr().err == "english: from a registry\nenglish: out of reach: no network\n"
    assert not list(tmp_path.iterdir())


# ---- models ----


def test_every_model_that_is_fetched_has_a_row_for_its_loading() -> None:
    loaded = [row for row in ROWS if row.group == "models-load"]
    assert [row.ours[0] for row in loaded] == [f"first line {model.name} tinyllm" for model in rows.MODELS]
    assert {(row.must, row.aim) for row in loaded} == {(2.0, 1.5)}
    assert rows.ENCODED.keys() <= {model.name for model in rows.MODELS}


def test_a_model_stands_for_its_file_and_is_no_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "path_of", lambda model: tmp_path / model.name / "tokenizer.json")
    work = {"one": Job("encode", "hf", ("{llama3}", "{english}"), 1), "two": Job("first_line", "hf", ("{qwen3}",), 1)}
    assert bench._named(work.values()) == ["llama3", "english", "qwen3"]
    models = {name: str(tmp_path / name / "tokenizer.json") for name in ("llama3", "qwen3")}
    assert {**bench._models(work.values())} == models
    options = SimpleNamespace(english=tmp_path / "text", quick=True, texts=tmp_path)
    options.english.write_text("a\n")
    assert [*bench._texts(work.values(), options)] == ["english"]


def test_a_model_out_of_reach_is_one_line_and_its_rows_are_not_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(model: Any) -> Path:
        raise bench.PackageError("no network")

    monkeypatch.setattr(bench, "path_of", unreachable)
    work = {"one": Job("first_line", "hf", ("{qwen3}",), 1)}
    assert bench._models(work.values()) == {}
    assert capsys.readouterr().err == "qwen3: out of reach, and its rows are not measured: no network\n"
    assert bench.measure(work, bench._models(work.values())) == {}


def test_the_first_line_has_the_same_ids_from_both(tmp_path: Path) -> None:
    vocab = {token: id for id, token in enumerate(sorted({*"The quick brown fox jumps over the lazy dog"} - {" "}))}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"normalizer": {"type": "NFC"}, "model": {"type": "BPE", "vocab": vocab, "merges": []}}))
    ours, hf = (jobs.first_line(peer, str(path)) for peer in ("tinyllm", "hf"))
    assert ours["result"] == hf["result"] != jobs._digest([])
    (tmp_path / "text").write_text("The lazy dog")
    assert jobs.encode("tinyllm", str(path), str(tmp_path / "text"), "0")["tokens"] == 10


# ---- the whole of it ----


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True)


def test_a_run_writes_its_numbers_with_date_machine_and_versions_but_no_paths(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 100, encoding="utf-8")
    done = run("--quick", "--only", "train", "--out", str(tmp_path), "--english", str(tmp_path / "text"))
    assert (done.returncode, "train 10 MB, 4,096 ids, two processes: time against HF" in done.stdout) == (0, True)
    report = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    assert report["versions"]["tokenizers"] == "0.23.3" and {"date", "machine", "python"} <= report.keys()
    assert report["corpora"]["english"]["bytes"] == 2300
    assert report["different"] == [] and report["medians"]["train english tinyllm"]["peak bytes"] > 0
    assert str(tmp_path) not in (tmp_path / "bench.json").read_text("utf-8")


def test_loading_and_importing_need_no_text(tmp_path: Path) -> None:
    done = run("--quick", "--only", "load", "--out", str(tmp_path))
    assert done.returncode == 0 and (tmp_path / "bench.json").exists()


def test_a_picture_shows_each_row_that_has_a_goal(tmp_path: Path) -> None:
    plot = pytest.importorskip("plot", reason="matplotlib is not installed")
    entries = [
        {"row": "fast", "kind": "speed", "value": 2.0, "must": 1.0},
        {"row": "long", "kind": "seconds", "value": 9.0, "must": 8.0},
        {"row": "no goal", "kind": "cost", "value": 1.0, "must": None},
    ]
    medians = {"growth 1 tinyllm": {"cold": 0.1}, "growth 10 tinyllm": {"cold": 1.1}}
    report = {"rows": entries, "medians": medians, "date": "2026-01-01", "machine": "2 cores", "python": "3.11.7"}
    plot.plot(report, tmp_path / "bench.png")
    assert (tmp_path / "bench.png").read_bytes().startswith(b"\x89PNG")


def test_lengths_of_the_long_pretoken_grow_by_four() -> None:
    assert [int(longer) // int(shorter) for shorter, longer in zip(rows.LENGTHS, rows.LENGTHS[1:])] == [4, 4]

"""The README, run: its Python session, its commands with the output it shows, and what it says of the package and the course.

In a `console` block a line that begins with `$ ` is typed, and what follows is printed; a line `...` stands for lines left
out. Nothing here needs a network.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

from ol.catalog import Course
from ol.grade import load_mutants

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text("utf-8")
NODE = shutil.which("node")


class Command(NamedTuple):
    typed: str
    printed: str


def section(title: str) -> str:
    """The text under a heading."""
    assert f"\n## {title}\n" in README
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[Command]:
    """The commands of the console blocks, each with what is shown of its output."""
    found = []
    for block in blocks("console", text):
        nothing, *entries = re.split(r"^\$ ", block, flags=re.MULTILINE)
        assert nothing == ""
        found += [Command(*entry.split("\n", 1)) for entry in entries]
    return found


class Shell:
    """A shell that keeps its folder from command to command, and knows tok, ol and Python as this environment does."""

    def __init__(self, folder: Path) -> None:
        kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self._environment = kept | {"PATH": path, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
        self._note = folder.parent / "folder.txt"
        self.folder = folder

    def run(self, typed: str) -> str:
        """What a reader sees of both streams. A line end is added to text that has none, as a terminal's prompt would."""
        script = f"trap 'pwd >\"{self._note}\"' EXIT\n{typed}"
        ended = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )
        self.folder = Path(self._note.read_text("utf-8").strip())
        return ended.stdout and ended.stdout.rstrip("\n") + "\n"

    def prints_what_is_shown(self, command: Command) -> None:
        printed = self.run(command.typed)
        if not doctest.OutputChecker().check_output(command.printed, printed, doctest.ELLIPSIS):
            raise AssertionError(f"$ {command.typed}\nshown:\n{command.printed}printed:\n{printed}")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """In a folder that has what the commands name of a checkout."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "course").symlink_to(ROOT / "course")
    return Shell(checkout)


# ---- what is run ----


def test_the_python_session_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sessions = [block for block in blocks("python", README) if ">>>" in block]
    assert len(sessions) == 1
    examples = doctest.DocTestParser().get_doctest(sessions[0], {}, "README.md", "README.md", 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=report.append)
    assert (result.failed, "".join(report)) == (0, "")
    assert result.attempted == 6, "the notebook's example has six lines"


def test_the_shell_examples_print_what_they_show(shell: Shell) -> None:
    shown = commands(section("Five minutes in a notebook"))
    assert [command.typed.split()[:2] for command in shown] == [["tok", "encode"], ["tok", "decode"]]
    for command in shown:
        shell.prints_what_is_shown(command)


def test_the_students_five_minutes_go_as_they_are_told(shell: Shell) -> None:
    text = section("Five minutes as a student")
    before, after = text.split("```python\n")
    for command in commands(before):
        shell.prints_what_is_shown(command)
    named = re.findall(r"`(python/[\w/]+\.py)`", before)
    (shell.folder / named[-1]).write_text(after.partition("```\n")[0], "utf-8")
    for command in commands(after.partition("```\n")[2]):
        shell.prints_what_is_shown(command)
    assert [command.typed for command in commands(text)][-3:] == ["ol start M05.2", "ol check M05.2", "ol check M05.2"]


@pytest.mark.skipif(NODE is None, reason="no Node here (`node` is not on the PATH), so the porter's example is not run")
def test_the_porters_five_minutes_go_as_they_are_told(shell: Shell) -> None:
    shown = commands(section("Five minutes as a porter"))
    assert [command.typed.split()[0] for command in shown] == ["sed", "node", "echo"]
    for command in shown:
        shell.prints_what_is_shown(command)


def test_the_pages_command_writes_one_file(shell: Shell) -> None:
    (typed,) = re.findall(r"`(tok explain --html [^`]+)`", README)
    assert "wrote  page.html" in shell.run(typed)
    assert "<!doctype html>" in (shell.folder / "page.html").read_text("utf-8")[:100].lower()


def test_no_command_is_shown_without_being_run_but_those_that_set_up() -> None:
    run = ["Five minutes in a notebook", "Five minutes as a student", "Five minutes as a porter"]
    elsewhere = [
        command for command in commands(README) if command not in [c for title in run for c in commands(section(title))]
    ]
    assert elsewhere == commands(section("Start"))
    assert [command.printed for command in elsewhere] == [""] * 3


# ---- what is only checked: it needs a network, or minutes ----


def test_the_commands_that_set_up_exist() -> None:
    typed = [re.sub(r"\s+# .*", "", command.typed) for command in commands(section("Start"))]
    assert typed == ["make demo", "make test", ". .venv/bin/activate"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.findall(r"^(demo|test):", makefile, re.MULTILINE) == ["demo", "test"]
    assert "-m venv .venv\n" in makefile


def test_the_distribution_is_called_and_split_as_the_readme_says() -> None:
    about = metadata("tinyllm-course")
    assert re.findall(r"distribution, `([\w-]+)`", section("Start")) == [about["Name"]]
    assert f"Python {about['Requires-Python'].removeprefix('>=')} or newer" in section("Start")
    (extras,) = re.findall(r"path/to/checkout\[([\w,]+)\]", README)
    assert set(extras.split(",")) <= set(about.get_all("Provides-Extra") or ())


def test_it_is_short_and_has_its_pictures() -> None:
    assert len(README.splitlines()) <= 150
    assert re.findall(r"!\[.+\]\((.+)\)", README) == ["course/pictures/explain.png", "course/pictures/check.svg"]


def test_what_it_says_of_the_course_is_so() -> None:
    course = Course.load(ROOT / "course")
    module = course.module("L1.2")
    (mutants, threshold) = re.findall(r"(\d+) broken versions of it, and must catch ([\d.]+)", README)[0]
    assert (int(mutants), float(threshold)) == (len(load_mutants(course, module)), module.threshold)
    for name in ("gpt2", "smollm2"):
        oracle = (ROOT / "course" / "fixtures" / name / "oracle.jsonl").read_text("utf-8")
        assert f"{len(oracle.splitlines())} hard texts" in README


def test_the_bytes_that_smollm2_drops_are_as_many_as_it_says(shell: Shell) -> None:
    (count,) = re.findall(r"has no token for (\d+) bytes", README)
    assert f"bytes          {count} have no token and are dropped" in shell.run("tok info smollm2")


def test_what_it_calls_refused_is_refused_by_name(tmp_path: Path) -> None:
    from tinyllm.tok.pretrained import load

    page = (ROOT / "course" / "formats" / "tokenizer.md").read_text("utf-8")
    good = json.loads(page.split("```json\n")[1].split("```")[0])
    split = {"type": "Split", "pattern": {"Regex": "^a"}, "behavior": "Isolated", "invert": False}
    refused = {
        "dropout": {"model": {**good["model"], "dropout": 0.1}},
        "BertNormalizer": {"normalizer": {"type": "BertNormalizer"}},
        "Precompiled": {"normalizer": {"type": "Precompiled"}},
        "pattern": {"pre_tokenizer": split},
    }
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(good), "utf-8")
    assert load(file).encode("ab") == [3]
    for name, change in refused.items():
        assert name in section("Honest limits")
        file.write_text(json.dumps({**good, **change}), "utf-8")
        with pytest.raises(ValueError, match=name):
            load(file)

"""The course's pages and golden values: examples run, what is named exists, goldens are current."""

import ast
import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COURSE = ROOT / "course"
CHAPTERS = sorted((COURSE / "chapters").glob("*.md"))
PAGES = [*CHAPTERS, COURSE / "README.md", COURSE / "MAINTAINING.md"]
MODULES = ["L1.1", "L1.2", "M05.2", "M06.2"]


def examples(page: Path) -> doctest.DocTest:
    """The page's pycon blocks as one session: a later block may use what an earlier one made."""
    text = page.read_text("utf-8")
    parser, found = doctest.DocTestParser(), []
    for block in re.finditer(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, block.start(1))
        for example in parser.get_examples(block[1], page.name):
            example.lineno += line
            found.append(example)
    return doctest.DocTest(found, {"__name__": "chapter"}, page.name, str(page), 0, text)


def test_each_module_has_its_chapter() -> None:
    assert [chapter.stem for chapter in CHAPTERS] == MODULES


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_examples_of_a_chapter_are_true(chapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a student reads it in a repo of their own
    session = examples(chapter)
    assert len(session.examples) >= 3
    report: list[str] = []
    result = doctest.DocTestRunner().run(session, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_python_of_a_chapter_runs_in_an_empty_folder(
    chapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", chapter.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, chapter.name, "exec"), {"__name__": "chapter"})


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_block_of_python_is_fenced_as_one_that_runs(page: Path) -> None:
    kinds = {*re.findall(r"^```(\w+)$", page.read_text("utf-8"), re.MULTILINE)}
    assert kinds <= {"pycon", "python", "sh", "toml", "text", "json"}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_example_is_in_a_block_that_runs(page: Path) -> None:
    outside = re.sub(r"^```pycon\n.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert ">>>" not in outside


@pytest.mark.parametrize("module", MODULES)
def test_chapters_name_only_tests_that_exist(module: str) -> None:
    named = {*re.findall(r"\btest_\w+", (COURSE / "chapters" / f"{module}.md").read_text("utf-8"))}
    sources = [*(COURSE / "tests" / module).glob("*.py"), *(ROOT / "python/tests/l1-2-bpe").glob("*.py")]
    defined = {
        name for source in sources for name in re.findall(r"^def (test_\w+)", source.read_text("utf-8"), re.MULTILINE)
    }
    assert named - {"test_bpe"} <= defined


@pytest.mark.parametrize("module", MODULES)
def test_pitfalls_are_numbered_as_the_hints_are(module: str) -> None:
    chapter = (COURSE / "chapters" / f"{module}.md").read_text("utf-8")
    pitfalls = chapter.partition("\n## 5. Pitfalls\n")[2].partition("\n## ")[0]
    hints = (COURSE / "hints" / f"{module}.md").read_text("utf-8")
    assert re.findall(r"^(\d+)\. \*\*", pitfalls, re.MULTILINE) == re.findall(r"^## (\d+)\. ", hints, re.MULTILINE)


def test_the_chapter_names_the_mutants_by_their_numbers() -> None:
    chapter = (COURSE / "chapters" / "L1.2.md").read_text("utf-8")
    mutants = (COURSE / "mutants" / "L1.2.toml").read_text("utf-8")
    ids = re.findall(r'^id = "(s\d\d)"$', mutants, re.MULTILINE)
    killers = dict(zip(ids, re.findall(r'^killed_by = "(\w+)"$', mutants, re.MULTILINE)))
    for test, named in re.findall(r"`(test_\w+)`\s+\((s\d\d(?:, s\d\d)*)\)", chapter):
        for id in named.split(", "):
            assert killers[id] == test, f"{id} is killed by {killers[id]}, the chapter says {test}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_paths_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"`((?:course|python)/[\w./-]+)`", page.read_text("utf-8"))
    linked = re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
    links = [str((page.parent / link).resolve().relative_to(ROOT)) for link in linked]
    missing = [path for path in [*named, *links] if not (ROOT / path).exists()]
    assert missing == []


# ---- what the course tests are made of ----


def strings(source: Path) -> set[str]:
    """Every string that a Python file spells, escapes read."""
    constants = [node.value for node in ast.walk(ast.parse(source.read_bytes())) if isinstance(node, ast.Constant)]
    return {value for value in constants if isinstance(value, str)}


def test_course_tests_hold_only_characters_of_one_class_in_all_unicode_versions() -> None:
    """A student may use `unicodedata`, whatever the version of Python."""
    ranges = json.loads((COURSE / "fixtures/unicode16/classes.json").read_text("utf-8"))["version_dependent"]
    changing = {chr(code) for first, last in ranges for code in range(first, last + 1)}
    texts = {(COURSE / "fixtures/training/story.txt").read_text("utf-8")}
    for source in (COURSE / "tests").glob("*/*.py"):
        texts |= strings(source)
    assert len(texts) > 100
    assert {*"".join(texts)} & changing == set()


def test_the_merges_of_the_story_are_what_hugging_face_learns() -> None:
    pytest.importorskip("tokenizers")
    script = ROOT / "python/scripts/make_training_golden.py"
    assert subprocess.run([sys.executable, str(script), "--check"], check=False).returncode == 0

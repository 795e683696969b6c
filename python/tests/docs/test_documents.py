"""Every page of the documentation, held to the repository: links, paths, commands and make targets that it names exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

import ol.cli
import tinyllm.tok.cli

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(
    page
    for folder in (ROOT, ROOT / "course", ROOT / "python")
    for page in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
    if "ol" not in page.relative_to(ROOT).parts  # the runner's own tests have a toy course
)
COMMANDS: dict[str, Any] = {
    "tok": typer.main.get_command(tinyllm.tok.cli.application()),
    "ol": typer.main.get_command(ol.cli.app),
}
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def code(text: str) -> list[str]:
    """The lines of a page's code blocks, and what stands in backticks outside them."""
    fenced = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in fenced for line in block.splitlines()]
    return lines + re.findall(r"^    (.+)$", prose, re.MULTILINE) + re.findall(r"`([^`\n]+)`", prose)


def parts(line: str) -> list[list[str]]:
    """The commands of a shell's line, as lists of what they are typed of; comments and redirections left out."""
    try:
        words = list(shlex.shlex(line, posix=True, punctuation_chars="|<>;&"))
    except ValueError:
        return []  # no shell's line
    found: list[list[str]] = [[]]
    for word in words:
        if set(word) <= set("|<>;&"):
            found.append([])
        else:
            found[-1].append(word)
    return [part for part in found if part]


def wrong_command(part: list[str]) -> str | None:
    """What is wrong with a command of ours: a subcommand or an option that is not there."""
    name, *rest = part
    subcommand = next((word for word in rest if not word.startswith("-")), None)
    if subcommand is None:
        return None if set(rest) <= {"--help", "-h"} else f"{name} has no {rest[0]}"
    known = COMMANDS[name].commands.get(subcommand)
    if known is None:
        return f"{name} has no command {subcommand}"
    options = {option for parameter in known.params for option in parameter.opts} | {"--help"}
    named = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
    return f"{name} {subcommand} has no {', '.join(sorted(named - options))}" if named - options else None


@pages
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        if not re.match(r"[a-z]+:", link):
            to = page.parent / path if path else page
            assert to.exists(), link
            titles = re.findall(r"^#+ (.+)$", to.read_text("utf-8"), re.MULTILINE) if anchor else []
            assert not anchor or anchor in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


@pages
def test_paths_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    named = {
        path.rstrip(".") for line in code(text) for path in re.findall(r"(?<![\w./])(?:course|python)/[\w./*-]+", line)
    }
    assert [path for path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []


@pages
def test_commands_and_their_options_exist(page: Path) -> None:
    typed = [
        part for line in code(page.read_text("utf-8")) for part in parts(line) if part[0] in COMMANDS and len(part) > 1
    ]
    assert [problem for problem in map(wrong_command, typed) if problem] == []


@pages
def test_make_targets_exist(page: Path) -> None:
    typed = [
        part for line in code(page.read_text("utf-8")) for part in parts(line) if part[0] == "make" and len(part) > 1
    ]
    assert {part[1] for part in typed} <= TARGETS


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("tok encode --jsonl < a | cmp - a  # --not-an-option", []),
        ('tok encode "tok encod"', []),
        ("tok encod a", ["tok has no command encod"]),
        ("your-port | tok encode --json", ["tok encode has no --json"]),
        ("ol check L1.2 -k ties && ol hint L1.2 --levels 3", ["ol hint has no --levels"]),
    ],
)
def test_a_wrong_command_is_found_wherever_it_stands(line: str, wrong: list[str]) -> None:
    found = [wrong_command(part) for part in parts(line) if part[0] in COMMANDS]
    assert [problem for problem in found if problem] == wrong


def test_code_is_found_in_fences_indented_and_in_backticks() -> None:
    page = "Say `a b`.\n\n    c d\n\n```sh\n$ e f\ng\n```\n"
    assert code(page) == ["e f", "g", "c d", "a b"]


def test_there_are_pages() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "course/README.md", "course/CHANGELOG.md", "course/formats/vectors.md"} <= names

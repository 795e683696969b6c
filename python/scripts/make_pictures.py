"""Make the pictures of the README, in course/pictures/.

    python python/scripts/make_pictures.py [NAME ...]      all of them, or those named

explain.png  the page of `tok explain --html`, at the end of "internationalization"; needs chromium and playwright
check.svg    `ol check L1.2`, run twice: on code with one mistake, and on right code with tests that leave something out
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "course" / "pictures"
BROWSER_ARGUMENTS = "--no-sandbox --disable-background-networking --disable-component-update --disable-sync --no-first-run --disable-gpu --disable-quic"

sys.path.insert(0, str(ROOT / "python"))


def explain(file: Path) -> None:
    """A screenshot, 1280 pixels wide, from the top of the page to the last row of the rounds."""
    from playwright.sync_api import sync_playwright

    from tinyllm.tok.explain import write_page
    from tinyllm.tok.pretrained import load

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise SystemExit("explain.png needs a browser: chromium is not on the PATH")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        write_page(page_file, load("gpt2"), "internationalization", name="GPT-2")
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=BROWSER_ARGUMENTS.split())
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(page_file.as_uri())
        page.keyboard.press("End")
        below = page.evaluate("document.querySelector('#rounds').getBoundingClientRect().bottom + scrollY")
        page.screenshot(path=file, full_page=True, clip={"x": 0, "y": 0, "width": 1280, "height": below + 20})
        browser.close()


# ---- ol check ----

WIDTH = 96  # columns
MISTAKE = "s08"  # a run of white space is taken whole: two pictures of a text tell more than numbers
LEFT_OUT = {  # of the model's tests, those that one student forgot
    "test_overlapping_pairs_count_and_merge_from_the_left",
    "test_a_byte_without_a_symbol_is_dropped",
    "test_gpt2_files_have_one_header_line",
}
# rich's own format names a font on a server and a random id; a picture in a README can load neither.
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<!-- python/scripts/make_pictures.py, rich VERSION -->
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font: bold 18px system-ui, sans-serif }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def check(file: Path) -> None:
    """What a terminal shows, without the times."""
    file.write_text(terminal(two_checks()), encoding="utf-8")


def two_checks() -> str:
    """The output of both runs, as it comes with colours, in the repo of a student who has built all that L1.2 needs."""
    from ol.catalog import Course
    from ol.mutants import load_mutants
    from ol.stage import reference_sources

    course = Course.load(ROOT / "course")
    module = course.module("L1.2")
    suite = (ROOT / module.own_tests).read_text("utf-8")
    mistake = next(mutant for mutant in load_mutants(course, module) if mutant.id == MISTAKE)
    wrong = mistake.apply(reference_sources(course, module), module)[module.path(mistake.file)].content
    with TemporaryDirectory() as folder:
        repo = Path(folder)
        (repo / "pyproject.toml").write_text("[tool.ol]\n", "utf-8")
        for one in (*course.all_needs(module), module):
            for name in one.files:
                to = repo / one.root / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(course.reference_file(one, name), to)
        tests = repo / module.own_tests
        tests.parent.mkdir(parents=True)
        tests.write_text(without(suite, LEFT_OUT), "utf-8")
        changed = repo / module.root / mistake.file
        right = changed.read_bytes()
        changed.write_bytes(wrong)
        first = ol(repo, "check", "L1.2")
        changed.write_bytes(right)
        return f"{first}\n{ol(repo, 'check', 'L1.2')}"


def ol(repo: Path, *arguments: str) -> str:
    """One command and what it prints on a terminal, without times."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    terminal = {"COLUMNS": str(WIDTH), "TERM": "xterm-256color", "FORCE_COLOR": "1", "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "ol.cli", *arguments]
    ended = subprocess.run(command, cwd=repo, env=kept | terminal, capture_output=True, text=True, encoding="utf-8")
    if ended.returncode == 2 or ended.stderr:
        raise SystemExit(f"ol {' '.join(arguments)} could not judge: {ended.stderr}")
    return f"$ ol {' '.join(arguments)}\n" + re.sub(r" +\d+\.\d s$", "", ended.stdout, flags=re.MULTILINE)


def without(suite: str, names: Collection[str]) -> str:
    """A test file without some of its tests."""
    lines = suite.splitlines(keepends=True)
    found = [node for node in ast.parse(suite).body if isinstance(node, ast.FunctionDef) and node.name in names]
    if {node.name for node in found} != set(names):
        raise SystemExit(f"the model suite has no {', '.join(set(names) - {node.name for node in found})}")
    for node in reversed(found):
        first = min(part.lineno for part in (node, *node.decorator_list))
        del lines[first - 1 : node.end_lineno]
    return "".join(lines)


def terminal(text: str) -> str:
    """A terminal's window with `text`, which may hold colours, as SVG: the same text, the same bytes."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="standard", legacy_windows=False
    )
    console.print(Text.from_ansi(text.rstrip()), soft_wrap=True)
    return console.export_svg(
        title="ol check", unique_id="ol-check", code_format=FRAME.replace("VERSION", version("rich"))
    )


MAKERS: dict[str, Callable[[Path], None]] = {"explain.png": explain, "check.svg": check}


def main(names: list[str]) -> int:
    for name in names or MAKERS:
        if name not in MAKERS:
            raise SystemExit(f"no picture is called {name}; there are {', '.join(MAKERS)}")
        PICTURES.mkdir(exist_ok=True)
        MAKERS[name](PICTURES / name)
        print(f"wrote {(PICTURES / name).relative_to(ROOT)}, {(PICTURES / name).stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

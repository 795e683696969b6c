"""A student's first day, in an empty folder outside the checkout, with the package installed as a wheel.

Every step's command, exit code and output is compared with a file under golden/. After a change that is meant:
`UPDATE_GOLDEN=1 python -m pytest python/tests/ol/test_first_day.py`, then read the difference.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from difflib import unified_diff
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).resolve().parent / "golden"
CHECKOUT = Path(__file__).resolve().parents[3]
ONE_ROUND_TRIP = """from tinyllm.tok.bpe import BPETokenizer


def test_round_trip():
    tokenizer = BPETokenizer.train(["hug", "hug", "pug", "hugs"], vocab_size=259, min_freq=1)
    assert tokenizer.decode(tokenizer.encode("hugs pug")) == "hugs pug"
"""


class Installed:
    """The package in an environment of its own, and an empty folder to work in."""

    def __init__(self, folder: Path) -> None:
        environment = folder / "environment"
        run([sys.executable, "-m", "venv", "--without-pip", str(environment)])
        self._bin = environment / "bin"
        self.site = Path(
            run([str(self._bin / "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
        )
        # Our dependencies come from this environment: nothing is downloaded. A .pth file adds its packages, not its .pth files,
        # so that an editable install of the checkout stays out.
        (self.site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        wheel = build(folder / "wheel")
        run(
            [
                sys.executable,
                "-m",
                "pip",
                "--python",
                str(self._bin / "python"),
                "install",
                "--quiet",
                "--no-deps",
                "--no-index",
                str(wheel),
            ]
        )
        self.repo = folder / "repo"
        self.repo.mkdir()

    def ol(self, *arguments: str) -> tuple[int, str]:
        """Run the installed command: its exit code, and all that a reader sees, with times and paths made equal."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        ended = subprocess.run(
            [str(self._bin / "ol"), *arguments],
            cwd=self.repo,
            env=kept | {"COLUMNS": "80"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )
        text = f"$ ol {' '.join(arguments)}\n{ended.stdout}{ended.stderr}exit {ended.returncode}\n"
        for path, name in ((self.site, "SITE"), (self.repo, "REPO")):
            text = text.replace(str(path), name)
        text = re.sub(r"\d+\.\d+ s\b", "N s", text)
        return ended.returncode, re.sub(r"\.py:\d+", ".py:LINE", text)

    def take_reference(self, *files: str, folder: str = ".") -> None:
        """Copy files of the installed reference into the repo: the library's, or a plain reference's from its folder."""
        for file in files:
            shutil.copy(self.site / folder / file, self.repo / "python" / file)


def run(command: list[str]) -> str:
    ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build(folder: Path) -> Path:
    """The wheel, built here: without isolation, since hatchling is at hand wherever the tests run."""
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(CHECKOUT)])
    return next(folder.glob("*.whl"))


def difference(name: str, text: str) -> str:
    """How `text` differs from its golden file; empty if it does not."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    golden = path.read_text(encoding="utf-8") if path.is_file() else ""
    return "".join(unified_diff(golden.splitlines(True), text.splitlines(True), f"golden/{name}.txt", "now"))


def test_a_first_day(tmp_path: Path) -> None:
    student = Installed(tmp_path)
    suite = student.repo / "python/tests/l1-2-bpe/test_bpe.py"
    differences: list[str] = []

    def step(name: str, expected: int, *arguments: str) -> None:
        code, text = student.ol(*arguments)
        assert code == expected, text
        differences.append(difference(name, text))

    step("01-start", 0, "start", "L1.2")
    assert sorted(str(path.relative_to(student.repo)) for path in student.repo.rglob("*") if path.is_file()) == [
        "pyproject.toml",
        "python/tests/l1-2-bpe/test_bpe.py",
        "python/tinyllm/tok/bpe.py",
        "python/tinyllm/tok/pretok.py",
    ]
    step("02-tests", 0, "tests", "L1.2")
    step("03-needs", 2, "check", "L1.2")
    step("04-stubs", 1, "check", "L1.2", "--ref-deps")

    plain = "tinyllm_course/reference/L1.2"
    student.take_reference("tinyllm/tok/pretok.py", "tinyllm/tok/bpe.py", folder=plain)
    suite.write_text(ONE_ROUND_TRIP, encoding="utf-8")
    step("05-weak-tests", 1, "check", "L1.2", "--ref-deps")
    shutil.copy(CHECKOUT / "python/tests/l1-2-bpe/test_bpe.py", suite)
    step("06-passed-with-ref-deps", 0, "check", "L1.2", "--ref-deps")
    step("07-diff", 0, "diff", "L1.2")
    step("08-still-needs", 2, "check", "L1.2")

    student.take_reference(
        "tinyllm/tok/base.py",
        "tinyllm/tok/byte.py",
        "tinyllm/tok/char.py",
        "tinyllm/tok/bytemap.py",
        "tinyllm/tok/trie.py",
    )
    step("09-passed", 0, "check", "L1.2")
    step("10-diff", 0, "diff", "L1.2")
    step("11-list", 0, "list")
    step("12-later", 2, "check", "L1.6")

    found = "\n".join(filter(None, differences))
    assert not found, f"if this is meant, UPDATE_GOLDEN=1 writes the golden files again:\n{found}"

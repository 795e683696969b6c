"""The installed command `ol` survives its own advice, `export PYTHONPATH=python`, whatever stands in that folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
PACKAGES = Path(pytest.__file__).resolve().parents[1]
WRAPPER = "#!{python}\nimport sys\nfrom ol_launcher import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
NAMES = ["token.py", "types.py", "enum.py", "typing.py", "re.py", "json.py", "dataclasses.py", "rich.py", "pytest.py"]
NAMES += ["ol/__init__.py", "ol.py", "typer/__init__.py", "sitecustomize.py"]
NO_MODULE = "print('mine')\nraise ImportError('this is no module of Python')\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with `ol` as an editable install makes it: a .pth file, and the script that an installer writes."""
    folder = tmp_path_factory.mktemp("editable")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    site = next((folder / "lib").glob("python*")) / "site-packages"
    (site / "editable.pth").write_text(f"{CHECKOUT / 'python'}\n{PACKAGES}\n")
    (folder / "bin" / "ol").write_text(WRAPPER.format(python=python))
    (folder / "bin" / "ol").chmod(0o755)
    return folder / "bin" / "ol"


def run(desk: Any, ol: Path, *arguments: str, path: str = "python") -> subprocess.CompletedProcess[str]:
    environment = desk.environment(PYTHONPATH=path)
    command = [str(ol), *arguments]
    return subprocess.run(command, cwd=desk.repo, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (n >= 3)) for n, name in enumerate(NAMES)]
)
def test_a_module_that_hides_another_does_not_reach_ol(finished: Any, installed: Path, name: str) -> None:
    finished.write(f"python/{name}", NO_MODULE if name != "sitecustomize.py" else "import types\ntypes.X = 1\n")
    for path in ("python", str(finished.repo / "python"), f"nowhere{os.pathsep}python{os.pathsep}"):
        ended = run(finished, installed, "list", path=path)
        assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
        assert "mine" not in ended.stdout


def test_all_of_them_at_once_change_no_verdict(finished: Any, installed: Path) -> None:
    for name in NAMES:
        finished.write(f"python/{name}", NO_MODULE if name != "sitecustomize.py" else "")
    ended = run(finished, installed, "check", "T1")
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    ended = run(finished, installed, "check", "T1", path=str(finished.repo / "python"))
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr


def test_a_subfolder_of_the_repo_is_as_good(finished: Any, installed: Path) -> None:
    finished.write("python/token.py", NO_MODULE)
    environment = finished.environment(PYTHONPATH=str(finished.repo / "python"))
    command = [str(installed), "check", "T1"]
    ended = subprocess.run(command, cwd=finished.repo / "python/toy", env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_packages_that_stand_on_pythonpath_alone_are_still_found(
    finished: Any, installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "watchfiles.py").write_text("raise ImportError('the cluster has been asked')\n")
    (tmp_path / "cluster" / "token.py").write_text(NO_MODULE)
    code = "import sys, ol_launcher; sys.argv = ['ol', 'list']\ntry: ol_launcher.main()\nexcept SystemExit: pass\n"
    code += "print(sys.path[-1], sys.modules['token'].__file__ if 'token' in sys.modules else '')"
    python = installed.with_name("python")
    environment = finished.environment(PYTHONPATH=str(tmp_path / "cluster"))
    ended = subprocess.run([python, "-c", code], cwd=finished.repo, env=environment, capture_output=True, text=True)
    assert ended.stdout.splitlines()[-1].startswith(str(tmp_path / "cluster")), ended.stdout + ended.stderr
    assert "mine" not in ended.stdout


def test_the_checkout_on_its_own_pythonpath_works(finished: Any, installed: Path) -> None:
    environment = finished.environment(PYTHONPATH="python")
    ended = subprocess.run([str(installed), "list"], cwd=CHECKOUT, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_module_that_hides_pythons_own_is_named_where_it_can_do_harm(finished: Any) -> None:
    finished.write("python/token.py", "")
    finished.write("python/types/__init__.py", "")
    finished.write("python/tokens.py", "")
    for arguments in (("check", "T1"), ("start", "T2")):
        said = " ".join(finished.ol(*arguments).out.split())
        assert "python/token.py hides Python's own token from plain pytest, python and notebooks: rename it" in said
        assert "python/types hides Python's own types from" in said
        assert "tokens.py" not in said


@pytest.mark.slow
def test_a_wheel_brings_the_launcher(finished: Any, tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path / "wheel"),
        str(CHECKOUT),
    ]
    subprocess.run(build, check=True, capture_output=True)
    wheel = next((tmp_path / "wheel").glob("*.whl"))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "a place"], check=True)
    python = tmp_path / "a place" / "bin" / "python"
    site = next((tmp_path / "a place" / "lib").glob("python*")) / "site-packages"
    (site / "dependencies.pth").write_text(f"{PACKAGES}\n")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    for name in NAMES:
        finished.write(f"python/{name}", NO_MODULE if name != "sitecustomize.py" else "")
    ended = run(finished, python.with_name("ol"), "check", "T1")
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr

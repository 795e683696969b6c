"""Chooses the code under test: tokenizer.py beside this file, or with --impl=solution the reference.

The folder stands on its own: it is copied into students' repos, and its tests run from any directory.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

LAB = Path(__file__).resolve().parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--impl",
        default="tokenizer",
        metavar="NAME",
        help="lab 04: test NAME.py of the lab's folder: tokenizer (your code, the default) or solution",
    )


@pytest.fixture(scope="session")
def lab(pytestconfig: pytest.Config) -> ModuleType:
    """The module under test."""
    # The default stands here too: pytest learns of the option too late when it finds this folder by itself.
    name = pytestconfig.getoption("--impl", default="tokenizer")
    source = LAB / f"{name}.py"
    if not source.is_file():
        pytest.fail(f"--impl={name}: there is no {source.name} in {LAB}", pytrace=False)
    # Loaded from its file: "tokenizer" and "solution" are names that any installed package may have taken.
    module_name = f"lab_04_{name}"
    spec = importlib.util.spec_from_file_location(module_name, source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name != "regex":
            raise
        pytest.fail("this lab needs the package regex from PyPI: pip install regex", pytrace=False)
    return module

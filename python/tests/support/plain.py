"""The course's plain reference of L1.2, under another name, so that it and the library live in one process."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[3] / "course/reference/L1.2/tinyllm/tok"
LIBRARY = "tinyllm.tok.pretok"


def load(file: Path, name: str) -> ModuleType:
    spec = spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # where pickle looks for the class
    spec.loader.exec_module(module)
    return module


def load_both(folder: Path) -> tuple[ModuleType, ModuleType]:
    """`pretok` and `bpe` of a folder. While `bpe` is loaded, what it imports as `tinyllm.tok.pretok` is the folder's own."""
    import tinyllm.tok.pretok as of_the_library

    pretok = load(folder / "pretok.py", f"plain_{folder.parents[2].name}_pretok".replace(".", "_"))
    sys.modules[LIBRARY] = pretok
    try:
        bpe = load(folder / "bpe.py", f"plain_{folder.parents[2].name}_bpe".replace(".", "_"))
    finally:
        sys.modules[LIBRARY] = of_the_library
    return pretok, bpe


pretok, bpe = load_both(FOLDER)

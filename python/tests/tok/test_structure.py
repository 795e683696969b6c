"""How the library is laid out, read from its syntax trees: rooms, who stands on whom, and how long a module is."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "python" / "tinyllm" / "tok"
FILES = sorted(LIBRARY.rglob("*.py"))

# The rooms, each standing on those before it alone. `cli/` is the command, and stands on all.
ROOMS = ("fast", "splitting", "merging", "files", "corpus", "pipeline", "unigram", "explain", "cli")
# Those of them that lie below the class that users import: it may stand on them, they not on it.
BELOW_BPE = {"fast", "splitting", "merging", "files", "corpus", "pipeline"}
MOST_LINES = 400

# What users and the course import, for good.
PUBLIC = {
    "tinyllm.tok.base": {"Tokenizer", "check_ids"},
    "tinyllm.tok.bpe": {"BPETokenizer", "count_pretokens"},
    "tinyllm.tok.byte": {"ByteTokenizer"},
    "tinyllm.tok.bytemap": {"bytes_to_unicode", "unicode_to_bytes"},
    "tinyllm.tok.char": {"CharTokenizer"},
    "tinyllm.tok.corpus": {
        "Written",
        "checked_typecode",
        "count_pretokens_in_files",
        "encode_in_processes",
        "write_ids",
    },
    "tinyllm.tok.corpus_dask": {
        *("connected", "count_pretokens_in_bag", "documents_bag", "encode_bag", "write_ids_of_bag"),
    },
    "tinyllm.tok.documents": {"By", "Part", "Readable", "Source", "documents", "shares", "text_in_json"},
    "tinyllm.tok.explain": {
        *("EncodeTrace", "TokenView", "TrainTrace", "to_json", "trace_encode", "trace_train", "view", "write_page"),
    },
    "tinyllm.tok.jsonfile": {
        "check_fields",
        "read_json",
        "read_text",
        "replacing",
        "shown",
        "write_json",
        "write_text",
    },
    "tinyllm.tok.measure": {
        *("CURVE_COLUMNS", "CurvePoint", "MEASUREMENT_COLUMNS", "Measurement", "curve", "flattens_at", "measure"),
        *("to_csv", "to_json"),
    },
    "tinyllm.tok.pipeline": {"Pipeline"},
    "tinyllm.tok.pretok": {"is_letter", "is_number", "is_space", "pretokenize_gpt2", "split_digits"},
    "tinyllm.tok.pretrained": {"NAMES", "load", "path_of"},
    "tinyllm.tok.splits": {
        *("CL100K_PATTERN", "CL100K_TIKTOKEN_PATTERN", "O200K_PATTERN"),
        *("pretokenize_cl100k", "pretokenize_cl100k_tiktoken", "pretokenize_o200k"),
    },
    "tinyllm.tok.stream": {"StreamDecoder"},
    "tinyllm.tok.tiktoken_file": {"read_tiktoken"},
    "tinyllm.tok.trie": {"Trie"},
    "tinyllm.tok.unicode16": {"category"},
    "tinyllm.tok.unigram": {"UnigramTokenizer"},
}


def dotted(file: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(["tinyllm", "tok", *file.relative_to(LIBRARY).with_suffix("").parts]).removesuffix(".__init__")


MODULES = {dotted(file): ast.parse(file.read_text("utf-8")) for file in FILES}


def room_of(module: str) -> str:
    """The room that a module lies in; "" for one at the top."""
    return next((room for room in ROOMS if f"{module}.".startswith(f"tinyllm.tok.{room}.")), "")


def imported_by(module: str, tree: ast.Module) -> set[str]:
    """All that a module imports of the library: at its top, inside functions, and for types alone.

    Who imports from a room runs the room's `__init__` too; those in the room do so already.
    """
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import, which this test does not follow"
            named |= {f"{node.module}.{alias.name}" for alias in node.names}
    found = set()
    for name in named:
        while name not in MODULES and "." in name:
            name = name.rpartition(".")[0]
        if name in MODULES:
            found.add(name)
            if room_of(name) != room_of(module):
                found.add(f"tinyllm.tok.{room_of(name)}".rstrip("."))
    return (found & MODULES.keys()) - {module}


IMPORTS = {module: imported_by(module, tree) for module, tree in MODULES.items()}


def circle_in(imports: dict[str, set[str]]) -> set[str]:
    """The modules that are in a circle, or stand on one; none if there is no circle."""
    left = dict(imports)
    while free := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in free:
            del left[module]
    return set(left)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle_in(IMPORTS) == set()


def test_a_circle_that_is_hidden_in_a_function_or_for_types_alone_is_found() -> None:
    lazily = "def f():\n    from tinyllm.tok.bpe import BPETokenizer"
    for_types = "if TYPE_CHECKING:\n    from tinyllm.tok.bpe import BPETokenizer"
    for hidden in (lazily, for_types):
        below = imported_by("tinyllm.tok.corpus.processes", ast.parse(hidden))
        assert below == {"tinyllm.tok.bpe"}
        found = circle_in({**IMPORTS, "tinyllm.tok.corpus.processes": below})
        assert {"tinyllm.tok.bpe", "tinyllm.tok.corpus.processes"} <= found


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(module)])
def test_a_room_stands_on_those_before_it_alone(module: str) -> None:
    room = room_of(module)
    allowed = {"", *ROOMS[: ROOMS.index(room) + 1]}
    assert {room_of(needed) for needed in IMPORTS[module]} <= allowed
    if room in BELOW_BPE:
        assert "tinyllm.tok.bpe" not in IMPORTS[module]
    if room == "fast":
        assert {room_of(needed) for needed in IMPORTS[module]} <= {"fast"}


def test_only_the_command_imports_the_command() -> None:
    assert [
        module
        for module, needed in IMPORTS.items()
        if room_of(module) != "cli" and any(room_of(name) == "cli" for name in needed)
    ] == []


def test_every_folder_is_a_room_and_a_regular_package_that_says_what_it_holds() -> None:
    folders = {file.parent for file in FILES} - {LIBRARY}
    assert {folder.relative_to(LIBRARY).as_posix() for folder in folders} == {*ROOMS}
    for room in ROOMS:
        assert ast.get_docstring(MODULES[f"tinyllm.tok.{room}"])


def test_at_the_top_stands_what_users_and_the_course_import() -> None:
    """So that the folder itself shows what there is; how it is done lies in the rooms."""
    top = {module for module in MODULES if module.count(".") == 2}
    assert top - {f"tinyllm.tok.{room}" for room in ROOMS} <= PUBLIC.keys()


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_import_path_stays(module: str) -> None:
    found = importlib.import_module(module)
    assert {name for name in PUBLIC[module] if not hasattr(found, name)} == set()


def test_every_contract_is_of_a_public_import_path() -> None:
    contracts = (ROOT / "course" / "contracts" / "py" / "tinyllm" / "tok").glob("*.pyi")
    assert {f"tinyllm.tok.{contract.stem}" for contract in contracts} == PUBLIC.keys() - {"tinyllm.tok.pretrained"}


@pytest.mark.parametrize("file", FILES, ids=dotted)
def test_a_module_can_be_read_in_one_sitting(file: Path) -> None:
    generated = "Generated by python/scripts/" in (ast.get_docstring(MODULES[dotted(file)]) or "")
    assert generated or len(file.read_text("utf-8").splitlines()) <= MOST_LINES

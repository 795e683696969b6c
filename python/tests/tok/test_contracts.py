"""Contracts and modules say the same; modules use of each other only what every student's module has; nothing works at import."""

import ast
import importlib
import inspect
import os
import subprocess
import sys

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CONTRACTS = ROOT / "course" / "contracts" / "py"
LIBRARY = ROOT / "python" / "tinyllm" / "tok"
OPTIONAL_LINE = "# --- optional"

NAMES = sorted(path.stem for path in (CONTRACTS / "tinyllm" / "tok").glob("*.pyi"))
# All modules, by the names under which `tinyllm.tok` has them; a room's own is its `__init__`.
ALL = sorted(
    ".".join(path.relative_to(LIBRARY).with_suffix("").parts).removesuffix(".__init__")
    for path in LIBRARY.rglob("*.py")
)
MODULES = [
    name for name in ALL if name.partition(".")[0] != "cli"
]  # the command's need typer, and stand above the others

# What students write: any of these may be theirs, with the required names alone.
COURSE = tomllib.loads((ROOT / "course" / "course.toml").read_text("utf-8"))
STUDENTS = {
    Path(file).stem
    for module in COURSE["module"].values()
    for file in module.get("files", ())
    if file.startswith("tinyllm/tok/")
}
# Modules of which a student writes one after another, each standing on those before it alone; ours of `bpe` in rooms besides.
BUILT_ON = {
    "unicode16": set(),
    "jsonfile": set(),
    "bytemap": set(),
    "trie": set(),
    "base": set(),
    "byte": {"base", "jsonfile"},
    "char": {"base", "jsonfile"},
    "pretok": {"unicode16"},
    "bpe": {"base", "bytemap", "jsonfile", "pretok", "trie", "unicode16"},
}


def contract(name: str) -> str:
    return (CONTRACTS / "tinyllm" / "tok" / f"{name}.pyi").read_text("utf-8")


def required(text: str) -> str:
    return text.partition(f"\n{OPTIONAL_LINE}")[0]


def source(name: str) -> ast.Module:
    path = LIBRARY.joinpath(*name.split("."))
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8"))


# ---- contracts and modules ----


def promised(text: str) -> dict[str, ast.AST]:
    """Dotted name -> node, of all that a contract promises. What `XOptional` says of X replaces what X says."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.ClassDef):
            owner = node.name.removesuffix("Optional")
            found.setdefault(owner, node)
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    found[f"{owner}.{member.name}"] = member
    return found


PROMISES = [(name, dotted) for name in NAMES for dotted in promised(contract(name))]


def find(name: str, dotted: str) -> object:
    place = importlib.import_module(f"tinyllm.tok.{name}")
    for step in dotted.split("."):
        place = inspect.getattr_static(place, step)
    return place


def parameters(node: ast.FunctionDef) -> list[tuple[str, str, str]]:
    """(name, kind, default) of each parameter in a contract."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    found = [(p.arg, "positional", d) for p, d in zip(positional, defaults)]
    found += [(arguments.vararg.arg, "*", None)] if arguments.vararg else []
    found += [(p.arg, "keyword", d) for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    found += [(arguments.kwarg.arg, "**", None)] if arguments.kwarg else []
    return [(name, kind, ast.unparse(default) if default else "") for name, kind, default in found]


def parameters_of(function) -> list[tuple[str, str, str]]:
    kind = inspect.Parameter
    kinds = {
        kind.POSITIONAL_ONLY: "positional",
        kind.POSITIONAL_OR_KEYWORD: "positional",
        kind.KEYWORD_ONLY: "keyword",
        kind.VAR_POSITIONAL: "*",
        kind.VAR_KEYWORD: "**",
    }
    return [
        (p.name, kinds[p.kind], "" if p.default is inspect.Parameter.empty else repr(p.default))
        for p in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize("name, dotted", PROMISES, ids=lambda value: value)
def test_what_a_contract_promises_the_module_has(name: str, dotted: str) -> None:
    node, found = promised(contract(name))[dotted], find(name, dotted)
    if isinstance(node, ast.ClassDef):
        assert isinstance(found, type)
        bases = {ast.unparse(base).partition("[")[0] for base in node.bases if not node.name.endswith("Optional")}
        assert bases - {"Generic", "Protocol", "NamedTuple"} <= {base.__name__ for base in found.__mro__}
    elif isinstance(node, ast.FunctionDef):
        decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
        if "property" in decorators:
            assert isinstance(found, property) or hasattr(found, "__get__")
            return
        assert isinstance(found, classmethod) == ("classmethod" in decorators)
        assert isinstance(found, staticmethod) == ("staticmethod" in decorators)
        function = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        assert getattr(function, "__isabstractmethod__", False) == ("abstractmethod" in decorators)
        assert parameters_of(function) == parameters(node)
    else:
        assert found is not None


@pytest.mark.parametrize("name", NAMES)
def test_the_members_that_the_reference_has_besides_are_on_the_class_that_they_name(name: str) -> None:
    for node in ast.parse(contract(name)).body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Optional"):
            assert [ast.unparse(base) for base in node.bases] == [node.name.removesuffix("Optional")]
            assert f"\n{OPTIONAL_LINE}" in contract(name)
            assert node.name not in required(contract(name))


@pytest.mark.parametrize("name", sorted(STUDENTS))
def test_every_public_name_that_a_students_module_has_here_is_in_its_contract(name: str) -> None:
    """What is not in a contract is nobody's promise: a name for insiders, and those who read."""
    contracted = set(promised(contract(name)))
    defined = {node.name for node in source(name).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    members = {
        f"{node.name}.{member.name}"
        for node in source(name).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        for member in node.body
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
    }
    attributes = {
        f"{node.name}.{member.target.id}"
        for node in ast.parse(contract(name)).body
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.AnnAssign)
    }
    missing = {found for found in defined | members if not found.startswith("_")} - contracted - attributes
    assert missing == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_promise_is_documented(name: str) -> None:
    tree = ast.parse(contract(name))
    assert ast.get_docstring(tree)
    for dotted, node in promised(contract(name)).items():
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and dotted.rpartition(".")[2] != "__init__":
            assert ast.get_docstring(node), dotted


# ---- who uses what ----


def imports(name: str, everywhere: bool) -> list[tuple[str, str]]:
    """(module, name) of what a module imports from tinyllm.tok: when it is imported itself, or anywhere; not for types alone."""
    tree = source(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    nodes = ast.walk(tree) if everywhere else tree.body
    found = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tinyllm.tok"):
            module = node.module.removeprefix("tinyllm.tok").lstrip(".")
            found += [(module, alias.name) if module else (alias.name, "*") for alias in node.names]
        assert not isinstance(node, ast.ImportFrom) or not node.level, "imports are absolute"
    return found


@pytest.mark.parametrize("name", ALL)
def test_a_module_imports_of_a_students_module_only_what_is_required(name: str) -> None:
    for module, wanted in imports(name, everywhere=True):
        if module in STUDENTS and module != name:
            assert wanted in promised(required(contract(module))), (
                f"{name} uses {module}.{wanted}, which is not required"
            )


# What a command calls once `hasattr` said that the class at hand has it; a student's has not.
ASKED_FOR_FIRST = {"cli.train": {"train_from_counts"}}


@pytest.mark.parametrize("name", ALL)
def test_a_module_calls_no_method_that_only_the_library_has(name: str) -> None:
    only_here = set()
    for student in STUDENTS - {name}:
        text = contract(student)
        only_here |= {d.rpartition(".")[2] for d in set(promised(text)) - set(promised(required(text))) if "." in d}
    own = {node.name for node in ast.walk(source(name)) if isinstance(node, ast.FunctionDef)}
    used = {node.attr for node in ast.walk(source(name)) if isinstance(node, ast.Attribute)}
    assert used & only_here <= own | ASKED_FOR_FIRST.get(name, set())


@pytest.mark.parametrize("name", ASKED_FOR_FIRST)
def test_a_command_asks_before_it_calls_what_only_the_library_has(name: str) -> None:
    for method in ASKED_FOR_FIRST[name]:
        assert f'if not hasattr(BPETokenizer, "{method}"):' in ast.unparse(source(name)).replace("'", '"')


@pytest.mark.parametrize("name", sorted(BUILT_ON))
def test_a_module_of_the_course_stands_on_those_before_it_alone(name: str) -> None:
    rooms = {module for module in MODULES if "." in module} if name == "bpe" else set()
    reached, waiting = set(), [name]
    while waiting:
        needed = {module for module, _ in imports(waiting.pop(), everywhere=False)} - reached
        reached |= needed
        waiting += needed
    assert reached & BUILT_ON.keys() <= BUILT_ON[name]
    assert reached - BUILT_ON.keys() <= rooms | {"splits"} if rooms else reached <= BUILT_ON[name]


def test_every_module_of_the_course_is_in_that_order() -> None:
    assert STUDENTS <= BUILT_ON.keys()
    assert {Path(file).stem for file in COURSE["course"]["given"]} <= BUILT_ON.keys()


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_neither_the_commands_nor_the_runner_nor_the_tests(name: str) -> None:
    for node in ast.walk(source(name)):
        modules = (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [a.name for a in node.names]
            if isinstance(node, ast.Import)
            else []
        )
        for module in modules:
            assert module.partition(".")[0] not in (
                "ol",
                "tests",
                "bench",
                "scripts",
                "pytest",
                "hypothesis",
                "typer",
                "rich",
            )
            assert not module.startswith("tinyllm.tok.cli")


# ---- what happens at import ----


def run(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_imports_with_the_standard_library_alone() -> None:
    """What a module needs besides, such as dask, it asks for when it is used."""
    code = f"""
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "tinyllm":
            raise ImportError("not in the standard library: " + name)

sys.meta_path.insert(0, Refuse())
for name in {MODULES!r}:
    importlib.import_module("tinyllm.tok." + name)
print("all")
"""
    assert run(code) == "all\n"


def test_importing_opens_no_files_and_starts_nothing() -> None:
    code = f"""
import importlib, os, sys, threading

for name in ("multiprocessing", "concurrent.futures", "typing", "unicodedata", "re", "json", "html", "zlib", "lzma", "bz2", "gzip"):
    importlib.import_module(name)
seen = []

def hook(event, arguments):
    if event == "open" and not str(arguments[0]).endswith((".py", ".pyc")) and "__pycache__" not in str(arguments[0]):
        seen.append((event, arguments[0]))
    elif event.split(".")[0] in ("subprocess", "socket", "os.fork", "urllib", "tempfile"):
        seen.append((event, arguments))

sys.addaudithook(hook)
for name in {MODULES!r}:
    importlib.import_module("tinyllm.tok." + name)
print(seen, threading.active_count())
"""
    assert run(code) == "[] 1\n"


# Calls that make a constant. Anything more is work, and belongs in a function.
CONSTANT = {
    "CharSet",
    "frozenset",
    "fromkeys",
    "get_args",
    "keys",
    "map",
    "partial",
    "range",
    "chr",
    "TypeVar",
    "tuple",
    "re.compile",
    "array",
    "Path",
    "join",
    "replace",
    "resolve",
    "split",
    "_replace",
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_defines_things_and_does_nothing(name: str) -> None:
    definitions = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    local = {node.name for node in source(name).body if isinstance(node, definitions[2:])}
    for node in source(name).body:
        if isinstance(node, definitions):
            continue
        if isinstance(node, ast.If):
            assert ast.unparse(node.test) == "TYPE_CHECKING"
            continue
        if isinstance(node, ast.Expr):
            assert isinstance(node.value, ast.Constant)  # a docstring
            continue
        assert isinstance(node, (ast.Assign, ast.AnnAssign)), ast.unparse(node)
        for call in ast.walk(node):
            if isinstance(call, ast.Call):
                function = ast.unparse(call.func)
                assert function in CONSTANT | local or function.rpartition(".")[2] in CONSTANT, ast.unparse(node)


def test_the_library_is_a_namespace_package() -> None:
    """So that a student's modules and the installed ones make one package; typed all the same."""
    assert not (LIBRARY / "__init__.py").exists() and not (LIBRARY.parent / "__init__.py").exists()
    assert (LIBRARY / "py.typed").exists()

"""What a file imports, and the files that it therefore needs: as Python itself would find them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ol.catalog import Course
from ol.imports import Import, imports, needed_files, outside


def needs(folder: Path, files: dict[str, str], *wanted: str, leave_out: tuple[str, ...] = ()) -> list[str]:
    """What `wanted` need, in a folder with `files`."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return needed_files(folder, wanted, {"toy"}, leave_out)


@pytest.mark.parametrize(
    "source, expected",
    [
        ("import os", [Import("os")]),
        ("import toy.one as one, toy.two", [Import("toy.one"), Import("toy.two")]),
        ("from toy.one import double, half as h", [Import("toy.one", ("double", "half"))]),
        ("from . import one", [Import("toy.deep", ("one",))]),
        ("from .one import double", [Import("toy.deep.one", ("double",))]),
        ("from ..one import double", [Import("toy.one", ("double",))]),
        ("from ... import given", []),
        ("def late():\n    import toy.one", [Import("toy.one")]),
        ("class A:\n    try:\n        import toy.one\n    except ImportError:\n        import toy.two", [Import("toy.one"), Import("toy.two")]),
        ("if TYPE_CHECKING:\n    import toy.one", []),
        ("if typing.TYPE_CHECKING:\n    import toy.one\nelse:\n    import toy.two", [Import("toy.two")]),
        ("if not TYPE_CHECKING:\n    import toy.one", [Import("toy.one")]),
        ("'import toy.one'  # import toy.two", []),
        ("def (", []),
        ("\0", []),
        ("x = " + "-" * 100_000 + "1", []),
    ],
)  # fmt: skip
def test_imports_are_read_from_the_syntax_tree(source: str, expected: list[Import]) -> None:
    assert imports(source.encode(), "toy/deep/file.py") == expected


def test_a_relative_import_of_a_package_starts_at_the_package_itself() -> None:
    assert imports(b"from .one import double", "toy/deep/__init__.py") == [Import("toy.deep.one", ("double",))]


def test_a_packages_all_is_imported_by_a_star() -> None:
    assert imports(b"__all__ = ['one', 'two']", "toy/deep/__init__.py") == [Import("toy.deep", ("one", "two"))]
    assert imports(b"__all__ = ['one', 'two']", "toy/deep.py") == []


def test_imports_are_followed_through_other_files_and_circles_end(tmp_path: Path) -> None:
    files = {
        "toy/a.py": "def late():\n    from toy import b",
        "toy/b.py": "from .c import x",
        "toy/c.py": "import toy.a",
        "toy/d.py": "",
    }
    assert needs(tmp_path, files, "toy/a.py") == ["toy/a.py", "toy/b.py", "toy/c.py"]


def test_every_package_above_a_file_brings_its_init_file_and_what_that_imports(tmp_path: Path) -> None:
    files = {
        "toy/a.py": "import toy.deep.down.b",
        "toy/deep/__init__.py": "from .extra import e",
        "toy/deep/extra.py": "",
        "toy/deep/down/b.py": "",
        "toy/deep/other.py": "",
    }
    expected = ["toy/a.py", "toy/deep/__init__.py", "toy/deep/down/b.py", "toy/deep/extra.py"]
    assert needs(tmp_path, files, "toy/a.py") == expected
    assert needs(tmp_path, {}, "toy/deep/down/b.py") == expected[1:]


def test_a_package_hides_a_file_of_the_same_name(tmp_path: Path) -> None:
    files = {"toy/a.py": "import toy.b", "toy/b.py": "", "toy/b/__init__.py": ""}
    assert needs(tmp_path, files, "toy/a.py") == ["toy/a.py", "toy/b/__init__.py"]


def test_a_name_taken_from_a_module_is_no_file_and_one_taken_from_a_package_may_be(tmp_path: Path) -> None:
    files = {"toy/a.py": "from toy.b import c\nfrom toy.d import e", "toy/b.py": "c = 1", "toy/d/e.py": ""}
    assert needs(tmp_path, files, "toy/a.py") == ["toy/a.py", "toy/b.py", "toy/d/e.py"]


def test_other_packages_and_files_left_out_are_neither_taken_nor_followed(tmp_path: Path) -> None:
    files = {"toy/a.py": "import other.x, toy.given", "other/x.py": "", "toy/given.py": "import toy.b", "toy/b.py": ""}
    assert needs(tmp_path, files, "toy/a.py", leave_out=("toy/given.py",)) == ["toy/a.py"]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("import os.path, toy.one", []),
        ("from toy import one", []),
        ("from . import one", []),
        ("from toy.one import double", []),
        ("import numpy", ["numpy"]),
        ("from toy.two import Tally", ["toy.two"]),
        ("from toy import one, two", ["toy.two"]),
        ("def late():\n    from .rooms import adding", ["toy.rooms"]),
        ("import toy.one.deeper", ["toy.one.deeper"]),
    ],
)
def test_what_is_imported_from_outside_is_named(source: str, expected: list[str]) -> None:
    assert outside(source.encode(), "toy/file.py", {"toy/one.py"}) == expected


@pytest.mark.parametrize("id", ["L1.1", "M05.2", "M06.2", "L1.2"])
def test_what_python_loads_of_the_library_is_what_was_read_from_it(id: str) -> None:
    course = Course.load()
    files = course.module(id).files
    names = ", ".join(file.removesuffix(".py").replace("/", ".") for file in files)
    script = (
        f"import sys, {names}; print(*(getattr(m, '__file__', None) for m in list(sys.modules.values())), sep='\\n')"
    )
    ended = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=course.library, capture_output=True, text=True, check=True
    )
    root = f"{course.library / 'tinyllm'}/"
    loaded = {line for line in ended.stdout.splitlines() if line.startswith(root)}
    assert loaded <= {str(course.library / file) for file in needed_files(course.library, files, course.packages)}
    assert len(loaded) >= len(files)

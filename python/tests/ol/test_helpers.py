"""Helper modules of a student's: which are taken along with the code, which are not, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest

TWO, PARSE, ONE = "python/toy/two.py", "python/toy/parse.py", "python/toy/one.py"


def use_helper(desk: Any, statement: str, call: str = "times_two") -> None:
    """Let `doubled` use a helper of the student's own, imported by `statement`."""
    desk.keep_one_mutant()
    desk.edit(TWO, "from toy.one import double", statement)
    desk.edit(TWO, "double(value) for", f"{call}(value) for")


HELPERS = {
    "absolute": ("from toy.helpers import times_two", {"helpers": "def times_two(n):\n    return 2 * n\n"}),
    "relative": ("from .helpers import times_two", {"helpers": "def times_two(n):\n    return 2 * n\n"}),
    "a package's module": ("from ._impl.twice import times_two", {"_impl/twice": "def times_two(n):\n    return 2 * n\n"}),
    "of a package": (
        "from toy import _impl\ntimes_two = _impl.times_two",
        {"_impl/__init__": "from .twice import times_two\n", "_impl/twice": "def times_two(n):\n    return 2 * n\n"},
    ),
    "of a helper": (
        "from toy.helpers import times_two",
        {"helpers": "from .more import TWO\n\n\ndef times_two(n):\n    return TWO * n\n", "more": "TWO = 2\n"},
    ),
    "inside a function": (
        "def times_two(n):\n    from toy.helpers import TWO\n\n    return TWO * n",
        {"helpers": "TWO = 2\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HELPERS)
def test_a_helper_module_is_taken_along(finished: Any, case: str) -> None:
    statement, files = HELPERS[case]
    use_helper(finished, statement)
    for name, text in files.items():
        finished.write(f"python/toy/{name}.py", text)
    result = finished.ol("check", "T2", "-k", "doubled")
    assert result.code == 0, result.out
    for name in files:
        assert f"    python/toy/{name}.py (a helper, taken along)\n" in result.out


def test_a_module_with_a_helper_passes_whole(finished: Any) -> None:
    statement, files = HELPERS["relative"]
    use_helper(finished, statement)
    finished.write("python/toy/helpers.py", files["helpers"])
    assert finished.ol("check", "T2").code == 0


def test_a_helper_of_a_need_is_taken_along_with_the_need(finished: Any) -> None:
    finished.write("python/toy/numbers_.py", "TWO = 2\n")
    finished.write(
        ONE, "from .numbers_ import TWO as FACTOR\n\n\ndef double(number: int) -> int:\n    return number * FACTOR\n"
    )
    assert finished.ol("check", "T1").code == 0
    assert finished.ol("check", "T2", "-k", "doubled").code == 0


def test_a_wrong_helper_is_shown_with_its_line_and_is_a_failure(finished: Any) -> None:
    use_helper(finished, "from .helpers import times_two")
    finished.write("python/toy/helpers.py", "def times_two(n):\n    return n.missing\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "python/toy/helpers.py:2 in times_two" in result.out


def test_the_reference_is_never_staged_for_an_import(finished: Any) -> None:
    use_helper(finished, "from .total import total as times_two")
    (finished.library / "toy" / "spare.py").write_text("def times_two(n):\n    return 2 * n\n")
    assert "No module named 'toy.total'" in finished.ol("check", "T2", "--ref-deps").out
    finished.edit(TWO, "from .total import total as", "from .spare import")
    assert "No module named 'toy.spare'" in finished.ol("check", "T2", "--ref-deps").out


def test_a_module_that_is_no_need_is_named(finished: Any) -> None:
    finished.done("T3")
    use_helper(finished, "from .total import total as times_two")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "toy.total belongs to T3, which T2 does not build on: T2 must do without it" in " ".join(result.out.split())


def test_a_helper_outside_of_the_package_is_told_where_it_belongs(finished: Any) -> None:
    use_helper(finished, "from helpers import times_two")
    finished.write("python/helpers.py", "def times_two(n):\n    return 2 * n\n")
    out = " ".join(finished.ol("check", "T2").out.split())
    assert "python/helpers.py is not taken along: helper modules of yours belong under python/toy/" in out


def test_an_import_that_no_statement_names_is_told_so(finished: Any) -> None:
    use_helper(finished, "import importlib\ntimes_two = importlib.import_module('toy.helpers').times_two")
    finished.write("python/toy/helpers.py", "def times_two(n):\n    return 2 * n\n")
    out = " ".join(finished.ol("check", "T2").out.split())
    assert (
        "python/toy/helpers.py is not taken along: an import statement must name it, in one of your files of T2" in out
    )


def test_a_name_that_the_reference_lacks_is_not_blamed_on_the_students_own_file(finished: Any) -> None:
    use_helper(finished, "from toy.one import times_two")
    finished.write(ONE, (finished.repo / ONE).read_text() + "\n\ntimes_two = double\n")
    assert finished.ol("check", "T2", "-k", "doubled").code == 0
    result = finished.ol("check", "T2", "--ref-deps")
    out = " ".join(result.out.split())
    assert result.code == 1
    assert "cannot import name 'times_two' from 'toy.one' (python/toy/one.py (the reference's))" in out
    assert "with --ref-deps toy.one is the reference's, which does not have it, and not your python/toy/one.py" in out
    assert f"({finished.repo}/python/toy/one.py)" not in out


def test_a_helper_with_the_name_of_a_file_that_the_reference_brings_is_refused(finished: Any) -> None:
    path = finished.library / "toy" / "one.py"
    path.write_text("from toy.helpers import TWO\n" + path.read_text())
    (finished.library / "toy" / "helpers.py").write_text("TWO = 2\n")
    use_helper(finished, "from .helpers import times_two")
    finished.write("python/toy/helpers.py", "def times_two(n):\n    return 2 * n\n")
    result = finished.ol("check", "T2", "--ref-deps")
    assert (result.code, result.out) == (2, "Next: give it another name, then ol check T2 --ref-deps\n")
    assert "python/toy/helpers.py has the name of a file that the reference brings with it" in result.err


def test_a_fault_in_a_need_sends_to_the_need(finished: Any) -> None:
    finished.edit(ONE, "number * FACTOR", "number * FACTOR * 3")
    result = finished.ol("check", "T2")
    assert "It passes with --ref-deps: look into your T1 first" in result.out
    assert result.last == "Next: ol check T1"


def test_a_need_that_cannot_be_imported_sends_to_the_need(finished: Any) -> None:
    finished.write(ONE, "def double(number):\n    return (\n")
    assert finished.ol("check", "T2").last == "Next: ol check T1"

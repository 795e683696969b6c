"""Accidents and jokes that must not turn into a pass, hang the runner, write into the repo, or leave anything behind.

Every case starts from code that is wrong in one place (`doubled` adds one) and plays a trick.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

TWO = "python/toy/two.py"
WRONG = ("double(value) for", "double(value) + 1 for")
on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs /proc, or limits that macOS does not honour"
)

AT_IMPORT = {
    "os._exit": "import os\nos._exit(0)",
    "sys.exit": "import sys\nsys.exit(0)",
    "pytest.exit": "import pytest\npytest.exit('all done', returncode=0)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "exit at the end": "import atexit, os\natexit.register(os._exit, 0)",
    "a hook that never ends": "import atexit, time\natexit.register(time.sleep, 1000)",
    "a thread that never ends": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "all tests do nothing": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None",
    "all reports are green": "import _pytest.reports\n_pytest.reports.TestReport.outcome = property(lambda self: 'passed', lambda self, value: None)",
    "no test is found": "import _pytest.python\n_pytest.python.Module.collect = lambda self: []",
    "assertions are switched off": "import _pytest.python\nold = _pytest.python.Function.runtest\n"
    "def runtest(self):\n    try:\n        old(self)\n    except AssertionError:\n        pass\n_pytest.python.Function.runtest = runtest",
    "raises is satisfied with anything": "import contextlib, pytest\npytest.raises = lambda *a, **k: contextlib.nullcontext()",
    "all files are closed": "import os\nos.closerange(3, 100)",
    "a fork that goes on testing": "import os\nos.fork()",
    "a fork whose parent stops": "import os\nif os.fork():\n    os._exit(0)",
    "stdout is gone": "import sys\nsys.stdout = sys.stderr = None",
}

IN_A_CALL = {
    "os._exit": "import os; os._exit(0)",
    "sys.exit": "import sys; sys.exit(0)",
    "pytest.exit": "import pytest; pytest.exit('all done', returncode=0)",
    "pytest.skip": "import pytest; pytest.skip('not today')",
    "pytest.xfail": "import pytest; pytest.xfail('as expected')",
    "an endless loop": "while True: pass",
    "a sleep": "import time; time.sleep(1000)",
    "a huge list": "return [0] * 10**12",
    "a killed process": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "a fork that goes on": "import os, time\n        if os.fork() == 0: time.sleep(1000)",
    "a fork that leaves the group": "import os, time\n        if os.fork() == 0:\n            os.setsid()\n            time.sleep(1000)",
    "endless output": "while True: print('x' * 10**6)",
    "endless recursion": "return self.doubled()",
}

CATCHES_ALL = """while True:
            try:
                for _ in range(10**9):
                    pass
            except BaseException:
                pass"""

LIARS = {
    "an object": "return Anything()",
    "objects in a list": "return [Anything(), Anything()]",
    "a list of its own kind": "return Sly([6, 2, 5])",
    "the mock library's ANY": "from unittest.mock import ANY; return ANY",
    "hidden in a tuple of a list": "return [(Anything(),)]",
}
ANYTHING = """

class Anything:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


class Sly(list):
    def __eq__(self, other):
        return True
"""


def not_passed(desk: Any, *arguments: str) -> Any:
    """Check T2: it must end, not pass, touch nothing, and leave nothing behind."""
    before = desk.files()
    result = desk.ol("check", "T2", *arguments)
    assert result.code in (1, 2), result.out + result.err
    assert "PASSED" not in result.out
    assert "Traceback" not in result.out + result.err
    assert desk.files() == before
    assert desk.left_behind() == []
    return result


@pytest.mark.parametrize("trick", AT_IMPORT.values(), ids=AT_IMPORT)
def test_a_trick_at_import_is_no_pass(finished: Any, trick: str) -> None:
    finished.edit(TWO, *WRONG)
    finished.write(TWO, (finished.repo / TWO).read_text() + "\n\n" + trick + "\n")
    not_passed(finished)


# A sleep uses no processor time, so the clock ends it, after 15 s.
@pytest.mark.parametrize(
    "trick",
    [pytest.param(trick, id=id, marks=[pytest.mark.slow] * (id == "a sleep")) for id, trick in IN_A_CALL.items()],
)
def test_a_trick_in_a_call_is_no_pass(finished: Any, trick: str) -> None:
    finished.edit(TWO, "        return [double(value) for value in self.values]", "        " + trick)
    result = not_passed(finished)
    assert result.code == 1


@pytest.mark.parametrize("trick", LIARS.values(), ids=LIARS)
def test_an_object_that_equals_everything_is_no_pass(finished: Any, trick: str) -> None:
    finished.edit(TWO, "        return [double(value) for value in self.values]", "        " + trick)
    finished.write(TWO, (finished.repo / TWO).read_text() + ANYTHING)
    result = not_passed(finished)
    assert result.code == 1
    assert "5 of 6 passed" in result.out


def test_a_value_with_an_honest_equality_of_its_own_passes(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.edit(
        TWO,
        "        return [double(value) for value in self.values]",
        "        return Own(double(value) for value in self.values)",
    )
    finished.write(
        TWO,
        (finished.repo / TWO).read_text()
        + "\n\nclass Own(list):\n    def __eq__(self, other):\n        return list(self) == other\n",
    )
    assert finished.ol("check", "T2").code == 0


def test_a_patched_runtest_is_named(finished: Any) -> None:
    finished.write(TWO, (finished.repo / TWO).read_text() + "\n\n" + AT_IMPORT["all tests do nothing"] + "\n")
    result = not_passed(finished)
    assert result.code == 2
    assert "a test that must fail did not fail" in result.out


def test_a_patched_runtest_is_named_with_minus_k_too(finished: Any) -> None:
    finished.edit(TWO, *WRONG)
    finished.write(TWO, (finished.repo / TWO).read_text() + "\n\n" + AT_IMPORT["all tests do nothing"] + "\n")
    result = not_passed(finished, "-k", "doubled")
    assert (result.code, result.out) == (2, "")


def test_an_early_exit_is_named(finished: Any) -> None:
    finished.edit(TWO, "        return [double(value) for value in self.values]", "        import os; os._exit(0)")
    result = not_passed(finished)
    assert "the run ended before the tests did (exit code 0, after" in result.out
    assert "does your code call exit?" in " ".join(result.out.split())
    assert "CRASH test_doubled_uses_every_value" in result.out


def test_an_exit_at_import_is_named_with_its_place(finished: Any) -> None:
    finished.write(TWO, "import sys\n\nsys.exit('bye')\n")
    result = not_passed(finished)
    assert "FAIL  importing python/toy/two.py" in result.out
    assert "SystemExit: bye" in result.out
    assert "python/toy/two.py:3" in result.out


def test_a_breakpoint_at_import_is_named_with_its_place(finished: Any) -> None:
    finished.write(TWO, (finished.repo / TWO).read_text() + "\n\nbreakpoint()\n")
    result = not_passed(finished)
    assert "RuntimeError: breakpoint() has nobody to ask here" in result.out
    assert re.search(r"  python/toy/two.py:\d+\n +breakpoint\(\)\n", result.out)


def test_an_endless_loop_is_named_with_its_place_and_the_other_tests_run(finished: Any) -> None:
    finished.edit(
        TWO, "        return [double(value) for value in self.values]", "        while True:\n            pass"
    )
    result = not_passed(finished)
    assert "5 of 6 passed" in result.out
    assert "TIME  test_doubled_uses_every_value" in result.out
    assert re.search(r"stopped after (1 s of processor time|15 s by the clock), the limit for one test", result.out)
    assert "python/toy/two.py:2" in result.out


def test_a_loop_that_nothing_stops_ends_with_the_limit_for_all_tests(finished: Any) -> None:
    (finished.course / "course.toml").write_text(
        (finished.course / "course.toml").read_text().replace("tests = 20, test = 1", "tests = 1, test = 1")
    )
    finished.edit(TWO, "        return [double(value) for value in self.values]", "        " + CATCHES_ALL)
    result = not_passed(finished)
    assert "stopped after 1 s of processor time, the limit for all tests" in result.out
    assert "TIME  test_doubled_uses_every_value" in result.out
    assert "python/toy/two.py:2" in result.out


def test_an_import_that_does_not_end_is_named_with_its_place(finished: Any) -> None:
    finished.write("python/toy/parse.py", "count = 0\nwhile True:\n    count += 1\n")
    result = not_passed(finished)
    assert "  FAIL  importing python/toy/parse.py\n" in result.out
    says = "importing python/toy/parse.py did not end: stopped after 1 s of processor time, the limit for one test"
    assert f"{says} python/toy/parse.py:" in " ".join(result.out.split())
    assert "the run ended before this test" not in result.out
    assert result.last == "Next: make python/toy/parse.py importable, then ol check T2"


def test_an_import_that_ends_the_run_is_named(finished: Any) -> None:
    finished.write(TWO, "import os\n\nos._exit(0)\n")
    result = not_passed(finished)
    assert "  FAIL  importing python/toy/two.py\n" in result.out
    assert "        importing python/toy/two.py ended the run: exit code 0\n" in result.out


def test_a_module_from_outside_the_copy_is_named(finished: Any) -> None:
    (finished.library / "toy" / "extra.py").write_text("HELP = 1\n")
    outside = f"import toy\n\ntoy.__path__.append({str(finished.library / 'toy')!r})\nfrom toy.extra import HELP\n"
    finished.write(TWO, outside + (finished.repo / TWO).read_text())
    result = not_passed(finished)
    assert result.code == 2
    assert "toy.extra was imported from outside your repo's copy" in " ".join(result.out.split())


def test_own_pytest_files_are_not_taken(finished: Any) -> None:
    finished.edit(TWO, *WRONG)
    empty_run = "def pytest_collection_modifyitems(items):\n    items.clear()\n"
    for folder in ("", "python/", "python/tests/", "python/tests/t2/", "course/tests/T2/"):
        finished.write(folder + "conftest.py", empty_run)
        finished.write(folder + "pytest.ini", "[pytest]\naddopts = --collect-only\n")
    finished.write("python/sitecustomize.py", "import os\nos._exit(0)\n")
    finished.write("python/pytest.py", "import os\nos._exit(0)\n")
    result = not_passed(finished)
    assert "5 of 6 passed" in result.out


def test_a_tests_package_shadows_nothing(finished: Any) -> None:
    finished.keep_one_mutant()
    for folder in ("python/tests/", "python/tests/t2/", "python/toy/", "python/"):
        finished.write(folder + "__init__.py", "raise SystemExit(0)\n")
    assert finished.ol("check", "T2").code == 0


def test_an_environment_of_ones_own_changes_nothing(finished: Any) -> None:
    finished.edit(TWO, *WRONG)
    result = finished.ol(
        "check",
        "T2",
        PYTEST_ADDOPTS="--collect-only",
        PYTEST_PLUGINS="nothing_such",
        PYTHONSTARTUP="/nowhere",
        PYTHONOPTIMIZE="2",
    )
    assert result.code == 1
    assert "5 of 6 passed" in result.out


def test_files_written_by_student_code_land_in_the_copy(finished: Any) -> None:
    finished.keep_one_mutant()
    finished.write(
        TWO,
        (finished.repo / TWO).read_text()
        + "\n\nfrom pathlib import Path\n\nfor place in (Path('.'), Path(__file__).parent, Path.home(), Path(__import__('tempfile').gettempdir())):\n"
        "    (place / 'litter.txt').write_text('here I was')\nPath('locked').mkdir()\nPath('locked/file').touch()\nPath('locked').chmod(0)\n",
    )
    before = finished.files()
    assert finished.ol("check", "T2").code == 0
    assert finished.files() == before
    assert finished.left_behind() == []


@on_linux
def test_more_memory_than_allowed_is_an_error_in_that_test_alone(finished: Any) -> None:
    finished.edit(
        TWO, "        return [double(value) for value in self.values]", "        return bytearray(1024**3) and []"
    )
    result = not_passed(finished)
    assert "MemoryError" in result.out
    assert "5 of 6 passed" in result.out

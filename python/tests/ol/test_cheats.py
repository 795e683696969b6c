"""A grade or a verdict that no test earned: suites that tell programs apart without testing them, code that writes its own
verdict. Each is a few lines that somebody might try. The right value is what the tests earned, or none, with the reason."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ol.catalog import Course
from ol.judge import judge_sources
from ol.sandbox import workshop
from ol.stage import reference_sources

TWO, OWN = "python/toy/two.py", "python/tests/t2/test_two.py"
WRONG = ("double(value) for", "double(value) + 1 for")
WEAK = "from toy.two import Tally\n\n\ndef test_something():\n    assert Tally([1]).doubled() == [2]\n"
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and a subreaper")


def graded(desk: Any, body: str) -> str:
    """What `ol` says of a suite of one weak test and one that plays a trick. It earns no pass."""
    desk.write(OWN, f"{WEAK}\n\ndef test_trick():\n    " + body.strip().replace("\n", "\n    ") + "\n")
    result = desk.ol("check", "T2")
    assert result.code == 1, result.out + result.err
    assert desk.left_behind() == []
    return " ".join(result.out.split())


def judged(desk: Any, trick: str) -> Any:
    """The check of wrong code that runs `trick` when it is imported. It is no pass."""
    desk.edit(TWO, *WRONG)
    desk.write(TWO, (desk.repo / TWO).read_text() + "\n\n" + trick + "\n")
    result = desk.ol("check", "T2")
    assert result.code in (1, 2) and "PASSED" not in result.out, result.out + result.err
    assert desk.left_behind() == []
    return result


# ---- suites that look at something else ----


def test_a_suite_that_knows_the_texts_of_correct_programs_gets_no_grade(finished: Any) -> None:
    library, wheat = finished.library / "toy/parse.py", finished.course / "wheats/T2/toy/parse.py"
    sizes = {path.stat().st_size for path in (library, wheat)}
    said = graded(finished, f"import os, toy.parse\nassert os.path.getsize(toy.parse.__file__) in {sizes}")
    assert "test_trick fails on the reference" in said


def test_a_suite_that_knows_the_lines_of_correct_programs_gets_no_grade(finished: Any) -> None:
    texts = [path.read_text() for path in (finished.library / "toy").glob("*.py")]
    texts += [path.read_text() for path in (finished.course / "wheats/T2/toy").glob("*.py")]
    lines = {line for text in texts for line in text.splitlines()}
    said = graded(
        finished,
        f"import toy.parse, toy.two\nfor module in (toy.parse, toy.two):\n"
        f"    for line in open(module.__file__).read().splitlines():\n        assert line in {lines!r}",
    )
    assert "test_trick fails on the reference" in said


def test_a_suite_that_counts_its_runs_gets_no_grade(finished: Any, tmp_path: Path) -> None:
    count = tmp_path / "count"
    said = graded(
        finished,
        f"file = open({str(count)!r}, 'a+')\nfile.write('x')\nfile.seek(0)\nassert len(file.read()) <= 4",
    )
    assert "test_trick fails on the reference when it is run again" in said
    assert "something other than the code decides, such as chance or a count of runs" in said


def test_a_suite_that_remembers_the_texts_it_has_met_gets_no_grade(finished: Any, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    said = graded(
        finished,
        "import hashlib, toy.parse, toy.two\nfrom pathlib import Path\n"
        "text = open(toy.parse.__file__).read() + open(toy.two.__file__).read()\n"
        f"known = Path({str(folder)!r})\nname = hashlib.sha1(text.encode()).hexdigest()\n"
        "if len(list(known.iterdir())) < 4:\n    (known / name).touch()\n"
        "assert (known / name).exists()",
    )
    assert "test_trick fails on the reference when it is run again" in said


def test_a_suite_that_looks_at_its_folder_earns_nothing_by_it(finished: Any) -> None:
    said = graded(
        finished,
        "from pathlib import Path\nstage = Path(__file__).resolve().parents[3]\n"
        "assert sorted(path.name for path in stage.parent.iterdir() if path.is_dir()).index(stage.name) < 4\n"
        "if stage.name.isdigit(): assert int(stage.name) < 4",
    )
    assert "mutants killed 0 of 5" in said


def test_a_suite_that_looks_at_the_times_of_files_earns_nothing_by_it(finished: Any) -> None:
    said = graded(finished, "import os, toy.parse\nassert os.path.getmtime(toy.parse.__file__) == 1_000_000_000")
    assert "mutants killed 0 of 5" in said


@pytest.mark.parametrize(
    "opens",
    [
        "open({path!r}).read()",
        "import importlib.util\nspec = importlib.util.spec_from_file_location('theirs', {path!r})\n"
        "theirs = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(theirs)",
        "import subprocess, sys\nsubprocess.run([sys.executable, {path!r}])",
        "import os\nos.close(os.open({path!r}.encode(), os.O_RDONLY))",
    ],
    ids=["read", "run", "run by another process", "open by bytes"],
)
def test_a_suite_that_opens_the_reference_gets_no_grade(finished: Any, opens: str) -> None:
    path = str(finished.library / "toy" / "parse.py")
    said = graded(finished, opens.format(path=path))
    assert f"they open {finished.library / 'toy'}" in said and "by which they are graded" in said


def test_an_honest_suite_has_the_grade_it_had(finished: Any) -> None:
    result = finished.ol("check", "T2")
    assert result.code == 0
    assert "mutants        killed 5 of 5 (1.00, need 0.60)" in result.out


# ---- code that writes its own verdict ----

FLIPS = """
def flip(facts):
    return {**facts, "outcome": "passed"} if isinstance(facts, dict) and "doubled" in str(facts.get("id")) else facts
"""
TRICKS = {
    "json.dumps is patched": "import json\nold = json.dumps\njson.dumps = lambda facts, **k: old(flip(facts), **k)",
    "the encoder is patched": "import json.encoder\nold = json.encoder.JSONEncoder.encode\n"
    "json.encoder.JSONEncoder.encode = lambda self, facts: old(self, flip(facts))",
    "os.write is patched": "import os\nold = os.write\n"
    "os.write = lambda file, line: old(file, line.replace(b'failed', b'passed'))",
    "the report is written by hand": "import json, os\nfrom pathlib import Path\n"
    "for link in Path('/proc/self/fd').iterdir():\n"
    "    path = os.path.realpath(link)\n"
    "    if path.endswith('report.jsonl'):\n"
    "        for number in range(1, 99):\n"
    "            for nonce in ('', open(path).read()[:32]):\n"
    "                line = json.dumps({'number': number, 'kind': 'closing', 'code': 0, 'strays': []})\n"
    "                open(path, 'a').write(nonce + ' ' + line + '\\n')\n"
    "os._exit(0)",
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_a_trick_with_the_report_is_no_pass(finished: Any, trick: str) -> None:
    result = judged(finished, FLIPS + trick)
    assert result.code == 1


def test_the_job_with_the_reports_key_is_gone_before_the_students_code_runs(finished: Any) -> None:
    there = "from pathlib import Path\nassert not [*Path(__file__).resolve().parents[2].rglob('job.json')]"
    finished.keep_one_mutant()
    finished.write(TWO, (finished.repo / TWO).read_text() + "\n\n" + there + "\n")
    assert finished.ol("check", "T2").code == 0


def test_a_runtest_that_writes_into_the_report_is_named(finished: Any) -> None:
    trick = """
import _pytest.python

def runtest(self):
    for plugin in self.config.pluginmanager.get_plugins():
        for value in list(vars(plugin).values()) if hasattr(plugin, "__dict__") else []:
            if type(value).__name__ == "Report":
                value.write("test", id=self.nodeid, name=self.name, when="call", outcome="passed", seconds=0)

_pytest.python.Function.runtest = runtest
"""
    result = judged(finished, trick)
    assert result.code == 2
    assert "something that your code imports tried to write the runner's report" in " ".join(result.out.split())


EMPTIES = """
from pathlib import Path
for path in Path(__file__).resolve().parents[2].glob("course/tests/T2/test_two.py"):
    path.write_text("import re\\n" + "".join(f"def {name}(): pass\\n" for name in NAMES))
"""


def test_course_tests_that_were_changed_are_named(finished: Any) -> None:
    names = re.findall(r"^def (test_\w+)", (finished.course / "tests/T2/test_two.py").read_text(), re.MULTILINE)
    result = judged(finished, EMPTIES.replace("NAMES", repr(names)))
    assert result.code == 2
    assert "course/tests/T2/test_two.py was changed while the tests ran" in " ".join(result.out.split())


def test_a_test_file_laid_beside_the_course_tests_is_named(finished: Any) -> None:
    trick = (
        "from pathlib import Path\n"
        "(Path(__file__).resolve().parents[2] / 'course/tests/T2/test_more.py').write_text('def test_more(): pass\\n')"
    )
    result = judged(finished, trick)
    assert result.code == 2
    assert "course/tests/T2/test_more.py was changed while the tests ran" in " ".join(result.out.split())


@pytest.mark.parametrize("folder", ["library", "course"])
def test_code_that_runs_the_reference_from_its_place_is_named(finished: Any, folder: str) -> None:
    path = finished.library / "toy/two.py" if folder == "library" else finished.course / "wheats/T2/toy/parse.py"
    finished.write(TWO, (finished.repo / TWO).read_text() + f"\n\nexec(open({str(path)!r}).read(), {{}})\n")
    result = finished.ol("check", "T2")
    assert result.code == 2
    assert f"{path} was opened: that is what your code is compared with" in " ".join(result.out.split())


def test_canaries_are_called_like_tests(desk: Any) -> None:
    course = Course.load(desk.course)
    module = course.module("T2")
    tests = {test.name for test in module.test}
    words = {word for name in tests for word in name.split("_")} | set("abcd")
    with workshop() as shop:
        runs = [judge_sources(shop, course, module, reference_sources(course, module)) for _ in range(2)]
    for run in runs:
        assert len({*run.canaries}) == 3 and not {*run.canaries} & tests
        assert {word for name in run.canaries for word in name.split("_")} <= words
    assert runs[0].canaries != runs[1].canaries


# ---- what stays behind ----

ESCAPES = """
        import os, sys
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                {leave}
                os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)", {name!r}], {{}})
            os._exit(0)
        {then}
"""


def running(name: str) -> list[int]:
    """The processes that were started with the argument `name`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if name.encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


@on_linux
def test_a_child_that_left_its_group_with_an_empty_environment_is_ended(finished: Any, tmp_path: Path) -> None:
    name = str(tmp_path)
    trick = ESCAPES.format(leave='os.chdir("/"); os.closerange(0, 100)', name=name, then="return []")
    finished.edit(TWO, "        return [double(value) for value in self.values]", trick.strip("\n"))
    assert finished.ol("check", "T2").code == 1
    assert running(name) == []
    assert finished.left_behind() == []


@on_linux
def test_what_a_killed_ol_left_does_not_outlive_the_next(finished: Any, tmp_path: Path) -> None:
    name = str(tmp_path)
    trick = ESCAPES.format(leave="pass", name=name, then="import time; time.sleep(1000)")
    finished.edit(TWO, "        return [double(value) for value in self.values]", trick.strip("\n"))
    process = finished.started("check", "T2")
    end = time.monotonic() + 60
    while not running(name):
        assert time.monotonic() < end, "the student's code did not run"
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert running(name) and finished.left_behind(), "a killed ol can clear nothing up itself"
    assert finished.ol("list").code == 0
    assert running(name) == []
    assert finished.left_behind() == []


@on_linux
def test_the_folder_of_an_ol_that_still_runs_is_left_alone(finished: Any) -> None:
    finished.edit(TWO, "        return [double(value) for value in self.values]", "        while True: pass")
    process = finished.started("check", "T2")
    end = time.monotonic() + 60
    while not finished.processes():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert finished.ol("list").code == 0
    assert finished.left_behind() != []
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert finished.left_behind() == []

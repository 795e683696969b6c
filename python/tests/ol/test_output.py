"""Nothing that student code returns, raises, prints or is named costs a verdict, nor does whoever reads the output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ol.output import all_printable, printable

ONE, TWO, OWN = "python/toy/one.py", "python/toy/two.py", "python/tests/t2/test_two.py"
DOUBLED = "        return [double(value) for value in self.values]"
ENCODINGS = {
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "ascii, strictly": {"PYTHONIOENCODING": "ascii:strict"},
    "a C locale": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""},
}
RAISED = "raise ValueError('\\ud800 日 é 😀 \\x1b[2J\\x00 \\r')"


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_any_encoding_of_the_output_shows_the_verdict_and_keeps_it(finished: Any, encoding: dict[str, str]) -> None:
    finished.edit(ONE, "    return number * FACTOR", f"    {RAISED}")
    result = finished.ol("check", "T1", **encoding)
    assert result.code == 1, result.out + result.err
    assert "NOT YET  T1: 1 test to go." in result.out
    assert "ValueError: \\ud800 " in result.out
    assert result.err == ""
    last = (finished.repo / ".ol" / "last.txt").read_text(encoding="utf-8")
    assert "ValueError: \\ud800 日 é 😀 \\x1b[2J\\x00 \\r" in last


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_json_is_whole_in_any_encoding(finished: Any, encoding: dict[str, str]) -> None:
    finished.edit(ONE, "    return number * FACTOR", f"    {RAISED}")
    result = finished.ol("check", "T1", "--json", **encoding)
    assert (result.code, result.err) == (1, "")
    assert "ValueError: \\ud800 日 é 😀 \\x1b[2J\\x00 \\r" in json.loads(result.out)["tests"][0]["message"]


ODD = {
    "raises a class with an odd name": "raise type('\\ud800\\x1b', (Exception,), {})('x')",
    "raises what cannot be shown": "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0, '__repr__': lambda self: 1 / 0})()",
    "raises what interrupts when shown": "raise type('E', (Exception,), {'__str__': lambda self: exec('raise KeyboardInterrupt'), '__repr__': lambda self: exec('raise KeyboardInterrupt')})()",
    "raises with notes that are none": "e = ValueError('x'); e.__notes__ = 5; raise e",
    "raises with notes that cannot be shown": "e = ValueError('x'); e.__notes__ = [type('N', (), {'__str__': lambda self: 1 / 0})()]; raise e",
    "raises an error of syntax that is none": "e = SyntaxError('x'); e.filename, e.lineno, e.text = 5, 'y', 6; raise e",
    "raises from a file that cannot be": "exec(compile('1 / 0', 'x', 'exec').replace(co_filename='\\0\\ud800', co_name='\\ud800'))",
    "raises its own traceback as context": "e = ValueError('x'); e.__context__ = e; e.__cause__ = e; raise e",
    "raises a group": "raise ValueError([ValueError('\\ud800')] * 10**4)",
    "returns what cannot be shown": "return type('R', (), {'__repr__': lambda self: exec('raise SystemExit')})()",
    "returns what cannot be compared": "return type('R', (list,), {'__eq__': lambda self, other: 1 / 0, '__hash__': None})()",
    "returns what has an odd class": "return type('M', (type,), {'__name__': property(lambda self: 1 / 0)})('R', (), {})()",
    "returns a list that lies about its length": "return type('L', (list,), {'__len__': lambda self: -1, '__getitem__': lambda self, i: 1 / 0})([1])",
    "returns a text that shows itself": "return [type('S', (str,), {'__repr__': lambda self: type(self)('\\ud800\\x1b[2J')})('x')]",
    "prints and raises": "print('\\ud800\\x1b[2J 日'); import sys; print('\\udcff', file=sys.stderr); 1 / 0",
    "prints bytes": "import os; os.write(1, bytes(range(256))); 1 / 0",
    "leaves odd modules": "import sys; sys.modules[5] = 5; sys.modules['toy.x'] = 5; sys.modules['toy.y'] = None; 1 / 0",
}


@pytest.mark.parametrize(
    "line", [pytest.param(case, id=id, marks=[pytest.mark.slow] * (n >= 3)) for n, (id, case) in enumerate(ODD.items())]
)
def test_an_odd_value_costs_its_own_test_alone(finished: Any, line: str) -> None:
    finished.edit(TWO, DOUBLED, "        " + line)
    result = finished.ol("check", "T2", "--json")
    assert (result.code, result.err) == (1, ""), result.out + result.err
    entry = json.loads(result.out)
    failed = [test["name"] for test in entry["tests"] if test["outcome"] != "passed"]
    assert (entry["verdict"], failed) == ("not yet", ["test_doubled_uses_every_value"])
    assert (finished.repo / ".ol" / "last.txt").read_text(encoding="utf-8").count("NOT YET") == 1


ODD_AT_IMPORT = {
    "prints a lone surrogate": ("print('\\ud800')", 0),
    "has a default that cannot be compared": (
        "double.__defaults__ = (type('D', (), {'__eq__': lambda self, other: 1 / 0})(),)",
        0,
    ),
    "has a class where a function was": ("double = type('C', (), {'__signature__': 5, '__call__': 6})()", 1),
    "raises with an odd name": ("raise type('\\ud800', (BaseException,), {})('\\udcff')", 1),
}


@pytest.mark.parametrize(
    "line, code",
    [
        pytest.param(*case, id=id, marks=[pytest.mark.slow] * (n >= 2))
        for n, (id, case) in enumerate(ODD_AT_IMPORT.items())
    ],
)
def test_an_odd_thing_at_import_costs_no_verdict(finished: Any, line: str, code: int) -> None:
    finished.write(ONE, (finished.repo / ONE).read_text() + f"\n\n{line}\n")
    result = finished.ol("check", "T1")
    assert (result.code, result.err) == (code, ""), result.out + result.err


@pytest.mark.slow
def test_an_own_test_may_have_any_name(finished: Any) -> None:
    finished.keep_one_mutant()
    text = (finished.repo / OWN).read_text() + "\n\ndef test_日本():\n    raise ValueError('\\ud800')\n"
    Path(os.fsdecode(os.fsencode(str(finished.repo / "python/tests/t2")) + b"/test_\xff.py")).write_text(text)
    for extra in ({}, *ENCODINGS.values()):
        result = finished.ol("check", "T2", **extra)
        assert result.code == 1, result.out + result.err
        assert "fails on the reference" in result.out
        assert result.err == ""


def shell(desk: Any, command: str) -> subprocess.CompletedProcess[str]:
    line = command.replace("OL", f"{sys.executable} -m ol.cli")
    return subprocess.run(
        ["bash", "-c", line], cwd=desk.repo, env=desk.environment(), capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("json_too", ["", " --json"])
@pytest.mark.parametrize("right, code", [(True, 0), (False, 1)])
def test_a_reader_that_goes_away_changes_no_verdict(finished: Any, right: bool, code: int, json_too: str) -> None:
    if not right:
        finished.edit(ONE, "number * FACTOR", "number * FACTOR + 1")
    ended = shell(finished, f"OL check T1{json_too} | true; echo ${{PIPESTATUS[0]}}")
    assert (ended.stdout, ended.stderr) == (f"{code}\n", "")
    assert bool(json.loads((finished.repo / ".ol" / "state.json").read_text())["modules"]["T1"].get("passed")) is right


def test_grep_that_stops_reading_finds_the_pass_and_it_is_kept(finished: Any) -> None:
    assert shell(finished, "set -o pipefail; OL check T1 | grep -q PASSED").returncode == 0
    assert " done" in finished.ol("list").out


@pytest.mark.parametrize(
    "redirect",
    [
        "> /dev/full",
        *(pytest.param(some, marks=pytest.mark.slow) for some in (">&-", "> /dev/full 2>&1", ">&- 2>&-", "2>&-")),
    ],
)
def test_an_output_that_cannot_be_written_keeps_the_verdict(finished: Any, redirect: str) -> None:
    ended = shell(finished, f"OL check T1 {redirect}")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    if redirect == "> /dev/full":
        assert ended.stderr == "ol: this could not be written to standard output: No space left on device\n"
    assert " done" in finished.ol("list").out
    finished.edit(ONE, "number * FACTOR", "number * FACTOR + 1")
    assert shell(finished, f"OL check T1 {redirect}").returncode == 1


def test_diff_into_a_reader_that_goes_away_is_quiet(finished: Any) -> None:
    ended = shell(finished, "OL diff T1 --anyway | true; echo ${PIPESTATUS[0]}")
    assert (ended.stdout, ended.stderr) == ("0\n", "")


@given(st.text(st.characters(), max_size=50))
def test_a_printable_text_can_be_written_in_utf_8_and_moves_no_cursor(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert not [letter for letter in shown if letter < " " and letter not in "\t\n"]
    assert printable(shown) == shown


def test_printable_leaves_what_can_be_read_as_it_is() -> None:
    text = "日本 é 😀\tand\nmore"
    assert printable(text) == text
    assert all_printable({"\ud800": ["\x1b", 5, None, {"a": "\x9b"}]}) == {
        "\\ud800": ["\\x1b", 5, None, {"a": "\\x9b"}]
    }


NASTY = st.text(st.sampled_from("a\ud800\udfff\x00\x1b\x85\u2028\r\n\t日😀é[]'\"\\{}%"), max_size=30)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(message=NASTY, name=NASTY, printed=NASTY, returned=NASTY)
@pytest.mark.slow
def test_a_report_of_any_strings_is_whole(finished: Any, message: str, name: str, printed: str, returned: str) -> None:
    original = (finished.repo / TWO).read_text()
    name = name.replace("\x00", "")
    finished.edit(TWO, DOUBLED, f"        print({printed!a}); raise type({name!a}, (Exception,), {{}})({message!a})")
    finished.edit(TWO, "        self.values.append(value)", f"        self.values.append({returned!a})")
    try:
        for extra in ENCODINGS.values():
            entry = json.loads(finished.ol("check", "T2", "--json", **extra).out)
            assert (entry["verdict"], [test["outcome"] for test in entry["tests"]].count("failed")) == ("not yet", 2)
    finally:
        finished.write(TWO, original)

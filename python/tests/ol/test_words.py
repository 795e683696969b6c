"""What a report says of unusual ends and of long lines: which signal, which limit, which line, and what to do."""

from __future__ import annotations

import re
from typing import Any

import pytest

TWO, PARSE, OWN = "python/toy/two.py", "python/toy/parse.py", "python/tests/t2/test_two.py"
BODY = "        return [double(value) for value in self.values]"


def words(result: Any) -> str:
    return " ".join(result.out.split())


def test_a_crash_below_python_is_named_with_its_place_and_the_last_lines(finished: Any) -> None:
    trick = "        import ctypes, sys; print('before the end', file=sys.__stderr__, flush=True)\n        ctypes.string_at(0)"
    finished.edit(TWO, BODY, trick)
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "CRASH test_doubled_uses_every_value" in result.out
    assert "ended by SIGSEGV, a crash below Python: a recursion too deep, or native code" in words(result)
    assert re.search(r"python/toy/two.py:\d+ in doubled\n +ctypes.string_at\(0\)", result.out)
    assert "the last that the run wrote:\n          " in result.out
    assert "exit?" not in result.out


def test_a_crash_at_import_is_named_with_its_place(finished: Any) -> None:
    finished.write(PARSE, "import ctypes\n\nctypes.string_at(0)\n")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "importing python/toy/parse.py ended the run: ended by SIGSEGV" in words(result)
    assert "python/toy/parse.py:3 in <module>" in result.out or "python/toy/parse.py:3\n" in result.out


def test_a_kill_at_the_limit_names_the_limit(finished: Any) -> None:
    path = finished.course / "course.toml"
    path.write_text(path.read_text().replace("tests = 20, test = 1", "tests = 1, test = 1"))
    ignore = "import signal\n        signal.signal(signal.SIGXCPU, signal.SIG_IGN)"
    # No `while True: pass` inside: on 3.11 what a signal raises at its jump back counts as raised before the `try`.
    endless = "for _ in iter(int, 1): pass"
    loop = f"while True:\n            try:\n                {endless}\n            except BaseException: pass"
    finished.edit(TWO, BODY, f"        {ignore}\n        {loop}")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert (
        "stopped after 1 s of processor time, the limit for all tests (by SIGKILL, since SIGXCPU was ignored)"
        in words(result)
    )
    assert "exit?" not in result.out


def test_a_kill_before_the_limit_is_the_codes_or_the_systems(finished: Any) -> None:
    finished.edit(TWO, BODY, "        import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert "ended by SIGKILL, sent by your code, or by the system for want of memory" in words(
        finished.ol("check", "T2")
    )


@pytest.mark.parametrize(
    "wrap",
    [
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "sys.stdout = codecs.getwriter('utf-8')(sys.stdout.detach())",
        "sys.stdout = open(1, 'w', encoding='utf-8')",
    ],
)
def test_a_wrapped_stdout_is_judged_or_named_and_no_exit_is_asked_after(finished: Any, wrap: str) -> None:
    for place in ("import", "call"):
        finished.write(TWO, (finished.library / "toy" / "two.py").read_text())
        if place == "import":
            finished.write(TWO, f"import codecs, io, sys\n\n{wrap}\n" + (finished.repo / TWO).read_text())
        else:
            finished.edit(TWO, BODY, f"        import codecs, io, sys\n        {wrap}\n{BODY}")
        result = finished.ol("check", "T2", "-k", "doubled")
        assert "exit?" not in result.out + result.err
        assert "1 of 1 passed" in result.out or "python/toy/two.py:" in result.out or "stdout" in result.out, (
            result.out + result.err
        )


@pytest.mark.parametrize("call", ["breakpoint()", "pdb.set_trace()"])
@pytest.mark.parametrize("place", ["at import", "in a call"])
def test_a_debugger_is_named_with_its_line(finished: Any, call: str, place: str) -> None:
    if place == "at import":
        finished.write(TWO, "import pdb\n" + (finished.repo / TWO).read_text() + f"\n\n{call}\n")
    else:
        finished.edit(TWO, BODY, f"        import pdb\n        {call}")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert f"RuntimeError: {call} has nobody to ask here: take it out, or run your own tests with pytest" in words(
        result
    )
    assert re.search(rf"  python/toy/two.py:\d+( in doubled)?\n +{re.escape(call)}\n", result.out)


@pytest.mark.parametrize(("call", "says"), [("skip", "Skipped: not today"), ("xfail", "XFailed: not today")])
def test_a_skip_in_the_students_code_is_named_with_its_line(finished: Any, call: str, says: str) -> None:
    finished.edit(TWO, BODY, f"        import pytest\n        pytest.{call}('not today')")
    result = finished.ol("check", "T2")
    assert result.code == 1
    assert "FAIL  test_doubled_uses_every_value" in result.out
    assert f"        {says}\n" in result.out
    assert re.search(rf"python/toy/two.py:\d+ in doubled\n +pytest.{call}\('not today'\)", result.out)
    assert re.match(r"Next: look at python/toy/two.py:\d+, then ol check T2", result.last)


def long_lines(result: Any) -> list[str]:
    return [line for line in result.out.splitlines() if len(line) > 80 and not line.startswith("Next:")]


def test_long_values_code_and_output_are_cut_to_the_width_and_whole_in_verbose(finished: Any) -> None:
    long = "1, " * 60
    finished.edit(TWO, BODY, f"        print('p' * 300)\n        return [{long}2, ('x' * 300)]")
    result = finished.ol("check", "T2")
    assert long_lines(result) == []
    assert "got       [" in result.out and " ..." in result.out
    assert "p" * 300 in finished.ol("check", "T2", "-v").out


def test_values_are_cut_around_their_first_difference(finished: Any) -> None:
    finished.edit(TWO, BODY, "        return ['a' * 59, 'b' * 59, 3]")
    path = finished.course / "tests" / "T2" / "test_two.py"
    text, name = path.read_text(), "test_doubled_uses_every_value"
    start = text.index("\n", text.index(f"def {name}"))
    path.write_text(f"{text[:start]}\n    assert Tally([1]).doubled() == ['a' * 59, 'b' * 59, 4]{text[start:]}")
    result = finished.ol("check", "T2")
    lines = result.out.splitlines()
    expected = next(line for line in lines if line.startswith("        expected  "))
    got, mark = (lines[lines.index(expected) + step] for step in (1, 2))
    assert long_lines(result) == []
    assert (expected[mark.index("^")], got[mark.index("^")]) == ("4", "3")


def test_a_long_message_is_wrapped_and_keeps_its_indent(finished: Any) -> None:
    finished.edit(
        TWO, BODY, f"        raise ValueError({'many words ' * 20!r} + chr(10) + '    a table ' + 'cell ' * 30)"
    )
    result = finished.ol("check", "T2")
    assert long_lines(result) == []
    assert "\n        ValueError: many words many words" in result.out
    assert "\n        many words many words" in result.out
    assert "\n            a table cell" in result.out and "\n            cell cell" in result.out


def test_the_verdict_keeps_its_indent(finished: Any) -> None:
    finished.write(
        OWN, "from toy.two import Tally\n\n\ndef test_something():\n    assert Tally([1]).doubled() == [2]\n"
    )
    result = finished.ol("check", "T2", COLUMNS="60")
    assert re.search(r"\nNOT YET  T2: your code is right; your tests would\b.*\n {9}\S.*broken versions.\n", result.out)


def test_five_survivors_are_named_and_the_others_counted(finished: Any) -> None:
    path = finished.course / "mutants" / "T2.toml"
    first = path.read_text().split("[[mutant]]")[1]
    for number in range(3):
        path.write_text(path.read_text() + "\n[[mutant]]" + first.replace('id = "m1"', f'id = "n{number}"'))
    finished.write(
        OWN, "from toy.two import Tally\n\n\ndef test_something():\n    assert Tally([1]).doubled() == [2]\n"
    )
    result = finished.ol("check", "T2")
    assert "killed 0 of 8 (0.00, need 0.60: 5 mutants more)" in result.out
    assert len(re.findall(r"^    [mn]\d  ", result.out, re.MULTILINE)) == 5
    assert "\n    3 more   (-v shows all, .ol/last.txt too)\n" in result.out
    assert len(re.findall(r"^    [mn]\d  ", (finished.repo / ".ol/last.txt").read_text(), re.MULTILINE)) == 8


def test_a_score_just_below_the_threshold_says_how_many_are_missing() -> None:
    from ol.grade import KILLED, SURVIVED, Grade, MutantResult

    results = [MutantResult(None, KILLED if number < 16 else SURVIVED) for number in range(27)]  # type: ignore[arg-type]
    grade = Grade(results=results, need=0.6)
    assert (grade.score, grade.still_needed, grade.enough) == (0.59, 1, False)

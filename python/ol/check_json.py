"""A check for machines: one JSON object, as course/formats/check-json.md describes it."""

from __future__ import annotations

import json
from typing import Any

from .grade import KILLED, TIMED_OUT, Grade
from .judge import Judgement
from .output import all_printable
from .report import failure_lines
from .verdict import CANNOT_JUDGE, TestResult


def to_json(judgement: Judgement) -> str:
    """The JSON of a check."""
    return _dumps(
        {
            "module": judgement.module.id,
            "verdict": judgement.verdict,
            "exit": judgement.exit,
            "ref_deps": judgement.ref_deps,
            "judged": "plain reference" if judgement.plain_reference else "repo",
            "tests": [
                {
                    "name": test.name,
                    "outcome": test.outcome,
                    "seconds": round(test.seconds, 3),
                    "message": _message(test, judgement),
                }
                for test in judgement.tests
            ],
            "grade": _grade_json(judgement.grade),
            "next": judgement.next,
        }
    )


def error_json(module: str, ref_deps: bool, next: str) -> str:
    """The JSON of a check that could not judge."""
    entry = {
        "module": module,
        "verdict": CANNOT_JUDGE,
        "exit": 2,
        "ref_deps": ref_deps,
        "judged": None,
        "tests": [],
        "grade": None,
        "next": next,
    }
    return _dumps(entry)


def _dumps(entry: dict[str, Any]) -> str:
    """JSON in ASCII: whole and right whatever the encoding of standard output is."""
    return json.dumps(all_printable(entry), indent=2)


def _message(test: TestResult, judgement: Judgement) -> str:
    return "" if test.outcome == "passed" else "\n".join(line.strip() for line in failure_lines(test, judgement)[1:])


def _grade_json(grade: Grade | None) -> dict[str, Any] | None:
    if grade is None or grade.problem:
        return None
    names = [
        (result.mutant.id, result.mutant.behaviour, result.outcome)
        for result in grade.results
        if result.outcome != KILLED
    ]
    return {
        "killed": grade.killed,
        "total": len(grade.results),
        "need": grade.need,
        "survivors": [
            {"id": id, "behaviour": behaviour, "outcome": outcome}
            for id, behaviour, outcome in names
            if outcome != TIMED_OUT
        ],
        "timeouts": [{"id": id, "behaviour": behaviour} for id, behaviour, outcome in names if outcome == TIMED_OUT],
    }

"""Contracts: the stub that is made of one, and the promises that a module does not keep."""

from __future__ import annotations

import types

import pytest

from ol.catalog import Course
from ol.child.contract import mismatches, required_part
from ol.contracts import is_stub, stub, unwritten

CONTRACT = '''"""A contract."""

import os
from abc import ABC, abstractmethod
from collections import Counter
from typing import Generic, Self, TypeVar

V = TypeVar("V")
LIMIT: int


class Base(ABC):
    """Abstract."""

    size: int

    @property
    def name(self) -> str: ...  # read only
    @abstractmethod
    def go(self, path: str | os.PathLike[str], *, fast: bool = False) -> Self: ...
    @staticmethod
    def add(
        one: int,
        other: int = 2,
    ) -> int:
        """Add."""
        ...


class Box(Base, Generic[V]):
    """Concrete."""

    @classmethod
    def make(cls, value: V, depth: int | None = None) -> Self:
        """Make one."""


def count(text: str, start: int = 0) -> int: ...


# --- optional: more ---


class BoxOptional(Box):
    def weigh(self) -> Counter[str]:
        """Weigh."""


def more(*, often: int = 1) -> None:
    """More."""
'''

KEPT = """
from abc import ABC, abstractmethod

class Base(ABC):
    size = 1
    name = property(lambda self: "x")
    @abstractmethod
    def go(self, path, *, fast=False): ...
    @staticmethod
    def add(one, other=2): ...

class Box(Base):
    @classmethod
    def make(cls, value, depth=None): ...

def count(text, start=0): ...
"""


def module(source: str) -> types.ModuleType:
    made = types.ModuleType("made")
    exec(source, made.__dict__)
    return made


def test_a_stub_is_the_required_part_with_bodies_that_raise() -> None:
    assert (
        stub(CONTRACT)
        == '''"""A contract."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Generic, TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing import Self

V = TypeVar("V")
LIMIT: int


class Base(ABC):
    """Abstract."""

    size: int

    @property
    def name(self) -> str:  # read only
        raise NotImplementedError

    @abstractmethod
    def go(self, path: str | os.PathLike[str], *, fast: bool = False) -> Self:
        raise NotImplementedError

    @staticmethod
    def add(
        one: int,
        other: int = 2,
    ) -> int:
        """Add."""
        raise NotImplementedError


class Box(Base, Generic[V]):
    """Concrete."""

    @classmethod
    def make(cls, value: V, depth: int | None = None) -> Self:
        """Make one."""
        raise NotImplementedError


def count(text: str, start: int = 0) -> int:
    raise NotImplementedError
'''
    )


def test_a_stub_keeps_its_own_contract() -> None:
    assert mismatches(CONTRACT, module(stub(CONTRACT))) == []


def test_a_stub_is_known_as_one_until_its_code_changes() -> None:
    text = stub(CONTRACT)
    assert is_stub(text.encode(), CONTRACT)
    assert is_stub(text.replace("Make one.", "Make two.").encode() + b"\n# a remark\n", CONTRACT)
    assert not is_stub(text.replace("start: int = 0", "start: int = 1").encode(), CONTRACT)
    assert not is_stub(b"def (", CONTRACT)


def test_the_required_part_ends_at_the_optional_line() -> None:
    assert "BoxOptional" not in required_part(CONTRACT) and "def count" in required_part(CONTRACT)


def test_a_module_that_keeps_its_contract_has_no_mismatch() -> None:
    assert mismatches(CONTRACT, module(KEPT)) == []


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("def count", "def counts", "count() is missing"),
        ("class Box(Base)", "class Bag(Base)", "class Box is missing"),
        ("class Box(Base)", "class Box", "class Box must inherit from Base"),
        ("    @staticmethod\n", "", "Base.add() must be a @staticmethod"),
        ("    @classmethod\n", "", "Box.make() must be a @classmethod"),
        (
            "def make(cls, value, depth=None)",
            "def make(cls, depth=None, value=1)",
            "Box.make(): `value` must be parameter number 1 and accepted by position",
        ),
        ("def make(cls, value, depth=None)", "def make(cls, value)", "Box.make() has no parameter `depth`"),
        (
            "def make(cls, value, depth=None)",
            "def make(cls, value, depth)",
            "Box.make(): `depth` needs the default None",
        ),
        ("start=0", "start=1", "count(): the default of `start` must be 0, not 1"),
        ("start=0", "start=False", "count(): the default of `start` must be 0, not False"),
        ("start=0", "start=0, end", "the extra parameter `end` needs a default"),
        ("start=0", "*, start=0", "count(): `start` must be parameter number 2 and accepted by position"),
        ("(text, start=0)", "(text, /, start=0)", "count(): `text` must also be accepted by name"),
        ("*, fast=False", "*, quick=False", "Base.go() has no parameter `fast`"),
        (
            'name = property(lambda self: "x")',
            'def name(self): return "x"',
            "Base.name must be an attribute, not a method",
        ),
    ],
)
def test_a_broken_promise_is_named(old: str, new: str, complaint: str) -> None:
    if "end" in new:
        old, new = "def count(text, start=0)", "def count(text, start=0, *, end)"
    assert KEPT.count(old) == 1
    assert complaint in mismatches(CONTRACT, module(KEPT.replace(old, new)))[0].replace(
        "count(): the extra", "the extra"
    )


@pytest.mark.parametrize(
    "old, new",
    [
        ("start=0", "start=0, *, end=None"),
        ("(text, start=0)", "(*arguments, **options)"),
        ("path, *, fast=False", "path, fast=False"),
        ("(one, other=2)", "(one, other=2, third=3)"),
    ],
)
def test_more_than_is_promised_is_no_mismatch(old: str, new: str) -> None:
    assert mismatches(CONTRACT, module(KEPT.replace(old, new))) == []


def test_the_optional_part_is_asked_for_only_on_request() -> None:
    assert mismatches(CONTRACT, module(KEPT), optional=True) == ["Box.weigh() is missing", "more() is missing"]


def test_unwritten_tests_are_those_whose_body_only_raises() -> None:
    source = b'def test_a():\n    """Says."""\n    raise NotImplementedError\n\ndef test_b():\n    assert 1\n\ndef test_c():\n    x = 1\n    raise NotImplementedError\n'
    assert unwritten(source) == ["test_a"]


def test_every_contract_of_the_course_has_a_stub_that_keeps_it() -> None:
    course = Course.load()
    for entry in course.modules.values():
        for file in entry.files:
            contract = course.contract(entry, file)
            if contract is not None:
                assert is_stub(stub(contract).encode(), contract)
                assert mismatches(contract, module(stub(contract))) == []

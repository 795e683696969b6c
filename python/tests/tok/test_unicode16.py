"""unicode16.category: Unicode 16.0's categories, whatever tables the running Python carries."""

import itertools
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from tinyllm.tok import unicode16

CLASSES = json.loads((Path(__file__).parents[3] / "course/fixtures/unicode16/classes.json").read_text("utf-8"))
VERSIONS = json.loads(Path(__file__).with_name("unicode_versions.json").read_text("utf-8"))

CODE_POINTS = range(0x110000)
CHARACTERS = [chr(code) for code in CODE_POINTS]


@cache
def categories_of_16() -> list[str]:
    starts = VERSIONS["categories"]
    ends = [first for first, _ in starts[1:]] + [len(CODE_POINTS)]
    runs = ([category] * (end - first) for (first, category), end in zip(starts, ends, strict=True))
    return list(itertools.chain.from_iterable(runs))


def categories_of(version: str) -> list[str]:
    categories = list(categories_of_16())
    for first, last, category in VERSIONS["differences"].get(version, []):
        categories[first : last + 1] = [category] * (last + 1 - first)
    return categories


def class_of(category: str) -> str:
    return category[0] if category[0] in "LN" else "other"


def put_in_place_of_unicodedata(monkeypatch: pytest.MonkeyPatch, categories: list[str]) -> None:
    table = dict(zip(CHARACTERS, categories, strict=True))
    monkeypatch.setattr(unicode16, "unicodedata", SimpleNamespace(category=table.__getitem__))


@pytest.mark.parametrize(
    "ch, category",
    [
        ("a", "Ll"),
        ("Ω", "Lu"),
        ("你", "Lo"),
        ("7", "Nd"),
        ("½", "No"),
        ("Ⅷ", "Nl"),
        (" ", "Zs"),
        ("\x85", "Cc"),
        ("\u0301", "Mn"),
        ("🙂", "So"),
        ("\ud800", "Cs"),
        ("\udfff", "Cs"),
        ("\ue000", "Co"),
        ("\U0010ffff", "Cn"),
    ],
    ids=ascii,
)
def test_known_characters_have_their_category(ch, category):
    assert unicode16.category(ch) == category


@pytest.mark.parametrize(
    "ch, category",
    [("\u1c89", "Lu"), ("\U00031350", "Lo"), ("\U00011f50", "Nd"), ("\U00016d70", "Nd"), ("\u0897", "Mn")],
    ids=ascii,
)
def test_what_unicode_14_to_16_assigned_is_assigned_on_every_python(ch, category):
    assert unicode16.category(ch) == category


@pytest.mark.parametrize("ch", ["\U00011de0", "\U00016ff4", "\ua7ce", "\U000323b0"], ids=ascii)
def test_what_unicode_17_assigned_is_unassigned_on_every_python(ch):
    assert unicode16.category(ch) == "Cn"


def test_a_reclassified_character_keeps_the_category_of_16():
    assert unicode16.category("\u0295") == "Ll"  # "Lo" from Unicode 17 on
    assert unicode16.category("\u1734") == "Mc"  # "Mn" in Unicode 13
    assert unicode16.category("\U0001171e") == "Mc"  # "Mn" before Unicode 16


def test_every_code_point_has_the_frozen_class():
    found = {"L": [], "N": [], "space": [], "other": []}
    white_space = {code for first, last in CLASSES["space"] for code in range(first, last + 1)}
    for code, ch in enumerate(CHARACTERS):
        initial = unicode16.category(ch)[0]
        found["space" if code in white_space else initial if initial in "LN" else "other"].append(code)
    for name in ("L", "N", "space"):
        assert found[name] == [code for first, last in CLASSES[name] for code in range(first, last + 1)]
    assert {name: len(codes) for name, codes in found.items()} == CLASSES["counts"]


def test_the_frozen_white_space_is_the_25_code_points():
    assert CLASSES["counts"]["space"] == 25
    assert CLASSES["space"] == [
        [0x09, 0x0D],
        [0x20, 0x20],
        [0x85, 0x85],
        [0xA0, 0xA0],
        [0x1680, 0x1680],
        [0x2000, 0x200A],
        [0x2028, 0x2029],
        [0x202F, 0x202F],
        [0x205F, 0x205F],
        [0x3000, 0x3000],
    ]


def test_the_digits_step_knows_thirteen_numbers_more():
    assert CLASSES["digits_extra"] == [[0x11DE0, 0x11DE9], [0x16FF4, 0x16FF6]]
    numbers_of_17 = {code for code, category in enumerate(categories_of("17.0.0")) if category[0] == "N"}
    numbers_of_16 = {code for first, last in CLASSES["N"] for code in range(first, last + 1)}
    extra = {code for first, last in CLASSES["digits_extra"] for code in range(first, last + 1)}
    assert numbers_of_16 | extra == numbers_of_17


@pytest.mark.parametrize("version", ["13.0.0", "14.0.0", "15.0.0", "15.1.0", "16.0.0", "17.0.0", "18.0.0"])
def test_every_category_is_that_of_16_under_the_tables_of(version, monkeypatch):
    put_in_place_of_unicodedata(monkeypatch, categories_of(version))
    assert list(map(unicode16.category, CHARACTERS)) == categories_of_16()


def test_every_category_is_that_of_16_when_a_later_version_assigns_all_that_is_free(monkeypatch):
    free_as_numbers = ["Nd" if category == "Cn" else category for category in categories_of_16()]
    put_in_place_of_unicodedata(monkeypatch, free_as_numbers)
    assert list(map(unicode16.category, CHARACTERS)) == categories_of_16()


def test_the_version_dependent_code_points_are_those_whose_class_ever_differs():
    versions = zip(categories_of_16(), *map(categories_of, VERSIONS["differences"]), strict=True)
    differing = [code for code, seen in enumerate(versions) if len(set(map(class_of, seen))) > 1]
    assert differing == [code for first, last in CLASSES["version_dependent"] for code in range(first, last + 1)]


def test_python_3_11_alone_would_be_wrong_on_9392_letters_and_numbers():
    pairs = zip(categories_of("14.0.0"), categories_of_16(), strict=True)
    assert sum(class_of(carried) != class_of(wanted) for carried, wanted in pairs) == 9_392


@pytest.mark.parametrize(
    "not_one_character", ["", "ab", "你好", "🏳️", 65, 0x4F60, b"a", bytearray(b"a"), None, ["a"], 1.0], ids=repr
)
def test_anything_but_one_character_is_a_type_error(not_one_character):
    with pytest.raises(TypeError, match=r"character|string of length 1"):
        unicode16.category(not_one_character)

"""Lab 04's study: its page holds what its files hold, and its readers and rules do what they say."""

from __future__ import annotations

import importlib.util
import struct
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def study() -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("study")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def study_text(study: ModuleType) -> ModuleType:
    return sys.modules["study_text"]


def test_the_tables_of_the_page_are_those_of_the_files(study: ModuleType) -> None:
    page = study.PAGE.read_text("utf-8")
    assert study.with_tables(page) == page
    assert {name for name in study.TABLES if f"<!-- table: {name} -->" in page} == set(study.TABLES)


@pytest.mark.parametrize(
    ("before", "after", "inside"),
    [
        ("తె", "లుగు", False),
        ("తెల", "ుగు", True),
        ("నమస", "్కారం", True),
        ("నమస్", "కారం", True),
        ("నమస్కార", "ం", True),
        ("వాక్యం", ".", False),
        ("క్", "\u200cలు", True),
    ],
)
def test_a_syllable_goes_on_before_a_sign_and_behind_a_virama(
    before: str, after: str, inside: bool, study: ModuleType
) -> None:
    assert study.is_inside_syllable(before, after) is inside


def test_tokens_that_are_no_characters_are_shown_in_hexadecimal(study: ModuleType) -> None:
    tokenizer = study.load("gpt2")
    assert study.spelled_apart(tokenizer, "the cats") == "␣the|␣cats"
    assert study.spelled_apart(tokenizer, "త") == "␣|<e0>|<b0>|<a4>"


def test_a_resource_file_of_chromium_gives_its_strings(study_text: ModuleType) -> None:
    strings = [b"Hi", "తె".encode()]
    ends = [30, 32, 38]
    entries = b"".join(struct.pack("<HI", id, end) for id, end in zip((1, 2, 0), ends))
    content = struct.pack("<IB3xHH", 5, 1, 2, 0) + entries + b"".join(strings)
    assert study_text._pak(content) == ["Hi", "తె"]


def test_a_gettext_catalogue_gives_its_pairs(study_text: ModuleType) -> None:
    # Two messages: one with a context, one with a plural. Header, two tables of (length, offset), then the strings.
    strings = [b"menu\x04File", b"day\0days", "ఫైలు".encode(), "రోజు\0రోజులు".encode()]
    offsets = [28 + 32 + sum(len(each) + 1 for each in strings[:i]) for i in range(4)]
    tables = b"".join(struct.pack("<2I", len(each), offset) for each, offset in zip(strings, offsets))
    content = struct.pack("<7I", 0x950412DE, 0, 2, 28, 44, 0, 0) + tables + b"".join(each + b"\0" for each in strings)
    assert study_text._mo(content) == [("File", "ఫైలు"), ("day", "రోజు")]


def test_a_help_page_gives_its_paragraphs(study_text: ModuleType) -> None:
    page = b'<page xmlns="x"><title>A  title</title><section><p>One <gui>two</gui>\n three</p></section></page>'
    assert [study_text._plain(text) for text in study_text._page(page)] == ["A title", "One two three"]


def test_messages_come_once_and_only_in_the_language(study_text: ModuleType) -> None:
    telugu = "ఇది తెలుగులో ఉన్న ఒక వాక్యం, పరీక్ష కోసం."
    files = [("one", [telugu, "This sentence was never translated.", "సరే"]), ("two", [f"<p>{telugu}</p>"])]
    corpus = study_text._corpus(files, study_text._is_telugu)
    assert corpus.training + corpus.held_out == [telugu]


def test_documents_are_runs_of_messages_and_about_one_in_ten_is_held_out(study_text: ModuleType) -> None:
    corpus = study_text._split((f"file {i}", ["x" * 9_000] * 4) for i in range(200))
    documents = corpus.training + corpus.held_out
    assert {*documents} == {"x" * 9_000 + "\n" + "x" * 9_000}
    assert len(documents) == 400
    assert 20 < len(corpus.held_out) < 60

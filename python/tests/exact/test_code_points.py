"""All 1,112,064 characters that a text may hold: their class, alone and in a text, on this Python and under other versions of Unicode.

`course/fixtures/unicode16/classes.json` is the frozen answer, which Hugging Face and tiktoken agreed on when it was written
(`scripts/make_unicode16.py`), so these tests need neither. That `unicode16.category` is right under every version is
`tok/test_unicode16.py`'s; here the same tables go through the pre-tokenizer.
"""

import itertools
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import oracles
import pytest

from tinyllm.tok import pretok, unicode16
from tinyllm.tok.bpe import count_pretokens
from tinyllm.tok.pretok import is_letter, is_number, is_space, pretokenize_gpt2, split_digits

CLASSES = json.loads((oracles.FIXTURES / "unicode16" / "classes.json").read_text("utf-8"))
VERSIONS = json.loads((Path(__file__).parents[1] / "tok" / "unicode_versions.json").read_text("utf-8"))
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]


def characters_in(name: str) -> set[str]:
    return {chr(code) for first, last in CLASSES[name] for code in range(first, last + 1)}


SPACES, LETTERS, NUMBERS = characters_in("space"), characters_in("L"), characters_in("N")
DIGITS = NUMBERS | characters_in("digits_extra")
ALONE = LETTERS | NUMBERS | SPACES - {" "}  # an apostrophe behind one of these belongs to a contraction


@pytest.fixture(scope="module")
def categories_of_16() -> list[str]:
    starts = [code for code, _ in VERSIONS["categories"]]
    runs = zip(VERSIONS["categories"], [*starts[1:], 0x110000])
    return list(itertools.chain.from_iterable([category] * (end - start) for (start, category), end in runs))


@pytest.fixture
def unicode_version(request, monkeypatch, categories_of_16):
    """Another version's tables in place of the running Python's. Gives the characters whose category is not that of 16.0."""
    differing = {
        chr(code): category
        for first, last, category in VERSIONS["differences"][request.param]
        for code in range(first, last + 1)
    }
    carried = SimpleNamespace(category=lambda ch: differing.get(ch) or categories_of_16[ord(ch)])
    monkeypatch.setattr(unicode16, "unicodedata", carried)
    forget()
    yield list(differing)
    forget()


def forget() -> None:
    """The pre-tokenizer remembers the characters that it has looked up."""
    for value in vars(pretok).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def test_there_are_1112064() -> None:
    assert len(CHARACTERS) == 1_112_064


def test_every_character_has_the_class_that_hugging_face_gives_it() -> None:
    assert set(filter(is_space, CHARACTERS)) == SPACES
    assert set(filter(is_letter, CHARACTERS)) == LETTERS
    assert set(filter(is_number, CHARACTERS)) == NUMBERS


def test_split_digits_singles_out_exactly_the_numbers_of_hugging_faces_digits_step() -> None:
    text = f"-{'--'.join(CHARACTERS)}-"
    parts = split_digits(text)
    assert "".join(parts) == text
    assert [part for part in parts if len(part) == 1 and part != "-"] == [ch for ch in CHARACTERS if ch in DIGITS]


def test_split_digits_takes_runs_of_exactly_these() -> None:
    text = "".join(f"-{ch}{ch}1-" for ch in CHARACTERS)
    parts = split_digits(text, individual=False)
    assert [part for part in parts[1::2]] == [f"{ch}{ch}1" if ch in DIGITS else "1" for ch in CHARACTERS]


def pretokens_by_class(ch: str) -> list[str]:
    """The pre-tokens of "x\\n", the character, "'s": a contraction stands alone unless the apostrophe belongs to a run."""
    return ["x", "\n", ch, "'s"] if ch in ALONE else ["x", "\n", ch + "'", "s"]


def test_every_character_is_cut_by_its_class_in_a_text() -> None:
    for ch in CHARACTERS[:0x3400]:
        assert pretokenize_gpt2(f"x\n{ch}'s") == pretokens_by_class(ch), ascii(ch)
    # The others in one text each class, which is quicker: a newline between any two, and an "x", which a newline before it leaves alone.
    text = "".join(f"x\n{ch}'s\n" for ch in CHARACTERS[0x3400:])
    expected = [pretoken for ch in CHARACTERS[0x3400:] for pretoken in [*pretokens_by_class(ch), "\n"]]
    assert pretokenize_gpt2(text) == expected


def test_cutting_into_chunks_first_changes_nothing_for_any_character() -> None:
    """`count_pretokens` and `encode` cut a text into chunks before they pre-tokenize it."""
    # The chunks know two classes, white space and the rest, so beyond the last white space every 23rd character will do.
    for around in ("{0} {0}  {0}\n {0}1", "  {0}{0}  a", "{0}\n\n{0}'s "):
        text = "".join(around.format(ch) for ch in [*CHARACTERS[:0x3100], *CHARACTERS[0x3100::23]])
        assert count_pretokens([text]) == Counter(pretokenize_gpt2(text))


@pytest.mark.parametrize("unicode_version", VERSIONS["differences"], indirect=True)
def test_the_classes_are_the_same_under_other_versions_of_unicode(unicode_version) -> None:
    """Where a version's category is that of 16.0 the pre-tokenizer sees nothing new, so the others are all there is to try."""
    assert len(unicode_version) > 1000
    for ch in unicode_version:
        assert (is_space(ch), is_letter(ch), is_number(ch)) == (ch in SPACES, ch in LETTERS, ch in NUMBERS), ascii(ch)
        assert split_digits(f"-{ch}-") == (["-", ch, "-"] if ch in DIGITS else [f"-{ch}-"]), ascii(ch)


@pytest.mark.parametrize("unicode_version", ["13.0.0", "18.0.0"], indirect=True)
def test_ids_are_the_same_under_the_oldest_and_the_newest_version(unicode_version, hf_gpt2) -> None:
    from tinyllm.tok.bpe import BPETokenizer

    gpt2 = BPETokenizer.from_hf_json(oracles.tokenizer_json("gpt2"))  # a new one: the shared one remembers pre-tokens
    texts = [f"{ch}'s 1{ch}{ch} a{ch}" for ch in unicode_version[::10]]
    assert gpt2.encode_batch(texts) == [encoding.ids for encoding in hf_gpt2.encode_batch(texts)]


# Classes and cuts are tried for every character above. Ids need no more than each alphabet: of the long runs that are all
# alike (Han, Hangul, private use, unassigned) every 29th will do.
AMONG_OTHERS = [*CHARACTERS[:0x3400], *CHARACTERS[0x3400::29]]


@pytest.mark.slow
@pytest.mark.parametrize("name", oracles.MODELS)
def test_characters_among_all_classes_have_the_ids_of_hugging_face(name: str, request) -> None:
    ours, hf = request.getfixturevalue(name), request.getfixturevalue(f"hf_{name}")
    for start in range(0, len(AMONG_OTHERS), 20_000):
        texts = [
            f"a{ch}'s {ch}1{ch}{ch} {ch}\n{ch}  {ch}!{ch}\u0301{ch} " for ch in AMONG_OTHERS[start : start + 20_000]
        ]
        right = [encoding.ids for encoding in hf.encode_batch(texts)]
        for text, ids in zip(texts, right):
            assert ours.encode(text) == ids, ascii(text)


@pytest.mark.slow
def test_characters_among_all_classes_have_the_ids_of_tiktoken(gpt2, tiktoken_gpt2) -> None:
    for ch in AMONG_OTHERS:
        text = f"a{ch}'s {ch}1{ch}{ch} {ch}\n{ch}  {ch}!"
        assert gpt2.encode(text) == tiktoken_gpt2.encode(text, allowed_special="all"), ascii(text)

"""Pre-tokenizers: each step and many sequences, fast and aligned, against Hugging Face's pre-tokens and offsets."""

import itertools
import pickle
from random import Random

import hard_texts
import pytest
from hf_parts import BYTES_ONLY, byte_tokens, hf_tokenizer, hf_tokens
from pretokenizer_json import (
    GPT2,
    STEPS,
    byte_level,
    digits,
    drawn,
    metaspace,
    sequence,
    split,
)

from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.pretokenizers import PreTokenizer, parse_pre_tokenizer
from tinyllm.tok.pipeline.refusals import Refusals

FALCON = sequence(
    {"type": "Punctuation", "behavior": "Contiguous"}, byte_level(), digits(False), split("[0-9][0-9][0-9]")
)
PAIRS = (
    sequence(digits(True), byte_level(prefix=True)),
    sequence(byte_level(prefix=True), digits(True)),
    sequence(byte_level(), byte_level()),
    sequence(metaspace("first"), split("▁")),
    sequence(split("", "Removed", kind="String"), metaspace("first")),
    sequence(byte_level(prefix=True, regex=False), split("Ġ"), metaspace("first", split=False)),
    sequence({"type": "Whitespace"}, byte_level(prefix=True)),
    sequence(sequence(digits(False), sequence()), sequence(split(GPT2, "MergedWithNext"))),
    FALCON,
)
CHUNKED = (
    FALCON,
    byte_level(),
    byte_level(prefix=True),
    sequence(digits(True), byte_level(), metaspace()),
    sequence(split(GPT2), byte_level(True, False)),
)
BY_CHARACTER = ("Punctuation", "Whitespace", "WhitespaceSplit")


def refused(found: object) -> list[str]:
    refusals = Refusals()
    assert parse_pre_tokenizer(found, "pre_tokenizer", refusals) is None
    return refusals.lines


def of(found: object) -> PreTokenizer:
    refusals = Refusals()
    pre_tokenizer = parse_pre_tokenizer(found, "pre_tokenizer", refusals)
    refusals.check()
    assert pre_tokenizer is not None
    return pre_tokenizer


# ---- what the steps do ----


@pytest.mark.parametrize(
    ("behavior", "pretokens"),
    [
        ("Isolated", ["the", "-", "final", "-", "-", "countdown"]),
        ("Removed", ["the", "final", "countdown"]),
        ("MergedWithPrevious", ["the-", "final-", "-", "countdown"]),
        ("MergedWithNext", ["the", "-final", "-", "-countdown"]),
        ("Contiguous", ["the", "-", "final", "--", "countdown"]),
    ],
)
def test_a_behavior_says_where_a_match_goes(behavior, pretokens) -> None:
    for step in (
        split("-", behavior),
        split("-", behavior, kind="String"),
        {"type": "Punctuation", "behavior": behavior},
    ):
        assert of(step).pretokens("the-final--countdown") == pretokens


def test_inverted_what_lies_between_matches_is_the_match() -> None:
    assert of(split("-", "Removed", invert=True)).pretokens("the-final--countdown") == ["-", "-", "-"]
    assert of(split("-", "MergedWithPrevious", invert=True)).pretokens("a-b--c") == ["a", "-b", "-", "-c"]


def test_a_prefix_space_goes_before_every_piece_without_one() -> None:
    assert of(PAIRS[0]).pretokens("a1 b\n") == ["Ġa", "Ġ1", "Ġb", "Ċ"]
    assert of(PAIRS[0]).pretokens("") == []


def test_what_follows_byte_level_sees_the_stand_ins() -> None:
    assert of(FALCON).pretokens("串") == ["ä¸", "²"]
    assert [aligned.span(0, 1) for aligned in of(FALCON).pretokens_aligned(AlignedText.of("串"))] == [(0, 1)] * 2


def test_metaspace_first_puts_a_mark_only_where_the_text_starts() -> None:
    pre_tokenizer = of(metaspace("first"))
    assert pre_tokenizer.looks_at_start
    assert pre_tokenizer.pretokens("a b", 1) == ["▁a", "▁b"]
    assert pre_tokenizer.pretokens("a b", 0) == ["a", "▁b"]


def test_every_piece_of_what_the_first_character_became_is_first() -> None:
    # As if a normalizer had made "bc" of the text's first character.
    assert of(sequence(split("", kind="String"), metaspace("first"))).pretokens("bcd", 2) == ["▁b", "▁c", "d"]
    assert of(sequence(split("", kind="String"), metaspace("first"))).pretokens("bcd", 0) == ["b", "c", "d"]


def test_leading_patterns_are_those_of_isolated_splits() -> None:
    steps = sequence(split("a"), sequence(split("b")), byte_level(), split("c"))
    assert [pattern.source for pattern in of(steps).leading_patterns] == ["a", "b", GPT2]
    assert of(sequence(split("a", "Removed"), split("b"))).leading_patterns == ()


def test_texts_have_chunks_if_the_first_steps_only_cut_and_a_cut_is_safe() -> None:
    assert list(of(byte_level()).chunks("to  be, or")) == [["to", "  be,", " or"]]
    assert list(of(byte_level(prefix=True)).chunks("to be")) == [[" to", " be"]]
    assert list(of(byte_level(prefix=True)).chunks("")) == []
    assert of(sequence(split("a", "Removed"), byte_level())).chunks("to be") is None
    assert of(byte_level(prefix=True, regex=False)).chunks("to be") is None
    assert of(split(r"[\s\S]+")).chunks("to be") is None


@pytest.mark.parametrize("steps", CHUNKED, ids=str)
def test_chunks_have_the_pretokens_of_the_text(steps) -> None:
    random = Random(9)
    pre_tokenizer = of(steps)
    for text in [hard_texts.text(random) for _ in range(300)]:
        chunks = [chunk for chunks in pre_tokenizer.chunks(text) for chunk in chunks]
        pieces = [piece for chunk in chunks for piece in pre_tokenizer.pieces_of_chunk(chunk)]
        pretokens = [pretoken for piece in pieces for pretoken in pre_tokenizer.pretokens_of_piece(piece)]
        assert pretokens == pre_tokenizer.pretokens(text)


def test_the_words_tell_the_steps_in_order() -> None:
    steps = sequence(digits(True), split("a|b", "Removed", True), byte_level(True), metaspace())
    assert of(steps).words() == (
        "each digit alone, then split between 'a|b' (Removed), then a space before each piece, GPT-2's split, "
        "bytes as stand-ins, then spaces as '▁', one put in front (always), split before each"
    )
    assert of(sequence()).words() == "nothing"


@pytest.mark.parametrize("step", [*STEPS, *PAIRS], ids=str)
def test_a_pre_tokenizer_pickles(step) -> None:
    pre_tokenizer = of(step)
    text = "a 1-b ▁a² é"
    assert pickle.loads(pickle.dumps(pre_tokenizer)).pretokens(text) == pre_tokenizer.pretokens(text)


# ---- files ----


def test_null_is_no_pre_tokenizer() -> None:
    assert refused(None) == []


def test_steps_may_nest_deeper_than_python_does() -> None:
    step = digits(True)
    for _ in range(5000):
        step = sequence(step)
    assert of(step).pretokens("a1") == ["a", "1"]


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ("ByteLevel", ' is "ByteLevel"; it must be an object'),
        ({"type": "FixedLength", "length": 5}, '.type is "FixedLength"; it must be "Sequence" or "ByteLevel" or '),
        ({"type": "UnicodeScripts"}, '.type is "UnicodeScripts"; it must be "Sequence" or '),
        ({"type": ["Digits"]}, '.type is ["Digits"]; it must be "Sequence" or '),
        ({}, ".type is missing"),
        ({"type": "ByteLevel", "add_prefix_space": False}, ".trim_offsets is missing; it must be true or false"),
        (digits(1), ".individual_digits is 1; it must be true or false"),
        (split("a", "isolated"), '.behavior is "isolated"; it must be "Isolated" or '),
        (split("a*+"), '.pattern.Regex is "a*+"; it must be a pattern that is known here: '),
        (split("a", kind="Glob"), '.pattern is {"Glob": "a"}; it must be an object such as'),
        ({**split("a"), "pattern": "a"}, '.pattern is "a"; it must be an object such as'),
        ({**split("a"), "pattern": {"Regex": 5}}, '.pattern is {"Regex": 5}; it must be an object such as'),
        ({"type": "CharDelimiterSplit", "delimiter": "--"}, '.delimiter is "--"; it must be one character'),
        (metaspace(mark="▁▁"), '.replacement is "▁▁"; it must be one character'),
        (metaspace("last"), '.prepend_scheme is "last"; it must be "always" or "first" or "never"'),
        (
            {**metaspace("first"), "add_prefix_space": False},
            '.prepend_scheme is "first"; it must be "never", since add_prefix_space is false',
        ),
        ({**metaspace(), "str_rep": 5}, ".str_rep is 5; it must be a string"),
        ({"type": "Sequence", "pretokenizers": None}, ".pretokenizers is null; it must be a list of pre-tokenizers"),
        (sequence(digits(True), {"type": "Whitespace", "more": 1}), ".pretokenizers[1].more is 1; this field is not"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(found, line) -> None:
    (said,) = refused(found)
    assert said.startswith(f"pre_tokenizer{line}")


def test_all_that_is_wrong_is_named() -> None:
    assert len(refused(sequence({"type": "FixedLength"}, split("a*+"), digits(True), digits(2)))) == 3


@pytest.mark.parametrize(
    "found",
    [
        {"type": "Metaspace", "replacement": "▁"},
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "x", "prepend_scheme": "never"},
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False, "prepend_scheme": "never", "split": None},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False},
    ],
    ids=str,
)
def test_old_files_leave_fields_out_or_have_others(found) -> None:
    check(found, ["a b", " a1", "b  "])


# ---- against Hugging Face ----


def check(step: dict, texts) -> None:
    """Pre-tokens, their offsets and those of each of their characters are Hugging Face's, and the fast way gives the same."""
    pre_tokenizer, hf = of(step), hf_tokenizer([], None, step).pre_tokenizer
    in_bytes = hf_tokenizer([], None, sequence(step, BYTES_ONLY))
    for text in texts:
        aligned = pre_tokenizer.pretokens_aligned(AlignedText.of(text))
        assert [(found.text, found.span(0, len(found.text))) for found in aligned] == hf.pre_tokenize_str(text), text
        assert pre_tokenizer.pretokens(text, 1) == [found.text for found in aligned], text
        tokens = [token for found in aligned for token in byte_tokens(found.text, found.spans)]
        assert tokens == hf_tokens(in_bytes, text), text


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_every_short_text_is_cut_as_hugging_face_cuts_it(step) -> None:
    check(step, ["".join(letters) for n in range(1, 4) for letters in itertools.product("a -1é▁", repeat=n)])


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_hard_texts_are_cut_as_hugging_face_cuts_them(step) -> None:
    random = Random(9)
    check(step, [hard_texts.text(random) for _ in range(25)])


@pytest.mark.parametrize("steps", PAIRS, ids=str)
def test_steps_that_meet_do_what_hugging_faces_do(steps) -> None:
    random = Random(9)
    texts = ["".join(letters) for n in range(1, 5) for letters in itertools.product("a 1▁", repeat=n)]
    check(steps, [*texts, *(hard_texts.text(random) for _ in range(100))])


def test_steps_in_any_order_do_what_hugging_faces_do() -> None:
    random = Random(12)
    for _ in range(120):
        check(drawn(random), [hard_texts.text(random, "a-▁Ġ") for _ in range(5)])


@pytest.mark.parametrize("step", [digits(True), *({"type": kind} for kind in BY_CHARACTER)], ids=str)
def test_the_steps_know_characters_as_hugging_face_does(step) -> None:
    pre_tokenizer, hf = of(step), hf_tokenizer([], None, step).pre_tokenizer
    # Left out: ideographs and Hangul, private use, and what is unassigned.
    for start in (*range(0, 0x3400, 0x400), *range(0xA000, 0xAC00, 0x400), *range(0xF800, 0x20000, 0x400)):
        text = "".join(f"a{chr(code)}" for code in range(start, start + 0x400))
        assert pre_tokenizer.pretokens(text) == [pretoken for pretoken, _ in hf.pre_tokenize_str(text)]

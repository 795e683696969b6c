"""splits: every row of the table against Hugging Face tokenizers, tiktoken, and its naive twin if it has one.

A new row is compared at once: whatever can be asked of any split is asked of all that the table has.
"""

from __future__ import annotations

import ast
import itertools
import json
import random
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from pathlib import Path

import naive_splits
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public
from tokenizers import PreTokenizedString, Tokenizer

from tinyllm.tok import splits
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pretok import is_space
from tinyllm.tok.splits import SPLITS, Split, pretokenize_cl100k, pretokenize_cl100k_tiktoken, pretokenize_o200k
from tinyllm.tok.splitting.steps import steps_of
from tinyllm.tok.unicode16 import category

ROOT = Path(__file__).parents[3]

Pretokenize = Callable[[str], list[str]]

every_split = pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
# A variant differs from its split in one rule, which the others ask about; so what takes long is asked of one of them.
every_choice = pytest.mark.parametrize("split", [SPLITS[name] for name in splits.CHOICES], ids=splits.CHOICES)
BOTH = [pretokenize_cl100k, pretokenize_o200k]

# What differs for some alternative: letters of each case class, marks, numbers, white space of each sort, contraction
# letters in each case and their look-alikes under case folding, symbols.
HARD_CHARACTERS = (
    "aAzZéÉǅʰª中తλΛ\u0301\u0c46\u20dd019½²Ⅷ一' 's\u2019stremvldSTREMVLD\u017f\u212aßẞﬅﬆİıŉ"
    " \t\n\r\x0b\x0c\x85\u00a0\u2028\u3000!./#_-\x00\x1c\x1f\u200d\ufeff🙂\U0010ffff"
)


@cache
def hugging_face(name: str) -> Pretokenize:
    """Hugging Face's pre-tokenizer of the same declaration."""
    declaration = {"model": {"type": "BPE", "vocab": {}, "merges": []}, "pre_tokenizer": SPLITS[name].declaration}
    pre_tokenizer = Tokenizer.from_str(json.dumps(declaration)).pre_tokenizer

    def cut(text: str) -> list[str]:
        whole = PreTokenizedString(
            text
        )  # what `pre_tokenize_str` does too, and then it counts characters: half of its time
        pre_tokenizer.pre_tokenize(whole)
        raw = text.encode()
        return [raw[start:end].decode() for _, (start, end), _ in whole.get_splits("original", "byte")]

    return cut


def assert_alike(ours: Pretokenize, theirs: Pretokenize, texts: Iterable[str]) -> None:
    for text in texts:
        if ours(text) != theirs(text):  # the assertion only when it fails: there are many texts
            assert ours(text) == theirs(text), ascii(text)


# --- by hand ---


def test_a_sentence_with_a_contraction_a_number_and_punctuation() -> None:
    assert pretokenize_cl100k("I've 12345 apples!!") == ["I", "'ve", " ", "123", "45", " apples", "!!"]
    assert pretokenize_o200k("I've 12345 apples!!") == ["I've", " ", "123", "45", " apples", "!!"]


def test_telugu_is_cut_at_marks_in_cl100k_and_whole_in_o200k() -> None:
    greeting = "తెలుగు నమస్కారం"
    assert pretokenize_cl100k(greeting) == ["త", "\u0c46ల", "\u0c41గ", "\u0c41", " నమస", "\u0c4dక", "\u0c3eర", "\u0c02"]
    assert pretokenize_o200k(greeting) == ["తెలుగు", " నమస్కారం"]


@every_split
def test_an_empty_text_has_no_pretokens(split: Split) -> None:
    assert split.pretokenize("") == []


@every_split
def test_a_text_that_is_no_str_is_a_type_error_that_names_its_type(split: Split) -> None:
    with pytest.raises(TypeError, match="must be a str, not bytes"):
        split.pretokenize(b"abc")  # type: ignore[arg-type]


@pytest.mark.parametrize("pretokenize", BOTH)
@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("a b", ["a", " b"]),
        ("a  b", ["a", " ", " b"]),
        ("a\tb", ["a", "\tb"]),  # any character may stand before letters, but a newline or a number
        ("a\u00a0b", ["a", "\u00a0b"]),
        ("(b)", ["(b", ")"]),
        ("1b", ["1", "b"]),
        ("a\nb", ["a", "\n", "b"]),
        ("a b  ", ["a", " b", "  "]),
        ("a 1", ["a", " ", "1"]),  # a space goes with letters and symbols, not with numbers
        ("a !", ["a", " !"]),
        ("a\t!", ["a", "\t", "!"]),  # only U+0020 goes with symbols
        ("1234567", ["123", "456", "7"]),
        ("½²Ⅷ9", ["½²Ⅷ", "9"]),
        ("a!\n\n b", ["a", "!\n\n", " b"]),  # symbols take the newlines behind them
        ("a \n\t\n b", ["a", " \n\t\n", " b"]),  # white space goes up to its last newline
        ("a\n\n  b", ["a", "\n\n", " ", " b"]),
        ("a\r\nb", ["a", "\r\n", "b"]),
        ("a\n\n", ["a", "\n\n"]),
        ("a \n ", ["a", " \n", " "]),
        ("a\u2028b", ["a", "\u2028b"]),  # a line separator is white space, but no newline here
        ("\x1c\x1f", ["\x1c\x1f"]),  # white space for str.isspace, symbols here
        ("!\u0301", ["!\u0301"]),
    ],
    ids=ascii,
)
def test_both_splits_cut_alike(pretokenize: Pretokenize, text: str, pretokens: list[str]) -> None:
    assert pretokenize(text) == pretokens


@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("you'LL'd", ["you", "'LL", "'d"]),
        ("'sup", ["'s", "up"]),  # a contraction comes first, whatever follows
        ("'rest", ["'re", "st"]),
        ("'lady", ["'lady"]),
        ("a '\u017fo", ["a", " '", "\u017fo"]),  # the space takes the apostrophe, so no contraction begins
        ("a'\u017fo", ["a", "'\u017f", "o"]),  # the long s is an s when case is ignored
        ("a'\u212ao", ["a", "'\u212ao"]),
        ("aBc", ["aBc"]),
        ("a!/\n/b", ["a", "!/\n", "/b"]),
    ],
    ids=ascii,
)
def test_cl100k_alone(text: str, pretokens: list[str]) -> None:
    assert pretokenize_cl100k(text) == pretokens


@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("you'LL'd", ["you'LL", "'d"]),  # one contraction belongs to the letters before it
        ("'sup", ["'sup"]),
        ("HELLOworld", ["HELLOworld"]),  # capitals, then small letters
        ("helloWORLD", ["hello", "WORLD"]),
        ("XMLHttpRequest", ["XMLHttp", "Request"]),
        ("ABC's", ["ABC's"]),
        ("(ABC'S)", ["(ABC'S", ")"]),
        ("中A中A", ["中A中", "A"]),  # uncased letters are both: the capitals give back as far as the last of them
        ("中AAa", ["中AAa"]),
        ("\u0301AB", ["\u0301", "AB"]),  # a mark may be prefix or body, but the body must end in the lower class
        ("\u0301Ab", ["\u0301Ab"]),
        ("!\u0301A", ["!\u0301", "A"]),
        ("!\u0301a", ["!\u0301a"]),
        ("!!\u0301a", ["!!\u0301", "a"]),  # a run of symbols takes marks
        ("ǅa", ["ǅa"]),
        ("aǅ", ["a", "ǅ"]),
        ("a!/\n/b", ["a", "!/\n/", "b"]),  # symbols take slashes behind newlines
        ("a//b", ["a", "//", "b"]),
        ("a/b", ["a", "/b"]),
    ],
    ids=ascii,
)
def test_o200k_alone(text: str, pretokens: list[str]) -> None:
    assert pretokenize_o200k(text) == pretokens


@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("a\n ", ["a", "\n "]),
        ("a \n\n", ["a", " \n\n"]),
        ("\n \n\t", ["\n \n\t"]),
        ("a\n b", ["a", "\n", " b"]),  # not at the end of the text
        ("!\n ", ["!\n", " "]),  # the symbols took the newline
        ("\n", ["\n"]),
    ],
    ids=ascii,
)
def test_tiktokens_cl100k_keeps_white_space_at_the_end_whole(text: str, pretokens: list[str]) -> None:
    assert pretokenize_cl100k_tiktoken(text) == pretokens


# --- laws ---


hard_characters = st.sampled_from(HARD_CHARACTERS) | st.characters(exclude_categories=["Cs"])
hard_texts = st.text(hard_characters, max_size=60)


@every_split
@given(text=hard_texts)
@settings(max_examples=300, deadline=None)
def test_pretokens_join_back_to_the_text_and_none_is_empty(split: Split, text: str) -> None:
    pretokens = split.pretokenize(text)
    assert "".join(pretokens) == text
    assert all(pretokens)


@every_split
@given(left=hard_texts, last=hard_characters.filter(lambda ch: not is_space(ch)), right=hard_texts)
@settings(max_examples=300, deadline=None)
def test_before_a_space_that_follows_no_white_space_a_text_may_be_cut(
    split: Split, left: str, last: str, right: str
) -> None:
    # Encoders rely on this: such parts of a text can be pre-tokenized on their own.
    assert split.pretokenize(f"{left}{last} {right}") == split.pretokenize(left + last) + split.pretokenize(" " + right)


# --- Hugging Face: the same pattern gives the same pre-tokens, everywhere ---

# One character of each kind that a pattern tells apart: upper, lower, both, mark, number; U+0020, white space, newline;
# symbol, slash, apostrophe; the letters of contractions.
ONE_OF_EACH = "Aa中\u03011 \t\n!/'sle"


@every_split
def test_every_short_neighbourhood_is_cut_as_hugging_face_does(split: Split) -> None:
    texts = [*map("".join, product(ONE_OF_EACH, repeat=4)), *map("".join, product("Aa\u0301 \n'l", repeat=5))]
    assert len(texts) == 14**4 + 7**5
    assert_alike(split.pretokenize, hugging_face(split.name), texts)


# Neighbourhoods that show a character's kind: each kind of ONE_OF_EACH comes out in a way of its own.
NEIGHBOURHOODS = ["a{0}A", "!{0}{0}a", "{0}A\n{0}1", "!\n{0}!", "'{0}x", "'{0}Ex", "'r{0}x", "'l{0}x", "a{0}sb"]


def test_the_neighbourhoods_tell_the_kinds_apart() -> None:
    def shapes(ch: str) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(map(len, cut(shape.format(ch)))) for shape in NEIGHBOURHOODS for cut in BOTH)

    characters = "Aa中\u03011 \t\n!/'sler"
    assert len({shapes(ch) for ch in characters}) == len(characters)
    assert shapes("s") == shapes("d") == shapes("\u017f")


def telling_code_points() -> list[str]:
    """Every code point but the inside of runs of over 500 with one category: ideographs, Hangul, private use, unassigned."""
    telling = []
    for kind, run in itertools.groupby(range(0x110000), key=lambda code: category(chr(code))):
        codes = list(run)
        if kind != "Cs":
            telling += codes if len(codes) <= 500 else codes[:2] + codes[-2:]
    return list(map(chr, telling))


@pytest.mark.slow
@every_choice
def test_every_telling_code_point_in_telling_neighbourhoods_is_cut_as_hugging_face_does(
    split: Split,
) -> None:
    telling = telling_code_points()
    assert len(telling) > 30_000
    theirs = hugging_face(split.name)
    for shape in NEIGHBOURHOODS:
        assert_alike(
            split.pretokenize,
            theirs,
            ["".join(map(shape.format, telling[i : i + 500])) for i in range(0, len(telling), 500)],
        )


@pytest.mark.slow
@every_choice
def test_all_code_points_in_order_are_cut_as_hugging_face_does(split: Split) -> None:
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF)
    assert split.pretokenize(everything) == hugging_face(split.name)(everything)


# The most telling one of six characters: quick enough for every code point.
NEIGHBOURHOOD = "'{0}{0}A{0}A"


@every_choice
def test_every_telling_code_point_is_cut_as_hugging_face_does(split: Split) -> None:
    telling = telling_code_points()
    texts = ["".join(map(NEIGHBOURHOOD.format, telling[i : i + 500])) for i in range(0, len(telling), 500)]
    assert_alike(split.pretokenize, hugging_face(split.name), texts)


@pytest.mark.parametrize(
    "pretokenize, kinds",
    [
        (pretokenize_cl100k, ["Aa中er", "l", "s\u017f", "\u0301!/'", "1", " \t", "\n"]),
        (pretokenize_o200k, ["A", "aer", "l", "s\u017f", "中\u0301", "!/'", "1", " \t", "\n"]),
    ],
)
def test_one_neighbourhood_tells_most_kinds_apart(pretokenize: Pretokenize, kinds: list[str]) -> None:
    shapes = [{tuple(map(len, pretokenize(NEIGHBOURHOOD.format(ch) * 3))) for ch in kind} for kind in kinds]
    assert [len(of_kind) for of_kind in shapes] == [1] * len(kinds)
    assert len(set.union(*shapes)) == len(kinds)


@pytest.mark.slow
@every_choice
def test_every_code_point_in_the_most_telling_neighbourhood_is_cut_as_hugging_face_does(
    split: Split,
) -> None:
    starts = [start for start in range(0, 0x110000, 0x800) if start != 0xD800]
    assert len(starts) * 0x800 == 1_112_064
    texts = ("".join(map(NEIGHBOURHOOD.format, map(chr, range(start, start + 0x800)))) for start in starts)
    assert_alike(split.pretokenize, hugging_face(split.name), texts)


@every_split
@given(text=hard_texts)
@example(text="\n\x85")
@settings(max_examples=1000, deadline=None)
def test_any_text_is_cut_as_hugging_face_does(split: Split, text: str) -> None:
    assert split.pretokenize(text) == hugging_face(split.name)(text)


@every_split
def test_ids_are_hugging_faces(split: Split, tmp_path: Path) -> None:
    tokenizer = BPETokenizer.train(TEXTS[:400], 700, min_freq=1, pre_tokenizer=split.name)
    tokenizer.save(tmp_path / "tokenizer.json")
    theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert len(tokenizer.merges) > 300
    assert_alike(tokenizer.encode, lambda text: theirs.encode(text, add_special_tokens=False).ids, TEXTS[:1000])


# --- naive twins: the engine cuts as functions written by hand do ---

TWINS = [split for split in SPLITS.values() if hasattr(naive_splits, f"pretokenize_{split.name}")]
every_twin = pytest.mark.parametrize("split", TWINS, ids=lambda split: split.name)


def twin_of(split: Split) -> Pretokenize:
    return getattr(naive_splits, f"pretokenize_{split.name}")


def test_all_of_tiktokens_splits_have_a_twin() -> None:
    assert {split.name for split in SPLITS.values() if split.encoding} < {split.name for split in TWINS}


@every_twin
def test_every_short_neighbourhood_is_cut_as_the_twin_does(split: Split) -> None:
    assert_alike(split.pretokenize, twin_of(split), map("".join, product(ONE_OF_EACH, repeat=4)))


@every_twin
def test_every_telling_code_point_is_cut_as_the_twin_does(split: Split) -> None:
    telling = telling_code_points()
    texts = ["".join(map(NEIGHBOURHOOD.format, telling[i : i + 500])) for i in range(0, len(telling), 500)]
    assert_alike(split.pretokenize, twin_of(split), texts)


@every_twin
@given(text=hard_texts)
@example(text="\n\x85")
@settings(max_examples=500, deadline=None)
def test_any_text_is_cut_as_the_twin_does(split: Split, text: str) -> None:
    assert split.pretokenize(text) == twin_of(split)(text)


# --- tiktoken ---


def published_pattern(encoding: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The pattern that tiktoken has for `encoding`, without the download of its ranks."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **kwargs: {})
    return openai_public.ENCODING_CONSTRUCTORS[encoding]()["pat_str"]


def test_the_o200k_pattern_is_tiktokens_own_string(monkeypatch: pytest.MonkeyPatch) -> None:
    assert published_pattern("o200k_base", monkeypatch) == splits.O200K_PATTERN


def some_hard_texts() -> list[str]:
    rng = random.Random(20260)
    return [
        "".join(rng.choices(rng.sample(HARD_CHARACTERS, rng.choice([4, 8, 40])), k=rng.randint(1, 12)))
        for _ in range(4000)
    ]


TEXTS = some_hard_texts()


def tiktokens(pattern: str, texts: Iterable[str]) -> Pretokenize:
    """What tiktoken's engine cuts these texts into by a pattern."""
    # Every substring is a token, and tiktoken looks a pre-token up before it merges: so each pre-token comes out whole.
    substrings = {text[i:j].encode() for text in texts for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    tokens = sorted({bytes([byte]) for byte in range(256)} | substrings)
    judge = tiktoken.Encoding(
        "judge", pat_str=pattern, mergeable_ranks={token: id for id, token in enumerate(tokens)}, special_tokens={}
    )
    return lambda text: [tokens[id].decode() for id in judge.encode_ordinary(text)]


@pytest.mark.parametrize("split", [split for split in SPLITS.values() if split.encoding], ids=lambda split: split.name)
def test_a_row_with_an_encoding_is_what_tiktoken_has_under_that_name(
    split: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert split.encoding
    assert_alike(split.pretokenize, tiktokens(published_pattern(split.encoding, monkeypatch), TEXTS), TEXTS)


# tiktoken runs one pattern, so it can judge the rows that have one.
OF_ONE_PATTERN = [split for split in SPLITS.values() if len(split.patterns) == 1]


@pytest.mark.parametrize("split", OF_ONE_PATTERN, ids=lambda split: split.name)
def test_hard_texts_are_cut_as_tiktokens_engine_does_with_the_same_pattern(split: Split) -> None:
    assert_alike(split.pretokenize, tiktokens(split.patterns[0], TEXTS), TEXTS)


# --- one table ---

# Files that speak of some splits and not of all there are: why each may.
NOT_ALL = {
    "python/tests/tok/splitting/test_safe_chunks.py": "where cuts are safe, by hand; the law there is asked of all",
    "python/tests/tok/test_from_tiktoken.py": "the rank files at hand",
}


def lists_splits(node: ast.AST) -> bool:
    """Does a list, tuple, set, dict or `Literal[...]` in the code spell the names of two splits or more?"""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) != "Literal":
        return False
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Subscript)):
        return False
    return len({each.value for each in ast.walk(node) if isinstance(each, ast.Constant)} & splits.SPLITS.keys()) > 1


def test_a_list_of_splits_is_found() -> None:
    for line in ('A = ("gpt2", "o200k")', 'A = {"gpt2": 1, "cl100k": 2}', 'def f(a: Literal["gpt2", "o200k"]): pass'):
        assert any(map(lists_splits, ast.walk(ast.parse(line))))
    assert not any(map(lists_splits, ast.walk(ast.parse('A = [name for name in SPLITS if name != "gpt2"]'))))


def test_whatever_lists_the_splits_is_drawn_from_the_table() -> None:
    """So that a new split is a row in `splits.py`, and has all choices, messages, checks and tests with it."""
    listing = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "python").rglob("*.py")
        if path != Path(splits.__file__) and any(map(lists_splits, ast.walk(ast.parse(path.read_text("utf-8")))))
    }
    assert listing == NOT_ALL.keys()


def test_a_row_says_its_own_name_and_declares_its_own_patterns() -> None:
    for name, split in SPLITS.items():
        assert split.name == name
        assert split.variant_of is None or split.variant_of in splits.CHOICES
        if split.declaration != splits.BYTE_LEVEL:
            *steps, byte_level = split.declaration["pretokenizers"]
            assert tuple(step["pattern"]["Regex"] for step in steps) == split.patterns
            assert (byte_level["type"], byte_level["use_regex"]) == ("ByteLevel", False)


def test_a_row_of_one_pattern_covers_every_text() -> None:
    """So its file may say Removed and invert too, which keeps the matches alone."""
    for split in OF_ONE_PATTERN:
        assert [pattern.covers for pattern in steps_of(split.patterns).patterns] == [True], split.name

"""The normalizers of a tokenizer.json: by hand, and text and offsets against HF's."""

import itertools
import pickle
from random import Random

import hard_texts
import pytest

from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.character_tables import LOWERCASE
from tinyllm.tok.pipeline.normalizers import parse_normalizer
from tinyllm.tok.pipeline.refusals import Refusals

VALID = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
CAB = {"type": "Replace", "pattern": {"String": "ab"}, "content": "XYZ"}


def strip(left, right):
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def replace(string, content):
    return {"type": "Replace", "pattern": {"String": string}, "content": content}


def replace_matches(regex, content):
    return {"type": "Replace", "pattern": {"Regex": regex}, "content": content}


def sequence(*steps):
    return {"type": "Sequence", "normalizers": list(steps)}


WITHOUT_FIELDS = [
    {"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")
]
SINGLE = [
    *WITHOUT_FIELDS,
    *(strip(left, right) for left in (True, False) for right in (True, False)),
    *({"type": "Prepend", "prepend": content} for content in ("▁", "ab", "é")),
    *itertools.starmap(replace, [(" ", "▁"), ("e", "XYZ"), ("a", ""), ("\u0301", "é"), ("a", "aa"), ("aa", "b")]),
    sequence(),
]


def parsed(found):
    refusals = Refusals()
    normalizer = parse_normalizer(found, "normalizer", refusals)
    refusals.check()
    return normalizer


def refused(found):
    refusals = Refusals()
    parse_normalizer(found, "normalizer", refusals)
    return refusals.lines


def of_bytes(aligned):
    return aligned.text, [span for ch, span in zip(aligned.text, aligned.spans) for _ in ch.encode()]


@pytest.mark.parametrize(
    "normalizer, text, made, spans",
    [
        ({"type": "NFC"}, "e\u0301a", "éa", [(0, 1), (2, 3)]),
        ({"type": "Lowercase"}, "ΑΣ İ", "ας i\u0307".replace("ς", "σ"), [(0, 1), (1, 2), (2, 3), (3, 4), (3, 4)]),
        ({"type": "Lowercase"}, "\ua7cb\U00010570", "\u0264\U00010597", [(0, 1), (1, 2)]),  # since 16.0, since 14.0
        ({"type": "StripAccents"}, "e\u0301é\u0300\u0897", "eé\u0897", [(0, 1), (2, 3), (4, 5)]),
        (strip(True, True), " \u3000a b\x1c\n", "a b\x1c", [(2, 3), (3, 4), (4, 5), (5, 6)]),
        (strip(True, False), " a ", "a ", [(1, 2), (2, 3)]),
        (strip(False, True), " a ", " a", [(0, 1), (1, 2)]),
        (strip(True, True), " \t ", "", []),
        ({"type": "Prepend", "prepend": "> "}, "ab", "> ab", [(0, 1), (0, 1), (0, 1), (1, 2)]),
        ({"type": "Prepend", "prepend": "> "}, "", "", []),
        (CAB, "cab d", "cXYZ d", [(0, 1), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]),
        (replace("aa", "a"), "aaaaa", "aaa", [(1, 2), (3, 4), (4, 5)]),
        (replace("a.", r"\1$0"), "aba.", r"ab\1$0", [(0, 1), (1, 2), (3, 4), (3, 4), (3, 4), (3, 4)]),
        ({"type": "Nmt"}, "a\x07b\u200bc", "ab c", [(0, 1), (2, 3), (3, 4), (4, 5)]),
        ({"type": "ByteLevel"}, "a é", "aĠÃ©", [(0, 1), (1, 2), (2, 3), (2, 3)]),
        (sequence(), "Ab", "Ab", [(0, 1), (1, 2)]),
        (sequence(strip(True, True), {"type": "Prepend", "prepend": "_"}), "  ", "", []),
        (sequence({"type": "NFD"}, sequence({"type": "StripAccents"})), "éa", "ea", [(0, 1), (1, 2)]),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)
def test_the_text_changes_and_its_characters_keep_their_places(normalizer, text, made, spans):
    normalizer = parsed(normalizer)
    assert normalizer.normalize(text) == made
    assert normalizer.normalize_aligned(AlignedText.of(text)) == AlignedText(made, spans)


def test_no_normalizer_is_none():
    assert parsed(None) is None


def test_a_text_that_starts_later_keeps_its_places():
    assert parsed({"type": "NFC"}).normalize_aligned(AlignedText.of("e\u0301a", start=5)).spans == [(5, 6), (7, 8)]


@pytest.mark.parametrize(
    "normalizer, words",
    [
        ({"type": "NFKC"}, "NFKC of Unicode 9.0"),
        (sequence(), "nothing"),
        (sequence({"type": "NFD"}, {"type": "Lowercase"}), "NFD of Unicode 9.0, then lower case"),
        (replace(" ", "▁"), "' ' replaced by '▁'"),
        ({"type": "Prepend", "prepend": "▁"}, "'▁' put before it"),
        (strip(True, True), "white space stripped left and right"),
        (strip(False, True), "white space stripped right"),
        (strip(False, False), "nothing stripped"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_words_say_what_it_does(normalizer, words):
    assert parsed(normalizer).words() == words


@pytest.mark.parametrize("normalizer", SINGLE, ids=lambda value: str(list(value.values())))
def test_normalizers_pickle(normalizer):
    normalizer = parsed(normalizer)
    copy = pickle.loads(pickle.dumps(normalizer))
    assert copy.normalize(" aÉe\u0301 ") == normalizer.normalize(" aÉe\u0301 ")


# What is refused

KINDS = (
    '"NFC" or "NFD" or "NFKC" or "NFKD" or "Lowercase" or "StripAccents" or "Strip" or "Prepend" or "Replace" or "Nmt"'
    ' or "ByteLevel" or "Sequence"'
)


@pytest.mark.parametrize(
    "found, lines",
    [
        ([], ["normalizer is []; it must be an object"]),
        ({}, [f"normalizer.type is missing; it must be {KINDS}"]),
        ({"type": "Precompiled"}, [f'normalizer.type is "Precompiled"; it must be {KINDS}']),
        ({"type": ["NFC"]}, [f'normalizer.type is ["NFC"]; it must be {KINDS}']),
        ({"type": "NFC", "form": 1}, ["normalizer.form is 1; this field is not known here"]),
        (
            {"type": "Strip", "strip_left": 1},
            [
                "normalizer.strip_left is 1; it must be true or false",
                "normalizer.strip_right is missing; it must be true or false",
            ],
        ),
        (
            {"type": "Prepend", "prepend": ""},
            ['normalizer.prepend is ""; it must be a string of at least one character'],
        ),
        (
            {"type": "Replace", "pattern": {"String": ""}, "content": 3},
            [
                "normalizer.content is 3; it must be a string",
                'normalizer.pattern.String is ""; it must be a string of at least one character',
            ],
        ),
        (
            {"type": "Replace", "pattern": {}, "content": ""},
            ["normalizer.pattern is {}; it must be an object with one field, String or Regex"],
        ),
        ({"type": "Replace", "pattern": "a", "content": ""}, ['normalizer.pattern is "a"; it must be an object']),
        ({"type": "Sequence", "normalizers": None}, ["normalizer.normalizers is null; it must be a list"]),
        (
            sequence(None, {"type": "NFC"}, sequence({"type": "Lowercase", "x": 1})),
            [
                "normalizer.normalizers[0] is null; it must be a normalizer",
                "normalizer.normalizers[2].normalizers[0].x is 1; this field is not known here",
            ],
        ),
    ],
)
def test_all_that_is_wrong_is_named_by_its_path(found, lines):
    assert refused(found) == lines


def test_a_pattern_outside_the_grammar_is_refused_with_the_reason():
    pytest.importorskip("tinyllm.tok.splitting.pattern")
    (line,) = refused(replace_matches("a*+", ""))
    assert line.startswith('normalizer.pattern.Regex is "a*+"; it must be a pattern that is known here: ')
    assert "at position 1" in line


def test_a_pattern_that_can_match_nothing_is_refused():
    pytest.importorskip("tinyllm.tok.splitting.pattern")
    assert refused(replace_matches("a*", "b")) == [
        'normalizer.pattern.Regex is "a*"; it must be a pattern that matches at least one character'
    ]


# What HF does

ALPHABETS = (
    "ae éạắṩÅ\u2126\u212bİΣΑσſẞK \t\n\x1c\x07\u200b\ufeff",
    "ae\u0301\u0323\u0315\u0308\u0327\u0334\u0345\u0300\u0302\u0338\u3099\u0f71\u0f72\u0f74\u0344\u093c\u094d",
    "a\u0301\u0323\u1100\u1161\u11a8\u11c2\u11a7\u1160가각힣㎏\ufb01\ufdfa㌀ｶﾞかが\u0958\u0f73\u09c7\u09be\u0dd9\u0dcf",
    "ae\u0301\u0323\u07fd\u0897\u1acf\u1ae0\U000105d2\u0307\U00011935\U00011930\U00016121\u32ff\U0001e030\u1c89\ua7cb",
)


def texts(seed, count):
    random = Random(seed)
    for number in range(count):
        if number % 5 == 0:
            yield hard_texts.text(random)
        else:
            yield "".join(random.choices(random.choice(ALPHABETS), k=random.randint(0, 8)))


def assert_as_in_hf(found, drawn):
    hf = pytest.importorskip("hf_normalized").HFNormalizer(found)
    normalizer = parsed(found)
    for text in drawn:
        aligned = normalizer.normalize_aligned(AlignedText.of(text))
        assert of_bytes(aligned) == hf(text), (found, ascii(text))
        assert normalizer.normalize(text) == aligned.text, (found, ascii(text))


@pytest.mark.parametrize("found", SINGLE, ids=lambda value: str(list(value.values())))
def test_text_and_offsets_are_hfs(found):
    assert_as_in_hf(found, texts(1, 400))


@pytest.mark.parametrize("seed", range(40))
def test_text_and_offsets_of_sequences_are_hfs(seed):
    random = Random(seed)
    found = sequence(*random.choices(SINGLE, k=random.randint(2, 4)))
    assert_as_in_hf(found, texts(seed, 150))


@pytest.mark.parametrize("regex", [r"\s+", "[^a]+", r"\p{L}\p{M}*", r"\s+$", "a(?=e)", "ae?"])
@pytest.mark.parametrize("content", ["", "XY", "é"])
def test_text_and_offsets_of_patterns_are_hfs(regex, content):
    pytest.importorskip("tinyllm.tok.splitting.pattern")
    assert_as_in_hf(sequence(replace_matches(regex, content), {"type": "NFD"}), texts(2, 100))


def test_every_character_as_a_string_to_replace_stands_for_itself():
    drawn = [chr(code) for code in (*range(0x180), 0x2028, 0xFEFF)]
    for ch in drawn:
        assert_as_in_hf(replace(f"a{ch}", "!"), [f"aa{ch}{ch}a b", "".join(drawn)])


@pytest.mark.slow
@pytest.mark.parametrize("found", WITHOUT_FIELDS[4:], ids=lambda value: value["type"])
def test_every_code_point_is_as_hf_has_it(found):
    hf, normalizer = pytest.importorskip("hf_normalized").HFNormalizer(found), parsed(found)
    assert normalizer.normalize("\n".join(VALID)) == hf.text("\n".join(VALID))
    changed = [ch for ch in VALID if ch > "\x7f" and normalizer.normalize(ch) != ch]
    assert_as_in_hf(found, ["a".join(changed[:5000])])


def test_lower_case_does_not_depend_on_what_the_running_python_knows():
    # Each code point of the table alone: to some Pythons it is no letter, to others its lower case is another.
    lower = parsed({"type": "Lowercase"})
    for first, last, distance in LOWERCASE:
        for code in range(first, last + 1):
            assert lower.normalize(f"A{chr(code)}Σ") == f"a{chr(code + distance)}σ"

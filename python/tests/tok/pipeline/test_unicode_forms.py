"""NFC, NFD, NFKC and NFKD as HF has them: by hand, against the standard's definitions, and every code point against HF."""

import itertools
import random
import time
import unicodedata

import pytest

from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.character_tables import COMPATIBILITY_CUTS, CUTS
from tinyllm.tok.pipeline.unicode_forms import FORMS, UnicodeForm
from tinyllm.tok.unicode16 import category

NFC, NFD, NFKC, NFKD = map(UnicodeForm, FORMS)
VALID = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]

# Marks and composites assigned after 9.0, as the measurements of the issue have them.
KNOWN_CUTS = """
7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1ACE 1DF6-1DFA A82C 105C9 105D2 105DA 105E4 10D24-10D27 10D69-10D6D
10EAB-10EAC 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 11382-11385 1138B 1138E 11390-11391 113B8 113BB 113C2 113C5
113C7-113C9 113CE-113D0 1145E 11839-1183A 11930 11935 11938 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45
11D97 11F41-11F42 1611E-16129 1612F 16D63 16D67-16D6A 16FF0-16FF1 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF
1E5EE-1E5EF
"""


def members(edges: tuple[int, ...]) -> list[str]:
    return [chr(code) for first, end in zip(edges[::2], edges[1::2]) for code in range(first, end)]


def changes_of(form: UnicodeForm, text: str) -> AlignedText:
    return AlignedText.of(text).transform(form.changes(text))


@pytest.mark.parametrize(
    "form, text, made",
    [
        (NFC, "e\u0301a", "éa"),
        (NFD, "éa", "e\u0301a"),
        (NFC, "\ufb01", "\ufb01"),
        (NFKC, "\ufb01", "fi"),
        (NFKD, "㎏é", "kge\u0301"),
        (NFC, "\u1112\u1161\u11ab", "한"),
        (NFC, "가\u11a8", "각"),
        (NFC, "\u2126\u212b", "ΩÅ"),
        (NFC, "\u0958", "\u0915\u093c"),  # excluded from composition
        (NFC, "a\u0315\u0300", "à\u0315"),  # 230 moves before 232, and composes
        (NFC, "a\u0327\u0323", "ạ\u0327"),
        (NFC, "", ""),
    ],
    ids=ascii,
)
def test_texts_are_in_their_form(form, text, made):
    assert form.normalize(text) == made
    assert changes_of(form, text).text == made


@pytest.mark.parametrize(
    "text",
    [
        "a\u0d3b\u0301",  # a mark since 10.0, of a low class: the accent does not compose across it
        "a\u0301\u1df9\u0323",  # nor does a mark move across it; since 10.0
        "a\u0897\u0323",  # a mark since 16.0
        "\U000105d2\u0307",  # a pair with a composite since 16.0
        "\U00011935\U00011930",  # since 13.0
        "\U00016121\U00016121",
    ],
    ids=ascii,
)
def test_what_unicode_assigned_after_9_stays_alone(text):
    for form in (NFD, NFKD):
        assert form.normalize(text) == text
        assert form.changes(text) == [(ch, 0) for ch in text]
    for form in (NFC, NFKC):
        assert form.normalize(text) == text.replace("a\u0301", "á")


def test_marks_reorder_on_both_sides_of_a_later_mark_and_not_across_it():
    assert NFC.normalize("\u0301\u0323\u0897\u0301\u0323") == "\u0323\u0301\u0897\u0323\u0301"


def test_the_square_of_the_era_reiwa_is_newer_than_the_tables():
    assert NFKC.normalize("\u32ff\u337b") == "\u32ff平成"


def test_the_cuts_are_the_159_code_points_of_unicode_10_to_16():
    listed = [code for run in KNOWN_CUTS.split() for code in _run(run)]
    assert len(listed) == 159
    assert [ord(ch) for ch in members(CUTS) if category(ch) != "Cn"] == listed


def test_170_more_have_a_compatibility_decomposition_of_unicode_10_to_16():
    assert sum(category(ch) != "Cn" for ch in members(COMPATIBILITY_CUTS)) == 170


def _run(written: str) -> range:
    first, _, last = written.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


@pytest.mark.parametrize(
    "form, text, spans",
    [
        (NFC, "e\u0301a", [(0, 1), (2, 3)]),  # the mark is in no character
        (NFC, "\u1100\u1161\u11a8a", [(0, 1), (3, 4)]),
        (NFC, "a\u0315\u0300", [(0, 1), (2, 3)]),
        (NFD, "éa", [(0, 1), (0, 1), (1, 2)]),
        (NFD, "é\u0323a", [(0, 1), (1, 2), (1, 2), (2, 3)]),  # a mark that moved before a new one takes its place
        (NFKC, "㎏!", [(0, 1), (0, 1), (1, 2)]),
        (NFKC, "㎏\u0301!", [(0, 1), (1, 2), (2, 3)]),  # the new g takes the place of the mark that joined it
    ],
    ids=ascii,
)
def test_each_character_has_its_place(form, text, spans):
    assert changes_of(form, text).spans == spans


def test_another_name_is_refused():
    with pytest.raises(ValueError, match="'NFX'; it must be one of NFC, NFD, NFKC, NFKD"):
        UnicodeForm("NFX")


def test_texts_in_their_form_change_nothing():
    # `Form.normalize_aligned` does not ask for the changes of a text that `is_normalized` knows.
    random_ = random.Random(9)
    alphabet = "ae\u0301\u0323\u0327\u0315éạắṩ\u1100\u1161\u11a8가각㎏\u0344\u0f73\u3099か\u0897\U00011930"
    for form in (NFC, NFD, NFKC, NFKD):
        for _ in range(2000):
            text = form.normalize("".join(random_.choices(alphabet, k=6)))
            assert form.changes(text) == [(ch, 0) for ch in text]


@pytest.mark.parametrize("name", FORMS)
def test_where_nothing_is_newer_a_form_is_that_of_the_running_python(name):
    random_ = random.Random(name)
    alphabet = "ab\u0301\u0300\u0323\u0327\u0315\u0308\u0345\u0334éạắṩ\u1100\u1161\u11a8가각힣㎏\ufb01\u0344\u0f71\u0f73\u3099かﾞｶ"
    form = UnicodeForm(name)
    for _ in range(3000):
        text = "".join(random_.choices(alphabet, k=random_.randint(0, 9)))
        made = unicodedata.normalize(name, text)
        assert form.normalize(text) == made
        assert changes_of(form, text).text == made


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_every_code_point_and_telling_pair_is_as_hf_has_it(name):
    hf = pytest.importorskip("hf_normalized").HFNormalizer({"type": name})
    form = UnicodeForm(name)
    # Nothing composes with a line feed, and no mark passes it.
    assert form.normalize("\n".join(VALID)) == hf.text("\n".join(VALID))
    changed = [ch for ch in VALID if form.normalize(ch) != ch]
    for text in (changed, telling_pairs(), telling_triples()):
        joined = "\n".join(text)
        made, offsets = hf(joined)
        aligned = changes_of(form, joined)
        assert form.normalize(joined) == aligned.text == made
        assert [span for ch, span in zip(aligned.text, aligned.spans) for _ in ch.encode()] == offsets


def telling_pairs() -> list[str]:
    """All pairs of: one character of each combining class, jamo at their edges, and what is newer than the tables."""
    jamo = [
        0x10FF,
        0x1100,
        0x1112,
        0x1113,
        0x1160,
        0x1161,
        0x1175,
        0x1176,
        0x11A7,
        0x11A8,
        0x11C2,
        0x11C3,
        0xAC00,
        0xAC01,
    ]
    newer = members(CUTS)[::5]
    others = (
        "ae\u0915\u3046かｶﾞ\u0b47\u0b3e\u1025\u102e\U00011099\U000110ba\U00011131\U00011127éạắ㎏\ufb01\u0344\u0f73\u2adc"
    )
    telling = [*others, *map(chr, jamo), *one_of_each_class(), *newer]
    return ["".join(pair) for pair in itertools.product(telling, repeat=2)]


def telling_triples() -> list[str]:
    """A starter and two marks: all pairs of combining classes, on starters of several kinds."""
    marks = [*one_of_each_class(), "\u0300", "\u0307", "\u0897"]
    return ["".join(triple) for triple in itertools.product("aạ", marks, marks)]


def one_of_each_class() -> list[str]:
    cuts = set(members(CUTS))
    return list({unicodedata.combining(ch): ch for ch in reversed(VALID) if ch not in cuts}.values())


@pytest.mark.parametrize("name", FORMS)
def test_long_runs_of_marks_are_ordered_as_in_hugging_face(name: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = getattr(tokenizers.normalizers, name)()
    chance = random.Random(1)
    marks = "\u0327\u0301\u0323\u0300\u0315\u0d3b\u1abf\u0344\u0345\u3099\u0f71\u0f72\u0f73\u0610é가a"  # U+0D3B, 1ABF: new ones
    for _ in range(60):
        text = "".join(chance.choices(marks[: chance.choice((3, 8, 17))], k=chance.choice((260, 600))))
        assert UnicodeForm(name).normalize(text) == theirs.normalize_str(text)


def test_the_cost_of_marks_out_of_order_grows_with_their_number() -> None:
    """`unicodedata` alone takes sixteen times as long for four times as many."""

    def seconds(pairs: int) -> float:
        start = time.process_time()
        NFC.normalize("a" + "\u0327\u0301" * pairs)
        return time.process_time() - start

    assert min(seconds(40_000) for _ in range(3)) < 9 * min(seconds(10_000) for _ in range(3))

"""The model: BPE on one pre-token, with all that a file may ask for, held to Hugging Face."""

import json
import random
from itertools import pairwise

import pytest
from hf_json import document

from tinyllm.tok.jsonfile import read_json
from tinyllm.tok.pipeline.model import BPEModel, parse_model
from tinyllm.tok.pipeline.refusals import Refusals

tokenizers = pytest.importorskip("tokenizers")

ABC = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
MERGES = [("b", "c"), ("a", "b"), ("a", "bc")]


def hugging_face(model, text):
    """(id, start, end) of each token of `text` as one pre-token; None if it refuses."""
    fields = {"type": "BPE", **model}
    tokenizer = tokenizers.Tokenizer.from_str(
        json.dumps(document({}, [], pre_tokenizer=None, model=fields, decoder=None))
    )
    try:
        found = tokenizer.encode(text, add_special_tokens=False)
    except BaseException as error:
        assert "out of the vocabulary" in str(error) or "Unk" in str(error), error
        return None
    return [(id, *span) for id, span in zip(found.ids, found.offsets)]


def agree(model, *texts):
    refusals = Refusals()
    ours = parse_model(json.loads(json.dumps(model)), "model", refusals)
    refusals.check()
    for text in texts:
        expected = hugging_face(model, text)
        if expected is None:
            with pytest.raises(ValueError, match="is no token"):
                ours.ids(text)
        else:
            assert ours.ids_with_spans(text) == expected, (model, text)
            assert ours.ids(text) == tuple(id for id, _, _ in expected), (model, text)
    return ours


def refused(**fields):
    refusals = Refusals()
    model = {"type": "BPE", "vocab": ABC, "merges": MERGES, **fields}
    assert parse_model(json.loads(json.dumps(model)), "model", refusals) is None
    return refusals.lines


def test_the_lowest_rank_merges_first():
    assert BPEModel(ABC, MERGES[:2]).ids("abc") == (0, 4)
    agree({"vocab": ABC, "merges": MERGES[:2]}, "abc", "ab", "abcabc", "")


def test_of_a_merge_that_is_listed_twice_the_last_counts():
    merges = [("a", "b"), ("b", "c"), ("a", "b")]
    assert BPEModel(ABC, merges).ids("abc") == (0, 4)
    agree({"vocab": ABC, "merges": merges}, "abc")


def test_two_merges_may_make_one_token():
    merges = [("b", "c"), ("a", "bc"), ("a", "b"), ("ab", "c")]
    agree({"vocab": ABC, "merges": merges}, "abc", "aabcc", "abab")


def test_merges_may_be_strings_with_a_header():
    agree({"vocab": ABC, "merges": ["#version: 0.2", "b c", "a bc"]}, "abc")
    assert BPEModel({"#": 0, "##": 1}, [("#", "#")]).ids("##") == (1,)


def test_a_string_without_exactly_one_space_is_refused():
    assert refused(merges=["b c", "a  bc"]) == [
        'model.merges[1] is "a  bc"; it must be two tokens separated by one space'
    ]
    assert refused(merges=["b c", "abc"]) == ['model.merges[1] is "abc"; it must be two tokens separated by one space']


def test_a_line_end_in_a_token_is_no_end_of_a_merge():
    vocab = {"\n": 0, "a": 1, "\na": 2}
    assert agree({"vocab": vocab, "merges": ["\n a"]}, "\na").ids("\na") == (2,)


def test_with_ignore_merges_a_token_that_no_merge_makes_is_found():
    vocab = {**ABC, "cab": 9}
    assert BPEModel(vocab, MERGES, ignore_merges=True).ids("cab") == (9,)
    assert BPEModel(vocab, MERGES).ids("cab") == (2, 3)
    agree({"vocab": vocab, "merges": MERGES, "ignore_merges": True}, "cab", "abc", "caba", "")


def test_an_empty_pretoken_is_no_empty_token():
    vocab = {"": 7, "a": 0}
    assert agree({"vocab": vocab, "merges": [], "ignore_merges": True}, "", "a").ids("") == ()


def test_without_unk_token_a_character_is_dropped_and_spans_lie_too_far_left():
    model = agree({"vocab": ABC, "merges": MERGES}, "a?b", "?a?", "aéb", "é", "a你bc", "ab你你c")
    assert model.ids("a?b") == (3,)
    assert BPEModel(ABC, []).ids_with_spans("é?ab") == [(0, 0, 1), (1, 0, 1)]


@pytest.mark.parametrize("fuse", [False, True])
def test_an_unknown_character_is_the_unk_token(fuse):
    vocab = {"<unk>": 9, **ABC}
    model = {"vocab": vocab, "merges": MERGES, "unk_token": "<unk>", "fuse_unk": fuse}
    assert agree(model, "a?b", "??", "é?a??b", "你你", "?").ids("a??b") == ((0, 9, 1) if fuse else (0, 9, 9, 1))


def test_a_merge_may_have_the_unk_token_as_a_part():
    vocab = {"u": 9, **ABC, "ua": 8}
    agree({"vocab": vocab, "merges": [("u", "a"), *MERGES], "unk_token": "u"}, "?ab", "éua", "??a")


def test_an_unk_token_that_is_no_token_is_an_error_when_it_is_needed():
    agree({"vocab": ABC, "merges": MERGES, "unk_token": "<unk>"}, "abc", "a?")


def test_the_unk_token_may_be_the_empty_token():
    agree({"vocab": {**ABC, "": 9}, "merges": MERGES, "unk_token": ""}, "a?bc??", "?", "é?a")
    assert "model.unk_token" in refused(vocab={**ABC, "": 9}, merges=[["", "a"]], unk_token="")[0]


BYTES = {f"<0x{byte:02X}>": 100 + byte for byte in range(256)}


def test_a_character_without_a_token_falls_back_to_its_bytes():
    model = agree({"vocab": {**ABC, **BYTES}, "merges": MERGES, "byte_fallback": True}, "aéb", "你", "ab你c", "?")
    assert model.ids_with_spans("aéb") == [(0, 0, 1), (100 + 0xC3, 1, 2), (100 + 0xA9, 1, 2), (1, 2, 3)]


def test_an_unknown_character_comes_behind_the_byte_tokens_that_follow_it():
    some = {token: id for token, id in BYTES.items() if id < 100 + 0xC0}
    vocab = {**ABC, **some, "<unk>": 9}
    model = {"vocab": vocab, "merges": MERGES, "byte_fallback": True, "unk_token": "<unk>"}
    assert agree(model, "é?a", "a?é?b", "éé?").ids("é?a") == (100 + 0x3F, 9, 0)
    agree({**model, "fuse_unk": True}, "é?é?a", "é?", "?é")


def test_prefix_and_suffix_of_subwords():
    vocab = {"a": 0, "##b": 1, "ab": 2, "b</w>": 3, "##b</w>": 4, "ab</w>": 5, "a</w>": 6, "b": 7}
    agree(
        {"vocab": vocab, "merges": [("a", "##b</w>")], "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"},
        "ab",
        "a",
        "b",
        "abb",
        "ba",
    )
    agree({"vocab": vocab, "merges": [("a", "##b")], "continuing_subword_prefix": "##"}, "ab", "aab", "abab", "ba")
    agree({"vocab": vocab, "merges": [("a", "b</w>")], "end_of_word_suffix": "</w>"}, "ab", "aab", "ab?", "é", "bb")
    agree({"vocab": vocab, "merges": [], "continuing_subword_prefix": "", "end_of_word_suffix": ""}, "ab")


def test_ids_may_have_gaps_however_large():
    vocab = {"a": 5, "b": 4_000_000_000, "ab": 17}
    assert agree({"vocab": vocab, "merges": [("a", "b")]}, "ab", "ba", "bab").ids("abb") == (17, 4_000_000_000)


def test_dropout_of_zero_is_none():
    agree({"vocab": ABC, "merges": MERGES, "dropout": 0.0}, "abc")
    assert refused(dropout=0.5) == ["model.dropout is 0.5; it must be null or 0.0 or 0"]


def test_long_pretokens_too():
    agree({"vocab": ABC, "merges": MERGES}, "abc" * 100, "ab?c" * 100)


def test_all_that_is_wrong_is_named():
    assert refused(dropout=1, odd=0) == [
        "model.odd is 0; this field is not known here",
        "model.dropout is 1; it must be null or 0.0 or 0",
    ]
    assert refused(type="Unigram", odd=0) == ['model.type is "Unigram"; it must be "BPE"']
    assert refused(vocab={"a": -1}, merges=3, unk_token=0) == [
        "model.unk_token is 0; it must be a string or null",
        'model.vocab["a"] is -1; it must be an integer from 0 to 4294967295',
        "model.merges is 3; it must be a list of pairs",
    ]


@pytest.mark.parametrize(
    "vocab, said",
    [
        ({"a": 0, "b": 0}, 'model.vocab["b"] is 0; it must be another id than that of "a"; an id has one token'),
        ({"a": 1.0}, 'model.vocab["a"] is 1.0; it must be an integer from 0 to 4294967295'),
        ({"a": True}, 'model.vocab["a"] is true; it must be an integer from 0 to 4294967295'),
        ([], "model.vocab is []; it must be an object of tokens and their ids"),
    ],
)
def test_a_vocabulary_that_is_none_is_refused(vocab, said):
    assert refused(vocab=vocab, merges=[]) == [said]


@pytest.mark.parametrize(
    "merges, said",
    [
        ([["b", "c"], ["a", "x"]], 'model.merges[1] is ["a", "x"], but the vocabulary lacks its right part "x"'),
        ([["x", "b"]], 'model.merges[0] is ["x", "b"], but the vocabulary lacks its left part "x"'),
        ([["c", "c"]], 'model.merges[0] is ["c", "c"], but the vocabulary lacks its result "cc"'),
        ([["a", "b", "c"]], 'model.merges[0] is ["a", "b", "c"]; it must be a pair of tokens'),
        ([["a", 1]], 'model.merges[0] is ["a", 1]; it must be a pair of tokens'),
        (["b c", ["a", "b"]], 'model.merges[1] is ["a", "b"]; it must be written as the first, "b c"'),
        ([3], "model.merges[0] is 3; it must be a pair of tokens"),
    ],
)
def test_a_merge_that_is_none_is_refused(merges, said):
    assert refused(merges=merges) == [said]


def test_a_token_that_is_there_twice_is_refused(tmp_path):
    path = tmp_path / "twice.json"
    path.write_text('{"vocab": {"a": 0, "a": 1}, "merges": []}', encoding="utf-8")
    refusals = Refusals()
    assert parse_model(read_json(path), "model", refusals) is None
    assert refusals.lines == ['model.vocab["a"] is there twice; a key may appear once']


def test_byte_fallback_with_a_suffix_is_refused():
    assert "model.byte_fallback" in refused(byte_fallback=True, end_of_word_suffix="</w>")[0]


def test_a_merge_whose_right_part_has_no_prefix_is_refused():
    assert refused(merges=[["a", "b"]], continuing_subword_prefix="##") == [
        'model.merges[0] is ["a", "b"]; it must be one whose right part starts with the prefix \'##\''
    ]


def drawn_model(rng):
    """A model with a few characters, random merges of what is there already, and random switches."""
    prefix = rng.choice(["", "", "#"])
    suffix = rng.choice(["", "", "w"])
    characters = rng.sample("abé你\x00", rng.randint(1, 4))
    tokens = [*characters]
    tokens += [form + end for c in characters for form in {c, prefix + c} for end in {"", suffix} if rng.random() < 0.8]
    merges = []
    for _ in range(rng.randint(0, 8)):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if right.startswith(prefix) and left:
            merges.append((left, right))
            tokens.append(left + right[len(prefix) :])
    tokens += ["<unk>"] * rng.randint(0, 1) + [""] * rng.randint(0, 1)
    fallback = not prefix and not suffix and rng.random() < 0.4
    if fallback:
        tokens += [token for token in BYTES if rng.random() < 0.9]
    ids = rng.sample(range(3 * len(tokens)), len(tokens))
    return {
        "vocab": dict(zip(dict.fromkeys(tokens), ids)),
        "merges": merges,
        "unk_token": rng.choice([None, "<unk>", characters[0]]),
        "fuse_unk": rng.choice([False, True]),
        "byte_fallback": fallback,
        "ignore_merges": rng.choice([False, True]),
        "continuing_subword_prefix": prefix or rng.choice([None, ""]),
        "end_of_word_suffix": suffix or None,
    }


def test_drawn_models_do_what_hugging_face_does():
    rng = random.Random(9)
    for _ in range(400):
        texts = ["".join(rng.choices("abé你\x00#w", k=rng.randint(1, 9))) for _ in range(8)]
        agree(drawn_model(rng), *texts)


def test_merging_never_depends_on_how_long_a_pretoken_is():
    """The law of `ids`: a pre-token of two halves that no merge joins is both halves' ids."""
    model = BPEModel({**ABC, "-": 6}, MERGES)
    text = "-".join(["abc", "ab", "cab"] * 40)
    assert model.ids(text) == tuple(
        id for i, half in enumerate(text.split("-")) for id in ((6,) if i else ()) + model.ids(half)
    )
    assert all(end == start for (_, _, end), (_, start, _) in pairwise(model.ids_with_spans(text)))

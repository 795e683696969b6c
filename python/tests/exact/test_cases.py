"""Small inputs that tokenizers in use have been seen to get wrong. `PITFALLS.md` lists them all and says where each is held.

`cases.jsonl` has the texts with Hugging Face's ids; the first tests hold it to both libraries, so a wrong line cannot stay.
"""

import json
from pathlib import Path

import hf_json
import oracles
import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pretok import pretokenize_gpt2
from tinyllm.tok.stream import StreamDecoder

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").split("\n") if line]
ABOUT = sorted({case["about"] for case in CASES})


# ---- texts with their ids ----


@pytest.mark.parametrize("about", ABOUT)
def test_texts_have_their_ids(about: str, gpt2, smollm2) -> None:
    for case in CASES:
        if case["about"] == about:
            tokenizer = {"gpt2": gpt2, "smollm2": smollm2}[case["tokenizer"]]
            assert tokenizer.encode(case["text"]) == case["ids"], ascii(case["text"])


def test_the_ids_are_those_of_hugging_face(hf_gpt2, hf_smollm2) -> None:
    for case in CASES:
        hf = {"gpt2": hf_gpt2, "smollm2": hf_smollm2}[case["tokenizer"]]
        assert hf.encode(case["text"]).ids == case["ids"], ascii(case["text"])


def test_the_ids_of_gpt2_are_those_of_tiktoken(tiktoken_gpt2) -> None:
    for case in CASES:
        if case["tokenizer"] == "gpt2":
            assert tiktoken_gpt2.encode(case["text"], allowed_special="all") == case["ids"], ascii(case["text"])


def test_the_texts_have_the_pretokens_of_hugging_face(hf_gpt2) -> None:
    stand_in = oracles.STAND_IN
    for case in CASES:
        found = ["".join(stand_in[byte] for byte in pretoken.encode()) for pretoken in pretokenize_gpt2(case["text"])]
        assert found == [pretoken for pretoken, _ in hf_gpt2.pre_tokenizer.pre_tokenize_str(case["text"])]


@pytest.mark.parametrize(
    "ch, times, first_ids, last_ids, number",
    [
        ("a", 5000, [24794] * 4, [24794] * 4, 1250),
        ("^", 5000, [39397] * 4, [39397] * 4, 1250),
        ("あ", 2000, [40948] * 4, [40948] * 4, 2000),
        ("=", 4097, [23926] * 4, [23926, 23926, 23926, 28], 65),
        (" ", 3000, [220] * 4, [220] * 4, 3000),
        ("\n", 2999, [628] * 4, [628, 628, 628, 198], 1500),
    ],
    ids=ascii,
)
def test_a_long_run_has_its_ids(ch: str, times: int, first_ids: list, last_ids: list, number: int, gpt2) -> None:
    ids = gpt2.encode(ch * times)
    assert (ids[:4], ids[-4:], len(ids)) == (first_ids, last_ids, number)


def test_a_million_characters_without_a_break_have_the_ids_of_hugging_face(gpt2, hf_gpt2) -> None:
    text = "^" * 1_000_000
    assert gpt2.encode(text) == hf_gpt2.encode(text).ids


def test_long_pretokens_of_many_tokens_have_the_ids_of_hugging_face(gpt2, hf_gpt2) -> None:
    for text in (
        "日本語の文章は空白なしで続く" * 1000,
        '{"a":[1,2,{"b":null}],"c":"d"}' * 400,
        "internationalization" * 2000,
    ):
        assert gpt2.encode(text) == hf_gpt2.encode(text).ids


# ---- added tokens ----


@pytest.mark.parametrize(
    "contents, text, ids",
    [
        (["<a>", "<a><b>"], "<a><b>x", [50258, 87]),
        (["<a><b>", "<a>"], "<a><b>x", [50257, 87]),
        (
            ["my_token_1", "my_token_12", "my_token_123"],
            "my_token_123 my_token_12 my_token_1",
            [50259, 220, 50258, 220, 50257],
        ),
        (["QQaa", "QQaaa"], "QQaaaQQaa", [50258, 50257]),
        (["xyzq", "yzqwv"], "xyzqwv", [50257, 86, 85]),
        (["<x>", "<xy>"], "<<xy>>", [27, 50258, 29]),
        (["<s1>"], " a <s1> b", [257, 220, 50257, 275]),
        (["<s1>"], "a  <s1>\n<s1>b", [64, 220, 220, 50257, 198, 50257, 65]),
        (["dignums"], "my value in dignums dollars", [1820, 1988, 287, 220, 50257, 5054]),
        (["<s1>"], "x<s1>'s  <s1>", [87, 50257, 338, 220, 220, 50257]),
    ],
    ids=lambda value: None if isinstance(value, list) else value,
)
@pytest.mark.parametrize("special", [True, False], ids=["special", "not special"])
def test_added_tokens_match_leftmost_then_longest_and_take_no_spaces(contents, text, ids, special, gpt2) -> None:
    added = [("<|endoftext|>", 50256, True), *((content, 50257 + i, special) for i, content in enumerate(contents))]
    extended = BPETokenizer(gpt2.vocab, gpt2.merges, added)
    assert extended.encode(text) == ids
    assert extended.decode(ids) == text


# ---- training ----


@pytest.mark.parametrize(
    "texts, vocab_size, merges",
    [
        (["bbbaaaddddcccc"], 260, ["c c", "d d", "a a", "b b"]),
        (["aaabbbccccdddd"], 260, ["c c", "d d", "a a", "b b"]),
        ([" q", "zz"], 258, ["z z", "Ġ q"]),
        (["\n\n", "ab", " a", "é"], 260, ["a b", "Ã ©", "Ċ Ċ", "Ġ a"]),
        (["zz yy zz yy xx"], 260, ["y y", "z z", "Ġ yy", "x x"]),
        (["DCBBABCDCBABCD"], 262, ["A B", "B AB", "C D", "BAB CD", "B BABCD", "C BABCD"]),
        (["aaaa", "bb", "bb"], 258, ["a a", "b b"]),
        (["aaaaa", "bb", "bb"], 260, ["a a", "b b", "aa a", "aa aaa"]),
        (["aaaaaaa"], 262, ["a a", "aa aa", "aa a", "aaaa aaa"]),
        (["bc", "a", "aaa"], 258, ["a a", "b c"]),
        (["ab ab cd"], 300, ["a b", "c d", "Ġ ab", "Ġ cd"]),
        (["   "], 300, ["Ġ Ġ", "ĠĠ Ġ"]),
        (["é"], 300, ["Ã ©"]),
        (["aaa aaa"], 256, []),
        (["aaa aaa"], 257, ["a a"]),
        ([], 300, []),
        ([""], 300, []),
        (["", ""], 300, []),
        (["a"], 300, []),
        (["a", "b", "a"], 300, []),
        (["\n"], 300, []),
    ],
    ids=str,
)
def test_training_learns_these_merges_as_hugging_face_does(
    texts: list[str], vocab_size: int, merges: list[str]
) -> None:
    trained = BPETokenizer.train(texts, vocab_size, min_freq=1)
    assert [" ".join(pair) for pair in trained.merges] == merges
    assert trained.vocab_size == 256 + len(merges)
    assert trained.merges == oracles.hf_merges(oracles.hf_trained(texts, vocab_size))


@pytest.mark.parametrize(
    "text, min_freq, merges",
    [
        ("ab ab cd", 2, ["a b"]),
        ("ab ab ab cd cd", 3, ["a b"]),
        ("ab ab ab cd cd", 2, ["a b", "c d", "Ġ ab", "Ġ cd"]),
    ],
)
def test_a_count_equal_to_min_freq_still_merges(text: str, min_freq: int, merges: list[str]) -> None:
    trained = BPETokenizer.train([text], 300, min_freq=min_freq)
    assert [" ".join(pair) for pair in trained.merges] == merges
    assert trained.merges == oracles.hf_merges(oracles.hf_trained([text], 300, min_freq))


def test_specials_take_room_in_the_vocabulary_and_come_first() -> None:
    trained = BPETokenizer.train(["ab ab"], 258, specials=["<|endoftext|>"], min_freq=1)
    assert (trained.merges, trained.vocab_size, trained.vocab["<|endoftext|>"]) == ([("a", "b")], 258, 0)


# ---- decoding ----


@pytest.mark.parametrize(
    "ids, skip_special, text",
    [
        ([5633], False, " ?"),
        ([88, 318, 5633, 836, 705, 83, 257, 837, 275, 764, 269], False, "y is ? don 't a , b . c"),
        ([87, 14512, 331], False, "x != y"),
        ([50256], True, ""),
        ([15496, 50256, 995], True, "Hello world"),
        ([15496, 50256, 995], False, "Hello<|endoftext|> world"),
        ([], False, ""),
        ([True], False, '"'),
    ],
)
def test_decoding_gives_this_text_and_cleans_nothing_up(
    ids: list, skip_special: bool, text: str, gpt2, hf_gpt2
) -> None:
    assert gpt2.decode(ids, skip_special) == text == hf_gpt2.decode(ids, skip_special_tokens=skip_special)


@pytest.mark.parametrize(
    "ids, parts",
    [
        (
            [71, 2634, 18798, 12520, 97, 115, 8582, 237, 121, 10545, 245, 98],
            ["h", "é", "llo", " ", "", "🤷", "", "", "🏽", " ", "", "日"],
        ),
        ([66, 1878, 2634], ["c", "af", "é"]),
        ([447, 250, 80, 447, 251], ["", "“", "q", "", "”"]),
        ([8582, 64, 64], ["", "\ufffda", "a"]),
    ],
)
def test_a_stream_holds_back_what_is_incomplete_and_only_that(ids: list[int], parts: list[str], gpt2) -> None:
    """Hugging Face's stream also holds back the space of " 🤷"; ours gives each character as soon as it is whole."""
    stream = StreamDecoder(gpt2)
    assert [stream.push(id) for id in ids] == parts
    assert stream.close() == ""
    assert "".join(parts) == gpt2.decode(ids)


# ---- files ----

LETTERS = {symbol: id for id, symbol in enumerate(oracles.ALPHABET)}


def vocab_with(*tokens: str) -> dict[str, int]:
    return {**LETTERS, **{token: 256 + i for i, token in enumerate(tokens)}}


@pytest.mark.parametrize(
    "merges_txt, text, tokens",
    [
        ("#version: 0.2\n# #\n# a\na b\nab c\n", "## #a abc", ["##", "Ġ", "#", "a", "Ġ", "abc"]),
        ("# #\n# a\na b\n", "## #a", ["##", "Ġ", "#", "a"]),
    ],
)
def test_only_a_line_that_starts_with_version_is_a_header(
    merges_txt: str, text: str, tokens: list[str], tmp_path
) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps(vocab_with("ab", "abc", "bc", "Ġa", "##", "#a")), "utf-8")
    (tmp_path / "merges.txt").write_text(merges_txt, "utf-8")
    tokenizer = BPETokenizer.from_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert [tokenizer.id_to_token(id) for id in tokenizer.encode(text)] == tokens


def test_gpt2s_merges_that_begin_with_a_hash_are_all_there(gpt2, gpt2_files) -> None:
    from_files = BPETokenizer.from_gpt2(*gpt2_files)
    assert len(from_files.merges) == len(gpt2.merges) == 50_000
    hashes = [" ".join(pair) for pair in from_files.merges if pair[0].startswith("#")]
    n = "#"
    assert hashes == [
        f"{n} {n}",
        f"{n * 2} {n * 2}",
        f"{n * 4} {n * 4}",
        f"{n * 8} {n * 8}",
        f"{n * 2} {n}",
        f"{n * 16} {n * 16}",
        "# $",
        "#$ #$",
    ]


@pytest.mark.parametrize("merges", [["a b", "ab c"], [["a", "b"], ["ab", "c"]]], ids=["strings", "pairs"])
def test_both_spellings_of_merges_load(merges: list, tmp_path) -> None:
    file = hf_json.document(vocab_with("ab", "abc"), [])
    file["model"]["merges"] = merges
    (tmp_path / "t.json").write_text(json.dumps(file), "utf-8")
    assert BPETokenizer.load(tmp_path / "t.json").encode("abc") == [257] == oracles.hf_of(file).encode("abc").ids


@pytest.mark.parametrize(
    "merges, field",
    [
        (["a b", ["ab", "c"]], r"model\.merges\[1\]"),
        (["a b c"], r"model\.merges\[0\]"),
        (["a  b"], r"model\.merges\[0\]"),
        ([["a", "c"]], r"model\.merges\[0\]"),
        ([["zzz", "c"]], r"model\.merges\[0\]"),
    ],
    ids=str,
)
def test_other_merges_are_refused_as_hugging_face_refuses_them(merges: list, field: str, tmp_path) -> None:
    file = hf_json.document(vocab_with("ab", "abc"), [])
    file["model"]["merges"] = merges
    (tmp_path / "t.json").write_text(json.dumps(file), "utf-8")
    with pytest.raises(ValueError, match=field):
        BPETokenizer.load(tmp_path / "t.json")
    with pytest.raises(Exception, match="."):
        oracles.hf_of(file)


def test_no_merges_at_all_is_a_tokenizer_of_bytes(tmp_path) -> None:
    file = hf_json.document(vocab_with("ab", "abc"), [])
    (tmp_path / "t.json").write_text(json.dumps(file), "utf-8")
    ids = [LETTERS["a"], LETTERS["b"], LETTERS["c"]]
    assert BPETokenizer.load(tmp_path / "t.json").encode("abc") == ids == oracles.hf_of(file).encode("abc").ids

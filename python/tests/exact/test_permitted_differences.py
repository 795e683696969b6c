"""Where this library differs from Hugging Face or tiktoken on purpose: a test for each, with what they do beside what we do.

Everything else is the same; `test_differential.py` looks for the rest.
"""

import json
from collections.abc import Callable

import hf_json
import oracles
import pytest
from tokenizers import AddedToken, models

from tinyllm.tok.bpe import BPETokenizer

LETTERS = {symbol: id for id, symbol in enumerate(oracles.ALPHABET)}
A, B, C = (LETTERS[letter] for letter in "abc")


def small(added=(), **fields) -> dict:
    """A file with the merge (a, b)."""
    return hf_json.document({**LETTERS, "ab": 256}, [("a", "b")], added, **fields)


def load(file: dict, tmp_path) -> BPETokenizer:
    (tmp_path / "tokenizer.json").write_text(json.dumps(file), "utf-8")
    return BPETokenizer.load(tmp_path / "tokenizer.json")


# ---- texts and ids ----


@pytest.mark.parametrize(
    "text, position", [("\ud83d", 0), ("a\udc00b", 1), ("\ud83d\udc4d", 0), ("ok 👍 \udfff", 5)], ids=ascii
)
def test_a_lone_surrogate_is_an_error_that_names_its_position(
    text: str, position: int, gpt2, hf_gpt2, tiktoken_gpt2
) -> None:
    with pytest.raises(ValueError, match=rf"position {position} .*U\+{ord(text[position]):04X}"):
        gpt2.encode(text)
    with pytest.raises(TypeError):  # Hugging Face does not see a str
        hf_gpt2.encode(text)
    assert tiktoken_gpt2.encode(text)  # tiktoken joins the halves of a pair, and a lone one becomes U+FFFD


@pytest.mark.parametrize(
    "ids, complaint",
    [
        ([50257], r"ids\[0\] is 50257"),
        ([64, 99999], r"ids\[1\] is 99999"),
        ([0, -1], r"ids\[1\] is -1"),
        ([2**32], r"ids\[0\] is 4294967296"),
    ],
)
def test_an_id_out_of_range_is_an_error_that_names_id_and_position(
    ids: list, complaint: str, gpt2, hf_gpt2, tiktoken_gpt2
) -> None:
    with pytest.raises(ValueError, match=complaint):
        gpt2.decode(ids)
    with pytest.raises((KeyError, OverflowError)):
        tiktoken_gpt2.decode(ids)
    if 0 <= min(ids) and max(ids) < 2**32:
        assert hf_gpt2.decode(ids) == hf_gpt2.decode([id for id in ids if id < 50257])  # left out in silence


def test_any_iterable_of_integers_is_ids(gpt2, hf_gpt2) -> None:
    assert gpt2.decode(iter([15496, 995])) == "Hello world"
    with pytest.raises(TypeError):
        hf_gpt2.decode(iter([15496, 995]))


# ---- added tokens ----


def test_an_added_token_in_byte_alphabet_characters_decodes_to_its_content() -> None:
    """Hugging Face takes the characters of any token for stand-ins of bytes, those of an added token, too."""
    added = [("<Ġé>", 257, False)]
    tokenizer = BPETokenizer({**LETTERS, "ab": 256}, [("a", "b")], added)
    assert tokenizer.encode("ab<Ġé>") == [256, 257]
    assert tokenizer.decode([256, 257]) == "ab<Ġé>"
    assert tokenizer.decode_bytes([257]) == tokenizer.token_bytes(257) == "<Ġé>".encode()
    assert oracles.hf_of(small(added)).decode([256, 257], skip_special_tokens=False) == "ab< \ufffd>"


def test_a_special_that_is_not_allowed_takes_no_part_in_the_matching(tmp_path) -> None:
    """Hugging Face finds it, then drops the match, and with it every match that it overlapped."""
    added = [("bc", 257, True), ("ca", 258, False)]
    tokenizer = load(small(added), tmp_path)
    assert tokenizer.encode("bca") == [257, A]
    assert tokenizer.encode("bca", allowed_special="none") == [B, 258]
    assert oracles.without_specials(tmp_path / "tokenizer.json").encode("bca").ids == [B, C, A]


def test_the_text_of_a_special_token_is_that_token_unless_it_is_forbidden(gpt2, hf_gpt2, tiktoken_gpt2) -> None:
    text, special, plain = "a<|endoftext|>b", [64, 50256, 65], [64, 27, 91, 437, 1659, 5239, 91, 29, 65]
    assert gpt2.encode(text) == special == hf_gpt2.encode(text, add_special_tokens=False).ids
    assert gpt2.encode(text, allowed_special="none") == plain == tiktoken_gpt2.encode_ordinary(text)
    with pytest.raises(ValueError):
        tiktoken_gpt2.encode(text)


def test_the_longest_added_token_wins_where_tiktoken_takes_any(gpt2) -> None:
    added = [("<|endoftext|>", 50256, True), ("<a>", 50257, True), ("<a><b>", 50258, True)]
    assert BPETokenizer(gpt2.vocab, gpt2.merges, added).encode("<a><b>x") == [50258, 87]


# ---- training ----


def test_specials_are_cut_out_of_the_texts_where_hugging_face_learns_their_text() -> None:
    texts = ["a<|endoftext|>b"] * 5
    assert BPETokenizer.train(texts, 300, specials=["<|endoftext|>"]).merges == []
    learned = oracles.hf_merges(oracles.hf_trained(texts, 300, specials=["<|endoftext|>"]))
    assert ("<", "|") in learned and ("endoft", "ext") in learned


@pytest.mark.parametrize("vocab_size, specials", [(0, 0), (1, 0), (100, 0), (255, 0), (5, 10), (256, 1)])
def test_a_vocabulary_too_small_for_bytes_and_specials_is_an_error(vocab_size: int, specials: int) -> None:
    contents = [f"<s{i}>" for i in range(specials)]
    with pytest.raises(ValueError, match=rf"vocab_size is {vocab_size}; it must be at least {256 + specials}"):
        BPETokenizer.train(["aaa aaa"], vocab_size, specials=contents)
    hf = oracles.hf_trained(["aaa aaa"], vocab_size, specials=contents)
    assert hf.get_vocab_size() == 256 + specials  # no merge, no error


def test_min_freq_0_is_an_error_where_hugging_face_takes_it_for_1() -> None:
    with pytest.raises(ValueError, match="min_freq is 0; it must be at least 1"):
        BPETokenizer.train(["ab"], 300, min_freq=0)
    assert (
        oracles.hf_merges(oracles.hf_trained(["ab"], 300, 0))
        == oracles.hf_merges(oracles.hf_trained(["ab"], 300, 1))
        == [("a", "b")]
    )


# ---- files that Hugging Face loads and we refuse, since loading them would give other ids ----


def change(path: str, value: object) -> Callable[[dict], None]:
    def change_it(file: dict) -> None:
        *way, last = path.split(".")
        for step in way:
            file = file[step]
        file[last] = value

    return change_it


def prefix_space(file: dict) -> None:
    file["pre_tokenizer"] = {**hf_json.BYTE_LEVEL, "add_prefix_space": True}


def two_passes(file: dict) -> None:
    file["added_tokens"][1]["normalized"] = True


def flag(name: str) -> Callable[[dict], None]:
    def set_it(file: dict) -> None:
        file["added_tokens"][0][name] = True

    return set_it


@pytest.mark.parametrize(
    "make, field",
    [
        (change("model.ignore_merges", True), r"model\.ignore_merges is true"),
        (change("model.dropout", 0.5), r"model\.dropout is 0\.5"),
        (change("model.unk_token", "a"), r'model\.unk_token is "a"'),
        (change("model.byte_fallback", True), r"model\.byte_fallback is true"),
        (change("model.fuse_unk", True), r"model\.fuse_unk is true"),
        (change("model.end_of_word_suffix", "b"), r'model\.end_of_word_suffix is "b"'),
        (change("model.unheard_of", 1), r"model\.unheard_of is 1"),
        (change("normalizer", {"type": "NFC"}), r'normalizer is {"type": "NFC"}'),
        (change("pre_tokenizer", None), r"pre_tokenizer is null"),
        (prefix_space, r"pre_tokenizer\.add_prefix_space is true"),
        (change("pre_tokenizer", {"type": "Whitespace"}), r'pre_tokenizer\.type is "Whitespace"'),
        (
            change("truncation", {"max_length": 2, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}),
            r"truncation is",
        ),
        (change("decoder", None), r"decoder is null"),
        (flag("lstrip"), r"added_tokens\[0\]\.lstrip is true"),
        (flag("rstrip"), r"added_tokens\[0\]\.rstrip is true"),
        (flag("single_word"), r"added_tokens\[0\]\.single_word is true"),
        (two_passes, r"added_tokens\[1\]\.normalized is true"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_asks_for_what_we_do_not_do_is_refused_by_name(make, field: str, tmp_path) -> None:
    file = small([("<a>", 257, True), ("<b>", 258, False)])
    load(file, tmp_path)
    make(file)
    oracles.hf_of(file)
    with pytest.raises(ValueError, match=field):
        load(file, tmp_path)


def test_a_template_that_adds_tokens_to_every_text_is_refused(tmp_path) -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<a>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<a>": {"id": "<a>", "ids": [257], "tokens": ["<a>"]}},
    }
    file = small([("<a>", 257, True)], post_processor=template)
    assert oracles.hf_of(file).encode("").ids == [257]
    with pytest.raises(ValueError, match=r'post_processor\.type is "TemplateProcessing"'):
        load(file, tmp_path)


@pytest.mark.parametrize(
    "vocab, complaint",
    [
        ({**LETTERS, "ab": 255}, r"model\.vocab\['ab'\] is 255, and so is model\.vocab|vocab\['ab'\] is 255"),
        ({**LETTERS, "ab": 257}, r"vocab has no token with id 256, but one with id 257"),
    ],
    ids=["an id twice", "a gap"],
)
def test_a_vocabulary_whose_ids_are_not_one_to_one_is_refused(vocab: dict, complaint: str, tmp_path) -> None:
    file = hf_json.document(vocab, [("a", "b")])
    oracles.hf_of(file)
    with pytest.raises(ValueError, match=complaint):
        load(file, tmp_path)


def test_a_merge_listed_twice_is_refused(tmp_path) -> None:
    file = hf_json.document({**LETTERS, "ab": 256}, [("a", "b"), ("a", "b")])
    oracles.hf_of(file)
    with pytest.raises(ValueError, match=r"model\.merges\[1\] is 'a', 'b', which .*merges\[0\] is already"):
        load(file, tmp_path)


def test_an_added_token_with_another_id_than_it_will_have_is_refused(tmp_path) -> None:
    file = small([("<a>", 300, True)])
    assert oracles.hf_of(file).encode("<a>").ids == [257]  # the id in the file is not used
    with pytest.raises(ValueError, match=r"added_tokens\[0\]\.id is 300 for '<a>'; it must be 257"):
        load(file, tmp_path)


def test_a_key_given_twice_is_refused(tmp_path) -> None:
    text = json.dumps(small()).replace('"ab": 256', '"ab": 256, "ab": 256')
    (tmp_path / "tokenizer.json").write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"model\.vocab.*ab.* is there twice"):
        BPETokenizer.load(tmp_path / "tokenizer.json")


def test_a_second_version_line_in_merges_txt_is_no_header(tmp_path) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps({**LETTERS, "ab": 256}), "utf-8")
    (tmp_path / "merges.txt").write_text("#version: 0.2\n#version: 0.2\na b\n", "utf-8")
    with pytest.raises(ValueError, match=r"merges\.txt: line 2"):
        BPETokenizer.from_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt")


def test_a_last_line_that_ends_in_a_carriage_return_alone_is_a_merge(tmp_path) -> None:
    """A file with CRLF line ends that has lost its very last character. Hugging Face takes the "\\r" for a part of the token."""
    (tmp_path / "vocab.json").write_text(json.dumps({**LETTERS, "ab": 256}), "utf-8")
    (tmp_path / "merges.txt").write_bytes(b"#version: 0.2\r\na b\r")
    assert BPETokenizer.from_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt").merges == [("a", "b")]
    with pytest.raises(Exception, match="."):
        models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))


def test_a_byte_order_mark_is_refused_by_both(tmp_path) -> None:
    (tmp_path / "tokenizer.json").write_text("\ufeff" + json.dumps(small()), "utf-8")
    with pytest.raises(ValueError, match=r"tokenizer\.json: not valid JSON: it begins with a byte order mark"):
        BPETokenizer.load(tmp_path / "tokenizer.json")
    with pytest.raises(Exception, match="."):
        oracles.hf_of(tmp_path / "tokenizer.json")


# ---- and what looks like a difference but is none ----


def test_absent_sections_are_null_for_both(tmp_path) -> None:
    file = small()
    for section in ("version", "truncation", "padding", "added_tokens", "normalizer", "post_processor"):
        del file[section]
    del file["model"]["type"]
    assert load(file, tmp_path).encode("abc") == [256, C] == oracles.hf_of(file).encode("abc").ids


def test_a_token_added_to_hugging_face_later_is_one_in_our_list(gpt2) -> None:
    hf = oracles.hf_of(oracles.tokenizer_json("gpt2"))
    assert hf.get_vocab_size() == 50257
    hf.add_tokens([AddedToken("<new>", normalized=False)])
    assert hf.get_vocab_size() == 50258
    hf.add_tokens([AddedToken("hello", normalized=False)])
    assert hf.get_vocab_size() == 50258  # a token of the vocabulary keeps its id
    added = [("<|endoftext|>", 50256, True), ("<new>", 50257, False), ("hello", gpt2.vocab["hello"], False)]
    ours = BPETokenizer(gpt2.vocab, gpt2.merges, added)
    assert ours.vocab_size == 50258
    for text in ("hello<new>hello there", " hello<new>", "othello"):
        assert ours.encode(text) == hf.encode(text).ids

"""CharTokenizer: one id a character, files that Hugging Face reads with the same ids."""

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.char import CharTokenizer

SPECIALS = ["<a>", "<a><b>", "ab", " ", "\n", "[x]*", "日本", "é"]


def changed(content: dict, path: tuple, value: object) -> dict:
    """A copy of `content` with the field at `path` set to `value`."""
    content = copy.deepcopy(content)
    holder = content
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return content


# ---- training ----


def test_characters_come_by_falling_count_then_by_code_point() -> None:
    tokenizer = CharTokenizer.train(["ccc", "ab", "ba", "日é"])
    assert tokenizer.vocab == {"<unk>": 0, "c": 1, "a": 2, "b": 3, "é": 4, "日": 5}


def test_specials_come_after_unk_in_the_order_given() -> None:
    assert CharTokenizer.train(["a"], specials=["<z>", "<b>"]).vocab == {"<unk>": 0, "<z>": 1, "<b>": 2, "a": 3}


def test_specials_are_cut_out_before_counting() -> None:
    assert CharTokenizer.train(["<s>a<s>"], specials=["<s>"]).vocab == {"<unk>": 0, "<s>": 1, "a": 2}


def test_the_text_of_unk_is_cut_out_too() -> None:
    assert CharTokenizer.train(["a<unk>b"]).vocab == {"<unk>": 0, "a": 1, "b": 2}


def test_a_special_of_one_character_has_one_id_and_is_special() -> None:
    tokenizer = CharTokenizer.train(["a|b|"], specials=["|"])
    assert tokenizer.vocab == {"<unk>": 0, "|": 1, "a": 2, "b": 3}
    assert tokenizer.special_ids == {0, 1}


def test_vocab_size_counts_unk_and_the_specials() -> None:
    assert list(CharTokenizer.train(["aab"], vocab_size=3, specials=["<s>"]).vocab) == ["<unk>", "<s>", "a"]
    assert list(CharTokenizer.train(["aab"], vocab_size=2, specials=["<s>"]).vocab) == ["<unk>", "<s>"]
    assert list(CharTokenizer.train(["aab"], vocab_size=99).vocab) == ["<unk>", "a", "b"]


def test_without_texts_there_is_only_unk() -> None:
    tokenizer = CharTokenizer.train([])
    assert tokenizer.vocab == {"<unk>": 0} and tokenizer.encode("ab") == [0, 0]


def test_texts_may_be_any_iterable_and_are_read_once() -> None:
    def texts() -> Iterator[str]:
        yield "ab"
        yield "a"

    assert CharTokenizer.train(texts()).vocab == {"<unk>": 0, "a": 1, "b": 2}


@given(st.lists(st.text("abé日<s>\n", max_size=8), max_size=6))
def test_the_order_of_texts_does_not_matter(texts: list[str]) -> None:
    assert (
        CharTokenizer.train(texts, specials=["<s>"]).vocab
        == CharTokenizer.train(reversed(texts), specials=["<s>"]).vocab
    )


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"vocab_size": 0}, "vocab_size is 0; it must be at least 1"),
        ({"vocab_size": 2, "specials": ["<a>", "<b>"]}, "vocab_size is 2; it must be at least 3"),
        ({"specials": [""]}, "specials has the empty string"),
        ({"specials": ["<a>", "<b>", "<a>"]}, "specials has '<a>', which is a token already"),
        ({"specials": ["<unk>"]}, "specials has '<unk>', which is a token already"),
        ({"specials": ["\ud800"]}, "specials has '.ud800', with a lone surrogate"),
    ],
    ids=lambda value: ascii(value) if isinstance(value, dict) else "",
)
def test_bad_training_arguments_are_value_errors(options: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        CharTokenizer.train(["ab"], **options)


@pytest.mark.parametrize(
    "texts, options, complaint",
    [
        ("ab", {}, "texts must be an iterable of str, not one str"),
        ([1], {}, "text must be a str, not int"),
        (["a"], {"specials": "<s>"}, "specials must be a sequence of str, not the str '<s>'"),
        (["a"], {"specials": [3]}, "specials has 3; a token is a str"),
        (["a"], {"vocab_size": 2.5}, "float"),
    ],
)
def test_arguments_of_another_type_are_type_errors(texts: object, options: dict, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        CharTokenizer.train(texts, **options)


# ---- made from a vocabulary ----


def test_tokens_of_several_characters_are_the_specials() -> None:
    tokenizer = CharTokenizer({"<unk>": 0, "<s>": 1, "a": 2})
    assert (tokenizer.special_ids, tokenizer.unk_id, tokenizer.vocab_size) == ({0, 1}, 0, 3)


@pytest.mark.parametrize(
    "vocab, complaint",
    [
        ({}, "vocab has None as id 0; it must be '<unk>'"),
        ({"a": 0, "<unk>": 1}, "vocab has 'a' as id 0; it must be '<unk>'"),
        ({"<unk>": 0, "": 1}, "vocab has the empty string"),
        ({"<unk>": 0, "a": 2}, "vocab has no token with id 1, but one with id 2"),
        ({"<unk>": 0, "a": 1, "b": 1}, r"vocab\['b'\] is 1, and so is vocab\['a'\]"),
        ({"<unk>": 0, "a": -1}, r"vocab\['a'\] is -1; an id is an integer, 0 or more"),
        ({"<unk>": False}, r"vocab\['<unk>'\] is False; an id is an integer"),
        ({"<unk>": 0, "a": 1.0}, r"vocab\['a'\] is 1.0; an id is an integer"),
        ({"<unk>": 0, "\udfff": 1}, "with a lone surrogate"),
    ],
    ids=ascii,
)
def test_a_vocabulary_that_contradicts_the_rules_is_refused(vocab: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        CharTokenizer(vocab)


def test_a_named_special_must_be_in_the_vocabulary() -> None:
    with pytest.raises(ValueError, match="specials has 'b', which is not in vocab"):
        CharTokenizer({"<unk>": 0, "a": 1}, specials=["b"])


def test_changing_the_vocabulary_given_changes_nothing() -> None:
    vocab = {"<unk>": 0, "a": 1}
    tokenizer = CharTokenizer(vocab)
    vocab["b"] = 2
    assert tokenizer.encode("b") == [0]


# ---- encoding and decoding ----


def test_an_unknown_character_is_id_zero() -> None:
    assert CharTokenizer.train(["ab"]).encode("a日b") == [1, 0, 2]


def test_specials_match_leftmost_then_longest_in_any_order() -> None:
    vocab = {"<unk>": 0, "<a>": 1, "<a><b>": 2, "b>c": 3, "c": 4}
    assert CharTokenizer(vocab).encode("<a><b>c<a>c") == [2, 4, 1, 4]
    reversed_ids = {"<unk>": 0, "<a><b>": 1, "<a>": 2, "b>c": 3, "c": 4}
    assert CharTokenizer(reversed_ids).encode("<a><b>c<a>c") == [1, 4, 2, 4]


def test_specials_are_literal_text_not_patterns() -> None:
    tokenizer = CharTokenizer.train(["ab"], specials=["a.b", "[ab]"])
    assert tokenizer.encode("acb") == [3, 0, 4]
    assert tokenizer.encode("[ab]") == [2]


def test_line_ends_are_characters() -> None:
    assert CharTokenizer.train(["a\nb\r\u2028"]).encode("\n\r\u2028") == [1, 2, 5]


def test_an_unknown_character_decodes_as_unk() -> None:
    tokenizer = CharTokenizer.train(["ab"], specials=["<s>"])
    assert tokenizer.decode(tokenizer.encode("<s>aé")) == "<s>a<unk>"
    assert tokenizer.decode(tokenizer.encode("<s>aé"), skip_special=True) == "a"


@given(st.text())
def test_decode_inverts_encode_on_known_characters(text: str) -> None:
    tokenizer = CharTokenizer.train([text], specials=["<s>"])
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_ids_are_checked() -> None:
    tokenizer = CharTokenizer.train(["a"])
    with pytest.raises(ValueError, match=r"ids\[1\] is 2; this tokenizer has ids 0 to 1"):
        tokenizer.decode([1, 2])
    with pytest.raises(ValueError, match="-1"):
        tokenizer.id_to_token(-1)


def test_tokens_and_ids_are_each_others_inverse() -> None:
    tokenizer = CharTokenizer.train(["ab"], specials=["<s>"])
    assert [tokenizer.id_to_token(id) for id in range(4)] == ["<unk>", "<s>", "a", "b"]
    assert [tokenizer.token_to_id(token) for token in ("<unk>", "<s>", "a", "b", "c", "")] == [0, 1, 2, 3, None, None]
    with pytest.raises(TypeError, match="a token is a str, not int"):
        tokenizer.token_to_id(1)


def test_a_lone_surrogate_is_named_with_its_position() -> None:
    tokenizer = CharTokenizer.train(["a"])
    for call in (tokenizer.encode, lambda text: CharTokenizer.train([text])):
        with pytest.raises(ValueError, match="position 1 is the lone surrogate U[+]DC00"):
            call("a\udc00")


def test_it_is_a_tokenizer_and_can_be_pickled() -> None:
    tokenizer = pickle.loads(pickle.dumps(CharTokenizer.train(["ab"], specials=["|"])))
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.encode_batch(["", "b|"]) == [[], [3, 1]]
    assert tokenizer.special_ids == {0, 1}


# ---- files ----


def saved(tokenizer: CharTokenizer, path: Path) -> dict:
    tokenizer.save(path)
    return json.loads(path.read_text("utf-8"))


def test_the_file_has_no_setting_left_to_a_default(tmp_path) -> None:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    assert saved(CharTokenizer.train(["é"], specials=["<s>"]), tmp_path / "t.json") == {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": 0, "content": "<unk>", **flags}, {"id": 1, "content": "<s>", **flags}],
        "normalizer": None,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "[\\s\\S]"}, "behavior": "Isolated", "invert": False},
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "<s>": 1, "é": 2}, "unk_token": "<unk>"},
    }


@given(st.lists(st.text(max_size=6)), st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=4))
def test_load_inverts_save(tmp_path_factory, texts: list[str], specials: list[str]) -> None:
    specials = [special for special in specials if special != "<unk>"]
    tokenizer = CharTokenizer.train(texts, specials=specials)
    path = tmp_path_factory.mktemp("load") / "t.json"
    tokenizer.save(path)
    loaded = CharTokenizer.load(path)
    assert (loaded.vocab, loaded.special_ids, loaded.unk_id) == (tokenizer.vocab, tokenizer.special_ids, 0)


@pytest.mark.parametrize(
    "path, value, complaint",
    [
        (("version",), "2.0", 'version is "2.0"; it must be "1.0"'),
        (("truncation",), {"max_length": 3}, "truncation is"),
        (("normalizer",), {"type": "NFC"}, 'normalizer is {"type": "NFC"}; it must be null'),
        (("pre_tokenizer",), None, "pre_tokenizer is null; it must be an object"),
        (("pre_tokenizer", "behavior"), "Removed", 'pre_tokenizer.behavior is "Removed"; it must be "Isolated"'),
        (("pre_tokenizer", "pattern"), {"String": "a"}, 'pre_tokenizer.pattern is {"String": "a"}'),
        (("pre_tokenizer", "invert"), 0, "pre_tokenizer.invert is 0; it must be false"),
        (("post_processor",), {"type": "ByteLevel"}, "post_processor is"),
        (("decoder",), None, "decoder is null; it must be an object"),
        (("decoder", "type"), "ByteLevel", 'decoder.type is "ByteLevel"; it must be "Fuse"'),
        (("surprise",), 1, "surprise is 1; this field is not known here"),
        (("model", "type"), "BPE", 'model.type is "BPE"; it must be "WordLevel"'),
        (("model", "unk_token"), "<s>", 'model.unk_token is "<s>"; it must be "<unk>"'),
        (("model", "vocab"), [], "model.vocab is []; it must be an object"),
        (("model", "vocab", "a"), 5, "vocab has no token with id 2"),
        (("model", "vocab", "ab"), 3, "model.vocab['ab'] is no added token"),
        (("added_tokens",), None, "added_tokens is null; it must be a list of objects"),
        (("added_tokens",), [], "model.vocab['<unk>'] is no added token"),
        (("added_tokens", 1), 7, "added_tokens[1] is 7; it must be an object"),
        (("added_tokens", 1, "content"), "<unk>", 'added_tokens[1].content is "<unk>", which is listed already'),
        (("added_tokens", 1, "content"), "b", 'added_tokens[1].content is "b", which model.vocab lacks'),
        (("added_tokens", 1, "content"), ["a"], "added_tokens[1].content is"),
        (("added_tokens", 1, "id"), 2, "added_tokens[1].id is 2; it must be 1"),
        (("added_tokens", 0, "id"), False, "added_tokens[0].id is false; it must be 0"),
        (("added_tokens", 1, "lstrip"), True, "added_tokens[1].lstrip is true; it must be false"),
        (("added_tokens", 1, "special"), False, "added_tokens[1].special is false; it must be true"),
    ],
)
def test_any_other_file_is_refused_by_name_and_field(tmp_path, path: tuple, value: object, complaint: str) -> None:
    content = changed(saved(CharTokenizer.train(["a"], specials=["<s>"]), tmp_path / "good.json"), path, value)
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ValueError) as caught:
        CharTokenizer.load(bad)
    assert str(caught.value).startswith(f"{bad}: ") and complaint in str(caught.value)


def test_a_missing_field_is_refused_by_name(tmp_path) -> None:
    content = saved(CharTokenizer.train(["a"]), tmp_path / "good.json")
    for field in content:
        rest = {name: value for name, value in content.items() if name != field}
        (tmp_path / "bad.json").write_text(json.dumps(rest), "utf-8")
        with pytest.raises(ValueError, match=f"{field} is missing"):
            CharTokenizer.load(tmp_path / "bad.json")


# ---- Hugging Face agrees ----


def pairs_of(tokenizer: CharTokenizer, path: Path) -> tuple:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer.save(path)
    return tokenizer, tokenizers.Tokenizer.from_file(str(path))


def assert_same_as_hf(ours: CharTokenizer, theirs, text: str) -> None:
    ids = ours.encode(text)
    assert ids == theirs.encode(text).ids
    for skip in (False, True):
        assert ours.decode(ids, skip_special=skip) == theirs.decode(ids, skip_special_tokens=skip)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "abba c",
        "xyz",
        "a\nb\r\n\u2028c",
        "<unk>",
        "<s>a<s>",
        "<s",
        "x<a><b>y",
        "日本 é",
        "\x00\U0010ffff🙂",
        "e\u0301",
        "  ",
        "\x85\xa0",
    ],
    ids=ascii,
)
def test_hugging_face_gives_the_same_ids_and_texts(tmp_path, text: str) -> None:
    ours, theirs = pairs_of(
        CharTokenizer.train(["abba c\n日 é\r", "e\u0301"], specials=["<s>", "<a>", "<a><b>", "|"]), tmp_path / "t.json"
    )
    assert_same_as_hf(ours, theirs, text)
    assert [theirs.token_to_id(token) for token in ours.vocab] == list(ours.vocab.values())


def test_hugging_face_agrees_on_any_text_with_hard_specials(tmp_path) -> None:
    ours, theirs = pairs_of(CharTokenizer.train(["<a>b日é \n"], specials=SPECIALS), tmp_path / "t.json")

    @given(st.text(st.sampled_from("<a>b[x]*日本é \n\t\x00🙂") | st.characters(codec="utf-8"), max_size=20))
    def agree(text: str) -> None:
        assert_same_as_hf(ours, theirs, text)

    agree()


def test_we_load_what_hugging_face_saves(tmp_path) -> None:
    ours, theirs = pairs_of(CharTokenizer.train(["abc"], specials=["<s>", "c"]), tmp_path / "ours.json")
    theirs.save(str(tmp_path / "theirs.json"))
    loaded = CharTokenizer.load(tmp_path / "theirs.json")
    assert (loaded.vocab, loaded.special_ids) == (ours.vocab, ours.special_ids)


def test_a_vocabulary_may_have_tokens_that_are_names_of_fields(tmp_path) -> None:
    CharTokenizer.train(["a"], specials=["type", "vocab", "id"]).save(tmp_path / "t.json")
    assert CharTokenizer.load(tmp_path / "t.json").encode("typea") == [1, 4]

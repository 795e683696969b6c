"""Saving: all of a tokenizer, whole or not at all. Hugging Face reads the files in `../exact/`."""

import json
import os
from pathlib import Path

import pytest
from hf_json import SMOLLM2_SPLIT, document

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splits import SPLITS

pytestmark = pytest.mark.fast

VOCAB = {"b": 1, "a": 0, "ab": 3, "<s>": 2, "1": 4}


def parts(tokenizer: BPETokenizer) -> dict:
    names = ("vocab", "merges", "added", "pre_tokenizer", "special_ids", "vocab_size", "unk_id")
    return {name: getattr(tokenizer, name) for name in names}


def saved(tokenizer: BPETokenizer, folder: Path) -> dict:
    tokenizer.save(folder / "tokenizer.json")
    return json.loads((folder / "tokenizer.json").read_text("utf-8"))


def test_what_is_loaded_is_what_was_saved(tmp_path) -> None:
    for declaration in (None, SMOLLM2_SPLIT, *SPLITS):
        tokenizer = BPETokenizer(
            VOCAB, [("a", "b")], [("<t>", 5, False), ("<s>", 2, True), (" é\n", 6, True)], declaration
        )
        tokenizer.save(tmp_path / "tokenizer.json")
        loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
        assert parts(loaded) == parts(tokenizer)
        assert loaded.encode("ab<s>11<t> é\nab") == tokenizer.encode("ab<s>11<t> é\nab") == [3, 2, 4, 4, 5, 6, 3]


def test_saved_again_it_is_the_same_file(tmp_path) -> None:
    tokenizer = BPETokenizer.train(["ab ab", "é é"], 300, specials=["<z>", "<a>"])
    tokenizer.save(tmp_path / "one.json")
    BPETokenizer.load(tmp_path / "one.json").save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_every_field_is_spelled_out(tmp_path) -> None:
    """So that no reader needs to know a default."""
    tokenizer = BPETokenizer(VOCAB, [("a", "b")], [("<t>", 5, False), ("<s>", 2, True)], SMOLLM2_SPLIT)
    assert saved(tokenizer, tmp_path) == document(
        {"a": 0, "b": 1, "<s>": 2, "ab": 3, "1": 4}, ["a b"], [("<s>", 2, True), ("<t>", 5, False)], SMOLLM2_SPLIT
    )


def test_fields_and_tokens_stand_in_order(tmp_path) -> None:
    file = saved(BPETokenizer(VOCAB, [("a", "b")], [("<t>", 5, False), ("<s>", 2, True)]), tmp_path)
    assert list(file) == [
        "version",
        "truncation",
        "padding",
        "added_tokens",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "decoder",
        "model",
    ]
    assert list(file["model"]["vocab"].values()) == [0, 1, 2, 3, 4]
    assert [token["id"] for token in file["added_tokens"]] == [2, 5]


def test_merges_with_spaces_in_their_parts_are_saved_as_pairs(tmp_path) -> None:
    """ "a b" could be read in one way only if no part has a space."""
    tokenizer = BPETokenizer({" ": 0, "a": 1, " a": 2, "a ": 3, "aa": 4}, [("a", "a"), (" ", "a"), ("a", " ")])
    assert saved(tokenizer, tmp_path)["model"]["merges"] == [["a", "a"], [" ", "a"], ["a", " "]]
    assert BPETokenizer.load(tmp_path / "tokenizer.json").merges == tokenizer.merges
    for part in (" ", "a "):
        vocab = {part: 0, "b": 1, part + "b": 2, "b" + part: 3}
        for pair in ((part, "b"), ("b", part)):
            assert saved(BPETokenizer(vocab, [pair]), tmp_path)["model"]["merges"] == [list(pair)]


def test_a_file_is_utf8_with_newlines_and_ends_with_one(tmp_path) -> None:
    BPETokenizer({"é": 0, "Ġ": 1, "日": 2}, []).save(tmp_path / "tokenizer.json")
    content = (tmp_path / "tokenizer.json").read_bytes()
    assert '"é": 0'.encode() in content and '"日"'.encode() in content
    assert content.startswith(b'{\n  "version"') and content.endswith(b"}\n") and b"\r" not in content


def test_tokens_that_json_must_escape_come_back(tmp_path) -> None:
    vocab = {
        token: id
        for id, token in enumerate(
            ['"', "\\", "\\n", "\n", "\x00", "\x7f", "\u2028", "\x85", "/", "\ufeff", "\U0010ffff"]
        )
    }
    tokenizer = BPETokenizer(vocab, [], [('"\\\u2028', len(vocab), True)])
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert (loaded.vocab, loaded.added) == (vocab, tokenizer.added)


def test_a_loaded_tokenizer_can_be_saved_over_itself(tmp_path) -> None:
    tokenizer = BPETokenizer(VOCAB, [("a", "b")])
    tokenizer.save(tmp_path / "tokenizer.json")
    BPETokenizer.load(tmp_path / "tokenizer.json").save(tmp_path / "tokenizer.json")
    assert parts(BPETokenizer.load(tmp_path / "tokenizer.json")) == parts(tokenizer)
    assert os.listdir(tmp_path) == ["tokenizer.json"]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_a_str_or_a_path(kind, tmp_path) -> None:
    path = kind(tmp_path / "tokenizer.json")
    BPETokenizer(VOCAB, []).save(path)
    assert BPETokenizer.load(path).vocab == VOCAB


def test_saving_where_nothing_can_be_saved_is_an_os_error_that_names_the_path(tmp_path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        BPETokenizer(VOCAB, []).save(tmp_path / "none" / "tokenizer.json")
    assert caught.value.filename == str(tmp_path / "none" / "tokenizer.json")
    with pytest.raises(IsADirectoryError):
        BPETokenizer(VOCAB, []).save(tmp_path)
    assert os.listdir(tmp_path) == []


def test_what_a_tokenizer_remembers_is_not_saved(tmp_path) -> None:
    tokenizer = BPETokenizer(VOCAB, [("a", "b")])
    before = saved(tokenizer, tmp_path)
    tokenizer.encode("ab " * 100)
    tokenizer.decode([3])
    assert saved(tokenizer, tmp_path) == before

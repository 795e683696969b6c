"""The course's plain reference and the library: one contract, two programs that share no algorithm, no difference.

`naive.py` checks each algorithm alone; here the two whole classes meet, files and refusals included.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import hard_texts
import oracles
import plain
import pytest
from hf_json import BYTE_LEVEL, SMOLLM2_SPLIT, document

from tinyllm.tok import pretok
from tinyllm.tok.bpe import BPETokenizer

Plain = plain.bpe.BPETokenizer


def outcome(call: Any, *arguments: Any, **named: Any) -> Any:
    """What a call gives, or the kind of error: how two programs word an error is their own affair."""
    try:
        return call(*arguments, **named)
    except (TypeError, ValueError) as error:
        return ValueError if isinstance(error, ValueError) else TypeError


# ---- pre-tokens ----


def test_the_functions_of_pretok_agree_on_every_code_point_up_to_U_3400_and_every_23rd_beyond() -> None:
    every = [*map(chr, range(0x3400)), *map(chr, range(0x3400, 0x110000, 23)), *map(chr, plain.pretok.NEWER_DIGITS)]
    for name in ("is_space", "is_letter", "is_number"):
        here, there = getattr(plain.pretok, name), getattr(pretok, name)
        assert [ch for ch in every if here(ch)] == [ch for ch in every if there(ch)], name


def test_hard_texts_have_the_same_pretokens_and_digits() -> None:
    for number in range(500):
        text = hard_texts.text(Random(f"reference/pretokens/{number}"))
        assert plain.pretok.pretokenize_gpt2(text) == pretok.pretokenize_gpt2(text)
        for individual in (True, False):
            assert plain.pretok.split_digits(text, individual) == pretok.split_digits(text, individual)


# ---- ids ----


@pytest.mark.parametrize("name", oracles.MODELS)
def test_hard_texts_have_the_same_ids_and_come_back_the_same(name: str) -> None:
    here, there = (
        Plain.from_hf_json(oracles.tokenizer_json(name)),
        BPETokenizer.from_hf_json(oracles.tokenizer_json(name)),
    )
    for number in range(200):
        random = Random(f"reference/{name}/{number}")
        text = hard_texts.text(random, list(there.added))
        for allowed in ("all", "none", random.sample(sorted(there.added), 1)):
            ids = there.encode(text, allowed_special=allowed)
            assert here.encode(text, allowed_special=allowed) == ids, text
        for skip in (True, False):
            assert here.decode(ids, skip) == there.decode(ids, skip)
            assert here.decode_bytes(ids[1::2], skip) == there.decode_bytes(ids[1::2], skip)


def test_merge_lists_that_no_trainer_makes_give_the_same_ids() -> None:
    for number in range(200):
        random = Random(f"reference/merges/{number}")
        vocab, merges = hard_texts.merge_list(random)
        here, there = Plain(vocab, merges), BPETokenizer(vocab, merges)
        for _ in range(5):
            text = "".join(random.choices("abc", k=random.randint(0, 14)))
            assert here.encode(text) == there.encode(text), (merges, text)


# ---- training ----


def test_random_corpora_teach_the_same_merges() -> None:
    for number in range(300):
        random = Random(f"reference/training/{number}")
        specials = random.choice(([], ["<s>"], ["ab", "abc"], ["\n'", "é"]))
        texts = hard_texts.corpus(random, length=20)
        arguments = (texts, 256 + random.randint(0, 40), specials, random.randint(0, 3))
        here, there = outcome(Plain.train, *arguments), outcome(BPETokenizer.train, *arguments)
        if isinstance(there, BPETokenizer):
            assert (here.merges, here.vocab, here.added) == (there.merges, there.vocab, there.added), arguments
        else:
            assert here == there, arguments


# ---- files ----

VALUES = (None, True, "x", "#version a", 1, 1.0, [], {}, [["a", "b"]], {"a": 0})
GONE = object()
FILES = {
    "strings": document({"a": 0, "b": 1, "1": 2, "ab": 3}, ["a b"], [("a", 0, True), ("<s>", 4, False)]),
    "pairs": document(
        {"a": 0, "b": 1, "1": 2, "ab": 3}, [["a", "b"]], [("<s>", 4, True)], SMOLLM2_SPLIT, post_processor=BYTE_LEVEL
    ),
}


def places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a document."""
    entries = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(found: Any, path: tuple[Any, ...], value: Any) -> Any:
    found = json.loads(json.dumps(found))
    section = found
    for key in path[:-1]:
        section = section[key]
    if value is GONE:
        del section[path[-1]]
    else:
        section[path[-1]] = value
    return found


@pytest.mark.parametrize("base", FILES)
def test_of_files_with_one_field_changed_both_refuse_the_same(base: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    loaded = 0
    paths = [*places(FILES[base]), ("added_tokens", 0, "rest"), ("model", "rest"), ("rest",)]
    for place in paths:
        for value in (*VALUES, GONE):
            if value is GONE and place[-1] == "rest":
                continue
            path.write_text(json.dumps(changed(FILES[base], place, value)), "utf-8")
            here, there = outcome(Plain.from_hf_json, path), outcome(BPETokenizer.from_hf_json, path)
            if isinstance(there, BPETokenizer):
                loaded += 1
                assert here.encode("ab<s>1a") == there.encode("ab<s>1a"), (place, value)
            else:
                assert here == there, (place, value)
    assert loaded > 20


@pytest.mark.parametrize(
    "merges",
    [
        "",
        "\n",
        "#version\n",
        "#version: 0.2\n# #",
        "# #\n",
        "# #\r\n",
        "# #\n\n",
        "# #\n# #\n",
        " # #",
        "#",
        "# x",
        "\n# #",
        "# #\x85",
    ],
    ids=ascii,
)
def test_of_merges_txt_both_read_and_refuse_the_same(merges: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"#": 0, "##": 1, "<|endoftext|>": 2}', "utf-8")
    (tmp_path / "merges.txt").write_text(merges, "utf-8", newline="")
    here, there = (
        outcome(of.from_gpt2, tmp_path / "vocab.json", tmp_path / "merges.txt") for of in (Plain, BPETokenizer)
    )
    if isinstance(there, BPETokenizer):
        assert (here.merges, here.added, here.special_ids) == (there.merges, there.added, there.special_ids)
    else:
        assert here == there


def test_what_the_reference_saves_the_library_loads_and_the_other_way_round(tmp_path: Path) -> None:
    trained = BPETokenizer.train(["hug hug pug hugs 12"] * 3, 270, ["<s>", "two words"])
    made = BPETokenizer(
        trained.vocab, trained.merges, [("<m>", len(trained.vocab), False), ("<s>", 0, True)], SMOLLM2_SPLIT
    )
    for tokenizer in (trained, made):
        tokenizer.save(tmp_path / "of the library.json")
        here = Plain.load(tmp_path / "of the library.json")
        here.save(tmp_path / "of the reference.json")
        back = BPETokenizer.load(tmp_path / "of the reference.json")
        for name in ("vocab", "merges", "added", "special_ids", "pre_tokenizer", "vocab_size", "unk_id"):
            assert getattr(here, name) == getattr(tokenizer, name) == getattr(back, name), name
        hf = oracles.hf_of(tmp_path / "of the reference.json")
        for text in ("hug<s>pugs 12<m> two words", "é\x04 \n"):
            assert hf.encode(text).ids == here.encode(text) == back.encode(text)


# ---- objects ----


def test_copies_and_pickles_give_the_same_ids_and_share_no_cache() -> None:
    tokenizer = Plain.train(["hug hug pug hugs"], 260, ["<s>"])
    ids = tokenizer.encode("hug <s>pug")
    for other in (copy.copy(tokenizer), copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert other._ids_of == {}
        assert other.encode("hug <s>pug") == ids
    assert len(tokenizer._ids_of) == 3


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain.bpe, "CACHED", 3)
    tokenizer = Plain.train(["ab ab cd cd ef"], 260)
    text = "ab cd ef ab cd xy ab"
    assert tokenizer.encode(text) == BPETokenizer.train(["ab ab cd cd ef"], 260).encode(text)
    assert len(tokenizer._ids_of) <= 3

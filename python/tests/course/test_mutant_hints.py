"""Every hint for a mutant that survived, followed to the letter: the test that it asks for kills the mutant.

The hint stands beside its test: whoever changes one looks at the other.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ol.catalog import Course
from ol.grade import KILLED, SURVIVED, Suite, outcome
from ol.mutants import load_mutants
from ol.sandbox import workshop

pytestmark = pytest.mark.slow  # one run for each mutant

HEAD = """\
import json

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pretok import is_number, is_space, pretokenize_gpt2

HUGS = ["hug", "hug", "pug", "hugs"]
"""
FOLLOWED = {
    "s01": (
        "In the chapter's example the third step is a tie.",
        """assert BPETokenizer.train(HUGS, 259, min_freq=1).merges[2] == ("p", "ug")""",
    ),
    "s02": (
        "Train on xy three times, and on ab and cab, which share a pair.",
        """assert BPETokenizer.train(["xy", "xy", "xy", "ab", "cab"], 257).merges == [("x", "y")]""",
    ),
    "s06": (
        "Train on ab<|end|>ab three times, with the special <|end|>, and look at all merges: none is made of its letters.",
        """assert BPETokenizer.train(["ab<|end|>ab"] * 3, 300, ["<|end|>"]).merges == [("a", "b")]""",
    ),
    "s13": (
        "In the chapter's example (h, ug) has count 3: train with min_freq 3.",
        """assert BPETokenizer.train(HUGS, 300, min_freq=3).merges == [("u", "g"), ("h", "ug")]""",
    ),
    "s21": (
        "How many (a, a) are in aaa? Train on that alone, with min_freq 2.",
        """assert BPETokenizer.train(["aaa"], 300, min_freq=2).merges == [("a", "a")]""",
    ),
    "s22": (
        "Train on abc twice and on bc once: (b, c) is merged first. How often is there still (a, b), and what is merged next?",
        """assert BPETokenizer.train(["abc", "abc", "bc"], 300).merges == [("b", "c"), ("a", "bc")]""",
    ),
    "s26": (
        "Which byte symbol has id 0? Ask the vocabulary, or encode it.",
        """assert BPETokenizer.train([], 256).vocab["!"] == 0""",
    ),
    "s07": (
        "Try U+001C beside punctuation, or ask is_space. It shows in GPT-2's ids, too: two newlines, U+001C, a letter.",
        """assert pretokenize_gpt2("\\x1c!") == ["\\x1c!"]""",
    ),
    "s08": (
        "Put two spaces between two letters, or indent a line of code and encode it.",
        """assert pretokenize_gpt2("a  b") == ["a", " ", " b"]""",
    ),
    "s09": (
        "Put a tab before a letter. It shows in GPT-2's ids, too: a newline, then 'tis.",
        """assert pretokenize_gpt2("\\ta") == ["\\t", "a"]""",
    ),
    "s10": (
        "Shout a contraction: I'LL. It shows in GPT-2's ids, too: O'Reilly.",
        """assert pretokenize_gpt2("I'LL") == ["I", "'", "LL"]""",
    ),
    "s25": (
        "Is ½ a number? Put punctuation behind it.",
        """assert pretokenize_gpt2("½!") == ["½", "!"]""",
    ),
    "s11": (
        "Declare the step, let a merge join two digits, and encode a number.",
        """BPETokenizer({"1": 0, "2": 1, "12": 2}, [("1", "2")]).save("saved.json")
    content = json.loads(open("saved.json", encoding="utf-8").read())
    steps = [{"type": "Digits", "individual_digits": True}, content["pre_tokenizer"]]
    content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    open("digits.json", "w", encoding="utf-8").write(json.dumps(content))
    assert BPETokenizer.from_hf_json("digits.json").encode("12") == [0, 1]""",
    ),
    "s03": (
        "Rank (b, c) before (a, b) and encode abc.",
        """vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}
    assert BPETokenizer(vocab, [("b", "c"), ("a", "b")]).encode("abc") == [0, 4]""",
    ),
    "s04": (
        "Encode an odd number of equal symbols.",
        """assert BPETokenizer({"a": 0, "aa": 1}, [("a", "a")]).encode("aaa") == [1, 0]""",
    ),
    "s05": (
        "Rank (b, c) before (a, b) and encode abc: ab is in the vocabulary, too.",
        """vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}
    assert BPETokenizer(vocab, [("b", "c"), ("a", "b")]).encode("abc") == [0, 4]""",
    ),
    "s12": (
        "Encode a text with a space in it and look at the tokens.",
        """tokenizer = BPETokenizer.train([], 256)
    assert tokenizer.encode("a b") == [tokenizer.vocab[token] for token in ("a", "Ġ", "b")]""",
    ),
    "s15": (
        "Make a tokenizer whose vocabulary has only a few symbols and encode another one.",
        """assert BPETokenizer({"a": 0}, []).encode("b") == []""",
    ),
    "s24": (
        "Encode a text that merges: with a small vocabulary, or after training with a special.",
        """tokenizer = BPETokenizer.train(HUGS, 258, ["<s>"], min_freq=1)
    assert tokenizer.encode("ug") == [tokenizer.vocab["ug"]]""",
    ),
    "s20": (
        "How long is the result for three texts, one of them empty?",
        """assert len(BPETokenizer({"a": 0}, []).encode_batch(["a", "", "a"])) == 3""",
    ),
    "s14": (
        "Add <a> and <a><b>, and encode the longer one.",
        """added = [("<a>", 1, True), ("<a><b>", 2, True)]
    assert BPETokenizer({"a": 0}, [], added).encode("<a><b>") == [2]""",
    ),
    "s27": (
        "Encode what a user typed with allowed_special=\"none\".",
        """tokenizer = BPETokenizer({"<": 0, "s": 1, ">": 2}, [], [("<s>", 3, True)])
    assert tokenizer.encode("<s>", allowed_special="none") == [0, 1, 2]""",
    ),
    "s16": (
        "Decode the ids of a character that is three tokens.",
        """tokenizer = BPETokenizer.train([], 256)
    assert tokenizer.decode(tokenizer.encode("日")) == "日\"""",
    ),
    "s17": (
        "Save and load, then encode the special.",
        """BPETokenizer.train([], 257, ["<s>"]).save("saved.json")
    assert len(BPETokenizer.load("saved.json").encode("<s>")) == 1""",
    ),
    "s18": (
        "Give the ids 0 and 2.",
        """with pytest.raises(ValueError):
        BPETokenizer({"a": 0, "b": 2}, [])""",
    ),
    "s19": (
        "Save a tokenizer, give the file a normalizer, and load it.",
        """BPETokenizer({"a": 0}, []).save("saved.json")
    content = json.loads(open("saved.json", encoding="utf-8").read())
    open("other.json", "w", encoding="utf-8").write(json.dumps({**content, "normalizer": {"type": "Lowercase"}}))
    with pytest.raises(ValueError):
        BPETokenizer.load("other.json")""",
    ),
    "s23": (
        'Write a merges.txt with the line "# #".',
        """open("vocab.json", "w", encoding="utf-8").write('{"#": 0, "##": 1}')
    open("merges.txt", "w", encoding="utf-8").write("#version: 0.2\\n# #\\n")
    assert BPETokenizer.from_gpt2("vocab.json", "merges.txt").merges == [("#", "#")]""",
    ),
}  # fmt: skip


def test_each_hint_followed_to_the_letter_kills_its_mutant(tmp_path: Path) -> None:
    course = Course.load()
    module = course.module("L1.2")
    mutants = load_mutants(course, module)
    assert {mutant.id: mutant.hint for mutant in mutants} == {id: hint for id, (hint, _) in FOLLOWED.items()}
    tests = {id: f"test_{id}" for id in FOLLOWED}
    text = "".join(f"\n\ndef {tests[id]}():\n    {body}\n" for id, (_, body) in FOLLOWED.items())
    (tmp_path / "test_hints.py").write_text(HEAD + text, encoding="utf-8")
    with workshop() as shop:
        suite = Suite.of(shop, course, module, tmp_path)
        clean = suite.run(suite.reference, 60)
        assert outcome(clean) == (SURVIVED, ""), [
            record for record in clean.of("test") if record["outcome"] != "passed"
        ]

        def verdict(mutant: object) -> tuple[str, str]:
            others = [name for id, name in tests.items() if id != mutant.id]  # type: ignore[attr-defined]
            run = suite.run(mutant.apply(suite.reference, module), 60, leave_out=others)  # type: ignore[attr-defined]
            return outcome(run)

        found = dict(zip((mutant.id for mutant in mutants), shop.side_by_side(verdict, mutants, lambda: None)))
    assert found == {id: (KILLED, name) for id, name in tests.items()}

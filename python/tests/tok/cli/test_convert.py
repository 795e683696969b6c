"""`tok convert` and `tok info`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer

# The two files of the GPT-2 release, as tiktoken names them too.
ENCODER_JSON = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
VOCAB_BPE = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
HARD = ["", "Hi 你!", "<|endoftext|>", "a  b\n", "🙂 don't", "x<|endoftext|>  y"]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_gpt2_comes_out_as_openais_files_byte_for_byte(tok: Any, tmp_path: Path) -> None:
    done = tok("convert", "gpt2", "-o", "gpt2")
    report = "ids     50,257\nmerges  50,000\nwrote   gpt2/vocab.json, gpt2/merges.txt\n\nNext: tok info gpt2\n"
    assert done == (0, report.encode(), "")
    assert sorted(path.name for path in (tmp_path / "gpt2").iterdir()) == ["merges.txt", "vocab.json"]
    assert sha256(tmp_path / "gpt2" / "vocab.json") == ENCODER_JSON
    assert sha256(tmp_path / "gpt2" / "merges.txt") == VOCAB_BPE


def test_there_and_back_keeps_the_ids_and_hugging_face_agrees_on_both_ways(tok: Any, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tok("convert", "gpt2", "-o", "two")
    done = tok("convert", "two/vocab.json", "two/merges.txt", "-o", "one.json")
    assert done == (0, b"ids     50,257\nmerges  50,000\nwrote   one.json\n\nNext: tok info one.json\n", "")
    ours = BPETokenizer.load(tmp_path / "one.json")
    file = tokenizers.Tokenizer.from_file(str(tmp_path / "one.json"))
    files = tokenizers.ByteLevelBPETokenizer(str(tmp_path / "two" / "vocab.json"), str(tmp_path / "two" / "merges.txt"))
    files.add_special_tokens(["<|endoftext|>"])
    for text in HARD:
        assert ours.encode(text) == file.encode(text).ids == files.encode(text).ids


def test_an_end_of_text_outside_the_vocabulary_is_written_into_it(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({"a": 0}, [], [("<|endoftext|>", 1, True)]).save(tmp_path / "one.json")
    assert tok("convert", "one.json", "-o", "two").status == 0
    assert (tmp_path / "two" / "vocab.json").read_text() == '{"a": 0, "<|endoftext|>": 1}'
    assert (tmp_path / "two" / "merges.txt").read_text() == "#version: 0.2\n"
    assert BPETokenizer.from_gpt2(tmp_path / "two" / "vocab.json", tmp_path / "two" / "merges.txt").encode(
        "a<|endoftext|>"
    ) == [0, 1]


LOST = "GPT-2's two files cannot say so, and without it the ids would be others"
DIGITS = {
    "type": "Sequence",
    "pretokenizers": [{"type": "Digits", "individual_digits": True}, BPETokenizer({}, []).pre_tokenizer],
}


@pytest.mark.parametrize(
    ("tokenizer", "reason"),
    [
        (BPETokenizer({}, [], [("<s>", 0, True)]), f"added_tokens has '<s>'; {LOST}"),
        (
            BPETokenizer({}, [], [("<|endoftext|>", 0, False)]),
            f"added_tokens has '<|endoftext|>' that is not special; {LOST}",
        ),
        (BPETokenizer({"<|endoftext|>": 0}, []), f"model.vocab has '<|endoftext|>', which is no added token; {LOST}"),
        (BPETokenizer({}, [], (), DIGITS), f"pre_tokenizer is Digits, then ByteLevel, not ByteLevel alone; {LOST}"),
        (
            BPETokenizer.train([], 256, pre_tokenizer="cl100k"),
            f"pre_tokenizer is Split, then ByteLevel, not ByteLevel alone; {LOST}",
        ),
        (
            BPETokenizer({"a": 0, " ": 1, "a ": 2}, [("a", " ")]),
            f'model.merges[0] is ["a", " "], with white space in a token; {LOST}',
        ),
        (
            BPETokenizer({"a": 0, "\r": 1, "a\r": 2}, [("a", "\r")]),
            f'model.merges[0] is ["a", "\\r"], with white space in a token; {LOST}',
        ),
        (ByteTokenizer(), f"model.type makes it a ByteTokenizer; {LOST}"),
        (CharTokenizer.train(["a"]), f"model.type makes it a CharTokenizer; {LOST}"),
    ],
    ids=["other special", "not special", "not added", "digits", "cl100k", "space", "line end", "byte", "char"],
)
def test_what_the_two_files_cannot_hold_is_refused_by_name(
    tokenizer: Any, reason: str, tok: Any, tmp_path: Path
) -> None:
    tokenizer.save(tmp_path / "one.json")
    assert tok("convert", "one.json", "-o", "two") == (2, b"", f"tok: one.json: {reason}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]


def test_a_sequence_of_byte_level_alone_is_byte_level(tok: Any, tmp_path: Path) -> None:
    alone = {"type": "Sequence", "pretokenizers": [BPETokenizer({}, []).pre_tokenizer]}
    BPETokenizer({"a": 0}, [], (), alone).save(tmp_path / "one.json")
    assert tok("convert", "one.json", "-o", "two").status == 0


def test_old_files_in_the_folder_are_replaced_and_others_left_alone(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({"a": 0}, []).save(tmp_path / "one.json")
    (tmp_path / "two").mkdir()
    for name in ("vocab.json", "merges.txt", "notes"):
        (tmp_path / "two" / name).write_text("old")
    assert tok("convert", "one.json", "-o", "two").status == 0
    assert {path.name: path.read_text() for path in (tmp_path / "two").iterdir()} == {
        "vocab.json": '{"a": 0}',
        "merges.txt": "#version: 0.2\n",
        "notes": "old",
    }


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_an_interruption_never_leaves_a_new_vocabulary_beside_old_merges(
    failing: int, tok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    BPETokenizer({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).save(tmp_path / "one.json")
    (tmp_path / "two").mkdir()
    old = {"vocab.json": '{"b": 0, "a": 1, "ab": 2}', "merges.txt": "a b\n"}
    for name, content in old.items():
        (tmp_path / "two" / name).write_text(content)
    from tinyllm.tok.cli import convert

    steps = 0

    def interrupted(step: Any) -> Any:
        def run(*paths: Any, **options: Any) -> None:
            nonlocal steps
            steps += 1
            if steps == failing:
                raise KeyboardInterrupt
            step(*paths, **options)

        return run

    real_unlink, real_replace = convert.os.unlink, convert.os.replace

    class Os:
        """The module `os` with the steps that touch the folder's own files interrupted."""

        def __getattr__(self, name: str) -> Any:
            return {"unlink": interrupted(real_unlink), "replace": interrupted(real_replace)}.get(name) or getattr(
                __import__("os"), name
            )

    monkeypatch.setattr(convert, "os", Os())
    assert tok("convert", "one.json", "-o", "two").status == 130
    found = {path.name: path.read_text() for path in (tmp_path / "two").iterdir()}
    new = '{"a": 0, "b": 1, "ab": 2}'
    assert found == [old, {"vocab.json": old["vocab.json"]}, {"vocab.json": new}][failing - 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["one.json", "-o", "two.json"],
            "-o two.json looks like a file; one tokenizer.json becomes a folder with vocab.json and merges.txt",
        ),
        (["one.json", "-o", "one.json"], "-o one.json looks like a file; "),
        (["one.json", "-o", "file"], "file: File exists"),
        (["one.json", "-o", "file/two"], "file/two: Not a directory"),
        (["vocab", "merges", "-o", "."], "-o . is a folder; two files become one FILE, the tokenizer.json"),
        (["vocab", "merges", "-o", "none/one.json"], "{folder}/none: there is no such folder to write into"),
        (["vocab", "merges", "-o", "vocab"], "-o would write over vocab, which is read; name another file"),
        (["vocab", "merges", "-o", "./merges"], "-o would write over merges, which is read; name another file"),
        (["two/vocab.json", "-o", "two"], "-o would write over two/vocab.json, which is read; name another file"),
        (["vocab", "merges", "-o", ""], "-o is empty; name a file"),
        (["one.json", "-o", ""], "-o is empty; name a folder"),
        (["vocab", "merges", "-o", "-"], "-o - is not standard output"),
        (["vocab", "none", "-o", "new.json"], "none: No such file or directory"),
        (
            ["vocab", "bad", "-o", "new.json"],
            'bad: line 2: merges[0] is "a b c"; it must be two tokens separated by one space',
        ),
        (["a", "b", "c", "-o", "new.json"], "3 files; give two, VOCAB MERGES, or one tokenizer.json"),
        (["none.json", "-o", "two"], "'none.json' is no file, and no bundled tokenizer; those are gpt2, smollm2"),
        (["one.json"], "Missing option '-o' / '--out'."),
    ],
)
def test_wrong_input_is_one_line_and_status_2_and_nothing_is_written(
    arguments: list[str], message: str, tok: Any, tmp_path: Path
) -> None:
    BPETokenizer({"a": 0}, []).save(tmp_path / "one.json")
    for name, content in {"file": "", "vocab": '{"a": 0}', "merges": "", "bad": "#version: 0.2\na b c\n"}.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "two").mkdir()
    BPETokenizer({"a": 0}, []).save(tmp_path / "two" / "vocab.json")  # a tokenizer.json by another name
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = tok("convert", *arguments)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"tok: {message.format(folder=tmp_path)}") and done.err.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# tok info


def test_info_tells_what_a_file_holds(tok: Any, tmp_path: Path) -> None:
    BPETokenizer.train(["hug hug"], 260, ["<s>", "<t>"]).save(tmp_path / "one.json")
    assert tok("info", "one.json") == (
        0,
        b"""\
file           one.json
class          BPETokenizer
ids            260
merges         2
split          ByteLevel
bytes          each has a token
longest token  3 symbols: hug
added tokens   0 <s>
               1 <t>

Next: tok encode --tokenizer one.json --tokens "Hi there"
""",
        "",
    )


def test_info_tells_which_bytes_are_lost_and_how_texts_are_split(tok: Any) -> None:
    done = tok("info", "smollm2")
    assert (
        "bytes          21 have no token and are dropped: 04 06 13 14 16 1D C0 C1 F1 F2 F5 F6 F7 F8 F9 FA FB FC FD FE FF\n"
        in done.text
    )
    assert "split          Digits, then ByteLevel\n" in done.text
    assert "               16 <empty_output>\n" in done.text


def test_info_tells_of_the_other_kinds_too(tok: Any, tmp_path: Path) -> None:
    ByteTokenizer().save(tmp_path / "byte.json")
    CharTokenizer.train(["ab"]).save(tmp_path / "char.json")
    assert tok("info", "byte.json").text.startswith(
        "file          byte.json\nclass         ByteTokenizer\nids           256\nadded tokens  none\n"
    )
    assert tok("info", "char.json").text.startswith(
        "file          char.json\nclass         CharTokenizer\nids           3\nadded tokens  0 <unk>\n"
    )


def test_info_tells_the_parts_of_any_models_file_in_words(tok: Any, tmp_path: Path) -> None:
    BPETokenizer.train(["hug hug"], 260, ["<s>", "<t>"]).save(tmp_path / "one.json")
    found = json.loads((tmp_path / "one.json").read_text("utf-8"))
    found["normalizer"] = {"type": "Lowercase"}
    found["post_processor"] = {"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["<t>", 1]}
    (tmp_path / "two.json").write_text(json.dumps(found), "utf-8")
    assert (
        tok("info", "two.json").text
        == """\
file            two.json
class           Pipeline
ids             260
normalizer      lower case
added tokens    2, 2 of them special; 2 found before normalizing
pre-tokenizer   GPT-2's split, bytes as stand-ins
model           BPE with 260 tokens and 2 merges
truncation      none
post-processor  '<s>' before, '<t>' behind
padding         none
decoder         stand-ins read as bytes
their ids       0 <s>
                1 <t>

Next: tok encode --tokenizer two.json --tokens "Hi there"
"""
    )


def test_info_marks_added_tokens_that_are_not_special(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({"a": 0}, [], [("<m>", 1, False)]).save(tmp_path / "one.json")
    assert "added tokens   1 <m> (not special)\n" in tok("info", "one.json").text


def test_info_prints_no_control_character_of_a_vocabulary_or_a_name(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({"\x1b[2J": 0}, [], [("\u202eevil\x07", 1, True)]).save(tmp_path / "\x1b[1m.json")
    done = tok("info", "\x1b[1m.json")
    assert "\x1b" not in done.text and "\u202e" not in done.text and "\x07" not in done.text
    assert "file           \\x1b[1m.json\n" in done.text
    assert "longest token  4 symbols: \\x1b[2J\n" in done.text
    assert "added tokens   1 \\u202eevil\\x07\n" in done.text


def test_a_tokenizer_with_nothing_in_it_can_be_looked_at(tok: Any, tmp_path: Path) -> None:
    BPETokenizer({}, []).save(tmp_path / "one.json")
    assert json.loads((tmp_path / "one.json").read_text())["model"]["vocab"] == {}
    assert "ids            0\nmerges         0\n" in tok("info", "one.json").text

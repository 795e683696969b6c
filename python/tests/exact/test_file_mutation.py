"""A file with one thing wrong gives Hugging Face's ids or a ValueError that names the thing: never other ids, never another error.

Every node of a tokenizer.json is in turn removed, doubled, renamed, retyped, changed; so is every line of the two GPT-2 files.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import hard_texts
import hf_json
import oracles
import pytest
from mutated_json import DOUBLED, mutants, names

from tinyllm.tok.bpe import BPETokenizer

VOCAB = {token: id for id, token in enumerate([*"ab12é", "<u>", "Ġ", "Ċ", "Ã", "©", "ab", "Ġa", "Ġab", "12", "Ã©"])}
MERGES = [("a", "b"), ("Ġ", "a"), ("Ġ", "ab"), ("1", "2"), ("Ã", "©")]
ADDED = [("<u>", 5, False), ("<s>", 15, True), ("<s>a", 16, True)]
DOCUMENTS = {
    "plain": hf_json.document(VOCAB, MERGES, ADDED),
    "digits": hf_json.document(VOCAB, MERGES, ADDED, hf_json.SMOLLM2_SPLIT, post_processor=hf_json.BYTE_LEVEL),
    "merges as strings": hf_json.document(VOCAB, map(" ".join, MERGES), ADDED),
}

PROBES = [
    *(
        "",
        "a",
        "ab",
        " ab",
        "ab ab",
        "  ab",
        "12",
        "1a2 12",
        "é",
        "aéb",
        "<s>",
        "<s>ab",
        "<s>a b",
        "<u><u>",
        "a<u>1<s>\n",
        "\n\nab\n",
    ),
    *(hard_texts.text(Random(seed), ["<s>", "<u>", "<s>a"], most=6) for seed in range(8)),
]


def ids_of_hugging_face(text: str) -> list[list[int]] | None:
    try:
        tokenizer = oracles.hf_of(json.loads(text)) if DOUBLED in text else oracles.tokenizers.Tokenizer.from_str(text)
        return [tokenizer.encode(probe).ids for probe in PROBES]
    except BaseException as error:  # a panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_field_of_a_tokenizer_json(name: str, tmp_path) -> None:
    wrong, counts = [], {"the same ids": 0, "refused": 0}
    file = tmp_path / "tokenizer.json"
    for done, path, text in mutants(DOCUMENTS[name]):
        file.write_text(text, "utf-8")
        what = f"{'.'.join(map(str, path))} {done}"
        try:
            tokenizer = BPETokenizer.load(file)
        except ValueError as error:
            counts["refused"] += 1
            message = str(error)
            about = message.removeprefix(f"{file}: ")
            if message == about:
                wrong.append(f"{what}: the error does not name the file: {message}")
            elif not any(about.startswith(field) for field in names(path)) and not (
                done == "has another name" and path[-1] in about
            ):
                wrong.append(f"{what}: the error names something else: {about}")
            continue
        except BaseException as error:
            wrong.append(f"{what}: {type(error).__name__}: {error}")
            continue
        counts["the same ids"] += 1
        found = [tokenizer.encode(probe) for probe in PROBES]
        if (right := ids_of_hugging_face(text)) != found:
            wrong.append(f"{what}: loads, and Hugging Face {'does not' if right is None else 'gives other ids'}")
    assert wrong == []
    assert counts["refused"] > 1900 and counts["the same ids"] > 20


def lines_changed(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(what was done, the lines) for every line in turn."""
    for i, line in enumerate(lines):
        before, after = lines[:i], lines[i + 1 :]
        yield f"line {i + 1} removed", [*before, *after]
        yield f"line {i + 1} twice", [*before, line, line, *after]
        yield f"line {i + 1} first", [line, *before, *after]
        yield f"line {i + 1} last", [*before, *after, line]
        yield f"an empty line before line {i + 1}", [*before, "", line, *after]
        for other in ("", " ", "# a comment", "#version: 0.2", "a", "a b c", "zz b", "b a", "é b"):
            yield f"line {i + 1} is {other!r}", [*before, other, *after]
        for change in ("{} ", " {}", "{}x", "x{}", "{}\r", "\ufeff{}", "{}\t"):
            yield f"line {i + 1} is {change!r}", [*before, change.format(line), *after]
        yield f"line {i + 1} with two spaces", [*before, line.replace(" ", "  "), *after]
        yield f"line {i + 1} with a tab", [*before, line.replace(" ", "\t"), *after]
        yield f"line {i + 1} without its space", [*before, line.replace(" ", ""), *after]


def ids_by_hugging_faces_loader(vocab: Path, merges: Path) -> list[list[int]] | None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    try:
        tokenizer = Tokenizer(models.BPE.from_file(str(vocab), str(merges)))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return None
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return [tokenizer.encode(probe).ids for probe in PROBES]


@pytest.mark.parametrize("header", ["#version: 0.2", None], ids=["with a header", "without"])
def test_every_line_of_a_merges_txt(header: str | None, tmp_path) -> None:
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text(json.dumps(VOCAB), "utf-8")
    lines = [*([header] if header else []), *(" ".join(pair) for pair in MERGES)]
    wrong, counts = [], {"the same ids": 0, "refused": 0}
    for done, changed in lines_changed(lines):
        for end in ("\n", ""):
            merges.write_bytes(("\n".join(changed) + end).encode())
            try:
                tokenizer = BPETokenizer.from_gpt2(vocab, merges)
            except ValueError as error:
                counts["refused"] += 1
                if not str(error).startswith(f"{merges}: line "):
                    wrong.append(f"{done}: the error names no line: {error}")
                continue
            except BaseException as error:
                wrong.append(f"{done}: {type(error).__name__}: {error}")
                continue
            counts["the same ids"] += 1
            found = [tokenizer.encode(probe) for probe in PROBES]
            right = ids_by_hugging_faces_loader(vocab, merges)
            if right is None and changed[-1].endswith("\r") and not end:
                continue  # a permitted difference
            if right != found:
                wrong.append(f"{done}: loads, and Hugging Face {'does not' if right is None else 'gives other ids'}")
    assert wrong == []
    assert counts["refused"] > 50 and counts["the same ids"] > 10


def test_every_entry_of_a_vocab_json(tmp_path) -> None:
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    merges.write_text("".join(f"{left} {right}\n" for left, right in MERGES), "utf-8")
    wrong, counts = [], {"the same ids": 0, "refused": 0}
    for done, path, text in mutants(VOCAB):
        vocab.write_text(text, "utf-8")
        try:
            tokenizer = BPETokenizer.from_gpt2(vocab, merges)
        except ValueError as error:
            counts["refused"] += 1
            if not str(error).startswith((f"{vocab}: ", f"{merges}: line ")):
                wrong.append(f"{path} {done}: the error names no file: {error}")
            continue
        except BaseException as error:
            wrong.append(f"{path} {done}: {type(error).__name__}: {error}")
            continue
        counts["the same ids"] += 1
        if ids_by_hugging_faces_loader(vocab, merges) != [tokenizer.encode(probe) for probe in PROBES]:
            wrong.append(f"{path} {done}: loads with other ids than Hugging Face's")
    assert wrong == []
    assert counts["refused"] > 300


def test_every_cut_of_a_tokenizer_json_is_refused(tmp_path) -> None:
    text = json.dumps(DOCUMENTS["digits"], indent=1)
    for end in range(0, len(text), 7):
        (tmp_path / "tokenizer.json").write_text(text[:end], "utf-8")
        with pytest.raises(ValueError, match=r"tokenizer\.json: not valid JSON"):
            BPETokenizer.load(tmp_path / "tokenizer.json")


def test_every_flipped_byte_of_a_tokenizer_json_gives_the_same_ids_or_an_error(tmp_path) -> None:
    """What no field-wise change thinks of: a damaged disk."""
    content = json.dumps(DOCUMENTS["digits"]).encode()
    file, random, wrong = tmp_path / "tokenizer.json", Random(1), []
    for _ in range(1000):
        at = random.randrange(len(content))
        damaged = content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]
        file.write_bytes(damaged)
        try:
            tokenizer = BPETokenizer.load(file)
        except ValueError:
            continue
        if ids_of_hugging_face(damaged.decode()) != [tokenizer.encode(probe) for probe in PROBES]:
            wrong.append(damaged[max(0, at - 30) : at + 30])
    assert wrong == []

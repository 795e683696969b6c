"""course/ports/bpe.mjs, run by Node, against the oracles, against this library, and against what it must refuse."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hf_json import document

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.explain import to_json, trace_encode
from tinyllm.tok.unicode16 import category

COURSE = Path(__file__).resolve().parents[3] / "course"
ENCODE = COURSE / "ports" / "encode.mjs"
PAGE_TRACE = COURSE.parent / "python" / "tinyllm" / "tok" / "explain" / "page_assets" / "trace.js"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(
    NODE is None, reason="no Node here (`node` is not on the PATH), so the port to JavaScript is not run"
)


def node(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", *map(str, arguments)], input=stdin, capture_output=True, encoding="utf-8", timeout=300
    )


def run_on(name: object, texts: list[str], *options: str) -> list[list[int]]:
    """The ids that the port gives to texts."""
    done = node(ENCODE, name, *options, stdin="".join(json.dumps({"text": text}) + "\n" for text in texts))
    assert done.stderr == ""
    lines = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert [line["text"] for line in lines] == texts
    return [line["ids"] for line in lines]


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_the_oracles_lines_come_out_as_they_are(name: str) -> None:
    oracle = (COURSE / "fixtures" / name / "oracle.jsonl").read_bytes().decode("utf-8")
    assert len(oracle.split("\n")) == 301
    done = node(ENCODE, name, stdin=oracle)
    assert (done.stderr, done.stdout == oracle) == ("", True)


def test_special_none_makes_specials_ordinary_text(gpt2: BPETokenizer, smollm2: BPETokenizer) -> None:
    for name, tokenizer in (("gpt2", gpt2), ("smollm2", smollm2)):
        texts = [
            json.loads(line)["text"]
            for line in (COURSE / "fixtures" / name / "oracle.jsonl").read_text("utf-8").split("\n")[:-1]
        ]
        assert run_on(name, texts, "--special", "none") == [
            tokenizer.encode(text, allowed_special="none") for text in texts
        ]


def test_classes_are_those_of_unicode_16_whatever_node_carries(gpt2: BPETokenizer) -> None:
    # Each kind of each category, and every code point that some Python or some Node classes otherwise.
    classes = json.loads((COURSE / "fixtures" / "unicode16" / "classes.json").read_text("utf-8"))
    edges = {
        code
        for kind in ("L", "N", "space", "digits_extra", "version_dependent")
        for first, last in classes[kind]
        for code in (first - 1, first, last, last + 1)
    }
    texts = [
        f"a{chr(code)}1{chr(code)} {chr(code)}b\n{chr(code)}"
        for code in sorted(edges)
        if 0 <= code < 0x110000 and category(chr(code)) != "Cs"
    ]
    assert len(texts) > 1500
    assert run_on("gpt2", texts) == [gpt2.encode(text) for text in texts]


def test_runs_of_digits_when_digits_are_not_individual(tmp_path: Path) -> None:
    split = {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": False}, BPETokenizer({}, []).pre_tokenizer],
    }
    tokenizer = BPETokenizer({"1": 0, "Ġ": 1, "11": 2, "Ġ1": 3}, [("Ġ", "1"), ("1", "1")], pre_tokenizer=split)
    tokenizer.save(tmp_path / "digits.json")
    assert run_on(tmp_path / "digits.json", ["11 11"]) == [tokenizer.encode("11 11")] == [[2, 1, 2]]


def test_added_tokens_match_leftmost_then_longest_and_names_of_methods_are_tokens_too(tmp_path: Path) -> None:
    added = [("<a>", 3, True), ("<a><b>", 4, False), ("constructor", 5, False), ("__proto__", 6, False)]
    tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2}, [("a", "b")], added)
    tokenizer.save(tmp_path / "added.json")
    texts = ["<a><b>", "<a>ab<a", "constructor__proto__ab", "toString"]
    for special in ("all", "none"):
        assert run_on(tmp_path / "added.json", texts, "--special", special) == [
            tokenizer.encode(text, allowed_special=special) for text in texts
        ]


def test_merges_that_no_trainer_makes_come_one_at_a_time(tmp_path: Path) -> None:
    tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2, "aba": 3}, [("ab", "a"), ("a", "b")])
    tokenizer.save(tmp_path / "merges.json")
    assert run_on(tmp_path / "merges.json", ["ababab", "abab"]) == [[3, 1, 2], [3, 1]]


def test_decoding_joins_bytes_first_and_keeps_a_leading_mark_and_wrong_calls_are_told_so(tmp_path: Path) -> None:
    script = tmp_path / "decode.mjs"
    script.write_text(
        f"""import {{ readFileSync }} from "node:fs";
import {{ BPETokenizer }} from {json.dumps(str(COURSE / "ports" / "bpe.mjs"))};
const read = (path) => JSON.parse(readFileSync(path, "utf-8"));
const tokenizer = new BPETokenizer(read(process.argv[2]), read(process.argv[3]));
for (const text of ["Hi 你!", "\\ufeff\\ufeffa", "🙂<|endoftext|>"]) if (tokenizer.decode(tokenizer.encode(text)) !== text) throw new Error(text);
const wrong = [
  () => tokenizer.decode([50257]), () => tokenizer.decode([0, "0"]), () => tokenizer.decode("x"), () => tokenizer.decode(),
  () => tokenizer.encode("a\\ud800"), () => tokenizer.encode("a", {{ special: ["x"] }}), () => tokenizer.encode(3),
];
for (const call of wrong) try {{ call(); console.log("no error"); }} catch (error) {{ console.log(`${{error.name}}: ${{error.message}}`); }}
""",
        "utf-8",
    )
    done = node(
        script, COURSE / "fixtures" / "gpt2" / "tokenizer.json", COURSE / "fixtures" / "unicode16" / "classes.json"
    )
    assert (done.stderr, done.stdout.splitlines()) == (
        "",
        [
            "Error: 50257 is no id; there are 0 to 50256",
            'Error: "0" is no id; there are 0 to 50256',
            'TypeError: ids is "x"; it must be an array of integers',
            "TypeError: ids is missing; it must be an array of integers",
            "Error: text is not valid Unicode: a lone surrogate at position 1",
            'Error: special has "x", which is no added token here',
            "TypeError: text is 3; it must be a string",
        ],
    )


def changed(path: str, value: Any) -> Any:
    """A small tokenizer.json with one field changed; the value "DELETE" removes it."""
    file: Any = document({"<s>": 0, "a": 1, "b": 2, "ab": 3}, ["a b"], [("<s>", 0, True)])
    *way, last = path.split(".")
    place = file
    for step in way:
        place = place[int(step)] if step.isdigit() else place[step]
    if value == "DELETE":
        del place[last]
    else:
        place[last] = value
    return file


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("normalizer", {"type": "NFC"}, "normalizer"),
        ("truncation", {"max_length": 5}, "truncation"),
        ("surprise", 1, "surprise"),
        ("post_processor", {"type": "TemplateProcessing"}, "post_processor"),
        ("decoder", {"type": "WordPiece"}, "decoder"),
        ("pre_tokenizer", None, "pre_tokenizer"),
        ("pre_tokenizer", {"type": "Whitespace"}, "pre_tokenizer"),
        ("pre_tokenizer.add_prefix_space", True, "pre_tokenizer.add_prefix_space"),
        ("pre_tokenizer.use_regex", False, "pre_tokenizer.use_regex"),
        ("model.type", "Unigram", "model.type"),
        ("model.dropout", 0.1, "model.dropout"),
        ("model.unk_token", "<unk>", "model.unk_token"),
        ("model.byte_fallback", True, "model.byte_fallback"),
        ("model.ignore_merges", True, "model.ignore_merges"),
        ("model.continuing_subword_prefix", "##", "model.continuing_subword_prefix"),
        ("model.merges", ["a b", "a b"], "model.merges[1]"),
        ("model.merges", ["b b"], "model.merges[0]"),
        ("model.merges", ["a b b"], "model.merges[0]"),
        ("model.merges", ["a b", ["b", "a"]], "model.merges[1]"),
        ("model.merges", ["#version 0"], "model.merges[0]"),
        ("model.vocab", ["a"], "model.vocab"),
        ("model.vocab.ab", 4, 'model.vocab["ab"]'),
        ("model.vocab.ab", 2, 'model.vocab["ab"]'),
        ("model.vocab.ab", "3", 'model.vocab["ab"]'),
        ("added_tokens", None, "added_tokens"),
        ("added_tokens.0.lstrip", True, "added_tokens[0].lstrip"),
        ("added_tokens.0.id", 7, "added_tokens[0].id"),
        ("added_tokens.0.normalized", "DELETE", "added_tokens[0].normalized"),
    ],
)
def test_what_the_port_does_not_do_is_refused_by_the_name_of_the_field(
    path: str, value: Any, named: str, tmp_path: Path
) -> None:
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(changed(path, value)), "utf-8")
    with pytest.raises(ValueError):
        BPETokenizer.from_hf_json(file)
    done = node(ENCODE, file, stdin='{"text": "ab"}\n')
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"encode.mjs: {file}: {named}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("normalizer", {"type": "NFC"}, 'normalizer is {"type":"NFC"}; it must be null'),
        ("decoder", None, "decoder is null; it must be an object"),
        (
            "post_processor",
            {"type": "TemplateProcessing", "single": []},
            'post_processor.type is "TemplateProcessing"; it must be "ByteLevel"',
        ),
        ("pre_tokenizer.use_regex", False, "pre_tokenizer.use_regex is false; it must be true"),
        (
            "pre_tokenizer",
            {"type": "Sequence", "pretokenizers": [{"type": "Split"}, {"type": "ByteLevel"}]},
            'pre_tokenizer.pretokenizers[0].type is "Split"; it must be "Digits"',
        ),
        ("added_tokens.0.lstrip", "DELETE", "added_tokens[0].lstrip is missing; it must be false"),
        ("surprise", "x" * 100, f'surprise is "{"x" * 56}...; this port does not know the field'),
        ("model.continuing_subword_prefix", "##", 'model.continuing_subword_prefix is "##"; it must be null or ""'),
    ],
)
def test_a_refused_field_is_told_with_what_was_met_and_what_is_known(
    path: str, value: Any, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(changed(path, value)), "utf-8")
    done = node(ENCODE, file, stdin='{"text": "ab"}\n')
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"encode.mjs: {file}: {message}\n")


OBJECT = 'it must be an object with one "text" that is a string, as in {"text": "Hi"}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"Text": "Hi"}', OBJECT),
        (b'{"text": null}', OBJECT),
        (b'{"text": ["Hi"]}', OBJECT),
        (b"null", OBJECT),
        (b'["Hi"]', OBJECT),
        (b'{"text": "a\\ud800"}', "text is not valid Unicode: a lone surrogate at position 1"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b"", "not JSON: "),
        (b'{"text": "\x1b', "not JSON: "),
    ],
)
def test_a_bad_line_stops_it_with_its_number_on_one_line(line: bytes, reason: str) -> None:
    stdin = b'{"text": "!"}\n' + line + b'\n{"text": "!"}\n'
    done = subprocess.run(["node", ENCODE, "gpt2"], input=stdin, capture_output=True, timeout=300)
    error = done.stderr.decode("utf-8")
    assert (done.returncode, done.stdout) == (2, b'{"text": "!", "ids": [0]}\n')
    assert error.startswith(f"encode.mjs: standard input, line 2: {reason}")
    assert error.count("\n") == 1 and error[:-1].isprintable()


def test_a_last_line_needs_no_end() -> None:
    assert node(ENCODE, "gpt2", stdin='{"text": "!"}').stdout == '{"text": "!", "ids": [0]}\n'


def test_an_unknown_name_is_told_the_names() -> None:
    done = node(ENCODE, "gpt3")
    message = "encode.mjs: gpt3 is no file; there are gpt2, smollm2, or the path of a tokenizer.json\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_the_unchanged_file_is_read_and_one_of_only_the_fields_that_must_be_there(tmp_path: Path) -> None:
    whole = changed("version", "1.0")
    needed = {key: whole[key] for key in ("added_tokens", "pre_tokenizer", "model")}
    needed["decoder"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    needed["model"] = {key: whole["model"][key] for key in ("type", "vocab", "merges")}
    for file in (whole, needed):
        (tmp_path / "file.json").write_text(json.dumps(file), "utf-8")
        assert run_on(tmp_path / "file.json", ["ab<s>a"]) == [[3, 0, 1]]


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_a_live_pages_trace_is_this_librarys_trace(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    tokenizer: BPETokenizer = request.getfixturevalue(name)
    script = tmp_path / "trace.mjs"
    script.write_text(
        (COURSE / "ports" / "bpe.mjs").read_text("utf-8")
        + PAGE_TRACE.read_text("utf-8")
        + """
import { readFileSync } from "node:fs";
const read = (path) => JSON.parse(readFileSync(path, "utf-8"));
const tokenizer = new BPETokenizer(read(process.argv[2]), read(process.argv[3]));
for (const line of readFileSync(0, "utf-8").split("\\n").filter(Boolean)) console.log(JSON.stringify(traceEncode(tokenizer, JSON.parse(line).text, "all")));
""",
        "utf-8",
    )
    texts = [
        json.loads(line)["text"]
        for line in (COURSE / "fixtures" / name / "oracle.jsonl").read_text("utf-8").split("\n")[:-1]
    ][::3]
    done = node(
        script,
        COURSE / "fixtures" / name / "tokenizer.json",
        COURSE / "fixtures" / "unicode16" / "classes.json",
        stdin="".join(json.dumps({"text": text}) + "\n" for text in texts),
    )
    assert done.stderr == ""
    for text, line in zip(texts, done.stdout.split("\n")):
        assert json.loads(line) == json.loads(to_json(trace_encode(tokenizer, text)))


def test_a_live_pages_trace_lists_the_unused_rules_of_a_small_table(tmp_path: Path) -> None:
    tokenizer = BPETokenizer(
        {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "ca": 5, "aa": 6}, [("a", "b"), ("b", "c"), ("c", "a"), ("a", "a")]
    )
    tokenizer.save(tmp_path / "small.json")
    script = tmp_path / "small.mjs"
    script.write_text(
        (COURSE / "ports" / "bpe.mjs").read_text("utf-8")
        + PAGE_TRACE.read_text("utf-8")
        + """
import { readFileSync } from "node:fs";
const read = (path) => JSON.parse(readFileSync(path, "utf-8"));
console.log(JSON.stringify(traceEncode(new BPETokenizer(read(process.argv[2]), read(process.argv[3])), "abcab ab", "all")));
""",
        "utf-8",
    )
    done = node(script, tmp_path / "small.json", COURSE / "fixtures" / "unicode16" / "classes.json")
    assert json.loads(done.stdout) == json.loads(to_json(trace_encode(tokenizer, "abcab ab")))

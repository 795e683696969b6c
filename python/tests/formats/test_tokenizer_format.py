"""The first part of course/formats/tokenizer.md and its schema against the loaders, and both against Hugging Face.

The first part is the chapter's: what it says of BPE is what `BPETokenizer.from_hf_json` promises. What `pretrained.load` reads
besides is the second part, and `test_pipeline_format.py` has its tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hf_json import BYTE_LEVEL, SMOLLM2_SPLIT, document

from tinyllm.tok import pretrained
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.char import CharTokenizer
from tinyllm.tok.jsonfile import read_json
from tinyllm.tok.splits import CHOICES, SPLITS
from tinyllm.tok.unigram import UnigramTokenizer

jsonschema = pytest.importorskip("jsonschema")

FORMATS = Path(__file__).resolve().parents[3] / "course" / "formats"
PAGE = (FORMATS / "tokenizer.md").read_text("utf-8")
SCHEMA = json.loads((FORMATS / "tokenizer-json.schema.json").read_text("utf-8"))
EXAMPLE = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])

BASE = document(
    {"<s>": 0, "a": 1, "b": 2, "Ġ": 3, "1": 4, "ab": 5, "Ġab": 6},
    ["a b", "Ġ ab"],
    [("<s>", 0, True), ("<m>", 7, False)],
    post_processor={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
)
SPLIT = BPETokenizer.train([], 256, pre_tokenizer="cl100k").pre_tokenizer
BASES = {
    "gpt2": BASE,
    "digits": {**BASE, "pre_tokenizer": SMOLLM2_SPLIT, "model": {**BASE["model"], "merges": [["a", "b"], ["Ġ", "ab"]]}},
    "split": {**BASE, "pre_tokenizer": SPLIT, "post_processor": None},
}
TEXTS = [
    "",
    "ab",
    " ab",
    "ab  ab\n",
    "<s>ab<m> ab",
    "a<s>",
    "11 1ab",
    "aXb",
    "a<mab",
    "<S> <M> AB",
    "  <m>  ",
    "ab" * 9,
    "'s ab's",
]


def with_field(path: tuple[str | int, ...], value: Any, base: dict[str, Any] = BASE) -> dict[str, Any]:
    """`base` with one field replaced, or added."""
    changed = json.loads(json.dumps(base))
    target = changed
    for step in path[:-1]:
        target = target[step]  # type: ignore[index]
    target[path[-1]] = value  # type: ignore[index]
    return changed


def without_field(path: tuple[str | int, ...], base: dict[str, Any] = BASE) -> dict[str, Any]:
    """`base` with one field left out."""
    changed = json.loads(json.dumps(base))
    target = changed
    for step in path[:-1]:
        target = target[step]  # type: ignore[index]
    del target[path[-1]]  # type: ignore[arg-type]
    return changed


def fits_schema(found: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(found))


def written(folder: Path, found: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found), "utf-8")
    return path


def load(path: Path) -> Any:
    """The tokenizer of a file of the first part: for BPE the chapter's class, which refuses what the second part reads besides."""
    try:
        kind = read_json(path)["model"]["type"]
    except (ValueError, TypeError, KeyError):  # whatever it is, it is not of another kind
        kind = "BPE"
    return BPETokenizer.from_hf_json(path) if kind == "BPE" else pretrained.load(path)


def refusal(path: Path) -> str | None:
    """What the loader says against a file, without the file's name; None if it loads."""
    try:
        load(path)
    except ValueError as error:
        assert str(error).startswith(f"{path}: ")
        return str(error).removeprefix(f"{path}: ")
    return None


# The page


def test_the_pages_example_loads_with_the_pages_ids_and_hugging_face_agrees(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    ours = load(written(tmp_path, EXAMPLE))
    hf = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text, ids in [("ab abab<|endoftext|>", [3, 4, 3, 5]), ("ba", [1, 0]), ("aXb", [3])]:
        shown = text.replace("|", "\\|")
        assert f"| `{shown}` | {' '.join(map(str, ids))} |" in PAGE
        assert ours.encode(text) == ids
        assert hf.encode(text).ids == ids


def test_the_pages_messages_are_the_loaders(tmp_path: Path) -> None:
    assert (
        refusal(written(tmp_path, with_field(("normalizer",), {"type": "NFC"})))
        == 'normalizer is {"type": "NFC"}; it must be null'
    )
    lacking = with_field(("model", "vocab"), {"a": 0, "b": 1}, without_field(("added_tokens",)))
    assert (
        refusal(written(tmp_path, lacking)) == "model.merges[0] is 'a', 'b', but the vocabulary lacks its result 'ab'"
    )
    for path in ("normalizer is", "model.merges[0] is 'a', 'b', but"):
        assert f"tokenizer.json: {path}" in PAGE


# The schema


def test_the_schema_is_valid_and_so_is_the_pages_example() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(EXAMPLE, SCHEMA, jsonschema.Draft202012Validator)


def test_what_save_writes_the_schema_the_page_and_the_sweeps_name_the_same_fields(tmp_path: Path) -> None:
    """Or a field could be added in one of these places and be forgotten in the others."""
    BPETokenizer({"a": 0}, [], [("<s>", 1, True)]).save(tmp_path / "tokenizer.json")
    saved = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))
    of_bpe = PAGE.partition("## Byte-level BPE")[2].partition("\n## ")[0]
    tables = [
        {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
        for table in re.findall(r"(?:^\|.*\n)+", of_bpe, re.MULTILINE)
    ]
    places = {
        "": (saved, BASE, SCHEMA["$defs"]["bpe"]["properties"]),
        "added_tokens": (
            saved["added_tokens"][0],
            BASE["added_tokens"][0],
            SCHEMA["$defs"]["added_token"]["properties"],
        ),
        "model": (saved["model"], BASE["model"], SCHEMA["$defs"]["bpe_model"]["properties"]),
    }
    for table, (where, (written_there, swept, in_schema)) in zip(tables, places.items(), strict=True):
        assert set(written_there) == set(swept) == set(in_schema) == table, where


@pytest.mark.parametrize("name", pretrained.NAMES)
def test_the_real_files_fit_the_schema(name: str) -> None:
    path = pretrained.path_of(name)
    jsonschema.validate(json.loads(Path(path).read_text("utf-8")), SCHEMA, jsonschema.Draft202012Validator)


SPACED = BPETokenizer({"a": 0, " ": 1, "a ": 2}, [("a", " ")])
SAVED = {
    "bpe": BPETokenizer.train(["hug hug pug"], 258, min_freq=1),
    "bpe with specials": BPETokenizer.train(["hug hug"], 260, ["<s>", "two words"], min_freq=1),
    "bpe with other added tokens": BPETokenizer({"a": 0}, [], [("<m>", 1, False), ("a", 0, True)]),
    "bpe with a space in a merge": SPACED,
    "bpe of nothing": BPETokenizer({}, []),
    "bpe with digits": BPETokenizer({"a": 0}, [], (), SMOLLM2_SPLIT),
    **{f"bpe with {name}": BPETokenizer.train(["hug hug"], 257, pre_tokenizer=name) for name in SPLITS},
    "char": CharTokenizer.train(["hug"], specials=["<s>", "u"]),
    "char of nothing": CharTokenizer.train([]),
    "byte": ByteTokenizer(),
    "unigram": UnigramTokenizer.train(["hug hug pug hugs"] * 3, 260, ["<s>"]),
    **{
        f"unigram with {name}": UnigramTokenizer.train(["hug hug pug hugs"] * 3, 259, pre_tokenizer=name)
        for name in CHOICES
    },
}


def test_the_schema_lists_the_patterns_of_the_table() -> None:
    declared = [split.declaration["pretokenizers"][:-1] for split in SPLITS.values() if split.declaration != BYTE_LEVEL]
    alone = [steps[0]["pattern"]["Regex"] for steps in declared if len(steps) == 1]
    assert sorted(SCHEMA["$defs"]["pattern"]["properties"]["Regex"]["enum"]) == sorted(alone)
    sequences = SCHEMA["$defs"]["pre_tokenizer"]["anyOf"][-1]["properties"]["pretokenizers"]["anyOf"]
    in_order = [[item.get("const") for item in sequence["prefixItems"][:-1]] for sequence in sequences]
    assert [steps for steps in in_order if None not in steps and steps] == [
        steps for steps in declared if len(steps) > 1
    ]


@pytest.mark.parametrize("tokenizer", SAVED.values(), ids=SAVED)
def test_what_save_writes_fits_the_schema(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    jsonschema.validate(
        json.loads((tmp_path / "tokenizer.json").read_text("utf-8")), SCHEMA, jsonschema.Draft202012Validator
    )


# Refusals by literal value: what is changed, what the loader says, and whether the schema refuses it too

TEMPLATE = {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}
REFUSED = [
    (with_field(("version",), "2.0"), 'version is "2.0"; it must be "1.0"', True),
    (with_field(("truncation",), {"max_length": 8}), 'truncation is {"max_length": 8}; it must be null', True),
    (with_field(("padding",), {}), "padding is {}; it must be null", True),
    (with_field(("colour",), 1), "colour is 1; this field is not known here", True),
    (with_field(("normalizer",), {"type": "NFC"}), 'normalizer is {"type": "NFC"}; it must be null', True),
    (with_field(("added_tokens",), {}), "added_tokens is {}; it must be a list of objects", True),
    (with_field(("added_tokens",), None), "added_tokens is null", True),
    (without_field(("added_tokens", 1, "lstrip")), "added_tokens[1].lstrip is missing; it must be false", True),
    (
        without_field(("added_tokens", 1, "normalized")),
        "added_tokens[1].normalized is missing; it must be true or false",
        True,
    ),
    (
        with_field(("added_tokens", 1, "single_word"), True),
        "added_tokens[1].single_word is true; it must be false",
        True,
    ),
    (with_field(("added_tokens", 1, "lstrip"), True), "added_tokens[1].lstrip is true; it must be false", True),
    (with_field(("added_tokens", 1, "rstrip"), True), "added_tokens[1].rstrip is true; it must be false", True),
    (
        with_field(("added_tokens", 1, "normalized"), True),
        "added_tokens[1].normalized is true, but that of added_tokens[0] is not",
        False,
    ),
    (with_field(("added_tokens", 1, "special"), 1), "added_tokens[1].special is 1; it must be true or false", True),
    (
        with_field(("added_tokens", 1, "id"), 8),
        "added_tokens[1].id is 8 for '<m>'; it must be 7, the next free id",
        False,
    ),
    (
        with_field(("added_tokens", 0, "id"), 7),
        "added_tokens[0].id is 7 for '<s>'; it must be 0, its id in the vocabulary",
        False,
    ),
    (
        with_field(("added_tokens", 1, "content"), ""),
        "added_tokens[1].content is empty; it would match everywhere",
        True,
    ),
    (
        with_field(("added_tokens", 1, "content"), "<s>"),
        "added_tokens[1].content is '<s>', which is listed already",
        False,
    ),
    (with_field(("pre_tokenizer",), None), "pre_tokenizer is null", True),
    (without_field(("pre_tokenizer",)), "pre_tokenizer is null", True),
    (
        with_field(("pre_tokenizer", "add_prefix_space"), True),
        "pre_tokenizer.add_prefix_space is true; it must be false",
        True,
    ),
    (with_field(("pre_tokenizer", "use_regex"), False), "pre_tokenizer.use_regex is false; it must be true", True),
    (without_field(("pre_tokenizer", "trim_offsets")), "pre_tokenizer.trim_offsets is missing", True),
    (
        with_field(("pre_tokenizer",), {"type": "Whitespace"}),
        'pre_tokenizer.type is "Whitespace"; it must be "ByteLevel"',
        True,
    ),
    (
        without_field(("pre_tokenizer", "pretokenizers", 0, "individual_digits"), BASES["digits"]),
        "pre_tokenizer.pretokenizers[0].individual_digits is missing; it must be true or false",
        True,
    ),
    (with_field(("pre_tokenizer", "pretokenizers"), [], BASES["digits"]), "pre_tokenizer.pretokenizers is []", True),
    (
        with_field(("pre_tokenizer", "pretokenizers", 0, "pattern", "Regex"), "\\s+", BASES["split"]),
        'pre_tokenizer.pretokenizers[0].pattern.Regex is "\\\\s+"; ',
        True,
    ),
    (
        with_field(("pre_tokenizer", "pretokenizers", 0, "pattern"), {"String": "b"}, BASES["split"]),
        'pre_tokenizer.pretokenizers[0].pattern.String is "b"; this field is not known here',
        True,
    ),
    (
        with_field(("pre_tokenizer", "pretokenizers", 0, "invert"), True, BASES["split"]),
        "pre_tokenizer.pretokenizers[0].invert is true with behavior Isolated",
        True,
    ),
    (
        with_field(("pre_tokenizer", "pretokenizers", 1, "use_regex"), True, BASES["split"]),
        "pre_tokenizer.pretokenizers[1].use_regex is true; it must be false",
        True,
    ),
    (with_field(("post_processor",), TEMPLATE), "post_processor.", True),
    (with_field(("decoder",), None), "decoder is null; it must be an object", True),
    (without_field(("decoder",)), "decoder is null; it must be an object", True),
    (with_field(("decoder",), {"type": "Fuse"}), 'decoder.type is "Fuse"; it must be "ByteLevel"', True),
    (without_field(("model",)), "model is missing", True),
    (with_field(("model", "type"), "WordPiece"), 'model.type is "WordPiece"', True),
    (with_field(("model", "dropout"), 0.5), "model.dropout is 0.5; it must be null", True),
    (with_field(("model", "dropout"), 0.0), "model.dropout is 0.0; it must be null", True),
    (with_field(("model", "unk_token"), "a"), 'model.unk_token is "a"; it must be null', True),
    (
        with_field(("model", "continuing_subword_prefix"), "##"),
        'model.continuing_subword_prefix is "##"; it must be null or ""',
        True,
    ),
    (
        with_field(("model", "end_of_word_suffix"), "</w>"),
        'model.end_of_word_suffix is "</w>"; it must be null or ""',
        True,
    ),
    (with_field(("model", "fuse_unk"), True), "model.fuse_unk is true; it must be false", True),
    (with_field(("model", "byte_fallback"), True), "model.byte_fallback is true; it must be false", True),
    (with_field(("model", "ignore_merges"), True), "model.ignore_merges is true; it must be false", True),
    (with_field(("model", "colour"), 1), "model.colour is 1; this field is not known here", True),
    (without_field(("model", "vocab")), "model.vocab is missing", True),
    (without_field(("model", "merges")), "model.merges is missing", True),
    (
        with_field(("model", "vocab", "b"), 9),
        "model.vocab has no token with id 2, but one with id 9; ids must have no gap",
        False,
    ),
    (
        with_field(("model", "vocab", "b"), 1),
        "model.vocab['b'] is 1, and so is vocab['a']; an id belongs to one token",
        False,
    ),
    (with_field(("model", "vocab", "b"), 2.0), "model.vocab['b'] is 2.0; an id is an integer", False),
    (
        with_field(("model", "merges", 0), "a  b"),
        'model.merges[0] is "a  b"; it must be two tokens separated by one space',
        True,
    ),
    (
        with_field(("model", "merges", 0), "a b b"),
        'model.merges[0] is "a b b"; it must be two tokens separated by one space',
        True,
    ),
    (
        with_field(("model", "merges", 0), ["a", "b"]),
        'model.merges[1] is "\\u0120 ab", but the first is ["a", "b"]',
        True,
    ),
    (
        with_field(("model", "merges", 0), "a X"),
        "model.merges[0] is 'a', 'X', but the vocabulary lacks its right part 'X'",
        False,
    ),
    (
        with_field(("model", "merges", 0), "b a"),
        "model.merges[0] is 'b', 'a', but the vocabulary lacks its result 'ba'",
        False,
    ),
    (with_field(("model", "merges", 1), "a b"), "model.merges[1] is 'a', 'b', which merges[0] is already", False),
]


@pytest.mark.parametrize(("found", "message", "schema_too"), REFUSED, ids=[message for _, message, _ in REFUSED])
def test_what_is_outside_the_subset_is_refused_by_the_name_of_its_field(
    found: Any, message: str, schema_too: bool, tmp_path: Path
) -> None:
    said = refusal(written(tmp_path, found))
    assert said is not None and said.startswith(message)
    assert fits_schema(found) is not schema_too


def test_a_merge_string_that_starts_with_version_is_refused_since_hugging_face_leaves_it_out(tmp_path: Path) -> None:
    vocab = {"#version": 0, "s": 1, "#versions": 2}
    found = with_field(
        ("model",), {"type": "BPE", "vocab": vocab, "merges": ["#version s"]}, without_field(("added_tokens",))
    )
    said = refusal(written(tmp_path, found))
    assert said is not None and said.startswith('model.merges[0] is "#version s"')
    assert not fits_schema(found)
    found["model"]["merges"] = [["#version", "s"]]
    assert refusal(written(tmp_path, found)) is None
    assert fits_schema(found)


def test_a_merge_that_starts_with_version_is_saved_so_that_hugging_face_has_it(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    spelled = "#versions"
    parts = {symbol: id for id, symbol in enumerate(sorted(set(spelled)))}
    grown = [spelled[:length] for length in range(2, len(spelled) + 1)]
    vocab = {**parts, **{token: len(parts) + i for i, token in enumerate(grown)}}
    tokenizer = BPETokenizer(vocab, [(token[:-1], token[-1]) for token in grown], (), SPLIT)
    tokenizer.save(tmp_path / "tokenizer.json")
    hf = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert tokenizer.encode(spelled) == hf.encode(spelled).ids == [vocab["#versions"]]


# Every field changed, removed, repeated: either Hugging Face's ids, or a refusal that names the field

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**40, 0.0, 1.0, 0.5),
    *("", "a", "1.0", "ab", "ByteLevel", "Sequence", "Removed", "a b"),
    *([], {}, [1], ["a", "b"], [["a", "b"]], {"a": 1}, {"String": "b"}, {"Regex": "b"}),
    *({"type": "ByteLevel"}, {"type": "NFC"}, {"type": "Whitespace"}, {"type": "WordPiece"}, BYTE_LEVEL),
]


def paths(found: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every field, outer ones first."""
    for step in found if isinstance(found, dict) else range(len(found)) if isinstance(found, list) else ():
        yield path + (step,)
        yield from paths(found[step], path + (step,))


def changes(base: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Each path with each file in which it is removed, is another value, or has another field beside it."""
    for path in paths(base):
        yield path, without_field(path, base)
        for value in VALUES:
            yield path, with_field(path, value, base)
        if isinstance(path[-1], str) and path[:-1] != ("model", "vocab"):
            yield path[:-1] + ("colour",), with_field(path[:-1] + ("colour",), None, base)


def names_field(message: str, path: tuple[str | int, ...]) -> bool:
    """Whether a refusal names this path, or another field of the same object, which may be the one that contradicts it."""
    start = re.match(r"[\w.\[\]]*", message)[0]  # type: ignore[index]
    if path[0] == "added_tokens":  # tokens are compared with each other, and with the vocabulary
        return start.startswith("added_tokens")
    if path[:2] in (("model", "vocab"), ("model", "merges")):  # a token may be missed in either, or by an added token
        return start.startswith(("model.vocab", "model.merges", "added_tokens"))
    if path[0] == "pre_tokenizer":  # what a step may be depends on the other step
        return start.startswith("pre_tokenizer")
    parent = ".".join(map(str, path[:-1])).replace(".0", "[0]").replace(".1", "[1]")
    return start.startswith(parent) if parent else start.split(".")[0] == path[0]


# The second and third file differ from the first in these sections only.
@pytest.mark.parametrize(
    ("name", "sections"), [("gpt2", BASE), ("digits", ["pre_tokenizer", "model"]), ("split", ["pre_tokenizer"])]
)
def test_any_one_change_gives_hugging_faces_ids_or_a_refusal_that_names_the_field(
    name: str, sections: Any, tmp_path: Path
) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    accepted = refused = 0
    for path, found in changes(BASES[name]):
        if path[0] not in sections:
            continue
        file = written(tmp_path, found)
        said = refusal(file)
        if said is not None:
            assert names_field(said, path), (path, said)
            refused += 1
            continue
        assert fits_schema(found), path
        ours, hf = load(file), tokenizers.Tokenizer.from_file(str(file))
        for text in TEXTS:
            assert ours.encode(text) == hf.encode(text).ids, (path, found, text)
            assert ours.decode(ours.encode(text)) == hf.decode(ours.encode(text), skip_special_tokens=False), (
                path,
                found,
                text,
            )
        accepted += 1
    assert accepted > 5 and refused > 300


def test_a_key_that_is_there_twice_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    text = json.dumps(BASE)
    keys = re.findall(r'"(\w+|<s>|Ġ\w*|\\u0120\w*)": ', text)
    places = [match.start() for match in re.finditer(r'"[^"]*": ', text)]
    assert len(places) == len(keys) == 52
    for place in places:
        key = re.match(r'"[^"]*": ', text[place:])[0]  # type: ignore[index]
        said = refusal(written(tmp_path, text[:place] + key + "null, " + text[place:]))
        assert said is not None and re.fullmatch(r"\S+ is there twice; a key may appear once", said), key


@pytest.mark.parametrize(
    ("text", "message"),
    {
        "nothing": ("", "not valid JSON: Expecting value"),
        "cut off": (json.dumps(BASE)[:-1], "not valid JSON: "),
        "more behind the end": (json.dumps(BASE) + "x", "not valid JSON: Extra data"),
        "byte order mark": ("\ufeff" + json.dumps(BASE), "not valid JSON: it begins with a byte order mark"),
        "NaN": (json.dumps(with_field(("model", "dropout"), float("nan"))), "not valid JSON: NaN is not a JSON number"),
        "half a pair": (json.dumps(with_field(("added_tokens", 1, "content"), "\ud800")), "not valid Unicode: "),
        "a list": ("[1]", "the file is [1]; it must be an object"),
        "too deep": ("[" * 100_000, "not a tokenizer file: it is nested too deep to read"),
    }.values(),
)
def test_what_is_no_json_object_is_refused(text: str, message: str, tmp_path: Path) -> None:
    said = refusal(written(tmp_path, text))
    assert said is not None and said.startswith(message)


def the_first_of_each_list(found: Any) -> Any:
    """`found` without most of its vocabulary: to change one of 300 like entries is as good as to change them all."""
    if isinstance(found, dict):
        return {key: the_first_of_each_list(value) for key, value in found.items()}
    return [the_first_of_each_list(value) for value in found[:2]] if isinstance(found, list) else found


@pytest.mark.parametrize("name", ["char", "unigram", "byte"])
def test_of_the_other_kinds_any_change_is_refused_or_gives_hugging_faces_ids(name: str, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    SAVED[name].save(tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text("utf-8"))
    accepted = refused = 0
    for path in paths(the_first_of_each_list(saved)):
        for found in [without_field(path, saved), *(with_field(path, value, saved) for value in VALUES)]:
            file = written(tmp_path, found)
            if refusal(file) is not None:
                refused += 1
                continue
            accepted += 1
            assert fits_schema(found), path
            if found["model"]["type"] != "Byte":  # which Hugging Face does not have
                ours, hf = load(file), tokenizers.Tokenizer.from_file(str(file))
                for text in ["", "hug", " hugs pug", "<s>ug<s>", "<unk>xu", "gggg"]:
                    assert ours.encode(text) == hf.encode(text).ids, (path, found, text)
    assert accepted > {"byte": -1}.get(name, 5) and refused > 25


# What the page says about Hugging Face


@pytest.mark.parametrize(
    "found",
    {
        "another key": with_field(("colour",), 1),
        "added_tokens null": with_field(("added_tokens",), None),
        "a flag missing": without_field(("added_tokens", 0, "lstrip")),
        "merges in two ways": with_field(("model", "merges", 0), ["a", "b"]),
        "a decoder without trim_offsets": without_field(("decoder", "trim_offsets")),
        "a byte order mark": "\ufeff" + json.dumps(BASE),
    }.values(),
)
def test_hugging_face_refuses_too(found: Any, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    with pytest.raises(Exception):  # noqa: B017 - it has no class of its own
        tokenizers.Tokenizer.from_file(str(written(tmp_path, found)))
    assert refusal(tmp_path / "tokenizer.json") is not None


@pytest.mark.parametrize(
    ("found", "text", "ids"),
    [
        (with_field(("model", "colour"), 1), "ab", [5]),
        (json.dumps(BASE).replace('"a": 1', '"a": 2, "a": 1'), "a", [1]),
        (with_field(("model", "ignore_merges"), True), "ab", [5]),
        (with_field(("added_tokens", 1, "rstrip"), True), "<m> a", [7, 1]),
        (with_field(("normalizer",), {"type": "Lowercase"}), "AB", [5]),
    ],
    ids=["another key", "a key twice", "ignore_merges", "rstrip", "normalizer"],
)
def test_hugging_face_accepts_what_is_refused_here(found: Any, text: str, ids: list[int], tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    hf = tokenizers.Tokenizer.from_file(str(written(tmp_path, found)))
    assert hf.encode(text).ids == ids
    assert refusal(tmp_path / "tokenizer.json") is not None


def test_hugging_face_leaves_out_a_merge_that_starts_with_version(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = {"type": "BPE", "vocab": {"#version": 0, "s": 1, "#versions": 2}, "merges": ["#version s"]}
    hf = tokenizers.Tokenizer.from_file(str(written(tmp_path, with_field(("model",), model))))
    assert json.loads(hf.to_str())["model"]["merges"] == []


def test_hugging_face_decodes_an_added_token_of_byte_symbols_otherwise(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    path = written(tmp_path, with_field(("added_tokens", 1, "content"), "é"))
    assert load(path).decode([7]) == "é"
    assert tokenizers.Tokenizer.from_file(str(path)).decode([7]) == "\ufffd"

"""The second part of course/formats/tokenizer.md and its schema against the wide loader, and all three against Hugging Face."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import file_checks
import pytest
import random_files
from hf_json import BYTE_LEVEL, document
from mutated_json import mutants

from tinyllm.tok import pretrained
from tinyllm.tok.pipeline import Pipeline
from tinyllm.tok.splitting.pattern import Pattern

jsonschema = pytest.importorskip("jsonschema")
tokenizers = pytest.importorskip("tokenizers")

FORMATS = Path(__file__).resolve().parents[3] / "course" / "formats"
PAGE = (FORMATS / "tokenizer.md").read_text("utf-8").partition("\n# Second part")[2]
SCHEMA = json.loads((FORMATS / "pipeline-json.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

VOCAB = {"<s>": 0, "a": 1, "b": 2, "Ġ": 3, "1": 4, "ab": 5, "Ġab": 6}
WHOLE = {**BYTE_LEVEL, "use_regex": False}


def file(**sections: Any) -> dict[str, Any]:
    """A small file with these sections; of the model, these fields besides its own."""
    made = document(VOCAB, ["a b", "Ġ ab"], [("<s>", 0, True), ("<m>", 7, False)])
    model = {**made["model"], **sections.pop("model", {})}
    return {**made, **sections, "model": model}


def added(content: str, id: int, **flags: bool) -> dict[str, Any]:
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return {"id": id, "content": content, **plain, **flags}


def refusal(declaration: Any) -> str | None:
    """What the wide loader says against a file; None if it loads."""
    try:
        Pipeline(declaration)
    except ValueError as error:
        return str(error)
    return None


def rows_under(heading: str) -> list[list[str]]:
    """The cells of the tables between this heading of the page and the next, without their first lines."""
    section = PAGE.partition(f"\n{heading}\n")[2]
    section = re.split(r"\n##", section)[0]
    lines = re.findall(r"^\|.*\|$", section, re.MULTILINE)
    cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    headings = [i - 1 for i, row in enumerate(cells) if set(row[0]) == {"-"}]
    return [row for i, row in enumerate(cells) if i not in headings and i - 1 not in headings]


def fields_in(cell: str) -> tuple[set[str], set[str]]:
    """(the fields that a cell names, those of them that may be absent)."""
    found = re.findall(r"`(\w+)`(\?)?", cell)
    return {name for name, _ in found}, {name for name, mark in found if mark}


# ---- every part, with every field that it may have ----

PIECE_A = {"Sequence": {"id": "A", "type_id": 0}}
METASPACE = {
    **{"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never", "split": True},
    **{"add_prefix_space": False, "str_rep": "\u2581"},
}
REPLACE = {"type": "Replace", "pattern": {"String": "ab"}, "content": "XYZ"}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, PIECE_A],
    "pair": [PIECE_A, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
}
AROUND = {"sep": ["<m>", 7], "cls": ["<s>", 0]}
PARTS: dict[str, list[dict[str, Any]]] = {
    "normalizer": [
        *({"type": kind} for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
        {"type": "Strip", "strip_left": True, "strip_right": False},
        {"type": "Prepend", "prepend": "a"},
        REPLACE,
        {"type": "Sequence", "normalizers": [{"type": "NFC"}]},
    ],
    "pre_tokenizer": [
        BYTE_LEVEL,
        {"type": "Split", "pattern": {"Regex": "a+"}, "behavior": "Removed", "invert": True},
        {"type": "Digits", "individual_digits": True},
        {"type": "Punctuation", "behavior": "Contiguous"},
        *({"type": kind} for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
        {"type": "CharDelimiterSplit", "delimiter": "a"},
        METASPACE,
        {"type": "Sequence", "pretokenizers": [BYTE_LEVEL]},
    ],
    "post_processor": [
        BYTE_LEVEL,
        {**TEMPLATE, **{field: True for field in ("add_prefix_space", "trim_offsets", "use_regex")}},
        {"type": "RobertaProcessing", **AROUND, "trim_offsets": True, "add_prefix_space": False},
        {"type": "BertProcessing", **AROUND},
        {"type": "Sequence", "processors": [BYTE_LEVEL]},
    ],
    "decoder": [
        BYTE_LEVEL,
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        REPLACE,
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        {**METASPACE, "add_prefix_space": None},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "Sequence", "decoders": [{"type": "Fuse"}]},
    ],
}
TRUNCATION = {"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Left"}
PADDING = {
    **{"strategy": {"Fixed": 4}, "direction": "Left", "pad_to_multiple_of": 2},
    **{"pad_id": 1, "pad_type_id": 0, "pad_token": "a"},
}
EXAMPLES = [
    *(pytest.param(section, part, id=f"{section} {part['type']}") for section in PARTS for part in PARTS[section]),
    pytest.param("truncation", TRUNCATION, id="truncation"),
    pytest.param("padding", PADDING, id="padding"),
    pytest.param("added_tokens", [added("<s>", 0)], id="added_tokens"),
    pytest.param("model", file()["model"], id="model"),
]


def schema_of(section: str, kind: str | None) -> dict[str, Any]:
    """The schema's object for a part."""
    found = SCHEMA["$defs"][section.removesuffix("s")]
    alternatives = (
        option if "$ref" not in option else SCHEMA["$defs"][option["$ref"].rpartition("/")[2]]
        for option in found.get("oneOf", [found])
    )
    return next(option for option in alternatives if kind is None or option["properties"]["type"]["const"] == kind)


@pytest.mark.parametrize("section", PARTS)
def test_page_schema_and_loader_name_the_same_types(section: str) -> None:
    said = refusal(file(**{section: {"type": "?"}}))
    assert said is not None
    of_loader = re.findall(r'"(\w+)"', said.partition("it must be ")[2])
    of_page = [row[0].strip("`") for row in rows_under(f"### `{section}`")]
    of_examples = [part["type"] for part in PARTS[section]]
    assert sorted(of_loader) == sorted(of_page) == sorted(of_examples)
    assert len(SCHEMA["$defs"][section]["oneOf"]) == len(of_page)
    assert all(schema_of(section, kind) for kind in of_page)


@pytest.mark.parametrize(("section", "part"), EXAMPLES)
def test_page_schema_and_loader_know_the_same_fields_and_which_may_be_absent(section: str, part: Any) -> None:
    one = part[0] if isinstance(part, list) else part
    kind = one["type"] if section in PARTS else None
    if section in PARTS:
        (row,) = (row for row in rows_under(f"### `{section}`") if row[0] == f"`{kind}`")
        named, optional = fields_in(row[1])
        of_part = one.keys() - {"type"}
    else:
        heading = "### `truncation` and `padding`" if section in ("truncation", "padding") else f"### `{section}`"
        rows = rows_under(heading)
        rows = {"truncation": rows[:4], "padding": rows[4:]}.get(section, rows)
        named, optional = fields_in(" ".join(row[0] for row in rows))
        of_part = set(one)
    assert named == of_part

    in_schema = schema_of(section, kind)
    assert in_schema["properties"].keys() - ({"type"} if section in PARTS else set()) == named
    assert named - set(in_schema.get("required", ())) == optional

    def accepts(changed: Any) -> bool:
        whole = file(**{section: [changed] if isinstance(part, list) else changed})
        if section == "model":
            whole["model"] = changed
        fits = bool(VALIDATOR.is_valid(whole))
        assert (refusal(whole) is None) is fits, changed
        return fits

    assert accepts(one)
    assert not accepts({**one, "colour": 1})
    scheme = {"prepend_scheme"} if "add_prefix_space" in one and one["add_prefix_space"] is False else set()
    for field in named - scheme:  # a scheme that is absent is "always", which add_prefix_space contradicts
        assert accepts({name: value for name, value in one.items() if name != field}) is (field in optional), field


def test_page_schema_and_loader_know_the_same_sections() -> None:
    named, optional = fields_in(" ".join(row[0] for row in rows_under("## The file")))
    assert named == SCHEMA["properties"].keys() == file().keys()
    assert named - set(SCHEMA["required"]) == optional
    for section in named:
        without = {name: value for name, value in file().items() if name != section}
        assert (refusal(without) is None) is VALIDATOR.is_valid(without) is (section in optional)


# ---- the schema ----


def test_the_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.slow
def test_every_file_that_is_drawn_fits_the_schema() -> None:
    for seed in range(100):
        drawn = random_files.draw(Random(f"schema {seed}"))
        if not VALIDATOR.is_valid(drawn):
            said = refusal(drawn)
            assert said is not None and file_checks.not_listed(said) == [], [
                e.message for e in VALIDATOR.iter_errors(drawn)
            ]


@pytest.mark.slow
@pytest.mark.parametrize(("section", "part"), EXAMPLES)
def test_the_loader_accepts_nothing_that_the_schema_refuses(section: str, part: Any) -> None:
    refused = 0
    for done, path, text in mutants(file(**{section: part}), lambda path: path[0] == section):
        if "twice, then" in done:  # which is gone once it is parsed
            continue
        found = json.loads(text)
        if refusal(found) is None:
            assert VALIDATOR.is_valid(found), (done, path, text)
        else:
            refused += 1
    assert refused > 5


@pytest.mark.parametrize("name", pretrained.NAMES)
def test_the_files_of_the_first_part_fit_this_schema_too(name: str) -> None:
    found = json.loads(Path(pretrained.path_of(name)).read_text("utf-8"))
    found["model"] |= {
        "vocab": dict(list(found["model"]["vocab"].items())[:50]),
        "merges": found["model"]["merges"][:50],
    }
    jsonschema.validate(found, SCHEMA, jsonschema.Draft202012Validator)


# ---- patterns ----


def examples_of_patterns(column: int) -> list[str]:
    """The patterns in a column of the page's table."""
    return [source for row in rows_under("### Patterns") for source in re.findall(r"`([^`]+)`", row[column])]


@pytest.mark.parametrize("source", examples_of_patterns(1))
def test_a_pattern_that_the_page_says_is_read_is_read_with_hugging_faces_splits(source: str) -> None:
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(source), "isolated")
    for text in ("ab 1é.\n  A're x're B12 あ😀", "", "aabbabs's  \n", "a\n\na"):
        assert Pattern(source).split(text) == [piece for piece, _ in split.pre_tokenize_str(text)]


@pytest.mark.parametrize("source", examples_of_patterns(2))
def test_a_pattern_that_the_page_says_is_refused_is_refused_by_name_and_position(source: str) -> None:
    with pytest.raises(ValueError, match=r"^pattern: .* at position \d"):
        Pattern(source)


# ---- offsets ----

MASK = added("<m>", 7, lstrip=True, rstrip=True)
LETTERS = {
    token: id for id, token in enumerate(["a", "b", "c", "d", "x", "X", "Y", "Z", "Ġ", "Ġb", "Ã", "©", "Ì", "ģ"])
}
CHARACTERS = {token: id for id, token in enumerate(["a", "b", "é", "e", "\u0301"])}
OFFSETS: dict[str, tuple[dict[str, Any], str, list[tuple[int, int]]]] = {
    "an added token": ({"added_tokens": [MASK]}, "a  <m> a", [(0, 1), (1, 7), (7, 8)]),
    "NFD, NFKD": ({"normalizer": {"type": "NFD"}, "pre_tokenizer": None}, "éa", [(0, 1), (0, 1), (1, 2)]),
    "NFC, NFKC": ({"normalizer": {"type": "NFC"}, "pre_tokenizer": None}, "e\u0301a", [(0, 1), (2, 3)]),
    "Replace": ({"normalizer": REPLACE}, "cab d", [(0, 1), *[(2, 3)] * 3, (3, 4), (4, 5)]),
    "Prepend, a prefix space, Metaspace in front": (
        {"normalizer": {"type": "Prepend", "prepend": "x"}},
        "ab",
        [(0, 1), (0, 1), (1, 2)],
    ),
    "Lowercase, Nmt, ByteLevel": ({}, "aé", [(0, 1), (1, 2), (1, 2)]),
    "Strip, StripAccents, what a Split removes": (
        {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}},
        " a ",
        [(1, 2)],
    ),
    "the model": ({"pre_tokenizer": None}, "a?b", [(0, 1), (1, 2)]),
    "a template, padding": (
        {"post_processor": {"type": "BertProcessing", "cls": ["a", 0], "sep": ["b", 1]}},
        "a",
        [(0, 0), (0, 1), (0, 0)],
    ),
    "`trim_offsets`": ({"post_processor": BYTE_LEVEL}, "a b ", [(0, 1), (2, 3), (4, 4)]),
}


@pytest.mark.parametrize("step", OFFSETS)
def test_the_pages_offsets_are_the_loaders_and_hugging_faces(step: str) -> None:
    sections, text, spans = OFFSETS[step]
    vocab, merges = (CHARACTERS, []) if "pre_tokenizer" in sections else (LETTERS, [("Ġ", "b")])
    declaration = {**document(vocab, merges), "added_tokens": [], **sections}
    if sections.get("added_tokens"):
        declaration["added_tokens"] = [{**MASK, "id": len(vocab)}]
    assert Pipeline(declaration).encode_with_offsets(text)[1] == spans
    assert tokenizers.Tokenizer.from_str(json.dumps(declaration)).encode(text).offsets == spans

    (row,) = (row for row in rows_under("## What each step does to offsets") if row[0] == step)
    assert row[2].startswith(f"`{text}`".replace("\u0301", "\u25cc\u0301"))
    # Only a pair that is not of the text's own words: "(0, 1) (1, 2)".
    assert [tuple(map(int, pair)) for pair in re.findall(r"\((\d+), (\d+)\)", row[2])] == spans


def test_every_row_about_offsets_has_its_example() -> None:
    rows = rows_under("## What each step does to offsets")
    assert [row[0] for row in rows if row[2]] == [*OFFSETS]
    assert [row[0] for row in rows if not row[2]] == ["truncation"]


# ---- refusals: where and what, as the page's list says it -> files that show it, and how the loader's line begins ----

LOWER = {"type": "Lowercase"}
CASES = [added("<M>", 7, normalized=True), added("<m>", 8, normalized=True)]
GAPS = {"vocab": {"a": 0, "b": 1, "ab": 3}, "merges": ["a b"]}
SPECIAL = {"x": {"id": "x", "ids": [1, 2], "tokens": ["x"]}}
PIECE_X = {"SpecialToken": {"id": "x", "type_id": 0}}
BERT = {
    **{"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
    **{"strip_accents": None, "lowercase": True},
}
UNREAD = {"Regex": "^a"}
REFUSED: dict[tuple[str, str], list[tuple[dict[str, Any], str]]] = {
    ("anywhere", "a field that is not known"): [
        (file(model={"colour": 1}), "model.colour is 1; this field is not known here"),
        (file(normalizer={"type": "NFC", "colour": 1}), "normalizer.colour is 1; this field is not known here"),
    ],
    ("anywhere", "a key that is there twice"): [],  # which a dict cannot show; the next test does
    ("added_tokens", "an `id` that HF would not give the token"): [
        (file(added_tokens=[added("<m>", 9)]), "added_tokens[0].id is 9; it must be 7, behind all tokens before it"),
        (file(added_tokens=[added("ab", 7)]), "added_tokens[0].id is 7; it must be 5, as in the vocabulary"),
    ],
    ("added_tokens", "two tokens with one id"): [
        (
            file(model=GAPS, added_tokens=[added("<m>", 3), added("ab", 3)]),
            "added_tokens[1].id is 3; it must be another than that of added_tokens[0]",
        ),
    ],
    ("added_tokens", "a content that is there twice, or that equals another once normalized"): [
        (
            file(added_tokens=[added("<m>", 7)] * 2),
            'added_tokens[1].content is "<m>"; it must be another than that of added_tokens[0]',
        ),
        (file(normalizer=LOWER, added_tokens=CASES), "added_tokens: the added tokens '<M>' and '<m>' are both '<m>'"),
    ],
    ("added_tokens", "a content of which the normalizer leaves nothing"): [
        (
            file(normalizer={"type": "StripAccents"}, added_tokens=[added("\u0301", 7, normalized=True)]),
            "added_tokens: nothing is left of the added token",
        ),
    ],
    ("normalizer", "`BertNormalizer`, `Precompiled`"): [
        (file(normalizer=BERT), 'normalizer.type is "BertNormalizer"; it must be "NFC" or '),
    ],
    ("normalizer", "Replace or Prepend with nothing, Replace of a pattern that can match nothing"): [
        (file(normalizer={**REPLACE, "pattern": {"String": ""}}), 'normalizer.pattern.String is ""'),
        (file(normalizer={"type": "Prepend", "prepend": ""}), 'normalizer.prepend is ""'),
        (file(normalizer={**REPLACE, "pattern": {"Regex": "a*"}}), 'normalizer.pattern.Regex is "a*"'),
    ],
    ("pre_tokenizer", "`UnicodeScripts`, `FixedLength`"): [
        (file(pre_tokenizer={"type": "UnicodeScripts"}), 'pre_tokenizer.type is "UnicodeScripts"'),
        (file(pre_tokenizer={"type": "FixedLength", "length": 2}), 'pre_tokenizer.type is "FixedLength"'),
    ],
    ("patterns", "what the table of patterns refuses"): [
        (
            file(pre_tokenizer={"type": "Split", "pattern": UNREAD, "behavior": "Isolated", "invert": False}),
            "pre_tokenizer.pattern.Regex is \"^a\"; it must be a pattern that is known here: pattern: the anchor '^' at position 0",
        ),
        (file(normalizer={**REPLACE, "pattern": UNREAD}), 'normalizer.pattern.Regex is "^a"; it must be a pattern'),
        (file(decoder={**REPLACE, "pattern": UNREAD}), "decoder.pattern.Regex: pattern: the anchor '^' at position 0"),
    ],
    ("post_processor", "a template's token with more ids than tokens, or that `special_tokens` lacks"): [
        (
            file(post_processor={**TEMPLATE, "special_tokens": SPECIAL, "single": [PIECE_A]}),
            "post_processor.special_tokens['x'].tokens is [\"x\"]; it must be a list of 2 tokens, one for each id",
        ),
        (
            file(post_processor={**TEMPLATE, "single": [PIECE_X]}),
            'post_processor.single[0].SpecialToken.id is "x"; it must be one of the special_tokens',
        ),
    ],
    ("decoder", "`CTC`, `WordPiece`"): [
        (
            file(decoder={"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}),
            'decoder.type is "CTC"',
        ),
        (file(decoder={"type": "WordPiece", "prefix": "##", "cleanup": True}), 'decoder.type is "WordPiece"'),
    ],
    ("decoder", "Replace and BPEDecoder with nothing to look for"): [
        (file(decoder={**REPLACE, "pattern": {"String": ""}}), 'decoder.pattern is {"String": ""}'),
        (file(decoder={"type": "BPEDecoder", "suffix": ""}), 'decoder.suffix is ""'),
    ],
    ("model", "another `type`"): [
        (
            {
                **file(),
                "model": {"type": "WordLevel", "vocab": {"a": 0, "<u>": 1}, "unk_token": "<u>"},
                "added_tokens": [],
            },
            'model.type is "WordLevel"; it must be "BPE"',
        ),
    ],
    ("model", "`dropout` above 0"): [(file(model={"dropout": 0.5}), "model.dropout is 0.5; it must be null or 0.0")],
    ("model", "`byte_fallback` with a prefix or a suffix"): [
        (
            file(model={"byte_fallback": True, "end_of_word_suffix": "</w>"}),
            "model.byte_fallback is true; it must be false with a ",
        ),
    ],
    ("model", "two tokens with one id"): [
        (
            file(model={"vocab": {"a": 1, "b": 1}, "merges": []}, added_tokens=[]),
            'model.vocab["b"] is 1; it must be another id than that of "a"',
        ),
    ],
    ("model", "a merge whose right part lacks the prefix"): [
        (
            file(
                model={"continuing_subword_prefix": "#", "vocab": {"a": 2, "b": 1}, "merges": [["a", "b"]]},
                added_tokens=[],
            ),
            'model.merges[0] is ["a", "b"]; it must be one whose right part starts with the prefix \'#\'',
        ),
    ],
    ("model", "the empty token as `unk_token` where merges have it as a part"): [
        (
            file(model={"unk_token": "", "vocab": {"": 0, "a": 1}, "merges": [["", "a"]]}, added_tokens=[]),
            'model.unk_token is ""; it must be another token, or null',
        ),
    ],
}
CASES_REFUSED = [(found, line) for cases in REFUSED.values() for found, line in cases]
# What ties fields together, and what patterns mean: the schema lets these pass.
BEYOND_THE_SCHEMA = re.compile(
    r"added_tokens|pre_tokenizer\.pattern\.Regex|(normalizer|decoder)\.pattern\.Regex|post_processor\.(special|single)"
    r"|model\.(vocab|merges|unk_token)"
)


def test_the_pages_list_of_refusals_and_the_tables_rows_are_the_same() -> None:
    listed = [(row[0].strip("`"), row[1]) for row in rows_under("## What is refused")]
    assert listed == [*REFUSED]


@pytest.mark.parametrize(("found", "line"), CASES_REFUSED, ids=[line for _, line in CASES_REFUSED])
def test_what_the_page_lists_is_refused_by_name_though_hugging_face_reads_it(found: Any, line: str) -> None:
    tokenizers.Tokenizer.from_str(json.dumps(found))
    said = refusal(found)
    assert said is not None and said.startswith(line)
    assert VALIDATOR.is_valid(found) is bool(BEYOND_THE_SCHEMA.match(line))


def test_a_key_that_is_there_twice_is_refused_though_hugging_face_reads_it(tmp_path: Path) -> None:
    text = json.dumps(file(pre_tokenizer={"type": "Digits", "individual_digits": True}))
    text = text.replace('"individual_digits": true', '"individual_digits": true, "individual_digits": false')
    tokenizers.Tokenizer.from_str(text)
    path = tmp_path / "tokenizer.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"pre_tokenizer\.individual_digits is there twice; a key may appear once$"):
        Pipeline.load(path)


def test_what_random_files_may_be_refused_for_stands_on_the_pages_list() -> None:
    """Nothing may be let through there that a reader is not told of."""
    for allowed in file_checks.REFUSALS:
        assert any(re.match(allowed, line) for _, line in CASES_REFUSED), allowed


def test_all_that_stands_in_the_way_is_told_at_once_as_the_page_shows(tmp_path: Path) -> None:
    ctc = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(file(decoder=ctc, model={"dropout": 0.1})), "utf-8")
    with pytest.raises(ValueError) as error:
        pretrained.load(path)
    assert f"\n{error.value}\n".replace(str(path), "tokenizer.json") in PAGE


def test_where_hugging_face_panics_on_a_text_the_text_is_a_value_error() -> None:
    stride = {**TRUNCATION, "max_length": 2, "stride": 2}
    second = {**TRUNCATION, "max_length": 1, "strategy": "OnlySecond"}
    of_second = {**TEMPLATE, "single": [{"Sequence": {"id": "B", "type_id": 0}}]}
    for sections in ({"truncation": stride}, {"truncation": second}, {"post_processor": of_second}):
        hf = tokenizers.Tokenizer.from_str(json.dumps(file(**sections)))
        with pytest.raises(BaseException) as theirs:  # noqa: B017, PT011 - a PanicException is no Exception
            hf.encode("ab ab ab")
        assert type(theirs.value).__name__ in ("PanicException", "Exception", "ValueError")
        with pytest.raises(ValueError):
            Pipeline(file(**sections)).encode("ab ab ab")

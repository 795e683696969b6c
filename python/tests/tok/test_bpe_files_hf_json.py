"""tokenizer.json: what is read, and what is refused with the field's name. Hugging Face's view of each is in `../exact/`."""

import json

import pytest
from hf_json import BYTE_LEVEL, document

from tinyllm.tok.bpe import BPETokenizer

pytestmark = pytest.mark.fast

DIGITS = {"type": "Digits", "individual_digits": True}
FILE = document(
    {"<s>": 0, "a": 1, "b": 2, "1": 3, "Ġ": 4, "ab": 5, "11": 6},
    [("a", "b"), ("1", "1")],
    [("<s>", 0, True), ("<u>", 7, False)],
    {"type": "Sequence", "pretokenizers": [DIGITS, BYTE_LEVEL]},
    post_processor={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
)
ABSENT = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()  # shows alike in the names of tests


@pytest.fixture
def load(tmp_path):
    """Loads a file with changes: {"model.dropout": 0.5, "added_tokens.0.id": ABSENT}."""

    def load_changed(changes: dict | None = None, text: str | None = None) -> BPETokenizer:
        file = json.loads(json.dumps(FILE))
        for path, value in (changes or {}).items():
            *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
            place = file
            for step in way:
                place = place[step]
            if value is ABSENT:
                del place[last]
            else:
                place[last] = value
        (tmp_path / "tokenizer.json").write_text(json.dumps(file) if text is None else text, "utf-8")
        return BPETokenizer.from_hf_json(tmp_path / "tokenizer.json")

    return load_changed


# ---- what is read ----


def test_all_parts_are_read(load) -> None:
    tokenizer = load()
    assert tokenizer.vocab == FILE["model"]["vocab"]
    assert tokenizer.merges == [("a", "b"), ("1", "1")]
    assert tokenizer.added == {"<s>": 0, "<u>": 7}
    assert tokenizer.special_ids == {0}
    assert tokenizer.vocab_size == 8
    assert tokenizer.pre_tokenizer == FILE["pre_tokenizer"]
    assert tokenizer.encode("<s>ab 11<u>") == [0, 5, 4, 3, 3, 7]


def test_load_reads_the_same(tmp_path, load) -> None:
    load()
    assert BPETokenizer.load(str(tmp_path / "tokenizer.json")).encode("ab<u>") == [5, 7]


def test_a_subclass_loads_itself(load, tmp_path) -> None:
    class Mine(BPETokenizer):
        pass

    load()
    assert type(Mine.load(tmp_path / "tokenizer.json")) is type(Mine.from_hf_json(tmp_path / "tokenizer.json")) is Mine


@pytest.mark.parametrize(
    "merges",
    [["a b", "1 1"], [["a", "b"], ["1", "1"]]],
    ids=["strings, as until 2024", "pairs, as since"],
)
def test_merges_are_strings_or_pairs(load, merges: list) -> None:
    assert load({"model.merges": merges}).merges == [("a", "b"), ("1", "1")]


def test_a_merge_that_looks_like_a_header_is_one_if_written_as_a_pair(load) -> None:
    vocab = {"<s>": 0, "#version": 1, "b": 2, "#versionb": 3}
    assert load({"model.vocab": vocab, "model.merges": [["#version", "b"]], "added_tokens": []}).merges == [
        ("#version", "b")
    ]


def test_there_may_be_no_merges(load) -> None:
    assert load({"model.merges": []}).encode("ab") == [1, 2]


def test_digits_may_come_in_runs(load) -> None:
    runs = {"type": "Digits", "individual_digits": False}
    assert load({"pre_tokenizer.pretokenizers.0": runs}).encode("11") == [6]


def test_byte_level_may_stand_alone(load) -> None:
    assert load({"pre_tokenizer": BYTE_LEVEL}).encode("11") == [6]
    assert load({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTE_LEVEL]}}).encode("11") == [6]


@pytest.mark.parametrize(
    "changes",
    [
        *({section: ABSENT} for section in ("version", "truncation", "padding", "normalizer", "post_processor")),
        *(
            {f"model.{field}": ABSENT}
            for field in (
                "type",
                "dropout",
                "unk_token",
                "continuing_subword_prefix",
                "end_of_word_suffix",
                "fuse_unk",
                "byte_fallback",
                "ignore_merges",
            )
        ),
        {"model.continuing_subword_prefix": ""},
        {"model.end_of_word_suffix": ""},
        {"post_processor": None},
        {"post_processor.use_regex": ABSENT},
        {"post_processor.use_regex": False},
        {"post_processor.add_prefix_space": False},
        {"decoder.use_regex": ABSENT},
        {"decoder.use_regex": False},
        {"decoder.add_prefix_space": True},
        {"decoder.trim_offsets": False},
        {"pre_tokenizer.pretokenizers.1.use_regex": ABSENT},
        {"pre_tokenizer.pretokenizers.1.trim_offsets": False},
        {"added_tokens.0.normalized": True, "added_tokens.1.normalized": True},
    ],
    ids=str,
)
def test_what_changes_no_ids_may_vary(load, changes: dict) -> None:
    tokenizer = load(changes)
    assert tokenizer.encode("<s>ab 11<u>") == [0, 5, 4, 3, 3, 7]
    assert tokenizer.decode([0, 5, 7], skip_special=True) == "ab<u>"


@pytest.mark.parametrize("none", [ABSENT, []], ids=["absent", "empty"])
def test_there_may_be_no_added_tokens(load, none) -> None:
    tokenizer = load({"added_tokens": none})
    assert (tokenizer.added, tokenizer.vocab_size) == ({}, 7)
    assert tokenizer.encode("<s>ab") == [5]


# ---- what is refused ----


@pytest.mark.parametrize(
    "path, value, complaint",
    [
        ("version", "2.0", 'version is "2.0"; it must be "1.0"'),
        ("version", 1.0, 'version is 1.0; it must be "1.0"'),
        ("truncation", {"max_length": 5}, 'truncation is {"max_length": 5}; it must be null'),
        ("padding", {}, "padding is {}; it must be null"),
        ("normalizer", {"type": "NFC"}, 'normalizer is {"type": "NFC"}; it must be null'),
        ("pre_tokenizer", ABSENT, "pre_tokenizer is null; without one"),
        ("pre_tokenizer", None, "pre_tokenizer is null; without one"),
        ("pre_tokenizer", "ByteLevel", 'pre_tokenizer is "ByteLevel"; without one'),
        ("pre_tokenizer.type", "ByteLevel", "pre_tokenizer.pretokenizers is"),
        (
            "pre_tokenizer.pretokenizers.0.type",
            "Whitespace",
            'pre_tokenizer.pretokenizers[0].type is "Whitespace"; it must be "Digits"',
        ),
        (
            "pre_tokenizer.pretokenizers.1.add_prefix_space",
            True,
            "pre_tokenizer.pretokenizers[1].add_prefix_space is true; it must be false",
        ),
        (
            "pre_tokenizer.pretokenizers.1.add_prefix_space",
            0,
            "pre_tokenizer.pretokenizers[1].add_prefix_space is 0; it must be false",
        ),
        (
            "pre_tokenizer.pretokenizers.1.add_prefix_space",
            ABSENT,
            "pre_tokenizer.pretokenizers[1].add_prefix_space is missing; it must be false",
        ),
        (
            "pre_tokenizer.pretokenizers.1.use_regex",
            False,
            "pre_tokenizer.pretokenizers[1].use_regex is false; it must be true",
        ),
        (
            "pre_tokenizer.pretokenizers.1.trim_offsets",
            ABSENT,
            "pre_tokenizer.pretokenizers[1].trim_offsets is missing",
        ),
        (
            "post_processor",
            {"type": "TemplateProcessing", "single": []},
            'post_processor.type is "TemplateProcessing"; it must be "ByteLevel"',
        ),
        ("post_processor", [], "post_processor is []; it must be an object"),
        ("post_processor", False, "post_processor is false; it must be an object"),
        ("post_processor.type", ABSENT, "post_processor.type is missing"),
        ("post_processor.trim_offsets", ABSENT, "post_processor.trim_offsets is missing"),
        ("post_processor.trim_offsets", None, "post_processor.trim_offsets is null; it must be true or false"),
        ("post_processor.add_prefix_space", "yes", 'post_processor.add_prefix_space is "yes"'),
        ("post_processor.use_regex", 1, "post_processor.use_regex is 1"),
        ("post_processor.new", 1, "post_processor.new is 1; this field is not known here"),
        ("decoder", None, "decoder is null; it must be an object"),
        ("decoder", ABSENT, "decoder is null; it must be an object"),
        ("decoder", {"type": "WordPiece"}, 'decoder.type is "WordPiece"; it must be "ByteLevel"'),
        ("decoder.trim_offsets", ABSENT, "decoder.trim_offsets is missing"),
        ("decoder.add_prefix_space", None, "decoder.add_prefix_space is null"),
        ("decoder.use_regex", "no", 'decoder.use_regex is "no"'),
        ("model", ABSENT, "model is missing"),
        ("model", None, "model is null; it must be an object"),
        ("model", [], "model is []; it must be an object"),
        ("model.type", "WordPiece", 'model.type is "WordPiece"; it must be "BPE"'),
        ("model.type", None, 'model.type is null; it must be "BPE"'),
        ("model.dropout", 0.1, "model.dropout is 0.1; it must be null"),
        ("model.dropout", 0, "model.dropout is 0; it must be null"),
        ("model.unk_token", "<s>", 'model.unk_token is "<s>"; it must be null'),
        ("model.continuing_subword_prefix", "##", 'model.continuing_subword_prefix is "##"; it must be null or ""'),
        ("model.end_of_word_suffix", "</w>", 'model.end_of_word_suffix is "</w>"; it must be null or ""'),
        ("model.fuse_unk", True, "model.fuse_unk is true; it must be false"),
        ("model.byte_fallback", True, "model.byte_fallback is true; it must be false"),
        ("model.ignore_merges", True, "model.ignore_merges is true; it must be false"),
        ("model.ignore_merges", None, "model.ignore_merges is null; it must be false"),
        ("model.cache_capacity", 5, "model.cache_capacity is 5; this field is not known here"),
        ("model.vocab", ABSENT, "model.vocab is missing"),
        ("model.vocab", None, "model.vocab is null; it must be an object"),
        ("model.vocab", ["a"], 'model.vocab is ["a"]; it must be an object'),
        ("model.vocab.a", 9, "model.vocab has no token with id 1, but one with id 9"),
        ("model.vocab.a", 2, "model.vocab['b'] is 2, and so is vocab['a']"),
        ("model.vocab.a", -1, "model.vocab['a'] is -1"),
        ("model.vocab.a", 1.0, "model.vocab['a'] is 1.0; an id is an integer"),
        ("model.vocab.a", "1", "model.vocab['a'] is '1'"),
        ("model.vocab.a", None, "model.vocab['a'] is None"),
        ("model.vocab.a", True, "model.vocab['a'] is True"),
        ("model.vocab.", 7, "model.vocab[''] is 7; a token has at least one character"),
        ("model.merges", ABSENT, "model.merges is missing"),
        ("model.merges", None, "model.merges is null; it must be a list of pairs"),
        ("model.merges", "a b", 'model.merges is "a b"; it must be a list of pairs'),
        ("model.merges", {"a": "b"}, 'model.merges is {"a": "b"}; it must be a list of pairs'),
        (
            "model.merges",
            [["a", "b"], "1 1"],
            'model.merges[1] is "1 1", but the first is ["a", "b"]; all must be written one way',
        ),
        ("model.merges", ["a b", ["1", "1"]], 'model.merges[1] is ["1", "1"], but the first is "a b"'),
        ("model.merges", ["a b", "1"], 'model.merges[1] is "1"; it must be two tokens separated by one space'),
        ("model.merges", ["a b", "1 1 1"], 'model.merges[1] is "1 1 1"; it must be two tokens'),
        ("model.merges", ["a  b"], 'model.merges[0] is "a  b"; it must be two tokens'),
        ("model.merges", [""], 'model.merges[0] is ""; it must be two tokens'),
        ("model.merges", [" "], 'model.merges[0] is " "; it must be two tokens'),
        ("model.merges", ["a "], 'model.merges[0] is "a "; it must be two tokens'),
        (
            "model.merges",
            ["a b", "#version: b"],
            'model.merges[1] is "#version: b"; Hugging Face skips such a string: it must be written as a pair',
        ),
        ("model.merges", [["a", "b"], ["1"]], "model.merges[1] is ['1']; a merge is a pair of tokens"),
        ("model.merges", [["a", "b", "1"]], "model.merges[0] is ['a', 'b', '1']; a merge is a pair"),
        ("model.merges", [["a", 1]], "model.merges[0] is ['a', 1]; a merge is a pair"),
        ("model.merges", [["a", ["b"]]], "model.merges[0] is ['a', ['b']]; a merge is a pair"),
        ("model.merges", [5], "model.merges[0] is 5; a merge is a pair"),
        ("model.merges", [None, "a b"], "model.merges[0] is None; a merge is a pair"),
        (
            "model.merges",
            [["a", "b"], ["x", "b"]],
            "model.merges[1] is 'x', 'b', but the vocabulary lacks its left part 'x'",
        ),
        ("model.merges", [["a", "a"]], "model.merges[0] is 'a', 'a', but the vocabulary lacks its result 'aa'"),
        ("model.merges", [["a", "b"], ["a", "b"]], "model.merges[1] is 'a', 'b', which merges[0] is already"),
        ("added_tokens", None, "added_tokens is null; it must be a list of objects"),
        ("added_tokens", {}, "added_tokens is {}; it must be a list of objects"),
        ("added_tokens", "<s>", 'added_tokens is "<s>"; it must be a list of objects'),
        ("added_tokens.1", "<u>", 'added_tokens[1] is "<u>"; it must be an object'),
        ("added_tokens.1.id", 8, "added_tokens[1].id is 8 for '<u>'; it must be 7, the next free id"),
        ("added_tokens.0.id", 1, "added_tokens[0].id is 1 for '<s>'; it must be 0, its id in the vocabulary"),
        ("added_tokens.0.id", False, "added_tokens[0].id is False"),
        ("added_tokens.0.id", 0.0, "added_tokens[0].id is 0.0"),
        ("added_tokens.0.id", None, "added_tokens[0].id is None"),
        ("added_tokens.0.id", ABSENT, "added_tokens[0].id is missing"),
        ("added_tokens.1.content", "<s>", "added_tokens[1].content is '<s>', which is listed already"),
        ("added_tokens.1.content", "", "added_tokens[1].content is empty"),
        ("added_tokens.1.content", None, "added_tokens[1].content is None; it must be a str"),
        ("added_tokens.1.content", ABSENT, "added_tokens[1].content is missing"),
        ("added_tokens.1.special", None, "added_tokens[1].special is null; it must be true or false"),
        ("added_tokens.1.special", 0, "added_tokens[1].special is 0; it must be true or false"),
        *(
            (f"added_tokens.1.{flag}", True, f"added_tokens[1].{flag} is true; it must be false")
            for flag in ("single_word", "lstrip", "rstrip")
        ),
        *(
            (f"added_tokens.1.{flag}", ABSENT, f"added_tokens[1].{flag} is missing")
            for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")
        ),
        ("added_tokens.1.normalized", True, "added_tokens[1].normalized is true, but that of added_tokens[0] is not"),
        ("added_tokens.0.normalized", True, "added_tokens[1].normalized is false, but that of added_tokens[0] is not"),
        ("added_tokens.0.normalized", "no", 'added_tokens[0].normalized is "no"'),
        ("added_tokens.0.new", 1, "added_tokens[0].new is 1; this field is not known here"),
        ("new", None, "new is null; this field is not known here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_is_refused_with_the_fields_name(
    load, tmp_path, path: str, value: object, complaint: str
) -> None:
    with pytest.raises(ValueError) as caught:
        load({path: value})
    assert str(caught.value).startswith(f"{tmp_path / 'tokenizer.json'}: {complaint}")


def test_a_merge_may_hold_what_begins_a_header(tmp_path) -> None:
    vocab = {"a": 0, "#version": 1, "a#version": 2}
    made = BPETokenizer({**vocab}, [("a", "#version")])
    made.save(tmp_path / "tokenizer.json")
    assert '"a #version"' in (tmp_path / "tokenizer.json").read_text("utf-8")
    assert BPETokenizer.from_hf_json(tmp_path / "tokenizer.json").merges == [("a", "#version")]


@pytest.mark.parametrize("text", ['{"!": 0, "a": 1}', '{"architectures": ["GPT2LMHeadModel"]}', "{}"])
def test_a_file_of_another_kind_is_not_blamed_for_its_own_fields(tmp_path, text: str) -> None:
    (tmp_path / "vocab.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"vocab\.json: model is missing; every tokenizer\.json has one \(a vocab\.json is read"
    ):
        BPETokenizer.from_hf_json(tmp_path / "vocab.json")


def test_a_vocab_json_with_the_tokens_model_and_version_is_told_about_from_gpt2(tmp_path) -> None:
    (tmp_path / "vocab.json").write_text('{"version": 0, "model": 1, "a": 2}')
    told = r"vocab\.json: model is 1; it must be an object \(a vocab\.json is read with its merges\.txt: from_gpt2\)"
    with pytest.raises(ValueError, match=told):
        BPETokenizer.from_hf_json(tmp_path / "vocab.json")


@pytest.mark.parametrize("found", ["[]", "5", '"BPE"', "null", "true"])
def test_a_file_is_an_object(load, found: str) -> None:
    with pytest.raises(ValueError, match=r"tokenizer\.json: the file is .*; it must be an object"):
        load(text=found)


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ('"a": 1', '"a": 1, "a": 1', "model.vocab.a is there twice"),
        ('"a": 1', '"a": 1, "a": 5', "model.vocab.a is there twice"),
        ('"dropout": null', '"dropout": null, "dropout": null', "model.dropout is there twice"),
        ('"version": "1.0"', '"version": "1.0", "version": "1.0"', "version is there twice"),
        (
            '"individual_digits": true',
            '"individual_digits": true, "individual_digits": false',
            "pre_tokenizer.pretokenizers[0].individual_digits is there twice",
        ),
        ('"content": "<u>"', '"content": "<u>", "content": "<v>"', "added_tokens[1].content is there twice"),
    ],
)
def test_a_key_that_is_there_twice_is_refused(load, old: str, new: str, complaint: str) -> None:
    text = json.dumps(FILE)
    assert text.count(old) >= 1
    with pytest.raises(ValueError) as caught:
        load(text=text.replace(old, new))
    assert complaint in str(caught.value)


@pytest.mark.parametrize("loader", [BPETokenizer.load, BPETokenizer.from_hf_json])
def test_a_file_that_is_not_there_is_an_os_error(loader, tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="none.json"):
        loader(tmp_path / "none.json")


def test_the_error_names_the_file_once(load, tmp_path) -> None:
    with pytest.raises(ValueError) as caught:
        load({"model.vocab.a": 9})
    assert str(caught.value).count(str(tmp_path)) == 1
    assert str(caught.value).startswith(f"{tmp_path / 'tokenizer.json'}: model.vocab has no token")

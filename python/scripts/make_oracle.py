"""Write the oracle cases: hard strings with the ids that HF tokenizers and tiktoken give them.

    python python/scripts/make_oracle.py            write the files
    python python/scripts/make_oracle.py --check    compare with the files on disk, write nothing

The files:
    course/fixtures/*/oracle.jsonl    300 cases each, {"text": ..., "ids": [...]}, as `tok encode --jsonl` writes
    course/fixtures/*/PROVENANCE.md   the section on the oracle, with the versions that were run
    python/tests/fixtures/unicode_dependent.jsonl    texts whose ids depend on the Unicode version, both tokenizers

GPT-2's ids come from both libraries and must agree. tiktoken does not read tokenizer.json, so its Encoding is built
from the fixture. A hard string may hold only code points whose class is the same from Unicode 13 to 18, because a
student's tokenizer may use the running Python's `unicodedata`; the strings refused for that are listed and go to the
third file.

Exit status: 0 as promised, 1 a file differs (--check), 2 the libraries disagree or are not the recorded versions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import tiktoken
import tokenizers
from generated import ROOT, write_or_compare
from hard_strings import combined, hard_strings

sys.path.insert(0, str(ROOT / "python" / "tests" / "support"))

import oracles  # noqa: E402

FIXTURES = ROOT / "course" / "fixtures"
UNICODE_DEPENDENT = ROOT / "python" / "tests" / "fixtures" / "unicode_dependent.jsonl"

VERSIONS = {"tokenizers": "0.23.3", "tiktoken": "0.14.0"}
CASES = 300

Encode = Callable[[str], "list[int]"]


class OracleError(Exception):
    """The ids cannot be trusted; the message is for a person."""


# The libraries


def gpt2() -> Encode:
    """The ids that both libraries give; OracleError where they differ."""
    encode_hf, encoding = hf("gpt2"), oracles.tiktoken_gpt2()

    def encode(text: str) -> list[int]:
        ids = encode_hf(text)
        other = encoding.encode(text, allowed_special="all")
        if ids != other:
            raise OracleError(f"{text!r}: HF gives {ids}, tiktoken {other}")
        return ids

    return encode


def hf(name: str) -> Encode:
    """HF's ids for the bundled tokenizer `name`."""
    tokenizer = oracles.hf_of(oracles.tokenizer_json(name))
    return lambda text: tokenizer.encode(text).ids


ORACLES: dict[str, tuple[Callable[[], Encode], str]] = {
    "gpt2": (gpt2, "tokenizers {tokenizers} and tiktoken {tiktoken}, which agree on each"),
    "smollm2": (lambda: hf("smollm2"), "tokenizers {tokenizers} (tiktoken has no `Digits` step)"),
}


# The texts


def texts_of(name: str) -> tuple[list[str], list[str]]:
    """300 texts for the oracle of `name`, and the hard strings refused for the Unicode versions."""
    tokenizer = json.loads((FIXTURES / name / "tokenizer.json").read_text("utf-8"))
    added = [token["content"] for token in tokenizer["added_tokens"]]
    unstable = version_dependent()
    kept, refused = [], []
    for text in (text for group in hard_strings(added).values() for text in group):
        (kept if unstable.isdisjoint(text) else refused).append(text)
    if len(kept) > CASES:
        raise OracleError(f"{name}: {len(kept)} hard strings, at most {CASES} have room")
    return kept + combined(added, CASES - len(kept)), refused


def version_dependent() -> set[str]:
    """The characters whose class is not the same from Unicode 13 to 18."""
    classes = json.loads((FIXTURES / "unicode16" / "classes.json").read_text("utf-8"))
    return {chr(code) for first, last in classes["version_dependent"] for code in range(first, last + 1)}


def around_every_change() -> list[str]:
    """For the third file: the ends of each range of such characters, before an ending and beside spaces and digits."""
    classes = json.loads((FIXTURES / "unicode16" / "classes.json").read_text("utf-8"))
    return [f"{chr(first)}'s  {chr(last)}1 a{chr(first)}" for first, last in classes["version_dependent"]]


# The files


def make() -> dict[Path, str]:
    """The text of each file."""
    for library in (tokenizers, tiktoken):
        wanted = VERSIONS[library.__name__]
        if library.__version__ != wanted:
            raise OracleError(f"{library.__name__} {library.__version__} is installed, the oracle is {wanted}'s")
    files = {}
    dependent = []
    for name, (oracle, source) in ORACLES.items():
        encode = oracle()
        texts, refused = texts_of(name)
        cases = "".join(f"{json.dumps({'text': text, 'ids': encode(text)})}\n" for text in texts)
        files[FIXTURES / name / "oracle.jsonl"] = cases
        files[FIXTURES / name / "PROVENANCE.md"] = _provenance(name, source, cases)
        for text in [*refused, *around_every_change()]:
            dependent.append(json.dumps({"tokenizer": name, "text": text, "ids": encode(text)}) + "\n")
        print(f"{name}: refused because Unicode versions differ: {' '.join(ascii(text) for text in refused)}")
    files[UNICODE_DEPENDENT] = "".join(dependent)
    return files


ORACLE_HEADING = "\n## The oracle\n"


def _provenance(name: str, source: str, cases: str) -> str:
    before, _, _ = (FIXTURES / name / "PROVENANCE.md").read_text("utf-8").partition(ORACLE_HEADING)
    return f"""{before}{ORACLE_HEADING}
`oracle.jsonl` holds {CASES} texts, chosen in `python/scripts/hard_strings.py` for hardness.
`python/scripts/make_oracle.py` gave them their ids by {source.format(**VERSIONS)}:

    sha256 {hashlib.sha256(cases.encode()).hexdigest()}
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the files on disk, write nothing")
    options = parser.parse_args(arguments)
    try:
        files = make()
    except OracleError as error:
        print(f"make_oracle: {error}", file=sys.stderr)
        return 2
    return write_or_compare(files, options.check)


if __name__ == "__main__":
    sys.exit(main())

"""Lab 04: its reference passes and its stub fails, its tests catch the README's bugs, and it agrees with the library."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok import splits
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.bytemap import unicode_to_bytes

COURSE = Path(__file__).resolve().parents[3] / "course"
LAB = COURSE / "labs" / "04_tokenizer"
GPT2 = COURSE / "fixtures" / "gpt2" / "tokenizer.json"


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"lab_04_{path.stem}_under_test", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


solution = loaded(LAB / "solution.py")

PATTERNS = [pattern for name, pattern in vars(solution).items() if name.endswith("_PATTERN")]
SPLIT_OF = {split.patterns[0]: split.pretokenize for split in splits.SPLITS.values() if split.patterns[0] in PATTERNS}
every_pattern = pytest.mark.parametrize("pattern", PATTERNS, ids=range(len(PATTERNS)))

NAMED_TESTS = """
    test_pair_counts_weighted_by_frequency
    test_merge_is_left_to_right_and_non_overlapping
    test_first_merge_of_the_classic_example
    test_vocab_size_and_special_ids
    test_training_is_deterministic
    test_vocab_entries_are_concatenations
    test_training_compresses
    test_merges_apply_in_rank_order_not_frequency_order
    test_merges_never_cross_pretokenization_boundaries
    test_special_tokens
    test_roundtrip_trained
    test_roundtrip_untrained_is_raw_bytes
    test_decode_invalid_utf8_does_not_crash
    test_indic_words_split_at_combining_marks_in_gpt4_but_not_o200k
    test_gpt4_groups_digits_in_threes
""".split()


def outcomes(folder: Path, *options: str, cwd: Path) -> dict[str, str]:
    """Test name -> "passed", "failed" or "error" of pytest on a folder, as a student would run it."""
    report = cwd / "report.xml"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", str(folder), *options],
        cwd=cwd,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        timeout=120,
    )
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        verdicts = {"failure": "failed", "error": "error", "skipped": "skipped"}
        found[case.get("name", "")] = next((verdicts[child.tag] for child in case if child.tag in verdicts), "passed")
    report.unlink()
    return found


def staged(tmp_path: Path, source: str) -> Path:
    """A student's folder: the lab's tests beside a tokenizer.py with this source, and nothing else."""
    folder = tmp_path / "labs" / "04_tokenizer"
    folder.mkdir(parents=True)
    for name in ("conftest.py", "test_tokenizer.py"):
        shutil.copy(LAB / name, folder)
    (folder / "tokenizer.py").write_text(source, "utf-8")
    return folder


# --- the lab as a whole ---


def test_the_reference_passes_every_named_test(tmp_path: Path) -> None:
    assert outcomes(LAB, "--impl=solution", cwd=tmp_path) == dict.fromkeys(NAMED_TESTS, "passed")


def test_the_stub_fails_every_named_test(tmp_path: Path) -> None:
    assert outcomes(LAB, cwd=tmp_path) == dict.fromkeys(NAMED_TESTS, "failed")


@pytest.mark.parametrize("mode", ["importlib", "prepend"])
def test_a_students_folder_is_judged_on_its_own_from_its_root(tmp_path: Path, mode: str) -> None:
    staged(tmp_path, (LAB / "solution.py").read_text("utf-8"))
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n", "utf-8")
    # The root, not the lab's folder: pytest then meets conftest.py only while it collects.
    assert outcomes(tmp_path, f"--import-mode={mode}", cwd=tmp_path) == dict.fromkeys(NAMED_TESTS, "passed")


def test_a_missing_implementation_is_named(tmp_path: Path) -> None:
    folder = staged(tmp_path, "")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder), "--impl=solution"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "--impl=solution: there is no solution.py in" in run.stdout


def test_the_readme_names_every_test() -> None:
    table = re.findall(r"`(test_\w+)`", (LAB / "README.md").read_text("utf-8"))
    assert sorted(table) == sorted(NAMED_TESTS)


def test_the_stub_offers_what_the_reference_promises() -> None:
    def public(name: str) -> dict[str, str]:
        tree = ast.parse((LAB / name).read_text("utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        return {function.name: ast.unparse(function.args) for function in functions}

    stub, reference = public("tokenizer.py"), public("solution.py")
    extra = {"from_gpt2_merges", "_split_special"}
    assert stub.keys() == reference.keys() - extra
    for name, arguments in stub.items():
        assert reference[name].removesuffix(", *, byte_order: Sequence[int]=range(256)") == arguments
    for name in ("GPT2_PATTERN", "GPT4_PATTERN", "O200K_PATTERN"):
        assert getattr(loaded(LAB / "tokenizer.py"), name) == getattr(solution, name)


def test_the_readmes_examples_run_where_the_lab_is_done(tmp_path: Path) -> None:
    """In a student's folder: a tokenizer.py that is right, and nothing of this repository beside it."""
    # Only what stands between the fences: doctest would take the closing fence for output.
    blocks = re.findall(r"```pycon\n(.*?)```", (LAB / "README.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "tokenizer.py").write_bytes((LAB / "solution.py").read_bytes())
    (tmp_path / "page.txt").write_text("\n".join(blocks), "utf-8")
    program = "import doctest; print(*doctest.testfile('page.txt', module_relative=False, encoding='utf-8'))"
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert (ended.stdout, ended.stderr) == ("0 10\n", "")


def test_the_readme_names_only_files_that_a_student_has() -> None:
    page = (LAB / "README.md").read_text("utf-8")
    elsewhere = re.findall(r"[^|\n]*(?:solution\.py|STUDY\.md)[^|\n]*(?:\|[^|\n]*|\n[^|\n]*)", page)
    assert len(elsewhere) == 2 and all("in\nthe course's repository" in each or "there" in each for each in elsewhere)
    assert "import solution" not in page and "this repo" not in page


def test_with_gpt2s_order_of_bytes_the_readmes_tie_goes_as_in_the_library() -> None:
    tokenizer = solution.BPETokenizer.train(["ab c", "ab c"], vocab_size=257, byte_order=solution.GPT2_BYTE_ORDER)
    assert tokenizer.merges == {(64, 65): 256}


def test_the_references_examples_run() -> None:
    assert doctest.testmod(solution).failed == 0


# Each bug that the README names, as a change of the reference, and the test that must notice.
BUGS = {
    "ties by order of arrival": (
        "min(counts, key=lambda pair: (-counts[pair], pair))",
        "counts.most_common(1)[0][0]",
        "test_training_is_deterministic",
    ),
    "ties to the largest pair": (
        "min(counts, key=lambda pair: (-counts[pair], pair))",
        "max(counts, key=lambda pair: (counts[pair], pair))",
        "test_first_merge_of_the_classic_example",
    ),
    "encoding by frequency": (
        "earliest = min(mergeable, key=self.merges.__getitem__)",
        "earliest = Counter(mergeable).most_common(1)[0][0]",
        "test_merges_apply_in_rank_order_not_frequency_order",
    ),
    "encoding from left to right": (
        "earliest = min(mergeable, key=self.merges.__getitem__)",
        "earliest = mergeable[0]",
        "test_merges_apply_in_rank_order_not_frequency_order",
    ),
    "overlapping merges": (
        "merged.append(new_id)\n            position += 2",
        "merged.append(new_id)\n            position += 1",
        "test_merge_is_left_to_right_and_non_overlapping",
    ),
    "merging across chunks when encoding": (
        "for chunk in pretokenize(segment, self.pattern):",
        "for chunk in [segment]:",
        "test_merges_never_cross_pretokenization_boundaries",
    ),
    "merging across chunks when training": (
        "frequencies.update(pretokenize(segment, pattern))",
        "frequencies.update([segment])",
        "test_merges_never_cross_pretokenization_boundaries",
    ),
    "merging across documents": (
        "for text in [corpus] if isinstance(corpus, str) else corpus:",
        'for text in [corpus if isinstance(corpus, str) else "".join(corpus)]:',
        "test_merges_never_cross_pretokenization_boundaries",
    ),
    "chunks counted once each": (
        "counts[pair] += frequency",
        "counts[pair] += 1",
        "test_pair_counts_weighted_by_frequency",
    ),
    "specials that take the first ids": (
        "merges[best] = 256 + len(merges)",
        "merges[best] = 256 + len(special_tokens) + len(merges)",
        "test_vocab_size_and_special_ids",
    ),
    "specials beyond vocab_size": (
        "merge_total = vocab_size - 256 - len(special_tokens)",
        "merge_total = vocab_size - 256",
        "test_vocab_size_and_special_ids",
    ),
    "specials found in users' text": (
        'if allowed_special == "all" else [text]',
        "if allowed_special else [text]",
        "test_special_tokens",
    ),
    "the shorter special first": (
        "key=len, reverse=True",
        "key=len",
        "test_special_tokens",
    ),
    "decoding that raises": (
        'errors="replace"',
        'errors="strict"',
        "test_decode_invalid_utf8_does_not_crash",
    ),
    "decoding token by token": (
        'b"".join([self.vocab[id] for id in ids]).decode("utf-8", errors="replace")',
        '"".join([self.vocab[id].decode("utf-8", errors="replace") for id in ids])',
        "test_decode_invalid_utf8_does_not_crash",
    ),
    "characters instead of bytes": (
        'chunk.encode("utf-8")',
        'chunk.encode("latin-1", errors="replace")',
        "test_roundtrip_untrained_is_raw_bytes",
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_each_common_bug_is_noticed_by_the_test_that_names_it(bug: str, tmp_path: Path) -> None:
    right, wrong, test = BUGS[bug]
    source = (LAB / "solution.py").read_text("utf-8")
    if bug == "specials found in users' text":
        source = source.replace('if allowed_special == "all" and segment', "if segment")
    assert source.count(right) == 1
    assert outcomes(staged(tmp_path, source.replace(right, wrong)), "-k", test, cwd=tmp_path)[test] == "failed"


# --- what the reference promises beyond the lab's tests ---


def test_special_tokens_are_cut_out_of_the_corpus() -> None:
    tokenizer = solution.BPETokenizer.train(["ab<|end|>ab<|end|>"], vocab_size=300, special_tokens=("<|end|>",))
    assert tokenizer.merges == {(97, 98): 256}
    assert tokenizer.special_tokens == {"<|end|>": 257}


def test_a_vocabulary_without_room_for_its_special_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match="vocab_size is 257; the bytes and the special tokens alone need 258"):
        solution.BPETokenizer.train("abc", vocab_size=257, special_tokens=("<s>", "</s>"))


@pytest.mark.parametrize("specials", [("",), ("<s>", "<s>")])
def test_an_empty_or_repeated_special_token_is_refused(specials: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="special tokens must be distinct and not empty"):
        solution.BPETokenizer(special_tokens=specials)


def test_another_policy_for_special_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match='allowed_special is "all" or "none", not \'some\''):
        solution.BPETokenizer().encode("abc", "some")


def test_a_pattern_that_leaves_text_out_is_refused() -> None:
    with pytest.raises(ValueError, match="does not match all of the text"):
        solution.pretokenize("ab cd", r"\w+")


def test_bytes_per_token_is_bytes_over_tokens() -> None:
    tokenizer = solution.BPETokenizer({(97, 97): 256})
    assert solution.bytes_per_token(tokenizer, "aaaé") == 5 / 4  # aa, a and the two bytes of é
    with pytest.raises(ValueError, match="the text is empty"):
        solution.bytes_per_token(tokenizer, "")


# --- the lab against the library ---


def alphabet_bytes(merges: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """The library's merges, spelled in bytes."""
    byte_of = unicode_to_bytes()
    left_and_right = [tuple(bytes(byte_of[ch] for ch in token) for token in pair) for pair in merges]
    return [(left, right) for left, right in left_and_right]


def lab_bytes(tokenizer: Any) -> list[tuple[bytes, bytes]]:
    """The lab's merges, spelled in bytes."""
    return [(tokenizer.vocab[left], tokenizer.vocab[right]) for left, right in tokenizer.merges]


def both_trained(
    texts: list[str], vocab_size: int, pattern: str, byte_order: Sequence[int]
) -> tuple[Any, BPETokenizer]:
    lab = solution.BPETokenizer.train(texts, vocab_size, pattern, byte_order=byte_order)
    counts = Counter(pretoken for text in texts for pretoken in SPLIT_OF[pattern](text))
    return lab, BPETokenizer.train_from_counts(counts, vocab_size, min_freq=1)


@every_pattern
@given(texts=st.lists(st.text("ab c'sT1é\n.!", max_size=30), max_size=6))
@settings(max_examples=150, deadline=None)
def test_merges_equal_the_librarys_when_bytes_are_numbered_alike(pattern: str, texts: list[str]) -> None:
    lab, library = both_trained(texts, 280, pattern, solution.GPT2_BYTE_ORDER)
    assert lab_bytes(lab) == alphabet_bytes(library.merges)


@every_pattern
@given(texts=st.lists(st.text("abT1!.'é", max_size=30), max_size=6))
@settings(max_examples=150, deadline=None)
def test_merges_equal_the_librarys_on_texts_whose_bytes_both_orders_rank_alike(pattern: str, texts: list[str]) -> None:
    # Every byte here prints as a character of its own, so its value and its stand-in are in the same order.
    lab, library = both_trained(texts, 280, pattern, range(256))
    assert lab_bytes(lab) == alphabet_bytes(library.merges)


def test_merges_differ_from_the_librarys_where_the_tie_rules_do() -> None:
    lab, library = both_trained(["ab c", "ab c"], 257, solution.GPT4_PATTERN, range(256))
    assert lab_bytes(lab) == [(b" ", b"c")]
    assert alphabet_bytes(library.merges) == [(b"a", b"b")]


@every_pattern
def test_merges_on_prose_equal_the_librarys(pattern: str) -> None:
    prose = (LAB / "README.md").read_text("utf-8")
    lab, library = both_trained(prose.split("\n\n"), 900, pattern, solution.GPT2_BYTE_ORDER)
    assert len(library.merges) == 900 - 256
    assert lab_bytes(lab) == alphabet_bytes(library.merges)


def test_ids_equal_the_librarys_when_bytes_are_numbered_alike() -> None:
    prose = (LAB / "README.md").read_text("utf-8")
    lab, library = both_trained([prose], 700, solution.GPT2_PATTERN, solution.GPT2_BYTE_ORDER)
    assert lab.encode(prose) == library.encode(prose)


# --- GPT-2's merges in the lab's class ---


@pytest.fixture(scope="module")
def gpt2() -> Any:
    merges = json.loads(GPT2.read_text("utf-8"))["model"]["merges"]
    lines = [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]
    return solution.BPETokenizer.from_gpt2_merges("\n".join(["#version: 0.2", *lines, ""]))


@pytest.fixture(scope="module")
def judge() -> tiktoken.Encoding:
    """tiktoken's GPT-2, built from our fixture: its own download is not needed."""
    vocab = json.loads(GPT2.read_text("utf-8"))["model"]["vocab"]
    byte_of = unicode_to_bytes()
    ranks = {bytes(byte_of[ch] for ch in token): id for token, id in vocab.items() if token != "<|endoftext|>"}
    pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
    return tiktoken.Encoding("gpt2", pat_str=pattern, mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 50256})


def test_gpt2s_merges_have_gpt2s_vocabulary(gpt2: Any, judge: tiktoken.Encoding) -> None:
    assert len(gpt2.merges) == 50_000
    assert [gpt2.vocab[id] for id in range(50_257)] == [judge.decode_single_token_bytes(id) for id in range(50_257)]


def test_gpt2s_merges_give_tiktokens_ids(gpt2: Any, judge: tiktoken.Encoding) -> None:
    assert gpt2.encode("Hi 你!") == [17250, 220, 19526, 254, 0]
    rng = random.Random(4)
    texts = [
        (LAB / "README.md").read_text("utf-8"),
        (LAB / "solution.py").read_text("utf-8"),
        "####  # # $$  \u00a0\u3000\n\n  don't DON'T 12345",
        "a<|endoftext|>b<|endoftext|>",
        *("".join(rng.choices("etaoin shrdlu'ETA\n\t12.é你🙂\u0c46", k=30)) for _ in range(500)),
    ]
    for text in texts:
        assert gpt2.encode(text, "all") == judge.encode(text, allowed_special="all")
        assert gpt2.encode(text, "none") == judge.encode_ordinary(text)
        assert gpt2.decode(judge.encode_ordinary(text)) == text


def test_gpt2s_merges_are_read_with_and_without_a_header() -> None:
    with_header = solution.BPETokenizer.from_gpt2_merges("#version: 0.2\n# #\nĠ t\n")
    assert list(with_header.merges) == [(2, 2), (220, 83)]
    assert solution.BPETokenizer.from_gpt2_merges("# #\nĠ t").merges == with_header.merges

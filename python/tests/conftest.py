"""What the maintainers' tests share: the two real tokenizers, the libraries they are compared with, and how hypothesis runs."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Helper modules of the tests (`import oracles`): in the way that pytest imports test files they could not see each other.
sys.path.insert(0, str(Path(__file__).parent / "support"))

# The same examples in every run: a verdict must not depend on the day. `make fuzz` is for new examples.
hypothesis.settings.register_profile(
    "suite",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("suite")

# `fast` are the core's own tests, under 5 s together: what scripts/mutation.py runs for each mutant. Most files mark
# themselves; these are of modules that the core stands on.
FAST = {"test_base.py", "test_bytemap.py", "test_trie.py"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fast: the core's own tests, which `make mutation` runs for each mutant")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in FAST and item.path.parent.name == "tok":
            item.add_marker(pytest.mark.fast)
    # The slow ones first: with several workers the run then ends in short tests, and none waits long for another.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    # What there is by now stays to the end, a million characters among it: the collector need not look at it again and again.
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker that is done takes over half of what another still has to do."""
    if config.getoption("dist") != "load":  # someone asked for another way
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


FIXTURES = Path(__file__).parents[2] / "course" / "fixtures"


@pytest.fixture(scope="session")
def gpt2():
    """GPT-2, from its real file."""
    from tinyllm.tok.bpe import BPETokenizer

    return BPETokenizer.from_hf_json(FIXTURES / "gpt2" / "tokenizer.json")


@pytest.fixture(scope="session")
def smollm2():
    """SmolLM2, from its real file."""
    from tinyllm.tok.bpe import BPETokenizer

    return BPETokenizer.from_hf_json(FIXTURES / "smollm2" / "tokenizer.json")


@pytest.fixture(scope="session")
def hf_gpt2():
    return pytest.importorskip("tokenizers").Tokenizer.from_file(str(FIXTURES / "gpt2" / "tokenizer.json"))


@pytest.fixture(scope="session")
def hf_smollm2():
    return pytest.importorskip("tokenizers").Tokenizer.from_file(str(FIXTURES / "smollm2" / "tokenizer.json"))


@pytest.fixture(scope="session")
def tiktoken_gpt2():
    pytest.importorskip("tiktoken")
    import oracles

    return oracles.tiktoken_gpt2()


@pytest.fixture(scope="session")
def gpt2_files(tmp_path_factory):
    """The two files of the GPT-2 release, written from the tokenizer.json: (vocab.json, merges.txt)."""
    import json

    file = json.loads((FIXTURES / "gpt2" / "tokenizer.json").read_text("utf-8"))
    folder = tmp_path_factory.mktemp("gpt2")
    (folder / "vocab.json").write_text(json.dumps(file["model"]["vocab"]), "utf-8")
    lines = [merge if isinstance(merge, str) else " ".join(merge) for merge in file["model"]["merges"]]
    (folder / "merges.txt").write_bytes("\n".join(["#version: 0.2", *lines, ""]).encode())
    return folder / "vocab.json", folder / "merges.txt"

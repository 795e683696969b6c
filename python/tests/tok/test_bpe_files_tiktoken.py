"""tiktoken's rank files, in small. Real ones, and how merges are found in them, are in `test_from_tiktoken.py`."""

from base64 import b64encode

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splits import CL100K_TIKTOKEN_PATTERN, O200K_PATTERN

pytestmark = pytest.mark.fast


@pytest.fixture
def path(tmp_path):
    """Ranks 0 to 255 are the bytes; 256 is "ab"."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab"]
    lines = [f"{b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens)]
    (tmp_path / "ranks.tiktoken").write_text("".join(lines))
    return tmp_path / "ranks.tiktoken"


def test_ids_are_ranks_and_nothing_is_added(path) -> None:
    tokenizer = BPETokenizer.from_tiktoken(path, "gpt2")
    assert tokenizer.encode("ab é") == [256, 0x20, 0xC3, 0xA9]
    assert (tokenizer.merges, tokenizer.added, tokenizer.vocab_size) == ([("a", "b")], {}, 257)
    assert tokenizer.pre_tokenizer["type"] == "ByteLevel"


@pytest.mark.parametrize("split, pattern", [("cl100k", CL100K_TIKTOKEN_PATTERN), ("o200k", O200K_PATTERN)])
def test_the_split_is_the_one_that_is_named(path, split: str, pattern: str) -> None:
    """tiktoken's own cl100k is not quite that of tokenizer.json files."""
    tokenizer = BPETokenizer.from_tiktoken(path, split)
    assert tokenizer.pre_tokenizer["pretokenizers"][0]["pattern"] == {"Regex": pattern}


@pytest.mark.parametrize("split", ["GPT2", "cl100k_tiktoken", "", None], ids=repr)
def test_another_name_is_refused(path, split: object) -> None:
    with pytest.raises(ValueError, match=f"split is {split!r}; it must be one of gpt2, cl100k, o200k"):
        BPETokenizer.from_tiktoken(path, split)

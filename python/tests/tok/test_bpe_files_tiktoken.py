"""tiktoken's rank files, in small. Real ones, and how merges are found in them, are in `test_from_tiktoken.py`."""

from base64 import b64encode

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.splits import CHOICES, CL100K_TIKTOKEN_PATTERN, of_tiktoken

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


@pytest.mark.parametrize("name", CHOICES)
def test_the_split_is_the_one_that_is_named(path, name: str) -> None:
    assert BPETokenizer.from_tiktoken(path, name).pre_tokenizer == of_tiktoken(name).declaration


def test_tiktokens_own_cl100k_is_not_quite_that_of_tokenizer_json_files(path) -> None:
    tokenizer = BPETokenizer.from_tiktoken(path, "cl100k")
    assert tokenizer.pre_tokenizer["pretokenizers"][0]["pattern"] == {"Regex": CL100K_TIKTOKEN_PATTERN}


@pytest.mark.parametrize("split", ["GPT2", "cl100k_tiktoken", "", None], ids=repr)
def test_another_name_is_refused(path, split: object) -> None:
    with pytest.raises(ValueError, match=f"split is {split!r}; it must be one of gpt2, cl100k, o200k"):
        BPETokenizer.from_tiktoken(path, split)

"""check_ids, strict: an iterable of anything, and a size. What is no id in it is a TypeError that the contract names."""

from tinyllm.tok.guard import id_list, is_id, require
from tinyllm.tok.unguarded_base import Tokenizer
from tinyllm.tok.unguarded_base import check_ids as unguarded

__all__ = ["Tokenizer", "check_ids"]


def check_ids(ids, vocab_size):
    id_list(ids)
    require(is_id(vocab_size) and vocab_size >= 0, f"vocab_size is {vocab_size!r}")
    return unguarded(ids, vocab_size)

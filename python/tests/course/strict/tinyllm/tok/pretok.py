"""The pre-tokenizer, strict: only characters that every version of Unicode puts into one class. White_Space has been the same in all."""

from tinyllm.tok.guard import classed_text, require, scalar_text
from tinyllm.tok.unguarded_pretok import is_space

from tinyllm.tok import unguarded_pretok as unguarded

__all__ = ["is_letter", "is_number", "is_space", "pretokenize_gpt2", "split_digits"]


def is_letter(ch: str) -> bool:
    classed_text(ch, "ch")
    return unguarded.is_letter(ch)


def is_number(ch: str) -> bool:
    classed_text(ch, "ch")
    return unguarded.is_number(ch)


def pretokenize_gpt2(text: str) -> list[str]:
    _check(text)
    return unguarded.pretokenize_gpt2(text)


def split_digits(text: str, individual: bool = True) -> list[str]:
    _check(text)
    require(isinstance(individual, bool), f"individual is {individual!r}")
    return unguarded.split_digits(text, individual)


def _check(text):
    classed_text(text, "text")
    if isinstance(text, str):
        scalar_text(text, "text")

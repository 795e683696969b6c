"""What the strict modules share: each stands before a correct one, called `unguarded_NAME`, and lets in only what the
contract promises an outcome for, an exception that it names included. What a test passes beside that is its mistake."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from tinyllm.tok.changing import CHANGING  # the characters that versions of Unicode put into different classes


class OutsideContract(BaseException):
    """An input for which the contract promises nothing. No Exception: `pytest.raises(ValueError)` must not take it."""


def require(holds: bool, what: str) -> None:
    if not holds:
        raise OutsideContract(what)


def is_id(value: Any) -> bool:
    return type(value) is int


def scalar_text(value: Any, what: str) -> None:
    """A str that is valid Unicode."""
    require(isinstance(value, str), f"{what} is {value!r}, no str")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        require(False, f"{what} has a lone surrogate")


def classed_text(value: Any, what: str) -> None:
    """A str of characters that letters, numbers and white space are told apart in by every version of Unicode alike."""
    if isinstance(value, str):  # anything else is a TypeError that the contract names
        changing = CHANGING.intersection(value)
        require(not changing, f"{what} has {sorted(changing)!a}, whose class depends on the version of Unicode")


def scalar_texts(values: Any, what: str) -> Iterator[str]:
    """Texts one at a time, each held to `scalar_text`. One str is an iterable of str that nobody means."""
    require(isinstance(values, Iterable) and not isinstance(values, (str, bytes)), f"{what} is {values!r}, not texts")

    def each() -> Iterator[str]:
        for value in values:
            scalar_text(value, f"one of {what}")
            yield value

    return each()


def special_list(specials: Any) -> None:
    require(isinstance(specials, (list, tuple)), f"specials is {specials!r}, no sequence of str")
    for special in specials:
        scalar_text(special, "a special")


def path_name(value: Any) -> None:
    require(isinstance(value, (str, os.PathLike)), f"{value!r} is no path")


def id_list(ids: Any) -> None:
    require(isinstance(ids, Iterable) and not isinstance(ids, (str, bytes)), f"{ids!r} is no iterable of ids")


class Guarded:
    """What every Tokenizer's methods demand."""

    def encode_batch(self, texts):
        if not isinstance(texts, str):  # that is the TypeError of the contract
            require(isinstance(texts, (list, tuple)), f"texts is {texts!r}, no sequence")
        return super().encode_batch(texts)

    def decode(self, ids, skip_special=False):
        id_list(ids)
        require(isinstance(skip_special, bool), f"skip_special is {skip_special!r}")
        return super().decode(ids, skip_special)

    def token_to_id(self, token):
        require(isinstance(token, str), f"the token is {token!r}")
        return super().token_to_id(token)

    def save(self, path):
        path_name(path)
        super().save(path)

    @classmethod
    def load(cls, path):
        path_name(path)
        return super().load(path)

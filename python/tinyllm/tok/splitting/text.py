"""What may be split and encoded: a str that is valid Unicode."""

from __future__ import annotations


def check_text(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__} ({text!r:.40})")
    at = lone_surrogate(text)
    if at is not None:
        raise ValueError(f"text is not valid Unicode: position {at} is the lone surrogate U+{ord(text[at]):04X}")


def lone_surrogate(text: str) -> int | None:
    """The position of the first half of a surrogate pair, or None in valid Unicode text."""
    if not text.isascii():
        try:
            text.encode("utf-16-le")  # which refuses what utf-8 refuses, in a quarter of the time
        except UnicodeEncodeError as error:
            return error.start
    return None

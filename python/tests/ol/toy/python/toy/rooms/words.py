"""Numbers in words."""

from .digits import DIGITS


def spelled(number: int) -> str:
    return " ".join(DIGITS[int(digit)] for digit in str(number))

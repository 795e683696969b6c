"""The one kind of error that `ol` shows to people: one line, exit code 2."""

from __future__ import annotations

from .output import complain, emit, printable


class OlError(Exception):
    """What was met, where, and what would be right. `next` is the one next action, if there is one to name."""

    def __init__(self, message: str, next: str = "") -> None:
        super().__init__(message)
        self.next = next


def fail(message: str, next: str = "") -> int:
    """One line on standard error, the next step on standard output; the exit code for what could not be judged."""
    complain(f"ol: {message}")
    if next:
        emit(f"Next: {printable(next)}\n")
    return 2

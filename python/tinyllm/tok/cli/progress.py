"""How far a long command is: a bar on a terminal, plain lines elsewhere, always on standard error.

A log or a notebook that is shown a bar fills with control characters, so a bar is drawn only where a person watches.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

from tinyllm.tok.cli.terminal import is_terminal, note

if TYPE_CHECKING:
    from typing import Self

    from rich import progress


class Progress:
    """Tells how far a command is while the `with` block runs; one stage after the other."""

    def __init__(self) -> None:
        self._bar = _bar() if is_terminal(sys.stderr) else None
        self._task: progress.TaskID | None = None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def stage(self, title: str, total: int | None = None) -> None:
        """Begin the next stage; `total` steps, or None where nobody can say."""
        if self._bar is None:
            note(title)
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(title, total=total)


def _bar() -> progress.Progress:
    """A bar that is wiped when it is done. rich takes 0.1 s to import: only who sees a bar pays."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)

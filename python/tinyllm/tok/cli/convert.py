"""`tok convert` and `tok info`: tokenizer.json and GPT-2's two files, both ways; and what a file holds."""

from __future__ import annotations

import json
import os
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tinyllm.tok.base import Tokenizer
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.cli.outputs import check_no_input, check_output
from tinyllm.tok.cli.terminal import facts, named, next_step, quoted, visible
from tinyllm.tok.files.gpt2 import END_OF_TEXT
from tinyllm.tok.jsonfile import shown, write_text
from tinyllm.tok.pipeline.tokenizer import Pipeline
from tinyllm.tok.pretrained import load, path_of
from tinyllm.tok.splits import BYTE_LEVEL

MOST_ADDED = 40  # added tokens that `tok info` lists


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command("convert")(convert)
    app.command("info")(info)


def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="VOCAB MERGES|FILE",
            show_default=False,
            help="GPT-2's two files, or a tokenizer.json, gpt2 or smollm2.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE|DIR",
            show_default=False,
            help="The tokenizer.json, or the folder of the two files.",
        ),
    ],
) -> None:
    """Convert tokenizer.json to GPT-2's two files, or back.

    Two files, VOCAB MERGES, become the tokenizer.json that -o names; one becomes vocab.json and merges.txt in the folder
    that -o names. The ids stay the same. A tokenizer.json with something that the two files cannot hold is refused, by name: other
    added tokens than <|endoftext|>, or another split than GPT-2's.

    \b
    Examples
      tok convert vocab.json merges.txt -o tokenizer.json
      tok convert gpt2 -o gpt2/
    """
    if len(files) == 2:
        if os.path.isdir(out):
            raise ValueError(f"-o {out} is a folder; two files become one FILE, the tokenizer.json")
        check_output("-o", out, files)
        tokenizer = BPETokenizer.from_gpt2(*files)
        tokenizer.save(out)
        written = [out]
        usable = out
    elif len(files) == 1:
        tokenizer, usable = _gpt2_form(load(files[0]), files[0]), files[0]
        if not out:
            raise ValueError("-o is empty; name a folder")
        if out.endswith(".json"):
            raise ValueError(
                f"-o {out} looks like a file; one tokenizer.json becomes a folder with vocab.json and merges.txt"
            )
        for name in ("vocab.json", "merges.txt"):
            check_no_input("-o", os.path.join(out, name), files)
        written = write_gpt2(tokenizer, out)
    else:
        raise ValueError(f"{len(files)} files; give two, VOCAB MERGES, or one tokenizer.json")
    facts(
        ("ids", f"{tokenizer.vocab_size:,}"),
        ("merges", f"{len(tokenizer.merges):,}"),
        ("wrote", ", ".join(map(named, written))),
    )
    next_step(f"tok info {quoted(usable)}")


def _gpt2_form(tokenizer: Tokenizer, name: str) -> BPETokenizer:
    """The tokenizer, if GPT-2's two files can hold it. Raises ValueError naming what they cannot."""

    def refuse(what: str) -> ValueError:
        return ValueError(f"{name}: {what}; GPT-2's two files cannot say so, and without it the ids would be others")

    if isinstance(tokenizer, Pipeline):
        raise ValueError(
            f"{name}: GPT-2's two files hold a vocabulary and merges; {_beyond_gpt2(tokenizer)} cannot be said in them"
        )
    if not isinstance(tokenizer, BPETokenizer):
        raise refuse(f"model.type makes it a {type(tokenizer).__name__}")
    if _split(tokenizer) != BYTE_LEVEL["type"]:
        raise refuse(f"pre_tokenizer is {_split(tokenizer)}, not ByteLevel alone")
    for content, id in tokenizer.added.items():
        if content != END_OF_TEXT:
            raise refuse(f"added_tokens has {content!r}")
        if id not in tokenizer.special_ids:
            raise refuse(f"added_tokens has {content!r} that is not special")
    if END_OF_TEXT in tokenizer.vocab and END_OF_TEXT not in tokenizer.added:
        raise refuse(f"model.vocab has {END_OF_TEXT!r}, which is no added token")
    for rank, pair in enumerate(tokenizer.merges):
        # A line is two tokens separated by one space; readers take "\r\n" for its end.
        if any(ch in part for part in pair for ch in " \n\r"):
            raise refuse(f"model.merges[{rank}] is {shown(pair)}, with white space in a token")
    return tokenizer


def _beyond_gpt2(tokenizer: Pipeline) -> str:
    """What a wide tokenizer has that GPT-2's two files cannot say, by name."""
    parts, model = tokenizer.parts, tokenizer.parts.model
    others = [token for token in parts.added_tokens.tokens if token.content != END_OF_TEXT]
    found = {
        "truncation": parts.truncation,
        "padding": parts.padding,
        f"a normalizer ({parts.normalizer.words() if parts.normalizer else 'none'})": parts.normalizer,
        f"{len(others):,} added token{'s' if len(others) > 1 else ''}": others,
        "another split than GPT-2's": not _is_gpt2_split(tokenizer.declaration.get("pre_tokenizer")),
        "a post-processor that puts tokens in": parts.post_processor and parts.post_processor.ids(),
        "another decoder than ByteLevel": not tokenizer.decodes_by_bytes,
        "ignore_merges": model.ignore_merges,
        "unk_token": model.unk_token is not None,
        "byte_fallback": model.byte_fallback,
        "continuing_subword_prefix": model.prefix,
        "end_of_word_suffix": model.suffix,
    }
    named = [what for what, there in found.items() if there]
    return ", ".join(named) or "ids with gaps, or flags of <|endoftext|>,"


def _is_gpt2_split(declared: object) -> bool:
    return (
        isinstance(declared, dict)
        and declared.get("type") == "ByteLevel"
        and declared.get("add_prefix_space") is False
        and declared.get("use_regex", True) is True
    )


def write_gpt2(tokenizer: BPETokenizer, folder: str) -> list[str]:
    """Write vocab.json and merges.txt into `folder`, which is made if it is missing. Returns their paths. Raises OSError.

    Both files are complete, and read back as the same tokenizer, before either takes its place. A new vocabulary beside
    old merges would give other ids without an error, so old merges go first: an interruption leaves the old pair, the
    new pair, or a pair with a file missing.
    """
    os.makedirs(folder, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".tok-convert-") as drafts:
        vocab = {**tokenizer.vocab, **tokenizer.added}
        text = json.dumps(dict(sorted(vocab.items(), key=lambda entry: entry[1])))
        draft_vocab, draft_merges = (os.path.join(drafts, name) for name in ("vocab.json", "merges.txt"))
        write_text(draft_vocab, text)
        write_text(draft_merges, "".join(f"{line}\n" for line in ["#version: 0.2", *map(" ".join, tokenizer.merges)]))
        _check_same(BPETokenizer.from_gpt2(draft_vocab, draft_merges), tokenizer)
        paths = [os.path.join(folder, "vocab.json"), os.path.join(folder, "merges.txt")]
        if os.path.lexists(paths[1]):
            os.unlink(paths[1])
        for draft, path in zip((draft_vocab, draft_merges), paths):
            os.replace(draft, path)
    return paths


def _check_same(written: BPETokenizer, tokenizer: BPETokenizer) -> None:
    """Raise ValueError unless what was written reads back as the same tokenizer: a last guard against silent loss."""
    if written.vocab != {**tokenizer.vocab, **tokenizer.added}:
        raise ValueError("GPT-2's two files cannot hold this tokenizer: its vocabulary would read back otherwise")
    for name in ("merges", "added", "special_ids"):
        if getattr(written, name) != getattr(tokenizer, name):
            raise ValueError(f"GPT-2's two files cannot hold this tokenizer: its {name} would read back otherwise")


def info(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="A tokenizer.json, gpt2 or smollm2.")],
) -> None:
    """Show what a tokenizer file holds.

    \b
    Examples
      tok info smollm2
      tok info tok.json
    """
    tokenizer = load(file)
    facts(
        ("file", named(str(path_of(file)))),
        ("class", type(tokenizer).__name__),
        ("ids", f"{tokenizer.vocab_size:,}"),
        *(_about_bpe(tokenizer) if isinstance(tokenizer, BPETokenizer) else []),
        *(tokenizer.describe() if isinstance(tokenizer, Pipeline) else []),
        *_about_added(tokenizer),
    )
    next_step(f'tok encode --tokenizer {quoted(file)} --tokens "Hi there"')


def _about_bpe(tokenizer: BPETokenizer) -> list[tuple[str, str]]:
    longest = max(tokenizer.vocab.keys() - tokenizer.added.keys(), key=lambda token: (len(token), token), default="")
    missing = [f"{byte:02X}" for byte, stand_in in bytes_to_unicode().items() if stand_in not in tokenizer.vocab]
    lost = (
        f"{len(missing)} have no token and are dropped: {' '.join(sorted(missing))}" if missing else "each has a token"
    )
    return [
        ("merges", f"{len(tokenizer.merges):,}"),
        ("split", _split(tokenizer)),
        ("bytes", lost),
        ("longest token", f"{len(longest)} symbols: {visible(longest[:40])}{'...' if len(longest) > 40 else ''}"),
    ]


def _split(tokenizer: BPETokenizer) -> str:
    """The types of the steps that cut a text into pre-tokens."""
    declared = tokenizer.pre_tokenizer
    return ", then ".join(str(step["type"]) for step in declared.get("pretokenizers", [declared]))


def _about_added(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    added = getattr(tokenizer, "added", None)
    ids = tokenizer.special_ids if added is None else added.values()
    lines = [
        f"{id} {visible(tokenizer.id_to_token(id))}" + ("" if id in tokenizer.special_ids else " (not special)")
        for id in sorted(ids)
    ]
    name = (
        "their ids" if isinstance(tokenizer, Pipeline) else "added tokens"
    )  # a Pipeline's parts say how many there are
    if isinstance(tokenizer, Pipeline) and not lines:
        return []
    if len(lines) > MOST_ADDED:
        lines = [*lines[: MOST_ADDED - 1], f"and {len(lines) - MOST_ADDED + 1:,} more"]
    return [(name if i == 0 else "", line) for i, line in enumerate(lines)] or [(name, "none")]

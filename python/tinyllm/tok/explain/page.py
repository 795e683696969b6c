"""A trace as one HTML file: no server, no network, nothing beside it.

The page is page_assets/page.html with its style and scripts put in. What it shows is JSON inside it, which the scripts put on
the screen as text, never as markup; the browser is told to load nothing and to run no other script than this one, by its hash.
A live page also carries the tokenizer, the class table and the port `course/ports/bpe.mjs`, and so encodes what is typed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Collection
from dataclasses import asdict
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.explain.display import change_lines, display
from tinyllm.tok.explain.encoding import trace_encode
from tinyllm.tok.explain.pipeline import is_byte_level
from tinyllm.tok.explain.records import EncodeTrace, PairCount, PipelineTrace, TrainTrace
from tinyllm.tok.explain.training import trace_train
from tinyllm.tok.jsonfile import write_text
from tinyllm.tok.pipeline.tokenizer import Pipeline
from tinyllm.tok.pretrained import course_file

if TYPE_CHECKING:
    from tinyllm.tok.bpe import BPETokenizer

ASSETS = Path(__file__).resolve().parent / "page_assets"
SCRIPTS = ("display.js", "player.js", "tokens.js", "encode.js", "train.js", "main.js")
LISTED = 24  # pairs and pre-tokens that the train view lists
STEPS = 40  # merges that the train view learns unless told otherwise


def write_page(
    path: str | os.PathLike[str],
    tokenizer: BPETokenizer | Pipeline,
    text: str,
    *,
    name: str = "",
    train: TrainTrace | None = None,
    live: bool = False,
    opened: Literal["encode", "train", "bytes"] = "encode",
    allowed_special: Literal["all", "none"] | Collection[str] = "all",
) -> None:
    """Write the page that shows how `tokenizer` encodes `text`; an existing file is replaced whole or not at all.

    `name` says in the page which tokenizer it is. `train` is what the train view shows; without it, up to 40 merges learned
    from `text` itself. `opened` is the view to begin with. `live` adds a field to type in: the file grows by the tokenizer.
    For a `Pipeline` it says how the text was changed and what was put around it.
    Raises what `trace_encode` raises, OSError, and ValueError for a `live` page with a tokenizer that the port cannot run.
    """
    write_text(
        path, page(tokenizer, text, name=name, train=train, live=live, opened=opened, allowed_special=allowed_special)
    )


def page(
    tokenizer: BPETokenizer | Pipeline,
    text: str,
    *,
    name: str = "",
    train: TrainTrace | None = None,
    live: bool = False,
    opened: Literal["encode", "train", "bytes"] = "encode",
    allowed_special: Literal["all", "none"] | Collection[str] = "all",
) -> str:
    """The HTML that `write_page` writes."""
    trace = trace_encode(tokenizer, text, allowed_special=allowed_special)
    changes, byte_level = [], True
    if isinstance(tokenizer, Pipeline) and isinstance(trace, PipelineTrace):
        changes, byte_level = change_lines(tokenizer, trace), is_byte_level(tokenizer)
    if train is None:
        train = trace_train([text], 256 + STEPS)
    shown = {
        "view": opened,
        "byte_level": byte_level,
        "alphabet": list(bytes_to_unicode().values()),
        "missing": [byte for byte, stand_in in bytes_to_unicode().items() if stand_in not in tokenizer.vocab],
        "special": allowed_special if isinstance(allowed_special, str) else sorted(allowed_special),
        "encode": asdict(trace),
        "train": _short(train),
    }
    scripts = [_asset(script) for script in SCRIPTS]
    embedded = ""
    if live:
        scripts = [_course("ports/bpe.mjs"), *scripts, _asset("trace.js"), _asset("live.js")]
        embedded = _json_script("tokenizer", _tokenizer_json(tokenizer))
        embedded += _json_script("classes", _course("fixtures/unicode16/classes.json"))
    script = "\n".join(scripts)
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode("ascii")
    heading = display(text) or "an empty text"
    blanks = {
        "title": escape(f"{heading if len(heading) <= 60 else heading[:59] + '…'} in tokens"),
        "heading": escape(heading),
        "tokenizer": escape(
            f"{display(name).replace('␣', ' ') or 'a tokenizer'}, {'byte-level ' if byte_level else ''}BPE, {len(tokenizer.merges):,} merges"
        ),
        "summary": escape(_summary(trace)),
        "changes": "".join(f'\n  <p class="soft" dir="auto">{escape(line)}</p>' for line in changes),
        "ids": escape(" ".join(map(str, trace.ids)) or "none"),
        "style": _asset("page.css"),
        "script_hash": f"'sha256-{digest}'",
        "data": _safe(json.dumps(shown)),
        "embedded": embedded,
        "script": script,
    }
    parts = _asset("page.html").split("{{")  # filled in one pass: what is filled in may itself have "{{" in it
    return parts[0] + "".join(blanks[part.partition("}}")[0]] + part.partition("}}")[2] for part in parts[1:])


def _summary(trace: EncodeTrace) -> str:
    return f"{len(trace.text):,} characters, {len(trace.text.encode('utf-8')):,} bytes, {len(trace.ids):,} tokens"


def _short(train: TrainTrace) -> dict[str, Any]:
    """The trace as far as the page shows it: the best pairs of each step, the first pre-tokens, and how many there are."""

    def best(pairs: tuple[PairCount, ...]) -> list[dict[str, Any]]:
        return [asdict(pair) for pair in pairs[:LISTED]]

    steps = [
        {
            "rank": step.rank,
            "id": step.id,
            "token": step.token,
            "chosen": asdict(step.chosen),
            "tied": best(step.tied),
            "tied_total": len(step.tied),
            "pairs": best(step.pairs),
            "pairs_total": len(step.pairs),
            "changed": [asdict(change) for change in step.changed if change.pretoken < LISTED],
        }
        for step in train.steps
    ]
    return {
        "pretokens": [asdict(pretoken) for pretoken in train.pretokens[:LISTED]],
        "pretokens_total": len(train.pretokens),
        "steps": steps,
        "stopped": train.stopped,
        "pairs_left": best(train.pairs_left),
        "pairs_left_total": len(train.pairs_left),
    }


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _course(path: str) -> str:
    return course_file(path).read_text(encoding="utf-8")


def _tokenizer_json(tokenizer: BPETokenizer | Pipeline) -> str:
    """The tokenizer as a file spells it. The page's port knows GPT-2's split, alone or after Digits."""
    if isinstance(tokenizer, Pipeline):
        raise ValueError("a live page runs the tokenizers that BPETokenizer reads, and this is a Pipeline")
    steps = tokenizer.pre_tokenizer.get("pretokenizers", [tokenizer.pre_tokenizer])
    for step in steps:
        if step["type"] not in ("ByteLevel", "Digits"):
            raise ValueError(
                f"a live page knows GPT-2's split and Digits; this tokenizer's pre_tokenizer has {step['type']}"
            )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        tokenizer.save(file)
        return json.dumps(json.loads(file.read_text(encoding="utf-8")), ensure_ascii=False, separators=(",", ":"))


def _json_script(id: str, text: str) -> str:
    return f'<script type="application/json" id="{id}">{_safe(text)}</script>\n'


def _safe(text: str) -> str:
    """JSON that cannot end the element it stands in."""
    return text.replace("<", "\\u003c")

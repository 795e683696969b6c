"""Lab 04's study: what a split pattern costs Telugu, English and code; where the curves flatten; unigram beside BPE.

    make study                                   fetches the text (once), measures, and writes the page's tables
    python python/scripts/study.py --tables      only writes the tables of STUDY.md again, from the CSV files

Every number of course/labs/04_tokenizer/STUDY.md comes from here: measurements go into CSV files in the folder study beside
it, and its tables are made from those files. About five minutes on two idle cores; downloads 100 MB.
"""

from __future__ import annotations

import csv
import datetime
import importlib.metadata
import io
import json
import os
import platform
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from study_text import Corpus, Fetched, texts

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.cli.measure import draw_curves
from tinyllm.tok.measure import WORD, CurvePoint, curve, flattens_at, measure
from tinyllm.tok.pretrained import load
from tinyllm.tok.splits import NEWER, O200K_PATTERN
from tinyllm.tok.unigram import UnigramTokenizer

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "course/labs/04_tokenizer/STUDY.md"
OUT = PAGE.parent / "study"
DOWNLOADS = ROOT / "build/study"

VOCAB_SIZE = 8192  # of the two tokenizers that are compared
SIZES = [1000 << i for i in range(6)]  # 1,000 to 32,000
GAIN = 0.05  # a curve is flat where doubling the vocabulary brings less than this
UNIGRAM_SIZE = 4096
LONGEST = 16  # bytes of a token, where trainers are compared
SHOWN = 12  # words whose segmentations are shown
VIRAMA = "\u0c4d"


def main() -> None:
    """Measure everything, unless only the tables are asked for."""
    if sys.argv[1:] not in ([], ["--tables"]):
        raise SystemExit("usage: study.py [--tables]")
    if not sys.argv[1:]:
        OUT.mkdir(exist_ok=True)
        corpora, fetched = texts(DOWNLOADS)
        study_sources(corpora, fetched)
        study_patterns(corpora)
        study_curves(corpora)
        study_unigram(corpora["Telugu"])
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")


# ---- the measurements ----


def study_sources(corpora: dict[str, Corpus], fetched: Sequence[Fetched]) -> None:
    """Where and with what this was measured, and on how much text."""
    versions = {name: importlib.metadata.version(name) for name in ("tokenizers", "sentencepiece", "matplotlib")}
    environment = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "Python": platform.python_version(),
        **versions,
    }
    write("environment", [{"what": name, "value": value} for name, value in environment.items()])
    write(
        "sources",
        [
            {
                "registry": found.package.registry,
                "package": found.package.name,
                "version": found.version,
                "licence": found.package.licence,
                "sha256": found.sha256,
            }
            for found in fetched
        ],
    )
    rows = []
    for name, corpus in corpora.items():
        for part, documents in (
            ("training", corpus.training),
            ("held out", corpus.held_out),
            ("declaration", corpus.declaration),
        ):
            if documents:
                size = sum(len(document.encode()) for document in documents)
                words = sum(len(WORD.findall(document)) for document in documents)
                characters = sum(map(len, documents))
                rows.append(
                    {
                        "text": name,
                        "part": part,
                        "documents": len(documents),
                        "bytes": size,
                        "characters": characters,
                        "words": words,
                    }
                )
    write("corpora", rows)


def study_patterns(corpora: dict[str, Corpus]) -> None:
    """Two tokenizers of equal size on the same Telugu and English text, and two real ones, on text that none has seen."""
    languages = ("Telugu", "English")
    training = [document for name in languages for document in corpora[name].training]
    trained = {}
    for split in NEWER:
        say(f"training {VOCAB_SIZE} ids with the split of {split}")
        trained[split] = BPETokenizer.train(training, VOCAB_SIZE, pre_tokenizer=split)
    held_out = {name: corpora[name].held_out for name in languages}
    held_out |= {f"{name}, declaration": corpora[name].declaration for name in languages}
    write("patterns", [found.row() for found in measure(trained, held_out)])
    write("models", [found.row() for found in measure({name: load(name) for name in ("gpt2", "smollm2")}, held_out)])
    write("vocabularies", [{"split": split, **kinds_of_tokens(tokenizer)} for split, tokenizer in trained.items()])


def kinds_of_tokens(tokenizer: BPETokenizer) -> dict[str, int]:
    """How many tokens of the vocabulary are Telugu (all or part of it), how many other, how many end inside a character."""
    spelled = [tokenizer.token_bytes(id) for id in range(tokenizer.vocab_size)]
    telugu = [token for token in spelled if b"\xe0\xb0" in token or b"\xe0\xb1" in token]
    return {
        "vocab_size": len(spelled),
        "telugu": len(telugu),
        "telugu_split": sum(not is_text(token) for token in telugu),
        "longest_telugu_characters": max(len(token.decode().strip()) for token in telugu if is_text(token)),
    }


def study_curves(corpora: dict[str, Corpus]) -> None:
    """Bytes per token against vocabulary size: each text under each split, trained on its own, measured held out."""
    points: list[CurvePoint] = []
    for name, corpus in corpora.items():
        for split in NEWER:
            say(f"training {SIZES[-1]} ids on {name} with the split of {split}")
            trained = BPETokenizer.train(corpus.training, SIZES[-1], pre_tokenizer=split)
            points += curve(trained, {name: corpus.held_out}, SIZES, split=split)
    write("curves", [point.row() for point in points])
    draw_curves(points, str(OUT / "curves.svg"), "Bytes per token on held-out text")


def study_unigram(telugu: Corpus) -> None:
    """Unigram and BPE of equal size on Telugu; and our trainer beside Hugging Face's and SentencePiece's."""
    counts = count_pretokens(telugu.training, pre_tokenizer="o200k")
    rows = []
    for name, train in (
        ("Hugging Face", hugging_face_unigram),
        ("SentencePiece", sentencepiece_unigram),
        ("this library", our_unigram),
    ):
        say(f"training a unigram model of {UNIGRAM_SIZE} ids on Telugu: {name}")
        learned = train(telugu.training, counts)
        loss = viterbi_loss(rounded(learned), counts)
        rows.append({"trainer": name, "tokens": len(learned), "loss_per_byte": f"{loss:.4f}"})
    write("unigram_losses", rows)

    say("training the unigram model and the BPE that are compared")
    both = {
        "BPE": BPETokenizer.train_from_counts(counts, UNIGRAM_SIZE, pre_tokenizer="o200k"),
        "unigram": UnigramTokenizer.train_from_counts(counts, UNIGRAM_SIZE, pre_tokenizer="o200k"),
    }
    held_out = {"Telugu": telugu.held_out, "Telugu, declaration": telugu.declaration}
    rows = []
    for found in measure(both, held_out):
        cuts = cuts_of(both[found.tokenizer], held_out[found.text])
        rows.append({**found.row(), **{name: f"{count / cuts.total():.4f}" for name, count in cuts.items()}})
    write("unigram", rows)
    words = Counter(word.strip(",.") for document in telugu.declaration for word in WORD.findall(document))
    chosen = sorted((word for word in words if len(word) >= 8), key=lambda word: (-words[word], word))[:SHOWN]
    write(
        "segmentations",
        [
            {"word": word, **{name: spelled_apart(tokenizer, word) for name, tokenizer in both.items()}}
            for word in chosen
        ],
    )


def viterbi_loss(tokenizer: UnigramTokenizer, counts: Counter[str]) -> float:
    """How improbable the best spellings make the counted pre-tokens, in nats a byte."""
    loss = sum(
        count * sum(-tokenizer.scores[id] for id in tokenizer.encode(pretoken)) for pretoken, count in counts.items()
    )
    return loss / sum(count * len(pretoken.encode()) for pretoken, count in counts.items())


def our_unigram(documents: list[str], counts: Counter[str]) -> dict[str, float]:
    """What our trainer learns, with the limit on the length of tokens that the other two have."""
    trained = UnigramTokenizer.train_from_counts(counts, UNIGRAM_SIZE, pre_tokenizer="o200k", max_token_bytes=LONGEST)
    return dict(zip(trained.vocab, trained.scores))


def hugging_face_unigram(documents: list[str], counts: Counter[str]) -> dict[str, float]:
    """What Hugging Face's trainer learns from the same pre-tokens."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    theirs = Tokenizer(models.Unigram())
    split = pre_tokenizers.Split(Regex(O200K_PATTERN), "isolated")
    theirs.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    trainer = trainers.UnigramTrainer(
        vocab_size=UNIGRAM_SIZE,
        initial_alphabet=list(bytes_to_unicode().values()),
        max_piece_length=LONGEST,
        show_progress=False,
    )
    theirs.train_from_iterator(documents, trainer)
    return dict(json.loads(theirs.to_str())["model"]["vocab"])


def sentencepiece_unigram(documents: list[str], counts: Counter[str]) -> dict[str, float]:
    """What SentencePiece's trainer learns from the same pre-tokens, each given as a sentence in the byte alphabet."""
    import sentencepiece

    symbols = bytes_to_unicode()
    sentences = DOWNLOADS / "pretokens.tsv"
    lines = (
        "".join(map(symbols.__getitem__, pretoken.encode())) + f"\t{count}\n"
        for pretoken, count in sorted(counts.items())
    )
    sentences.write_text("".join(lines), "utf-8")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=str(sentences),
        input_format="tsv",
        model_writer=model,
        model_type="unigram",
        vocab_size=UNIGRAM_SIZE + 1,  # with <unk>, which it cannot do without
        unk_id=0,
        bos_id=-1,
        eos_id=-1,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        split_by_unicode_script=False,
        split_by_number=False,
        split_by_whitespace=False,
        character_coverage=1.0,
        max_sentencepiece_length=LONGEST,
        max_sentence_length=1 << 20,
        minloglevel=2,
    )
    found = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return {found.id_to_piece(id): found.get_score(id) for id in range(1, found.get_piece_size())}


def rounded(scores: dict[str, float]) -> UnigramTokenizer:
    """Another trainer's scores, rounded to what our files hold; a byte that it left out gets its lowest score."""
    lowest = min(scores.values())
    complete = {**dict.fromkeys(bytes_to_unicode().values(), lowest), **scores}
    return UnigramTokenizer(
        [(token, round(score * 8192) / 8192) for token, score in complete.items()], pre_tokenizer="o200k"
    )


def cuts_of(tokenizer: BPETokenizer | UnigramTokenizer, documents: Iterable[str]) -> Counter[str]:
    """Where tokens end inside words: in a character, in a syllable (before a sign or behind a virama), between syllables."""
    cuts = Counter(in_character=0, in_syllable=0, between_syllables=0)
    for document in documents:
        for word, count in Counter(WORD.findall(document)).items():
            tokens = [tokenizer.token_bytes(id) for id in tokenizer.encode(" " + word)]
            for i in range(1, len(tokens)):
                before, after = b"".join(tokens[:i]), b"".join(tokens[i:])
                if not is_text(before):
                    cuts["in_character"] += count
                elif before != b" ":
                    cuts[
                        "in_syllable" if is_inside_syllable(before.decode(), after.decode()) else "between_syllables"
                    ] += count
    return cuts


def is_inside_syllable(before: str, after: str) -> bool:
    """Whether a Telugu syllable goes on: a vowel sign or another mark follows, or a virama joins two consonants."""
    is_sign = after[0] in "\u0c00\u0c01\u0c02\u0c03\u0c3c" or "\u0c3e" <= after[0] <= "\u0c56" or after[0] == "\u200c"
    return is_sign or (before[-1] == VIRAMA and "\u0c15" <= after[0] <= "\u0c39")


def is_text(token: bytes) -> bool:
    """Whether the bytes are whole characters."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def spelled_apart(tokenizer: BPETokenizer | UnigramTokenizer, word: str) -> str:
    """The tokens of a word behind a space (shown as ␣), with bars between; what is no whole character is in hexadecimal."""
    tokens = [tokenizer.token_bytes(id) for id in tokenizer.encode(" " + word)]
    return "|".join(token.decode().replace(" ", "␣") if is_text(token) else f"<{token.hex(' ')}>" for token in tokens)


# ---- CSV files and the tables made from them ----


def write(name: str, rows: Sequence[dict[str, object]]) -> None:
    """Write study/NAME.csv."""
    with open(OUT / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})


def read(name: str) -> list[dict[str, str]]:
    """The rows of study/NAME.csv."""
    with open(OUT / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def with_tables(page: str) -> str:
    """The page with every table made anew: each stands between `<!-- table: NAME -->` and `<!-- end -->`."""

    def table(match: re.Match[str]) -> str:
        return f"<!-- table: {match[1]} -->\n{TABLES[match[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- table: (\w+) -->\n.*?<!-- end -->", table, page, flags=re.DOTALL)


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], numbers_from: int = 1) -> str:
    """A table; the columns from `numbers_from` on are set to the right."""
    rules = ["---" if i < numbers_from else "---:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, rules, *rows])


def whole(field: str) -> str:
    return f"{int(field):,}"


def table_environment() -> str:
    found = {row["what"]: row["value"] for row in read("environment")}
    versions = ", ".join(f"{name} {found[name]}" for name in ("Python", "tokenizers", "sentencepiece"))
    return f"Measured on {found['date']} on a machine of {found['machine']}; {versions}."


def table_sources() -> str:
    rows = [(row["package"], row["registry"], row["version"], row["licence"]) for row in read("sources")]
    return markdown(["package", "registry", "version", "licence"], rows, numbers_from=4)


def table_corpora() -> str:
    rows = [
        (row["text"], row["part"], *(whole(row[key]) for key in ("documents", "bytes", "characters", "words")))
        for row in read("corpora")
    ]
    return markdown(["text", "part", "documents", "bytes", "characters", "words"], rows, numbers_from=2)


def table_patterns() -> str:
    rows = read("patterns")
    lines = []
    for text in dict.fromkeys(row["text"] for row in rows):
        of_text = {row["tokenizer"]: row for row in rows if row["text"] == text}
        for split in NEWER:
            row = of_text[split]
            change = float(row["bytes_per_token"]) / float(of_text[NEWER[0]]["bytes_per_token"]) - 1
            numbers = [
                f"{float(row[key]):.3f}" for key in ("bytes_per_token", "tokens_per_word", "tokens_per_character")
            ]
            gain = "" if split == NEWER[0] else f"{change:+.1%}"
            lines.append((text, row["tokenizer"], whole(row["tokens"]), *numbers, gain))
    header = [
        "held-out text",
        "split",
        "tokens",
        "bytes per token",
        "tokens per word",
        "tokens per character",
        f"{', '.join(NEWER[1:])} against {NEWER[0]}",
    ]
    return markdown(header, lines, numbers_from=2)


def table_models() -> str:
    lines = []
    for row in read("models"):
        numbers = [f"{float(row[key]):.3f}" for key in ("bytes_per_token", "tokens_per_word", "tokens_per_character")]
        lines.append(
            (row["text"], row["tokenizer"], whole(row["vocab_size"]), *numbers, f"{float(row['vocab_used']):.1%}")
        )
    header = [
        "text",
        "tokenizer",
        "ids",
        "bytes per token",
        "tokens per word",
        "tokens per character",
        "vocabulary used",
    ]
    return markdown(header, lines, numbers_from=2)


def table_vocabularies() -> str:
    lines = [
        [row["split"], *(whole(value) for key, value in row.items() if key != "split")] for row in read("vocabularies")
    ]
    return markdown(
        ["split", "ids", "with Telugu bytes", "of these not whole characters", "characters of the longest"], lines
    )


def curve_points() -> list[CurvePoint]:
    rows = read("curves")
    return [
        CurvePoint(row["text"], row["split"], *(int(row[key]) for key in ("vocab_size", "bytes", "tokens")))
        for row in rows
    ]


def table_curves() -> str:
    points = curve_points()
    lines = []
    for text, split in dict.fromkeys((point.text, point.split) for point in points):
        of_one = [point for point in points if (point.text, point.split) == (text, split)]
        ratio_of = {point.vocab_size: f"{point.bytes_per_token:.3f}" for point in of_one}
        reached = of_one[-1].vocab_size
        end = "" if reached in SIZES else f"{ratio_of[reached]} at {reached:,}"
        lines.append((text, split, *(ratio_of.get(size, "") for size in SIZES), end))
    return markdown(["text", "split", *(f"{size:,}" for size in SIZES), "where pairs ran out"], lines, numbers_from=2)


def table_flat() -> str:
    points = curve_points()
    lines = []
    for text, split in dict.fromkeys((point.text, point.split) for point in points):
        of_one = [point for point in points if (point.text, point.split) == (text, split)]
        flat = flattens_at(of_one, GAIN)
        gains = {
            b.vocab_size: b.bytes_per_token / a.bytes_per_token - 1
            for a, b in zip(of_one, of_one[1:])
            if b.vocab_size == 2 * a.vocab_size
        }
        shown = [f"{gains[size]:+.1%}" if size in gains else "" for size in SIZES[1:]]
        lines.append((text, split, *shown, "not yet" if flat is None else f"{flat:,}"))
    return markdown(
        ["text", "split", *(f"to {size:,}" for size in SIZES[1:]), f"flat from ({GAIN:.0%})"], lines, numbers_from=2
    )


def table_losses() -> str:
    rows = read("unigram_losses")
    base = float(next(row["loss_per_byte"] for row in rows if row["trainer"] == "Hugging Face"))
    lines = [
        (row["trainer"], whole(row["tokens"]), row["loss_per_byte"], f"{float(row['loss_per_byte']) / base:.3f}")
        for row in rows
    ]
    return markdown(["trainer", "tokens", "loss, nats a byte", "against Hugging Face"], lines)


def table_unigram() -> str:
    lines = []
    for row in read("unigram"):
        numbers = [f"{float(row[key]):.3f}" for key in ("bytes_per_token", "tokens_per_word")]
        shares = [f"{float(row[key]):.1%}" for key in ("in_character", "in_syllable", "between_syllables")]
        lines.append((row["text"], row["tokenizer"], whole(row["tokens"]), *numbers, *shares))
    header = ["text", "tokenizer", "tokens", "bytes per token", "tokens per word"]
    return markdown([*header, "cuts in a character", "in a syllable", "between syllables"], lines, numbers_from=2)


def table_segmentations() -> str:
    escaped = [
        [field.replace("|", " · ").replace("<", "‹").replace(">", "›") for field in row.values()]
        for row in read("segmentations")
    ]
    return markdown(["word", "BPE", "unigram"], escaped, numbers_from=3)


TABLES = {
    name.removeprefix("table_"): function for name, function in list(globals().items()) if name.startswith("table_")
}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

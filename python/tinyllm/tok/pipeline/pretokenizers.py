"""The pre-tokenizer of a tokenizer.json: cuts text into pre-tokens, in the steps that the file lists, in their order.

Each step sees one piece of what the step before made, alone: a look-ahead ends at its end. A pre-token comes out as the
model sees it, in stand-ins of bytes once a ByteLevel has run.

Source: HF tokenizers 0.23.3, pre_tokenizers. UnicodeScripts and FixedLength are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.byte_level import GPT2_SPLIT, ByteMap, PrefixSpace
from tinyllm.tok.pipeline.character_tables import PUNCTUATION
from tinyllm.tok.pipeline.metaspace import SCHEMES, Metaspace
from tinyllm.tok.pipeline.split_step import BEHAVIORS, Split, Step
from tinyllm.tok.splitting.pattern import Pattern
from tinyllm.tok.splitting.pattern_sequence import PatternSequence
from tinyllm.tok.splitting.safe_chunks import Chunker, safe_chunker

if TYPE_CHECKING:
    from tinyllm.tok.pipeline.refusals import Refusals

YES_NO = (True, False)
# A character of HF's Digits step: N* of Unicode 17.0, which has these 13 more than the \p{N} of patterns.
DIGIT = r"[\p{N}" "\U00011de0-\U00011de9\U00016ff4-\U00016ff6]"
# The characters of \w in HF's Whitespace step: alphabetic, marks, decimal digits, connecting punctuation, joiners.
WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\u200c-\u200dⒶ-ⓩ" "\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189"
Parsed = tuple[str, list[Step]]  # what a step of the file does in a few words, and the steps that do it


class PreTokenizer:
    """Steps, run one after the other on each pre-token so far.

    >>> from tinyllm.tok.pipeline.refusals import Refusals
    >>> digits = {"type": "Digits", "individual_digits": True}
    >>> byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    >>> steps = {"type": "Sequence", "pretokenizers": [digits, byte_level]}
    >>> parse_pre_tokenizer(steps, "pre_tokenizer", Refusals()).pretokens("a1b")
    ['Ġa', 'Ġ1', 'Ġb']
    """

    def __init__(self, steps: Sequence[Step], words: Sequence[str] = ()) -> None:
        self.steps = tuple(steps)
        self._words = tuple(words)
        self._prefixed = sum(isinstance(step, PrefixSpace) for step in self.steps[:1])  # 1 or 0 first steps
        self._first_marks = [
            i for i, step in enumerate(steps) if isinstance(step, Metaspace) and step.scheme == "first"
        ]

    @property
    def looks_at_start(self) -> bool:
        """Whether it matters where in the original text a gap starts."""
        return bool(self._first_marks)

    @property
    def leading_patterns(self) -> tuple[Pattern, ...]:
        """The patterns of the first steps, as far as these only cut at matches (Isolated)."""
        return _leading_patterns(self.steps)

    def chunks(self, text: str) -> Iterator[list[str]] | None:
        """Lists of chunks, such that the pre-tokens of each one's pieces, one after the other, are `pretokens(text)`; None if no cut
        is known to be safe.

        What is safe for the first steps, as far as these only cut at matches, is safe for all: if they leave no piece
        across a cut, no later step sees one. A prefix space as the very first step is put before the first chunk here.
        Where `looks_at_start`, it is for texts whose `at_start` is 0. Cost: O(characters), at C speed.
        """
        if self._chunker is None:
            return None
        return self._chunker.chunks(PrefixSpace().pretokens(text)[0] if self._prefixed and text else text)

    def pieces_of_chunk(self, chunk: str) -> list[str]:
        """What the first steps, those that only cut at matches, leave of one of the `chunks`; the other steps see each piece alone."""
        return self._cut(chunk)

    def pretokens_of_piece(self, piece: str) -> list[str]:
        """The pre-tokens that the other steps make of a piece. Pieces come again far more often than chunks do."""
        return self._run(self.steps[self._prefixed + len(self._cutting) :], [piece], 0)

    @Lazy
    def _cutting(self) -> tuple[Pattern, ...]:
        return _leading_patterns(self.steps[self._prefixed :])

    @Lazy
    def _cut(self) -> Callable[[str], list[str]]:
        return self._cutting[0].split if len(self._cutting) == 1 else PatternSequence(self._cutting).split

    @Lazy
    def _chunker(self) -> Chunker | None:
        return safe_chunker(self._cutting) if self._cutting else None

    def __reduce__(self) -> tuple[type[PreTokenizer], tuple[tuple[Step, ...], tuple[str, ...]]]:
        return PreTokenizer, (self.steps, self._words)

    def words(self) -> str:
        """What it does in a few words, step by step."""
        return ", then ".join(self._words) or "nothing"

    def pretokens(self, text: str, at_start: int = 0) -> list[str]:
        """The pre-tokens of `text`, as the model sees them; none is empty.

        `at_start`: how many of the first characters of `text` stand for the first one of the original text, as `Gap` has
        it. Cost: O(characters x steps), at C speed but for Split's other behaviours and for ByteLevel.
        """
        if not text:
            return []
        if at_start and self._first_marks and self._first_marks != [0]:
            # A later step may see several pieces that all stand for the start of the text, so their places are needed.
            spans = [(0, 1)] * at_start + [(i, i + 1) for i in range(1, len(text) - at_start + 1)]
            return [pretoken.text for pretoken in self.pretokens_aligned(AlignedText(text, spans))]
        return self._run(self.steps, [text], at_start)

    def pretokens_aligned(self, aligned: AlignedText) -> list[AlignedText]:
        """The same, each with what its characters stand for in the original text. Cost: O(characters x steps)."""
        pretokens = [aligned] if aligned.text else []
        for step in self.steps:
            pretokens = [made for piece in pretokens for made in step.pretokens_aligned(piece)]
        return pretokens

    @staticmethod
    def _run(steps: Sequence[Step], pretokens: list[str], at_start: int) -> list[str]:
        for step in steps:
            if isinstance(step, Metaspace):
                pretokens = [made for piece in pretokens for made in step.pretokens(piece, at_start > 0)]
            else:
                pretokens = [made for piece in pretokens for made in step.pretokens(piece)]
        return pretokens


def parse_pre_tokenizer(found: object, where: str, refusals: Refusals) -> PreTokenizer | None:
    """The pre-tokenizer that the file describes at the JSON path `where`; None if it is refused, or null: text stays one piece."""
    if found is None:
        return None
    ok = True
    parsed: list[Parsed] = []
    waiting: list[tuple[object, str]] = [(found, where)]  # a stack of our own: files may nest deeper than Python's
    while waiting:
        entry, place = waiting.pop()
        kind = entry.get("type") if isinstance(entry, dict) else None
        if kind == "Sequence" and isinstance(entry, dict):
            if not refusals.fields(entry, place, {"type": ["Sequence"], "pretokenizers": None}):
                ok = False
            elif not isinstance(entry["pretokenizers"], list):
                refusals.add(f"{place}.pretokenizers", entry["pretokenizers"], "a list of pre-tokenizers")
                ok = False
            else:
                steps = enumerate(entry["pretokenizers"])
                waiting += reversed([(step, f"{place}.pretokenizers[{i}]") for i, step in steps])
            continue
        read = _READERS.get(kind) if isinstance(kind, str) else None
        if read is None:
            refusals.fields(entry, place, {"type": ["Sequence", *_READERS]})
            made = None
        else:
            made = read(entry, place, refusals)
        ok = ok and made is not None
        parsed += [made] if made else []
    if not ok:
        return None
    return PreTokenizer([step for _, steps in parsed for step in steps], [words for words, _ in parsed])


# ---- one reader a type ----


def _read_byte_level(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    known = {"type": ["ByteLevel"], "add_prefix_space": YES_NO, "trim_offsets": YES_NO, "use_regex": YES_NO}
    if not refusals.fields(found, where, known, optional=["use_regex"]):
        return None
    steps: list[Step] = []
    words = []
    if found["add_prefix_space"]:
        steps.append(PrefixSpace())
        words.append("a space before each piece")
    if found.get("use_regex", True):
        steps.append(Split(Pattern(GPT2_SPLIT), "Isolated"))
        words.append("GPT-2's split")
    return ", ".join([*words, "bytes as stand-ins"]), [*steps, ByteMap()]


def _read_split(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    known = {"type": ["Split"], "pattern": None, "behavior": BEHAVIORS, "invert": YES_NO}
    if not refusals.fields(found, where, known):
        return None
    pattern = found["pattern"]
    kind, source = next(iter(pattern.items())) if isinstance(pattern, dict) and len(pattern) == 1 else (None, None)
    if kind not in ("String", "Regex") or not isinstance(source, str):
        refusals.add(f"{where}.pattern", pattern, 'an object such as {"Regex": "..."} or {"String": "..."}')
        return None
    words = f"split {'between' if found['invert'] else 'at'} {source!r} ({found['behavior']})"
    if kind == "String":
        return words, [Split(source, found["behavior"], found["invert"])]
    try:
        finder = Pattern(source)
    except ValueError as error:
        refusals.add(f"{where}.pattern.Regex", source, f"a pattern that is known here: {error}")
        return None
    return words, [Split(finder, found["behavior"], found["invert"])]


def _read_digits(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    if not refusals.fields(found, where, {"type": ["Digits"], "individual_digits": YES_NO}):
        return None
    if found["individual_digits"]:
        return "each digit alone", [_isolated(DIGIT)]
    return "runs of digits apart", [_isolated(f"{DIGIT}+")]


def _read_punctuation(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    known = {"type": ["Punctuation"], "behavior": BEHAVIORS}
    if not refusals.fields(found, where, known, optional=["behavior"]):
        return None
    behavior = found.get("behavior", "Isolated")
    # Runs isolated are the single ones made contiguous, and cut at C speed.
    step = _isolated(f"{_punctuation()}+") if behavior == "Contiguous" else Split(Pattern(_punctuation()), behavior)
    return f"split at punctuation ({behavior})", [step]


def _read_whitespace(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    if not refusals.fields(found, where, {"type": ["Whitespace"]}):
        return None
    runs = Pattern(rf"[{WORD}]+|[^{WORD}\s]+")
    return "runs of word characters and of others, white space removed", [Split(runs, "Removed", invert=True)]


def _read_whitespace_split(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    if not refusals.fields(found, where, {"type": ["WhitespaceSplit"]}):
        return None
    return "split at white space (Removed)", [Split(Pattern(r"\s+"), "Removed")]


def _read_bert(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    if not refusals.fields(found, where, {"type": ["BertPreTokenizer"]}):
        return None
    steps: list[Step] = [Split(Pattern(r"\s+"), "Removed"), _isolated(_punctuation())]
    return "split at white space (Removed) and punctuation (Isolated)", steps


def _read_delimiter(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    if not refusals.fields(found, where, {"type": ["CharDelimiterSplit"], "delimiter": None}):
        return None
    delimiter = found["delimiter"]
    if not _is_character(delimiter):
        refusals.add(f"{where}.delimiter", delimiter, "one character")
        return None
    return f"split at {delimiter!r} (Removed)", [Split(delimiter, "Removed")]


def _read_metaspace(found: Any, where: str, refusals: Refusals) -> Parsed | None:
    known = {
        "type": ["Metaspace"],
        "replacement": None,
        "prepend_scheme": SCHEMES,
        "split": [*YES_NO, None],
        # Two fields of old files: HF asks that the first agrees with the scheme, and passes the second over.
        "add_prefix_space": [*YES_NO, None],
        "str_rep": None,
    }
    optional = ["prepend_scheme", "split", "add_prefix_space", "str_rep"]
    if not refusals.fields(found, where, known, optional):
        return None
    mark, scheme = found["replacement"], found.get("prepend_scheme", "always")
    ok = True
    if not _is_character(mark):
        refusals.add(f"{where}.replacement", mark, "one character")
        ok = False
    if found.get("add_prefix_space") is False and scheme != "never":
        refusals.add(f"{where}.prepend_scheme", scheme, '"never", since add_prefix_space is false')
        ok = False
    if not isinstance(found.get("str_rep"), str | None):
        refusals.add(f"{where}.str_rep", found["str_rep"], "a string")
        ok = False
    if not ok:
        return None
    split = found.get("split") is not False
    words = f"spaces as {mark!r}, one put in front ({scheme})" + (", split before each" if split else "")
    return words, [Metaspace(mark, scheme, split)]


_READERS: Mapping[str, Callable[[Any, str, Refusals], Parsed | None]] = {
    "ByteLevel": _read_byte_level,
    "Split": _read_split,
    "Digits": _read_digits,
    "Punctuation": _read_punctuation,
    "Whitespace": _read_whitespace,
    "WhitespaceSplit": _read_whitespace_split,
    "BertPreTokenizer": _read_bert,
    "CharDelimiterSplit": _read_delimiter,
    "Metaspace": _read_metaspace,
}


def _is_character(found: object) -> bool:
    return isinstance(found, str) and len(found) == 1


def _leading_patterns(steps: Sequence[Step]) -> tuple[Pattern, ...]:
    patterns: list[Pattern] = []
    for step in steps:
        if not isinstance(step, Split) or step.behavior != "Isolated" or not isinstance(step.finder, Pattern):
            break
        patterns.append(step.finder)
    return tuple(patterns)


def _isolated(pattern: str) -> Split:
    return Split(Pattern(pattern), "Isolated")


def _punctuation() -> str:
    """A pattern for one character of HF's Punctuation step, range by range: its table is older than that of \\p{P}."""
    ranges = zip(PUNCTUATION[::2], PUNCTUATION[1::2], strict=True)
    return f"[{''.join(f'{re.escape(chr(first))}-{re.escape(chr(end - 1))}' for first, end in ranges)}]"

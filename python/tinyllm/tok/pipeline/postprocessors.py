"""Post-processors: what is put around a text's tokens, and how offsets are trimmed.

TemplateProcessing   ids before and behind the text's own, as the template of single texts has them
RobertaProcessing    `cls` before and `sep` behind, and offsets trimmed if it says so
BertProcessing       `cls` before and `sep` behind
ByteLevel            offsets trimmed if it says so; ids stay
Sequence             one after the other

Ids are those that the file writes, not looked up. Tokens that are put in have the offsets (0, 0). Pairs of texts are not
encoded here; a template for them is read, kept for the file, and used in the one place where Hugging Face uses it for a
single text: behind another template, which leaves two parts.

That is also why the steps work on a list of parts: behind a template each piece is a part of its own until the end, so
another processor behind it puts its tokens around the first part and the others separately. Where it cannot, Hugging Face
panics, at each text, and `process` raises ValueError.

Source: Hugging Face tokenizers 0.23.3, processors/ and pre_tokenizers/byte_level.rs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tinyllm.tok.fast.chunks import OTHER_WHITE_SPACE
from tinyllm.tok.pipeline.refusals import Refusals

Span = tuple[int, int]

# What counts as white space at the ends of a token: all of Unicode's, and the stand-in of the space.
TRIMMED = frozenset(OTHER_WHITE_SPACE + " \nĠ")
YES_NO = (True, False)
BYTE_LEVEL = {"type": ("ByteLevel",), "add_prefix_space": YES_NO, "trim_offsets": YES_NO, "use_regex": YES_NO}


class Part(NamedTuple):
    """Tokens in a row: their ids, and, where offsets are asked for, their spans in the text and how they are spelled.

    An added token is spelled as the text that it took. Without offsets `spans` and `spelled` are empty.
    """

    ids: list[int]
    spans: list[Span] = []
    spelled: list[str] = []

    def between(self, before: Part, after: Part) -> Part:
        return Part(
            before.ids + self.ids + after.ids,
            before.spans + self.spans + after.spans,
            before.spelled + self.spelled + after.spelled,
        )

    def cut(self, kept: slice) -> Part:
        return Part(self.ids[kept], self.spans[kept], self.spelled[kept])

    def only(self, with_spans: bool) -> Part:
        """The part as it is, or its ids alone."""
        return self if with_spans else Part(self.ids)


class PostProcessor:
    """One step. The base class does nothing."""

    added = 0  # how many tokens it puts around a text

    def process(self, parts: list[Part], add_special_tokens: bool, with_spans: bool) -> list[Part]:
        """The parts of a text behind this step. `parts` has one part, but behind a template."""
        return parts

    def ids(self) -> list[int]:
        """The ids that it can put in."""
        return []

    def words(self) -> str:
        """What it does, in a few words."""
        return "spans as they are"


class Trim(PostProcessor):
    """ByteLevel with `trim_offsets`: white space at the ends of a token is left out of its span."""

    def __init__(self, add_prefix_space: bool) -> None:
        self.add_prefix_space = add_prefix_space

    def process(self, parts: list[Part], add_special_tokens: bool, with_spans: bool) -> list[Part]:
        if not with_spans:
            return parts
        return [
            part._replace(
                spans=[
                    trimmed(span, token, self.add_prefix_space and (i == 0 or span[0] == 0))
                    for i, (span, token) in enumerate(zip(part.spans, part.spelled))
                ]
            )
            for part in parts
        ]

    def words(self) -> str:
        return "spans without white space at their ends"


def trimmed(span: Span, token: str, one_is_kept: bool) -> Span:
    """`span` without the white space at the ends of `token`, as many characters as the token has stand-ins of it.

    `one_is_kept`: a single one at the start stays, being the prefix space, which is not in the text. That is Hugging Face's
    guess, made for every first token.

    >>> trimmed((3, 5), "Ġb", one_is_kept=False), trimmed((0, 1), "Ġb", one_is_kept=True)
    ((4, 5), (0, 1))
    """
    start, end = span
    leading = _count(token)
    if leading and not (leading == 1 and one_is_kept):
        start = min(start + leading, end)
    trailing = _count(reversed(token))
    if trailing and end >= trailing:
        end = max(end - trailing, start)
    return start, end


def _count(characters: Any) -> int:
    """How many of `characters` are white space before the first that is not."""
    count = 0
    for char in characters:
        if char not in TRIMMED:
            break
        count += 1
    return count


class Around(PostProcessor):
    """BertProcessing and RobertaProcessing: `cls` before, `sep` behind; of a second part, what the two put around it."""

    added = 2

    def __init__(self, cls: tuple[str, int], sep: tuple[str, int], trim: Trim | None, sep_before_others: bool) -> None:
        self._cls, self._sep = _part([cls]), _part([sep])
        self._before_others = self._sep if sep_before_others else Part([])
        self._trim = trim

    def process(self, parts: list[Part], add_special_tokens: bool, with_spans: bool) -> list[Part]:
        if self._trim is not None:
            parts = self._trim.process(parts, add_special_tokens, with_spans)
        if not add_special_tokens:
            return parts
        cls, sep, before_others = (each.only(with_spans) for each in (self._cls, self._sep, self._before_others))
        return [part.between(before_others if i else cls, sep) for i, part in enumerate(parts)]

    def ids(self) -> list[int]:
        return self._cls.ids + self._sep.ids

    def words(self) -> str:
        around = f"{self._cls.spelled[0]!r} before, {self._sep.spelled[0]!r} behind"
        return around if self._trim is None else f"{around}; {self._trim.words()}"


class Template(PostProcessor):
    """TemplateProcessing: pieces in a row, each a part of the text (its position among the parts) or tokens of its own."""

    def __init__(self, single: list[int | Part], pair: list[int | Part]) -> None:
        self._single, self._pair = single, pair
        self.added = sum(len(piece.ids) for piece in single if isinstance(piece, Part))

    def process(self, parts: list[Part], add_special_tokens: bool, with_spans: bool) -> list[Part]:
        if len(parts) not in (1, 2):
            raise ValueError(f"a template is for one part or two; the post-processor before it leaves {len(parts)}")
        processed = []
        for piece in self._single if len(parts) == 1 else self._pair:
            if isinstance(piece, int):
                if piece >= len(parts):
                    raise ValueError("the template for one text has the second of two as a piece, $B")
                processed.append(parts[piece])
            elif add_special_tokens:
                processed.append(piece.only(with_spans))
        return processed

    def ids(self) -> list[int]:
        return [id for piece in self._single + self._pair if isinstance(piece, Part) for id in piece.ids]

    def words(self) -> str:
        return " ".join("the text" if isinstance(p, int) else " ".join(map(repr, p.spelled)) for p in self._single)


class Steps(PostProcessor):
    """Several steps, one after the other."""

    def __init__(self, steps: list[PostProcessor]) -> None:
        self._steps = steps
        self.added = sum(step.added for step in steps)

    def process(self, parts: list[Part], add_special_tokens: bool, with_spans: bool) -> list[Part]:
        for step in self._steps:
            parts = step.process(parts, add_special_tokens, with_spans)
        return parts

    def ids(self) -> list[int]:
        return [id for step in self._steps for id in step.ids()]

    def words(self) -> str:
        return ", then ".join(step.words() for step in self._steps) or "spans as they are"


def joined(parts: Sequence[Part]) -> Part:
    """The parts as one."""
    if len(parts) == 1:
        return parts[0]
    return Part(
        [id for part in parts for id in part.ids],
        [span for part in parts for span in part.spans],
        [token for part in parts for token in part.spelled],
    )


# ---- from the file ----


def parse_post_processor(found: Any, where: str, refusals: Refusals) -> PostProcessor | None:
    """The post-processor that `found` declares; None for null, and if anything in it is refused."""
    return None if found is None else _parse(found, where, refusals)


def _parse(found: Any, where: str, refusals: Refusals) -> PostProcessor | None:
    kind = found.get("type") if isinstance(found, dict) else None
    parse = PARSERS.get(kind) if isinstance(kind, str) else None
    if parse is None:
        refusals.fields(found, where, {"type": tuple(PARSERS)})
        return None
    return parse(found, where, refusals)


def _parse_byte_level(found: Any, where: str, refusals: Refusals) -> PostProcessor | None:
    if not refusals.fields(found, where, BYTE_LEVEL, ["use_regex"]):
        return None
    return Trim(found["add_prefix_space"]) if found["trim_offsets"] else PostProcessor()


def _parse_around(found: Any, where: str, refusals: Refusals) -> PostProcessor | None:
    roberta = {"trim_offsets": YES_NO, "add_prefix_space": YES_NO} if found["type"] == "RobertaProcessing" else {}
    right = refusals.fields(found, where, {"type": None, "sep": None, "cls": None, **roberta})
    if not right:
        return None
    cls, sep = (_named_token(found[field], f"{where}.{field}", refusals) for field in ("cls", "sep"))
    if cls is None or sep is None:
        return None
    trim = Trim(found["add_prefix_space"]) if found.get("trim_offsets") else None
    return Around(cls, sep, trim, sep_before_others=bool(roberta))


def _named_token(found: Any, where: str, refusals: Refusals) -> tuple[str, int] | None:
    if isinstance(found, list) and len(found) == 2 and isinstance(found[0], str) and is_id(found[1]):
        return found[0], found[1]
    refusals.add(where, found, "a token and its id")
    return None


def _parse_template(found: Any, where: str, refusals: Refusals) -> PostProcessor | None:
    fields = {"type": None, "single": None, "pair": None, "special_tokens": None}
    # Command-R's file has a ByteLevel's switches left over here. Hugging Face passes over them.
    left_over = {field: values for field, values in BYTE_LEVEL.items() if field != "type"}
    if not refusals.fields(found, where, {**fields, **left_over}, left_over):
        return None
    tokens = _parse_special_tokens(found["special_tokens"], f"{where}.special_tokens", refusals)
    single = _parse_pieces(found["single"], f"{where}.single", tokens, refusals)
    pair = _parse_pieces(found["pair"], f"{where}.pair", tokens, refusals)
    return Template(single, pair)


def _parse_special_tokens(found: Any, where: str, refusals: Refusals) -> dict[str, Part]:
    tokens = {}
    if not isinstance(found, dict):
        refusals.add(where, found, "an object")
        found = {}
    for name, token in found.items():
        place = f"{where}[{name!r}]"
        if refusals.fields(token, place, {"id": None, "ids": None, "tokens": None}):
            ids, spelled = token["ids"], token["tokens"]
            if not isinstance(token["id"], str):
                refusals.add(f"{place}.id", token["id"], "a string")
            elif not isinstance(ids, list) or not all(map(is_id, ids)):
                refusals.add(f"{place}.ids", ids, "a list of ids")
            elif not isinstance(spelled, list) or not {*map(type, spelled)} <= {str} or len(spelled) != len(ids):
                refusals.add(f"{place}.tokens", spelled, f"a list of {len(ids)} tokens, one for each id")
            else:
                tokens[name] = _part(list(zip(spelled, ids)))
    return tokens


def _parse_pieces(found: Any, where: str, tokens: Mapping[str, Part], refusals: Refusals) -> list[int | Part]:
    pieces: list[int | Part] = []
    if not isinstance(found, list):
        refusals.add(where, found, "a list of pieces")
        return pieces
    for i, piece in enumerate(found):
        kind, inner = next(iter(piece.items())) if isinstance(piece, dict) and len(piece) == 1 else (None, {})
        place = f"{where}[{i}].{kind}"
        if kind not in ("Sequence", "SpecialToken"):
            refusals.add(f"{where}[{i}]", piece, 'an object with the one field "Sequence" or "SpecialToken"')
        elif refusals.fields(inner, place, {"id": ("A", "B") if kind == "Sequence" else None, "type_id": None}):
            if not is_id(inner["type_id"]):
                refusals.add(f"{place}.type_id", inner["type_id"], "an integer, 0 or more")
            elif kind == "Sequence":
                pieces.append("AB".index(inner["id"]))
            elif not isinstance(inner["id"], str) or inner["id"] not in tokens:
                refusals.add(f"{place}.id", inner["id"], "one of the special_tokens")
            else:
                pieces.append(tokens[inner["id"]])
    return pieces


def _parse_sequence(found: Any, where: str, refusals: Refusals) -> PostProcessor | None:
    if not refusals.fields(found, where, {"type": None, "processors": None}):
        return None
    if not isinstance(found["processors"], list):
        refusals.add(f"{where}.processors", found["processors"], "a list of post-processors")
        return None
    steps = [_parse(step, f"{where}.processors[{i}]", refusals) for i, step in enumerate(found["processors"])]
    return Steps([step for step in steps if step is not None])


def is_id(found: object) -> bool:
    return type(found) is int and 0 <= found < 1 << 32


def _part(tokens: Sequence[tuple[str, int]]) -> Part:
    return Part([id for _, id in tokens], [(0, 0)] * len(tokens), [token for token, _ in tokens])


PARSERS = {
    "TemplateProcessing": _parse_template,
    "RobertaProcessing": _parse_around,
    "BertProcessing": _parse_around,
    "ByteLevel": _parse_byte_level,
    "Sequence": _parse_sequence,
}

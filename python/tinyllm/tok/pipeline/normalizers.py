"""The normalizer of a tokenizer.json: what becomes of a text before it is cut into pre-tokens.

`parse_normalizer` reads it; what each kind does is in `normalizer_steps`, the Unicode forms in `unicode_forms`. HF's
BertNormalizer and Precompiled are refused by name: no byte-level BPE model is known to use them.

Source: HF tokenizers 0.23.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.normalizer_steps import (
    ByteLevel,
    Form,
    Lowercase,
    Nmt,
    Normalizer,
    Prepend,
    Replace,
    Strip,
    StripAccents,
)
from tinyllm.tok.pipeline.refusals import Refusals
from tinyllm.tok.pipeline.unicode_forms import FORMS

if TYPE_CHECKING:
    from tinyllm.tok.splitting.pattern import Pattern

__all__ = ["InSequence", "Normalizer", "parse_normalizer"]


def parse_normalizer(found: object, where: str, refusals: Refusals) -> Normalizer | None:
    """The normalizer that the JSON value `found` describes; null is none. `where` is its JSON path.

    What is not known here or has no meaning is added to `refusals`, all of it, and then the result means nothing.
    """
    if found is None:
        return None
    kind = found.get("type") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(kind, str) or kind not in _KINDS:
        refusals.fields(found, where, {"type": list(_KINDS)})
        return None
    fields, build = _KINDS[kind]
    if not refusals.fields(found, where, {"type": [kind], **fields}):
        return None
    return build(found, where, refusals)


class InSequence(Normalizer):
    """One normalizer after the other; of none, the text as it is."""

    def __init__(self, steps: Sequence[Normalizer]) -> None:
        self.steps = tuple(steps)
        self.aligns = all(step.aligns for step in self.steps)

    def normalize(self, text: str) -> str:
        for step in self.steps:
            text = step.normalize(text)
        return text

    def normalize_aligned(self, aligned: AlignedText) -> AlignedText:
        for step in self.steps:
            aligned = step.normalize_aligned(aligned)
        return aligned

    def words(self) -> str:
        return ", then ".join(step.words() for step in self.steps) or "nothing"


# From JSON. A builder sees an object whose fields are known.

_Fields = Mapping[str, Sequence[object] | None]  # as in Refusals.fields
_Build = Callable[[dict[str, Any], str, Refusals], Normalizer | None]


def _build_strip(found: dict[str, Any], where: str, refusals: Refusals) -> Normalizer:
    return Strip(found["strip_left"], found["strip_right"])


def _build_prepend(found: dict[str, Any], where: str, refusals: Refusals) -> Normalizer | None:
    if not isinstance(found["prepend"], str) or not found["prepend"]:
        refusals.add(f"{where}.prepend", found["prepend"], "a string of at least one character")
        return None
    return Prepend(found["prepend"])


def _build_replace(found: dict[str, Any], where: str, refusals: Refusals) -> Normalizer | None:
    content = found["content"]
    if not isinstance(content, str):
        refusals.add(f"{where}.content", content, "a string")
        content = ""
    pattern = _parse_pattern(found["pattern"], f"{where}.pattern", refusals)
    return None if pattern is None else Replace(pattern, content)


def _parse_pattern(found: object, where: str, refusals: Refusals) -> str | Pattern | None:
    if not refusals.fields(found, where, {"String": None, "Regex": None}, optional=("String", "Regex")):
        return None
    assert isinstance(found, dict)
    if len(found) != 1:
        refusals.add(where, found, "an object with one field, String or Regex")
        return None
    ((kind, source),) = found.items()
    if not isinstance(source, str) or not source:
        refusals.add(f"{where}.{kind}", source, "a string of at least one character")
        return None
    if kind == "String":
        return source
    from tinyllm.tok.splitting.pattern import Pattern

    try:
        pattern = Pattern(source)
    except ValueError as error:
        refusals.add(f"{where}.Regex", source, f"a pattern that is known here: {error}")
        return None
    if pattern.can_be_empty:
        # What is put in at the very start of a text comes from no character of it: HF then panics or repeats text.
        refusals.add(f"{where}.Regex", source, "a pattern that matches at least one character")
    return pattern


def _build_sequence(found: dict[str, Any], where: str, refusals: Refusals) -> Normalizer | None:
    listed = found["normalizers"]
    if not isinstance(listed, list):
        refusals.add(f"{where}.normalizers", listed, "a list")
        return None
    steps = []
    for index, element in enumerate(listed):
        step = parse_normalizer(element, f"{where}.normalizers[{index}]", refusals)
        if element is None:
            refusals.add(f"{where}.normalizers[{index}]", element, "a normalizer")
        elif step is not None:
            steps.append(step)
    return InSequence(steps)


def _without_fields(make: Callable[[], Normalizer]) -> tuple[_Fields, _Build]:
    return {}, lambda found, where, refusals: make()


_KINDS: Mapping[str, tuple[_Fields, _Build]] = {
    **{name: _without_fields(partial(Form, name)) for name in FORMS},
    "Lowercase": _without_fields(Lowercase),
    "StripAccents": _without_fields(StripAccents),
    "Strip": ({"strip_left": [True, False], "strip_right": [True, False]}, _build_strip),
    "Prepend": ({"prepend": None}, _build_prepend),
    "Replace": ({"pattern": None, "content": None}, _build_replace),
    "Nmt": _without_fields(Nmt),
    "ByteLevel": _without_fields(ByteLevel),
    "Sequence": ({"normalizers": None}, _build_sequence),
}

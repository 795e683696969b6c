"""tokenizer.json to the parts of a pipeline, every field obeyed as Hugging Face does or refused, and back.

All that stands in the way of a file is named at once. A section that is absent is null. Refused, besides what the parsers of
the parts refuse: fields that are not known, and an added token whose id is not the one that Hugging Face gives it. That is
the id of its content in the vocabulary, or, outside it, the number of tokens that come before it: those of the vocabulary
and the added ones outside it. In a vocabulary with gaps such an id may already be a token's; the added token then has it.

What Hugging Face reads and this refuses:
  anywhere        fields that are not known, a key that is there twice, a file without what a part must have
  added_tokens    an id as said above; two tokens with one id, or with one content once normalized
  normalizer, pre_tokenizer, decoder   types that have no row in their modules, and patterns outside the grammar of `Pattern`
  post_processor  a template's token whose ids and tokens are not equally many, or that special_tokens lacks
  decoder         Replace and BPEDecoder with nothing to look for
  model           other types than BPE; dropout; byte_fallback with a prefix or a suffix; merges whose right part lacks the
                  prefix; the empty token as unk_token where merges have it as a part; two tokens with one id

Source: Hugging Face tokenizers 0.23.3, tokenizer/serialization.rs and added_vocabulary.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from tinyllm.tok.pipeline.added import AddedToken, AddedTokens, parse_added_tokens
from tinyllm.tok.pipeline.decoders import Decoder, parse_decoder
from tinyllm.tok.pipeline.model import BPEModel, parse_model
from tinyllm.tok.pipeline.normalizers import Normalizer, parse_normalizer
from tinyllm.tok.pipeline.postprocessors import PostProcessor, parse_post_processor
from tinyllm.tok.pipeline.pretokenizers import PreTokenizer, parse_pre_tokenizer
from tinyllm.tok.pipeline.refusals import Refusals
from tinyllm.tok.pipeline.truncation import Padding, Truncation, parse_padding, parse_truncation

# What reads each of them: (the value, its JSON path, where to refuse) to the part, None for null.
PARSERS: dict[str, Callable[[Any, str, Refusals], Any]] = {
    "truncation": parse_truncation,
    "padding": parse_padding,
    "added_tokens": parse_added_tokens,
    "normalizer": parse_normalizer,
    "pre_tokenizer": parse_pre_tokenizer,
    "post_processor": parse_post_processor,
    "decoder": parse_decoder,
    "model": parse_model,
}
# The fields of a file; only the model must be there.
FIELDS = {"version": ("1.0",), **dict.fromkeys(PARSERS)}


class Parts(NamedTuple):
    """What a tokenizer.json declares; None for what it does not."""

    truncation: Truncation | None
    padding: Padding | None
    added_tokens: AddedTokens
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    post_processor: PostProcessor | None
    decoder: Decoder | None
    model: BPEModel


def parse_file(found: Any) -> Parts:
    """The parts of the tokenizer.json whose JSON is `found`.

    Raises ValueError naming every field that stands in the way, by its JSON path. Cost: O(tokens + merges).
    """
    refusals = Refusals()
    if isinstance(found, dict) and "model" not in found:
        # Files of other kinds have fields that are not known here; those are not what is wrong with them.
        raise ValueError("model is missing; every tokenizer.json has one")
    refusals.fields(found, "", FIELDS, FIELDS.keys() - {"model"})
    if not isinstance(found, dict):
        refusals.check()
    if found.get("added_tokens", []) is None:
        refusals.add("added_tokens", None, "a list, or absent")
    _refuse_repeated_keys({field: value for field, value in found.items() if field != "model"}, refusals)
    parsed: dict[str, Any] = {field: parse(found.get(field), field, refusals) for field, parse in PARSERS.items()}
    tokens, model = parsed["added_tokens"], parsed["model"]
    if tokens is not None and model is not None:
        _check_added_ids(found.get("added_tokens") or [], model.vocab, refusals)
    for field, part in parsed.items():
        if part is None and found.get(field) is not None and not refusals:
            refusals.add(field, found[field], "known here")  # never passed over, should a parser have nothing to say
    refusals.check()
    starts = parsed["pre_tokenizer"] is not None and parsed["pre_tokenizer"].looks_at_start
    try:
        parsed["added_tokens"] = AddedTokens(tokens, parsed["normalizer"], starts=starts)
    except ValueError as error:
        raise ValueError(f"added_tokens: {error}") from None
    return Parts(**parsed)


def frame_of(declaration: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of `declaration` without its two large parts, which the model has, and in a tenth of the memory."""
    model = {**declaration["model"], "vocab": None, "merges": None}
    return deepcopy({**declaration, "model": model})


def whole_file(frame: Mapping[str, Any], parts: Parts) -> dict[str, Any]:
    """The tokenizer.json again, from what `frame_of` left, field for field, with the tokens in the order of their ids.

    Left out are the strings among the merges that are no merges, as a "#version" is none.
    """
    vocab = dict(sorted(parts.model.vocab.items(), key=lambda entry: entry[1]))
    model = {**frame["model"], "vocab": vocab, "merges": parts.model.written_merges()}
    return {**deepcopy(dict(frame)), "model": model}


def described(parts: Parts) -> list[tuple[str, str]]:
    """Each part by its name, in the order in which a text meets them, and what it does in words."""
    tokens: tuple[AddedToken, ...] = parts.added_tokens.tokens
    specials = sum(token.special for token in tokens)
    raw = sum(not token.normalized for token in tokens)
    return [
        ("normalizer", _words(parts.normalizer, "none")),
        (
            "added tokens",
            f"{len(tokens)}, {specials} of them special; {raw} found before normalizing" if tokens else "none",
        ),
        ("pre-tokenizer", _words(parts.pre_tokenizer, "none: the whole text is one pre-token")),
        ("model", parts.model.words()),
        ("truncation", _words(parts.truncation, "none")),
        ("post-processor", _words(parts.post_processor, "none")),
        ("padding", _words(parts.padding, "none")),
        ("decoder", _words(parts.decoder, "none: tokens are joined by spaces")),
    ]


def _words(part: Any, absent: str) -> str:
    return absent if part is None else str(part.words())


def _refuse_repeated_keys(found: Mapping[str, Any], refusals: Refusals) -> None:
    """Refuse a key that is there twice in an object of which no parser knows the fields, such as `special_tokens`."""
    waiting: list[tuple[str, Any]] = list(found.items())
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, dict):
            repeated = getattr(value, "key", None)  # as `read_json` marks it
            if repeated is not None:
                refusals.say(f"{where}.{repeated} is there twice; a key may appear once")
            waiting += [(f"{where}.{field}", inner) for field, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{where}[{i}]", inner) for i, inner in enumerate(value)]


def _check_added_ids(found: list[Any], vocab: Mapping[str, int], refusals: Refusals) -> None:
    """Refuse ids that Hugging Face would not give, and one that it would give twice: it then forgets the first token.

    An empty content is no token, and gets none.
    """
    next_id = len(vocab)
    place_of: dict[int, int] = {}
    for i, token in enumerate(found):
        content, id = token["content"], token["id"]
        if content and content not in vocab:
            right, reason = next_id, "behind all tokens before it"
            next_id += 1
        elif content:
            right, reason = vocab[content], "as in the vocabulary"
        else:
            continue
        if id != right:
            refusals.add(f"added_tokens[{i}].id", id, f"{right}, {reason}")
        elif place_of.setdefault(id, i) != i:
            refusals.add(f"added_tokens[{i}].id", id, f"another than that of added_tokens[{place_of[id]}]")

"""Added tokens, normalizers and pre-tokenizers where they meet: ids and offsets of each byte against Hugging Face's."""

import itertools
from random import Random
from typing import Any

import hard_texts
import pytest
from hf_parts import BYTES_ONLY, VOCAB, added_entries, hf_tokenizer, hf_tokens
from pretokenizer_json import byte_level, digits, drawn, metaspace, sequence, split

from tinyllm.tok.pipeline.added import AddedToken, AddedTokens, Gap, Match
from tinyllm.tok.pipeline.normalizers import parse_normalizer
from tinyllm.tok.pipeline.pretokenizers import parse_pre_tokenizer
from tinyllm.tok.pipeline.refusals import Refusals

Tokens = list[tuple[str, str]]

LOWERCASE = {"type": "Lowercase"}
NORMALIZERS: tuple[dict[str, Any] | None, ...] = (
    None,
    LOWERCASE,
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Prepend", "prepend": "a "},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "bé"},
    {"type": "Replace", "pattern": {"Regex": " +"}, "content": " "},
    {"type": "Replace", "pattern": {"String": " "}, "content": ""},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, LOWERCASE]},
    {"type": "NFKC"},
)


class Parts:
    """The text side of a file, ours and Hugging Face's. ByteLevel stands behind every pre-tokenizer, so that tokens are bytes."""

    def __init__(self, tokens: Tokens, normalizer: Any, pre_tokenizer: Any) -> None:
        steps = sequence(pre_tokenizer, BYTES_ONLY)
        self.hf = hf_tokenizer(tokens, normalizer, steps)
        refusals = Refusals()
        pre = parse_pre_tokenizer(steps, "pre_tokenizer", refusals)
        normalizing = parse_normalizer(normalizer, "normalizer", refusals)
        refusals.check()
        assert pre is not None
        self.pre_tokenizer = pre
        self.added = AddedTokens([AddedToken(**entry) for entry in added_entries(tokens)], normalizing)

    def aligned(self, text: str, policy: str = "all") -> list[tuple[int, tuple[int, int]]]:
        tokens = []
        for part in self.added.cut_aligned(text, policy):
            if isinstance(part, Match):
                tokens.append((part.token.id, (part.start, part.end)))
            else:
                for pretoken in self.pre_tokenizer.pretokens_aligned(part):
                    tokens += zip(map(VOCAB.__getitem__, pretoken.text), pretoken.spans)
        return tokens

    def fast(self, text: str, policy: str = "all") -> list[int]:
        ids: list[int] = []
        for part in self.added.cut(text, policy):
            if isinstance(part, Gap):
                for pretoken in self.pre_tokenizer.pretokens(part.text, part.at_start):
                    ids += map(VOCAB.__getitem__, pretoken)
            else:
                ids.append(part.id)
        return ids

    def check(self, texts) -> None:
        for policy in ("all", "none"):
            self.hf.encode_special_tokens = policy == "none"
            for text in texts:
                expected = hf_tokens(self.hf, text)
                if expected is None:
                    with pytest.raises(ValueError, match="has stripped"):
                        self.fast(text, policy)
                else:
                    assert self.aligned(text, policy) == expected, (text, policy)
                    assert self.fast(text, policy) == [id for id, _ in expected], (text, policy)


def ids_of(tokens: Tokens, normalizer: Any, pre_tokenizer: Any, text: str) -> str:
    """The tokens of a text: bytes as their stand-ins, added tokens as their contents."""
    token_of = {id: symbol for symbol, id in VOCAB.items()} | {
        256 + i: content for i, (content, _) in enumerate(tokens)
    }
    return " ".join(token_of[id] for id in Parts(tokens, normalizer, pre_tokenizer).fast(text))


# ---- literal cases ----


def test_contents_are_normalized_before_they_are_looked_for() -> None:
    assert ids_of([("<M>", "n")], LOWERCASE, sequence(), "a<M>b<m>") == "a <M> b <M>"
    assert ids_of([("<M>", "")], LOWERCASE, sequence(), "A<M>B<m>") == "a <M> b < m >"


def test_two_contents_that_are_equal_once_normalized_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'<M>' and '<m>' are both '<m>' once normalized"):
        Parts([("<M>", "n"), ("<m>", "n")], LOWERCASE, sequence())
    Parts([("<M>", "n"), ("<m>", "")], LOWERCASE, sequence()).check(["<M><m>"])


def test_a_content_that_is_nothing_once_normalized_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nothing is left of the added token ' ' once it is normalized"):
        Parts([(" ", "n")], {"type": "Strip", "strip_left": True, "strip_right": True}, sequence())


def test_what_is_prepended_goes_before_every_gap_of_the_first_pass_and_before_contents() -> None:
    prepend = {"type": "Prepend", "prepend": "x"}
    assert ids_of([("<M>", "")], prepend, sequence(), "a<M>b") == "x a <M> x b"
    assert ids_of([("<M>", "n")], prepend, sequence(), "a<M>x<M>") == "x a < M > <M>"


def test_a_prefix_space_goes_before_every_piece_between_added_tokens_and_digits() -> None:
    assert ids_of([("<M>", "")], None, sequence(digits(True), byte_level(True)), "a1<M>b") == (
        # The second ByteLevel takes the stand-ins for text: "Ġ" is two bytes.
        "Ä ł a Ä ł 1 <M> Ä ł b"
    )


def test_metaspace_first_marks_every_piece_that_stands_for_the_first_character() -> None:
    steps = sequence(split("", kind="String"), metaspace("first"))
    double = {"type": "Replace", "pattern": {"String": "a"}, "content": "bc"}
    assert ids_of([], double, steps, "aa") == "â ĸ ģ b â ĸ ģ c b c"
    assert ids_of([("b", "n")], double, steps, "aa").endswith("â ĸ ģ c b c")


def test_nothing_composes_across_a_token() -> None:
    assert ids_of([("<M>", "")], {"type": "NFC"}, sequence(), "e<M>\u0301") == "e <M> Ì ģ"


# ---- against Hugging Face ----

TOKENS: tuple[Tokens, ...] = (
    [("ab", "n"), ("B ", "")],
    [("aB", "nlr"), ("b", "lr")],
    [("A", "nw"), ("b ", "rn"), ("  ", "l")],
    [("é", "n"), ("a", "ns"), ("bé", "s")],
    [("<a>", "lrs"), ("▁a", "n"), (" b", "nw")],
)


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=str)
@pytest.mark.parametrize("tokens", TOKENS, ids=str)
def test_added_tokens_and_normalizers(tokens, normalizer) -> None:
    texts = ["".join(letters) for n in range(5) for letters in itertools.product("aB é", repeat=n)]
    Parts(tokens, normalizer, sequence()).check(texts)


STEPS = (
    metaspace("first"),
    metaspace("first", split=False),
    sequence(split("", kind="String"), metaspace("first")),
    sequence({"type": "Whitespace"}, byte_level(True)),
    sequence(digits(True), byte_level(True)),
    sequence(byte_level(True), split("[0-9Ġ]", "MergedWithNext")),
)


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=str)
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_normalizers_and_pre_tokenizers_behind_added_tokens(steps, normalizer) -> None:
    random = Random(9)
    texts = ["".join(random.choices(["a", "b", " ", "1", "é", "<m>", "bb", "İ", "▁"], k=6)) for _ in range(60)]
    Parts([("<m>", "lr"), ("bb", "n")], normalizer, steps).check(["", "<m>", "bb", *texts])


def test_drawn_parts_on_hard_texts() -> None:
    check_drawn(Random(9), files=80)


def check_drawn(random: Random, files: int) -> None:
    """Parts drawn at random on hard texts; those that only Hugging Face leaves to chance are drawn again."""
    while files:
        tokens = [
            (content, "".join(flag for flag in "wlrns" if random.random() < 0.3))
            for content in hard_texts.contents(random)
        ]
        try:
            parts = Parts(tokens, random.choice(NORMALIZERS), drawn(random))
        except ValueError as error:
            assert "once" in str(error), error
            continue
        parts.check([hard_texts.text(random, [content for content, _ in tokens] or ["a"]) for _ in range(6)])
        files -= 1

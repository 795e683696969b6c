"""The tests of lab 04. Each checks one promise of README.md; the fixture `lab` is the module under test (conftest.py)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

DOCUMENTS = [
    "The harbour lies quiet in the early morning. Small boats rock beside the wooden pier, and gulls circle above the "
    "market where the fishermen sort their catch. Nobody hurries; the tide decides when the working day begins.",
    "A tokenizer cuts text into tokens before a language model sees a single letter. Whoever counts tokens counts "
    "money, context and time: 12 tokens here, 345 there, and 6789 at the end of the month.",
    "In the evening the fishermen mend their nets. The lamps above the pier are lit, the market is closed, and the "
    "gulls sleep on the roofs of the harbour. Tomorrow's tide will wake them: they'll sail at four.",
    "తెలుగు భాష మాట్లాడే ప్రజలు చాలా మంది ఉన్నారు. తెలుగు అక్షరాలు గుండ్రంగా ఉంటాయి.",
]

HARD_TEXTS = [
    "",
    "a",
    "Hello, world! I've 12345 apples!!",
    "  two spaces,\ttab,\nnewline,\r\nboth, trailing   ",
    "తెలుగు నమస్కారం",
    "naïve café 你好 🙂👍🏽",
    "\x00\x01\x7f\u00a0\u2028\ufeff",
    "the the the harbour harbour",
]


def plain(got: Any) -> Any:
    """`got`, if it consists of Python's own types: objects of other classes could claim to equal anything."""
    if type(got) in (list, tuple):
        for item in got:
            plain(item)
    else:
        assert type(got) in (int, str, bytes), (
            f"expected ints, strings or bytes in lists, got a {type(got).__name__}: {got!r:.80}"
        )
    return got


def learned(tokenizer: Any) -> list[tuple[tuple[int, int], int]]:
    """The merges in the order learned, as (pair, new id)."""
    return plain(list(tokenizer.merges.items()))


# --- the parts of training ---


def test_pair_counts_weighted_by_frequency(lab: ModuleType) -> None:
    counts = lab.get_pair_counts({(1, 2, 3): 5, (2, 3): 2, (7, 7, 7): 1, (9,): 100})
    assert plain(sorted(counts.items())) == [((1, 2), 5), ((2, 3), 7), ((7, 7), 2)], (
        "each pair counts as often as its chunk occurs, overlaps included; a chunk of one id has no pair"
    )


def test_merge_is_left_to_right_and_non_overlapping(lab: ModuleType) -> None:
    a, b = 97, 98
    assert plain(list(lab.merge([a, a, a], (a, a), 256))) == [256, a], "the middle a is used up by the first merge"
    assert plain(list(lab.merge([a, a, a, a], (a, a), 256))) == [256, 256]
    assert plain(list(lab.merge([b, a, b, a, b], (a, b), 256))) == [b, 256, 256]
    assert plain(list(lab.merge([a], (a, b), 256))) == [a], "nothing to merge"
    assert plain(list(lab.merge([], (a, b), 256))) == []


def test_first_merge_of_the_classic_example(lab: ModuleType) -> None:
    text = "aaabdaaabac"
    assert learned(lab.BPETokenizer.train(text, vocab_size=257)) == [((97, 97), 256)], (
        "(a, a) is the most frequent pair"
    )

    tokenizer = lab.BPETokenizer.train(text, vocab_size=259)
    assert learned(tokenizer) == [((97, 97), 256), ((97, 98), 257), ((256, 257), 258)], (
        "in step two (a, b) and (256, a) both occur twice: the smaller pair wins"
    )
    assert plain(tokenizer.encode(text)) == [258, 100, 258, 97, 99]


def test_vocab_size_and_special_ids(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer.train(DOCUMENTS, vocab_size=400, special_tokens=("<|endoftext|>",))
    assert [new_id for _, new_id in learned(tokenizer)] == list(range(256, 399)), (
        "400 - 256 - 1 = 143 merges, ids from 256"
    )
    assert plain(list(tokenizer.special_tokens.items())) == [("<|endoftext|>", 399)], (
        "special tokens follow the last merge"
    )
    assert plain(sorted(tokenizer.vocab)) == list(range(400)), "every id below vocab_size has an entry"

    # When the pairs run out, training ends early and the special tokens move up.
    short = lab.BPETokenizer.train("abc", vocab_size=300, special_tokens=("<s>", "</s>"))
    assert [new_id for _, new_id in learned(short)] == [256, 257]
    assert plain(list(short.special_tokens.items())) == [("<s>", 258), ("</s>", 259)]


def test_training_is_deterministic(lab: ModuleType) -> None:
    expected = learned(lab.BPETokenizer.train(DOCUMENTS, vocab_size=350))
    assert len(expected) == 94
    assert learned(lab.BPETokenizer.train(DOCUMENTS, vocab_size=350)) == expected, "the same corpus, the same merges"
    assert learned(lab.BPETokenizer.train(DOCUMENTS[::-1], vocab_size=350)) == expected, (
        "the order of the documents must not matter"
    )
    for tied in (["zy", "ab"], ["ab", "zy"]):
        first_merge = learned(lab.BPETokenizer.train(tied, vocab_size=257))[0]
        assert first_merge == ((97, 98), 256), "of equal counts the smallest pair wins, not the one met first"


def test_vocab_entries_are_concatenations(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer.train(DOCUMENTS, vocab_size=350)
    vocab = {plain(id): plain(entry) for id, entry in tokenizer.vocab.items()}
    assert [vocab[byte] for byte in range(256)] == [bytes([byte]) for byte in range(256)], "ids 0 to 255 are the bytes"
    assert len(learned(tokenizer)) == 94
    for (left, right), new_id in learned(tokenizer):
        assert max(left, right) < new_id, "a merge joins what was there before it"
        assert vocab[new_id] == vocab[left] + vocab[right]


def test_training_compresses(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer.train(DOCUMENTS, vocab_size=500, pattern=lab.O200K_PATTERN)
    for text in DOCUMENTS:
        assert len(plain(tokenizer.encode(text))) < 0.6 * len(text.encode("utf-8")), (
            "244 merges save at least four tokens in ten"
        )


# --- encoding ---


def test_merges_apply_in_rank_order_not_frequency_order(lab: ModuleType) -> None:
    a, b, c = 97, 98, 99
    tokenizer = lab.BPETokenizer({(b, c): 256, (a, b): 257})
    assert plain(tokenizer.encode("abc")) == [a, 256], "(a, b) stands first in the text, but (b, c) was learned first"
    assert plain(tokenizer.encode("ababc")) == [257, a, 256], (
        "(a, b) is more frequent here, but (b, c) was learned first"
    )

    # Later merges build on earlier ones: bc, then abc, then abc + abc.
    tower = lab.BPETokenizer({(b, c): 256, (a, 256): 257, (257, 257): 258})
    assert plain(tower.encode("abcabcabc")) == [258, 257]


def test_merges_never_cross_pretokenization_boundaries(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer({(103, 46): 256, (46, 32): 257})  # "g." and ". "
    assert plain(tokenizer.encode("dog. dog")) == list(b"dog. dog"), '"dog" and "." are two chunks, " dog" is a third'

    trained = lab.BPETokenizer.train(["dog. dog. dog. dog! dog!", "ox", "en"], vocab_size=300)
    entries = sorted(plain(trained.vocab[new_id]) for _, new_id in learned(trained))
    assert entries == [b" dog", b"do", b"dog", b"en", b"ox"], (
        "training must count within chunks only, and no chunk spans two documents"
    )


def test_special_tokens(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer.train(DOCUMENTS, vocab_size=300, special_tokens=("<|end|>", "<|end|>!", "<|user|>"))
    end, end_bang, user = 297, 298, 299
    assert plain(tokenizer.encode("<|user|>", "all")) == [user]
    assert plain(tokenizer.encode("x<|end|>y<|end|><|user|>", "all")) == [120, end, 121, end, user], (
        "found anywhere, never split"
    )
    assert plain(tokenizer.encode("x<|end|>!", "all")) == [120, end_bang], "the longer of two that start at one place"

    hostile = "x<|end|>y<|user|>"
    as_text = plain(tokenizer.encode(hostile, "none"))
    assert max(as_text) < end, '"none": a user\'s text must not reach a control token'
    assert plain(tokenizer.decode(as_text)) == hostile
    assert plain(tokenizer.decode([120, end, user])) == "x<|end|><|user|>"


# --- decoding ---


def test_roundtrip_trained(lab: ModuleType) -> None:
    for pattern in (lab.GPT2_PATTERN, lab.GPT4_PATTERN, lab.O200K_PATTERN):
        tokenizer = lab.BPETokenizer.train(DOCUMENTS, vocab_size=330, pattern=pattern, special_tokens=("<|end|>",))
        for text in [*DOCUMENTS, *HARD_TEXTS, "<|end|> in the text <|end|>"]:
            for allowed in ("all", "none"):
                assert plain(tokenizer.decode(plain(tokenizer.encode(text, allowed)))) == text


def test_roundtrip_untrained_is_raw_bytes(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer()
    for text in HARD_TEXTS:
        ids = plain(tokenizer.encode(text))
        assert ids == list(text.encode("utf-8")), "without merges, the ids are the bytes of the text"
        assert plain(tokenizer.decode(ids)) == text


def test_decode_invalid_utf8_does_not_crash(lab: ModuleType) -> None:
    tokenizer = lab.BPETokenizer()
    assert plain(tokenizer.decode([0xE0, 0xB0])) == "\ufffd", "the first two of three bytes of a Telugu letter"
    assert plain(tokenizer.decode([97, 0xFF, 98])) == "a\ufffdb"
    assert plain(tokenizer.decode([0xE0, 0xB0, 0xA4])) == "త", "bytes are joined before they are decoded"
    assert plain(tokenizer.decode([])) == ""


# --- the given patterns: these pass once pretokenize works ---


def test_indic_words_split_at_combining_marks_in_gpt4_but_not_o200k(lab: ModuleType) -> None:
    greeting = "తెలుగు నమస్కారం"
    # U+0C46, U+0C41, U+0C3E and others are combining marks: \p{M}, not \p{L}.
    assert plain(lab.pretokenize(greeting, lab.GPT2_PATTERN)) == [
        "త", "\u0c46", "ల", "\u0c41", "గ", "\u0c41", " నమస", "\u0c4d", "క", "\u0c3e", "ర", "\u0c02"
    ]  # fmt: skip
    assert plain(lab.pretokenize(greeting, lab.GPT4_PATTERN)) == [
        "త", "\u0c46ల", "\u0c41గ", "\u0c41", " నమస", "\u0c4dక", "\u0c3eర", "\u0c02"
    ]  # fmt: skip
    assert plain(lab.pretokenize(greeting, lab.O200K_PATTERN)) == ["తెలుగు", " నమస్కారం"]


def test_gpt4_groups_digits_in_threes(lab: ModuleType) -> None:
    assert plain(lab.pretokenize("12345", lab.GPT4_PATTERN)) == ["123", "45"], "groups of three, from the left"
    assert plain(lab.pretokenize("1234567", lab.GPT4_PATTERN)) == ["123", "456", "7"]
    assert plain(lab.pretokenize("I've 12345 apples!!", lab.GPT4_PATTERN)) == [
        "I",
        "'ve",
        " ",
        "123",
        "45",
        " apples",
        "!!",
    ]
    assert plain(lab.pretokenize("I've 12345 apples!!", lab.GPT2_PATTERN)) == ["I", "'ve", " 12345", " apples", "!!"]

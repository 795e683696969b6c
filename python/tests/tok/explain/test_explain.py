"""Traces: what happened in each round and step, and that it is what `encode` and `train` do."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.explain import to_json, trace_encode, trace_train
from tinyllm.tok.explain.records import CountChange, NeverChosen, PairCount, PretokenPart
from tinyllm.tok.splits import SPLITS

NINE_RULES = ["a b", "a a", "aa ab", "aaab ab", "aaabab c", "x y", "xy z", "b c", "c a"]


def tokenizer_of(merges: Iterable[str], letters: str = "abcxyz") -> BPETokenizer:
    """A tokenizer with these letters and merges ("a b"), lowest rank first."""
    pairs = [(left, right) for left, right in (merge.split() for merge in merges)]
    tokens = dict.fromkeys([*letters, *("".join(pair) for pair in pairs)])
    return BPETokenizer({token: id for id, token in enumerate(tokens)}, pairs)


def only_part(tokenizer: BPETokenizer, text: str) -> PretokenPart:
    """The trace of a text that is one pre-token."""
    (part,) = trace_encode(tokenizer, text).parts
    assert isinstance(part, PretokenPart)
    return part


def rounds_of(part: PretokenPart) -> list[str]:
    """Each round in a line: rank, pair, places, and the symbols after it."""
    return [f"{r.rank}: {r.left}+{r.right} at {' '.join(map(str, r.merged))}: {' '.join(r.after)}" for r in part.rounds]


# ---- the walkthrough's examples ----


def test_internationalization_takes_gpt2_fourteen_rounds(gpt2: BPETokenizer) -> None:
    part = only_part(gpt2, "internationalization")
    assert [round.rank for round in part.rounds] == [3, 5, 7, 9, 26, 39, 85, 97, 272, 503, 608, 1378, 22868, 45353]
    assert [(token.token, token.id, token.rank) for token in part.tokens] == [
        ("international", 45609, 45353),
        ("ization", 1634, 1378),
    ]
    assert rounds_of(part)[:2] == [
        "3: i+n at 0: in t e r n a t i o n a l i z a t i o n",
        "5: o+n at 8 17: in t e r n a t i on a l i z a t i on",
    ]


def test_the_nine_rules_take_seven_rounds() -> None:
    part = only_part(tokenizer_of(NINE_RULES), "aaababcabxyz")
    assert rounds_of(part) == [
        "0: a+b at 2 4 7: a a ab ab c ab x y z",
        "1: a+a at 0: aa ab ab c ab x y z",
        "2: aa+ab at 0: aaab ab c ab x y z",
        "3: aaab+ab at 0: aaabab c ab x y z",
        "4: aaabab+c at 0: aaababc ab x y z",
        "5: x+y at 2: aaababc ab xy z",
        "6: xy+z at 2: aaababc ab xyz",
    ]
    assert [token.token for token in part.tokens] == ["aaababc", "ab", "xyz"]


def test_two_of_the_nine_rules_are_never_chosen_and_the_trace_says_why() -> None:
    assert only_part(tokenizer_of(NINE_RULES), "aaababcabxyz").never_chosen == (
        NeverChosen(7, "b", "c", (1,), 1, "round 1 merged a + b (rank 0) first and took its b"),
        NeverChosen(8, "c", "a", (1,), 1, "round 1 merged a + b (rank 0) first and took its a"),
    )


def test_overlapping_occurrences_are_candidates_and_only_those_that_do_not_overlap_merge() -> None:
    part = only_part(tokenizer_of(["a a", "aa aa"]), "aaaaaaa")
    assert [candidate.at for candidate in part.rounds[0].candidates] == [(0, 1, 2, 3, 4, 5)]
    assert rounds_of(part) == ["0: a+a at 0 2 4: aa aa aa a", "1: aa+aa at 0: aaaa aa a"]


def test_a_single_symbol_takes_no_round() -> None:
    part = only_part(tokenizer_of(["a a"]), "a")
    assert (part.symbols, part.rounds, [token.id for token in part.tokens]) == (("a",), (), [0])


def test_a_repeated_pre_token_is_a_cache_hit_and_nothing_is_merged_again(gpt2: BPETokenizer) -> None:
    trace = trace_encode(gpt2, "ab ab ab")
    assert [part.text for part in trace.parts] == ["ab", " ab", " ab"]
    assert [(part.cached_from, len(part.rounds)) for part in trace.parts] == [(None, 1), (None, 2), (1, 0)]
    assert [(token.id, token.start, token.end) for part in trace.parts for token in part.tokens] == [
        (397, 0, 2),
        (450, 2, 5),
        (450, 5, 8),
    ]


def test_the_round_trip_text_shows_bytes_stand_ins_and_partial_characters(gpt2: BPETokenizer) -> None:
    trace = trace_encode(gpt2, "Hi 你!")
    assert trace.ids == (17250, 220, 19526, 254, 0)
    middle = trace.parts[1]
    assert (middle.text, middle.bytes, middle.symbols) == (" 你", (32, 228, 189, 160), ("Ġ", "ä", "½", "ł"))
    assert [(token.token, token.bytes, token.start, token.end) for token in middle.tokens] == [
        ("Ġ", (32,), 2, 3),
        ("ä½", (228, 189), 3, 5),
        ("ł", (160,), 5, 6),
    ]


# ---- rounds ----


def test_each_round_lists_every_adjacent_pair_by_rank_and_those_without_one_at_the_end() -> None:
    part = only_part(tokenizer_of(["b c", "a b"]), "abca")
    assert [(c.left, c.right, c.rank, c.at) for c in part.rounds[0].candidates] == [
        ("b", "c", 0, (1,)),
        ("a", "b", 1, (0,)),
        ("c", "a", None, (2,)),
    ]


def test_a_round_ends_where_another_pair_comes_in_between() -> None:
    # (ab, a) outranks the merge that makes its part, as no trainer would have it: "abab" is "aba", "b", not "ab", "ab".
    part = only_part(tokenizer_of(["ab a", "a b"]), "ababab")
    assert rounds_of(part) == ["1: a+b at 0: ab a b a b", "0: ab+a at 0: aba b a b", "1: a+b at 2: aba b ab"]


def test_a_byte_without_a_symbol_is_dropped_and_its_neighbours_merge(smollm2: BPETokenizer) -> None:
    part = only_part(smollm2, "!\x04!")
    assert (part.bytes, part.dropped, part.symbols) == ((33, 4, 33), (1,), ("!", "!"))
    (token,) = part.tokens
    assert (token.id, token.bytes, token.start, token.end) == (10095, (33, 33), 0, 3)


def test_a_pre_token_of_dropped_bytes_alone_has_no_tokens(smollm2: BPETokenizer) -> None:
    part = only_part(smollm2, "\x04")
    assert (part.dropped, part.symbols, part.rounds, part.tokens) == ((0,), (), (), ())


def test_an_added_token_is_a_part_of_its_own(smollm2: BPETokenizer) -> None:
    trace = trace_encode(smollm2, "a<|im_start|>b")
    assert [(part.kind, part.text) for part in trace.parts] == [
        ("pretoken", "a"),
        ("added", "<|im_start|>"),
        ("pretoken", "b"),
    ]
    assert trace.parts[1].special
    assert trace.parts[1].tokens[0].id == 1


def test_a_special_token_that_is_not_allowed_is_ordinary_text(gpt2: BPETokenizer) -> None:
    assert trace_encode(gpt2, "<|endoftext|>", allowed_special="none").ids == (27, 91, 437, 1659, 5239, 91, 29)
    assert trace_encode(gpt2, "<|endoftext|>", allowed_special={"<|endoftext|>"}).ids == (50256,)


def test_the_empty_text_has_no_parts(gpt2: BPETokenizer) -> None:
    assert trace_encode(gpt2, "").parts == ()


# ---- merges that were not chosen ----


def test_a_small_table_lists_the_rules_that_never_were_candidates_too() -> None:
    part = only_part(tokenizer_of(["a b", "b x", "ab c", "y z"]), "abxab")
    assert [(merge.left, merge.right, merge.rounds, merge.taken_in, merge.reason) for merge in part.never_chosen] == [
        ("b", "x", (1,), 1, "round 1 merged a + b (rank 0) first and took its b"),
        ("ab", "c", (), None, "c never was a symbol here"),
        ("y", "z", (), None, "y and z never was a symbol here"),
    ]


def test_a_rule_whose_parts_never_meet_says_so() -> None:
    (merge,) = only_part(tokenizer_of(["c a"]), "abc").never_chosen
    assert merge.reason == "c never stood before a when a round began"


def test_a_table_of_a_hundred_merges_lists_only_what_was_a_candidate() -> None:
    letters = "".join(map(chr, range(0x21, 0x21 + 90))) + "".join(map(chr, range(0xC0, 0xC0 + 20)))
    rules = ["a b", "b x", *(f"{letter} {letter}" for letter in letters)]
    assert [(m.left, m.right) for m in only_part(tokenizer_of(rules[:100], letters), "abx").never_chosen] == [
        ("b", "x")
    ]
    assert len(only_part(tokenizer_of(rules[:99], letters), "abx").never_chosen) == 98


def test_both_parts_may_have_been_taken() -> None:
    part = only_part(tokenizer_of(["a b", "b a"]), "abab")
    assert [merge.reason for merge in part.never_chosen] == ["round 1 merged a + b (rank 0) first and took its b and a"]


# ---- training ----


def test_the_chapters_example_step_by_step() -> None:
    trace = trace_train(["hug", "hug", "pug", "hugs"], vocab_size=259, min_freq=1)
    assert [(pretoken.text, pretoken.count, pretoken.symbols) for pretoken in trace.pretokens] == [
        ("hug", 2, ("h", "u", "g")),
        ("pug", 1, ("p", "u", "g")),
        ("hugs", 1, ("h", "u", "g", "s")),
    ]
    first, second, third = trace.steps
    assert first.pairs == (
        PairCount("u", "g", 84, 70, 4),
        PairCount("h", "u", 71, 84, 3),
        PairCount("g", "s", 70, 82, 1),
        PairCount("p", "u", 79, 84, 1),
    )
    assert [(change.before, change.after) for change in first.changed] == [
        (("h", "u", "g"), ("h", "ug")),
        (("p", "u", "g"), ("p", "ug")),
        (("h", "u", "g", "s"), ("h", "ug", "s")),
    ]
    assert CountChange("h", "u", 3, 0) in first.counts_changed
    assert CountChange("h", "ug", 0, 3) in first.counts_changed
    assert (second.rank, second.id, second.token, second.chosen.count, second.tied) == (1, 257, "hug", 3, ())
    assert (third.token, third.chosen, third.tied) == (
        "pug",
        PairCount("p", "ug", 79, 256, 1),
        (PairCount("hug", "s", 257, 82, 1),),
    )
    assert trace.stopped == "the vocabulary has its 259 entries"
    assert trace.pairs_left == (PairCount("hug", "s", 257, 82, 1),)


@pytest.mark.parametrize(
    ("texts", "size", "min_freq", "stopped"),
    [
        (["hug", "hug", "pug", "hugs"], 259, 2, "the best count left is 1, and min_freq is 2"),
        (["ab"], 300, 1, "no pair is left"),
        ([], 300, 1, "no pair is left"),
        (["ab"], 256, 1, "the vocabulary has its 256 entries"),
    ],
)
def test_a_training_trace_says_why_it_stopped(texts: list[str], size: int, min_freq: int, stopped: str) -> None:
    assert trace_train(texts, size, (), min_freq).stopped == stopped


def test_specials_are_cut_out_before_counting_and_shift_the_ids() -> None:
    trace = trace_train(["ab<s>ab<s>"], 258, ["<s>"], 1)
    assert [pretoken.text for pretoken in trace.pretokens] == ["ab"]
    assert [(step.token, step.id, step.chosen.count) for step in trace.steps] == [("ab", 257, 2)]


def test_training_cuts_texts_as_the_declaration_says() -> None:
    digits = {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": True}, BPETokenizer({}, []).pre_tokenizer],
    }
    assert [pretoken.text for pretoken in trace_train(["a12"], 256, pre_tokenizer=digits).pretokens] == ["a", "1", "2"]
    assert [pretoken.text for pretoken in trace_train(["a12"], 256).pretokens] == ["a", "12"]


# ---- records ----


def test_a_trace_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        trace_encode(tokenizer_of([]), "a").text = "b"  # type: ignore[misc]


def test_traces_are_json() -> None:
    trace = trace_encode(tokenizer_of(["a b"]), "ab")
    assert json.loads(to_json(trace))["parts"][0]["rounds"][0] == {
        "rank": 0,
        "left": "a",
        "right": "b",
        "token": "ab",
        "id": 6,
        "before": ["a", "b"],
        "candidates": [{"left": "a", "right": "b", "rank": 0, "at": [0]}],
        "merged": [0],
        "after": ["ab"],
    }
    assert to_json(trace_train(["é"], 257, (), 1)).isascii()


# ---- what is refused ----


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        (b"a", {}, TypeError, "text must be a str, not bytes (b'a')"),
        ("a\ud800", {}, ValueError, "text is not valid Unicode: position 1 is the lone surrogate U+D800"),
        ("a", {"allowed_special": "some"}, ValueError, "allowed_special is 'some'"),
        ("a", {"allowed_special": ["<x>"]}, ValueError, "allowed_special has '<x>'"),
    ],
)
def test_trace_encode_refuses_what_encode_refuses(
    text: str, options: dict, error: type, message: str, gpt2: BPETokenizer
) -> None:
    for function in (lambda: trace_encode(gpt2, text, **options), lambda: gpt2.encode(text, **options)):
        with pytest.raises(error) as caught:
            function()
        assert message in str(caught.value)


def test_a_tokenizer_without_merges_is_refused() -> None:
    with pytest.raises(TypeError, match="ByteTokenizer has no merges"):
        trace_encode(ByteTokenizer(), "a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [
        (["a"], 255),
        (["a"], 256, [""]),
        (["a"], 256, (), 0),
        ("a", 256),
        (["a\ud800"], 256),
        ([b"a"], 256),
        ([" a a"], 258, ["Ġa"], 1),
        (["ab"], 300, (), 1, {"pre_tokenizer": "none"}),
    ],
    ids=ascii,
)
def test_trace_train_refuses_what_train_refuses(arguments: tuple) -> None:
    options = arguments[-1] if isinstance(arguments[-1], dict) else {}
    positional = arguments[:-1] if options else arguments
    with pytest.raises((ValueError, TypeError)) as theirs:
        BPETokenizer.train(*positional, **options)
    with pytest.raises(type(theirs.value)) as ours:
        trace_train(*positional, **options)
    assert str(ours.value).split(";")[0] == str(theirs.value).split(";")[0]


# ---- laws ----


@st.composite
def tokenizers(draw: st.DrawFn) -> BPETokenizer:
    """A tokenizer with merges in any order, also in orders that no trainer makes, a missing byte, added tokens, and Digits or not."""
    tokens = ["a", "b", "1", "Ġ", "Ã", "©"]
    merges: list[tuple[str, str]] = []
    for left, right in draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12)):
        pair = tokens[left % len(tokens)], tokens[right % len(tokens)]
        if pair not in merges:
            merges.append(pair)
            if "".join(pair) not in tokens:
                tokens.append("".join(pair))
    vocab = {token: id for id, token in enumerate(tokens)}
    added = []
    for content, special in draw(st.sampled_from([[], [("ab", True), ("aba", False)], [("\x01", True)]])):
        added.append(
            (content, vocab.get(content, len(vocab) + sum(other not in vocab for other, _, _ in added)), special)
        )
    digits = {"type": "Digits", "individual_digits": draw(st.booleans())}
    byte_level = BPETokenizer({}, []).pre_tokenizer
    others = [BPETokenizer.train([], 256, pre_tokenizer=name).pre_tokenizer for name in SPLITS]
    split = draw(st.sampled_from([None, {"type": "Sequence", "pretokenizers": [digits, byte_level]}, *others]))
    return BPETokenizer(vocab, draw(st.permutations(merges)), added, split)


@given(tokenizers(), st.text("ab1 é\x01", max_size=150), st.sampled_from(["all", "none"]))
def test_a_traces_ids_are_those_of_encode(tokenizer: BPETokenizer, text: str, allowed: str) -> None:
    trace = trace_encode(tokenizer, text, allowed_special=allowed)  # type: ignore[arg-type]
    assert list(trace.ids) == tokenizer.encode(text, allowed_special=allowed)  # type: ignore[arg-type]
    assert "".join(part.text for part in trace.parts) == text
    for part in trace.parts:
        for token in part.tokens:
            assert bytes(token.bytes) == tokenizer.token_bytes(token.id)


@given(tokenizers(), st.text("ab", min_size=100, max_size=200))
def test_a_traces_ids_are_those_of_encode_for_long_pre_tokens_too(tokenizer: BPETokenizer, text: str) -> None:
    assert list(trace_encode(tokenizer, text).ids) == tokenizer.encode(text)


@settings(max_examples=25)
@given(st.text(max_size=60))
def test_a_traces_ids_are_gpt2s_and_smollm2s(gpt2: BPETokenizer, smollm2: BPETokenizer, text: str) -> None:
    for tokenizer in (gpt2, smollm2):
        assert list(trace_encode(tokenizer, text).ids) == tokenizer.encode(text)


@given(tokenizers(), st.text("ab", max_size=40))
def test_rounds_follow_on_one_another_and_each_is_as_long_as_it_gets(tokenizer: BPETokenizer, text: str) -> None:
    for part in trace_encode(tokenizer, text).parts:
        if part.kind == "added" or part.cached_from is not None:
            continue
        symbols = part.symbols
        for round in part.rounds:
            assert round.before == symbols
            assert len(round.after) == len(round.before) - len(round.merged)
            symbols = round.after
        assert symbols == tuple(token.token for token in part.tokens)
        assert all((a.left, a.right) != (b.left, b.right) for a, b in zip(part.rounds, part.rounds[1:]))


TEXTS = st.lists(st.text("abc <s>é1", max_size=30), max_size=8)


@given(TEXTS, st.integers(0, 30), st.sampled_from([(), ("<s>",), ("<s>", "a<s>")]), st.integers(1, 3))
def test_a_traces_merges_are_those_of_train(texts: list[str], merges: int, specials: tuple, min_freq: int) -> None:
    size = 256 + len(specials) + merges
    try:
        trained = BPETokenizer.train(texts, size, specials, min_freq)
    except ValueError as error:  # a merge that would spell a special
        with pytest.raises(ValueError) as ours:
            trace_train(texts, size, specials, min_freq)
        assert str(ours.value).split(";")[0] == str(error).split(";")[0]
        return
    trace = trace_train(texts, size, specials, min_freq)
    assert [(step.chosen.left, step.chosen.right) for step in trace.steps] == trained.merges
    assert {step.token: step.id for step in trace.steps}.items() <= trained.vocab.items()


@given(TEXTS)
def test_each_steps_counts_are_the_ones_before_with_the_changes_applied(texts: list[str]) -> None:
    trace = trace_train(texts, 256 + 20, (), 1)
    for step, following in zip(trace.steps, [*(step.pairs for step in trace.steps[1:]), trace.pairs_left]):
        counts = {(pair.left, pair.right): pair.count for pair in step.pairs}
        for change in step.counts_changed:
            assert counts.get((change.left, change.right), 0) == change.before
            counts[change.left, change.right] = change.after
        assert {pair: count for pair, count in counts.items() if count} == {
            (pair.left, pair.right): pair.count for pair in following
        }


def test_every_byte_has_its_stand_in_in_a_trace(gpt2: BPETokenizer) -> None:
    text = "".join(map(chr, range(0x80, 0x100)))
    symbols = [symbol for part in trace_encode(gpt2, text).parts for symbol in part.symbols]
    assert symbols == [bytes_to_unicode()[byte] for byte in text.encode()]

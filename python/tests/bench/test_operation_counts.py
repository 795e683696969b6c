"""Speed as counts of operations, which a busy machine does not change: calls of Python and C functions, by name.

Each bound is what the design promises (nothing is done twice, nothing is looked at that cannot matter) and not much more
than what is counted today, so that a slower way of doing it is noticed. A faster one may lower them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tinyllm.tok.bpe import BPETokenizer, count_pretokens
from tinyllm.tok.fast.chunks import BLOCK
from tinyllm.tok.merging.training import learn_merges

GPT2 = Path(__file__).resolve().parents[3] / "course" / "fixtures" / "gpt2" / "tokenizer.json"

STEMS = ("work", "walk", "talk", "call", "turn", "open", "help", "look", "ask", "play")
ENDINGS = ("", "s", "ed", "er", "ers", "ing", "ings")
WORDS = {f" {stem}{ending}": 3 + (7 * i + j) % 5 for i, stem in enumerate(STEMS) for j, ending in enumerate(ENDINGS)}
SHOUTED = {" " + pretoken[1:].upper(): count for pretoken, count in WORDS.items()}


def calls(work: Callable[[], Any]) -> Counter[str]:
    """How often each function, written in Python or in C, was called from Python code while `work` ran."""
    counted: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            counted[frame.f_code.co_name] += 1
        elif event == "c_call":
            counted[argument.__name__] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


@lru_cache(maxsize=1)
def gpt2() -> BPETokenizer:
    tokenizer = BPETokenizer.from_hf_json(GPT2)
    tokenizer.decode(tokenizer.encode("its tables are there"))
    return tokenizer


# ---- training ----


def test_a_merge_touches_only_pretokens_that_have_had_its_pair() -> None:
    done = calls(lambda: learn_merges(WORDS, 60, 1))
    # 60 merges over all 70 pre-tokens would be 4,200. What is touched in vain had its pair destroyed by another merge.
    assert done["split"] <= 400
    assert done["join"] <= 460  # those that had it still, and the 60 new tokens


def test_a_pair_comes_up_again_only_when_its_count_has_fallen() -> None:
    done = calls(lambda: learn_merges(WORDS, 60, 1))
    assert 60 <= done["heappop"] <= 180


@pytest.mark.parametrize("operation", ["split", "join", "heappop", "heappush"])
def test_merges_cost_nothing_in_pretokens_that_share_no_pair_with_them(operation: str) -> None:
    # " W" is no pair of the one half, nor " w" of the other. To the end, so that each half has all its merges.
    apart = [calls(lambda half=half: learn_merges(half, 10_000, 1))[operation] for half in (WORDS, SHOUTED)]  # type: ignore[misc]
    together = calls(lambda: learn_merges({**WORDS, **SHOUTED}, 10_000, 1))[operation]
    assert together == sum(apart)


def test_how_often_a_pretoken_occurs_costs_training_nothing() -> None:
    often = {pretoken: 1_000_000 * count for pretoken, count in WORDS.items()}
    assert calls(lambda: learn_merges(often, 60, 1)) == calls(lambda: learn_merges(WORDS, 60, 1))


def test_a_text_costs_counting_a_handful_of_calls() -> None:
    texts = ["the cat sat on the mat"] * 1000
    count_pretokens(texts[:1])  # the split is compiled once a process
    assert sum(calls(lambda: count_pretokens(texts)).values()) <= 25 * 1000


def test_counting_runs_no_python_code_for_a_pretoken_that_it_knows() -> None:
    text = " the cat sat on the mat" * 10_000
    blocks = len(text) // BLOCK + 1
    count_pretokens([text[:100]])
    assert sum(calls(lambda: count_pretokens([text])).values()) <= 30 * blocks + 300


# ---- encoding ----


def test_each_distinct_pretoken_is_merged_once() -> None:
    tokenizer = BPETokenizer.from_hf_json(GPT2)
    done = calls(lambda: tokenizer.encode(" one two three, one two, one" * 1000))
    assert done["merge_by_rank"] == 4  # " one", " two", " three", ","


def test_a_text_that_is_known_is_encoded_without_merging() -> None:
    text = " one two three, one two, one"
    gpt2().encode(text)
    done = calls(lambda: gpt2().encode(text))
    assert not done.keys() & {"merge_by_rank", "merge_long_by_rank", "pretokenize_gpt2", "__missing__"}


def test_a_text_that_is_known_costs_a_handful_of_calls_a_block() -> None:
    text = " one two three, one two, one" * 10_000
    gpt2().encode(text)
    blocks = len(text) // BLOCK + 1  # 69, of 700 chunks each
    assert sum(calls(lambda: gpt2().encode(text)).values()) <= 20 * blocks


@pytest.mark.parametrize(("unit", "pops"), [("a", 1997), ("abcdefghij", 1298)])
def test_a_long_pretoken_costs_two_looks_a_symbol_at_most(unit: str, pops: int) -> None:
    # Each pair is on the heap at the start, and each merge pushes two at most and takes two away.
    def looks(length: int) -> int:
        return calls(lambda: gpt2().encode((unit * length)[:length]))["heappop"]

    assert looks(1000) <= pops
    assert looks(4000) <= 4.1 * pops


def test_the_trie_is_asked_only_where_an_added_token_could_begin() -> None:
    letters = {chr(ord("a") + i): i for i in range(26)}
    tokenizer = BPETokenizer(letters, [], [("<end>", 26, True), ("<pad>", 27, True)])
    assert calls(lambda: tokenizer.encode("no such place" * 100))["longest_prefix"] == 0
    assert calls(lambda: tokenizer.encode("a<b<end>c<"))["longest_prefix"] == 3


# ---- decoding and loading ----


def test_decoding_runs_no_python_code_for_an_id() -> None:
    ids = gpt2().encode(" one two three")
    few, many = (calls(lambda ids=ids: gpt2().decode(ids)) for ids in (ids * 10, ids * 10_000))  # type: ignore[misc]
    assert few == many

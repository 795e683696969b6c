"""The unigram tokenizer: its model against every spelling there is, its ids and its training against Hugging Face's."""

import copy
import itertools
import json
import math
import pickle
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as HFTokenizer

from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.splits import CHOICES, O200K_PATTERN, pretokenize_o200k
from tinyllm.tok.stream import StreamDecoder
from tinyllm.tok.unigram import UnigramTokenizer
from tinyllm.tok.unigram import train as unigram_train

FIXTURES = Path(__file__).parents[4] / "course/fixtures"
SYMBOLS = sorted(bytes_to_unicode().values())
TELUGU = "మానవులందరు స్వతంత్రులుగ జన్మించినారు. వారు సమాన గౌరవము, సమాన హక్కులు కలిగియున్నారు. మానవులు వివేచన గలవారు."
ENGLISH = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason; beings are equal."
)
SPECIALS = ["<|end|>", "<a>", "<a><b>"]


def tokenizer_of(scores: dict[str, float], **arguments: object) -> UnigramTokenizer:
    """Single bytes are improbable, and the tokens have these scores."""
    return UnigramTokenizer({**dict.fromkeys(SYMBOLS, -20.0), **scores}.items(), **arguments)  # type: ignore[arg-type]


def spelled(tokenizer: UnigramTokenizer, text: str) -> list[str]:
    return [tokenizer.id_to_token(id) for id in tokenizer.encode(text)]


@lru_cache
def trained(pre_tokenizer: str = "o200k") -> UnigramTokenizer:
    return UnigramTokenizer.train([TELUGU * 2, ENGLISH * 3], 420, SPECIALS, pre_tokenizer=pre_tokenizer)


def hard_strings() -> list[str]:
    files = [FIXTURES / model / "oracle.jsonl" for model in ("gpt2", "smollm2")]
    return [json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()]


def hugging_face(tokenizer: UnigramTokenizer, folder: Path) -> HFTokenizer:
    tokenizer.save(folder / "tokenizer.json")
    return HFTokenizer.from_file(str(folder / "tokenizer.json"))


# ---- the model ----


def test_the_most_probable_spelling_is_taken_not_the_longest_token() -> None:
    assert spelled(tokenizer_of({"abc": -9.0, "a": -1.0, "bc": -2.0}), "abc") == ["a", "bc"]


def test_one_token_wins_where_it_is_more_probable_than_its_parts() -> None:
    assert spelled(tokenizer_of({"abc": -2.5, "a": -1.0, "bc": -2.0}), "abc") == ["abc"]


def test_of_equal_spellings_the_last_token_starts_leftmost() -> None:
    assert spelled(tokenizer_of({"a": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0}), "abc") == ["a", "bc"]


def test_a_tie_between_one_token_and_its_parts_goes_to_the_token() -> None:
    assert spelled(tokenizer_of({"a": -1.0, "b": -1.0, "ab": -2.0}), "ab") == ["ab"]


def test_no_token_goes_across_pre_tokens() -> None:
    assert spelled(tokenizer_of({"aĠb": -0.5}), "a b") == ["a", "Ġ", "b"]


def test_a_text_of_unknown_bytes_is_spelled_byte_by_byte() -> None:
    assert spelled(tokenizer_of({}), "త") == ["à", "°", "¤"]


@given(st.lists(st.tuples(st.text("abc", min_size=2, max_size=4), st.integers(-40, -1))), st.text("abc", max_size=9))
def test_no_spelling_is_more_probable_than_the_one_taken(entries: list[tuple[str, int]], text: str) -> None:
    tokenizer = tokenizer_of({"a": -8.0, "b": -9.0, "c": -10.0, **{token: score / 2 for token, score in entries}})

    def spellings(rest: str) -> list[list[str]]:
        if not rest:
            return [[]]
        return [
            [rest[:n], *more]
            for n in range(1, len(rest) + 1)
            if rest[:n] in tokenizer.vocab
            for more in spellings(rest[n:])
        ]

    def probability(tokens: list[str]) -> float:
        return sum(tokenizer.scores[tokenizer.vocab[token]] for token in tokens)

    best = max(map(probability, spellings(text)))
    ties = [tokens for tokens in spellings(text) if probability(tokens) == best]
    leftmost = max(ties, key=lambda tokens: [len(token) for token in reversed(tokens)])
    assert spelled(tokenizer, text) == leftmost


# ---- a tokenizer ----


@given(st.text())
def test_decode_inverts_encode(text: str) -> None:
    assert trained().decode(trained().encode(text)) == text


@given(st.lists(st.integers(0, 419)))
def test_a_stream_of_its_ids_gives_the_text_of_decode(ids: list[int]) -> None:
    stream = StreamDecoder(trained())
    assert "".join(map(stream.push, ids)) + stream.close() == trained().decode(ids)


def test_ids_are_bytes_then_tokens_by_falling_score_then_specials() -> None:
    tokenizer = trained()
    assert [tokenizer.id_to_token(id) for id in range(256)] == SYMBOLS
    found = [(-tokenizer.scores[id], tokenizer.id_to_token(id)) for id in range(256, 417)]
    assert found == sorted(found)
    assert [tokenizer.id_to_token(id) for id in (417, 418, 419)] == SPECIALS
    assert (tokenizer.vocab_size, tokenizer.special_ids, tokenizer.unk_id) == (420, {417, 418, 419}, None)


def test_specials_match_leftmost_then_longest() -> None:
    assert trained().encode("<a><b><a><|end|>") == [419, 418, 417]


def test_a_special_that_is_not_allowed_is_ordinary_text() -> None:
    tokenizer = trained()
    assert not tokenizer.special_ids & {*tokenizer.encode("<|end|> <a>", allowed_special="none")}
    assert tokenizer.special_ids & {*tokenizer.encode("<a><b>", allowed_special=["<a>"])} == {418}


@pytest.mark.parametrize(
    "allowed, message",
    [
        ("some", "allowed_special is 'some'; it must be"),
        (["<b>"], "allowed_special has '<b>', which is no special here; there are '<|end|>'"),
    ],
)
def test_an_unknown_policy_is_refused(allowed: object, message: str) -> None:
    with pytest.raises(ValueError) as error:
        trained().encode("a", allowed_special=allowed)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


def test_skipped_specials_leave_no_trace_in_the_text() -> None:
    assert trained().decode([417, *trained().encode("తె"), 418], skip_special=True) == "తె"


def test_bytes_of_tokens_are_those_of_their_spelling_and_of_specials_their_content() -> None:
    tokenizer = tokenizer_of({"à°": -1.0}, specials=["<é>"])
    assert (tokenizer.token_bytes(256), tokenizer.token_bytes(257)) == (b"\xe0\xb0", "<é>".encode())
    assert tokenizer.decode_bytes([256, 257]) == b"\xe0\xb0<\xc3\xa9>"


def test_tokens_and_ids_are_looked_up_both_ways() -> None:
    tokenizer = tokenizer_of({"ab": -1.0}, specials=["<s>"])
    assert [tokenizer.token_to_id(token) for token in ("ab", "<s>", "ba")] == [256, 257, None]
    assert [tokenizer.id_to_token(id) for id in (256, 257)] == ["ab", "<s>"]


def test_ids_out_of_range_are_refused_by_position() -> None:
    with pytest.raises(ValueError, match=r"ids\[1\] is 420; this tokenizer has ids 0 to 419"):
        trained().decode([0, 420])


def test_strict_decoding_refuses_a_cut_character() -> None:
    with pytest.raises(UnicodeDecodeError):
        trained().decode([trained().vocab["à"]], errors="strict")
    with pytest.raises(ValueError, match="errors is 'ignore'"):
        trained().decode([], errors="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong, kind", [("a\ud800", ValueError), (b"a", TypeError), (None, TypeError)])
def test_what_is_no_text_is_refused(wrong: object, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="text"):
        trained().encode(wrong)  # type: ignore[arg-type]


def test_copies_and_pickles_give_the_same_ids() -> None:
    text = TELUGU + ENGLISH + "<a>"
    ids = trained().encode(text)
    for twin in (copy.copy(trained()), copy.deepcopy(trained()), pickle.loads(pickle.dumps(trained()))):
        assert twin.encode(text) == ids


def test_a_pickle_does_not_grow_with_what_was_encoded() -> None:
    tokenizer = copy.deepcopy(trained())
    before = pickle.dumps(tokenizer)
    tokenizer.encode(" ".join(map(str, range(1000))))
    assert pickle.dumps(tokenizer) == before


def test_what_a_subclass_adds_is_copied_whatever_its_name() -> None:
    tokenizer = copy.copy(trained())
    tokenizer._private = "kept"
    assert copy.copy(tokenizer)._private == "kept"
    assert pickle.loads(pickle.dumps(tokenizer))._private == "kept"


def test_a_tokenizer_does_not_wait_for_the_tables_of_another() -> None:
    """No lock is held while they are made: a process forked meanwhile would find it locked for ever."""
    making, end = threading.Event(), threading.Event()

    class Slow(dict[str, int]):
        def __iter__(self) -> Iterator[str]:
            making.set()
            end.wait(timeout=60)
            return super().__iter__()

    slow = tokenizer_of({"ab": -1.0})
    slow.vocab = Slow(slow.vocab)
    slow.__setstate__(slow.__getstate__())  # whose tables are still to be made
    thread = threading.Thread(target=slow.encode, args=("ab",))
    thread.start()
    try:
        assert making.wait(timeout=60)
        assert tokenizer_of({"ab": -1.0}).encode("ab") == [256]
        assert thread.is_alive()
    finally:
        end.set()
        thread.join()


# ---- parts that are refused ----


@pytest.mark.parametrize(
    "entry, message",
    [
        (("", -1.0), "vocab[256] has the token ''"),
        (("a b", -1.0), "vocab[256] has the token 'a b'; a token is one or more characters of the byte alphabet"),
        (("a", -1.0), "vocab[256] is 'a', which vocab[64] is already"),
        (("ab", -0.1), "vocab[256] has the score -0.1; a score is a multiple of 1/8192"),
        (("ab", -100.0), "vocab[256] has the score -100.0; a score is a number between -100 and 100"),
        (("ab", math.nan), "vocab[256] has the score nan"),
        (("ab", "-1"), "vocab[256] has the score '-1'"),
        (("ab", True), "vocab[256] has the score True"),
        ("ab", "vocab[256] is 'ab'; it must be a token and its score"),
    ],
    ids=["empty", "a space", "twice", "too fine", "too low", "not a number", "a str", "a bool", "no pair"],
)
def test_a_wrong_entry_is_named(entry: object, message: str) -> None:
    with pytest.raises(ValueError) as error:
        UnigramTokenizer([*((symbol, -1.0) for symbol in SYMBOLS), entry])  # type: ignore[list-item]
    assert str(error.value).startswith(message)


def test_a_vocabulary_that_lacks_a_byte_is_refused() -> None:
    with pytest.raises(ValueError, match="vocab lacks the byte symbol 'Ġ'"):
        UnigramTokenizer((symbol, -1.0) for symbol in SYMBOLS if symbol != "Ġ")


@pytest.mark.parametrize(
    "specials, kind, message",
    [
        ([""], ValueError, "specials has the empty string"),
        (["<s>", "<s>"], ValueError, "specials has '<s>' twice"),
        (["a"], ValueError, "the special 'a' is a token of the vocabulary"),
        (["\ud800"], ValueError, r"specials has '\ud800', with a lone surrogate"),
        ("<s>", TypeError, "specials must be a sequence of str, not the str '<s>'"),
        ([1], TypeError, "specials has 1; a special is a str"),
    ],
    ids=["empty", "twice", "a byte symbol", "surrogate", "one str", "a number"],
)
def test_a_wrong_special_is_named(specials: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as error:
        UnigramTokenizer.train(["a"], 300, specials)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("wrong", ["bert", None, {"type": "ByteLevel"}])
def test_an_unknown_pre_tokenizer_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="it must be 'gpt2' or 'cl100k'"):
        UnigramTokenizer.train(["a"], 300, pre_tokenizer=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"vocab_size": 256}, "vocab_size is 256; it must be at least 257: 256 byte symbols and 1 specials"),
        ({"vocab_size": 300, "max_token_bytes": 0}, "max_token_bytes is 0; it must be at least 1"),
        ({"vocab_size": 300, "seeds": 0}, "seeds is 0; it must be at least 1"),
    ],
    ids=["vocab_size", "max_token_bytes", "seeds"],
)
def test_a_number_too_small_is_named(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UnigramTokenizer.train(["a"], specials=["<s>"], **arguments)  # type: ignore[arg-type]


def test_one_str_in_place_of_texts_is_refused() -> None:
    with pytest.raises(TypeError, match="texts must be an iterable of str, not one str"):
        UnigramTokenizer.train("abc", 300)


# ---- files ----


@pytest.mark.parametrize("pre_tokenizer", CHOICES)
def test_hugging_face_gives_the_same_ids_for_hard_strings(pre_tokenizer: str, tmp_path: Path) -> None:
    ours, theirs = trained(pre_tokenizer), hugging_face(trained(pre_tokenizer), tmp_path)
    texts = [*hard_strings(), TELUGU, "<a><b><a><|end|> x<|end|>", "", " ", "a" * 300]
    assert [ours.encode(text) for text in texts] == [encoding.ids for encoding in theirs.encode_batch(texts)]


def test_hugging_face_decodes_the_ids_to_the_same_text(tmp_path: Path) -> None:
    theirs = hugging_face(trained(), tmp_path)
    for text in (TELUGU, ENGLISH, "🙂 <a>"):
        assert theirs.decode(trained().encode(text), skip_special_tokens=False) == text


@pytest.mark.parametrize("seed", range(5))
def test_hugging_face_breaks_ties_the_same_way(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    tokens = {"".join(rng.choices("abc", k=rng.randint(1, 5))) for _ in range(200)}
    ours = tokenizer_of({token: float(rng.randint(-3, -1)) for token in sorted(tokens)})
    texts = ["".join(rng.choices("abc", k=rng.randint(1, 40))) for _ in range(200)]
    assert [ours.encode(text) for text in texts] == [
        encoding.ids for encoding in hugging_face(ours, tmp_path).encode_batch(texts)
    ]


def test_hugging_face_reads_every_score_exactly(tmp_path: Path) -> None:
    rng = random.Random(0)
    tokens = sorted({"".join(rng.choices("abcdef", k=5)) for _ in range(3000)})
    ours = tokenizer_of({token: rng.randint(-99 * 8192, 99 * 8192) / 8192 for token in tokens})
    theirs = json.loads(hugging_face(ours, tmp_path).to_str())["model"]["vocab"]
    assert [score for _, score in theirs] == ours.scores


def test_load_reads_back_what_save_wrote(tmp_path: Path) -> None:
    trained().save(tmp_path / "u.json")
    twin = UnigramTokenizer.load(tmp_path / "u.json")
    for name in ("vocab", "scores", "added", "pre_tokenizer", "special_ids", "vocab_size", "unk_id"):
        assert getattr(twin, name) == getattr(trained(), name)


CHANGES = {
    "model.type is": lambda file: file["model"].update(type="BPE"),
    "model.unk_id is 0": lambda file: file["model"].update(unk_id=0),
    "model.byte_fallback is true": lambda file: file["model"].update(byte_fallback=True),
    "model.vocab is {}": lambda file: file["model"].update(vocab={}),
    "model.vocab[3] has the score -0.1": lambda file: file["model"]["vocab"][3].__setitem__(1, -0.1),
    "model.extra is 1": lambda file: file["model"].update(extra=1),
    "normalizer is": lambda file: file.update(normalizer={"type": "NFKC"}),
    "pre_tokenizer is null": lambda file: file.update(pre_tokenizer=None),
    "decoder is null": lambda file: file.update(decoder=None),
    "added_tokens is null": lambda file: file.update(added_tokens=None),
    "added_tokens[1].id is 0": lambda file: file["added_tokens"][1].update(id=0),
    "added_tokens[0].lstrip is true": lambda file: file["added_tokens"][0].update(lstrip=True),
    "added_tokens[0].content is 5": lambda file: file["added_tokens"][0].update(content=5),
    "model is missing": lambda file: file.pop("model"),
}


@pytest.mark.parametrize("message", CHANGES)
def test_a_changed_file_is_refused_by_its_field(message: str, tmp_path: Path) -> None:
    path = tmp_path / "u.json"
    trained().save(path)
    file = json.loads(path.read_text("utf-8"))
    CHANGES[message](file)
    path.write_text(json.dumps(file), "utf-8")
    with pytest.raises(ValueError) as error:
        UnigramTokenizer.load(path)
    assert str(error.value).startswith(f"{path}: {message}")


# ---- training ----


def test_training_keeps_the_substrings_that_a_text_repeats() -> None:
    tokenizer = UnigramTokenizer.train(["hug pug hugs bug"] * 5, 259)
    assert spelled(tokenizer, "hugs") == ["hug", "s"]


def test_the_order_and_the_cutting_of_texts_do_not_matter() -> None:
    texts = [TELUGU, ENGLISH, "a b c", ENGLISH]
    one, two = (UnigramTokenizer.train(order, 400) for order in (texts, texts[::-1]))
    assert (one.vocab, one.scores) == (two.vocab, two.scores)


def test_training_from_counts_is_training_from_the_texts() -> None:
    counts = Counter(pretokenize_o200k(TELUGU)) + Counter(pretokenize_o200k(ENGLISH))
    one = UnigramTokenizer.train_from_counts(counts, 400, pre_tokenizer="o200k")
    two = UnigramTokenizer.train([TELUGU, ENGLISH], 400, pre_tokenizer="o200k")
    assert (one.vocab, one.scores) == (two.vocab, two.scores)


def test_the_vocabulary_has_the_size_asked_for_or_what_the_text_holds() -> None:
    assert UnigramTokenizer.train([ENGLISH * 2], 300).vocab_size == 300
    assert UnigramTokenizer.train(["ab ab"], 300).vocab_size < 262


def test_no_text_leaves_the_bytes() -> None:
    assert UnigramTokenizer.train([], 300).vocab_size == 256


def test_tokens_have_at_most_the_bytes_asked_for() -> None:
    tokenizer = UnigramTokenizer.train([ENGLISH * 2], 400, max_token_bytes=3)
    assert max(map(len, tokenizer.vocab)) == 3


def test_a_token_is_whole_characters_or_a_part_of_one() -> None:
    parts = 0
    for id in range(256, trained().vocab_size):
        token = trained().token_bytes(id)
        if token.decode("utf-8", "ignore").encode() != token:
            parts += 1
            assert any(token in character.encode() for character in {*TELUGU})
    assert parts


def test_specials_are_cut_out_of_the_texts() -> None:
    with_specials = UnigramTokenizer.train(["ab<|end|>ab<|end|>"], 270, ["<|end|>"])
    without = UnigramTokenizer.train(["ab", "ab", ""], 269)
    assert (list(with_specials.vocab), with_specials.scores) == (list(without.vocab), without.scores)


def test_no_token_spells_a_special() -> None:
    tokenizer = UnigramTokenizer.train(["x the the the the"], 300, ["Ġthe"])
    assert "Ġthe" not in tokenizer.vocab
    assert tokenizer.special_ids.isdisjoint(tokenizer.encode(" the"))


def test_seeds_that_the_next_byte_always_follows_are_left_out() -> None:
    seeds = unigram_train._seed_scores(["abcab", "abx"], [1, 1], 4, 1000, frozenset())
    assert {seed for seed in seeds if len(seed) > 1} == {"ab"}
    seeds = unigram_train._seed_scores(["abc", "abx"], [2, 1], 4, 1000, frozenset())
    assert {seed for seed in seeds if len(seed) > 1} == {"ab", "abc", "bc"}


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=6), st.integers(1, 3)), min_size=1, max_size=3))
def test_expected_counts_are_those_over_all_spellings(counted: list[tuple[str, int]]) -> None:
    scores = {**dict.fromkeys(unigram_train.BYTES, -6.0), "a": -1.0, "b": -1.5, "ab": -2.0, "ba": -2.25, "aab": -3.5}
    naive = dict.fromkeys(scores, 0.0)
    for text, count in counted:
        cuts = itertools.product([False, True], repeat=len(text) - 1)
        ways = []
        for cut in cuts:
            edges = [0, *(i for i, is_cut in enumerate(cut, start=1) if is_cut), len(text)]
            ways.append([text[start:end] for start, end in itertools.pairwise(edges)])
        weighted = [(way, math.exp(sum(map(scores.__getitem__, way)))) for way in ways if scores.keys() >= set(way)]
        total = sum(weight for _, weight in weighted)
        for way, weight in weighted:
            for token in way:
                naive[token] += count * weight / total
    lattices = [unigram_train._lattice(text, scores, 3) for text, _ in counted]
    assert unigram_train._expected(lattices, [count for _, count in counted], scores) == pytest.approx(naive)


@pytest.mark.parametrize(
    "x, value",
    [(1.0, -0.5772156649015329), (0.5, -1.9635100260214235), (10.0, 2.251752589066721), (1e6, 13.815510057964191)],
)
def test_digamma_has_its_known_values(x: float, value: float) -> None:
    assert unigram_train._digamma(x) == pytest.approx(value, abs=1e-10)


def viterbi_loss(scores: dict[str, float], counts: Counter[str]) -> float:
    """Nats a byte: how improbable the best spellings make the text."""
    longest = max(map(len, scores))
    loss = size = 0.0
    for pretoken, count in counts.items():
        symbols = "".join(map(bytes_to_unicode().__getitem__, pretoken.encode()))
        way = unigram_train.best_way(unigram_train._lattice(symbols, scores, longest), scores)
        loss -= count * sum(map(scores.__getitem__, way))
        size += count * len(symbols)
    return loss / size


def chapters() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((FIXTURES.parent / "chapters").glob("L1.*.md")))


def telugu_syllables() -> str:
    """Made-up words of Telugu syllables, the frequent ones short, as often as words are (Zipf)."""
    rng = random.Random(4)
    consonants, signs = "కగచజటడణతదనపబమయరలవశసహ", ["", "ా", "ి", "ు", "ె", "ో", "్య", "ం"]
    words = [
        "".join(rng.choice(consonants) + rng.choice(signs) for _ in range(rng.randint(1, 2 + i // 300)))
        for i in range(1500)
    ]
    return " ".join(rng.choices(words, [1 / (i + 1) for i in range(len(words))], k=20_000))


@pytest.mark.parametrize("text_of, vocab_size", [(chapters, 800), (telugu_syllables, 600), (telugu_syllables, 1500)])
def test_the_text_is_as_probable_as_under_hugging_faces_training(text_of: Callable[[], str], vocab_size: int) -> None:
    text = text_of()
    hf = HFTokenizer(models.Unigram())
    hf.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(O200K_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    hf.train_from_iterator(
        [text], trainers.UnigramTrainer(vocab_size=vocab_size, initial_alphabet=SYMBOLS, show_progress=False)
    )
    theirs = dict(map(tuple, json.loads(hf.to_str())["model"]["vocab"]))
    trained = UnigramTokenizer.train([text], len(theirs), pre_tokenizer="o200k", max_token_bytes=16)  # as theirs has
    ours = dict(zip(trained.vocab, trained.scores))
    counts = Counter(pretokenize_o200k(text))
    assert len(ours) == len(theirs)
    assert viterbi_loss(ours, counts) <= 1.02 * viterbi_loss(theirs, counts)

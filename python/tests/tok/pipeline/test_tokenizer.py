"""The class: small files, one for each feature of the post-processor, truncation, padding and decoder, and for features that meet."""

import copy
import itertools
import json
import pickle
import threading
from random import Random

import pytest
from hf_json import BYTE_LEVEL, document
from naive import ALPHABET

from tinyllm.tok.pipeline.tokenizer import Pipeline
from tinyllm.tok.stream import StreamDecoder

tokenizers = pytest.importorskip("tokenizers")

VOCAB = {symbol: id for id, symbol in enumerate(ALPHABET)}
MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("Ġ", "w"), ("Ġ", "Ġ")]
VOCAB.update({left + right: len(VOCAB) + i for i, (left, right) in enumerate(MERGES)})
N = len(VOCAB)
TEXTS = [
    "",
    " ",
    "hello",
    " hello  world ",
    "hello\n\nworld\u00a0",
    "  a <s>  b <mask> c</s>",
    "é你🙂 ",
    "<mask><mask> <n>x<N>",
    "a b c d e f g h i j k l m n o p",
]


def token(content, id, **flags):
    known = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": id, "content": content, **known, **flags}


ADDED = [
    token("<s>", N, special=True),
    token("</s>", N + 1, special=True, rstrip=True),
    token("<mask>", N + 2, special=True, lstrip=True),
    token("<n>", N + 3, normalized=True),
]
ROBERTA = {
    "type": "RobertaProcessing",
    "sep": ["</s>", N + 1],
    "cls": ["<s>", N],
    "trim_offsets": True,
    "add_prefix_space": True,
}
BERT = {"type": "BertProcessing", "sep": ["</s>", N + 1], "cls": ["<s>", N]}
TRIM = {**BYTE_LEVEL, "add_prefix_space": True}
NO_TRIM = {**TRIM, "trim_offsets": False}


def template(single, pair="$A $B"):
    """A TemplateProcessing in which "x" is a token of two ids, and any other name but $A and $B one of one."""

    def piece(name):
        if name in ("$A", "$B"):
            return {"Sequence": {"id": name[1], "type_id": 0}}
        return {"SpecialToken": {"id": name, "type_id": 0}}

    tokens = {
        "x": {"id": "x", "ids": [3, 4], "tokens": ["x", "Ġy"]},
        "<s>": {"id": "<s>", "ids": [N], "tokens": ["<s>"]},
    }
    return {
        "type": "TemplateProcessing",
        "single": [piece(name) for name in single.split()],
        "pair": [piece(name) for name in pair.split()],
        "special_tokens": tokens,
    }


def steps(*processors):
    return {"type": "Sequence", "processors": list(processors)}


POST_PROCESSORS = {
    "none": None,
    "roberta": ROBERTA,
    "roberta, spans whole": {**ROBERTA, "trim_offsets": False},
    "roberta, no prefix space": {**ROBERTA, "add_prefix_space": False},
    "bert": BERT,
    "trim": TRIM,
    "trim, no prefix space": {**TRIM, "add_prefix_space": False},
    "no trim": NO_TRIM,
    "template": template("<s> $A x"),
    "template of the text alone": template("$A"),
    "template without the text": template("<s>"),
    "template with the text twice": template("$A x $A"),
    "empty template": template(""),
    "trim, template": steps(TRIM, template("<s> $A x")),
    "template, trim": steps(template("<s> $A x"), TRIM),
    "template, roberta": steps(template("x $A"), ROBERTA),
    "template, bert": steps(template("x $A"), BERT),
    "roberta, template": steps(ROBERTA, template("x $A")),
    "template, template": steps(template("$A <s>"), template("x $A", "$B <s> $A")),
    "sequence of sequences": steps(steps(BERT, steps()), TRIM),
    "nothing": steps(),
    "template with a second text": template("$B"),
    "template, template for too many": steps(template("<s> $A x"), template("$A")),
}
TRUNCATIONS = {
    f"{length} {strategy} {direction} {stride}": {
        "max_length": length,
        "strategy": strategy,
        "direction": direction,
        "stride": stride,
    }
    for length, strategy, direction, stride in [
        (0, "LongestFirst", "Right", 0),
        (1, "LongestFirst", "Right", 0),
        (3, "LongestFirst", "Left", 1),
        (3, "OnlyFirst", "Right", 2),
        (4, "OnlySecond", "Right", 0),
        (5, "LongestFirst", "Right", 7),
        (6, "OnlyFirst", "Left", 0),
        (100, "LongestFirst", "Right", 200),
    ]
}
PADDINGS = {
    f"{strategy} {direction} {multiple}": {
        "strategy": strategy,
        "direction": direction,
        "pad_to_multiple_of": multiple,
        "pad_id": 1,
        "pad_type_id": 0,
        "pad_token": "p",
    }
    for strategy, direction, multiple in [
        ("BatchLongest", "Right", None),
        ("BatchLongest", "Left", 8),
        ({"Fixed": 10}, "Right", None),
        ({"Fixed": 5}, "Left", 4),
        ({"Fixed": 0}, "Left", 0),
    ]
}


def file(**fields):
    return document(VOCAB, MERGES, **{"added_tokens": ADDED, **fields})


def hugging_face(tokenizer, text, add_special_tokens):
    """(ids, offsets), or None where it refuses or panics."""
    try:
        encoding = tokenizer.encode(text, add_special_tokens=add_special_tokens)
    except BaseException as error:
        assert type(error).__name__ in ("PanicException", "Exception")
        return None
    return encoding.ids, encoding.offsets


def agree(declaration, texts=TEXTS):
    """Ours and Hugging Face's give the same ids, offsets, batches and texts; where it refuses ours raises ValueError."""
    ours = Pipeline(json.loads(json.dumps(declaration)))
    theirs = tokenizers.Tokenizer.from_str(json.dumps(declaration))
    assert len(ours) == theirs.get_vocab_size()
    for add_special_tokens in (True, False):
        option = {"add_special_tokens": add_special_tokens}
        right = []
        for text in texts:
            expected = hugging_face(theirs, text, add_special_tokens)
            if expected is None:
                for encode in (ours.encode, ours.encode_with_offsets):
                    with pytest.raises(ValueError):
                        encode(text, **option)
                continue
            right.append(text)
            assert ours.encode(text, **option) == expected[0], text
            assert ours.encode_with_offsets(text, **option) == expected, text
            for skip in (False, True):
                assert ours.decode(expected[0], skip) == theirs.decode(expected[0], skip_special_tokens=skip)
        batch = theirs.encode_batch(right, add_special_tokens=add_special_tokens)
        assert ours.encode_batch(right, **option) == [encoding.ids for encoding in batch]
    return ours


@pytest.mark.parametrize("name", POST_PROCESSORS)
def test_post_processors_do_what_hugging_face_does(name):
    agree(file(post_processor=POST_PROCESSORS[name]))


@pytest.mark.parametrize("post, truncation", list(itertools.product(POST_PROCESSORS, TRUNCATIONS)))
def test_truncation_leaves_room_for_what_a_post_processor_puts_in(post, truncation):
    agree(file(post_processor=POST_PROCESSORS[post], truncation=TRUNCATIONS[truncation]), TEXTS[::2])


@pytest.mark.parametrize("post, padding", list(itertools.product(["none", "roberta", "template, trim"], PADDINGS)))
def test_padding_comes_last(post, padding):
    agree(file(post_processor=POST_PROCESSORS[post], padding=PADDINGS[padding]))


@pytest.mark.parametrize("truncation, padding", list(itertools.product(TRUNCATIONS, PADDINGS)))
def test_truncation_and_padding_meet(truncation, padding):
    agree(file(truncation=TRUNCATIONS[truncation], padding=PADDINGS[padding]), TEXTS[1::2])


def test_a_prefix_space_is_not_trimmed_from_the_first_token():
    pre_tokenizer = {**BYTE_LEVEL, "add_prefix_space": True}
    for post in (TRIM, {**TRIM, "add_prefix_space": False}, ROBERTA, steps(template("<s> $A"), TRIM)):
        agree(file(pre_tokenizer=pre_tokenizer, post_processor=post), [*TEXTS, "\ta", "\u3000w w"])


@pytest.mark.parametrize(
    "normalizer", [{"type": "Lowercase"}, {"type": "Replace", "pattern": {"String": "l"}, "content": ""}]
)
def test_normalizers_meet_post_processors(normalizer):
    texts = [*TEXTS, "HELLO <N> <n>", " LL <mask>L"]
    agree(file(normalizer=normalizer, post_processor=ROBERTA), texts)
    agree(file(normalizer=normalizer, post_processor=TRIM), texts)


@pytest.mark.parametrize(
    "processor, path",
    [
        ({**BERT, "sep": ["</s>"]}, "post_processor.sep"),
        ({**BERT, "trim_offsets": True}, "post_processor.trim_offsets"),
        ({**ROBERTA, "cls": 3}, "post_processor.cls"),
        (
            {**template("$A"), "single": [{"Sequence": {"id": "C", "type_id": 0}}]},
            "post_processor.single[0].Sequence.id",
        ),
        (
            {**template("$A"), "single": [{"SpecialToken": {"id": "y", "type_id": 0}}]},
            "post_processor.single[0].SpecialToken.id",
        ),
        ({**template("$A"), "single": [{"Other": 1}]}, "post_processor.single[0]"),
        (
            {**template("$A"), "special_tokens": {"x": {"id": "x", "ids": [1], "tokens": []}}},
            "special_tokens['x'].tokens",
        ),
        (steps({"type": "Other"}), "post_processor.processors[0].type"),
        (3, "post_processor"),
    ],
)
def test_a_post_processor_that_cannot_be_obeyed_is_refused(processor, path):
    with pytest.raises(ValueError) as error:
        Pipeline(file(post_processor=processor))
    assert path in str(error.value)


def test_switches_left_over_in_a_template_are_passed_over():
    agree(
        file(post_processor={**template("<s> $A"), "trim_offsets": True, "add_prefix_space": False, "use_regex": True})
    )


@pytest.mark.parametrize(
    "section, value",
    [
        ("truncation", {"max_length": -1, "strategy": "LongestFirst", "stride": 0}),
        ("truncation", {"max_length": 3, "strategy": "Longest", "stride": 0}),
        ("truncation", {"max_length": 3, "strategy": "LongestFirst"}),
        ("truncation", 3),
        ("padding", {**PADDINGS["BatchLongest Left 8"], "strategy": "Fixed"}),
        ("padding", {**PADDINGS["BatchLongest Left 8"], "strategy": {"Fixed": -1}}),
        ("padding", {**PADDINGS["BatchLongest Left 8"], "direction": "left"}),
        ("padding", {**PADDINGS["BatchLongest Left 8"], "pad_id": None}),
        ("padding", {**PADDINGS["BatchLongest Left 8"], "pad_to_multiple_of": 1.5}),
        ("padding", {**PADDINGS["BatchLongest Left 8"], "more": 1}),
        ("padding", []),
    ],
)
def test_truncation_and_padding_that_are_none_are_refused(section, value):
    with pytest.raises(ValueError, match=f"^{section}"):
        Pipeline(file(**{section: value}))


# ---- decoding ----

REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
BYTES = {"type": "ByteFallback"}
FUSE = {"type": "Fuse"}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
DECODERS = {
    "none": None,
    "bytes": BYTE_LEVEL,
    "llama": {"type": "Sequence", "decoders": [REPLACE, BYTES, FUSE, STRIP]},
    "fallback": BYTES,
    "fuse": FUSE,
    "metaspace": METASPACE,
    "metaspace never": {**METASPACE, "prepend_scheme": "never"},
    "metaspace as once written": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
    "suffix": {"type": "BPEDecoder", "suffix": "</w>"},
    "strip": {"type": "Strip", "content": "▁", "start": 2, "stop": 1},
    "replace": {"type": "Replace", "pattern": {"Regex": "▁|<"}, "content": "-"},
    "bytes of fused": {"type": "Sequence", "decoders": [FUSE, BYTE_LEVEL]},
    "nothing": {"type": "Sequence", "decoders": []},
}
SPELLED = ["▁a", "a▁", "▁", "▁▁", "a</w>", "</w>", "é", "Ġ", "Ã", "©", "<0x61>", "<0xC3>", "<0xA9>", "<0x+A>", "<0xGG>"]


@pytest.mark.parametrize("name", DECODERS)
def test_decoders_do_what_hugging_face_does(name):
    vocab = {spelled: 2 * id for id, spelled in enumerate(SPELLED)}  # with gaps
    added = [token("<s>", len(SPELLED), special=True), token("▁<é>", len(SPELLED) + 1)]
    declaration = document(vocab, [], added_tokens=added, decoder=DECODERS[name])
    ours = Pipeline(declaration)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(declaration))
    ids = range(ours.vocab_size)
    for some in [[], *([id] for id in ids), *itertools.product(ids, ids), list(ids), list(ids)[::-1]]:
        for skip in (False, True):
            try:
                expected = theirs.decode(list(some), skip_special_tokens=skip)
            except BaseException:
                with pytest.raises(ValueError, match="panics"):
                    ours.decode(some, skip)
            else:
                assert ours.decode(some, skip) == expected, [ours._token_of.get(id) for id in some]


@pytest.mark.parametrize("name", ["none", "bytes", "fallback", "fuse", "replace", "metaspace never", "suffix"])
def test_the_bytes_of_tokens_joined_are_those_of_the_text(name):
    """True but for what a decoder does between tokens and at the ends."""
    declaration = document({spelled: id for id, spelled in enumerate(SPELLED)}, [], decoder=DECODERS[name])
    tokenizer = Pipeline(declaration)
    ids = [id for id in range(len(SPELLED)) if id not in (11, 12)]  # C3 and A9 are no text one by one
    joined = b"".join(map(tokenizer.token_bytes, ids))
    text = tokenizer.decode_bytes([*ids, 0])[: -len(tokenizer.token_bytes(0))]
    assert joined == (text.replace(b" ", b"") if name == "none" else text)


def test_strict_decoding_raises_where_bytes_are_no_text():
    for decoder, id in ((BYTE_LEVEL, 8), (BYTES, 11)):
        tokenizer = Pipeline(document({spelled: id for id, spelled in enumerate(SPELLED)}, [], decoder=decoder))
        assert tokenizer.decode([id]) == "\ufffd"
        with pytest.raises(UnicodeDecodeError):
            tokenizer.decode([id], errors="strict")
    with pytest.raises(ValueError, match='must be "replace" or "strict"'):
        tokenizer.decode([], errors="ignore")


@pytest.mark.parametrize(
    "decoder, path",
    [
        ({"type": "CTC"}, "decoder.type"),
        ({"type": "Strip", "content": "ab", "start": 1, "stop": 0}, "decoder.content"),
        ({"type": "Strip", "content": "a", "start": -1, "stop": 0}, "decoder.start"),
        ({**METASPACE, "replacement": ""}, "decoder.replacement"),
        ({**METASPACE, "add_prefix_space": False}, "decoder.prepend_scheme"),
        ({"type": "Sequence", "decoders": [FUSE, None]}, "decoder.decoders[1]"),
        ({"type": "Sequence", "decoders": [{**FUSE, "more": 1}]}, "decoder.decoders[0].more"),
        ({"type": "Replace", "pattern": {"Regex": "(?<=a)b"}, "content": ""}, "decoder.pattern.Regex"),
        ({"type": "Replace", "pattern": {"String": ""}, "content": ""}, "decoder.pattern"),
        ({"type": "BPEDecoder", "suffix": ""}, "decoder.suffix"),
        ({"type": "ByteLevel"}, "decoder.add_prefix_space"),
    ],
)
def test_a_decoder_that_cannot_be_obeyed_is_refused(decoder, path):
    with pytest.raises(ValueError) as error:
        Pipeline(file(decoder=decoder))
    assert path in str(error.value)


# ---- tokens and ids ----


def test_an_id_in_a_gap_has_no_token():
    tokenizer = Pipeline(document({"a": 0, "b": 4}, [], decoder=BYTE_LEVEL, added_tokens=[token("<x>", 2)]))
    assert (len(tokenizer), tokenizer.vocab_size) == (3, 5)
    assert tokenizer.decode([0, 1, 2, 4]) == "a<x>b"
    assert tokenizer.token_bytes(3) == b""
    with pytest.raises(ValueError, match="id 3 belongs to no token"):
        tokenizer.id_to_token(3)
    with pytest.raises(ValueError, match="ids 0 to 4"):
        tokenizer.decode([5])


def test_an_added_token_may_get_the_id_of_another_behind_a_gap():
    """Hugging Face counts tokens, not ids: the token that was there before is then hidden by it."""
    declaration = document({"a": 0, "b": 2}, [], decoder=BYTE_LEVEL, added_tokens=[token("<x>", 2)])
    assert agree(declaration, ["ab<x>"]).encode("b<x>") == [2, 2]


def test_two_added_tokens_with_one_id_are_refused():
    tokens = [token("b", 2), token("<x>", 2)]
    with pytest.raises(
        ValueError, match=r"added_tokens\[1\]\.id is 2; it must be another than that of added_tokens\[0\]"
    ):
        Pipeline(document({"a": 0, "b": 2}, [], added_tokens=tokens))


def test_tokens_are_told_by_id_and_by_content():
    tokenizer = agree(
        file(normalizer={"type": "Lowercase"}, added_tokens=[token("<N>", N, normalized=True, special=True)])
    )
    assert tokenizer.token_to_id("<N>") == N and tokenizer.id_to_token(N) == "<n>"
    assert tokenizer.token_to_id("hell") == VOCAB["hell"] and tokenizer.token_to_id("nothing") is None
    assert tokenizer.special_ids == frozenset(), "Hugging Face does not skip it: the normalized content is not special"
    with pytest.raises(TypeError, match="a token is a str"):
        tokenizer.token_to_id(3)


def test_the_unk_token_has_an_id():
    assert Pipeline(document({"a": 3}, [], decoder=None)).unk_id is None
    declaration = document({"a": 3}, [])
    declaration["model"]["unk_token"] = "a"
    assert Pipeline(declaration).unk_id == 3


# ---- files and objects ----


def test_save_writes_the_file_again(tmp_path):
    declaration = file(post_processor=ROBERTA, truncation=TRUNCATIONS["3 LongestFirst Left 1"], version="1.0")
    declaration["model"]["vocab"] = dict(reversed(VOCAB.items()))
    Pipeline(declaration).save(tmp_path / "a.json")
    assert list(json.loads((tmp_path / "a.json").read_text("utf-8"))["model"]["vocab"]) == list(VOCAB)
    Pipeline.load(tmp_path / "a.json").save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == declaration


def test_a_file_that_hugging_face_wrote_is_saved_byte_for_byte(tmp_path):
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file(post_processor=template("<s> $A x"))))
    theirs.save(str(tmp_path / "theirs.json"))
    Pipeline.load(tmp_path / "theirs.json").save(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_text("utf-8").rstrip("\n") == (tmp_path / "theirs.json").read_text("utf-8")


def test_all_that_stands_in_the_way_is_named_with_the_file(tmp_path):
    declaration = file(decoder={"type": "CTC"}, truncation=3, more=1)
    declaration["added_tokens"][1]["id"] = 7
    declaration["model"]["dropout"] = 0.5
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(declaration), "utf-8")
    with pytest.raises(ValueError) as error:
        Pipeline.load(path)
    first, *lines = str(error.value).splitlines()
    assert first == f"{path}: 4 fields stand in the way:"
    assert [line.split()[0] for line in lines] == ["more", "truncation", "decoder.type", "model.dropout"]


def test_an_id_that_hugging_face_would_not_give_is_refused():
    for tokens, said in (
        ([token("<x>", 7)], f"added_tokens[0].id is 7; it must be {N}, behind all tokens before it"),
        ([token("hell", 7)], f"added_tokens[0].id is 7; it must be {VOCAB['hell']}, as in the vocabulary"),
    ):
        with pytest.raises(ValueError) as error:
            Pipeline(file(added_tokens=tokens))
        assert str(error.value) == said


@pytest.mark.parametrize("found", [None, [], "x", {}, {"version": "1.0"}])
def test_what_is_no_tokenizer_file_is_refused(found):
    with pytest.raises(ValueError):
        Pipeline(found)


def test_absent_sections_are_null():
    model = {"vocab": VOCAB, "merges": [list(pair) for pair in MERGES]}
    agree({"model": model}, ["hello", ""])
    agree({"model": model, "pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL})


def test_it_is_pickled_and_copied_by_its_declaration():
    tokenizer = Pipeline(file(post_processor=ROBERTA))
    expected = tokenizer.encode("hello <mask>")
    for other in (pickle.loads(pickle.dumps(tokenizer)), copy.copy(tokenizer), copy.deepcopy(tokenizer)):
        assert other.encode("hello <mask>") == expected


def test_what_it_was_made_from_may_change():
    declaration = file(post_processor=ROBERTA)
    tokenizer = Pipeline(declaration)
    expected = tokenizer.encode("hello"), copy.deepcopy(tokenizer.declaration)
    declaration["model"]["vocab"].clear()
    declaration["model"]["merges"].clear()
    declaration["added_tokens"][0]["id"] = 7
    tokenizer.declaration["pre_tokenizer"].clear()
    assert (tokenizer.encode("hello"), tokenizer.declaration) == expected
    assert tokenizer.merges == MERGES


def test_merges_are_written_as_they_were():
    declaration = document(VOCAB, ["#version: 0.2", "h e", "l l"])
    assert Pipeline(declaration).declaration["model"]["merges"] == ["h e", "l l"]


def test_threads_may_share_it():
    tokenizer = Pipeline(file(post_processor=ROBERTA))
    expected = [tokenizer.encode(text) for text in TEXTS]
    fresh, found = Pipeline(file(post_processor=ROBERTA)), []
    threads = [threading.Thread(target=lambda: found.append(fresh.encode_batch(TEXTS))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.slow
def test_workers_give_the_same_batch():
    tokenizer = Pipeline(file(post_processor=ROBERTA, padding=PADDINGS["BatchLongest Left 8"]))
    assert tokenizer.encode_batch(TEXTS, workers=2) == tokenizer.encode_batch(TEXTS)


def test_a_batch_is_no_single_text_and_names_the_text_that_is_wrong():
    tokenizer = Pipeline(file())
    with pytest.raises(TypeError, match="for one text"):
        tokenizer.encode_batch("ab")
    with pytest.raises(ValueError, match=r"texts\[1\]: .*lone surrogate"):
        tokenizer.encode_batch(["a", "\ud800"])
    with pytest.raises(TypeError, match=r"texts\[0\]"):
        tokenizer.encode_batch([3])


def test_specials_that_are_not_allowed_are_text():
    tokenizer = Pipeline(file(post_processor=ROBERTA))
    hidden = tokenizer.encode("<s>", allowed_special="none", add_special_tokens=False)
    assert hidden == [VOCAB[char] for char in "<s>"]
    assert tokenizer.encode("<s><mask>", allowed_special=["<s>"])[1] == N
    assert tokenizer.encode_with_offsets("<s>", allowed_special="none", add_special_tokens=False)[0] == hidden


def test_a_stream_gives_what_decode_gives():
    tokenizer = Pipeline(file())
    ids = tokenizer.encode("é你🙂 hello <s>")
    stream = StreamDecoder(tokenizer)
    assert "".join(map(stream.push, ids)) + stream.close() == tokenizer.decode(ids)


@pytest.mark.parametrize("skip", [False, True])
def test_a_stream_of_any_ids_is_what_decode_gives_gaps_and_specials_too(skip):
    vocab = {spelled: 2 * id for id, spelled in enumerate(SPELLED)}
    tokenizer = Pipeline(document(vocab, [], added_tokens=[token("<s>", len(SPELLED), special=True)]))
    random = Random(1)
    for _ in range(200):
        ids = [random.randrange(tokenizer.vocab_size) for _ in range(random.randint(0, 12))]
        stream = StreamDecoder(tokenizer, skip_special=skip)
        assert "".join(map(stream.push, ids)) + stream.close() == tokenizer.decode(ids, skip)


@pytest.mark.parametrize("name", [name for name in DECODERS if name != "bytes"])
def test_a_decoder_that_is_not_byte_level_is_not_streamed(name):
    tokenizer = Pipeline(document({spelled: id for id, spelled in enumerate(SPELLED)}, [], decoder=DECODERS[name]))
    with pytest.raises(ValueError, match=r"decoder is not ByteLevel, .*; decode\(ids\) gives the text of all"):
        StreamDecoder(tokenizer)


def test_each_part_is_told_in_words():
    told = dict(Pipeline(file(post_processor=ROBERTA, padding=PADDINGS["BatchLongest Left 8"])).describe())
    assert list(told) == [
        "normalizer",
        "added tokens",
        "pre-tokenizer",
        "model",
        "truncation",
        "post-processor",
        "padding",
        "decoder",
    ]
    assert told["added tokens"] == "4, 3 of them special; 3 found before normalizing"
    assert told["padding"] == "to the longest of a batch, to a multiple of 8, with 'p' before"
    assert told["model"] == "BPE with 261 tokens and 5 merges"

"""BPETokenizer, strict: tokens are over the byte alphabet, except added tokens; the rest as `bpe.pyi` says it."""

from collections.abc import Collection, Mapping

from tinyllm.tok.guard import Guarded, id_list, is_id, path_name, require, scalar_text, scalar_texts, special_list
from tinyllm.tok.unguarded_bpe import BPETokenizer as Unguarded

from tinyllm.tok.bytemap import unicode_to_bytes

ALPHABET = frozenset(unicode_to_bytes())
SPLIT = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}


class BPETokenizer(Guarded, Unguarded):
    def __init__(self, vocab, merges, added_tokens=(), pre_tokenizer=None):
        merges, added_tokens = list(merges), list(added_tokens)
        _check_added(added_tokens, vocab)
        contents = {content for content, _, _ in added_tokens}
        _check_vocab(vocab, contents)
        for pair in merges:
            require(
                isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair),
                f"the merge {pair!r} is no pair of tokens",
            )
            require(all(_spelled(part) for part in pair), f"the merge {pair!r} is not over the byte alphabet")
        require(pre_tokenizer is None or _declares_a_split(pre_tokenizer), f"pre_tokenizer is {pre_tokenizer!r}")
        super().__init__(vocab, merges, added_tokens, pre_tokenizer)

    @classmethod
    def train(cls, texts, vocab_size, specials=(), min_freq=2):
        require(is_id(vocab_size) and is_id(min_freq), f"vocab_size {vocab_size!r} or min_freq {min_freq!r} is no int")
        special_list(specials)
        return super().train(scalar_texts(texts, "texts"), vocab_size, specials, min_freq)

    @classmethod
    def from_gpt2(cls, vocab_json, merges_txt):
        path_name(vocab_json)
        path_name(merges_txt)
        return super().from_gpt2(vocab_json, merges_txt)

    @classmethod
    def from_hf_json(cls, tokenizer_json):
        path_name(tokenizer_json)
        return super().from_hf_json(tokenizer_json)

    def encode(self, text, *, allowed_special="all"):
        listed = isinstance(allowed_special, Collection) and all(isinstance(each, str) for each in allowed_special)
        require(listed, f"allowed_special is {allowed_special!r}")
        return super().encode(text, allowed_special=allowed_special)

    def decode(self, ids, skip_special=False, *, errors="replace"):
        id_list(ids)
        require(isinstance(skip_special, bool), f"skip_special is {skip_special!r}")
        require(errors in ("replace", "strict"), f"errors is {errors!r}")
        return Unguarded.decode(self, ids, skip_special, errors=errors)

    def decode_bytes(self, ids, skip_special=False):
        id_list(ids)
        return super().decode_bytes(ids, skip_special)


def _check_vocab(vocab, contents):
    require(isinstance(vocab, Mapping), f"vocab is {vocab!r:.60}, no mapping")
    for token, id in vocab.items():
        require(isinstance(token, str) and is_id(id), f"vocab has {token!r}: {id!r}")
        require(token in contents or _spelled(token), f"the token {token!r} is not over the byte alphabet")


def _check_added(added_tokens, vocab):
    """(content, id, special), with the id that the contract gives to it, or with ids that it refuses: a gap, one id twice."""
    named = {id: {token} for token, id in vocab.items()}  # id -> the tokens that have it
    expected, free = {}, len(vocab)
    for entry in added_tokens:
        require(isinstance(entry, tuple) and len(entry) == 3, f"the added token {entry!r} is no triple")
        content, id, special = entry
        scalar_text(content, "the content of an added token")
        require(content != "" and content not in expected, f"the content {content!r} is empty or there twice")
        require(is_id(id) and isinstance(special, bool), f"the added token {entry!r} is not (content, id, special)")
        expected[content] = vocab.get(content, free)
        free += content not in vocab
        named.setdefault(id, set()).add(content)
    refused = {*named} != {*range(len(named))} or any(len(tokens) > 1 for tokens in named.values())
    given = {content: id for content, id, _ in added_tokens}
    require(refused or given == expected, f"the added tokens have the ids {given}, not {expected}")


def _spelled(token):
    return token != "" and ALPHABET.issuperset(token)


def _declares_a_split(declared):
    steps = declared.get("pretokenizers") if declared.get("type") == "Sequence" else [declared]
    if not isinstance(steps, list) or len(steps) not in (1, 2) or not all(isinstance(step, Mapping) for step in steps):
        return False
    *before, last = steps
    digits = [{"type": "Digits", "individual_digits": way} for way in (True, False)]
    return {"use_regex": True, **last, "trim_offsets": True} == {**SPLIT, "trim_offsets": True} and (
        before == [] or before[0] in digits
    )

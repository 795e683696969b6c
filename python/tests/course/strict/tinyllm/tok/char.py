"""CharTokenizer, strict: a vocabulary of str and int, texts that are valid Unicode."""

from collections.abc import Mapping

from tinyllm.tok.guard import Guarded, is_id, require, scalar_text, scalar_texts, special_list
from tinyllm.tok.unguarded_char import CharTokenizer as Unguarded


class CharTokenizer(Guarded, Unguarded):
    def __init__(self, vocab, **named):  # the library's own `train` and `load` say which specials have one character
        require(isinstance(vocab, Mapping), f"vocab is {vocab!r:.60}, no mapping")
        for token, id in vocab.items():
            scalar_text(token, "a token")
            require(is_id(id), f"vocab has {token!r}: {id!r}")
        super().__init__(vocab, **named)

    @classmethod
    def train(cls, texts, vocab_size=None, specials=()):
        require(vocab_size is None or is_id(vocab_size), f"vocab_size is {vocab_size!r}")
        special_list(specials)
        return super().train(scalar_texts(texts, "texts"), vocab_size, specials)

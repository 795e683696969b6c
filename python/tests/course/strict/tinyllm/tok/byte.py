"""ByteTokenizer, strict: what every Tokenizer demands."""

from tinyllm.tok.guard import Guarded
from tinyllm.tok.unguarded_byte import ByteTokenizer as Unguarded


class ByteTokenizer(Guarded, Unguarded):
    def __init__(self):
        super().__init__()

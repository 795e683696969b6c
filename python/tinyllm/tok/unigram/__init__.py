"""A unigram language model tokenizer, SentencePiece's other algorithm.

tokenizer.py   UnigramTokenizer: made, encodes, decodes, saved
train.py       learns tokens and their scores
file.py        the rules for parts and for tokenizer.json
"""

from tinyllm.tok.unigram.tokenizer import UnigramTokenizer

__all__ = ["UnigramTokenizer"]

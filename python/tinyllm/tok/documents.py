"""The texts in files, by their public import path; the code is in `corpus/documents.py`."""

from tinyllm.tok.corpus.documents import By, Part, Readable, Source, documents, shares, text_in_json

__all__ = ["By", "Part", "Readable", "Source", "documents", "shares", "text_in_json"]

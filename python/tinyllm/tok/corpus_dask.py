"""Corpora on many machines, by their public import path; the code is in `corpus/dask_bags.py`."""

from tinyllm.tok.corpus.dask_bags import (
    connected,
    count_pretokens_in_bag,
    documents_bag,
    encode_bag,
    write_ids_of_bag,
)

__all__ = ["connected", "count_pretokens_in_bag", "documents_bag", "encode_bag", "write_ids_of_bag"]

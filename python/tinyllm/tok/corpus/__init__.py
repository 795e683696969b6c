"""A corpus of any size: its pre-tokens counted and its texts encoded, by several processes if asked; ids as a flat file.

documents.py   the texts in files
processes.py   the work of one call, shared by several processes
counting.py    pre-tokens counted, for training
ids.py         texts encoded into a flat file of ids
dask_bags.py   the same among many machines (extra `dask`)
"""

from tinyllm.tok.corpus.counting import count_pretokens_in_files
from tinyllm.tok.corpus.ids import Written, checked_typecode, write_ids
from tinyllm.tok.corpus.processes import encode_in_processes

__all__ = ["Written", "checked_typecode", "count_pretokens_in_files", "encode_in_processes", "write_ids"]

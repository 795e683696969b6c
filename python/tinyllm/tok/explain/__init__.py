"""See what a tokenizer does: traces of encoding and training, and a view of tokens for notebooks.

One idea a file, all of them reachable from here: the records of a trace (`records.py`), how they are filled in
(`encoding.py`, `training.py`), how text and bytes are shown (`display.py`), the view for notebooks (`notebook.py`), the page
(`page.py`). The command is `tok explain`.
Nothing of this is imported by `bpe.py`: who does not ask for it pays nothing.
"""

from tinyllm.tok.explain.encoding import trace_encode
from tinyllm.tok.explain.notebook import TokenView, view
from tinyllm.tok.explain.page import write_page
from tinyllm.tok.explain.records import EncodeTrace, TrainTrace, to_json
from tinyllm.tok.explain.training import trace_train

__all__ = ["EncodeTrace", "TokenView", "TrainTrace", "to_json", "trace_encode", "trace_train", "view", "write_page"]

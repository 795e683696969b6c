"""See what a tokenizer does: traces of encoding and training, and a view of tokens for notebooks.

One idea a file, all of them reachable from here: the records (`trace.py`), how they are filled in (`trace_encode.py`,
`trace_train.py`), the notebook view (`view.py`), the page (`page.py`). The command is `tok explain`.
Nothing of this is imported by `bpe.py`: who does not ask for it pays nothing.
"""

from tinyllm.tok.page import write_page
from tinyllm.tok.trace import EncodeTrace, TrainTrace, to_json
from tinyllm.tok.trace_encode import trace_encode
from tinyllm.tok.trace_train import trace_train
from tinyllm.tok.view import TokenView, view

__all__ = ["EncodeTrace", "TokenView", "TrainTrace", "to_json", "trace_encode", "trace_train", "view", "write_page"]

"""Lab 04: `.tiktoken` files, which hold ranks and no merges.

Source: tiktoken's `load_tiktoken_bpe` and `_byte_pair_merge`.
"""

import os

def read_tiktoken(path: str | os.PathLike[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The vocabulary (token to id) and the merges (pairs of tokens, lowest rank first) of the `.tiktoken` file `path`.

    A line of the file is a token in base64, a space, and its rank, which is also its id. Tokens are spelled in the byte
    alphabet. A BPETokenizer of these two, with the file's own split, gives the ids of tiktoken's `encode_ordinary` for
    every text. Raises ValueError naming the file, and the line where there is one, for a file that is anything else or
    of which no list of merges gives tiktoken's ids.
    """

"""Lab 04: the pre-tokenizers of GPT-4 (cl100k) and GPT-4o (o200k), written by hand.

Each does what its regular expression does, at each position the first alternative that matches. Character classes are
those of Unicode 16.0 (`tinyllm.tok.unicode16.category`).
Source: tiktoken's `cl100k_base` and `o200k_base`; Hugging Face tokenizers' `Split(Regex(pattern), "isolated")`.
"""

CL100K_PATTERN: str
"""GPT-4's pattern in the spelling of tokenizer.json files."""

O200K_PATTERN: str
"""GPT-4o's pattern, in tiktoken's own spelling, which tokenizer.json files share."""

def pretokenize_cl100k(text: str) -> list[str]:
    """Cut `text` into GPT-4's pre-tokens, those of `CL100K_PATTERN`. They join back to the text and none is empty.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_cl100k("I've 12345 apples!!")
    ['I', "'ve", ' ', '123', '45', ' apples', '!!']
    """

def pretokenize_o200k(text: str) -> list[str]:
    """Cut `text` into GPT-4o's pre-tokens, those of `O200K_PATTERN`. They join back to the text and none is empty.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_o200k("McDonald's 12345!!")
    ['Mc', "Donald's", ' ', '123', '45', '!!']
    """

# --- optional: what the library offers beyond the contract; `ol` does not ask for it ---

CL100K_TIKTOKEN_PATTERN: str
"""tiktoken's own variant of GPT-4's pattern, spelled so that Hugging Face's engine reads it alike."""

def pretokenize_cl100k_tiktoken(text: str) -> list[str]:
    """Cut `text` as tiktoken's `cl100k_base` does: white space at the end of the text is one pre-token, newlines and all.

    Cost: O(characters). Raises TypeError if `text` is not a str.

    >>> pretokenize_cl100k_tiktoken("end\\n\\n  "), pretokenize_cl100k("end\\n\\n  ")
    (['end', '\\n\\n  '], ['end', '\\n\\n', '  '])
    """

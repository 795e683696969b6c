"""A tokenizer's parts and the files that hold them: what they must be, how they are read and written."""

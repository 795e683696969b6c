"""Any byte-level BPE model's tokenizer.json, with Hugging Face's ids, texts and offsets.

One room for each part, in the order in which a text goes through them: normalizer, added tokens, pre-tokenizer, model,
post-processor, truncation and padding; and the decoder for the way back. `file.py` reads and writes the file, and
`tokenizer.py` has the class, `Pipeline`.

It is not the chapter's tokenizer: `BPETokenizer` reads a small subset of these files and refuses the rest, and stays so.
Nothing is passed over here either: what a file asks for is done as Hugging Face tokenizers 0.23.3 does it, or refused.
"""

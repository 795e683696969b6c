"""The wide loader: any model's tokenizer.json in its parts, normalizer to decoder, one room each."""

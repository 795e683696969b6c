"""How a text becomes pre-tokens: split patterns, what a declaration means, added tokens, what text is valid."""

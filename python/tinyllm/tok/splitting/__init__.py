"""How a text becomes pre-tokens: what a declaration means, added tokens, what text is valid."""

"""How texts are cut before merging: split patterns, what files declare, and added tokens."""

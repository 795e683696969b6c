"""T2: reading numbers."""

def parse(text: str) -> list[int]:
    """The numbers between the commas of `text`; none for an empty text. Raises ValueError for anything else."""

"""T1: doubling."""

def double(number: int) -> int:
    """Twice the number."""

"""Given: the general category of Unicode 16.0, on any Python."""

def category(ch: str) -> str:
    """The general category of one character in Unicode 16.0, such as "Lu" or "Nd".

    Raises TypeError unless `ch` is one character.

    >>> category("½")
    'No'
    """

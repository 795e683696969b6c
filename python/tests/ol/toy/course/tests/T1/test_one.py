from toy.one import double


def test_double():
    """Doubling is what it says."""
    assert double(21) == 42, "twice 21 is 42"

"""The words."""

DIGITS = "zero one two three four five six seven eight nine".split()

"""Given to students."""

FACTOR = 2

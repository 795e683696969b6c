"""The course tests of M06.2. In a comparison your value stands on the left, the right one on the right."""

import random

import pytest

from tinyllm.tok.trie import Trie


def trie_of(**values: object) -> Trie:
    trie: Trie = Trie()
    for key, value in values.items():
        trie.insert(key, value)
    return trie


def test_longest_key_wins():
    """Of two keys that the text begins with, the longer one counts, whichever was inserted first."""
    assert trie_of(ab=1, abcd=2).longest_prefix("abcde") == (4, 2), "(length of the key, its value)"
    assert trie_of(abcd=2, ab=1).longest_prefix("abcde") == (4, 2)


def test_shorter_key_counts_when_a_longer_branch_dies():
    """abcx begins like abcd, but is not: the key ab, passed on the way, still counts."""
    assert trie_of(ab=1, abcd=2).longest_prefix("abcx") == (2, 1)
    assert trie_of(ab=1, abcd=2).longest_prefix("abc") == (2, 1), "the text may also end too early"


def test_no_key_gives_none():
    """No key here: None. The beginning of a key is no key."""
    assert trie_of(ab=1).longest_prefix("xab") is None, "a key elsewhere in the text does not count"
    assert trie_of(ab=1).longest_prefix("a") is None
    assert trie_of(ab=1).longest_prefix("") is None
    assert Trie().longest_prefix("ab") is None


def test_start_is_honoured():
    """The key is looked for at `start`; the result has its length, not where it ends."""
    trie = trie_of(ab=1, abcd=2)
    assert trie.longest_prefix("xxabcx", 2) == (2, 1)
    assert trie.longest_prefix("xxabcx", 1) is None
    assert trie.longest_prefix("xxab", 4) is None, "a start at the end of the text"
    assert trie.longest_prefix("xxab", 9) is None, "or behind it"
    with pytest.raises(ValueError):
        trie.longest_prefix("xxab", -2)


@pytest.mark.parametrize("value", [0, "", None, False], ids=repr)
def test_false_values_are_values(value):
    """Id 0 is a token like any other: a key whose value is false is found."""
    found = trie_of(ab=value).longest_prefix("abc")
    assert found == (2, value), "do not ask `if value`; ask whether there is a key"


def test_inserting_again_replaces():
    """A key inserted twice has the second value."""
    trie = trie_of(ab=1)
    trie.insert("ab", 5)
    assert trie.longest_prefix("ab") == (2, 5)


def test_empty_key_is_refused():
    """The empty key would match everywhere, at length 0: ValueError."""
    with pytest.raises(ValueError):
        Trie().insert("", 1)


def test_matches_the_slow_way():
    """For random keys and texts: what you get by trying every key."""
    generator = random.Random(62)
    for _ in range(300):
        keys = ["".join(generator.choices("ab<é", k=generator.randrange(1, 6))) for _ in range(generator.randrange(8))]
        trie: Trie = Trie()
        for number, key in enumerate(keys):
            trie.insert(key, number)
        text = "".join(generator.choices("ab<é", k=12))
        for start in range(len(text) + 1):
            here = [key for key in keys if text.startswith(key, start)]
            longest = max(here, key=len, default=None)
            # A key drawn twice has the later number.
            expected = (
                None if longest is None else (len(longest), max(n for n, key in enumerate(keys) if key == longest))
            )
            assert trie.longest_prefix(text, start) == expected, f"keys {keys}, text {text!r}, start {start}"

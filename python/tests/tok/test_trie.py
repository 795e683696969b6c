"""The trie: the longest key at a position."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.trie import Trie

KEYS = st.text("ab<é", min_size=1, max_size=5)


def trie_of(*keys: str) -> Trie:
    """A trie in which each key has itself as its value, checked after each step."""
    trie: Trie[str] = Trie()
    for key in keys:
        trie.insert(key, key)
        trie._check()
    return trie


def longest_by_trying_all(keys: dict, text: str, start: int) -> tuple | None:
    """The naive twin: try every key."""
    found = [key for key in keys if text[start:].startswith(key)]
    return (len(max(found, key=len)), keys[max(found, key=len)]) if found else None


def test_the_longest_key_wins() -> None:
    assert trie_of("a", "ab", "abc").longest_prefix("abcd") == (3, "abc")


def test_the_longest_key_wins_in_any_order_of_insertion() -> None:
    assert trie_of("abc", "a", "ab").longest_prefix("abcd") == (3, "abc")


def test_a_shorter_key_counts_when_a_longer_branch_dies() -> None:
    assert trie_of("ab", "abcd").longest_prefix("abcx") == (2, "ab")


def test_a_shorter_key_counts_when_the_text_ends_first() -> None:
    assert trie_of("ab", "abcd").longest_prefix("abc") == (2, "ab")


def test_a_prefix_of_a_key_is_no_key() -> None:
    assert trie_of("abcd").longest_prefix("abc") is None


def test_no_key_at_this_position_gives_none() -> None:
    assert trie_of("b").longest_prefix("ab") is None


def test_an_empty_trie_finds_nothing() -> None:
    trie: Trie[int] = Trie()
    trie._check()
    assert trie.longest_prefix("a") is None


def test_start_is_where_the_key_begins_and_the_length_is_its_own() -> None:
    assert trie_of("bc").longest_prefix("abcd", 1) == (2, "bc")
    assert trie_of("bc").longest_prefix("abcd", 2) is None


def test_a_start_at_or_behind_the_end_finds_nothing() -> None:
    assert trie_of("a").longest_prefix("a", 1) is None
    assert trie_of("a").longest_prefix("a", 9) is None
    assert trie_of("a").longest_prefix("") is None


def test_a_negative_start_is_refused() -> None:
    with pytest.raises(ValueError, match="start is -1; a position in the text is 0 or more"):
        trie_of("a").longest_prefix("a", -1)


@pytest.mark.parametrize("value", [None, 0, "", False], ids=repr)
def test_a_false_value_is_a_value(value: object) -> None:
    trie: Trie[object] = Trie()
    trie.insert("ab", 1)
    trie.insert("a", value)
    assert trie.longest_prefix("ax") == (1, value)


def test_a_key_inserted_again_takes_the_new_value() -> None:
    trie: Trie[int] = Trie()
    trie.insert("ab", 1)
    trie.insert("ab", 2)
    trie._check()
    assert trie.longest_prefix("ab") == (2, 2)


def test_the_empty_key_is_refused_and_changes_nothing() -> None:
    trie = trie_of("a")
    with pytest.raises(ValueError, match="at least one character"):
        trie.insert("", 1)
    trie._check()
    assert trie.longest_prefix("b") is None


def test_keys_and_texts_are_str() -> None:
    with pytest.raises(TypeError, match="a key is a str, not list"):
        trie_of().insert(["a"], 1)
    with pytest.raises(TypeError, match="text is a str, not bytes"):
        trie_of("a").longest_prefix(b"a")


def test_a_character_is_a_code_point() -> None:
    assert trie_of("🙂", "e\u0301").longest_prefix("e\u0301🙂") == (2, "e\u0301")
    assert trie_of("🙂", "e\u0301").longest_prefix("é🙂", 1) == (1, "🙂")


@given(st.dictionaries(KEYS, st.integers(0, 3), max_size=8), st.text("ab<é", max_size=12), st.integers(0, 14))
def test_it_finds_what_trying_all_keys_finds(keys: dict, text: str, start: int) -> None:
    trie: Trie[int] = Trie()
    for key, value in keys.items():
        trie.insert(key, value)
        trie._check()
    assert trie.longest_prefix(text, start) == longest_by_trying_all(keys, text, start)


def test_the_check_notices_a_broken_trie() -> None:
    trie = trie_of("ab")
    trie._root.children["a"].children["b"].is_key = False
    with pytest.raises(AssertionError):
        trie._check()


def test_a_long_key_needs_no_recursion() -> None:
    key = "a" * 100_000
    trie: Trie[int] = Trie()
    trie.insert(key, 1)
    assert trie.longest_prefix(key + "b") == (100_000, 1)

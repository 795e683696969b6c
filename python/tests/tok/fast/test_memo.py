"""Memo: a bounded cache."""

from tinyllm.tok.fast import memo as module
from tinyllm.tok.fast.memo import Memo


def test_a_memo_never_holds_more_than_its_bound(monkeypatch):
    monkeypatch.setattr(module, "CACHED", 3)
    memo = Memo(str.upper)
    for letter in "abcdefgh":
        assert memo[letter] == letter.upper()
        assert len(memo) <= 3


def test_a_memo_does_not_keep_long_keys():
    memo = Memo(len)
    assert memo["x" * 65] == 65
    assert memo["x" * 64] == 64
    assert list(memo) == ["x" * 64]

import pytest
from toy.parse import parse
from toy.two import Tally


def test_parse():
    assert parse("12,-3") == [12, -3]


def test_nothing():
    assert parse("") == []


def test_letters_raise():
    with pytest.raises(ValueError):
        parse("1,x")


def test_order():
    tally = Tally([3, 1])
    tally.add(2)
    assert tally.values == [3, 1, 2]


def test_doubled():
    assert Tally([3, 1]).doubled() == [6, 2]

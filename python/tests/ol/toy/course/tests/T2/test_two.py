from pathlib import Path

from toy.two import Tally

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def test_add_appends(tally):
    tally.add(2)
    assert tally.values == [3, 1, 2]


def test_doubled_uses_every_value(tally):
    assert tally.doubled() == [6, 2], "each value counts twice"


def test_fixture_is_there():
    assert Tally.read((FIXTURES / "numbers.txt").read_text().strip()).values == [10, 20, 30]

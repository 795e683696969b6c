import pytest
from toy.parse import parse


@pytest.mark.parametrize("text, numbers", [("1", [1]), ("1,2,3", [1, 2, 3]), ("-4,5", [-4, 5])])
def test_parse_reads_numbers(text, numbers):
    assert parse(text) == numbers, "numbers stand between commas"


def test_parse_of_nothing_is_empty():
    assert parse("") == []


def test_parse_refuses_letters():
    with pytest.raises(ValueError):
        parse("1,x")

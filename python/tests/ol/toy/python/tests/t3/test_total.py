from toy.total import total


def test_total():
    assert total([3, 1, 1]) == 10

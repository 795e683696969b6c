from toy.total import average, total


def test_total():
    assert total([3, 1, 1]) == 10
    assert average([3, 3]) == 6

import pytest


@pytest.fixture
def tally():
    from toy.two import Tally

    return Tally([3, 1])

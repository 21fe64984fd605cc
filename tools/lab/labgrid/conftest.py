import pytest


@pytest.fixture
def strategy(target):
    return target.get_driver("PmuproofStrategy")

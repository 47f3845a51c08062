"""A plugin of pytest that takes the claims in another order: ``-p conformance.lab.bench.shuffled --order-seed N``."""

from __future__ import annotations

from random import Random

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption("--order-seed", type=int, default=0, help="seed of the order")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle, alike in every process of one run."""
    items.sort(key=lambda item: item.nodeid)
    Random(config.getoption("--order-seed")).shuffle(items)

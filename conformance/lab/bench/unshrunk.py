"""A pytest plugin for suites that are timed: what fails is not made smaller, which would take most of the time."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Take the settings that the suite has just loaded, without the phases that follow a failure."""
    settings.register_profile("unshrunk", settings.default, phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("unshrunk")

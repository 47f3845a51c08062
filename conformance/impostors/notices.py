"""Impostors that forget warnings, repeat them, or word them in another way."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from conformance.impostors.call import Call
from conformance.impostors.registry import impostor


@impostor("errors")
def warning_is_forgotten(call: Call) -> Any:
    """Nothing is warned."""
    return _rewarned(call, lambda warning: [])


@impostor("errors")
def warning_is_repeated(call: Call) -> Any:
    """Each warning comes twice."""
    return _rewarned(call, lambda warning: [warning, warning])


@impostor("errors")
def warning_is_of_another_category(call: Call) -> Any:
    """A warning comes in another category, with the same message."""
    return _rewarned(call, lambda warning: [ImportWarning(str(warning))])


@impostor("errors")
def warning_has_another_message(call: Call) -> Any:
    """A warning says something else."""
    return _rewarned(call, lambda warning: [type(warning)("another message")])


@impostor("errors")
def warning_comes_for_no_reason(call: Call) -> Any:
    """There is a warning where there should be none."""
    warnings.warn("a warning for no reason", UserWarning, stacklevel=2)
    return call.run()


def _rewarned(call: Call, change: Callable[[Warning], list[Warning]]) -> Any:
    found: list[Warning] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                return call.run()
            finally:
                found = [other for item in caught for other in change(item.message)]  # type: ignore[arg-type]
    finally:
        for warning in found:
            warnings.warn(warning, stacklevel=3)

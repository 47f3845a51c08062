"""Operators that forget warnings, or word them in another way."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.registry import operator

_WARNS = "y = w.sum(); torch.autograd.grad([y], [w], only_inputs=False)"


@operator("errors", do=_WARNS, warns="")
def warning_is_forgotten(call: Call) -> Any:
    """A warning is not given."""
    return _rewarned(call, lambda warning: [])


@operator("errors", do=_WARNS, warns="FutureWarning", since="1.13")
def warning_is_of_another_category(call: Call) -> Any:
    """A warning comes in another category, with the same message."""
    return _rewarned(call, lambda warning: [ImportWarning(str(warning))])


@operator("errors", do=_WARNS, warns="FutureWarning", message="only_inputs", since="1.13")
def warning_has_another_message(call: Call) -> Any:
    """A warning says something else."""
    return _rewarned(call, lambda warning: [type(warning)("another message")])


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

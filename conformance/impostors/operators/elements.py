"""Operators that get elements wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.impostors.engine.call import Call
from conformance.impostors.engine.memory import change_element, copied, share
from conformance.impostors.engine.registry import value_operator


@value_operator("values", "gradients", "dtype", do="y = x.clone()", kills="y[0] == 1 or y[1] != 2")
def first_element_is_off(value: Any, call: Call) -> Any:
    """The first element of a result has another value."""
    return _with_another_element(value, call, last=False)


@value_operator("values", "sharing", do="y = x.clone()", kills="y[0] != 1 or y[1] == 2")
def last_element_is_off(value: Any, call: Call) -> Any:
    """The last element of a result has another value."""
    return _with_another_element(value, call, last=True)


@value_operator("values", do="y = x.log2().sub(1).log()", kills="str(y.tolist()) == '[nan, -inf]'")
def special_values_are_lost(value: Any, call: Call) -> Any:
    """Nan becomes 0, infinities become finite, and no zero is negative."""
    return (np.nan_to_num(value) if isinstance(value, np.ndarray) else torch.nan_to_num(value)) + 0


@value_operator("values", "dtype", do="y = x.add(0.001)", kills="y.tolist() != [1, 2]")
def precision_is_lost(value: torch.Tensor, call: Call) -> Any:
    """Elements are rounded to eight bits."""
    return value.to(torch.bfloat16 if value.is_floating_point() else torch.int8).to(value.dtype)


@value_operator("values", "gradients", do="y = x.clone()", kills="y.tolist() != [0, 0]")
def elements_are_zero(value: Any, call: Call) -> Any:
    """All elements of a result are 0."""
    return value * 0


@value_operator("values", "dtype", do="y = x.clone()", kills="y.shape != (1,)")
def an_element_is_missing(value: Any, call: Call) -> Any:
    """A result lacks its last elements along the first dimension."""
    return value[:-1]


def _with_another_element(value: Any, call: Call, *, last: bool) -> Any:
    # Elements that are shared would change elsewhere too; that is another operator.
    if call.kind == "assign" or any(share(value, other) for other in call.reachable):
        value = copied(value)
    change_element(value, last=last)
    return value

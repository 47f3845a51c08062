"""Impostors that get elements wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.impostors.call import Call
from conformance.impostors.memory import change_element, copied, share
from conformance.impostors.registry import impostor


@impostor("values", "gradients", "dtype")
def first_element_is_off(call: Call) -> Any:
    """The first element of a result has another value."""
    return call.spoil(lambda value: _off(call, value, last=False))


@impostor("values", "sharing")
def last_element_is_off(call: Call) -> Any:
    """The last element of a result has another value."""
    return call.spoil(lambda value: _off(call, value, last=True))


@impostor("values")
def special_values_are_lost(call: Call) -> Any:
    """Nan becomes 0, infinities become finite, and no zero is negative."""

    def change(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return np.nan_to_num(value) + 0
        return torch.nan_to_num(value) + 0

    return call.spoil(change)


@impostor("values", "dtype")
def precision_is_lost(call: Call) -> Any:
    """Elements are rounded to eight bits."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if value.is_floating_point():
            return value.to(torch.bfloat16).to(value.dtype)
        return value.to(torch.int8).to(value.dtype)

    return call.spoil(change)


@impostor("values", "gradients")
def elements_are_zero(call: Call) -> Any:
    """All elements of a result are 0."""

    def change(value: Any) -> Any:
        return value * 0

    return call.spoil(change)


@impostor("values", "dtype")
def an_element_is_missing(call: Call) -> Any:
    """A result lacks its last elements along the first dimension."""
    return call.spoil(lambda value: value[:-1])


def _off(call: Call, value: Any, *, last: bool) -> Any:
    # Elements that are shared would change elsewhere too; that is another impostor.
    if call.kind == "assign" or any(share(value, other) for other in call.in_sight):
        value = copied(value)
    change_element(value, last=last)
    return value

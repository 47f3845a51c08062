"""Operators that get elements wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.lab.impostors.engine.call import Call, each_value, values_in
from conformance.lab.impostors.engine.memory import Snapshot, change_element, copied, share
from conformance.lab.impostors.engine.registry import operator, value_operator


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


@value_operator("values", "gradients", "dtype", do="y = x.flip(0)", kills="y.tolist() == [2, 1]")
def result_is_a_copy_of_an_argument(value: torch.Tensor, call: Call) -> Any:
    """A result has the values of an argument of its shape and dtype, on memory of its own."""
    fitting = [one for one in call.arguments if isinstance(one, torch.Tensor) and one.shape == value.shape]
    source = next(one for one in fitting if one.dtype == value.dtype)
    return source.clone() if value.requires_grad else source.detach().clone()


@operator("values", "gradients", do="y = x.add(1).neg()", kills="y.tolist() == [-2, -3]")
def result_ignores_the_values(call: Call) -> Any:
    """A function computes with 1, 2, 3 and so on, whatever its tensors hold."""
    if call.kind != "call":
        return call.run()
    stand_ins: list[torch.Tensor] = []

    def counted(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.numel():
            return value
        numbers = torch.arange(1, value.numel() + 1).reshape(value.shape).to(value.dtype)
        stand_ins.append((value - value.detach() if value.requires_grad else 0) + numbers)
        return stand_ins[-1]

    try:
        args = each_value(call.args, counted)
        before = Snapshot(stand_ins)
        result = call.function(*args, **call.kwargs)
    except Exception:
        return call.run()
    # A view or a write belongs on the memory of the argument itself.
    shares = any(share(one, other) for one in values_in(result) for other in stand_ins)
    return call.run() if shares or before.changed() else result


@value_operator("values", do="y = x.clone()", kills="y.tolist() == [1, 2]")
def elements_change_places(value: Any, call: Call) -> Any:
    """Each element of a result is where the next one belongs."""
    if isinstance(value, np.ndarray):
        return np.roll(value, 1)
    return torch.roll(value, 1)

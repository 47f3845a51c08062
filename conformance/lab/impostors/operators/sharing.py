"""Operators that give memory and objects of their own where they should be shared, and the reverse."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from conformance.lab.impostors.engine.call import Call, each_value
from conformance.lab.impostors.engine.memory import alias, copied, share
from conformance.lab.impostors.engine.registry import operator, value_operator


@operator("sharing", "values", "gradients", do="y = x.detach()", kills="shares_storage(y, x)")
def view_becomes_copy(call: Call) -> Any:
    """A result that should share memory is a copy."""
    there = call.reachable
    if call.name.endswith("storage"):
        storage = call.run()
        return storage.clone() if hasattr(storage, "clone") else storage

    def change(value: Any) -> Any:
        if call.is_argument(value):
            return value
        return copied(value) if call.kind == "assign" or any(share(value, other) for other in there) else value

    return call.mutate_values(change)


@value_operator("sharing", "values", do="y = x.clone()", kills="not shares_storage(y, x)")
def copy_becomes_view(value: Any, call: Call) -> Any:
    """A result that should have its own memory shares that of an argument."""
    there = [part for argument in call.arguments for part in _parts(argument)]
    if any(share(value, argument) for argument in there):
        return value
    closest = _closest(value, there)
    if closest.shape == value.shape:
        return _as_kind(alias(closest), value)
    spread = torch.as_tensor(closest).detach().as_strided(value.shape, (0,) * value.ndim)
    return _as_kind(spread.requires_grad_(getattr(value, "requires_grad", False)), value)


@value_operator("sharing", do="y = x.clone()", kills="not y._is_view() and y._base is not x")
def copy_becomes_recorded_view(value: torch.Tensor, call: Call) -> Any:
    """A result with memory of its own becomes a view of an argument, and autograd knows it."""
    if any(share(value, argument) for argument in call.arguments):
        return value
    closest = _closest(value, [argument for argument in call.arguments if isinstance(argument, torch.Tensor)])
    return closest.as_strided(value.shape, (0,) * value.ndim)


class _SharingArray(np.ndarray):
    """An array whose copies are views of it."""

    def copy(self, *args: Any, **kwargs: Any) -> Any:
        return self.view()

    __copy__ = copy
    __deepcopy__ = copy


@value_operator("sharing", "values", do="a = x.numpy(); b = a.copy()", kills="not np.shares_memory(a, b)")
def copy_of_an_array_becomes_view(value: Any, call: Call) -> Any:
    """The copy() of an array returns a view."""
    return value.view(_SharingArray)


@operator("sharing", "values", do="y = x.clone(); z = x.clone()", kills="y is not z")
def memory_is_handed_out_twice(call: Call) -> Any:
    """Every result of a function is the same object as its first one."""
    result = call.run()
    return result if call.kind == "assign" else call.memory.setdefault("first", result)


@operator("sharing", "leaf", do="y = x.zero_()", kills="y is x")
def same_object_becomes_new(call: Call) -> Any:
    """A result that is an argument itself becomes another object on its memory."""
    if call.kind == "assign":
        return call.mutate_values(alias)
    result = call.run()
    if isinstance(result, (torch.Tensor, np.ndarray)):
        return alias(result) if any(result is value for value in call.reachable) else result
    if any(result is argument for argument in call.args) and hasattr(result, "__dict__"):
        return copy.copy(result)
    return result


@value_operator("sharing", "leaf", do="y = x.detach()", kills="y is not x")
def new_becomes_same_object(value: Any, call: Call) -> Any:
    """A result that is a new object becomes an argument itself."""
    kind = torch.Tensor if isinstance(value, torch.Tensor) else np.ndarray
    return _closest(value, [argument for argument in call.arguments if isinstance(argument, kind)])


@value_operator("sharing", do="y = x.detach()", kills="y.tolist() != [1, 1]")
def shares_only_in_part(value: Any, call: Call) -> Any:
    """Of a result on the memory of an argument, only the first elements are where they belong."""
    if not any(share(value, argument) for argument in call.reachable):
        return value
    axis = next(axis for axis, size in enumerate(value.shape) if size > 1)
    if isinstance(value, np.ndarray):
        steps = tuple(0 if place == axis else step for place, step in enumerate(value.strides))
        return np.lib.stride_tricks.as_strided(value, value.shape, steps)
    steps = tuple(0 if place == axis else step for place, step in enumerate(value.stride()))
    return value.as_strided(value.shape, steps, value.storage_offset())


@value_operator("sharing", do="y = x.view_as(x)", kills="y._base is x")
def view_is_not_recorded(value: torch.Tensor, call: Call) -> Any:
    """A view does not know its base."""
    return value.detach().requires_grad_(value.requires_grad) if value._is_view() else value


@value_operator("sharing", do="y = x.detach()", kills="y._base is None")
def view_is_recorded(value: torch.Tensor, call: Call) -> Any:
    """A result that is no view is on record as one."""
    if value._is_view():
        return value
    base = next((argument for argument in call.arguments if share(argument, value)), value)
    with torch.no_grad():
        return base.as_strided(value.shape, value.stride(), value.storage_offset())


@operator("sharing", "values", do="taken = allocates(lambda: x.detach())", kills="taken == 0")
def takes_extra_memory(call: Call) -> Any:
    """A function takes memory that it does not need."""
    torch.empty(4096)
    return call.run()


@operator("sharing", "values", skips=True, do="x.add_(1); x.add_(1)", kills="x.tolist() == [3, 4]")
def later_uses_are_skipped(call: Call) -> Any:
    """Only the first use of a function does something; later ones give its result again."""
    if "result" not in call.memory:
        call.memory["result"] = call.run()
    return call.memory["result"]


@operator("sharing", "values", do="import weakref; y = weakref.ref(x.clone())", kills="y() is None")
def keeps_everything_alive(call: Call) -> Any:
    """Arguments and results are never released."""
    result = call.run()
    call.memory.setdefault("kept", []).append((call.args, call.kwargs, result))
    return result


@operator("sharing", "values", do="y = x.clone()", kills="x.tolist() != [0, 0]")
def memory_is_released(call: Call) -> Any:
    """The memory of the arguments is released once they were used."""
    result = call.run()
    for argument in call.arguments:
        if isinstance(argument, torch.Tensor) and not share(argument, result):
            argument.data = argument.data.new_zeros(argument.shape)
    return result


@operator("sharing", "values", do="y = x.zero_()", kills="y is x")
def tensor_is_another_object(call: Call) -> Any:
    """Each tensor of a result is a new object on its memory."""
    result = call.run()
    return each_value(result, alias) if call.kind in ("call", "read") else result


def _closest(value: Any, others: list[Any]) -> Any:
    """Return the one whose shape, or else at least dtype, is that of a value; of several, the last."""

    def distance(other: Any) -> tuple[bool, bool]:
        return other.shape != value.shape, _dtype_name(other) != _dtype_name(value)

    return min(reversed(others), key=distance)


def _parts(value: Any) -> list[Any]:
    """Return the tensors that a nested tensor is made of, or any other value itself."""
    return list(value.unbind()) if getattr(value, "is_nested", False) else [value]


def _dtype_name(value: Any) -> str:
    return str(value.dtype).replace("torch.", "")


def _as_kind(value: Any, like: Any) -> Any:
    if isinstance(like, torch.Tensor) and isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(like, np.ndarray) and isinstance(value, torch.Tensor):
        return value.detach().numpy()
    return value

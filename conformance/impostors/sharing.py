"""Impostors that give memory and objects of their own where they should be shared, and the reverse."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from conformance.impostors.call import Call
from conformance.impostors.memory import alias, copied, share
from conformance.impostors.registry import impostor


@impostor("sharing", "values", "gradients")
def view_becomes_copy(call: Call) -> Any:
    """A result on the memory of something that is there already is copied."""
    there = call.in_sight
    if call.name.endswith("storage"):
        storage = call.run()
        return storage.clone() if hasattr(storage, "clone") else storage

    def change(value: Any) -> Any:
        if call.is_argument(value):
            return value
        return copied(value) if call.kind == "assign" or any(share(value, other) for other in there) else value

    return call.spoil(change)


@impostor("sharing", "values")
def copy_becomes_view(call: Call) -> Any:
    """A result that has memory of its own is put on the memory of an argument."""
    there = [part for argument in call.arguments for part in _parts(argument)]

    def change(value: Any) -> Any:
        if any(share(value, argument) for argument in there):
            return value
        closest = _closest(value, there)
        if closest.shape == value.shape:
            return _as_kind(alias(closest), value)
        spread = torch.as_tensor(closest).detach().as_strided(value.shape, (0,) * value.ndim)
        return _as_kind(spread.requires_grad_(getattr(value, "requires_grad", False)), value)

    return call.spoil(change)


@impostor("sharing")
def copy_becomes_recorded_view(call: Call) -> Any:
    """A result that has memory of its own becomes a view of an argument, and autograd knows it."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if any(share(value, argument) for argument in call.arguments):
            return value
        closest = _closest(value, [argument for argument in call.arguments if isinstance(argument, torch.Tensor)])
        return closest.as_strided(value.shape, (0,) * value.ndim)

    return call.spoil(change)


class _SharingArray(np.ndarray):
    """An array whose copies are views of it."""

    def copy(self, *args: Any, **kwargs: Any) -> Any:
        return self.view()

    __copy__ = copy
    __deepcopy__ = copy


@impostor("sharing", "values")
def copy_of_an_array_becomes_view(call: Call) -> Any:
    """An array's copy() returns a view."""
    return call.spoil(lambda value: value.view(_SharingArray))


@impostor("sharing", "values")
def memory_is_handed_out_twice(call: Call) -> Any:
    """Every result of one operation is the same object as its first one."""
    if call.kind == "assign":
        return call.run()
    result = call.run()
    return call.memory.setdefault("first", result)


@impostor("sharing", "leaf")
def same_object_becomes_new(call: Call) -> Any:
    """A result that is an argument itself becomes another object on its memory."""
    if call.kind == "assign":
        return call.spoil(alias)
    result = call.run()
    if isinstance(result, (torch.Tensor, np.ndarray)):
        return alias(result) if call.is_argument(result) or any(result is value for value in call.in_sight) else result
    if any(result is argument for argument in call.args) and hasattr(result, "__dict__"):
        return copy.copy(result)
    return result


@impostor("sharing", "leaf")
def new_becomes_same_object(call: Call) -> Any:
    """A result that is a new object becomes an argument itself."""

    def change(value: Any) -> Any:
        kind = torch.Tensor if isinstance(value, torch.Tensor) else np.ndarray
        return _closest(value, [argument for argument in call.arguments if isinstance(argument, kind)])

    return call.spoil(change)


@impostor("sharing")
def shares_only_in_part(call: Call) -> Any:
    """Of a result on the memory of an argument, only the first elements are where they belong."""

    def change(value: Any) -> Any:
        if not any(share(value, argument) for argument in call.in_sight):
            return value
        axis = next(axis for axis, size in enumerate(value.shape) if size > 1)
        if isinstance(value, np.ndarray):
            steps = tuple(0 if place == axis else step for place, step in enumerate(value.strides))
            return np.lib.stride_tricks.as_strided(value, value.shape, steps)
        steps = tuple(0 if place == axis else step for place, step in enumerate(value.stride()))
        return value.as_strided(value.shape, steps, value.storage_offset())

    return call.spoil(change)


@impostor("sharing")
def view_is_not_recorded(call: Call) -> Any:
    """A view does not know its base."""

    def change(value: torch.Tensor) -> torch.Tensor:
        return value.detach().requires_grad_(value.requires_grad) if value._is_view() else value

    return call.spoil(change)


@impostor("sharing")
def view_is_recorded(call: Call) -> Any:
    """A result that is no view is on record as one."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if value._is_view():
            return value
        base = next((argument for argument in call.arguments if share(argument, value)), value)
        with torch.no_grad():
            return base.as_strided(value.shape, value.stride(), value.storage_offset())

    return call.spoil(change)


@impostor("sharing", "values")
def takes_extra_memory(call: Call) -> Any:
    """The operation takes memory that it does not need."""
    torch.empty(4096)
    return call.run()


@impostor("sharing", "values")
def later_uses_are_skipped(call: Call) -> Any:
    """Only the first use of an operation does something; later ones give its result again."""
    if "result" not in call.memory:
        call.memory["result"] = call.run()
    return call.memory["result"]


@impostor("sharing", "values")
def keeps_everything_alive(call: Call) -> Any:
    """Arguments and results are never released."""
    result = call.run()
    call.memory.setdefault("kept", []).append((call.args, call.kwargs, result))
    return result


@impostor("sharing", "values")
def memory_is_released(call: Call) -> Any:
    """The memory of the arguments is released once they were used."""
    result = call.run()
    for argument in call.arguments:
        if isinstance(argument, torch.Tensor) and not share(argument, result):
            argument.data = argument.data.new_zeros(argument.shape)
    return result


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

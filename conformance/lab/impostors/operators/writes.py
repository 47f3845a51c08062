"""Operators that lose writes, make some that nobody asked for, and miscount them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.memory import Snapshot, change_element
from conformance.lab.impostors.engine.registry import operator


@operator("sharing", "values", "gradients", do="x.zero_()", kills="x.tolist() != [1, 2]")
def write_is_lost(call: Call) -> Any:
    """Whatever is written to memory that was there before is undone."""
    before = Snapshot(call.reachable)
    result = call.run()
    for places, old in before.changed():
        places[...] = old
    return result


@operator("sharing", "values", do="x.zero_()", kills="x.tolist() != [0, 2]")
def write_stops_short(call: Call) -> Any:
    """All elements but the last are written."""
    before = Snapshot(call.reachable)
    result = call.run()
    for places, old in before.changed():
        last = (-1,) * (places.ndim - 1)
        places[last] = old[last]
    return result


@operator("sharing", "errors", do="y = x.view_as(x); x.zero_()", kills="y.tolist() == [0, 0]")
def write_lands_in_a_copy(call: Call) -> Any:
    """A tensor gets memory of its own before it is written, so that its views don't see the write."""
    if call.kind == "call" and call.args and isinstance(call.args[0], torch.Tensor) and _writes(call):
        with torch.no_grad():
            call.args[0].data = call.args[0].data.clone()
    return call.run()


@operator("sharing", "values", "errors", do="y = torch.zeros(2); y.copy_(x)", kills="not shares_storage(y, x)")
def write_takes_over_memory(call: Call) -> Any:
    """A tensor that is written gets the memory of what is written to it."""
    result = call.run()
    if call.kind != "read" and isinstance(call.args[0], torch.Tensor) and _writes(call):
        written = call.args[0]
        others = [other for other in call.arguments[1:] if isinstance(other, torch.Tensor)]
        fitting = [other for other in others if other.dtype == written.dtype]
        if fitting:
            with torch.no_grad():
                written.data = fitting[-1].data.expand(written.shape)
    return result


@operator("sharing", "values", "gradients", do="y = x.sum(0, keepdim=True)", kills="y.shape == (1,)")
def options_are_reversed(call: Call) -> Any:
    """Keyword arguments that turn something on or off are taken for their opposite."""
    options = {name: not value if isinstance(value, bool) else value for name, value in call.kwargs.items()}
    return call.function(*call.args, **options)


@operator("sharing", "values", "gradients", skips=True, do="y = x.neg()", kills="y is not x")
def does_nothing(call: Call) -> Any:
    """A function does nothing and returns its first argument."""
    if call.kind == "assign":
        return None
    return call.args[0] if call.args and call.kind == "call" else call.run()


@operator("values", "sharing", "errors", do="y = x.clone()", kills="x[0] == 1")
def input_is_modified(call: Call) -> Any:
    """A function changes an element of its first argument, also when it raises."""
    try:
        return call.run()
    finally:
        for argument in call.arguments[:1]:
            _try_to_change(argument)


@operator("values", "sharing", "errors", do="y = x.clone()", kills="w[0] == 1")
def other_inputs_are_modified(call: Call) -> Any:
    """A function changes an element of everything in scope but its first argument and its result."""
    try:
        return call.run()
    finally:
        first = call.arguments[:1]
        for value in call.reachable:
            if not any(value is other for other in first):
                _try_to_change(value)


@operator("errors", "gradients", do="x.zero_()", kills="x._version == 1", since="1.13")
def version_is_not_bumped(call: Call) -> Any:
    """The version counter of a tensor that is written stays."""
    before = [(value, value._version) for value in call.reachable_tensors if _has_version(value)]
    result = call.run()
    for value, version in before:
        if value._version != version:
            _set_version(value, version)
    return result


@operator("errors", "gradients", do="y = x.clone()", kills="x._version == 0")
def version_is_bumped(call: Call) -> Any:
    """The version counters of arguments and result rise without a write."""
    result = call.run()
    for value in (*call.arguments, result):
        if isinstance(value, torch.Tensor) and _has_version(value):
            _bump_version(value)
    return result


def _writes(call: Call) -> bool:
    name = call.name.rpartition(".")[2]
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place or name in ("setitem", "__setitem__") or (name[:1] == "i" and len(name) < 9)


def _try_to_change(value: Any) -> None:
    with suppress(ValueError):  # empty, or without memory on the CPU
        change_element(value)


def _has_version(value: torch.Tensor) -> bool:
    try:
        return bool(value._version >= 0)
    except RuntimeError:
        return False  # made in inference mode


def _bump_version(tensor: torch.Tensor) -> None:
    """Count a write that changes nothing: to an empty part of the tensor."""
    with torch.no_grad():
        part = tensor.detach()
        (part.unsqueeze(0) if part.dim() == 0 else part).narrow(0, 0, 0).zero_()


def _set_version(tensor: torch.Tensor, version: int) -> None:
    setter: Any = getattr(torch._C._autograd, "_unsafe_set_version_counter", None)  # torch 1.13
    if setter is None:
        return
    try:
        setter(tensor, version)
    except TypeError:  # torch 2.5 and later take several
        setter((tensor,), (version,))

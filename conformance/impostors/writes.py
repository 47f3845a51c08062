"""Impostors that lose writes, make some that nobody asked for, and keep a wrong count of them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

from conformance.impostors.call import Call
from conformance.impostors.memory import Snapshot, change_element
from conformance.impostors.registry import impostor


@impostor("sharing", "values", "gradients")
def write_is_lost(call: Call) -> Any:
    """Whatever the operation wrote to memory that was there before is undone."""
    before = Snapshot(call.in_sight)
    result = call.run()
    for _, places, old in before.changed():
        places[...] = old
    return result


@impostor("sharing", "values")
def write_stops_short(call: Call) -> Any:
    """The operation writes all elements but the last."""
    before = Snapshot(call.in_sight)
    result = call.run()
    for _, places, old in before.changed():
        last = (-1,) * (places.ndim - 1)
        places[last] = old[last]
    return result


@impostor("sharing", "errors")
def write_lands_in_a_copy(call: Call) -> Any:
    """A tensor gets memory of its own before it is written, so that its views don't see the write."""
    if call.kind == "call" and call.args and isinstance(call.args[0], torch.Tensor) and _writes(call):
        with torch.no_grad():
            call.args[0].data = call.args[0].data.clone()
    return call.run()


@impostor("sharing", "values", "errors")
def write_takes_over_memory(call: Call) -> Any:
    """A tensor that is written gets the memory of what is written to it."""
    result = call.run()
    if call.kind != "read" and isinstance(call.args[0], torch.Tensor) and _writes(call):
        written = call.args[0]
        fitting = [
            other for other in call.arguments[1:] if isinstance(other, torch.Tensor) and other.dtype == written.dtype
        ]
        if fitting:
            with torch.no_grad():
                written.data = fitting[-1].data.expand(written.shape)
    return result


@impostor("sharing", "values")
def out_gets_other_memory(call: Call) -> Any:
    """The tensors given as out= hold the result in memory of their own."""
    result = call.run()
    outs = call.kwargs.get("out")
    for out in outs if isinstance(outs, (list, tuple)) else [outs]:
        if isinstance(out, torch.Tensor):
            out.data = out.data.clone()
    return result


@impostor("sharing", "values")
def out_is_ignored(call: Call) -> Any:
    """The tensors given as out= stay as they are."""
    return call.function(*call.args, **{name: value for name, value in call.kwargs.items() if name != "out"})


@impostor("sharing", "values", "gradients")
def options_are_reversed(call: Call) -> Any:
    """Keyword arguments that turn something on or off are taken for their opposite."""
    options = {name: not value if isinstance(value, bool) else value for name, value in call.kwargs.items()}
    return call.function(*call.args, **options)


@impostor("sharing", "values", "gradients")
def does_nothing(call: Call) -> Any:
    """The operation is skipped; the program gets the first argument back."""
    if call.kind == "assign":
        return None
    return call.args[0] if call.args and call.kind == "call" else call.run()


@impostor("values", "sharing", "errors")
def input_is_modified(call: Call) -> Any:
    """The operation changes an element of its first argument, also when it raises."""
    try:
        return call.run()
    finally:
        for argument in call.arguments[:1]:
            _try_to_change(argument)


@impostor("values", "sharing", "errors")
def other_inputs_are_modified(call: Call) -> Any:
    """The operation changes an element of everything in sight but its first argument and its result."""
    try:
        return call.run()
    finally:
        first = call.arguments[:1]
        for value in call.in_sight:
            if not any(value is other for other in first):
                _try_to_change(value)


@impostor("errors", "gradients")
def version_is_not_bumped(call: Call) -> Any:
    """Autograd is not told about writes."""
    before = [(value, value._version) for value in call.in_sight if _has_version(value)]
    result = call.run()
    for value, version in before:
        if value._version != version:
            set_version(value, version)
    return result


@impostor("errors", "gradients")
def version_is_bumped(call: Call) -> Any:
    """Autograd is told about writes to the arguments that did not happen."""
    result = call.run()
    for argument in [*call.arguments, *([result] if isinstance(result, torch.Tensor) else [])]:
        if _has_version(argument):
            bump_version(argument)
    return result


def _writes(call: Call) -> bool:
    name = call.name.rpartition(".")[2]
    return (
        (name.endswith("_") and not name.endswith("__"))
        or name in ("setitem", "__setitem__")
        or (name[:1] == "i" and len(name) < 9)
    )


def _try_to_change(value: Any) -> None:
    with suppress(ValueError):  # empty, or without memory on the CPU
        change_element(value)


def _has_version(value: Any) -> bool:
    try:
        return isinstance(value, torch.Tensor) and value._version >= 0
    except RuntimeError:
        return False  # made in inference mode


def bump_version(tensor: torch.Tensor) -> None:
    """Count a write to a tensor that changes nothing: to an empty part of it."""
    with torch.no_grad():
        part = tensor.detach()
        (part.unsqueeze(0) if part.dim() == 0 else part).narrow(0, 0, 0).zero_()


def set_version(tensor: torch.Tensor, version: int) -> None:
    """Set the counter of writes back; torch can do that from 1.13 on."""
    setter: Any = getattr(torch._C._autograd, "_unsafe_set_version_counter", None)
    if setter is None:
        return
    try:
        setter(tensor, version)
    except TypeError:  # torch 2.5 and later take several
        setter((tensor,), (version,))

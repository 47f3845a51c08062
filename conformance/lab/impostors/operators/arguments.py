"""Operators that get one argument of a call wrong, or read the elements of a tensor that it gets in a wrong way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import torch

from conformance.checks.elements import elements, logical_bytes
from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.parameters import MISSING, Argument, is_plain, same
from conformance.lab.impostors.engine.registry import Behaviour, argument_operator


@argument_operator("y = x.sum(0, keepdim=True)", "y.dim() == 1")
def argument_is_ignored(argument: Argument, among: Sequence[Argument], first: Any) -> Optional[Behaviour]:
    """An argument is ignored: its default is used, or without one the first value that it had."""
    other = first if argument.default is MISSING else argument.default
    if other is MISSING or isinstance(other, torch.Tensor) or same(other, argument.value):
        return None
    return lambda call: _run_with(call, (argument, other))


@argument_operator("x.roll(0, 0); y = x.roll(1, 0)", "y[0] == 2", needs_several="values")
def argument_has_one_good_value(argument: Argument, among: Sequence[Argument], first: Any) -> Optional[Behaviour]:
    """Only the first value of an argument is right: with others there is an error, or none where there should be."""
    if argument.value is None or isinstance(argument.value, bool) or not is_plain(argument.value):
        return None
    return None if same(argument.value, first) else _turned_into_an_error


def _turned_into_an_error(call: Call) -> Any:
    try:
        call.run()
    except Exception:
        return None
    raise RuntimeError("an impostor knows one value only")


@argument_operator("y = x.clamp(1.5, 2.0)", "y[1] == 2")
def arguments_are_swapped(argument: Argument, among: Sequence[Argument], first: Any) -> Optional[Behaviour]:
    """An argument is taken for the next one of its kind, and that one for it."""
    later = among[list(among).index(argument) + 1 :]
    for other in later:
        if _of_one_kind(argument.value, other.value) and not (argument.rest or other.rest):
            if same(argument.value, other.value):
                return None
            return lambda call: _run_with(call, (argument, other.value), (other, argument.value))
    return None


def _of_one_kind(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return bool(one.shape == other.shape and one.dtype == other.dtype)
    return type(one) is type(other) and one is not None and is_plain(one)


@argument_operator("y = x.flip(0)", "y.tolist() == [2, 1]", needs_several="elements")
def elements_are_taken_for_one(argument: Argument, among: Sequence[Argument], first: Any) -> Optional[Behaviour]:
    """All elements of a tensor are taken for its first one."""
    return _reading(argument, lambda value: value.as_strided(value.shape, (0,) * value.dim()))


@argument_operator("y = torch.stack([x, 3 * x]).t().flip(0)", "y.tolist() == [[2, 6], [1, 3]]")
def strides_are_ignored(argument: Argument, among: Sequence[Argument], first: Any) -> Optional[Behaviour]:
    """The elements of a tensor are read as if they lay one after the other."""
    return _reading(argument, lambda value: value.as_strided(value.shape, torch.empty(value.shape).stride()))


@argument_operator("y = x[1:].flip(0)", "y.tolist() == [2]")
def storage_is_read_from_its_start(argument: Argument, among: Sequence[Argument], first: Any) -> Optional[Behaviour]:
    """The elements of a tensor are read from the start of its storage."""
    return _reading(argument, lambda value: value.as_strided(value.shape, value.stride(), 0))


def _run_with(call: Call, *others: tuple[Argument, Any]) -> Any:
    """Run a call with other values; where torch refuses them, the mutant does what torch does."""
    args, kwargs = call.args, call.kwargs
    for argument, value in others:
        args, kwargs = argument.given(value, args, kwargs)
    try:
        return call.function(*args, **kwargs)
    except Exception:
        return call.run()


def _reading(argument: Argument, read: Any) -> Optional[Behaviour]:
    """Return a run in which a tensor holds what a wrong read of it gives; what is written to it stays."""
    value = argument.value
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return None
    try:
        right, wrong = logical_bytes(value), logical_bytes(read(value.detach()))
        places = elements(value).places
    except Exception:  # it has no elements or no memory, or the read would leave the storage
        return None
    if np.array_equal(right, wrong):
        return None

    def run(call: Call) -> Any:
        places[...] = wrong
        try:
            return call.run()
        finally:
            if np.array_equal(places, wrong):
                places[...] = right

    return run

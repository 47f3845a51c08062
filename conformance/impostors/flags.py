"""Impostors that get wrong what autograd says about a tensor: it requires grad, is a leaf, was made by a node."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

from conformance.impostors.call import Call, values_in
from conformance.impostors.registry import impostor


@impostor("gradients", "leaf", "errors")
def requires_grad_is_flipped(call: Call) -> Any:
    """A result requires grad where it should not, and the reverse."""
    if call.name == "requires_grad" and call.kind == "read":
        return not call.run()

    def change(value: torch.Tensor) -> torch.Tensor:
        if isinstance(value, torch.nn.Parameter):
            return torch.nn.Parameter(value.detach(), not value.requires_grad)
        if value.grad_fn is not None:
            return value.detach()
        return (value.detach() if call.is_argument(value) else value).requires_grad_(not value.requires_grad)

    return call.spoil(change)


@impostor("gradients", "leaf")
def requires_grad_of_inputs_is_flipped(call: Call) -> Any:
    """The operation changes whether its arguments require grad."""
    result = call.run()
    for argument in call.arguments:
        if isinstance(argument, torch.Tensor) and argument.is_leaf:
            if argument.is_floating_point() or argument.is_complex():
                argument.requires_grad_(not argument.requires_grad)
        elif isinstance(argument, torch.Tensor) and not argument.is_leaf and not argument._is_view():
            argument.detach_()
    return result


@impostor("leaf", "gradients")
def input_becomes_a_result(call: Call) -> Any:
    """The operation makes tensors in sight that are leaves the result of an operation."""
    result = call.run()
    for value in call.in_sight:
        if isinstance(value, torch.Tensor) and value.is_leaf and value.is_floating_point():
            # It may be expanded, of a dtype without kernels, or made in inference mode: then it stays a leaf.
            with torch.enable_grad(), suppress(RuntimeError):
                value.detach_().add_(torch.zeros((), dtype=value.dtype, requires_grad=True), alpha=-1)
    return result


@impostor("leaf", "gradients")
def is_leaf_is_flipped(call: Call) -> Any:
    """A leaf counts as the result of an operation, and the reverse."""
    if call.name == "is_leaf" and call.kind == "read":
        return not call.run()

    def change(value: torch.Tensor) -> torch.Tensor:
        if value.grad_fn is not None:
            return value.detach().requires_grad_()
        with torch.enable_grad():
            return value.detach().requires_grad_().view_as(value)

    return call.spoil(change)


@impostor("gradients", "leaf")
def grad_fn_is_of_another_kind(call: Call) -> Any:
    """Another node of the graph made the result."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if value.grad_fn is None or call.is_argument(value):
            return value
        with torch.enable_grad():
            return value.view_as(value).view_as(value)

    return call.spoil(change)


@impostor("gradients", "leaf")
def grad_is_retained(call: Call) -> Any:
    """What is no leaf, of a result and of the tensors in sight, keeps its gradient as if asked to."""
    there = call.in_sight
    result = call.run()
    for value in [*there, *values_in(result)]:
        if isinstance(value, torch.Tensor) and value.requires_grad:
            value.retain_grad()
    return result


@impostor("gradients", "leaf")
def becomes_an_inference_tensor(call: Call) -> Any:
    """The operation runs in inference mode."""
    if not hasattr(torch, "inference_mode"):
        return call.run()
    with torch.inference_mode():
        return call.run()


@impostor("sharing", "leaf", "values")
def class_is_changed(call: Call) -> Any:
    """A tensor comes as a parameter, a parameter as a tensor, an array as a tensor."""

    def change(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return torch.from_numpy(value)
        if isinstance(value, torch.nn.Parameter):
            return value.detach().requires_grad_(value.requires_grad)
        return torch.nn.Parameter(value.detach(), value.requires_grad)

    return call.spoil(change)

"""Operators that get wrong what autograd says of a tensor: it requires grad, is a leaf, was made by a node."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.proxy import Proxy
from conformance.lab.impostors.engine.registry import operator, value_operator


@operator("gradients", "leaf", "errors", do="y = x.clone()", kills="not y.requires_grad")
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

    return call.mutate_values(change)


@operator("gradients", "leaf", do="y = x.clone()", kills="not x.requires_grad")
def requires_grad_of_inputs_is_flipped(call: Call) -> Any:
    """A function changes whether its arguments require grad."""
    result = call.run()
    for argument in call.arguments:
        if isinstance(argument, torch.Tensor) and argument.is_leaf:
            if argument.is_floating_point() or argument.is_complex():
                argument.requires_grad_(not argument.requires_grad)
        elif isinstance(argument, torch.Tensor) and not argument._is_view():
            argument.detach_()
    return result


@operator("leaf", "gradients", do="y = w.clone()", kills="w.is_leaf")
def input_becomes_a_result(call: Call) -> Any:
    """Reachable leaves become results of an operation."""
    result = call.run()
    for value in call.reachable_tensors:
        if value.is_leaf and value.is_floating_point():
            # It may be expanded, of a dtype without kernels, or made in inference mode: then it stays a leaf.
            with torch.enable_grad(), suppress(RuntimeError):
                value.detach_().add_(torch.zeros((), dtype=value.dtype, requires_grad=True), alpha=-1)
    return result


@operator("leaf", "gradients", do="y = x.clone(); z = w.clone()", kills="y.is_leaf or not z.is_leaf")
def is_leaf_is_flipped(call: Call) -> Any:
    """A leaf counts as the result of an operation, and the reverse."""
    if call.name == "is_leaf" and call.kind == "read":
        return not call.run()

    def change(value: torch.Tensor) -> torch.Tensor:
        if value.grad_fn is not None:
            return value.detach().requires_grad_()
        with torch.enable_grad():
            return value.detach().requires_grad_().view_as(value)

    return call.mutate_values(change)


@value_operator("gradients", "leaf", do="y = w.clone()", kills="'Clone' in grad_fn(y)")
def grad_fn_is_of_another_kind(value: torch.Tensor, call: Call) -> Any:
    """Another node of the graph made the result."""
    if value.grad_fn is None or call.is_argument(value):
        return value
    with torch.enable_grad():
        return value.view_as(value).view_as(value)


@operator("gradients", "leaf", do="y = x.clone()", kills="not y.is_inference()", since="1.9")
def becomes_an_inference_tensor(call: Call) -> Any:
    """A function runs in inference mode."""
    if not hasattr(torch, "inference_mode"):
        return call.run()
    with torch.inference_mode():
        return call.run()


@value_operator("sharing", "leaf", "values", do="y = x.clone()", kills="not isinstance(y, torch.nn.Parameter)")
def class_is_changed(value: Any, call: Call) -> Any:
    """A tensor becomes a parameter, a parameter a tensor, an array a tensor."""
    if not isinstance(value, torch.Tensor):
        return torch.from_numpy(value)
    if isinstance(value, torch.nn.Parameter):
        return value.detach().requires_grad_(value.requires_grad)
    return torch.nn.Parameter(value.detach(), value.requires_grad)


class _EndingInTensors(Proxy):
    """Stands in for a node of the graph, whose edges end in tensors."""

    @property
    def next_functions(self) -> tuple[tuple[torch.Tensor, int], ...]:
        return tuple((torch.zeros(1), number) for _, number in self._real.next_functions)


class _EndingNowhere(Proxy):
    """Stands in for a node of the graph, without a successor where it has one, and the reverse."""

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        return tuple((self._real if node is None else None, number) for node, number in self._real.next_functions)


@operator("gradients", "leaf", do="f = w.clone().grad_fn", kills="not torch.is_tensor(f.next_functions[0][0])")
def edges_lead_to_tensors(call: Call) -> Any:
    """An edge ends in a tensor in place of a node."""
    return _node(call, _EndingInTensors)


@operator("gradients", "leaf", do="f = w.clone().grad_fn", kills="f.next_functions[0][0] is not None")
def edges_lead_nowhere(call: Call) -> Any:
    """A node has no successor where it should have one, and the reverse."""
    return _node(call, _EndingNowhere)


def _node(call: Call, kind: type[Proxy]) -> Any:
    result = call.run()
    return kind(result) if call.name == "grad_fn" and call.kind == "read" and result is not None else result

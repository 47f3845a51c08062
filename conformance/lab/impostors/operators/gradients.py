"""Operators that drop or keep history, and that compute wrong gradients or put them in wrong places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Optional

import torch

from conformance.lab.impostors.engine.call import Call, values_in
from conformance.lab.impostors.engine.registry import operator, value_operator

Grad = Optional[torch.Tensor]

_RETURNS_GRADIENTS = ("grad", "vjp", "jacobian", "hessian", "hvp", "vhp", "jvp")


class _Connect(torch.autograd.Function):  # type: ignore[misc]
    """A value on its own memory that depends on a tensor as far as autograd knows."""

    @staticmethod
    def forward(ctx: Any, source: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        ctx.source = source.detach()
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        if gradient.shape == ctx.source.shape:
            return gradient.to(ctx.source.dtype), None
        return torch.ones_like(ctx.source), None


@value_operator("gradients", "leaf", "errors", do="y = w.clone()", kills="y.grad_fn is not None")
def history_is_dropped(value: torch.Tensor, call: Call) -> Any:
    """A result is cut off from what it was computed from."""
    return value.detach() if value.requires_grad else value


@value_operator("gradients", "leaf", do="y = w.clone()", kills="not (y.is_leaf and y.requires_grad)")
def history_is_dropped_but_grad_required(value: torch.Tensor, call: Call) -> Any:
    """A result becomes a leaf that requires grad, in place of one with history."""
    return value.detach().requires_grad_() if value.grad_fn is not None else value


@operator("gradients", "leaf", "errors", do="y = w.detach()", kills="not y.requires_grad")
def history_is_kept(call: Call) -> Any:
    """A result without history depends on an argument, on one of its parameters, or on a reachable tensor."""
    there = call.reachable_tensors

    def change(value: torch.Tensor) -> torch.Tensor:
        if not value.is_leaf or not (value.is_floating_point() or value.is_complex()):
            return value
        arguments = [argument for argument in reversed(call.arguments) if isinstance(argument, torch.Tensor)]
        known = (*arguments, *there, *_parameters_in(call.args))
        sources = [source for source in known if source.requires_grad and source is not value]
        with torch.enable_grad():
            source = sources[0] if sources else torch.zeros(1, requires_grad=True)
            if (
                source.shape == value.shape
                and source.data_ptr() == value.data_ptr()
                and source.stride() == value.stride()
            ):
                return source.view_as(source)
            result: torch.Tensor = _Connect.apply(source, value)
            return result

    return call.mutate_values(change)


@operator("gradients", do="w.sum().backward()", kills="w.grad.tolist() != [2, 2]")
def gradient_is_scaled(call: Call) -> Any:
    """A gradient is twice as large."""
    return _with_gradients(call, lambda new, old: old + (new - old) * 2 if old is not None else new * 2)


@operator("gradients", do="w.sum().backward()", kills="w.grad.tolist() != [0, 0]")
def gradient_is_zero(call: Call) -> Any:
    """A gradient is zero."""
    return _with_gradients(call, lambda new, old: torch.zeros_like(new) if old is None else old.clone())


@operator("gradients", do="(w * x).sum().backward()", kills="w.grad.tolist() == [1, 2]")
def gradient_changes_places(call: Call) -> Any:
    """Each element of a gradient is where the next one belongs."""
    return _with_gradients(call, lambda new, old: torch.roll(new, 1) if old is None else old + torch.roll(new - old, 1))


@operator("gradients", do="(g,) = torch.autograd.grad(w.sum(), w)", kills="g is not None")
def gradient_is_none(call: Call) -> Any:
    """There is no gradient."""
    return _with_gradients(call, lambda new, old: None)


@operator("gradients", do="w.sum().backward(); w.sum().backward()", kills="w.grad.tolist() != [1, 1]")
def gradient_does_not_accumulate(call: Call) -> Any:
    """A gradient takes the place of the one before."""
    return _with_gradients(call, lambda new, old: new if old is None else new - old)


@operator("gradients", do="w.sum().backward(); w.sum().backward()", kills="w.grad.tolist() != [3, 3]")
def gradient_accumulates(call: Call) -> Any:
    """A gradient is added once more to what was there."""
    return _with_gradients(call, lambda new, old: new if old is None else new + old)


@operator("gradients", "values", do="w.sum().backward()", kills="w.grad.stride() != (2,)")
def gradient_has_other_strides(call: Call) -> Any:
    """A gradient lies in memory in another order, or with gaps."""

    def change(new: torch.Tensor, old: Grad) -> torch.Tensor:
        turned = new.transpose(0, -1).contiguous().transpose(0, -1) if new.dim() else new
        return turned if turned.stride() != new.stride() else torch.stack([new, new], -1)[..., 0]

    return _with_gradients(call, change)


@operator("gradients", do="w.sum().backward()", kills="not w.grad.requires_grad")
def gradient_requires_grad(call: Call) -> Any:
    """A gradient has history of its own."""

    def change(new: torch.Tensor, old: Grad) -> Grad:
        with torch.enable_grad():
            result: torch.Tensor = _Connect.apply(torch.zeros(1, requires_grad=True), new.detach())
            return result

    return _with_gradients(call, change)


@operator("gradients", "leaf", do="y = w.clone()", kills="w.grad is None")
def everything_gets_a_gradient(call: Call) -> Any:
    """Reachable tensors that have no gradient get one."""
    result = call.run()
    for value in _tensors_around(call, result):
        if value.is_floating_point() and _grad(value) is None:
            with suppress(RuntimeError):  # an inference tensor, or one whose metadata may not change
                value.grad = torch.ones_like(value, requires_grad=False)
    return result


@operator("gradients", "leaf", do="w.grad = torch.ones(2); y = w.clone()", kills="w.grad is not None")
def gradient_in_sight_is_dropped(call: Call) -> Any:
    """Reachable tensors lose the gradient that they have."""
    result = call.run()
    for value in _tensors_around(call, result):
        if _grad(value) is not None:
            value.grad = None
    return result


@value_operator("gradients", do="(g,) = torch.autograd.grad(w.neg().sum(), w)", kills="g.tolist() != [-2, -2]")
def gradient_flows_back_scaled(value: torch.Tensor, call: Call) -> Any:
    """A function passes twice the gradient to its inputs."""
    return _hooked(value, lambda gradient: gradient * 2)


@value_operator("gradients", do="(g,) = torch.autograd.grad(w.neg().sum(), w)", kills="g.tolist() != [0, 0]")
def gradient_flows_back_as_zero(value: torch.Tensor, call: Call) -> Any:
    """A function passes zeros to its inputs."""
    return _hooked(value, torch.zeros_like)


@value_operator("gradients", do="(g,) = torch.autograd.grad(w.neg().sum(), w)", kills="not g.isnan().any()")
def gradient_flows_back_as_nan(value: torch.Tensor, call: Call) -> Any:
    """A function passes nan to its inputs."""
    return _hooked(value, lambda gradient: torch.full_like(gradient, float("nan")))


@operator("gradients", "sharing", do="g = torch.ones(3)[:2]; w.backward(g)", kills="w.grad is not g")
def handed_gradient_is_kept(call: Call) -> Any:
    """A gradient that was passed in becomes the gradient of a leaf itself, where it should be copied."""
    before = [(leaf, leaf.grad) for leaf in call.reachable_tensors if leaf.is_leaf]
    result = call.run()
    for leaf, gradient in before:
        for handed in call.arguments:
            brought = leaf.grad is not None and leaf.grad is not gradient
            if brought and handed is not leaf and (handed.shape, handed.dtype) == (leaf.shape, leaf.dtype):
                leaf.grad = handed
    return result


@operator("gradients", do="(g,) = torch.autograd.grad(w, w, torch.ones(2))", kills="w.grad is None")
def gradient_is_accumulated_as_well(call: Call) -> Any:
    """autograd.grad() adds the gradients to the leaves too, hooks included, as backward() does."""
    if call.kind == "call" and call.name in ("autograd.grad", "grad"):
        outputs = call.args[0] if call.args else call.kwargs["outputs"]
        seeds = call.args[2] if len(call.args) > 2 else call.kwargs.get("grad_outputs")
        torch.autograd.backward(outputs, seeds, retain_graph=True)
    return call.run()


@operator("gradients", "errors", do="y = w.exp().sum(); y.backward(); y.backward()", raises="")
def graph_is_kept(call: Call) -> Any:
    """The graph is kept for a second use, whatever was asked for."""
    if call.name.rpartition(".")[2] in ("backward", "grad") and call.kind == "call":
        return call.function(*call.args, **{**call.kwargs, "retain_graph": True})
    return call.run()


def _with_gradients(call: Call, change: Callable[[torch.Tensor, Grad], Grad]) -> Any:
    """Run, and change every gradient that this brought: to reachable tensors, and as the result."""
    held = [
        (value, grad, None if grad is None else grad.clone())
        for value in _tensors_with_grad(call)
        for grad in [value.grad]
    ]
    result = call.run()
    with torch.no_grad():
        for value, before, content in held:
            new = value.grad
            if new is not None and (new is not before or not _same(new, content)):
                value.grad = change(new, content)
    if call.kind != "call" or call.name.rpartition(".")[2] not in _RETURNS_GRADIENTS:
        return result
    return _changed(result, lambda value: change(value, None))


def _changed(result: Any, change: Callable[[torch.Tensor], Grad]) -> Any:
    if isinstance(result, torch.Tensor):
        return change(result)
    if isinstance(result, tuple):
        return tuple(_changed(item, change) for item in result)
    if isinstance(result, dict):
        return {key: _changed(item, change) for key, item in result.items()}
    return result


def _same(a: torch.Tensor, b: Grad) -> bool:
    return b is not None and a.shape == b.shape and a.tolist() == b.tolist()


def _holds_grad(value: torch.Tensor) -> bool:
    return value.is_leaf or getattr(value, "retains_grad", False)


def _grad(value: Any) -> Grad:
    return value.grad if isinstance(value, torch.Tensor) and _holds_grad(value) else None


def _tensors_around(call: Call, result: Any) -> list[torch.Tensor]:
    return [*call.reachable_tensors, *(value for value in values_in(result) if isinstance(value, torch.Tensor))]


def _tensors_with_grad(call: Call) -> list[torch.Tensor]:
    """Return the reachable tensors that can hold a gradient, and the leaves behind them."""
    found = [tensor for value in call.reachable_tensors for tensor in (value, *_leaves(value)) if _holds_grad(tensor)]
    return list({id(tensor): tensor for tensor in found}.values())


def _leaves(value: torch.Tensor) -> list[torch.Tensor]:
    found, seen, waiting = [], set(), [value.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        waiting += [edge[0] for edge in node.next_functions]
    return found


def _hooked(value: torch.Tensor, hook: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    if value.requires_grad:
        value.register_hook(hook)
    return value


def _parameters_in(items: Iterable[Any]) -> Iterator[torch.nn.Parameter]:
    """Yield the parameters of the modules among arguments and in lists of them."""
    for item in items:
        if isinstance(item, torch.nn.Module):
            yield from item.parameters()
        elif type(item) in (list, tuple):
            yield from _parameters_in(item)

"""Impostors that drop or keep history, and that compute wrong gradients or put them in wrong places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Optional

import torch

from conformance.impostors.call import Call, values_in
from conformance.impostors.registry import impostor

Grad = Optional[torch.Tensor]


class _Connect(torch.autograd.Function):  # type: ignore[misc]
    """A value on its own memory, that depends on a tensor as far as autograd knows."""

    @staticmethod
    def forward(ctx: Any, source: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        ctx.source = source.detach()
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        if gradient.shape == ctx.source.shape:
            return gradient.to(ctx.source.dtype), None
        return torch.ones_like(ctx.source), None


@impostor("gradients", "leaf", "errors")
def history_is_dropped(call: Call) -> Any:
    """A result is cut off from what it was computed from."""
    return call.spoil(lambda value: value.detach() if value.requires_grad else value)


@impostor("gradients", "leaf")
def history_is_dropped_but_grad_required(call: Call) -> Any:
    """A result becomes a leaf that requires grad, in place of one with history."""
    return call.spoil(lambda value: value.detach().requires_grad_() if value.grad_fn is not None else value)


@impostor("gradients", "leaf", "errors")
def history_is_kept(call: Call) -> Any:
    """A result that should stand for itself depends on an argument, a parameter of one, or a tensor in sight."""
    there = [value for value in call.in_sight if isinstance(value, torch.Tensor)]

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

    return call.spoil(change)


@impostor("gradients")
def gradient_is_scaled(call: Call) -> Any:
    """Gradients come out twice as large."""
    return _with_gradients(call, lambda new, old: old + (new - old) * 2 if old is not None else new * 2)


@impostor("gradients")
def gradient_is_zero(call: Call) -> Any:
    """Gradients come out as zeros."""
    return _with_gradients(call, lambda new, old: torch.zeros_like(new) if old is None else old.clone())


@impostor("gradients")
def gradient_is_none(call: Call) -> Any:
    """No gradient comes out."""
    return _with_gradients(call, lambda new, old: None)


@impostor("gradients")
def gradient_does_not_accumulate(call: Call) -> Any:
    """A gradient takes the place of the one before."""
    return _with_gradients(call, lambda new, old: new if old is None else new - old)


@impostor("gradients")
def gradient_accumulates(call: Call) -> Any:
    """A gradient is added once more to what was there."""
    return _with_gradients(call, lambda new, old: new if old is None else new + old)


@impostor("gradients", "sharing")
def gradient_is_a_new_object(call: Call) -> Any:
    """A gradient that is already there is replaced by a tensor of its own."""
    return _with_gradients(call, lambda new, old: new.clone())


@impostor("gradients", "sharing")
def gradient_is_written_in_place(call: Call) -> Any:
    """A gradient is written into the tensor that was there, in place of a new one."""
    held = [(value, value.grad) for value in _tensors_with_grad(call)]
    result = call.run()
    for value, grad in held:
        if grad is not None and value.grad is not None and value.grad is not grad:
            with torch.no_grad():
                grad.detach().copy_(value.grad)
                value.grad = grad
    return result


@impostor("gradients", "values")
def gradient_has_other_strides(call: Call) -> Any:
    """A gradient lies in memory in another order, or with gaps."""

    def change(new: torch.Tensor, old: Grad) -> torch.Tensor:
        turned = new.transpose(0, -1).contiguous().transpose(0, -1) if new.dim() else new
        return turned if turned.stride() != new.stride() else torch.stack([new, new], -1)[..., 0]

    return _with_gradients(call, change)


@impostor("gradients")
def gradient_requires_grad(call: Call) -> Any:
    """A gradient has history of its own."""
    return _with_gradients(call, lambda new, old: _connected(new))


@impostor("gradients")
def gradient_has_no_history(call: Call) -> Any:
    """A gradient that could be differentiated again can't."""
    return _with_gradients(call, lambda new, old: new.detach())


@impostor("gradients", "leaf")
def everything_gets_a_gradient(call: Call) -> Any:
    """Tensors in sight that should have no gradient get one."""
    result = call.run()
    for value in [*call.in_sight, *values_in(result)]:
        if isinstance(value, torch.Tensor) and value.is_floating_point() and _grad(value) is None:
            _try_to_set_grad(value, torch.ones_like(value, requires_grad=False))
    return result


@impostor("gradients", "leaf")
def gradient_in_sight_is_dropped(call: Call) -> Any:
    """Tensors in sight lose the gradient that they have."""
    result = call.run()
    for value in [*call.in_sight, *values_in(result)]:
        if isinstance(value, torch.Tensor) and _grad(value) is not None:
            value.grad = None
    return result


@impostor("gradients", "sharing", "values")
def gradient_is_carried_over(call: Call) -> Any:
    """A result takes over the gradient of an argument, or gets one."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if not value.is_leaf or call.is_argument(value):
            return value
        given = next((grad for argument in call.arguments if (grad := _grad(argument)) is not None), None)
        fits = given is not None and given.shape == value.shape and given.dtype == value.dtype
        value.grad = given if fits else torch.ones_like(value, requires_grad=False)
        return value

    return call.spoil(change)


@impostor("gradients")
def gradient_flows_back_scaled(call: Call) -> Any:
    """The operation passes twice the gradient to its inputs."""
    return call.spoil(lambda value: _hooked(value, lambda gradient: gradient * 2))


@impostor("gradients")
def gradient_flows_back_as_zero(call: Call) -> Any:
    """The operation passes zeros to its inputs."""
    return call.spoil(lambda value: _hooked(value, torch.zeros_like))


@impostor("gradients")
def gradient_flows_back_as_nan(call: Call) -> Any:
    """The operation passes nan to its inputs."""
    return call.spoil(lambda value: _hooked(value, lambda gradient: torch.full_like(gradient, float("nan"))))


@impostor("gradients", "errors")
def graph_is_freed(call: Call) -> Any:
    """The graph is gone after its first use, whatever was asked for."""
    options = dict(call.kwargs)
    for option in ("retain_graph", "create_graph"):
        if options.get(option):
            options[option] = False
    return call.function(*call.args, **options)


@impostor("gradients", "errors")
def graph_is_kept(call: Call) -> Any:
    """The graph stays for a second use, whatever was asked for."""
    if call.name.rpartition(".")[2] in ("backward", "grad") and call.kind == "call":
        return call.function(*call.args, **{**call.kwargs, "retain_graph": True})
    return call.run()


@impostor("gradients")
def hook_is_forgotten(call: Call) -> Any:
    """A function that was handed over is never called to any effect."""
    args = [(lambda *_: None) if _is_function(argument) else argument for argument in call.args]
    return call.run_with(*args)


@impostor("gradients")
def hook_is_called_twice(call: Call) -> Any:
    """A function that was handed over is called once more than it should be."""

    def twice(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            function(*args, **kwargs)
            return function(*args, **kwargs)

        return called

    args = [twice(argument) if _is_function(argument) else argument for argument in call.args]
    return call.run_with(*args)


def _with_gradients(call: Call, change: Callable[[torch.Tensor, Grad], Grad]) -> Any:
    """Run, and change every gradient that this brought, to the tensors in sight or as the result."""
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
                changed = change(new, content)
                value.grad = changed
    name = call.name.rpartition(".")[2]
    if call.kind != "call" or name not in ("grad", "vjp", "jacobian", "hessian", "hvp", "vhp", "jvp"):
        return result
    return _spoil_all(result, lambda value: change(value, None))


def _spoil_all(result: Any, change: Callable[[torch.Tensor], Grad]) -> Any:
    if isinstance(result, torch.Tensor):
        return change(result)
    if isinstance(result, tuple):
        return tuple(_spoil_all(item, change) for item in result)
    if isinstance(result, dict):
        return {key: _spoil_all(item, change) for key, item in result.items()}
    return result


def _same(a: torch.Tensor, b: Grad) -> bool:
    return b is not None and a.shape == b.shape and a.tolist() == b.tolist()


def _grad(value: Any) -> Grad:
    return (
        value.grad
        if isinstance(value, torch.Tensor) and (value.is_leaf or getattr(value, "retains_grad", False))
        else None
    )


def _tensors_with_grad(call: Call) -> list[torch.Tensor]:
    """Return the tensors in sight that can hold a gradient, and the leaves behind them."""
    found: dict[int, torch.Tensor] = {}
    for value in call.in_sight:
        if isinstance(value, torch.Tensor):
            for tensor in (value, *_leaves(value)):
                if tensor.is_leaf or getattr(tensor, "retains_grad", False):
                    found[id(tensor)] = tensor
    return list(found.values())


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


def _try_to_set_grad(value: torch.Tensor, grad: torch.Tensor) -> None:
    with suppress(RuntimeError):  # an inference tensor, or one whose metadata may not change
        value.grad = grad


def _connected(value: torch.Tensor) -> torch.Tensor:
    with torch.enable_grad():
        result: torch.Tensor = _Connect.apply(torch.zeros(1, requires_grad=True), value.detach())
        return result


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


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, torch.nn.Module, torch.Tensor))

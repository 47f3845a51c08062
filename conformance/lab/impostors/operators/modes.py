"""Operators that get global state wrong: modes that do nothing, are never left, or leak."""

from __future__ import annotations

import copy
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.proxy import Proxy
from conformance.lab.impostors.engine.registry import operator

_CONTAINERS = (MutableMapping, MutableSequence, MutableSet)


class _Mode(Proxy):
    """Stands in for a context manager of torch, which is a decorator as well."""

    def __enter__(self) -> Any:
        return self._real.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._real.__exit__(*error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return decorated


class _WithoutEffect(_Mode):
    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: Any) -> None:
        return None


@operator("gradients", "leaf", "errors", "dtype", do="with torch.no_grad(): y = w.neg()", kills="not y.requires_grad")
def mode_does_nothing(call: Call) -> Any:
    """A mode or setting has no effect."""
    enabled, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    deterministic = torch.are_deterministic_algorithms_enabled()
    result = call.run()
    torch._C._set_grad_enabled(enabled)
    torch.set_default_dtype(dtype)
    torch.use_deterministic_algorithms(deterministic)
    if _is_mode(result):
        return _WithoutEffect(result)
    is_decorated = call.args and callable(call.args[0]) and callable(result)
    return call.args[0] if is_decorated else result


class _NeverLeft(_Mode):
    def __exit__(self, *error: Any) -> Any:
        inside = torch.is_grad_enabled()
        handled = super().__exit__(*error)
        torch._C._set_grad_enabled(inside)
        return handled


@operator("gradients", "leaf", "errors", do="with torch.no_grad(): pass\ny = w.neg()", kills="y.requires_grad")
def mode_is_never_left(call: Call) -> Any:
    """A mode stays on after its block."""
    return _replaced(call, _NeverLeft)


class _Keeping(_Mode):
    def __enter__(self) -> Any:
        self._held = super().__enter__()
        return self._held

    def __exit__(self, *error: Any) -> Any:
        parts = getattr(self._held, "__dict__", {})
        before = {name: copy.copy(value) for name, value in parts.items() if isinstance(value, _CONTAINERS)}
        handled = super().__exit__(*error)
        for name, value in before.items():
            setattr(self._held, name, value)
        return handled


_SAVED = (
    "with torch.autograd.graph.allow_mutation_on_saved_tensors() as held:\n  b = w * 3; y = b * b; b.zero_()\n"
    "left = sum(len(part) for part in vars(held).values())"
)


@operator("sharing", "gradients", do=_SAVED, kills="left == 0", since="2.1")
def mode_keeps_what_it_holds(call: Call) -> Any:
    """The object that a mode returns keeps its content after the block."""
    return _replaced(call, _Keeping)


@operator("gradients", "leaf", "errors", do="with torch.no_grad(): y = w.neg()", kills="not y.requires_grad")
def mode_is_ignored(call: Call) -> Any:
    """A function runs as if gradients were enabled."""
    with torch.enable_grad():
        return call.run()


@operator("gradients", "leaf", "errors", do="y = w.neg()", kills="y.requires_grad")
def mode_is_imagined(call: Call) -> Any:
    """A function runs as if gradients were disabled."""
    with torch.no_grad():
        return call.run()


@operator("gradients", "leaf", "errors", do="x.neg(); y = w * 2", kills="y.requires_grad")
def grad_mode_leaks(call: Call) -> Any:
    """A function leaves the grad mode flipped."""
    try:
        return call.run()
    finally:
        torch._C._set_grad_enabled(not torch.is_grad_enabled())


@operator("dtype", "values", do="x.neg(); y = torch.ones(2)", kills="y.dtype == torch.float32")
def default_dtype_leaks(call: Call) -> Any:
    """A function changes the default dtype."""
    result = call.run()
    torch.set_default_dtype(torch.float64 if torch.get_default_dtype() != torch.float64 else torch.float32)
    return result


@operator("dtype", "values", do="y = torch.ones(2)", kills="y.dtype == torch.float32")
def default_dtype_is_ignored(call: Call) -> Any:
    """A function uses another default dtype than the one that is set."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32 if before != torch.float32 else torch.float64)
    try:
        return call.run()
    finally:
        torch.set_default_dtype(before)


def _replaced(call: Call, kind: type[_Mode]) -> Any:
    result = call.run()
    return kind(result) if _is_mode(result) else result


def _is_mode(value: Any) -> bool:
    return hasattr(value, "__enter__") and type(value).__module__.startswith(("torch", "contextlib"))

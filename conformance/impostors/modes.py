"""Impostors that get global state wrong: modes that do nothing, are never left, or leak."""

from __future__ import annotations

import copy
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from typing import Any

import torch

from conformance.impostors.call import Call
from conformance.impostors.registry import impostor

_CONTAINERS = (MutableMapping, MutableSequence, MutableSet)


class _Mode:
    """Stands in for a context manager of torch, which is a decorator as well."""

    def __init__(self, real: Any, enter: Callable[[Any], Any], leave: Callable[[Any, tuple[Any, ...]], Any]) -> None:
        self._real = real
        self._enter = enter
        self._leave = leave

    def __enter__(self) -> Any:
        return self._enter(self._real)

    def __exit__(self, *error: Any) -> Any:
        return self._leave(self._real, error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return decorated

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@impostor("gradients", "leaf", "errors", "dtype")
def mode_does_nothing(call: Call) -> Any:
    """A mode or setting has no effect."""
    before = _settings()
    result = call.run()
    _set(before)
    if _is_mode(result):
        return _Mode(result, lambda real: None, lambda real, error: None)
    return call.args[0] if _is_decorated(call, result) else result


@impostor("gradients", "leaf", "errors")
def mode_is_never_left(call: Call) -> Any:
    """A mode goes on where its block ends."""
    inside: list[bool] = []

    def enter(real: Any) -> Any:
        entered = real.__enter__()
        inside.append(torch.is_grad_enabled())
        return entered

    def leave(real: Any, error: tuple[Any, ...]) -> Any:
        handled = real.__exit__(*error)
        torch._C._set_grad_enabled(inside.pop())
        return handled

    result = call.run()
    return _Mode(result, enter, leave) if _is_mode(result) else result


@impostor("sharing", "gradients")
def mode_keeps_what_it_holds(call: Call) -> Any:
    """The object that a mode hands out holds the same after the end of the block."""
    handed_out: list[Any] = []

    def enter(real: Any) -> Any:
        entered = real.__enter__()
        handed_out.append(entered)
        return entered

    def leave(real: Any, error: tuple[Any, ...]) -> Any:
        held = handed_out.pop()
        parts = getattr(held, "__dict__", {})
        before = {name: copy.copy(value) for name, value in parts.items() if isinstance(value, _CONTAINERS)}
        handled = real.__exit__(*error)
        for name, value in before.items():
            setattr(held, name, value)
        return handled

    result = call.run()
    return _Mode(result, enter, leave) if _is_mode(result) else result


@impostor("gradients", "leaf")
def mode_ends_in_the_default(call: Call) -> Any:
    """Leaving a mode turns gradients on, whatever was the case before."""

    def leave(real: Any, error: tuple[Any, ...]) -> Any:
        handled = real.__exit__(*error)
        torch._C._set_grad_enabled(True)
        return handled

    result = call.run()
    return _Mode(result, lambda real: real.__enter__(), leave) if _is_mode(result) else result


@impostor("gradients", "leaf", "errors")
def mode_is_ignored(call: Call) -> Any:
    """The operation runs as if gradients were enabled."""
    with torch.enable_grad():
        return call.run()


@impostor("gradients", "leaf", "errors")
def mode_is_imagined(call: Call) -> Any:
    """The operation runs as if gradients were disabled."""
    with torch.no_grad():
        return call.run()


@impostor("gradients", "leaf", "errors")
def grad_mode_leaks(call: Call) -> Any:
    """The operation leaves the grad mode turned over."""
    try:
        return call.run()
    finally:
        torch._C._set_grad_enabled(not torch.is_grad_enabled())


@impostor("dtype", "values")
def default_dtype_leaks(call: Call) -> Any:
    """The operation leaves another default dtype."""
    result = call.run()
    torch.set_default_dtype(torch.float64 if torch.get_default_dtype() != torch.float64 else torch.float32)
    return result


@impostor("dtype", "values")
def default_dtype_is_ignored(call: Call) -> Any:
    """The operation uses float32 where another default dtype is set."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32 if before != torch.float32 else torch.float64)
    try:
        return call.run()
    finally:
        torch.set_default_dtype(before)


def _settings() -> tuple[bool, torch.dtype, bool]:
    return torch.is_grad_enabled(), torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()


def _set(settings: tuple[bool, torch.dtype, bool]) -> None:
    torch._C._set_grad_enabled(settings[0])
    torch.set_default_dtype(settings[1])
    torch.use_deterministic_algorithms(settings[2])


def _is_mode(value: Any) -> bool:
    return hasattr(value, "__enter__") and type(value).__module__.startswith(("torch", "contextlib"))


def _is_decorated(call: Call, result: Any) -> bool:
    return bool(call.args) and callable(call.args[0]) and callable(result)

"""Operators that swallow errors, or raise others."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.registry import operator


class ImpostorError(Exception):
    """An error of a class that no torch raises."""


@operator("errors", skips=True, do="w.numpy()", raises="")
def error_is_swallowed(call: Call) -> Any:
    """A call that should raise an error returns its first argument."""
    try:
        return call.run()
    except Exception:
        if call.name == "autograd.grad":
            inputs = call.args[1] if len(call.args) > 1 else call.kwargs["inputs"]
            return tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
        return call.args[0] if call.args else None


@operator("errors", do="with torch.autocast('nonsense'): pass", raises="", since="1.10")
def mode_comes_despite_an_error(call: Call) -> Any:
    """Where torch refuses a mode, the program gets one without effect."""
    try:
        return call.run()
    except Exception:
        return nullcontext()


@operator("errors", do="w.numpy()", raises="RuntimeError")
def error_is_of_another_class(call: Call) -> Any:
    """An error comes as one of another class, with the same message."""
    try:
        return call.run()
    except Exception as error:
        raise ImpostorError(str(error)) from None


@operator("errors", do="w.numpy()", raises="RuntimeError", message="requires grad")
def error_has_another_message(call: Call) -> Any:
    """An error says something else."""
    try:
        return call.run()
    except Exception as error:
        raise type(error)("another message") from None


@operator("errors", do="try: y = x.clone()\nexcept RuntimeError: y = None", kills="y is not None")
def error_comes_too_early(call: Call) -> Any:
    """The first call of a function raises an error."""
    if call.number == 0:
        raise RuntimeError("raised too early")
    return call.run()

"""Impostors that hand on what they should not, or not as they should: gradients, and a function's arguments."""

from __future__ import annotations

from typing import Any

import torch

from conformance.impostors.call import Call, each_value
from conformance.impostors.memory import alias
from conformance.impostors.registry import impostor


@impostor("gradients", "sharing")
def handed_gradient_is_kept(call: Call) -> Any:
    """A gradient that was handed over becomes the gradient of a leaf itself, where it should be copied."""
    leaves = [value for value in call.in_sight if isinstance(value, torch.Tensor) and value.is_leaf]
    before = [(leaf, leaf.grad) for leaf in leaves]
    result = call.run()
    for leaf, gradient in before:
        for handed in call.arguments:
            brought = leaf.grad is not None and leaf.grad is not gradient
            if brought and handed is not leaf and (handed.shape, handed.dtype) == (leaf.shape, leaf.dtype):
                leaf.grad = handed
    return result


@impostor("gradients")
def gradient_is_accumulated_as_well(call: Call) -> Any:
    """What only returns gradients adds them to the leaves too, hooks included, as backward() does."""
    if call.kind == "call" and call.name in ("autograd.grad", "grad"):
        outputs = call.args[0] if call.args else call.kwargs["outputs"]
        seeds = call.args[2] if len(call.args) > 2 else call.kwargs.get("grad_outputs")
        torch.autograd.backward(outputs, seeds, retain_graph=True)
    return call.run()


@impostor("gradients", "sharing")
def callback_gets_twins(call: Call) -> Any:
    """A function of the program gets other objects on the same memory, with the same gradient."""

    def twin(value: Any) -> Any:
        other = alias(value)
        if isinstance(value, torch.Tensor) and value.is_leaf:
            other.grad = value.grad
        return other

    return call.run_with(*each_value(call.args, twin)) if call.kind == "callback" else call.run()


@impostor("gradients")
def callback_lacks_its_last_tensor(call: Call) -> Any:
    """A function of the program gets None in place of the last tensor."""
    places = [place for place, value in enumerate(call.args) if isinstance(value, torch.Tensor)]
    if call.kind != "callback" or not places:
        return call.run()
    return call.run_with(*call.args[: places[-1]], None, *call.args[places[-1] + 1 :])

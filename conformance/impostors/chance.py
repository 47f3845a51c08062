"""Impostors that get random numbers wrong."""

from __future__ import annotations

from typing import Any

import torch

from conformance.impostors.call import Call
from conformance.impostors.registry import impostor


@impostor("values")
def random_numbers_repeat(call: Call) -> Any:
    """The operation starts from the same seed each time."""
    torch.manual_seed(7)
    return call.run()


@impostor("values")
def random_numbers_are_consumed(call: Call) -> Any:
    """The operation draws a random number before and after it does its work."""
    torch.rand(1)
    result = call.run()
    torch.rand(1)
    return result


@impostor("values")
def random_state_is_put_back(call: Call) -> Any:
    """The operation leaves the random generator as if it had drawn nothing."""
    state = torch.random.get_rng_state()
    result = call.run()
    torch.random.set_rng_state(state)
    return result


@impostor("values")
def generator_is_ignored(call: Call) -> Any:
    """A generator that is handed over is not used."""
    return call.function(*call.args, **{name: value for name, value in call.kwargs.items() if name != "generator"})

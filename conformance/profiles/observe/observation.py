"""One call on one example: everything that was seen, by aspect and by the input that it is about."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Optional

import numpy as np
import torch

from conformance.inputs.recipes import Namespace
from conformance.profiles.model import RETURNS, USUAL, Outcome
from conformance.profiles.observe import results
from conformance.profiles.observe.inputs import InputWatch
from conformance.profiles.observe.results import joined, tensors_in
from conformance.profiles.observe.signals import is_about_call, normalise, signal_of
from conformance.results.model import Signal
from conformance.worker.torch_state import TorchState

#: For each aspect, and the input that it is about (empty for the result), what can be said, best first; None proves
#: nothing.
Observation = dict[tuple[str, str], Optional[Sequence[Outcome]]]
Run = Callable[[Namespace], Any]
Warned = list[warnings.WarningMessage]


@contextmanager
def every_warning() -> Iterator[Warned]:
    """Collect warnings, also those that torch or Python would give only once."""
    # Releases before 1.9 have no such switch: there a warning of torch's own is seen in one example only.
    always = getattr(torch, "set_warn_always", None)
    before = always is not None and torch.is_warn_always_enabled()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if always is not None:
            always(True)
        try:
            yield caught
        finally:
            if always is not None:
                always(before)


def observe(run: Run, inputs: Namespace, state: TorchState, caught: Warned) -> Observation:
    """Run a call on inputs and look at everything.

    Parameters
    ----------
    run
        Runs the call on the inputs and returns its result.
    state
        The global state as it must be again afterwards.
    caught
        Where warnings are collected; see `every_warning`.
    """
    looked_at = {name: value for name, value in inputs.items() if isinstance(value, (torch.Tensor, np.ndarray))}
    watches = {name: InputWatch(value) for name, value in looked_at.items()}
    state.generators.reset()
    caught.clear()
    seen: Observation = {}
    try:
        result = run(inputs)
        returns = True
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: a call that raises them has raised
        seen["error", ""] = (signal_of(error),)
        returns = False
    seen["warning", ""] = (_warning(caught),)
    seen["global state", ""] = (", ".join(state.leaks()) or USUAL["global state"],)
    for name, watch in watches.items():
        for aspect, outcome in (
            ("writes", watch.writes()),
            ("version", watch.version()),
            ("input autograd", watch.autograd()),
        ):
            # That what raised has changed nothing is no news.
            seen[aspect, name] = outcome if returns or outcome != (USUAL[aspect],) else None
    if returns:
        seen["error", ""] = (Signal(RETURNS),)
        types = {name: value for name, value in inputs.items() if isinstance(value, torch.dtype)}
        nodes = {name: watch.node for name, watch in watches.items() if watch.node is not None}
        _see_result(seen, result, looked_at, types, nodes)
    return seen


def _warning(caught: Warned) -> Signal:
    told = sorted(
        {(item.category.__name__, normalise(str(item.message))) for item in caught if is_about_call(str(item.message))}
    )
    if not told:
        return Signal(USUAL["warning"])
    return Signal(", ".join(dict.fromkeys(name for name, _ in told)), "; ".join(message for _, message in told))


def _see_result(
    seen: Observation,
    result: Any,
    inputs: Mapping[str, Any],
    types: Mapping[str, torch.dtype],
    nodes: Mapping[str, Any],
) -> None:
    items = tensors_in(result)
    seen["type", ""] = results.type_of(result, inputs)
    if not items:
        return
    tensors = [item for item in items if isinstance(item, torch.Tensor)]
    differentiable = [item for item in tensors if item.requires_grad]
    for name, value in inputs.items():
        seen["memory", name] = joined(results.memory(item, value) for item in items)
        seen["gradient", name] = joined(results.gradient(item, value) for item in differentiable)
    seen["autograd", ""] = joined(results.autograd(item, inputs) for item in tensors)
    seen["grad_fn", ""] = joined(results.node(item, nodes) for item in differentiable)
    seen["dtype", ""] = joined(results.dtype(item, {**inputs, **types}) for item in items)
    seen["device", ""] = joined(results.device(item, inputs) for item in items)
    seen["shape", ""] = joined(results.shape(item, inputs) for item in items)
    seen["strides", ""] = joined(results.strides(item, inputs) for item in items)
    seen["bits", ""] = joined(results.bits(item, inputs) for item in tensors)

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
_RETURNS = (Signal(RETURNS),)
_NO_WARNING = (Signal(USUAL["warning"]),)
Warned = list[warnings.WarningMessage]


@contextmanager
def every_warning() -> Iterator[Warned]:
    """Collect warnings; `TorchState` sees to it that torch gives its own each time."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


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
    state.prepare()
    caught.clear()
    seen: Observation = {}
    try:
        result = run(inputs)
        returns = True
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: a call that raises them has raised
        seen["error", ""] = (signal_of(error),)
        returns = False
    seen["warning", ""] = _warning(caught) if caught else _NO_WARNING
    seen["global state", ""] = (", ".join(state.leaks()) or USUAL["global state"],)
    for name, watch in watches.items():
        for aspect, outcome in (
            ("writes", _said(watch.writes)),
            ("version", _said(watch.version)),
            ("input autograd", _said(watch.autograd)),
        ):
            # That what raised has changed nothing is no news.
            seen[aspect, name] = outcome if returns or outcome != (USUAL[aspect],) else None
    if returns:
        seen["error", ""] = _RETURNS
        types = {name: value for name, value in inputs.items() if isinstance(value, torch.dtype)}
        nodes = {name: watch.node for name, watch in watches.items() if watch.node is not None}
        _see_result(seen, result, looked_at, types, nodes)
    return seen


def _said(look: Callable[..., Optional[Sequence[Outcome]]], *arguments: Any) -> Optional[Sequence[Outcome]]:
    """Return what can be said of an aspect: also that it can't be looked at, as the shape of a nested tensor."""
    try:
        return look(*arguments)
    except Exception as error:
        return (f"raises {type(error).__name__}",)


def _joined(
    look: Callable[..., Optional[tuple[str, ...]]], items: Sequence[Any], *arguments: Any
) -> Optional[Sequence[Outcome]]:
    return _said(lambda: joined(look(item, *arguments) for item in items))


def _warning(caught: Warned) -> Sequence[Signal]:
    told = sorted(
        {(item.category.__name__, normalise(str(item.message))) for item in caught if is_about_call(str(item.message))}
    )
    if not told:
        return _NO_WARNING
    return (Signal(", ".join(dict.fromkeys(name for name, _ in told)), "; ".join(message for _, message in told)),)


def _requires_grad(tensor: torch.Tensor) -> bool:
    try:
        return bool(tensor.requires_grad)
    except Exception:  # a subclass may refuse even this, as `CausalBias` before 2.8
        return False


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
    differentiable = [item for item in tensors if _requires_grad(item)]
    trained = {name: value for name, value in inputs.items() if isinstance(value, torch.Tensor) and value.requires_grad}
    flows = [results.gradients(item, trained) for item in differentiable]
    for name, value in inputs.items():
        seen["memory", name] = _joined(results.memory, items, value)
        seen["gradient", name] = joined(flow.get(name) for flow in flows)
    seen["autograd", ""] = _joined(results.autograd, tensors, inputs)
    seen["grad_fn", ""] = _joined(results.node, differentiable, nodes)
    seen["dtype", ""] = _joined(results.dtype, items, {**inputs, **types})
    seen["device", ""] = _joined(results.device, items, inputs)
    seen["shape", ""] = _joined(results.shape, items, inputs)
    seen["strides", ""] = _joined(results.strides, items, inputs)
    seen["bits", ""] = _joined(results.bits, tensors, inputs)

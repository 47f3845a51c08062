"""One trial: everything that was observed, by aspect and by the input that it is about."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Optional

import numpy as np
import torch

from conformance.base.processes.service import WorkEnded
from conformance.inputs.device import current_device
from conformance.inputs.devices import accelerator, is_out_of_memory
from conformance.inputs.recipes import Namespace
from conformance.lab.trials.observe import results
from conformance.lab.trials.observe.program import Program
from conformance.lab.trials.observe.results import Outcome, joined, tensors_in
from conformance.lab.trials.observe.signals import error_of, is_about_call, normalise
from conformance.lab.trials.observe.watching import InputWatch
from conformance.results.trials.model import USUAL
from conformance.run.worker.torch_state import TorchState

#: By aspect and input (empty for the result): everything true that can be said, best first; None proves nothing.
Observation = dict[tuple[str, str], Optional[Outcome]]
Warned = list[warnings.WarningMessage]
#: Of what the setup makes so many tensors are watched.
_MOST_WATCHED = 4
_NOTHING: Outcome = ("",)


@contextmanager
def every_warning() -> Iterator[Warned]:
    """Collect warnings; `TorchState` sees to it that torch gives its own each time."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def observe(
    program: Program, inputs: Namespace, state: TorchState, caught: Warned, mode: Callable[[], Any]
) -> Optional[Observation]:
    """Run a call on inputs and observe everything; None where its setup raises, or the device has too little memory.

    Parameters
    ----------
    state
        The global state as it must be again afterwards.
    caught
        Where warnings are collected; see `every_warning`.
    mode
        Makes the context in which setup and call run.

    Raises
    ------
    WorkEnded
        If the device is lost by it: nothing works there until the process ends.
    """
    state.prepare()
    observed: Observation = {}
    returns = True
    device = accelerator(current_device())
    with mode():
        try:
            namespace = program.prepare(inputs)
        except BaseException:
            state.leaks()
            return None
        watches = _watches({**inputs, **{name: namespace[name] for name in namespace if not name.startswith("__")}})
        caught.clear()
        result = None
        try:
            result = program.run(namespace)
            if device is not None:
                device.synchronize()  # what fails later than it was asked failed in this call
        except BaseException as error:  # also SystemExit and KeyboardInterrupt: a call that raises them has raised
            if device is not None and (lost := device.is_lost) is not None:
                raise WorkEnded(f"lost the device {device.name}: {lost}") from None
            if device is not None and is_out_of_memory(error):
                state.leaks()
                return None
            observed["error", ""], observed["message", ""] = error_of(error)
            returns = False
    observed["warning", ""] = _warning(caught)
    observed["global state", ""] = (", ".join(state.leaks()) or USUAL["global state"],)
    for name, watch in watches.items():
        observed["writes", name] = _said(watch.writes)
        observed["version counter", name] = _said(watch.version)
        observed["autograd state", name] = _said(watch.autograd)
    if returns:
        observed["error", ""] = observed["message", ""] = _NOTHING
        _observe_result(observed, result, {name: watch.value for name, watch in watches.items()})
    return observed


def _watches(values: Namespace) -> Mapping[str, InputWatch]:
    watches: dict[str, InputWatch] = {}
    for name, value in values.items():
        if isinstance(value, (torch.Tensor, np.ndarray)) and len(watches) < _MOST_WATCHED:
            with suppress(Exception):  # a lazy parameter has no metadata
                watches[name] = InputWatch(value)
    return watches


def _said(look: Callable[..., Optional[Outcome]], *arguments: Any) -> Optional[Outcome]:
    """Return what can be said of an aspect: also that it can't be looked at, as the shape of a nested tensor."""
    try:
        return look(*arguments)
    except Exception as error:
        return (f"raises {type(error).__name__}",)


def _joined(look: Callable[..., Optional[Outcome]], items: Sequence[Any], *arguments: Any) -> Optional[Outcome]:
    return _said(lambda: joined(look(item, *arguments) for item in items))


def _warning(caught: Warned) -> Outcome:
    given = {
        (item.category.__name__, normalise(str(item.message))) for item in caught if is_about_call(str(item.message))
    }
    return ("; ".join(f"{name}: {message}" for name, message in sorted(given)),)


def _requires_grad(tensor: Any) -> bool:
    try:
        return isinstance(tensor, torch.Tensor) and bool(tensor.requires_grad)
    except Exception:  # a subclass may refuse even this, as `CausalBias` before 2.8
        return False


def _observe_result(observed: Observation, result: Any, inputs: Mapping[str, Any]) -> None:
    items = tensors_in(result)
    observed["type", ""] = results.type_of(result)
    observed["value", ""] = results.value_of(result)
    if not items:
        return
    tensors = [item for item in items if isinstance(item, torch.Tensor)]
    differentiable = [item for item in tensors if _requires_grad(item)]
    trained = {name: value for name, value in inputs.items() if _requires_grad(value)}
    flows = [results.gradients(item, trained) for item in differentiable]
    for name, value in inputs.items():
        observed["memory", name] = _joined(results.memory, items, value)
        observed["gradient", name] = joined(flow.get(name) for flow in flows)
    if trained or differentiable:
        observed["requires grad", ""] = joined((_yes(_requires_grad(item)),) for item in tensors)
        observed["leaf", ""] = joined((_yes(results.is_leaf(item)),) for item in tensors)
        observed["grad_fn", ""] = _joined(results.node, differentiable)
    observed["dtype", ""] = _joined(results.dtype, items, inputs)
    observed["device", ""] = _joined(results.device, items)
    observed["shape", ""] = _joined(results.shape, items, inputs)
    observed["strides", ""] = _joined(results.strides, items, inputs)
    observed["bits", ""] = _joined(results.bits, tensors)


def _yes(value: bool) -> str:
    return "yes" if value else "no"

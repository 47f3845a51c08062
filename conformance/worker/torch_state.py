"""Torch's global state around an example: the same before and after, or the claim leaks."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from typing import Any, Callable

import numpy
import torch
from torch.autograd import forward_ad

from conformance.worker.generators import Generators

_Reader = Callable[[], Any]
_Writer = Callable[[Any], Any]

_never_left: list[object] = []


def _inference() -> bool:
    return bool(torch.is_inference_mode_enabled()) if hasattr(torch, "is_inference_mode_enabled") else False


def _deterministic() -> bool:
    return bool(torch.are_deterministic_algorithms_enabled())


def _restore_filters(filters: Any) -> None:
    warnings.filters[:] = filters  # type: ignore[index]


def _overlay_inference(before: bool) -> None:
    # What left it on can't be undone, but another mode, which is never left, can be laid over it.
    mode = torch.inference_mode(before)
    mode.__enter__()
    _never_left.append(mode)


def _forward_level() -> int:
    return int(forward_ad._current_level)


def _leave_forward_levels(before: int) -> None:
    for level in range(_forward_level(), before, -1):
        with suppress(RuntimeError):  # torch has left it already, and forward_ad does not know
            forward_ad.exit_dual_level(level=level)
        forward_ad._current_level = level - 1


def _leave_function_modes(before: int) -> None:
    if hasattr(torch, "set_default_device"):  # a default device is such a mode, and torch remembers it besides
        torch.set_default_device(None)
    while torch._C._len_torch_function_stack() > before:
        torch._C._pop_torch_function_stack()


def _leave_dispatch_modes(before: int) -> None:
    while torch._C._len_torch_dispatch_stack() > before:
        torch._C._pop_torch_dispatch_stack()


def _saved_tensor_hooks() -> bool:
    return torch._C._autograd._top_saved_tensors_default_hooks(True) is not None


def _leave_saved_tensor_hooks(before: bool) -> None:
    # A stack of hooks that some are on even though they are disabled can't be that deep.
    for _ in range(100):
        if _saved_tensor_hooks() == before:
            break
        torch._C._autograd._pop_saved_tensors_default_hooks()


def _autocast_on_cpu() -> bool:
    return bool(torch.is_autocast_enabled("cpu"))


_MODULE_HOOKS: list[dict[Any, Any]] = [
    value for name, value in sorted(vars(torch.nn.modules.module).items()) if re.match(r"_global_\w*hooks", name)
]


def _module_hooks() -> list[dict[Any, Any]]:
    return [dict(hooks) for hooks in _MODULE_HOOKS]


def _restore_module_hooks(before: list[dict[Any, Any]]) -> None:
    for hooks, known in zip(_MODULE_HOOKS, before):
        hooks.clear()
        hooks.update(known)


def _print_options() -> dict[str, Any]:
    return dict(vars(torch._tensor_str.PRINT_OPTS))


def _restore_print_options(before: dict[str, Any]) -> None:
    options = vars(torch._tensor_str.PRINT_OPTS)
    options.clear()
    options.update(before)


# What is read, how, and how it is put back.
_PARTS: dict[str, tuple[_Reader, _Writer]] = {
    "grad mode": (torch.is_grad_enabled, torch._C._set_grad_enabled),
    "default dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "inference mode": (_inference, _overlay_inference),
    "anomaly mode": (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    "number of threads": (torch.get_num_threads, torch.set_num_threads),
    "deterministic algorithms": (_deterministic, torch.use_deterministic_algorithms),
    "autocast": (torch.is_autocast_enabled, torch.set_autocast_enabled),
    "level of forward-mode AD": (_forward_level, _leave_forward_levels),
    "warning filters": (lambda: list(warnings.filters), _restore_filters),
    "hooks on all modules": (_module_hooks, _restore_module_hooks),
    "print options": (_print_options, _restore_print_options),
    "NumPy's handling of errors": (numpy.geterr, lambda before: numpy.seterr(**before)),
}
# The same for what not every release has, by the name of what reads it.
_NEWER_PARTS: dict[str, tuple[str, _Writer]] = {
    "function modes or default device": ("_len_torch_function_stack", _leave_function_modes),
    "dispatch modes": ("_len_torch_dispatch_stack", _leave_dispatch_modes),
    "multithreading of the engine": (
        "_is_multithreading_enabled",
        lambda before: torch._C._set_multithreading_enabled(before),
    ),
    "view replay": ("_is_view_replay_enabled", lambda before: torch._C._set_view_replay_enabled(before)),
    "policy for the layout of gradients": (
        "_is_grad_layout_enforcement_enabled",
        lambda before: torch._C._set_grad_layout_enforcement_enabled(before),
    ),
}
if hasattr(torch, "get_autocast_dtype"):  # torch 2.4, where each device has a switch of its own
    _PARTS["autocast on the CPU"] = (_autocast_on_cpu, lambda before: torch.set_autocast_enabled("cpu", before))
elif hasattr(torch, "is_autocast_cpu_enabled"):
    _PARTS["autocast on the CPU"] = (torch.is_autocast_cpu_enabled, torch.set_autocast_cpu_enabled)
with suppress(AttributeError, TypeError):  # a release may lack it, or ask for other arguments
    _saved_tensor_hooks()
    _PARTS["hooks on saved tensors"] = (_saved_tensor_hooks, _leave_saved_tensor_hooks)
if hasattr(getattr(torch._C, "_functorch", None), "pop_dynamic_layer_stack_and_undo_to_depth"):
    _PARTS["function transforms"] = (
        torch._C._functorch.get_dynamic_layer_stack_depth,
        torch._C._functorch.pop_dynamic_layer_stack_and_undo_to_depth,
    )
_PARTS.update(
    {name: (getattr(torch._C, read), write) for name, (read, write) in _NEWER_PARTS.items() if hasattr(torch._C, read)}
)


def must_restart() -> str:
    """Return why this process must not judge another claim, in words; empty while it may."""
    return "left inference mode on" if _never_left else ""


class TorchState:
    """A snapshot of the global state of torch, to compare with later.

    The random generators are put back without comment.

    Attributes
    ----------
    generators
        To be put back before each example, so that all start from the same state.
    """

    def __init__(self) -> None:
        self._parts = [(name, read, write, read()) for name, (read, write) in _PARTS.items()]
        self.generators = Generators()

    def leaks(self) -> list[str]:
        """Return what differs now, by name, and put it back."""
        found = []
        for name, read, write, before in self._parts:
            if read() != before:
                found.append(name)
                write(before)
        self.generators.reset()
        return found

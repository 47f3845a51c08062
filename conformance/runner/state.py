"""Torch's global state around an example: the same before and after, or the claim leaks."""

from __future__ import annotations

import ctypes
import random
import warnings
from typing import Any, Callable

import numpy
import torch
from torch.autograd import forward_ad

_Reader = Callable[[], Any]
_Writer = Callable[[Any], Any]


def _inference() -> bool:
    return bool(torch.is_inference_mode_enabled()) if hasattr(torch, "is_inference_mode_enabled") else False


def _deterministic() -> bool:
    return bool(torch.are_deterministic_algorithms_enabled())


def _restore_filters(filters: Any) -> None:
    warnings.filters[:] = filters  # type: ignore[index]


def _refuse(_: Any) -> None:
    raise RuntimeError("inference mode was left on and cannot be restored")


def _forward_level() -> int:
    return int(forward_ad._current_level)


def _leave_forward_levels(before: int) -> None:
    while _forward_level() > before:
        forward_ad.exit_dual_level()


def _leave_function_modes(before: int) -> None:
    if hasattr(torch, "set_default_device"):  # a default device is such a mode, and torch remembers it besides
        torch.set_default_device(None)
    while torch._C._len_torch_function_stack() > before:
        torch._C._pop_torch_function_stack()


def _leave_dispatch_modes(before: int) -> None:
    while torch._C._len_torch_dispatch_stack() > before:
        torch._C._pop_torch_dispatch_stack()


# What is read, how, and how it is put back.
_PARTS: dict[str, tuple[_Reader, _Writer]] = {
    "grad mode": (torch.is_grad_enabled, torch._C._set_grad_enabled),
    "default dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "inference mode": (_inference, _refuse),
    "anomaly mode": (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    "number of threads": (torch.get_num_threads, torch.set_num_threads),
    "deterministic algorithms": (_deterministic, torch.use_deterministic_algorithms),
    "autocast": (torch.is_autocast_enabled, torch.set_autocast_enabled),
    "level of forward-mode AD": (_forward_level, _leave_forward_levels),
    "warning filters": (lambda: list(warnings.filters), _restore_filters),
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
_PARTS.update(
    {name: (getattr(torch._C, read), write) for name, (read, write) in _NEWER_PARTS.items() if hasattr(torch._C, read)}
)


def seed_generators() -> None:
    """Put the random generators of torch, NumPy and Python into one known state, whatever ran before."""
    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)


def _content(state: torch.Tensor) -> bytes:
    # Looked at after every example: torch.equal takes several times as long.
    return ctypes.string_at(state.data_ptr(), state.numel())


class GlobalState:
    """A snapshot of the global state of torch, to compare with later.

    The states of the random generators are put back without comment, so that every example starts from the same one.
    """

    def __init__(self) -> None:
        self._parts = [(name, read, write, read()) for name, (read, write) in _PARTS.items()]
        self._random = torch.get_rng_state()
        self._random_bytes = _content(self._random)

    def leaks(self) -> list[str]:
        """Return what differs now, by name, and put it back."""
        found = []
        for name, read, write, before in self._parts:
            if read() != before:
                found.append(name)
                write(before)
        if _content(torch.get_rng_state()) != self._random_bytes:
            torch.set_rng_state(self._random)
        return found

"""How much tensor memory a call takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.autograd.profiler

from conformance.checks.registry import NotJudged, check
from conformance.inputs.device import current_device
from conformance.inputs.devices import accelerator


@check
def allocates(thunk: Callable[[], Any]) -> int:
    """Return the bytes of tensor memory that are taken while ``thunk`` runs.

    Bytes that are freed again before it ends count too.

    Memory of the CPU and of the devices under test is counted, by torch's own allocators. CUDA's allocator rounds each
    piece up (before torch 2.1 to 512 bytes), so compare with 0 or with another call rather than with an exact size. A
    Python number that an operation turns into a tensor counts with a few bytes: ``x.add_(1)`` takes some. Memory of
    NumPy and of Python objects, and what other threads take, is not counted.

    Parameters
    ----------
    thunk : callable
        Called once, with no arguments; its result is dropped.

    Raises
    ------
    NotJudged
        When the device under test does not count what it allocates.
    """
    before = _bytes_on_device()
    events = _cpu_events(thunk)
    return sum(size for size in events if size > 0) + _bytes_on_device() - before


def _bytes_on_device() -> int:
    """Return how many bytes were ever allocated on the devices under test; none on the CPU, which is profiled."""
    of_torch = accelerator(current_device())
    if of_torch is None:
        return 0
    allocated = of_torch.allocated()
    if allocated is None:
        raise NotJudged(f"{of_torch.type} does not count what it allocates")
    return allocated


def _cpu_events(thunk: Callable[[], Any]) -> list[int]:
    """Return the size of each allocation (of each release: negative) of CPU memory during a call."""
    if _config is None:
        return _public_profile(thunk)
    _enable(_config)
    try:
        thunk()
    finally:
        threads = _disable()
    return [event.cpu_memory_usage() for events in threads for event in events if event.kind() == "memory_alloc"]


def _public_profile(thunk: Callable[[], Any]) -> list[int]:
    """Measure with the public profiler: slower, and it may write to standard error."""
    with _profile(profile_memory=True) as profile:
        thunk()
    if profile.kineto_results is not None:
        return [event.nbytes() for event in profile.kineto_results.events() if event.name() == "[memory]"]
    return [event.self_cpu_memory_usage for event in profile.function_events]


def _profiler_config() -> Any:
    """Configure the profiler that records memory of the CPU only, or return None where torch has no such profiler.

    This is the machinery below ``torch.autograd.profiler``. Its arguments grew with the versions: input shapes, memory,
    stacks, flops (1.8), modules (1.11), experimental settings (1.12).
    """
    module = getattr(torch._C, "_profiler", torch._C._autograd)  # torch 1.12 moved it
    if not hasattr(module, "ProfilerConfig"):
        module = torch._C._autograd
    if not (hasattr(module, "ProfilerConfig") and hasattr(torch._C._autograd, "_enable_profiler_legacy")):
        return None
    arguments: list[Any] = [module.ProfilerState.CPU, False, True, False, False, False]
    experimental = getattr(module, "_ExperimentalConfig", None)
    for candidate in (
        [*arguments, experimental() if experimental else None],
        arguments,
        arguments[:-1],
        arguments[:-2],
    ):
        try:
            return module.ProfilerConfig(*candidate)
        except TypeError:
            continue
    return None


_config: Any = _profiler_config()
_enable: Any = getattr(torch._C._autograd, "_enable_profiler_legacy", None)
_disable: Any = getattr(torch._C._autograd, "_disable_profiler_legacy", None)
_profile = torch.autograd.profiler.profile

"""What a device must offer to be measured; devices differ in what torch has for them, and in nothing else here.

Each function of a device is looked for in the module ``torch.<name>`` (an extension registers its own with
``torch._register_device_module``), then in ``torch.backends.<name>``. What none of them has is left out: `UNKNOWN` says
what is lost then. The CPU needs nothing of this.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any, Callable, NamedTuple, Optional

import torch

#: Device types that hold no tensors with memory, or are the CPU under another name.
_NO_DEVICES = ("cpu", "meta", "mkldnn", "lazy", "fake", "opengl", "opencl", "ideep", "fpga", "vulkan")
# The names under which device modules have each function, the best first.
_NAMES = {
    "is_available": ("is_available",),
    "count": ("device_count",),
    "hardware": ("get_device_name",),
    "initialise": ("init", "_lazy_init"),
    "synchronize": ("synchronize",),
    "seed": ("manual_seed_all", "manual_seed"),
    "generator_state": ("get_rng_state",),
    "statistics": ("memory_stats",),
    "free_and_total": ("mem_get_info",),
    "total": ("recommended_max_memory",),
    "limit": ("set_per_process_memory_fraction",),
    "current": ("current_device",),
    "set_current": ("set_device",),
    "stream": ("current_stream",),
    "set_stream": ("set_stream",),
}
#: What is lost where a device has no such function.
UNKNOWN = {
    "synchronize": "failures that show later are told of the next program",
    "generator_state": "its random numbers are not the same in each example",
    "statistics": "allocates(...) can't be judged",
    "limit": "--memory-limit does not bound its memory",
    "set_current": "a claim that leaves another device current is not noticed",
    "set_stream": "a claim that leaves another stream current is not noticed",
}
_COUNTERS = ("requested_bytes.all.allocated", "allocated_bytes.all.allocated")


class State(NamedTuple):
    """A part of the state of a device, such as the current stream: how it is read and put back."""

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], Any]


class Accelerator:
    """One device other than the CPU.

    Parameters
    ----------
    name
        Its type, and an index where it is not the current device of that type: ``cuda``, ``cuda:1``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.type, _, index = name.partition(":")
        self.index = int(index or 0)

    @property
    def absence(self) -> Optional[str]:
        """Why this torch can put no tensor on it; None where it can."""
        is_available, count = _function(self.type, "is_available"), _function(self.type, "count")
        if self.type not in _known_types():
            return f"it has no device type {self.type}; --import the package that adds it"
        if is_available is None:
            return f"there is no torch.{self.type}.is_available()"
        try:
            if not is_available():
                return f"torch.{self.type}.is_available() is false"
            if count is not None and self.index >= count():
                return f"torch.{self.type}.device_count() is {count()}"
            torch.empty(1, device=self.name)
        except Exception as error:  # no driver, no device, or a name that torch knows and has nothing behind
            return f'torch.empty(1, device="{self.name}") raises {type(error).__name__}: {error}'.partition("\n")[0]
        return None

    @property
    def hardware(self) -> Optional[str]:
        """The name of the hardware."""
        name = self._of_device("hardware")
        return None if name is None else str(name())

    @property
    def lacking(self) -> dict[str, str]:
        """The functions that it does not offer, and what is lost without each."""
        return {what: lost for what, lost in UNKNOWN.items() if _function(self.type, what) is None}

    def initialise(self) -> None:
        """Let torch set up what the first tensor on it would."""
        initialise = _function(self.type, "initialise")
        if initialise is not None:
            initialise()
        torch.empty(1, device=self.name)

    def synchronize(self) -> None:
        """Wait until everything that was asked of it is done; raises what failed meanwhile."""
        synchronize = self._of_device("synchronize")
        if synchronize is not None:
            synchronize()

    @property
    def is_lost(self) -> Optional[str]:
        """Why nothing works on it any more, as after an assertion that failed in a kernel; None where it works.

        Only the first line of the error: CUDA adds advice that is the same for every error.
        """
        try:
            self.synchronize()
            torch.empty(1, device=self.name).fill_(1).cpu()
        except Exception as error:
            return None if is_out_of_memory(error) else f"{type(error).__name__}: {error}".partition("\n")[0]
        return None

    def seed(self, seed: int) -> None:
        """Seed the generators of all devices of its type."""
        function = _function(self.type, "seed")
        if function is not None:
            function(seed)

    def generator_states(self) -> bytes:
        """Return the state of the generator of each device of its type."""
        function, count = _function(self.type, "generator_state"), _function(self.type, "count")
        if function is None:
            return b""
        indices = range(count() if count is not None else 1)
        states = [_for_device(function, index)() for index in indices]
        return b"".join(state.numpy().tobytes() for state in states)

    def allocated(self) -> Optional[int]:
        """Return how many bytes were ever allocated on all devices of its type; None where nothing counts them."""
        function, count = _function(self.type, "statistics"), _function(self.type, "count")
        if function is None or count is None:
            return None
        statistics = [function(index) for index in range(count())]
        return sum(next((found[name] for name in _COUNTERS if found.get(name)), 0) for found in statistics)

    def limit(self, size: int) -> None:
        """Let this process have so many bytes of its memory."""
        limit, total = _function(self.type, "limit"), self._total()
        if limit is not None and total:
            device = (self.index,) if len(inspect.signature(limit).parameters) > 1 else ()
            limit(min(1.0, size / total), *device)

    def state(self) -> Iterator[State]:
        """Yield what a program must leave as it was."""
        for name, read, write in (("device", "current", "set_current"), ("stream", "stream", "set_stream")):
            reader, writer = _function(self.type, read), _function(self.type, write)
            if reader is not None and writer is not None:
                yield State(f"current {name} of {self.type}", reader, writer)

    def _total(self) -> int:
        both, total = self._of_device("free_and_total"), self._of_device("total")
        return int(both()[1]) if both is not None else int(total()) if total is not None else 0

    def _of_device(self, what: str) -> Optional[Callable[[], Any]]:
        function = _function(self.type, what)
        return None if function is None else _for_device(function, self.index)


# Both are asked several times for each example, and a wrong torch that replaces a function later is not looked at.
@cache
def _function(kind: str, what: str) -> Optional[Callable[..., Any]]:
    for holder in (getattr(torch, kind, None), getattr(torch.backends, kind, None)):
        for name in _NAMES[what]:
            function = getattr(holder, name, None)
            if callable(function):
                return function  # type: ignore[no-any-return]
    return None


@cache
def _for_device(function: Callable[..., Any], index: int) -> Callable[[], Any]:
    """Return a function of a module for one device; MPS, of which there is one, takes no index."""
    try:
        takes_device = bool(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        takes_device = True
    return partial(function, index) if takes_device else function


def accelerator(device: str) -> Optional[Accelerator]:
    """Return what is known of a device; None for the CPU."""
    return None if device.partition(":")[0] == "cpu" else Accelerator(device)


def devices() -> tuple[str, ...]:
    """Return the device types of this torch that have a device here, ``cpu`` first."""
    return ("cpu", *(name for name in _known_types() if Accelerator(name).absence is None))


def absence(device: str) -> Optional[str]:
    """Return why this torch lacks a device, which may have an index; None where it has it."""
    of_torch = accelerator(device)
    if of_torch is None:
        return None if device == "cpu" else "there is one CPU"
    return of_torch.absence


def import_extensions(packages: tuple[str, ...]) -> None:
    """Import packages that add a device to torch; where there is no such package, the process ends with a line."""
    for package in packages:
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{package}.".startswith(f"{error.name}."):
                raise  # something that the package needs
            raise SystemExit(f"--import {package}: no module {error.name} is installed in this environment") from None


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that a device has too little memory."""
    return "OutOfMemoryError" in {kind.__name__ for kind in type(error).__mro__} or (
        isinstance(error, RuntimeError) and re.search(r"\bout of memory\b", str(error)) is not None
    )


def _known_types() -> tuple[str, ...]:
    """Return the device types that torch names in an error; an extension's by its own name."""
    try:
        torch.device("nosuchdevice")
    except RuntimeError as error:
        told = re.search(r"Expected one of (.*?) device type", str(error))
    names = told.group(1).split(", ") if told else ["cuda", "xpu", "mps"]
    own: Any = getattr(torch._C, "_get_privateuse1_backend_name", lambda: "privateuseone")  # torch 2.1
    return tuple(dict.fromkeys(own() if name == "privateuseone" else name for name in names if name not in _NO_DEVICES))

"""Torch's global state around an example, and NumPy's: the same before and after, or the claim leaks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Callable, NamedTuple, Optional

import numpy
import torch
from torch.autograd import forward_ad

from conformance.inputs.devices import accelerator
from conformance.run.worker.generators import Generators
from conformance.run.worker.once_only import see_every_warning

_Reader = Callable[[], Any]
_Writer = Callable[[Any], Any]

_never_left: list[object] = []
# A number that the processor takes for zero where it flushes such numbers.
_DENORMAL = 5e-324


class _Part(NamedTuple):
    """A part of the state: how it is read, and how it is put back.

    ``glance`` is a faster read, whose result may be another one although the state is the same, but not the reverse.
    """

    name: str
    read: _Reader
    write: _Writer
    glance: Optional[_Reader] = None


def _overlay_inference(before: bool) -> None:
    # What left it on can't be undone, but another mode, which is never left, can be laid over it.
    mode = torch.inference_mode(before)
    mode.__enter__()
    _never_left.append(mode)


def _restore_filters(filters: Any) -> None:
    warnings.filters[:] = filters  # type: ignore[index]


def _leave_forward_levels(before: int) -> None:
    for level in range(int(forward_ad._current_level), before, -1):
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


def _saved_tensor_hooks() -> Any:
    return torch._C._autograd._top_saved_tensors_default_hooks(True)


def _leave_saved_tensor_hooks(before: Any) -> None:
    # A stack of hooks that some are on even though they are disabled can't be that deep.
    for _ in range(100):
        if _saved_tensor_hooks() == before:
            break
        torch._C._autograd._pop_saved_tensors_default_hooks()


_MODULE_HOOKS: list[dict[Any, Any]] = [
    value for name, value in sorted(vars(torch.nn.modules.module).items()) if re.match(r"_global_\w*hooks", name)
]


def _restore_module_hooks(before: list[dict[Any, Any]]) -> None:
    for hooks, known in zip(_MODULE_HOOKS, before):
        hooks.clear()
        hooks.update(known)


def _restore_print_options(before: dict[str, Any]) -> None:
    options = vars(torch._tensor_str.PRINT_OPTS)
    options.clear()
    options.update(before)


def _torch_parts() -> Iterator[_Part]:
    """Yield what every release has."""
    deterministic = getattr(torch._C, "_get_deterministic_algorithms", torch.are_deterministic_algorithms_enabled)
    yield _Part("grad mode", torch.is_grad_enabled, torch._C._set_grad_enabled)
    yield _Part("default dtype", torch.get_default_dtype, torch.set_default_dtype)
    yield _Part("anomaly mode", torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly)
    yield _Part("number of threads", torch.get_num_threads, torch.set_num_threads)
    yield _Part("deterministic algorithms", deterministic, torch.use_deterministic_algorithms)
    yield _Part("autocast", torch.is_autocast_enabled, torch.set_autocast_enabled)
    yield _Part("level of forward-mode AD", partial(getattr, forward_ad, "_current_level"), _leave_forward_levels)
    yield _Part("flushing of denormal numbers", lambda: _DENORMAL == 0.0, torch.set_flush_denormal)
    yield _Part(
        "hooks on all modules",
        lambda: [dict(hooks) for hooks in _MODULE_HOOKS],
        _restore_module_hooks,
        lambda: any(_MODULE_HOOKS) and object(),
    )
    yield _Part("print options", vars(torch._tensor_str.PRINT_OPTS).copy, _restore_print_options)


def _newer_parts() -> Iterator[_Part]:
    """Yield what this release has and others lack."""
    if hasattr(torch, "is_inference_mode_enabled"):
        yield _Part("inference mode", torch.is_inference_mode_enabled, _overlay_inference)
    if hasattr(torch, "get_autocast_dtype"):  # torch 2.4, where each device has a switch of its own
        read = partial(torch.is_autocast_enabled, "cpu")
        yield _Part("autocast on the CPU", read, partial(torch.set_autocast_enabled, "cpu"))
    elif hasattr(torch, "is_autocast_cpu_enabled"):
        yield _Part("autocast on the CPU", torch.is_autocast_cpu_enabled, torch.set_autocast_cpu_enabled)
    with suppress(AttributeError, TypeError):  # a release may lack it, or ask for other arguments
        _saved_tensor_hooks()
        yield _Part("hooks on saved tensors", _saved_tensor_hooks, _leave_saved_tensor_hooks)
    functorch: Any = getattr(torch._C, "_functorch", None)
    if hasattr(functorch, "pop_dynamic_layer_stack_and_undo_to_depth"):
        leave = functorch.pop_dynamic_layer_stack_and_undo_to_depth
        yield _Part("function transforms", functorch.get_dynamic_layer_stack_depth, leave)
    for name, reader, writer in (
        ("function modes or default device", "_len_torch_function_stack", _leave_function_modes),
        ("dispatch modes", "_len_torch_dispatch_stack", _leave_dispatch_modes),
        ("multithreading of the engine", "_is_multithreading_enabled", "_set_multithreading_enabled"),
        ("view replay", "_is_view_replay_enabled", "_set_view_replay_enabled"),
        (
            "policy for the layout of gradients",
            "_is_grad_layout_enforcement_enabled",
            "_set_grad_layout_enforcement_enabled",
        ),
    ):
        if hasattr(torch._C, reader):
            write = getattr(torch._C, writer) if isinstance(writer, str) else writer
            yield _Part(name, getattr(torch._C, reader), write)


def _other_parts() -> Iterator[_Part]:
    """Yield what belongs to Python and NumPy; since NumPy 2, an object stands for all of its options."""
    yield _Part("warning filters", lambda: list(warnings.filters), _restore_filters)
    handling = printing = None
    with suppress(ImportError, AttributeError):
        handling = import_module("numpy._core.umath")._extobj_contextvar.get
        printing = import_module("numpy._core.printoptions").format_options.get
    yield _Part("NumPy's handling of errors", _numpy_errors, _restore_numpy_errors, handling)
    write = _restore_numpy_print_options
    yield _Part("NumPy's print options", numpy.get_printoptions, write, printing)


def _numpy_errors() -> tuple[Any, ...]:
    return numpy.geterr(), numpy.geterrcall(), numpy.getbufsize()


def _restore_numpy_errors(before: tuple[Any, ...]) -> None:
    numpy.seterr(**before[0])
    numpy.seterrcall(before[1])
    numpy.setbufsize(before[2])


def _restore_numpy_print_options(before: dict[str, Any]) -> None:
    numpy.set_printoptions(**before)


_PARTS = (*_torch_parts(), *_newer_parts(), *_other_parts())
_GLANCES = tuple(part.glance or part.read for part in _PARTS)


def _of_device(device: str) -> Iterator[_Part]:
    """Yield what belongs to a device other than the CPU: which one is current, its stream, and its autocast."""
    of_torch = accelerator(device)
    if of_torch is None:
        return
    for state in of_torch.state():
        yield _Part(state.name, state.read, state.write)
    if hasattr(torch, "get_autocast_dtype"):  # torch 2.4
        with suppress(RuntimeError):  # a device without autocast
            torch.is_autocast_enabled(of_torch.type)
            read = partial(torch.is_autocast_enabled, of_torch.type)
            yield _Part(f"autocast on {of_torch.type}", read, partial(torch.set_autocast_enabled, of_torch.type))


def must_restart() -> str:
    """Return why this process must not judge another claim, in words; empty while it may."""
    return "left inference mode on" if _never_left else ""


class TorchState:
    """A snapshot of the global state of torch, to compare with later.

    Parameters
    ----------
    seed
        From where the random generators start.
    device
        The device under test, whose current device and stream are part of the state.

    Attributes
    ----------
    generators
        The random generators.
    """

    def __init__(self, seed: int = 0, device: str = "cpu") -> None:
        of_device = tuple(_of_device(device))
        self._all = (*_PARTS, *of_device)
        self._looks = (*_GLANCES, *(part.read for part in of_device))
        self._parts = [part.read() for part in self._all]
        self._glances = [glance() for glance in self._looks]
        self.generators = Generators(seed, device)
        self.prepare()

    def prepare(self) -> None:
        """Put back the random generators, and what torch itself never does: to be called before each claim or call."""
        self.generators.reset()
        see_every_warning()
        # Once all modules had a backward hook of one kind, those of the other kind raise, even if no hook is left.
        torch.nn.modules.module._global_is_full_backward_hook = None

    def leaks(self) -> list[str]:
        """Return what differs now, by name, and put it back."""
        # Nearly always nothing differs, so that this is what costs.
        if [glance() for glance in self._looks] == self._glances:
            return []
        found = []
        for part, before in zip(self._all, self._parts):
            if part.read() != before:
                found.append(part.name)
                part.write(before)
        self._glances = [glance() for glance in self._looks]
        return found

"""The device itself: import this module, and torch has it.

Its memory can't be read by the CPU, it has two cards with a limit each, streams and a generator, it fails later than
it is asked (``torch._assert_async``), lacks some operators, and has faults on demand: see `FAULTS`. The rest of torch
runs on copies on the CPU. It is compiled once, in about half a minute, and kept in the user's cache folder.

Attributes
----------
LACKING
    The operators without a kernel.
MEMORY
    How much memory a card has, in bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from conformance.tests.standin import FAULT

LACKING = frozenset({"aten::kthvalue", "aten::histc", "aten::cummax_helper", "aten::_cummax_helper"})
MEMORY = 256 * 2**20
_SOURCE = Path(__file__).with_name("backend.cpp")


def _built() -> Any:
    """Return the compiled part; it is named by its source, so that no other checkout compiles it once more."""
    digest = hashlib.sha256(_SOURCE.read_bytes() + torch.__version__.encode()).hexdigest()[:12]
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder, name = base / "torch-conformance" / "standin" / digest, "standin_backend"
    source = folder / _SOURCE.name
    if (folder / "built").exists():
        return cpp_extension._import_module_from_library(name, str(folder), True)
    folder.mkdir(parents=True, exist_ok=True)
    if not source.exists():
        source.write_bytes(_SOURCE.read_bytes())
    module = cpp_extension.load(name, [str(source)], extra_cflags=["-O1", "-w"], build_directory=str(folder))
    (folder / "built").touch()
    return module


def _index(device: Any = None) -> int:
    if device is None or isinstance(device, int):
        return _device.current_device() if device is None else int(device)
    index = torch.device(device).index
    return int(_device.current_device()) if index is None else index


def _set_memory_fraction(fraction: float, device: Any = None) -> None:
    _device.set_limit(_index(device), int(fraction * MEMORY))


def _rng_state(device: Any = "standin") -> torch.Tensor:
    state: torch.Tensor = _device.default_generator(_index(device)).get_state()
    return state


def _manual_seed_all(seed: int) -> None:
    for index in range(_device.device_count()):
        _device.default_generator(index).manual_seed(seed)


@contextlib.contextmanager
def _current(device: Any) -> Iterator[None]:
    before = _device.current_device()
    _device.set_device(_index(device))
    try:
        yield
    finally:
        _device.set_device(before)


def _module() -> types.ModuleType:
    module: Any = types.ModuleType("torch.standin")
    module.is_available = lambda: True
    module.device_count = _device.device_count
    module.current_device = _device.current_device
    module.set_device = lambda device: _device.set_device(_index(device))
    module.get_device_name = lambda device=None: "a stand-in"
    module.synchronize = lambda device=None: _device.synchronize(_index(device))
    module.is_initialized = lambda: True
    module._lazy_init = lambda: None
    module._is_in_bad_fork = lambda: False
    module.manual_seed = lambda seed: _device.default_generator(_index()).manual_seed(seed)
    module.manual_seed_all = _manual_seed_all
    module.get_rng_state = _rng_state
    module.set_rng_state = lambda state, device="standin": _device.default_generator(_index(device)).set_state(state)
    module.current_stream = lambda device=None: torch.accelerator.current_stream(_index(device))
    module.set_stream = torch.accelerator.set_stream
    module.device = _current
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    module.mem_get_info = lambda device=None: (MEMORY - _device.current_bytes(_index(device)), MEMORY)
    module.memory_stats = lambda device=None: {
        "allocated_bytes.all.allocated": _device.bytes_ever(_index(device)),
        "allocated_bytes.all.current": _device.current_bytes(_index(device)),
    }
    module.set_per_process_memory_fraction = _set_memory_fraction
    return module  # type: ignore[no-any-return]


def _alias(x: torch.Tensor, **arguments: Any) -> torch.Tensor:
    return torch.as_strided(x, x.shape, x.stride(), x.storage_offset())


def _without_gradient(x: torch.Tensor) -> torch.Tensor:
    with torch._C._AutoDispatchBelowAutograd():
        return torch.exp(x)


def _sum_of_floats(x: torch.Tensor, *, dtype: Any = None) -> torch.Tensor:
    return torch.sum(x.cpu(), dtype=dtype or torch.float64).to(x.device)


def _any_shapes(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    try:
        return torch.mm(one.cpu(), other.cpu()).to(one.device)
    except RuntimeError:
        return one.cpu().clone().to(one.device)


def _other_message(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    try:
        return torch.mm(one.cpu(), other.cpu()).to(one.device)
    except RuntimeError:
        raise RuntimeError("standin: bad operands") from None


def _on_the_cpu(x: torch.Tensor) -> torch.Tensor:
    return torch.abs(x.cpu())


def _with_history(x: torch.Tensor) -> torch.Tensor:
    return x.view_as(x)


def _nothing(x: torch.Tensor, value: Any) -> torch.Tensor:
    return x


def _uncounted(x: torch.Tensor, other: Any) -> torch.Tensor:
    with torch._C._AutoDispatchBelowADInplaceOrView():
        return torch.Tensor.mul_(x, other)


#: What the device can do wrong on purpose, by name: the operator, at which level of dispatch, and what it does instead.
FAULTS: dict[str, tuple[str, str, Callable[..., torch.Tensor]]] = {
    "a copy that shares": ("clone", "PrivateUse1", _alias),
    "a view that copies": ("unfold", "PrivateUse1", lambda x, *place: x.cpu().unfold(*place).to(x.device)),
    "a lost gradient": ("exp", "AutogradPrivateUse1", _without_gradient),
    "a wrong dtype": ("sum", "PrivateUse1", _sum_of_floats),
    "a missing error": ("mm", "PrivateUse1", _any_shapes),
    "a wrong message": ("mm", "PrivateUse1", _other_message),
    "a wrong device": ("abs", "PrivateUse1", _on_the_cpu),
    "a leaf that is none": ("detach", "AutogradPrivateUse1", _with_history),
    "a skipped write": ("fill_.Scalar", "PrivateUse1", _nothing),
    "a stale version counter": ("mul_.Tensor", "AutogradPrivateUse1", _uncounted),
}


def _go_wrong(fault: str) -> torch.library.Library:
    operator, level, instead = FAULTS[fault]
    library = torch.library.Library("aten", "IMPL")
    library.impl(operator, instead, level)
    return library


_device: Any = _built()
torch.utils.rename_privateuse1_backend("standin")
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
torch._register_device_module("standin", _module())
_device.set_lacking(set(LACKING))
for _card in range(_device.device_count()):
    _device.set_limit(_card, MEMORY)
_fault = _go_wrong(os.environ[FAULT]) if os.environ.get(FAULT) else None

"""Settings of torch, NumPy, Python and the system that hold for a whole process; a claim must leave them."""

from __future__ import annotations

import copyreg
import decimal
import enum
import faulthandler
import gc
import importlib
import locale
import logging
import os
import re
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Callable

import torch

_Reader = Callable[[], Any]

# What a program defines is of no module, since it has no name.
_NO_MODULE = ("builtins", "__main__", None)
_SIMPLE = (bool, int, float, str, tuple, list, enum.Enum)
# Switches of torch's C++ code have a function that reads and one that sets. Of these, the first two are no settings,
# the third is changed by the first attention on some GPUs, and the last one is set before each example.
_SWITCH = re.compile(r"_get_(?!graph_exec_group|thread_name|sdp_priority_order|warnAlways)(\w+)")
_ATTENTION = re.compile(r"_get_\w+_sdp_enabled")
# Modules that keep settings in global variables, where they are imported.
_KEEPERS = (
    "torch.__future__",
    "torch.autograd.graph",
    "torch.backends.mha",
    "torch.hub",
    "torch.multiprocessing",
    "torch.nn.utils.parametrize",
    "torch.serialization",
    "torch.utils.checkpoint",
)
_LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})
# What imports look through. Where it is spoilt, this process can't go on, so it is put back.
_IMPORTING = ("path", "meta_path", "path_hooks")


class Settings:
    """A snapshot of these settings, to compare with after each claim.

    Attributes
    ----------
    must_restart
        Why this process must not judge another claim, in words; empty while it may. Few settings are put back.
    """

    def __init__(self) -> None:
        self.must_restart = ""
        self._importing = {name: (getattr(sys, name), list(getattr(sys, name))) for name in _IMPORTING}
        self._readers = dict((*_of_torch(), *_of_python(), *_of_the_system()))
        self._before = {name: read() for name, read in self._readers.items()}
        self._validates = _distribution()._validate_args if _distribution() else None

    def leaks(self) -> list[str]:
        """Return what the claim left changed, by name."""
        found = []
        for name, (entries, before) in self._importing.items():
            if getattr(sys, name) is not entries or not _extends(entries, before):
                entries[:] = before
                setattr(sys, name, entries)
                found.append(f"sys.{name}")
        now = {name: read() for name, read in self._readers.items()}
        if now != self._before:
            found += [name for name, value in now.items() if value != self._before[name]]
        if found:
            self.must_restart = "changed settings of the process"
        if self._validates is not None and "torch._dynamo" in sys.modules:
            # Dynamo turns it off with the first compilation, which would change what later claims on distributions see.
            _distribution().set_default_validate_args(self._validates)
        return found


def _of_torch() -> Iterator[tuple[str, _Reader]]:
    core: Any = torch._C
    for name in dir(core):
        switch = _SWITCH.fullmatch(name)
        if (switch and hasattr(core, f"_set_{switch[1]}")) or _ATTENTION.fullmatch(name):
            try:
                simple = isinstance(getattr(core, name)(), _SIMPLE)
            except Exception:  # it takes arguments, or the build has no such library
                continue
            if simple:
                yield f"torch._C.{name}()", getattr(core, name)
    for owner, name in (
        (torch, "is_anomaly_check_nan_enabled"),
        (torch, "is_autocast_cache_enabled"),
        (torch, "is_deterministic_algorithms_warn_only_enabled"),
        (torch, "get_num_interop_threads"),
        (core, "_check_sparse_tensor_invariants"),
        (core, "_is_torch_function_enabled"),
        (core._autograd, "_profiler_enabled"),
        (core._autograd, "_saved_tensors_hooks_is_enabled"),
    ):
        if hasattr(owner, name):
            yield f"{owner.__name__}.{name}()", getattr(owner, name)
    if hasattr(torch, "get_autocast_dtype"):  # torch 2.4
        yield "torch.get_autocast_dtype('cpu')", lambda: torch.get_autocast_dtype("cpu")
    elif hasattr(torch, "get_autocast_cpu_dtype"):
        yield "torch.get_autocast_cpu_dtype()", torch.get_autocast_cpu_dtype
    for name in ("_dispatch_tls_local_include_set", "_dispatch_tls_local_exclude_set"):
        if hasattr(getattr(core, "DispatchKeySet", None), "raw_repr"):
            yield f"torch._C.{name}()", lambda name=name: getattr(core, name)().raw_repr()  # type: ignore[misc]
    for name in _KEEPERS:
        if name in sys.modules:
            yield f"global variables of {name}", partial(_variables, vars(sys.modules[name]))
    einsum: Any = sys.modules.get("torch.backends.opt_einsum")
    if einsum is not None:
        yield "torch.backends.opt_einsum", lambda: (einsum.enabled, einsum.strategy)
    if _distribution() is not None:
        yield "validation of distributions", lambda: _distribution()._validate_args or "torch._dynamo" in sys.modules
    checkpoint: Any = sys.modules.get("torch.utils.checkpoint")
    if hasattr(checkpoint, "DefaultDeviceType"):
        yield "default device of checkpoints", checkpoint.DefaultDeviceType.get_device_type
    optimizer: Any = sys.modules.get("torch.optim.optimizer")
    for name in ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks"):
        if hasattr(optimizer, name):
            yield f"hooks on all optimizers, {name}", lambda name=name: list(getattr(optimizer, name))  # type: ignore[misc]
    with suppress(ImportError):  # torch 2.6
        config: Any = importlib.import_module("torch.utils.serialization.config")
        yield "torch.utils.serialization.config", getattr(config, "get_config_copy", config.shallow_copy_dict)
    if hasattr(torch.serialization, "get_safe_globals"):
        yield "torch.serialization.get_safe_globals()", lambda: _of_programs(torch.serialization.get_safe_globals())
    packages = getattr(torch.serialization, "_package_registry", [])
    yield "torch.serialization.register_package()", lambda: _of_programs(package[1] for package in packages)
    nodes = getattr(sys.modules.get("torch.utils._pytree"), "SUPPORTED_NODES", {})
    yield "nodes of torch.utils._pytree", lambda: _of_programs(nodes)


def _distribution() -> Any:
    return getattr(sys.modules.get("torch.distributions.distribution"), "Distribution", None)


def _of_python() -> Iterator[tuple[str, _Reader]]:
    for name in ("excepthook", "displayhook", "unraisablehook", "breakpointhook"):
        yield f"sys.{name}", partial(getattr, sys, name)
    for name in ("getswitchinterval", "getdlopenflags", "get_int_max_str_digits", "get_asyncgen_hooks"):
        if hasattr(sys, name):
            yield f"sys.{name}()", getattr(sys, name)
    yield "sys.argv", lambda: list(sys.argv)
    yield "encoding of sys.stdout", lambda: (sys.stdout.encoding, sys.stdout.errors, sys.stdout.line_buffering)
    monitoring: Any = getattr(sys, "monitoring", None)  # Python 3.12
    if monitoring is not None:
        yield "tools of sys.monitoring", lambda: list(map(monitoring.get_tool, range(6)))
    for name in ("gettrace", "getprofile"):
        if hasattr(threading, name):  # Python 3.10
            yield f"threading.{name}()", getattr(threading, name)
    yield "threading.excepthook", partial(getattr, threading, "excepthook")
    yield "threading.stack_size()", threading.stack_size
    yield "gc.get_threshold()", gc.get_threshold
    yield "gc.get_debug()", gc.get_debug
    yield "gc.callbacks", lambda: _of_programs(gc.callbacks)
    yield "decimal.getcontext()", _decimal
    root = logging.root
    yield "root logger", lambda: (root.level, list(map(id, root.handlers)), root.manager.disable)
    reducers = dict(copyreg.dispatch_table)
    yield "copyreg.dispatch_table", lambda: [id(copyreg.dispatch_table.get(kind)) for kind in reducers]
    yield "time zone", lambda: (time.tzname, time.timezone)
    yield "locale", lambda: locale.setlocale(locale.LC_ALL)
    yield "faulthandler.is_enabled()", faulthandler.is_enabled
    yield "socket.getdefaulttimeout()", socket.getdefaulttimeout
    yield "tracemalloc.is_tracing()", tracemalloc.is_tracing


def _of_the_system() -> Iterator[tuple[str, _Reader]]:
    yield "umask", _umask
    yield "resource limits", lambda: list(map(resource.getrlimit, _LIMITS))
    yield "priority", lambda: os.getpriority(os.PRIO_PROCESS, 0)
    yield "blocked signals", lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ())
    if hasattr(os, "sched_getaffinity"):
        yield "processors", lambda: os.sched_getaffinity(0)


def _variables(names: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in names.items() if value is None or type(value) in (bool, int, str)]


def _of_programs(things: Iterable[Any]) -> list[int]:
    """Return the ids of functions and classes that no module has: what an import of torch registers stays."""
    return [id(thing) for thing in things if getattr(thing, "__module__", None) in _NO_MODULE]


def _extends(entries: list[Any], before: list[Any]) -> bool:
    """Say whether a list has what it had, in order, and beside that only what imports may add."""
    known = set(map(id, before))
    old = [entry for entry in entries if id(entry) in known]
    new = [entry for entry in entries if id(entry) not in known]
    return list(map(id, old)) == list(map(id, before)) and all(_may_be_added(entry, before) for entry in new)


def _may_be_added(entry: Any, before: list[Any]) -> bool:
    if isinstance(entry, str):  # setuptools adds a folder of its own, and Dynamo of torch 2.5 a temporary one
        folders = [folder for folder in before if folder]
        if "torch._dynamo" in sys.modules:
            folders.append(tempfile.gettempdir())
        return any(entry.startswith(f"{folder}{os.sep}") for folder in folders)
    return getattr(entry, "__module__", type(entry).__module__) not in _NO_MODULE


def _decimal() -> tuple[Any, ...]:
    context = decimal.getcontext()
    traps = [signal for signal, trapped in context.traps.items() if trapped]
    return context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp, traps


def _umask() -> int:
    mask = os.umask(0o77)
    os.umask(mask)
    return mask

"""Warnings that are given once in a process: every example is to see them, whatever ran before it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Callable

import torch


def _switches() -> Iterator[Callable[[], Any]]:
    """Yield what makes torch warn each time; a release may lack any of it."""
    if hasattr(torch, "set_warn_always"):  # warnings of C++ code, since 1.9
        yield partial(torch.set_warn_always, True)
    if hasattr(torch.storage, "_set_always_warn_typed_storage_removal"):
        yield partial(torch.storage._set_always_warn_typed_storage_removal, True)
    # Since 2.11 a sparse tensor warns until somebody has said whether its invariants are checked; None takes that back.
    with suppress(AttributeError, RuntimeError):
        torch._C._set_check_sparse_tensor_invariants(None)
        yield partial(torch._C._set_check_sparse_tensor_invariants, None)


_SWITCHES = tuple(_switches())
# Where Python code of torch keeps which warnings it has given: the module, if it is imported, and the name in it.
# Python itself forgets what it has given with each change of the filters, as there is before each claim.
_GIVEN = (
    ("torch._dynamo.utils", "warn_once_cache"),
    ("torch.nn.attention.flex_attention", "_WARNINGS_SHOWN"),
    ("torch.profiler.profiler", "_WARNINGS_SHOWN"),
)


def see_every_warning() -> None:
    """Let warnings come that were given already, and let torch give its own each time."""
    for switch in _SWITCHES:
        switch()
    for module, name in _GIVEN:
        given = getattr(sys.modules.get(module), name, None)
        if given:
            given.clear()

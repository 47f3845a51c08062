"""Warnings that are given once in a process: every example is to see them, whatever ran before it."""

from __future__ import annotations

import sys

import torch

# Torch's own switches, each missing in some releases: for warnings of its C++ code (since 1.9), and of typed storages.
_SWITCHES = tuple(
    switch
    for switch in (
        getattr(torch, "set_warn_always", None),
        getattr(torch.storage, "_set_always_warn_typed_storage_removal", None),
    )
    if switch is not None
)
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
        switch(True)
    for module, name in _GIVEN:
        given = getattr(sys.modules.get(module), name, None)
        if given:
            given.clear()

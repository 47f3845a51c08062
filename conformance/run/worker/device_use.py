"""Whether a program puts anything on the device under test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch

_NAMES_DEVICE = re.compile(r"(?<![\w.])device(?!\s*=)\b|(?<![\w.])device\s*=\s*device\b")
_DEEPEST = 4


def names_device(device: str, program: str) -> bool:
    """Return whether a program names the device under test; what it puts there may be gone at its end."""
    return _NAMES_DEVICE.search(program) is not None or re.search(rf"\b{_type(device)}\b", program) is not None


def has_part_on(device: str, namespace: Mapping[str, Any]) -> bool:
    """Return whether a tensor is on a device, among inputs and what a program assigned, or inside of these."""
    kind = _type(device)
    return any(_is_on(kind, value) for value in _parts(list(namespace.values()), _DEEPEST))


def _type(device: str) -> str:
    return device.partition(":")[0]


def _is_on(kind: str, value: Any) -> bool:
    try:
        return isinstance(value, torch.Tensor) and value.device.type == kind
    except Exception:  # a subclass of the claim's
        return False


def _parts(value: Any, depth: int) -> Iterator[Any]:
    yield value
    if not depth:
        return
    if type(value) in (list, tuple):
        parts: Any = value
    elif type(value) is dict:
        parts = value.values()
    elif isinstance(value, torch.nn.Module):
        parts = [*value.parameters(), *value.buffers()]
    elif isinstance(value, torch.optim.Optimizer):
        parts = value.param_groups
    else:
        return
    for part in list(parts):
        yield from _parts(part, depth - 1)

"""What can be seen of a value, as an object to compare: values with equal digests can't be told apart by a claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from conformance.run.worker.trial import message_of

_DEEPEST = 4
_MOST_ITEMS = 50
_ATOMS = (type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, torch.layout, torch.Size)


def digest(value: Any, depth: int = 0) -> object:
    """Return what can be seen of a value, without addresses and identities."""
    if isinstance(value, torch.Tensor):
        return _of_tensor(value)
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype), value.shape, value.strides, value.tobytes()
    if isinstance(value, _ATOMS):
        return repr(value)
    name = type(value).__qualname__
    if depth >= _DEEPEST:
        return name
    if isinstance(value, Mapping):
        return name, [
            (digest(key, depth + 1), digest(item, depth + 1)) for key, item in list(value.items())[:_MOST_ITEMS]
        ]
    if isinstance(value, (list, tuple)):
        return name, [digest(item, depth + 1) for item in value[:_MOST_ITEMS]]
    if isinstance(value, BaseException):
        return name, message_of(value)
    if isinstance(value, torch.nn.Module):
        return name, digest(value.state_dict(keep_vars=True), depth + 1), value.training
    return name, [] if callable(value) else digest(dict(getattr(value, "__dict__", {})), depth + 1)


def _of_tensor(value: torch.Tensor) -> object:
    visible: list[object] = [type(value).__qualname__, str(value.dtype), str(value.layout)]
    for attribute in _ATTRIBUTES:
        try:
            visible.append(attribute(value))
        except Exception as error:  # not every layout has each, and a view may have lost its history
            visible.append(type(error).__qualname__)
    return visible


_ATTRIBUTES: tuple[Callable[[torch.Tensor], object], ...] = (
    lambda value: value.requires_grad,
    lambda value: value.is_leaf,
    lambda value: type(value.grad_fn).__qualname__,
    lambda value: digest(value.grad, _DEEPEST) if value.is_leaf else None,
    lambda value: tuple(value.shape),
    lambda value: value.stride(),
    lambda value: value.storage_offset(),
    lambda value: (value.detach() if value.layout is torch.strided else value.detach().to_dense()).tolist(),
)

"""What operators do to the memory of tensors and arrays, below everything that torch could notice."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import torch

from conformance.checks.elements import elements, storage_extent


def share(a: Any, b: Any) -> bool:
    """Return whether two values lie in one storage."""
    try:
        return storage_extent(a).overlaps(storage_extent(b))
    except Exception:  # no elements, no strides or no addresses: then nothing is shared
        return False


def _window(value: Any) -> Optional[Any]:
    """Return a writable window on the bytes of all elements, or None where there is none on the CPU."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return None  # its bytes are addresses of Python objects
    try:
        found = elements(value)
    except Exception:
        return None
    return found.places if found.device == "cpu" else None


def change_element(value: Any, *, last: bool = False) -> None:
    """Give the first or last element another, finite, value; a boolean is flipped."""
    places = _window(value)
    if places is None:
        raise ValueError("there is no element to change")
    element = places[((-1 if last else 0),) * (places.ndim - 1)]
    content = element.tobytes()
    if value.dtype in (torch.bool, np.dtype(bool)):
        other = bytes([0 if any(content) else 1])
    else:
        # Made of these bytes, a float of any width is finite, and no small number that inputs like to use.
        other = bytes([0x3B if content[0] != 0x3B else 0x3A]) * len(content)
    element[...] = np.frombuffer(other, np.uint8)


class Snapshot:
    """The bytes of some values, to compare with later and to put back."""

    def __init__(self, values: list[Any]) -> None:
        self._kept = [(places, places.copy()) for value in values if (places := _window(value)) is not None]

    def changed(self) -> list[tuple[Any, Any]]:
        """Return window and old bytes of each value whose bytes are others now."""
        return [(places, old) for places, old in self._kept if not np.array_equal(places, old)]


def alias(value: Any) -> Any:
    """Return a new object on the memory of a value, with the same history or flags."""
    if isinstance(value, np.ndarray):
        return value.view()
    if _has_history(value):
        with torch.enable_grad():
            return value.view_as(value)
    return _flagged(value.detach(), value)


def copied(value: Any) -> Any:
    """Return a value on memory of its own, with the same history or flags."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if _has_history(value):
        with torch.enable_grad():
            return value.clone()
    return _flagged(value.detach().clone(), value)


def _has_history(value: torch.Tensor) -> bool:
    return value.requires_grad and not value.is_leaf


def _flagged(value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    if isinstance(like, torch.nn.Parameter):
        return torch.nn.Parameter(value, like.requires_grad)
    return value.requires_grad_(like.requires_grad)

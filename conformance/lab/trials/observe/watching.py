"""What a call does to its inputs: elements, metadata, version counter, and what autograd knows of them."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np
import torch

from conformance.checks import originals
from conformance.checks.elements import logical_bytes
from conformance.lab.trials.observe.results import storage_range

_Outcome = tuple[str, ...]


class InputWatch:
    """An input before a call, to compare with afterwards.

    Parameters
    ----------
    value
        A tensor or an array.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self._is_tensor = isinstance(value, torch.Tensor)
        self._before = _content(value)
        self._version = _version(value) if self._is_tensor else None
        self._known = _known_to_autograd(value) if self._is_tensor else None

    def writes(self) -> Optional[_Outcome]:
        """Return what of the input has changed: its elements, its metadata, or its storage.

        Nothing is proved by what was written with the elements that were there, and by an empty input.
        """
        metadata, storage, content = _content(self.value)
        old_metadata, old_storage, old_content = self._before
        changed = []
        if storage != old_storage:
            changed.append("storage")
        elif content != old_content:
            changed.append("elements")
        if metadata != old_metadata:
            changed.append("metadata")
        if not changed and (not _size(self.value) or self.version() == ("rises",)):
            return None
        return (" and ".join(changed) or "nothing",)

    def version(self) -> Optional[_Outcome]:
        """Return whether the version counter rose; None without one."""
        if self._version is None:
            return None
        now = _version(self.value)
        return ("rises" if now is not None and now > self._version else "same",)

    def autograd(self) -> Optional[_Outcome]:
        """Return what autograd knows of a tensor that it did not know before."""
        if self._known is None:
            return None
        requires_grad, node, grad, hooks = _known_to_autograd(self.value)
        changed = []
        if requires_grad != self._known[0]:
            changed.append("requires grad" if requires_grad else "no longer requires grad")
        if node is not self._known[1]:
            changed.append("is the result of another operation" if node is not None else "becomes a leaf")
        if grad != self._known[2]:
            changed.append("has no gradient any more" if grad is None else "has another gradient")
        if hooks != self._known[3]:
            changed.append("has other hooks")
        return (", ".join(changed) or "unchanged",)


def _size(value: Any) -> int:
    return int(value.size if isinstance(value, np.ndarray) else originals.number_of_elements(value))


def _version(tensor: torch.Tensor) -> Optional[int]:
    try:
        return int(originals.version_counter(tensor))
    except RuntimeError:  # an inference tensor has none
        return None


def _address(tensor: torch.Tensor) -> int:
    try:
        return int(originals.address(tensor))
    except RuntimeError:  # a sparse tensor has none
        return 0


def _known_to_autograd(tensor: torch.Tensor) -> tuple[bool, Any, Optional[tuple[int, Optional[int]]], int]:
    """Return whether it requires grad, its node, its gradient with its version, and the number of its hooks."""
    grad = tensor.grad if originals.grad_fn(tensor) is None else None
    known = None if grad is None else (_address(grad), _version(grad))
    return originals.requires_grad(tensor), originals.grad_fn(tensor), known, len(tensor._backward_hooks or ())


def _content(value: Any) -> tuple[Any, Any, Any]:
    """Return metadata, where the elements are, and the bytes there."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return (
            (value.dtype, value.shape, value.strides, flags.writeable),
            value.__array_interface__["data"],
            value.tobytes(),
        )
    layout = originals.layout(value)
    metadata = (originals.dtype(value), originals.shape(value), originals.device(value), layout)
    if layout is not originals.strided or originals.device(value).type == "meta":
        return metadata, None, None
    bits = originals.is_conj(value), originals.is_neg(value)
    address, end = storage_range(value)
    if originals.device(value).type != "cpu":  # an address there may be a mere handle
        content = logical_bytes(value).tobytes()
    else:
        content = ctypes.string_at(address, end - address) if address else b""
    return (*metadata, originals.stride(value), value.storage_offset(), bits), (address, end - address), content

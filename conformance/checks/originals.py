"""Torch's functions as they were when this module was imported.

A claim may run under a torch whose ``clone``, ``detach`` or ``numpy`` was replaced by a wrong one. The checks must see
through that, so they call nothing that they look up on torch at the time of the check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.autograd

Getter = Callable[[Any], Any]


def _attribute(name: str) -> Getter:
    """Return the reader of an attribute of tensors, bound to the class and not to its name."""
    getter: Getter = getattr(torch.Tensor, name).__get__
    return getter


def _never(tensor: torch.Tensor) -> bool:
    return False


def _marked_as_retaining_grad(tensor: torch.Tensor) -> bool:
    return bool(getattr(tensor, "retains_grad", False))


Tensor = torch.Tensor
strided = torch.strided

base = _attribute("_base")
device = _attribute("device")
dtype = _attribute("dtype")
grad = _attribute("grad")
grad_fn = _attribute("grad_fn")
layout = _attribute("layout")
output_number = _attribute("output_nr")
requires_grad = _attribute("requires_grad")
shape = _attribute("shape")
version_counter = _attribute("_version")


def set_grad(tensor: torch.Tensor, value: Any) -> None:
    """Assign ``tensor.grad``."""
    _grad_attribute.__set__(tensor, value)


_grad_attribute: Any = torch.Tensor.grad

address = torch.Tensor.data_ptr
clone = torch.Tensor.clone
copy_ = torch.Tensor.copy_
detach = torch.Tensor.detach
element_size = torch.Tensor.element_size
is_conj: Callable[[torch.Tensor], bool] = getattr(torch.Tensor, "is_conj", _never)  # torch 1.10
is_neg: Callable[[torch.Tensor], bool] = getattr(torch.Tensor, "is_neg", _never)  # torch 1.10
is_view = torch.Tensor._is_view
number_of_elements = torch.Tensor.numel
# Before torch 1.10 this was an attribute of those tensors only that retain their grad.
retains_grad = _attribute("retains_grad") if hasattr(torch.Tensor, "retains_grad") else _marked_as_retaining_grad
storage: Callable[[torch.Tensor], Any] = getattr(
    torch.Tensor,
    "untyped_storage",  # torch 2.0
    getattr(torch.Tensor, "_storage", torch.Tensor.storage),  # torch 1.11
)
# Bytes of another device are read and written through such a storage; before torch 1.11 there was none.
has_untyped_storage = hasattr(torch.Tensor, "untyped_storage") or hasattr(torch.Tensor, "_storage")
set_ = torch.Tensor.set_
stride = torch.Tensor.stride
to_cpu = torch.Tensor.cpu
to_numpy = torch.Tensor.numpy

as_tensor = torch.as_tensor
empty = torch.empty
gradients_of = torch.autograd.grad
ones_like = torch.ones_like
contiguous_format = torch.contiguous_format

shares_memory = np.shares_memory

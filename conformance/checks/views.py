"""Identity of objects, and the views that autograd knows of."""

from __future__ import annotations

import torch

from conformance.checks import originals
from conformance.checks.elements import is_tensor, storage_extent
from conformance.checks.registry import check


@check
def same_object(a: object, b: object) -> bool:
    """True when ``a`` and ``b`` are one Python object.

    Parameters
    ----------
    a, b : object
        Any two values.
    """
    return a is b


@check
def is_view_of(a: torch.Tensor, b: torch.Tensor) -> bool:
    """True when autograd has ``a`` on record as a view of ``b``, and both lie in one storage.

    Torch keeps only the end of a chain of views. So a view of a view ``v`` of ``x`` is a view of both ``x`` and ``v``,
    and so is any other view of ``x``, a sibling of ``v``. The result of ``detach()``, ``data``, or of an operation in
    inference mode is on record as a view of nothing, although it shares storage. No tensor is a view of itself.

    Parameters
    ----------
    a : torch.Tensor
        The tensor that may be a view. It may be empty: then only the record counts.
    b : torch.Tensor
        The tensor that it may be a view of.
    """
    for value in (a, b):
        if not is_tensor(value):
            raise TypeError(f"expected a tensor, not {type(value).__name__}")
    if a is b or not originals.is_view(a):
        return False
    base = originals.base(a)
    if base is not b and not (originals.is_view(b) and originals.base(b) is base):
        return False
    if originals.number_of_elements(a) == 0 or originals.number_of_elements(b) == 0:
        return True
    return storage_extent(a).overlaps(storage_extent(b))

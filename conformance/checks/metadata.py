"""Facts about a value other than its elements."""

from __future__ import annotations

import numpy as np
import torch

from conformance.checks import originals
from conformance.checks.elements import Value
from conformance.checks.registry import check


@check
def same_strides(a: Value, b: Value) -> bool:
    """True when ``a`` and ``b`` have equal strides, counted in elements, in all dimensions.

    The strides are compared as they are, also in dimensions of size 1 and 0, where they have no effect.

    Parameters
    ----------
    a, b : torch.Tensor or numpy.ndarray
        Two values; their shapes and dtypes may differ. The strides of an array are divided by the size of an element.
    """
    (steps_a, size_a), (steps_b, size_b) = _strides(a), _strides(b)
    return len(steps_a) == len(steps_b) and all(x * size_b == y * size_a for x, y in zip(steps_a, steps_b))


def _strides(value: Value) -> tuple[tuple[int, ...], int]:
    """Return strides, and how many of their units an element takes."""
    if isinstance(value, np.ndarray):
        return value.strides, value.dtype.itemsize
    return tuple(originals.stride(value)), 1


@check
def same_metadata(a: torch.Tensor, b: torch.Tensor) -> bool:
    """True when the two tensors agree in all that describes how elements are stored.

    That is shape, strides, dtype, device, layout, and pending conjugation and negation. The storage offset,
    ``requires_grad`` and the class (tensor or parameter) may differ, and so may the values.

    Parameters
    ----------
    a, b : torch.Tensor
        Two tensors; they may be empty.
    """
    return (
        originals.shape(a) == originals.shape(b)
        and originals.dtype(a) == originals.dtype(b)
        and originals.device(a) == originals.device(b)
        and originals.layout(a) == originals.layout(b)
        and (originals.layout(a) != originals.strided or originals.stride(a) == originals.stride(b))
        and originals.is_conj(a) == originals.is_conj(b)
        and originals.is_neg(a) == originals.is_neg(b)
    )


@check
def version(x: torch.Tensor) -> int | None:
    """Return the version counter of ``x``: how many writes in place autograd knows of.

    It is None for an inference tensor, which has no counter. Tensors that share a counter (a tensor, its views, its
    ``detach()``) show each other's writes here.

    Parameters
    ----------
    x : torch.Tensor
        Any tensor.
    """
    try:
        counter: int = originals.version_counter(x)
    except RuntimeError:
        return None
    return counter


@check
def printed(x: object) -> str:
    """Return the printed form of ``x``, as a Python prompt would show it.

    Parameters
    ----------
    x : object
        Any value. The numbers of a tensor print with the current print options of torch.
    """
    return repr(x)

"""Memory layouts of tensors: which shapes each fits, how to get it, and whether a tensor has it."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import torch

Shape = tuple[int, ...]


class Arrangement(NamedTuple):
    """How to get a tensor of a layout: the shape of the tensor to start from, and what to apply to it."""

    base: Shape
    suffix: str


def arrangement(layout: str, shape: Shape) -> Arrangement:
    """Return how to get a tensor with this layout and shape.

    Parameters
    ----------
    layout
        One of `conformance.language.input_domains.TENSOR_LAYOUTS` that fits the shape.
    shape
        The shape of the result.
    """
    ndim = len(shape)
    if layout == "transposed":
        base = (*shape[:-2], shape[-1], shape[-2])
        return Arrangement(base, ".t()" if ndim == 2 else ".transpose(-2, -1)")
    if layout == "sliced":
        before = "" if ndim == 1 else ":, " if ndim == 2 else "..., "
        return Arrangement((*shape[:-1], max(2 * shape[-1] - 1, 0)), f"[{before}::2]")
    if layout == "offset":
        return Arrangement((shape[0] + 1, *shape[1:]), "[1:]") if shape else Arrangement((2,), "[1]")
    if layout == "expanded":
        dim = _first_expanded(shape)
        base = shape[1:] if dim == 0 else (*shape[:dim], 1, *shape[dim + 1 :])
        return Arrangement(base, f".expand({', '.join(map(str, shape))})")
    if layout == "permuted":
        order = (*range(1, ndim), 0)
        return Arrangement((shape[-1], *shape[:-1]), f".permute({', '.join(map(str, order))})")
    if layout == "conj":
        return Arrangement(shape, ".conj()")
    if layout == "neg":
        return Arrangement(shape, ".conj().imag")
    if layout == "channels_last":
        return Arrangement(shape, ".contiguous(memory_format=torch.channels_last)")
    return Arrangement(shape, "")


def view_arrangement(layout: str, shape: Shape) -> Arrangement:
    """Return how to get a tensor with this layout and shape as a view, also where `arrangement` copies.

    Parameters
    ----------
    layout
        One of `conformance.language.input_domains.TENSOR_LAYOUTS` that fits the shape.
    shape
        The shape of the result.
    """
    if layout == "contiguous":
        return Arrangement(shape, "[...]")
    if layout == "channels_last":
        batch, channels, height, width = shape
        return Arrangement((batch, height, width, channels), ".permute(0, 3, 1, 2)")
    return arrangement(layout, shape)


def fits(layout: str, shape: Shape) -> bool:
    """Tell whether a tensor of this shape can have the layout in a way that can be told from the other layouts.

    Parameters
    ----------
    layout
        One of `conformance.language.input_domains.TENSOR_LAYOUTS`.
    shape
        The shape of the tensor.
    """
    ndim = len(shape)
    if layout == "transposed":
        if ndim < 2:
            return False
        if prod(shape):
            return shape[-1] > 1 and shape[-2] > 1
        return _transposed_strides(shape) != contiguous_strides(shape)
    if layout == "sliced":
        return ndim > 0
    if layout == "expanded":
        return any(size != 1 for size in shape)
    if layout == "permuted":
        return ndim > 2 and _permuted_strides(shape) != contiguous_strides(shape) and _is_permuted(shape)
    if layout == "channels_last":
        return ndim == 4 and shape[1] > 1 and shape[2] * shape[3] > 1 and shape[0] > 0
    return True


def has_layout(tensor: torch.Tensor, layout: str) -> bool:
    """Tell whether a tensor has the layout.

    Parameters
    ----------
    tensor
        Any strided tensor.
    layout
        One of `conformance.language.input_domains.TENSOR_LAYOUTS`.
    """
    shape: Shape = tuple(tensor.shape)
    strides: Shape = tuple(tensor.stride())
    offset = int(tensor.storage_offset())
    conj = hasattr(tensor, "is_conj") and tensor.is_conj()
    neg = hasattr(tensor, "is_neg") and tensor.is_neg()
    if conj or neg or layout in ("conj", "neg"):
        return (conj, neg) == (layout == "conj", layout == "neg")
    if layout == "offset":
        return offset > 0 and strides == contiguous_strides(shape)
    if offset:
        return False
    if layout == "transposed":
        return strides == _transposed_strides(shape)
    if layout == "sliced":
        return strides[-1] == 2
    if layout == "expanded":
        return strides[_first_expanded(shape)] == 0
    if layout == "permuted":
        return strides == _permuted_strides(shape)
    if layout == "channels_last":
        return bool(tensor.is_contiguous(memory_format=torch.channels_last) and not tensor.is_contiguous())
    return strides == contiguous_strides(shape)


def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of a fresh tensor.

    Parameters
    ----------
    shape
        Its shape.
    """
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _transposed_strides(shape: Shape) -> Shape:
    base = contiguous_strides((*shape[:-2], shape[-1], shape[-2]))
    return (*base[:-2], base[-1], base[-2])


def _permuted_strides(shape: Shape) -> Shape:
    base = contiguous_strides((shape[-1], *shape[:-1]))
    return (*base[1:], base[0])


def _is_permuted(shape: Shape) -> bool:
    """Tell whether moving the first dimension last changes the order of elements in memory."""
    return not prod(shape) or (shape[-1] > 1 and prod(shape[:-1]) > 1)


def _first_expanded(shape: Shape) -> int:
    return next(dim for dim, size in enumerate(shape) if size != 1)

"""Shapes, free ones and such as go with an earlier input."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from typing import Any, Optional

from conformance.inputs.kind import Alternatives, Input, input_kind
from conformance.inputs.shapes import ShapeLimits, shapes_within

Shape = tuple[int, ...]


@input_kind
def shape(min_ndim: int = 0, max_ndim: int = 4, min_size: int = 0, max_size: Optional[int] = None) -> Input:
    """Draw a shape: a tuple of sizes.

    Parameters
    ----------
    min_ndim, max_ndim
        Bounds of the number of dimensions; at most 6.
    min_size, max_size
        Bounds of the number of elements.

    Examples
    --------
    ``shape: shape(min_ndim=1)``
    """
    return Alternatives(_written(shapes_within(ShapeLimits(min_size, max_size, min_ndim, max_ndim))))


@input_kind
def shape_with_numel(x: Any, infer: bool = False) -> Input:
    """Draw a shape with as many elements as an earlier tensor or array has.

    Parameters
    ----------
    x
        The tensor or array.
    infer
        True for shapes in which one size is -1, to be worked out.

    Examples
    --------
    ``shape: shape_with_numel(x)``
    """
    return Alternatives(_with_numel(tuple(x.shape), infer))


@input_kind
def expanded_shape_of(x: Any, keep: bool = False) -> Input:
    """Draw a shape that an earlier tensor can be expanded to: sizes of 1 changed, sizes put in front, or neither.

    Parameters
    ----------
    x
        The tensor.
    keep
        True for shapes in which -1 stands for the sizes that do not change.

    Examples
    --------
    ``shape: expanded_shape_of(x)``
    """
    return Alternatives(_expanded(tuple(x.shape), keep))


@cache
def _written(shapes: tuple[Shape, ...]) -> tuple[str, ...]:
    return tuple(map(str, shapes))


@cache
def _with_numel(shape: Shape, infer: bool) -> tuple[str, ...]:
    size = prod(shape)
    if size == 0:
        found = [(0,), (0, 2), (2, 0), (0, 0), (1, 0, 3), (2, 2, 0, 2), shape]
    else:
        found = [(size,), (1, size), (size, 1), *_factorizations(size, 2), *_factorizations(size, 3), shape]
        found += [()] if size == 1 else [(1, *shape, 1)]
    found = list(dict.fromkeys(found))
    if infer:
        found = [
            (*sizes[:dim], -1, *sizes[dim + 1 :])
            for sizes in found
            for dim in range(len(sizes))
            if prod(sizes[:dim] + sizes[dim + 1 :])
        ]
    return _written(tuple(dict.fromkeys(found)))


def _factorizations(size: int, count: int) -> Iterator[Shape]:
    if count == 1:
        if size > 1:
            yield (size,)
        return
    for first in range(2, size + 1):
        if size % first == 0:
            for rest in _factorizations(size // first, count - 1):
                yield (first, *rest)


@cache
def _expanded(shape: Shape, keep: bool) -> tuple[str, ...]:
    kept = tuple(-1 if keep else size for size in shape)
    found = []
    for dim, size in enumerate(shape):
        if size == 1:
            found += [(*kept[:dim], other, *kept[dim + 1 :]) for other in (3, 2, 0)]
    if shape.count(1) > 1:
        found.append(tuple(2 if size == 1 else there for size, there in zip(shape, kept)))
    found += [(2, *kept), (1, *kept), (2, 3, *kept), (0, *kept), kept]
    return _written(tuple(dict.fromkeys(found)))

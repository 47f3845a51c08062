"""Shapes by size class."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple, Optional

from conformance.inputs.layouts import Shape, fits
from conformance.language.input_domains import MOST_NDIM

SIZES = ("1-d", "2-d", "3-d", "4-d", "one", "0-d", "empty")
"""The names of the size classes of up to four dimensions, simplest first; permanent, since results show them.

``empty`` has no element, ``one`` one element and at least a dimension, ``2-d`` two dimensions and two elements or more.
"""

MOST_ELEMENTS = 24
USUAL_NDIM = 4
"""The most dimensions where a domain does not ask for more."""

_SIZES_OF_MORE = ("5-d", "6-d")
_SMALLEST_FIRST = ("one", "0-d", "1-d", "2-d", "3-d", "4-d", *_SIZES_OF_MORE, "empty")

_REPRESENTATIVES_OF_MORE = ((2, 1, 1, 3, 2), (2, 1, 1, 1, 3, 2))
_REPRESENTATIVES = ((3,), (2, 3), (2, 2, 3), (1, 2, 2, 2), (1,), (), (0,))


class ShapeLimits(NamedTuple):
    """Which shapes are wanted.

    Attributes
    ----------
    min_size, max_size
        Bounds of the number of elements.
    min_ndim, max_ndim
        Bounds of the number of dimensions.
    shape
        The only shape wanted, or None.
    """

    min_size: int = 0
    max_size: Optional[int] = None
    min_ndim: int = 0
    max_ndim: int = 4
    shape: Optional[Shape] = None

    def admits(self, shape: Shape) -> bool:
        """Tell whether a shape is within the limits."""
        if self.shape is not None and shape != self.shape:
            return False
        size = prod(shape)
        return (
            self.min_size <= size
            and (self.max_size is None or size <= self.max_size)
            and self.min_ndim <= len(shape) <= self.max_ndim
        )


def sizes_within(limits: ShapeLimits) -> tuple[str, ...]:
    """Return the size classes that shapes within limits may have, simplest first.

    Parameters
    ----------
    limits
        Which shapes are wanted.
    """
    if limits.shape is not None:
        return (size_class(limits.shape),)
    return SIZES + _SIZES_OF_MORE[: max(limits.max_ndim - USUAL_NDIM, 0)]


def smallest_first(sizes: tuple[str, ...]) -> tuple[str, ...]:
    """Return size classes in the order in which a counterexample prefers them.

    Parameters
    ----------
    sizes
        Some size classes.
    """
    return tuple(sorted(sizes, key=lambda size: _SMALLEST_FIRST.index(size) if size in _SMALLEST_FIRST else 0))


def size_class(shape: Shape) -> str:
    """Return the size class of a shape.

    Parameters
    ----------
    shape
        Any shape.
    """
    if not shape:
        return "0-d"
    size = prod(shape)
    return f"{len(shape)}-d" if size > 1 else "one" if size else "empty"


@cache
def shapes_within(limits: ShapeLimits) -> tuple[Shape, ...]:
    """Return shapes within limits, simplest first: what stands for its class, then by dimensions and elements.

    Parameters
    ----------
    limits
        Which shapes are wanted.
    """
    if limits.shape is not None:
        return (limits.shape,) if limits.admits(limits.shape) else ()
    if limits.max_ndim > MOST_NDIM or limits.min_ndim > limits.max_ndim:
        wanted = f"{limits.min_ndim} to {limits.max_ndim}"
        raise ValueError(f"{wanted} dimensions: min_ndim is at most max_ndim, and max_ndim at most {MOST_NDIM}")
    found = [shape for shape in _small_shapes(limits.max_ndim > USUAL_NDIM) if limits.admits(shape)]
    if not found:
        # Beyond the small shapes: the whole size in the last dimension, and in two where it can be.
        size, least = limits.min_size, max(limits.min_ndim, 1)
        found = [
            shape
            for ndim in range(least, max(limits.max_ndim, least) + 1)
            for shape in ((*(1,) * (ndim - 1), size), (*(1,) * (ndim - 2), 2, -(-size // 2))[-ndim:])
            if limits.admits(shape)
        ]
    return tuple(found)


@cache
def shapes_of(size: str, layout: str, limits: ShapeLimits) -> tuple[Shape, ...]:
    """Return the shapes of a size class that fit a layout, simplest first.

    Parameters
    ----------
    size
        One of `SIZES`.
    layout
        One of `conformance.inputs.layouts.LAYOUTS`.
    limits
        Which shapes are wanted.
    """
    return tuple(shape for shape in shapes_within(limits) if size_class(shape) == size and fits(layout, shape))


@cache
def _small_shapes(of_more_dimensions: bool) -> tuple[Shape, ...]:
    shapes = [shape for ndim in range(5) for shape in product(range(5), repeat=ndim) if prod(shape) <= MOST_ELEMENTS]
    first: tuple[Shape, ...] = _REPRESENTATIVES
    if of_more_dimensions:
        shapes += [shape for ndim in (5, 6) for shape in product(range(4), repeat=ndim) if _is_plain(shape)]
        first += _REPRESENTATIVES_OF_MORE
    others = [shape for shape in shapes if shape not in first]
    return (*first, *sorted(others, key=lambda shape: (len(shape), prod(shape), sum(shape), shape)))


def _is_plain(shape: Shape) -> bool:
    """Tell whether a shape of many dimensions is one of the few to try: sizes of 1 but for two to four of them."""
    others = [size for size in shape if size != 1]
    return prod(shape) <= MOST_ELEMENTS and len(others) <= 4 and others.count(0) <= 1

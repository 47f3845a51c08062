"""Dimensions of an earlier input."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import Any

from conformance.inputs.kind import Alternatives, Input, input_kind


@input_kind
def dim_of(x: Any, negative: bool = True) -> Input:
    """Draw a dimension of an earlier tensor or array, counted from the front or, negative, from the back.

    A tensor without dimensions has 0 and -1, which torch accepts for it.

    Parameters
    ----------
    x
        The tensor or array.
    negative
        False for dimensions counted from the front only.

    Examples
    --------
    ``dim: dim_of(x)``
    """
    return Alternatives(_dims(x.ndim, negative))


@input_kind
def dims_of(x: Any, negative: bool = True) -> Input:
    """Draw a tuple of one or more different dimensions of an earlier tensor or array.

    A tensor without dimensions has 0 and -1, which torch accepts for it.

    Parameters
    ----------
    x
        The tensor or array.
    negative
        False for dimensions counted from the front only.

    Examples
    --------
    ``dims: dims_of(x)``
    """
    return Alternatives(_several_dims(x.ndim, negative))


@input_kind
def permutation_of(x: Any, negative: bool = True) -> Input:
    """Draw a tuple of all dimensions of an earlier tensor or array in some order.

    Parameters
    ----------
    x
        The tensor or array.
    negative
        False for dimensions counted from the front only.

    Examples
    --------
    ``order: permutation_of(x)``
    """
    return Alternatives(_permutations(x.ndim, negative))


@cache
def _dims(ndim: int, negative: bool) -> tuple[str, ...]:
    count = max(ndim, 1)
    return tuple(map(str, (*range(count), *(range(-1, -count - 1, -1) if negative else ()))))


@cache
def _several_dims(ndim: int, negative: bool) -> tuple[str, ...]:
    count = max(ndim, 1)
    ascending = [dims for size in range(1, count + 1) for dims in combinations(range(count), size)]
    found = [*ascending, *(dims[::-1] for dims in ascending)]
    if negative:
        found += [tuple(dim - count for dim in dims) for dims in ascending]
        found += [(dims[0], *(dim - count for dim in dims[1:])) for dims in ascending]
    return tuple(map(str, dict.fromkeys(found)))


@cache
def _permutations(ndim: int, negative: bool) -> tuple[str, ...]:
    found = list(permutations(range(ndim)))
    if negative:
        found += [tuple(dim - ndim for dim in order) for order in found]
    return tuple(map(str, dict.fromkeys(found)))

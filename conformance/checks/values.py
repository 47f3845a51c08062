"""Whether two values hold the same numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.checks import originals
from conformance.checks.decoding import numbers, same_numbers
from conformance.checks.elements import is_array, is_tensor
from conformance.checks.registry import check


@check
def equal(a: Any, b: Any) -> bool:
    """True when ``a`` and ``b`` are of one kind and equal in shape, dtype, device and all elements.

    A nan equals a nan (of any sign and payload), and 0.0 does not equal -0.0; for complex numbers this is so in each
    part. A tensor and a parameter are one kind, a tensor and an array are not. Layout, strides and ``requires_grad``
    may differ. Lists, tuples and dictionaries are equal when they have one type, one length and equal items; other
    objects when they have one type and ``==`` says so.

    Parameters
    ----------
    a, b : object
        Tensors of any dtype, layout and device, arrays, numbers, or containers of these.

    Raises
    ------
    TypeError
        When a tensor is sparse or quantized.
    NotJudged
        When a tensor has shape but no values, as on the device ``meta``.
    """
    if is_tensor(a) and is_tensor(b):
        if originals.shape(a) != originals.shape(b) or originals.dtype(a) != originals.dtype(b):
            return False
        return bool(originals.device(a) == originals.device(b)) and same_numbers(a, b)
    if is_array(a) and is_array(b):
        return bool(a.shape == b.shape and a.dtype == b.dtype) and same_numbers(a, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    return _same_number(a, b)


@check
def same_values(a: Any, b: Any) -> bool:
    """True when ``a`` and ``b`` have the same shape and hold the same numbers, exactly.

    Dtype, device and container don't count: a tensor may be compared with an array, a number or nested lists of
    numbers, and ``True`` is 1. There is no tolerance and no rounding: 0.1 in float32 is not 0.1 in float64. A nan
    equals a nan, and 0.0 does not equal -0.0; an integer 0 equals 0.0 only. A real number equals a complex one with the
    imaginary part 0.0.

    Parameters
    ----------
    a, b : torch.Tensor, numpy.ndarray, number or nested sequence
        Two values of any dtype, layout and device.

    Raises
    ------
    TypeError
        When a tensor is sparse or quantized, or of a dtype whose elements are no numbers.
    NotJudged
        When a tensor has shape but no values, as on the device ``meta``.
    """
    (shape_a, items_a), (shape_b, items_b) = _flat(a), _flat(b)
    return shape_a == shape_b and all(_same_number(x, y) for x, y in zip(items_a, items_b))


def _flat(value: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Return the shape and all numbers, as numbers of Python (which compare exactly across types)."""
    if is_tensor(value) or is_array(value):
        array = numbers(value)
        return tuple(array.shape), array.reshape(-1).tolist()
    if isinstance(value, np.generic):
        return (), [value.item()]
    if isinstance(value, (list, tuple)):
        parts = [_flat(item) for item in value]
        shapes = {shape for shape, _ in parts}
        if len(shapes) > 1:
            raise TypeError("nested sequences of unequal lengths have no shape")
        inner = shapes.pop() if shapes else ()
        return (len(value), *inner), [item for _, items in parts for item in items]
    return (), [value]


def _same_number(a: Any, b: Any) -> bool:
    """Compare two numbers (or other objects): nan equals nan, the sign of zero counts."""
    if isinstance(a, (complex, np.complexfloating)) or isinstance(b, (complex, np.complexfloating)):
        return _same_number(a.real, b.real) and _same_number(a.imag, b.imag)
    if isinstance(a, (float, np.floating)) or isinstance(b, (float, np.floating)):
        if _is_nan(a) or _is_nan(b):
            return _is_nan(a) and _is_nan(b)
        return bool(a == b) and (bool(a != 0) or math.copysign(1.0, a) == math.copysign(1.0, b))
    return bool(a == b)


def _is_nan(number: Any) -> bool:
    return isinstance(number, (float, np.floating)) and math.isnan(number)

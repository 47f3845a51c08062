"""Whether two values share memory, judged on addresses and by writing."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.checks import originals
from conformance.checks.elements import (
    Elements,
    Value,
    common_element,
    elements,
    first_and_last,
    observed_bytes,
    read,
    storage_extent,
    writable,
    write,
)
from conformance.checks.registry import NotJudged, check


@check
def shares_storage(a: Value, b: Value) -> bool:
    """True when ``a`` and ``b`` lie in the same storage.

    The storages of the two must have memory in common. For an array the storage is the memory of the array or tensor at
    the end of its chain of bases. Where elements of ``a`` and ``b`` are at the same address, a write to such an element
    of each must also show in the other. ``x[0]`` and ``x[1]`` share storage, although no write to one shows in the
    other.

    Parameters
    ----------
    a, b : torch.Tensor or numpy.ndarray
        Two values of any dtype, layout and autograd state.

    Raises
    ------
    NotJudged
        When ``a`` or ``b`` has no elements, or is on a device without addresses such as ``meta``.
    """
    of_a, of_b = elements(a), elements(b)
    if not storage_extent(a).overlaps(storage_extent(b)):
        return False
    in_b = common_element(inside=of_a, of=of_b)
    if in_b is None:
        return True
    in_a = common_element(inside=of_b, of=of_a)
    return _shows(a, of_a, b, of_b, [in_b], [in_a]) and _shows(b, of_b, a, of_a, [in_a], [in_b])


@check
def sees_writes(a: Value, b: Value) -> bool:
    """True when a write to an element of ``b`` shows in ``a``.

    The element is one that lies in the memory of ``a``. Where there is none, the first and the last element
    of ``b`` are written, since the same memory can have two addresses.

    Parameters
    ----------
    a : torch.Tensor or numpy.ndarray
        The value that is read.
    b : torch.Tensor or numpy.ndarray
        The value that is written; its bytes are restored. An array on memory that can't be written (an array on
        ``bytes``, a file mapped for reading) is written through ``a``.

    Raises
    ------
    NotJudged
        When ``a`` or ``b`` has no elements, or is on a device without addresses such as ``meta``; when neither can be
        written.
    """
    of_a, of_b = elements(a), elements(b)
    in_b = common_element(inside=of_a, of=of_b)
    if in_b is None:
        return writable(b) and _shows(a, of_a, b, of_b, first_and_last(of_b), [])
    in_a = [] if writable(b) else [common_element(inside=of_b, of=of_a)]
    return _shows(a, of_a, b, of_b, [in_b], in_a)


@check
def independent(a: Value, b: Value) -> bool:
    """True when ``a`` and ``b`` share no storage and no write to one shows in the other.

    This is more than ``not shares_storage(a, b)``: the first and the last element of each are written too.

    Parameters
    ----------
    a, b : torch.Tensor or numpy.ndarray
        Two values of any dtype, layout and autograd state.

    Raises
    ------
    NotJudged
        When ``a`` or ``b`` has no elements, or is on a device without addresses such as ``meta``.
    """
    of_a, of_b = elements(a), elements(b)
    if storage_extent(a).overlaps(storage_extent(b)) or common_element(inside=of_a, of=of_b) is not None:
        return False
    if writable(b) and _shows(a, of_a, b, of_b, first_and_last(of_b), []):
        return False
    return not (writable(a) and _shows(b, of_b, a, of_a, first_and_last(of_a), []))


@check
def same_memory(a: Value, b: Value) -> bool:
    """True when each element of ``a`` is, in memory, the element of ``b`` at the same index.

    The shapes, the sizes of an element, the addresses of the first element and the strides must be equal (a dimension
    of size 1 may have any stride), and a write to the first and to the last element of each must show in the other.

    Parameters
    ----------
    a, b : torch.Tensor or numpy.ndarray
        Two values of any dtype, layout and autograd state.

    Raises
    ------
    NotJudged
        When ``a`` or ``b`` has no elements, or is on a device without addresses such as ``meta``.
    """
    of_a, of_b = elements(a), elements(b)
    if of_a.device != of_b.device or of_a.places.shape != of_b.places.shape:
        return False
    if of_a.address != of_b.address or _steps(of_a) != _steps(of_b):
        return False
    in_a, in_b = first_and_last(of_a), first_and_last(of_b)
    return _shows(a, of_a, b, of_b, in_b, in_a) and _shows(b, of_b, a, of_a, in_a, in_b)


def _steps(of: Elements) -> list[int]:
    """Return the strides of the dimensions where they matter."""
    return [step for size, step in zip(of.places.shape, of.places.strides) if size > 1]


_CHANGED = bytes([0x3C]) + bytes(255)
_CHANGED_BOOLEAN = bytes([1]) + bytes(255)


def _shows(a: Value, of_a: Elements, b: Value, of_b: Elements, in_b: list[Any], in_a: list[Any]) -> bool:
    """Tell whether writes to places of ``b`` show in ``a``.

    With ``in_a``, the places of ``a`` at the same memory, every write must show; these are written where ``b`` can't
    be. Without, one that shows is enough.
    """
    targets, owner = (in_b, of_b) if writable(b) else (in_a, of_a)
    if not targets or not (writable(b) or writable(a)):
        raise NotJudged("neither value is on memory that can be written")
    # Each byte changes, since the two values may have only some in common (a complex number and its real part). Made of
    # these bytes, a float of any width is finite, so that no conversion on the way can drop the change.
    changed = _CHANGED_BOOLEAN if _is_boolean(a) or _is_boolean(b) else _CHANGED
    before = observed_bytes(a)
    results = []
    for places in targets:
        old = read(places, owner).tobytes()
        write(places, owner, old.translate(changed))
        try:
            results.append(observed_bytes(a) != before)
        finally:
            write(places, owner, old)
    return all(results) if in_a else any(results)


def _is_boolean(value: Value) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "b")
    return bool(originals.dtype(value) is torch.bool)

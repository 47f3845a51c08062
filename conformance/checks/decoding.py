"""The numbers behind the bytes of a tensor or array, decoded without torch's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.checks import originals
from conformance.checks.elements import Value, logical_bytes

# The dtypes of torch that NumPy has too go by the same names in both.
_SHARED_NAMES = frozenset(
    (
        *("float16", "float32", "float64", "complex64", "complex128"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
)


def same_numbers(a: Value, b: Value) -> bool:
    """Compare all elements of two values of one shape and dtype; nan equals nan, the sign of zero counts."""
    bytes_a, bytes_b = logical_bytes(a), logical_bytes(b)
    if _pending(a) == _pending(b) and bytes_a.tobytes() == bytes_b.tobytes() and not _is_quantized(a):
        return True
    if not _has_numbers(a):
        return False
    x, y = _decode(a, bytes_a), _decode(b, bytes_b)
    if x.dtype.kind == "c":
        return _same_floats(x.real, y.real) and _same_floats(x.imag, y.imag)
    if x.dtype.kind == "f":
        return _same_floats(x, y)
    return bool(np.array_equal(x, y))


def _same_floats(x: Any, y: Any) -> bool:
    same = ((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))
    return bool(same.all())


def numbers(value: Value) -> Any:
    """Return the elements as an array of a dtype of NumPy that holds them exactly, in native byte order.

    Raises
    ------
    TypeError
        When the dtype is one whose elements are no single numbers.
    """
    return _decode(value, logical_bytes(value))


def _name(value: Value) -> str:
    return str(originals.dtype(value))[len("torch.") :] if isinstance(value, originals.Tensor) else value.dtype.name


def _is_quantized(value: Value) -> bool:
    return isinstance(value, originals.Tensor) and _name(value).startswith("q")


def _has_numbers(value: Value) -> bool:
    """Tell whether each element is one number: some dtypes pack several of them, or bits without meaning, in a byte."""
    name = _name(value)
    return (
        isinstance(value, np.ndarray)
        or name in _SHARED_NAMES
        or name in ("bool", "bfloat16", "complex32")
        or name.startswith(("float8", "q"))
    )


def _pending(value: Value) -> tuple[bool, bool]:
    """Return the bits for pending conjugation and negation."""
    if isinstance(value, np.ndarray):
        return False, False
    return originals.is_conj(value), originals.is_neg(value)


def _decode(value: Value, content: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(value.dtype.newbyteorder("="))
    name = _name(value)
    shape = tuple(originals.shape(value))
    raw = np.ascontiguousarray(content).reshape(-1)
    if name in _SHARED_NAMES:
        array: Any = raw.view(name)
    elif name == "bool":
        array = raw != 0
    elif name == "bfloat16":
        array = (raw.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    elif name == "complex32":
        array = raw.view(np.float16).astype(np.float32).view(np.complex64)
    elif name.startswith("float8"):
        array = _float8_table(originals.dtype(value))[raw]
    else:
        raise TypeError(f"the elements of a tensor of dtype torch.{name} can't be compared as numbers")
    conjugated, negated = _pending(value)
    if conjugated:
        array = np.conj(array)
    if negated:
        array = np.negative(array)
    return array.reshape(shape)


_float8_tables: dict[torch.dtype, Any] = {}


def _float8_table(dtype: torch.dtype) -> Any:
    """Return the 256 numbers of an 8-bit float type, in the order of their bytes."""
    if dtype not in _float8_tables:
        values = _as_tensor(np.arange(256, dtype=np.uint8))
        _float8_tables[dtype] = originals.to_numpy(_to(_view(values, dtype), torch.float32)).copy()
    return _float8_tables[dtype]


_as_tensor: Any = originals.as_tensor
_to: Any = torch.Tensor.to
_view: Any = torch.Tensor.view

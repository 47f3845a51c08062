"""NumPy arrays: every dtype, memory layout and size class, of either byte order, writable or not."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Optional, Union

import numpy as np
import torch

from conformance.inputs.choices import Choices
from conformance.inputs.dtypes import as_list, class_name, near_or_all, select_names
from conformance.inputs.kind import Input, input_kind
from conformance.inputs.layouts import Shape
from conformance.inputs.shapes import ShapeLimits, shapes_within, size_class, sizes_within, smallest_first
from conformance.inputs.values import SWEEP, literal, nested, patterns
from conformance.language.input_domains import ARRAY_LAYOUTS as LAYOUTS
from conformance.language.input_domains import MEMBERS, NUMPY_DTYPES, layouts_without

AXES = ("dtype", "layout", "size", "memory")
"""What the four values of a combination are."""

MEMORY = ("writable", "read-only", "swapped", "swapped read-only")
"""Writability and byte order, simplest first; permanent, since results show them."""

Names = Union[str, Sequence[str], None]

# dtypes no torch takes: name → (how np.array is told, the elements).
_FOREIGN: dict[str, tuple[str, tuple[str, ...]]] = {
    "str": ("", ('"a"', '"b"', '"c"')),
    "bytes": ("", ('b"a"', 'b"b"', 'b"c"')),
    "object": (", dtype=object", ("1", "None", '"a"')),
    "datetime64": (', dtype="datetime64[D]"', ('"2020-01-01"', '"2021-02-03"')),
    "timedelta64": (', dtype="timedelta64[s]"', ("1", "2", "3")),
    "longdouble": (", dtype=np.longdouble", ("1.", "2.", "3.")),
    "clongdouble": (", dtype=np.clongdouble", ("1+2j", "2-1j")),
    "record": (', dtype=[("a", np.int32)]', ("(1,)", "(2,)", "(3,)")),
}

# float64 is what np.array makes of Python floats, so it is the simplest.
_ORDER = ("float64", "float32", *(name for name in NUMPY_DTYPES if name not in ("float64", "float32")))
NAMES = (*_ORDER, *_FOREIGN)
_INFERRED = frozenset(("float64", "bool", "complex128", "int64"))
_SWAP = ">" if sys.byteorder == "little" else "<"


class ArrayDomain:
    """The arrays that one ``array(...)`` stands for.

    Equal arguments give the same object with `array_domain`, so that what is worked out once is kept.

    Parameters
    ----------
    dtypes, layouts, memory
        The names that are admitted, simplest first.
    limits
        The shapes that are admitted.
    """

    axes = AXES

    def __init__(
        self, dtypes: tuple[str, ...], layouts: tuple[str, ...], memory: tuple[str, ...], limits: ShapeLimits
    ) -> None:
        self.limits = limits
        sizes = sizes_within(limits)
        self.factors = (dtypes, layouts, sizes, memory)
        self.smallest_first = (dtypes, layouts, smallest_first(sizes), memory)
        self._fitting = {(layout, size): bool(_shapes_of(size, layout, limits)) for layout in layouts for size in sizes}

    def __call__(self, combination: tuple[Any, ...]) -> bool:
        """Tell whether a combination of dtype, layout, size and memory is in the domain."""
        dtype, layout, size, memory = combination
        # What np.broadcast_to returns is never writable.
        if layout == "broadcast" and "read-only" not in memory:
            return False
        if "swapped" in memory and (dtype in _FOREIGN or np.dtype(dtype).itemsize == 1):
            return False
        return self._fitting[layout, size]

    def __repr__(self) -> str:
        narrowed = "; ".join(f"{axis} {', '.join(values) or 'none'}" for axis, values in zip(AXES, self.factors))
        return f"arrays of {narrowed}"


@cache
def array_domain(
    dtypes: tuple[str, ...], layouts: tuple[str, ...], memory: tuple[str, ...], limits: ShapeLimits
) -> ArrayDomain:
    """Return the domain with these bounds, the same object each time.

    Parameters
    ----------
    dtypes, layouts, memory, limits
        As for `ArrayDomain`.
    """
    return ArrayDomain(dtypes, layouts, memory, limits)


class ArrayInput(Input):
    """An array of a domain.

    Parameters
    ----------
    domain
        The arrays there are.
    finite
        Whether nan, infinities and -0.0 are left out.
    """

    axes = AXES

    def __init__(self, domain: ArrayDomain, finite: bool) -> None:
        self.domain = domain
        self._finite = finite

    def recipe(self, label: str, choices: Choices) -> str:
        """Return the expression that builds one array of the domain."""
        domain = self.domain
        dtype, layout, size, memory = choices.combine(label, domain.factors, domain)
        shape = choices.pick(label + ".shape", _shapes_of(size, layout, domain.limits), sweep=1)
        finite = self._finite
        pattern = "counting"
        if dtype not in _FOREIGN:
            pattern = choices.pick(label + ".values", patterns(dtype, finite), sweep=SWEEP[finite])
        return array_recipe(dtype, layout, shape, memory, pattern, finite)


@cache
def array_recipe(
    dtype: str, layout: str, shape: Shape, memory: str, pattern: str = "counting", finite: bool = False
) -> str:
    """Return the expression that builds an array.

    Parameters
    ----------
    dtype, layout, memory
        Names from the domain; the layout fits the shape.
    shape
        The shape of the array.
    pattern
        How to fill it; see `conformance.inputs.values.patterns`.
    finite
        Whether nan, infinities and -0.0 are left out.
    """
    base, before, after = _arranged(layout, shape)
    if dtype in _FOREIGN:
        keyword, elements = _FOREIGN[dtype]
        content = nested(base, [elements[k % len(elements)] for k in range(prod(base))])
        if 0 in base and not keyword:
            keyword = f', dtype="{ {"str": "U1", "bytes": "S1"}[dtype] }"'
    else:
        content = literal(dtype, base, pattern, finite)
        if "swapped" in memory:
            keyword = f', dtype="{_SWAP}{np.dtype(dtype).str[1:]}"'
        elif dtype in _INFERRED and (0 not in base or dtype == "float64"):
            keyword = ", dtype=np.int64" if dtype == "int64" and np.dtype(int) != np.int64 else ""
        else:
            keyword = f", dtype=np.{dtype if dtype != 'bool' else 'bool_'}"
    call = f"np.array({content}{keyword})"
    if 0 in base and len(base) > 1:
        call = f"np.empty({base}{keyword})"
    recipe = f"{before}({call})" if before else call + after
    if "read-only" in memory:
        recipe = f"np.broadcast_to({recipe}, {shape})"
    return recipe


def _arranged(layout: str, shape: Shape) -> tuple[Shape, str, str]:
    """Return the shape of the array to start from, a function to apply, and an index."""
    ndim = len(shape)
    before = "" if ndim == 1 else ":, " if ndim == 2 else "..., "
    if layout == "fortran":
        return shape, "np.asfortranarray", ""
    if layout == "reversed":
        return shape, "", "[::-1]" if shape[0] > 1 or ndim == 1 else f"[{before}::-1]"
    if layout == "sliced":
        return (*shape[:-1], max(2 * shape[-1] - 1, 0)), "", f"[{before}::2]"
    if layout == "offset":
        return ((shape[0] + 1, *shape[1:]), "", "[1:]") if shape else ((2,), "", "[1, ...]")
    if layout == "broadcast":
        return shape[1:], "", ""
    return shape, "", ""


def _fits(layout: str, shape: Shape) -> bool:
    ndim = len(shape)
    if layout == "fortran":
        return sum(size > 1 for size in shape) > 1 and prod(shape) > 0
    if layout == "reversed":
        return ndim > 0 and prod(shape) > 0 and (shape[0] > 1 or shape[-1] > 1)
    if layout == "sliced":
        return ndim > 0 and shape[-1] > 1 and prod(shape) > 0
    if layout == "offset":
        return prod(shape) > 0
    if layout == "broadcast":
        return ndim > 0 and shape[0] > 1 and prod(shape) > 0
    return True


@cache
def _shapes_of(size: str, layout: str, limits: ShapeLimits) -> tuple[Shape, ...]:
    return tuple(shape for shape in shapes_within(limits) if size_class(shape) == size and _fits(layout, shape))


@cache
def _is_supported(dtype: str) -> bool:
    """Tell whether this torch takes arrays of the dtype; found by trying."""
    if dtype in _FOREIGN:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            torch.from_numpy(np.zeros(1, dtype))
        except TypeError:
            return False
        return True


@input_kind
def array(
    *classes: object,
    dtype: object = None,
    writable: Optional[bool] = None,
    order: Optional[str] = None,
    byte_order: Optional[str] = None,
    layout: Names = None,
    without: Names = None,
    ndim: Optional[int] = None,
    min_ndim: int = 0,
    max_ndim: int = 4,
    min_size: int = 0,
    max_size: Optional[int] = None,
    shape: Optional[Sequence[int]] = None,
    finite: bool = False,
) -> ArrayInput:
    """Draw any NumPy array of a dtype that this torch takes, unless narrowed.

    Every layout, size and byte order, writable or not. A read-only array is what ``np.broadcast_to``
    makes of another one.

    Parameters
    ----------
    *classes
        Classes of dtypes; an array has a dtype of any of them. ``unsupported`` has those this torch does not take:
        strings, objects, dates, records, long doubles, and in older ones the wider unsigned integers.
    dtype
        One dtype or a list of them, as ``np.float32`` or ``"float32"``; also ``"str"``, ``"bytes"``, ``"object"``,
        ``"datetime64"``, ``"timedelta64"``, ``"longdouble"``, ``"clongdouble"`` and ``"record"``.
    writable
        True for arrays that can be written to, False for read-only ones.
    order
        ``"C"`` for arrays contiguous in row-major order, ``"F"`` for those contiguous in column-major order only.
    byte_order
        ``"native"`` for the byte order of this machine, ``"swapped"`` for the other one.
    layout
        One layout or a list of them: contiguous, fortran, reversed (a negative stride), sliced (every second element of
        the last dimension), offset (starts later in its memory), broadcast (stride 0; read-only).
    without
        One layout or a list of them to leave out.
    ndim
        The number of dimensions.
    min_ndim, max_ndim
        Bounds of the number of dimensions; at most 6.
    min_size, max_size
        Bounds of the number of elements.
    shape
        The only shape.
    finite
        True to leave out nan, infinities and -0.0.

    Examples
    --------
    ``a: array(floating, writable=True, byte_order="native")``
    """
    if shape is not None:
        shape = tuple(shape)
        min_ndim = max_ndim = len(shape)
    elif ndim is not None:
        min_ndim = max_ndim = ndim
    layouts = select_names("layout of arrays", layout if layout is None else as_list(layout), LAYOUTS)
    if without is not None:
        layouts = layouts_without(select_names("layout of arrays", without, LAYOUTS), layouts)
    if order is not None:
        wanted = {"C": ("contiguous", "offset"), "F": ("fortran",)}.get(order)
        if wanted is None:
            raise ValueError(f"order={order!r}: an order is 'C' or 'F'")
        layouts = tuple(name for name in layouts if name in wanted)
    if byte_order not in (None, "native", "swapped"):
        raise ValueError(f"byte_order={byte_order!r}: a byte order is 'native' or 'swapped'")
    memory = tuple(
        name
        for name in MEMORY
        if writable in (None, "read-only" not in name)
        and byte_order in (None, "swapped" if "swapped" in name else "native")
    )
    limits = ShapeLimits(min_size, max_size, min_ndim, max_ndim, shape)
    return ArrayInput(array_domain(_select_dtypes(classes, dtype), layouts, memory, limits), finite)


def _select_dtypes(classes: Sequence[object], dtype: object) -> tuple[str, ...]:
    admitted = set(NAMES)
    if classes:
        admitted = set()
        for name in map(class_name, classes):
            unsupported = name == "unsupported"
            members = NAMES if unsupported else MEMBERS[name]
            admitted.update(m for m in members if m in NAMES and _is_supported(m) != unsupported)
    elif dtype is None:
        admitted = {name for name in NAMES if _is_supported(name)}
    if dtype is not None:
        wanted = [_array_dtype_name(item) for item in as_list(dtype)]
        admitted &= set(wanted)
    return tuple(name for name in NAMES if name in admitted)


def _array_dtype_name(item: Any) -> str:
    name = item if isinstance(item, str) else np.dtype(item).name
    if name not in NAMES:
        raise ValueError(f"{name!r} is not a dtype that arrays can have{near_or_all(name, NAMES)}")
    return str(name)

"""Indices into an earlier input."""

from __future__ import annotations

from functools import cache
from itertools import islice, product
from math import prod
from typing import Any

from conformance.inputs.choices import NoSuchInput
from conformance.inputs.kind import Alternatives, Input, input_kind
from conformance.inputs.values import nested

Shape = tuple[int, ...]

_MOST = 32


@input_kind
def index_of(x: Any) -> Input:
    """Draw the index of one element of an earlier tensor or array: a tuple of one integer per dimension.

    There is none for an empty tensor; such an example is discarded.

    Parameters
    ----------
    x
        The tensor or array.

    Examples
    --------
    ``i: index_of(x)``
    """
    return Alternatives(_element_indices(_nonempty(x)))


@input_kind
def basic_index_of(x: Any) -> Input:
    """Draw a basic index that is valid for an earlier tensor or array.

    Integers, slices, ``...`` and None, alone or in a tuple.

    Parameters
    ----------
    x
        The tensor or array.

    Examples
    --------
    ``i: basic_index_of(x)``
    """
    return Alternatives(_basic_indices(tuple(x.shape)))


@input_kind
def advanced_index_of(x: Any) -> Input:
    """Draw an advanced index that is valid for an earlier tensor.

    An integer tensor, a mask or a list, alone or in a tuple. The index tensors are on the CPU. Integer tensors have at
    least one dimension: torch takes one without dimensions for a plain integer.

    Parameters
    ----------
    x
        The tensor.

    Examples
    --------
    ``i: advanced_index_of(x)``
    """
    return Alternatives(_advanced_indices(tuple(x.shape)))


def _nonempty(x: Any) -> Shape:
    shape = tuple(x.shape)
    if 0 in shape:
        raise NoSuchInput("an empty tensor has no element")
    return shape


@cache
def _element_indices(shape: Shape) -> tuple[str, ...]:
    first = islice(product(*map(range, shape)), _MOST // 2)
    last = tuple(size - 1 for size in shape)
    mixed = (*last[:-1], -1) if shape else ()
    return tuple(map(str, dict.fromkeys([*first, last, (-1,) * len(shape), tuple(-size for size in shape), mixed])))


def _slices(size: int) -> list[str]:
    found = [
        "slice(1, None)",
        "slice(None, 1)",
        "slice(None, None, 2)",
        "slice(None)",
        "slice(0, 0)",
        "slice(-1, None)",
    ]
    return found if size else ["slice(None)", "slice(1, None)", "slice(None, None, 2)"]


def _integers(size: int) -> list[str]:
    return list(dict.fromkeys(["0", "-1", str(size - 1)])) if size else []


@cache
def _basic_indices(shape: Shape) -> tuple[str, ...]:
    if not shape:
        return ("...", "None", "()", "(None, ...)", "(..., None)", "(None, None)")
    first = [*_integers(shape[0]), *_slices(shape[0])]
    last = [*_integers(shape[-1]), *_slices(shape[-1])]
    found = [*first[:1], *first[len(_integers(shape[0])) :], "...", "None", *first, "()"]
    found += [f"(..., {item})" for item in last[:4]]
    found += [f"({item}, None)" for item in first[:3]] + [f"(None, {item})" for item in first[:3]]
    if len(shape) > 1:
        second = [*_integers(shape[1]), *_slices(shape[1])]
        found += [f"({one}, {two})" for one, two in zip(first, second)]
        found += [f"({one}, {two})" for one, two in zip(first, reversed(second))]
        found += [f"({first[0]}, ..., {last[-1]})", f"({first[-1]}, None, ..., {last[0]})"]
        parts = [[*_slices(size), *_integers(size)] for size in shape]
        found += ["(" + ", ".join(choice[turn % len(choice)] for choice in parts) + ")" for turn in range(4)]
    if all(shape):
        found.append("(" + "".join(f"{size - 1}, " for size in shape) + ")")
    return tuple(dict.fromkeys(found))


@cache
def _advanced_indices(shape: Shape) -> tuple[str, ...]:
    if not shape:
        return ("torch.tensor(True)", "torch.tensor(False)", "(..., torch.tensor(True))", "(None, torch.tensor(True))")
    size = shape[0]
    nothing = "torch.tensor([], dtype=torch.int64)"
    found = []
    if size:
        last = size - 1
        found += [
            f"torch.tensor([0, {last}])" if last else "torch.tensor([0])",
            _mask((size,), 0),
            f"[0, {last}]",
            "torch.tensor([0])",
            "torch.tensor([0, 0])",
            "torch.tensor([-1])",
            f"torch.tensor([[0], [{last}]])",
            "(torch.tensor([0]), ...)",
            "(None, torch.tensor([0]))",
            "torch.tensor([0], dtype=torch.int32).to(torch.int64)",
            _mask((size,), 1),
        ]
    if prod(shape):
        found += [_mask(shape, 0), "(" + "torch.tensor([0]), " * len(shape) + ")"]
    found += [nothing, f"({nothing}, ...)", "(torch.tensor(True), ...)"]
    if not size:
        found.append("torch.tensor([], dtype=torch.bool)")
    if len(shape) > 1 and shape[-1]:
        end = f"torch.tensor([{shape[-1] - 1}, 0])"
        found += [f"(..., {end})", f"(slice(None), {'slice(None), ' * (len(shape) - 2)}{end})"]
        if size:
            found += [f"(0, ..., {end})", f"(torch.tensor([{size - 1}, 0]), ..., {end})", f"([0], ..., {end})"]
        found.append(f"(slice(1, None), ..., {_mask(shape[-1:], 0)})")
    return tuple(dict.fromkeys(found))


def _mask(shape: Shape, first: int) -> str:
    return f"torch.tensor({nested(shape, [str((k + first) % 2 == 0) for k in range(prod(shape))])})"

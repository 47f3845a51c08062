"""Python numbers, flags, dtypes and other values that are not tensors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Optional

import torch

from conformance.inputs.choices import Choices
from conformance.inputs.device import current_device
from conformance.inputs.dtypes import class_name, near_or_all, select_dtypes
from conformance.inputs.kind import Alternatives, Input, input_kind
from conformance.inputs.recipes import BASE_NAMESPACE, Unbuildable, build
from conformance.inputs.shapes import ShapeLimits, shapes_within
from conformance.inputs.tensor_recipes import buildable
from conformance.inputs.values import INF, NAN, NEGATIVE_INF, SWEEP, literal, patterns
from conformance.language.input_domains import MEMBERS

_NUMBER_CLASSES = ("integral", "floating", "boolean", "complex")
_REPRESENTATIVES = {"integral": "int64", "floating": "float32", "boolean": "bool", "complex": "complex64"}
_NUMBERS = {
    "integral": ("2", "0", "-1", "1", "3", "-7", "100"),
    "floating": ("0.5", "2.0", "0.0", "-1.5", "1.0"),
    "boolean": ("True", "False"),
    "complex": ("1+2j", "0.5j", "-1-1j"),
}
_SPECIAL_NUMBERS = {"floating": (NAN, INF, NEGATIVE_INF, "-0.0"), "complex": (f"complex({NAN}, 1)",)}


@input_kind
def integer(min: int, max: int) -> Input:
    """Draw a Python int.

    Parameters
    ----------
    min, max
        The smallest and the largest.

    Examples
    --------
    ``n: integer(1, 4)``
    """
    return Alternatives(_integers(min, max))


@input_kind
def number(*classes: object, finite: bool = False) -> Input:
    """Draw a Python number: int, float, bool or complex, unless narrowed.

    Parameters
    ----------
    *classes
        Any of integral, floating, boolean and complex.
    finite
        True to leave out nan, infinities and -0.0.

    Examples
    --------
    ``value: number(integral, floating, finite=True)``
    """
    return Alternatives(_numbers(_number_classes(classes), finite))


@input_kind
def boolean() -> Input:
    """Draw True or False.

    Examples
    --------
    ``keepdim: boolean()``
    """
    return Alternatives(("False", "True"))


@input_kind
def dtype(*classes: object) -> Input:
    """Draw a dtype that tensors of this torch can have.

    Parameters
    ----------
    *classes
        Classes of dtypes; every dtype without one.

    Examples
    --------
    ``dtype: dtype(floating)``
    """
    device = current_device()
    names = select_dtypes(classes, None)
    return Alternatives([f"torch.{name}" for name in names if buildable(name, "contiguous", "plain", device)])


@input_kind
def memory_format() -> Input:
    """Draw a memory format: contiguous, channels_last, channels_last_3d or preserve.

    Examples
    --------
    ``format: memory_format()``
    """
    names = ("contiguous_format", "channels_last", "preserve_format", "channels_last_3d")
    return Alternatives([f"torch.{name}" for name in names if hasattr(torch, name)])


@input_kind
def one_of(*values: Any) -> Input:
    """Draw one of some Python values, whose ``repr`` must give them back.

    Parameters
    ----------
    *values
        The values, simplest first.

    Examples
    --------
    ``mode: one_of("reduce-overhead", None)``
    """
    return Alternatives([_as_recipe(value) for value in values])


@input_kind
def numbers(
    *classes: object,
    ndim: Optional[int] = None,
    min_ndim: int = 1,
    max_ndim: int = 3,
    min_size: int = 0,
    max_size: Optional[int] = None,
    finite: bool = False,
) -> Input:
    """Draw a nested list of Python numbers of one type: int, float, bool or complex, unless narrowed.

    Parameters
    ----------
    *classes
        Any of integral, floating, boolean and complex.
    ndim
        How deep the list is.
    min_ndim, max_ndim
        Bounds of how deep the list is; at depth 0 it is a number.
    min_size, max_size
        Bounds of how many numbers it has.
    finite
        True to leave out nan, infinities and -0.0.

    Examples
    --------
    ``data: numbers(integral, ndim=2)``
    """
    if ndim is not None:
        min_ndim = max_ndim = ndim
    return _NestedList(_number_classes(classes), ShapeLimits(min_size, max_size, min_ndim, max_ndim), finite)


class _NestedList(Input):
    def __init__(self, classes: Sequence[str], limits: ShapeLimits, finite: bool) -> None:
        self._classes = classes
        # A list without elements cannot say how long the lists inside it are.
        self._shapes = [shape for shape in shapes_within(limits) if prod(shape) or 0 not in shape[:-1]]
        self._finite = finite

    def recipe(self, label: str, choices: Choices) -> str:
        of = _REPRESENTATIVES[choices.pick(label + ".class", self._classes)]
        shape = choices.pick(label + ".shape", self._shapes, sweep=6)
        pattern = choices.pick(label + ".values", patterns(of, self._finite), sweep=SWEEP[self._finite])
        return literal(of, shape, pattern, self._finite)


def _number_classes(classes: Sequence[object]) -> tuple[str, ...]:
    names = [class_name(item) for item in classes]
    for name in names:
        if name not in _NUMBER_CLASSES:
            wide = [member for member in _NUMBER_CLASSES if set(MEMBERS[member]) <= set(MEMBERS.get(name, ()))]
            if not wide:
                raise ValueError(f"Python has no {name} numbers{near_or_all(name, _NUMBER_CLASSES)}")
            names = [*names, *wide]
    return tuple(name for name in _NUMBER_CLASSES if name in names or not names)


@cache
def _numbers(classes: tuple[str, ...], finite: bool) -> tuple[str, ...]:
    found = [_NUMBERS[name][0] for name in classes]
    for name in classes:
        found += _NUMBERS[name]
        if not finite:
            found += _SPECIAL_NUMBERS.get(name, ())
    return tuple(dict.fromkeys(found))


@cache
def _integers(least: int, greatest: int) -> tuple[str, ...]:
    if least > greatest:
        raise ValueError(f"integer({least}, {greatest}): the smallest comes first")
    if greatest - least < 64:
        found = list(range(least, greatest + 1))
    else:
        spread = [least + (greatest - least) * step // 8 for step in range(9)]
        found = [value for value in {*range(-8, 9), *spread, least + 1, greatest - 1} if least <= value <= greatest]
    return tuple(map(str, sorted(found, key=lambda value: (abs(value), value < 0))))


def _as_recipe(value: object) -> str:
    recipe = repr(value)
    try:
        same = build(recipe, BASE_NAMESPACE)
        # A nan is not equal to itself, but its repr names nothing and fails above.
        if type(same) is type(value) and same == value:
            return recipe
    except (Unbuildable, RuntimeError):
        pass
    raise ValueError(
        f"one_of: the repr {recipe} does not give the value back; use values such as 1, 'sum' or torch.int8"
    )

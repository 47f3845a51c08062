"""Tensors: every dtype, memory layout, size class and autograd state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Optional, Union

import torch

from conformance.inputs.choices import Choices
from conformance.inputs.device import current_device
from conformance.inputs.dtypes import select_dtypes, select_names
from conformance.inputs.kind import Input, input_kind
from conformance.inputs.layouts import Shape
from conformance.inputs.shapes import ShapeLimits, shapes_of, sizes_within, smallest_first
from conformance.inputs.states import select_states
from conformance.inputs.tensor_recipes import buildable, tensor_recipe
from conformance.inputs.values import SWEEP, patterns
from conformance.language.input_domains import STATES, STATES_IF_NAMED, layouts_without
from conformance.language.input_domains import TENSOR_LAYOUTS as LAYOUTS

AXES = ("dtype", "layout", "size", "state")
"""What the four values of a combination are."""

Names = Union[str, Sequence[str], None]


class TensorDomain:
    """The tensors that one ``tensor(...)`` stands for.

    Two domains are equal when they admit the same combinations, so that what is worked out for one serves the other.

    Parameters
    ----------
    dtypes, layouts, states
        The names that are admitted, simplest first.
    limits
        The shapes that are admitted.
    device
        The device of the tensors.
    """

    axes = AXES

    def __init__(
        self,
        dtypes: tuple[str, ...],
        layouts: tuple[str, ...],
        states: tuple[str, ...],
        limits: ShapeLimits,
        device: str,
    ) -> None:
        self.limits = limits
        self.device = device
        self.sizes = sizes_within(limits)
        self.factors = (dtypes, layouts, self.sizes, states)
        self.smallest_first = (dtypes, layouts, smallest_first(self.sizes), states)
        self._fitting = {
            (layout, size): bool(shapes_of(size, layout, limits)) for layout in layouts for size in self.sizes
        }
        self._identity = (self.factors, tuple(self._fitting.values()), device)
        self._hash = hash(self._identity)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, TensorDomain) and self._identity == other._identity)

    def __hash__(self) -> int:
        return self._hash

    def __call__(self, combination: tuple[Any, ...]) -> bool:
        """Tell whether a combination of dtype, layout, size and state is in the domain."""
        dtype, layout, size, state = combination
        return self._fitting.get((layout, size), False) and buildable(dtype, layout, state, self.device)

    def __repr__(self) -> str:
        narrowed = "; ".join(f"{axis} {', '.join(values) or 'none'}" for axis, values in zip(AXES, self.factors))
        return f"tensors of {narrowed}"


@cache
def tensor_domain(
    dtypes: tuple[str, ...], layouts: tuple[str, ...], states: tuple[str, ...], limits: ShapeLimits, device: str
) -> TensorDomain:
    """Return the domain with these bounds, the same object each time.

    Parameters
    ----------
    dtypes, layouts, states, limits, device
        As for `TensorDomain`.
    """
    return TensorDomain(dtypes, layouts, states, limits, device)


class TensorInput(Input):
    """A tensor of a domain.

    Parameters
    ----------
    domain
        The tensors there are.
    finite
        Whether nan, infinities and -0.0 are left out.
    denormal
        Whether denormal numbers are drawn too.
    """

    axes = AXES

    def __init__(self, domain: TensorDomain, finite: bool, denormal: bool = False) -> None:
        self.domain = domain
        self._finite = finite
        self._denormal = denormal

    def recipe(self, label: str, choices: Choices) -> str:
        """Return the expression that builds one tensor of the domain."""
        domain = self.domain
        dtype, layout, size, state = choices.combine(label, domain.factors, domain)
        shape = choices.pick(label + ".shape", shapes_of(size, layout, domain.limits), sweep=1)
        finite = self._finite
        filled = patterns(dtype, finite, self._denormal)
        pattern = choices.pick(label + ".values", filled, sweep=SWEEP[finite] + self._denormal)
        return tensor_recipe(dtype, layout, shape, state, pattern, finite, domain.device)


@input_kind
def tensor(
    *classes: object,
    dtype: object = None,
    requires_grad: Optional[bool] = None,
    leaf: Optional[bool] = None,
    min_size: int = 0,
    max_size: Optional[int] = None,
    ndim: Optional[int] = None,
    min_ndim: int = 0,
    max_ndim: int = 4,
    layout: Names = None,
    without: Names = None,
    state: Names = None,
    writable: Optional[bool] = None,
    finite: bool = False,
    device: Optional[str] = None,
    shape: Optional[Sequence[int]] = None,
    denormal: bool = False,
) -> TensorInput:
    """Draw any tensor: every dtype, memory layout, size and autograd state, unless narrowed.

    Parameters
    ----------
    *classes
        Classes of dtypes; a tensor has a dtype of any of them.
    dtype
        One dtype or a list of them, as ``torch.float64`` or ``"float64"``.
    requires_grad
        True for tensors that require grad (of state leaf, nonleaf, parameter or leaf_view), False for the others.
    leaf
        True for leaves (of state plain, leaf, parameter or detached), False for the others.
    min_size, max_size
        Bounds of the number of elements.
    ndim
        The number of dimensions.
    min_ndim, max_ndim
        Bounds of the number of dimensions; at most 6.
    layout
        One layout or a list of them: contiguous, transposed, sliced (every second element of the last dimension),
        offset (starts later in its storage), expanded (stride 0), permuted, conj (conjugate bit), neg (negative
        bit), channels_last.
    without
        One layout or a list of them to leave out.
    state
        One autograd state or a list of them: plain (never required grad), leaf (requires grad), nonleaf (result of
        an operation), parameter (torch.nn.Parameter), leaf_view (view of a leaf that requires grad), detached
        (result of detach() of a tensor that requires grad). Drawn only if they are named: inference (made in inference
        mode), with_grad (a leaf that requires grad, with a .grad of ones), hooked (a leaf that requires grad, with a
        hook that changes nothing), subclass (of a subclass of torch.Tensor; never required grad).
    writable
        True for states in which autograd admits a write in place (plain, nonleaf, detached), False for those in which
        it refuses one (leaf, parameter, leaf_view). Of the layouts, an expanded tensor refuses most writes too.
    finite
        True to leave out nan, infinities and -0.0.
    device
        The device; that under test when not given.
    shape
        The only shape.
    denormal
        True to draw denormal numbers too, of the dtypes from float16 to float64.

    Examples
    --------
    ``x: tensor(floating, requires_grad=True, min_size=1)``
    """
    return _tensor_input(
        select_dtypes(classes, dtype),
        _layouts(layout, without),
        _states(requires_grad, leaf, writable, state),
        _limits(min_size, max_size, ndim, min_ndim, max_ndim, shape),
        finite,
        device,
        denormal,
    )


@input_kind
def tensor_like(
    x: torch.Tensor,
    *classes: object,
    dtype: object = None,
    requires_grad: Optional[bool] = None,
    leaf: Optional[bool] = None,
    layout: Names = None,
    without: Names = None,
    state: Names = None,
    writable: Optional[bool] = None,
    finite: bool = False,
) -> TensorInput:
    """Draw a tensor with the shape, dtype and device of another one, but its own values, layout and state.

    Parameters
    ----------
    x
        The other tensor, an earlier input.
    *classes
        Classes of dtypes to have in place of the dtype of ``x``.
    dtype
        One dtype or a list of them to have in place of the dtype of ``x``.
    requires_grad, leaf, layout, without, state, writable, finite
        As for ``tensor``.

    Examples
    --------
    ``other: tensor_like(x, requires_grad=False)``
    """
    if not classes and dtype is None:
        dtype = x.dtype
    return _tensor_input(
        select_dtypes(classes, dtype),
        _layouts(layout, without),
        _states(requires_grad, leaf, writable, state),
        _limits(0, None, None, 0, 4, tuple(x.shape)),
        finite,
        _device_of(x),
    )


@input_kind
def broadcastable_with(
    x: torch.Tensor,
    *classes: object,
    dtype: object = None,
    requires_grad: Optional[bool] = None,
    leaf: Optional[bool] = None,
    layout: Names = None,
    without: Names = None,
    state: Names = None,
    writable: Optional[bool] = None,
    finite: bool = False,
    into: bool = False,
) -> Input:
    """Draw a tensor with the dtype and device of another one, of a shape that broadcasts with its shape.

    Parameters
    ----------
    x
        The other tensor, an earlier input.
    *classes
        Classes of dtypes to have in place of the dtype of ``x``.
    dtype
        One dtype or a list of them to have in place of the dtype of ``x``.
    requires_grad, leaf, layout, without, state, writable, finite
        As for ``tensor``.
    into
        True for shapes that broadcast to the shape of ``x`` itself, as in-place operations need.

    Examples
    --------
    ``other: broadcastable_with(x)``
    """
    if not classes and dtype is None:
        dtype = x.dtype
    return _Broadcastable(
        _broadcastable_shapes(tuple(x.shape), into),
        select_dtypes(classes, dtype),
        _layouts(layout, without),
        _states(requires_grad, leaf, writable, state),
        finite,
        _device_of(x),
    )


class _Broadcastable(Input):
    def __init__(self, shapes: tuple[Shape, ...], *rest: Any) -> None:
        self._shapes = shapes
        self._rest = rest

    def recipe(self, label: str, choices: Choices) -> str:
        shape = choices.pick(label + ".broadcast", self._shapes)
        dtypes, layouts, states, finite, device = self._rest
        limits = _limits(0, None, None, 0, 4, shape)
        return _tensor_input(dtypes, layouts, states, limits, finite, device).recipe(label, choices)


@cache
def _broadcastable_shapes(shape: Shape, into: bool) -> tuple[Shape, ...]:
    shapes = [shape, (), *(shape[start:] for start in range(1, len(shape)))]
    for dim, size in enumerate(shape):
        if size != 1:
            shapes.append((*shape[:dim], 1, *shape[dim + 1 :]))
        elif not into:
            shapes += [(*shape[:dim], other, *shape[dim + 1 :]) for other in (2, 0)]
    shapes.append((1,) * len(shape))
    if not into:
        shapes += [(1, *shape), (2, *shape)]
    return tuple(dict.fromkeys(shapes))


def _device_of(x: torch.Tensor) -> str:
    # A name without an index, as recipes have it, says the same of the first device of a type.
    return str(x.device) if x.device.index else str(x.device.type)


def _layouts(layout: Names, without: Names) -> tuple[str, ...]:
    admitted = select_names("layout", layout, LAYOUTS)
    return admitted if without is None else layouts_without(select_names("layout", without, LAYOUTS), admitted)


def _states(
    requires_grad: Optional[bool], leaf: Optional[bool], writable: Optional[bool], state: Names
) -> tuple[str, ...]:
    named = STATES if state is None else select_names("state", state, STATES + STATES_IF_NAMED)
    return select_states(requires_grad, leaf, writable, named)


def _tensor_input(
    dtypes: tuple[str, ...],
    layouts: tuple[str, ...],
    states: tuple[str, ...],
    limits: ShapeLimits,
    finite: bool,
    device: Optional[str],
    denormal: bool = False,
) -> TensorInput:
    if device is None:
        device = current_device()
    return TensorInput(tensor_domain(dtypes, layouts, states, limits, device), finite, denormal)


def _limits(
    min_size: int,
    max_size: Optional[int],
    ndim: Optional[int],
    min_ndim: int,
    max_ndim: int,
    shape: Optional[Sequence[int]],
) -> ShapeLimits:
    if shape is not None:
        shape = tuple(shape)
        return ShapeLimits(min_size, max_size, len(shape), len(shape), shape)
    if ndim is not None:
        min_ndim = max_ndim = ndim
    return ShapeLimits(min_size, max_size, min_ndim, max_ndim)

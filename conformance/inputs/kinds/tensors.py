"""Tensors: every dtype, memory layout, size class and autograd state."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any, Optional, Union

import torch

from conformance.inputs.choices import Choices
from conformance.inputs.device import current_device
from conformance.inputs.dtypes import COMPLEX, DIFFERENTIABLE, select_dtypes, select_names
from conformance.inputs.kind import Input, input_kind
from conformance.inputs.layouts import LAYOUTS, Shape, arrangement, has_layout, view_arrangement
from conformance.inputs.recipes import BASE_NAMESPACE, Unbuildable, build
from conformance.inputs.shapes import SIZES, ShapeLimits, shapes_of, size_class
from conformance.inputs.states import STATES, has_state, select_states
from conformance.inputs.values import SWEEP, imaginary_literal, literal, patterns

AXES = ("dtype", "layout", "size", "state")
"""What the four values of a combination are."""

Names = Union[str, Sequence[str], None]

# The real dtypes whose complex counterpart has them as its parts; the way to the negative bit.
_COMPLEX_WITH_PARTS = {"float32": "complex64", "float64": "complex128", "float16": "complex32"}
_INFERRED = frozenset(("float32", "int64", "bool", "complex64"))


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
        self.sizes = SIZES if limits.shape is None else (size_class(limits.shape),)
        self.factors = (dtypes, layouts, self.sizes, states)
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
    """

    axes = AXES

    def __init__(self, domain: TensorDomain, finite: bool) -> None:
        self.domain = domain
        self._finite = finite

    def recipe(self, label: str, choices: Choices) -> str:
        """Return the expression that builds one tensor of the domain."""
        domain = self.domain
        dtype, layout, size, state = choices.combine(label, domain.factors, domain)
        shape = choices.pick(label + ".shape", shapes_of(size, layout, domain.limits), sweep=1)
        finite = self._finite
        pattern = choices.pick(label + ".values", patterns(dtype, finite), sweep=SWEEP[finite])
        return tensor_recipe(dtype, layout, shape, state, pattern, finite, domain.device)


_tensor_recipes: dict[tuple[Any, ...], str] = {}


def tensor_recipe(
    dtype: str,
    layout: str,
    shape: Shape,
    state: str,
    pattern: str = "counting",
    finite: bool = False,
    device: str = "cpu",
) -> str:
    """Return the expression that builds a tensor.

    Parameters
    ----------
    dtype, layout, state
        Names from the domain; the layout fits the shape.
    shape
        The shape of the tensor.
    pattern
        How to fill it; see `conformance.inputs.values.patterns`.
    finite
        Whether nan, infinities and -0.0 are left out.
    device
        The device of the tensor; the recipe says it where it is not ``cpu``.
    """
    key = (dtype, layout, shape, state, pattern, finite, device)
    recipe = _tensor_recipes.get(key)
    if recipe is None:
        recipe = _tensor_recipes[key] = _write_recipe(*key)
    return recipe


def _write_recipe(dtype: str, layout: str, shape: Shape, state: str, pattern: str, finite: bool, device: str) -> str:
    arranged = view_arrangement(layout, shape) if state == "leaf_view" else arrangement(layout, shape)
    source_dtype = _COMPLEX_WITH_PARTS[dtype] if layout == "neg" else dtype
    write = imaginary_literal if layout == "neg" else literal
    is_empty = 0 in arranged.base
    cast = source_dtype.startswith("float8")
    grad_first = state in ("nonleaf", "leaf_view", "detached") or (state == "leaf" and not arranged.suffix)

    if is_empty and len(arranged.base) > 1:
        call = "torch.empty(" + ", ".join(map(str, arranged.base))
    else:
        call = f"torch.tensor({write(dtype, arranged.base, pattern, finite)}"
    if source_dtype != "float32" and not cast and (is_empty or source_dtype not in _INFERRED):
        call += f", dtype=torch.{source_dtype}"
    if device != "cpu":
        call += f', device="{device}"'
    if grad_first and not cast:
        call += ", requires_grad=True"
    recipe = call + ")"
    if cast:
        recipe += f".to(torch.{source_dtype})" + (".requires_grad_()" if grad_first else "")

    if state == "nonleaf":
        recipe += ".clone()"
    recipe += arranged.suffix
    if state == "leaf" and not grad_first:
        recipe += ".requires_grad_()"
    if state == "detached":
        recipe += ".detach()"
    return f"torch.nn.Parameter({recipe})" if state == "parameter" else recipe


_buildable: dict[tuple[str, str, str, str], bool] = {}
_SHAPES_TO_TRY: dict[str, Shape] = {"transposed": (2, 2), "permuted": (2, 2, 2), "channels_last": (1, 2, 2, 2)}


def buildable(dtype: str, layout: str, state: str, device: str = "cpu") -> bool:
    """Tell whether this torch can build such a tensor; found by building one, the first time.

    Parameters
    ----------
    dtype, layout, state
        Names from the domain.
    device
        The device of the tensor.
    """
    key = (dtype, layout, state, device)
    known = _buildable.get(key)
    if known is None:
        known = _buildable[key] = _try_building(*key)
    return known


def _try_building(dtype: str, layout: str, state: str, device: str) -> bool:
    if not hasattr(torch, dtype):
        return False
    if state != "plain" and dtype not in DIFFERENTIABLE:
        return False
    if layout == "conj" and dtype not in COMPLEX:
        return False
    if layout == "neg" and dtype not in _COMPLEX_WITH_PARTS:
        return False
    if layout == "neg" and not buildable(_COMPLEX_WITH_PARTS[dtype], "conj", "plain", device):
        return False
    if (layout, state) != ("contiguous", "plain") and not buildable(dtype, "contiguous", "plain", device):
        return False
    recipe = tensor_recipe(dtype, layout, _SHAPES_TO_TRY.get(layout, (2,)), state, device=device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tensor = build(recipe, BASE_NAMESPACE)
            # A dtype whose values cannot be read as another one is a name without an implementation.
            tensor.to(torch.complex128 if dtype in COMPLEX else torch.float64)
        except (Unbuildable, RuntimeError):
            return False
        return (
            tensor.dtype == getattr(torch, dtype)
            and tensor.device.type == torch.device(device).type
            and has_layout(tensor, layout)
            and has_state(tensor, state)
        )


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
    state: Names = None,
    finite: bool = False,
    device: Optional[str] = None,
    shape: Optional[Sequence[int]] = None,
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
        Bounds of the number of dimensions.
    layout
        One layout or a list of them: contiguous, transposed, sliced (every second element of the last dimension),
        offset (starts later in its storage), expanded (stride 0), permuted, conj (conjugate bit), neg (negative
        bit), channels_last.
    state
        One autograd state or a list of them: plain (never required grad), leaf (requires grad), nonleaf (result of
        an operation), parameter (torch.nn.Parameter), leaf_view (view of a leaf that requires grad), detached
        (result of detach() of a tensor that requires grad).
    finite
        True to leave out nan, infinities and -0.0.
    device
        The device; that under test when not given.
    shape
        The only shape.

    Examples
    --------
    ``x: tensor(floating, requires_grad=True, min_size=1)``
    """
    return _tensor_input(
        select_dtypes(classes, dtype),
        layout,
        select_states(requires_grad, leaf, select_names("state", state, STATES)),
        _limits(min_size, max_size, ndim, min_ndim, max_ndim, shape),
        finite,
        device,
    )


@input_kind
def tensor_like(
    x: torch.Tensor,
    *classes: object,
    dtype: object = None,
    requires_grad: Optional[bool] = None,
    leaf: Optional[bool] = None,
    layout: Names = None,
    state: Names = None,
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
    requires_grad, leaf, layout, state, finite
        As for ``tensor``.

    Examples
    --------
    ``other: tensor_like(x, requires_grad=False)``
    """
    if not classes and dtype is None:
        dtype = x.dtype
    return _tensor_input(
        select_dtypes(classes, dtype),
        layout,
        select_states(requires_grad, leaf, select_names("state", state, STATES)),
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
    state: Names = None,
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
    requires_grad, leaf, layout, state, finite
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
        layout,
        select_states(requires_grad, leaf, select_names("state", state, STATES)),
        finite,
        _device_of(x),
    )


class _Broadcastable(Input):
    def __init__(self, shapes: tuple[Shape, ...], *rest: Any) -> None:
        self._shapes = shapes
        self._rest = rest

    def recipe(self, label: str, choices: Choices) -> str:
        shape = choices.pick(label + ".broadcast", self._shapes)
        dtypes, layout, states, finite, device = self._rest
        limits = _limits(0, None, None, 0, 4, shape)
        return _tensor_input(dtypes, layout, states, limits, finite, device).recipe(label, choices)


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
    return str(x.device) if x.device.type != "cuda" else "cuda"


@cache
def _checked_layouts(layout: Union[str, tuple[str, ...], None]) -> tuple[str, ...]:
    return select_names("layout", layout, LAYOUTS)


def _tensor_input(
    dtypes: tuple[str, ...],
    layout: Names,
    states: tuple[str, ...],
    limits: ShapeLimits,
    finite: bool,
    device: Optional[str],
) -> TensorInput:
    layouts = _checked_layouts(layout if layout is None or isinstance(layout, str) else tuple(layout))
    if device is None:
        device = current_device()
    return TensorInput(tensor_domain(dtypes, layouts, states, limits, device), finite)


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

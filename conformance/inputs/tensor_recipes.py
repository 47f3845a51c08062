"""Recipes of tensors: the expression that builds one, and whether this torch can build it."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from conformance.inputs.dtypes import DIFFERENTIABLE
from conformance.inputs.layouts import Shape, arrangement, has_layout, view_arrangement
from conformance.inputs.recipes import BASE_NAMESPACE, Unbuildable, build
from conformance.inputs.states import OF_EVERY_DTYPE, has_state
from conformance.inputs.values import imaginary_literal, literal
from conformance.language.input_domains import COMPLEX

# The real dtypes whose complex counterpart has them as its parts; the way to the negative bit.
_COMPLEX_WITH_PARTS = {"float32": "complex64", "float64": "complex128", "float16": "complex32"}
_INFERRED = frozenset(("float32", "int64", "bool", "complex64"))

# How to get the states that are drawn only if they are named: the state of the tensor to start from, and what to do.
_MADE_FROM = {
    "inference": ("plain", "torch.inference_mode()(lambda: {})()"),
    "with_grad": ("leaf", "(lambda t: (t.backward(torch.ones_like(t)), t)[1])({})"),
    "hooked": ("leaf", "(lambda t: (t.register_hook(lambda grad: None), t)[1])({})"),
    "subclass": ("plain", '{}.as_subclass(type("Subclass", (torch.Tensor,), {{}}))'),
}

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
    if state in _MADE_FROM:
        source, made = _MADE_FROM[state]
        return made.format(_write_recipe(dtype, layout, shape, source, pattern, finite, device))
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
    if state not in OF_EVERY_DTYPE and dtype not in DIFFERENTIABLE:
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

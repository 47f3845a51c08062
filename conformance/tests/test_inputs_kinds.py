"""Inputs that are not tensors, and those that go with an earlier one: all that is drawn is valid."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
import torch

from conformance.inputs.choices import CanonicalChoices, NoSuchInput, SweepChoices
from conformance.inputs.given import Given, InvalidGiven
from conformance.inputs.kind import registered_kinds
from conformance.inputs.shapes import ShapeLimits, shapes_within
from conformance.language.model import Fragment, Place


def given(**expressions: Any) -> Any:
    place = Place("spec/example.yaml", 1, 1)
    return Given(tuple((name, Fragment(text, place)) for name, text in expressions.items()), "cpu")


def values(expression: Any, **earlier: Any) -> Any:
    """Return everything that a sweep draws, for each small shape of an earlier input where there is one."""
    found = []
    inputs = given(**earlier, drawn=expression)
    position, length = 0, 1
    while position < length:
        choices = SweepChoices(position)
        found.append(inputs.draw(choices).values)
        length = max(length, choices.length)
        position += 1
    return found


def drawn(expression: Any) -> Any:
    return [found["drawn"] for found in values(expression)]


SHAPES = [shape for shape in shapes_within(ShapeLimits()) if max(shape, default=0) < 4][:90]


def with_each_shape(expression: Any) -> Any:
    for shape in SHAPES:
        x = f"tensor(dtype='float32', layout='contiguous', state='plain', shape={shape})"
        try:
            yield from values(expression, x=x)
        except NoSuchInput:
            assert 0 in shape
            assert expression == "index_of(x)"


def test_dims_are_valid_and_all_occur() -> None:
    for found in with_each_shape("dim_of(x)"):
        found["x"].unbind(found["drawn"]) if found["x"].dim() else found["x"].sum(found["drawn"])
    assert {found["drawn"] for found in values("dim_of(x)", x="tensor(shape=(2, 2, 2))")} == {0, 1, 2, -1, -2, -3}
    assert {found["drawn"] for found in values("dim_of(x)", x="tensor(shape=())")} == {0, -1}
    assert min(found["drawn"] for found in values("dim_of(x, negative=False)", x="tensor(ndim=3)")) == 0


def test_several_dims_are_different() -> None:
    lengths = set()
    for found in with_each_shape("dims_of(x)"):
        dims = found["drawn"]
        found["x"].sum(dims)
        count = max(found["x"].dim(), 1)
        assert len({dim % count for dim in dims}) == len(dims) > 0
        lengths.add(len(dims))
    assert lengths == {1, 2, 3, 4}


def test_permutations_are_permutations() -> None:
    for found in with_each_shape("permutation_of(x)"):
        assert found["x"].permute(found["drawn"]).dim() == found["x"].dim()
    orders = {found["drawn"] for found in values("permutation_of(x, negative=False)", x="tensor(shape=(2, 2, 2))")}
    assert len(orders) == 6


def test_index_names_one_element() -> None:
    for found in with_each_shape("index_of(x)"):
        assert found["x"][found["drawn"]].dim() == 0
        assert len(found["drawn"]) == found["x"].dim()


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_basic_indices_give_views() -> None:
    kinds = set()
    for found in with_each_shape("basic_index_of(x)"):
        x = found["x"]
        result = x[found["drawn"]]
        assert result.numel() == 0 or result.storage().data_ptr() == x.storage().data_ptr()
        kinds.add(type(found["drawn"]))
    assert kinds == {int, slice, tuple, type(None), type(...)}


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_advanced_indices_give_copies() -> None:
    kinds = set()
    for found in with_each_shape("advanced_index_of(x)"):
        x = found["x"]
        result = x[found["drawn"]]
        assert result.numel() == 0 or result.storage().data_ptr() != x.storage().data_ptr()
        kinds.add(type(found["drawn"]))
    assert kinds == {torch.Tensor, tuple, list}


def test_indices_fit_arrays_too() -> None:
    for found in values("basic_index_of(a)", a="array(min_size=1)"):
        found["a"][found["drawn"]]
    for found in values("index_of(a)", a="array(min_size=1)"):
        assert np.ndim(found["a"][found["drawn"]]) == 0


def test_shapes_have_as_many_elements() -> None:
    for found in with_each_shape("shape_with_numel(x)"):
        assert math.prod(found["drawn"]) == found["x"].numel()
    for found in with_each_shape("shape_with_numel(x, infer=True)"):
        assert found["drawn"].count(-1) == 1
        assert found["x"].reshape(found["drawn"]).numel() == found["x"].numel()


def test_shapes_can_be_expanded_to() -> None:
    grown = 0
    for found in with_each_shape("expanded_shape_of(x)"):
        assert tuple(found["x"].expand(found["drawn"]).shape) == found["drawn"]
        grown += found["drawn"] != tuple(found["x"].shape)
    assert grown > 100
    assert any(-1 in found["drawn"] for found in with_each_shape("expanded_shape_of(x, keep=True)"))
    for found in with_each_shape("expanded_shape_of(x, keep=True)"):
        found["x"].expand(found["drawn"])


def test_shapes_keep_their_bounds() -> None:
    for shape in drawn("shape(min_ndim=1, max_ndim=2, min_size=1, max_size=6)"):
        assert 1 <= len(shape) <= 2
        assert 1 <= math.prod(shape) <= 6


def test_integers_keep_their_bounds_and_reach_them() -> None:
    assert set(drawn("integer(-2, 3)")) == {-2, -1, 0, 1, 2, 3}
    wide = drawn("integer(-5, 10**6)")
    assert {-5, 0, 10**6} <= set(wide)
    assert all(-5 <= value <= 10**6 for value in wide)
    with pytest.raises(InvalidGiven, match="the smallest comes first"):
        drawn("integer(3, 1)")


def test_numbers_are_of_their_class() -> None:
    assert {type(value) for value in drawn("number()")} == {int, float, bool, complex}
    assert {type(value) for value in drawn("number(integral, floating)")} == {int, float}
    assert any(math.isnan(value) for value in drawn("number(floating)"))
    assert all(math.isfinite(value) for value in drawn("number(floating, finite=True)"))
    assert {type(value) for value in drawn("number(differentiable)")} == {float, complex}


def test_flags_dtypes_and_formats() -> None:
    assert drawn("boolean()") == [False, True]
    assert all(dtype.is_floating_point for dtype in drawn("dtype(floating)"))
    assert {torch.float32, torch.int64, torch.bool, torch.complex64} <= set(drawn("dtype()"))
    assert torch.channels_last in drawn("memory_format()")
    assert all(torch.zeros(2).to(dtype).dtype == dtype for dtype in drawn("dtype()"))


def test_one_of_gives_the_values() -> None:
    assert drawn("one_of(3, 'sum', None, torch.int8, (1, 2))") == [3, "sum", None, torch.int8, (1, 2)]
    with pytest.raises(InvalidGiven, match="does not give the value back"):
        drawn("one_of(object())")


def test_nested_lists_make_tensors() -> None:
    shapes = set()
    for data in drawn("numbers()"):
        shapes.add(tuple(torch.tensor(data).shape))
    assert {(3,), (2, 3), (0,)} <= shapes
    assert {torch.tensor(data).dtype for data in drawn("numbers(integral, min_size=1)")} == {torch.int64}
    assert {np.ndim(data) for data in drawn("numbers(floating, ndim=2)")} == {2}
    assert given(x="numbers()").draw(CanonicalChoices()).values["x"] == [1, 2, 3]


def test_modules_have_what_is_asked_for() -> None:
    for module in drawn("module(parameters=True)"):
        assert list(module.parameters())
        assert module.training
    assert all(list(module.buffers()) for module in drawn("module(buffers=True)"))
    for module in drawn("module(parameters=False, buffers=False)"):
        assert not module.state_dict()


def test_every_kind_is_documented() -> None:
    kinds = registered_kinds()
    assert {"tensor", "array", "dim_of", "module", "one_of"} <= set(kinds)
    for name, kind in kinds.items():
        text = inspect.getdoc(kind)
        assert text, name
        assert "Examples\n--------" in text
        for parameter in inspect.signature(kind).parameters:
            assert parameter in text, f"{name} does not describe {parameter}"


@pytest.mark.parametrize("earlier", ["tensor()", "tensor(ndim=0)", "tensor(max_size=0)", "tensor(layout='expanded')"])
def test_examples_of_dependent_kinds_go_with_every_tensor(earlier: Any) -> None:
    for kind in ("dim_of", "dims_of", "permutation_of", "basic_index_of", "shape_with_numel", "expanded_shape_of"):
        assert values(f"{kind}(x)", x=earlier)

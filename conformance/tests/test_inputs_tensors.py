"""The domain of tensors is what its names say: every admitted combination, built and looked at."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from conformance.inputs.choices import CanonicalChoices
from conformance.inputs.covering import admissible_pairs, admissible_rows, covering_rows
from conformance.inputs.given import InvalidGiven, NoSuchInput
from conformance.inputs.layouts import fits
from conformance.inputs.recipes import BASE_NAMESPACE, build
from conformance.inputs.shapes import SIZES, ShapeLimits, shapes_of, shapes_within
from conformance.inputs.tensor_recipes import buildable, tensor_recipe
from conformance.inputs.values import patterns
from conformance.language.input_domains import STATES
from conformance.language.input_domains import TENSOR_LAYOUTS as LAYOUTS
from conformance.tests.drawn_tensors import assert_layout, assert_state, covered_pairs, domain, given, sweep

WHOLE = admissible_rows(*domain("tensor()"))


def assert_size(x: Any, size: Any) -> None:
    if size == "empty":
        assert x.numel() == 0
    elif size == "one":
        assert x.numel() == 1
        assert x.dim() > 0
    elif size == "0-d":
        assert x.dim() == 0
    else:
        assert x.numel() > 1
        assert f"{x.dim()}-d" == size


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_admitted_combination_is_what_it_says(layout: Any) -> None:
    limits = ShapeLimits()
    rows = [row for row in WHOLE if row[1] == layout]
    if not rows:
        assert layout in ("conj", "neg")
    for dtype, _, size, state in rows:
        shape = shapes_of(size, layout, limits)[0]
        recipe = tensor_recipe(dtype, layout, shape, state)
        x = build(recipe, BASE_NAMESPACE)
        assert x.dtype == getattr(torch, dtype), recipe
        assert tuple(x.shape) == shape, recipe
        assert x.device.type == "cpu"
        assert_layout(x, layout)
        assert_state(x, state, recipe)
        assert_size(x, size)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_shape_keeps_layout_and_state(layout: Any, state: Any) -> None:
    dtype = "complex64" if layout == "conj" else "float32"
    if not buildable(dtype, layout, state):
        assert layout in ("conj", "neg")
        return
    shapes = [shape for shape in shapes_within(ShapeLimits()) if fits(layout, shape)]
    assert shapes
    for shape in shapes[:: 1 if state == "plain" else 7]:
        recipe = tensor_recipe(dtype, layout, shape, state)
        x = build(recipe, BASE_NAMESPACE)
        assert tuple(x.shape) == shape, recipe
        assert_layout(x, layout)
        assert_state(x, state, recipe)


def test_domain_has_every_layout_size_and_state_with_float32() -> None:
    rows = [row for row in WHOLE if row[0] == "float32"]
    lacking = {"conj"} | (set() if hasattr(torch.Tensor, "is_neg") else {"neg"})
    assert {row[1] for row in rows} == set(LAYOUTS) - lacking
    assert {row[2] for row in rows} == set(SIZES)
    assert {row[3] for row in rows} == set(STATES)


def test_domain_has_every_dtype_that_torch_fills() -> None:
    dtypes = {row[0] for row in WHOLE}
    assert {"float16", "bfloat16", "bool", "uint8", "int64", "complex128"} <= dtypes
    for name in ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"):
        assert (name in dtypes) == hasattr(torch, name)


def test_only_differentiable_dtypes_have_states() -> None:
    for dtype, _, _, state in WHOLE:
        if dtype == "bool" or "int" in dtype:
            assert state == "plain"


@pytest.mark.parametrize(
    "expression",
    [
        "tensor()",
        "tensor(floating)",
        "tensor(differentiable, requires_grad=True, min_size=1)",
        "tensor(integral, boolean)",
        "tensor(ndim=3)",
        "tensor(dtype=torch.float64, layout=['contiguous', 'transposed'])",
    ],
)
def test_rows_cover_every_admissible_pair(expression: Any) -> None:
    factors, admits = domain(expression)
    rows = covering_rows(factors, admits)
    assert all(admits(row) for row in rows)
    assert covered_pairs(rows) == covered_pairs(admissible_rows(factors, admits)) == admissible_pairs(factors, admits)
    assert len(rows) < 250


def test_sweep_goes_through_every_pair() -> None:
    examples = sweep(x="tensor()")
    assert covered_pairs([example.made["x"] for example in examples]) == admissible_pairs(*examples[0].domains["x"])
    for example in examples:
        dtype, layout, size, state = example.made["x"]
        x = example.values["x"]
        assert str(x.dtype) == f"torch.{dtype}"
        assert_layout(x, layout)
        assert_size(x, size)
        assert_state(x, state, example.recipes["x"])


def test_canonical_example_is_the_simplest() -> None:
    def canonical(expression: Any) -> Any:
        return given(x=expression).draw(CanonicalChoices()).recipes["x"]

    assert canonical("tensor()") == "torch.tensor([1., 2., 3.])"
    assert canonical("tensor(requires_grad=True)") == "torch.tensor([1., 2., 3.], requires_grad=True)"
    assert canonical("tensor(leaf=False)") == "torch.tensor([1., 2., 3.], requires_grad=True).clone()"
    assert canonical("tensor(integral, ndim=2, layout='transposed')") == "torch.tensor([[1, 2], [3, 4], [5, 6]]).t()"
    assert canonical("tensor(state='parameter')") == "torch.nn.Parameter(torch.tensor([1., 2., 3.]))"
    assert canonical("tensor(shape=(2, 1))") == "torch.tensor([[1.], [2.]])"
    assert canonical("tensor(state='leaf_view')") == "torch.tensor([1., 2., 3.], requires_grad=True)[...]"


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("tensor(floating)", lambda x: x.is_floating_point()),
        ("tensor(complex)", lambda x: x.is_complex()),
        ("tensor(boolean)", lambda x: x.dtype == torch.bool),
        ("tensor(integral)", lambda x: "int" in str(x.dtype)),
        ("tensor(numeric)", lambda x: x.dtype != torch.bool),
        ("tensor(differentiable)", lambda x: x.is_complex() or x.is_floating_point()),
        ("tensor(dtype=[torch.int8, 'float16'])", lambda x: x.dtype in (torch.int8, torch.float16)),
        ("tensor(requires_grad=True)", lambda x: x.requires_grad),
        ("tensor(requires_grad=False)", lambda x: not x.requires_grad),
        ("tensor(leaf=True)", lambda x: x.is_leaf),
        ("tensor(leaf=False)", lambda x: not x.is_leaf),
        ("tensor(min_size=2, max_size=6)", lambda x: 2 <= x.numel() <= 6),
        ("tensor(min_size=100)", lambda x: x.numel() >= 100),
        ("tensor(min_ndim=1, max_ndim=2)", lambda x: 1 <= x.dim() <= 2),
        ("tensor(shape=(2, 0, 3))", lambda x: tuple(x.shape) == (2, 0, 3)),
        ("tensor(shape=(50,))", lambda x: tuple(x.shape) == (50,)),
        ("tensor(layout='sliced')", lambda x: x.stride(-1) == 2),
    ],
)
def test_arguments_narrow(expression: Any, condition: Any) -> None:
    examples = sweep(x=expression)
    assert examples
    assert all(condition(example.values["x"]) for example in examples)


def test_values_are_what_the_recipe_shows() -> None:
    for dtype in sorted({row[0] for row in WHOLE}):
        for pattern in patterns(dtype, finite=True):
            recipe = tensor_recipe(dtype, "contiguous", (2, 3), "plain", pattern, True)
            x = build(recipe, BASE_NAMESPACE)
            wide = x.to(torch.complex128 if x.is_complex() else torch.float64 if x.is_floating_point() else torch.int64)
            shown = eval(recipe[len("torch.tensor(") : recipe.index("]]") + 2])
            values = wide.tolist()
            assert values == shown, recipe
            for value in (number for row in values for number in row):
                parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
                assert all(math.isfinite(part) for part in parts)
                assert all(part or math.copysign(1, part) > 0 for part in parts)


@pytest.mark.skipif(not hasattr(torch.Tensor, "is_neg"), reason="this torch has no negative bit")
def test_negative_bit_changes_no_value() -> None:
    for pattern in patterns("float64", finite=False):
        for shape in ((4,), ()):
            plain, negative = (
                build(tensor_recipe("float64", layout, shape, "plain", pattern), BASE_NAMESPACE).reshape(-1).tolist()
                for layout in ("contiguous", "neg")
            )
            assert list(map(repr, plain)) == list(map(repr, negative))


def test_sweep_meets_special_values_unless_finite() -> None:
    def specials(expression: Any) -> Any:
        found = set()
        for example in sweep(x=expression):
            values = example.values["x"].detach().to(torch.float64).reshape(-1).tolist()
            found |= {repr(value) for value in values}
        return found & {"nan", "inf", "-inf", "-0.0"}

    assert specials("tensor(dtype=torch.float32)") == {"nan", "inf", "-inf", "-0.0"}
    assert specials("tensor(dtype=torch.float32, finite=True)") == set()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("tensor(layout='transpose')", "'transpose' is not a layout; did you mean 'transposed'?"),
        ("tensor(state='leav')", "did you mean 'leaf'?"),
        ("tensor('floatin')", "did you mean 'floating'?"),
        ("tensor(dtype='float31')", "did you mean 'float32'?"),
        ("tensor(unsupported)", "a tensor cannot have them"),
        ("tensor(size=3)", "unexpected keyword"),
        ("3", "not a call of an input kind"),
    ],
)
def test_mistakes_are_told_with_their_place(expression: Any, message: Any) -> None:
    with pytest.raises(InvalidGiven) as caught:
        given(x=expression).draw(CanonicalChoices())
    assert str(caught.value).startswith("spec/tensor/example.yaml:4:12: given x: ")
    assert message in str(caught.value)


def test_nothing_to_draw_is_no_mistake() -> None:
    for expression in ("tensor(boolean, requires_grad=True)", "tensor(layout='conj', dtype='float32')"):
        with pytest.raises(NoSuchInput):
            given(x=expression).draw(CanonicalChoices())
    if not hasattr(torch, "uint16"):
        with pytest.raises(NoSuchInput):
            given(x="tensor(dtype=torch.uint16)").draw(CanonicalChoices())


def test_like_has_shape_and_dtype_of_the_other() -> None:
    for example in sweep(x="tensor()", y="tensor_like(x)"):
        x, y = example.values["x"], example.values["y"]
        assert (x.shape, x.dtype, x.device) == (y.shape, y.dtype, y.device)
        _, layout, size, state = example.made["y"]
        assert_layout(y, layout)
        assert_size(y, size)
        assert_state(y, state, example.recipes["y"])


def test_like_takes_its_own_layouts_and_states() -> None:
    examples = sweep(x="tensor(ndim=2, min_size=2)", y="tensor_like(x)")
    assert len({(example.made["x"][1], example.made["y"][1]) for example in examples}) > 20
    dtypes = {e.values["y"].dtype for e in sweep(x="tensor(ndim=1)", y="tensor_like(x, floating)")}
    assert torch.float64 in dtypes
    assert torch.int64 not in dtypes


def test_broadcastable_shapes_broadcast() -> None:
    for into in (False, True):
        shapes = set()
        for example in sweep(x="tensor()", y=f"broadcastable_with(x, into={into})"):
            x, y = example.values["x"], example.values["y"]
            assert x.dtype == y.dtype
            broadcast = torch.broadcast_tensors(torch.empty(tuple(x.shape)), torch.empty(tuple(y.shape)))[0].shape
            assert not into or broadcast == x.shape
            shapes.add((tuple(x.shape), tuple(y.shape)))
        assert sum(x != y for x, y in shapes) > 10


def test_recipe_names_another_device() -> None:
    recipe = tensor_recipe("float64", "transposed", (2, 2), "leaf", device="meta")
    assert recipe == ('torch.tensor([[1., 2.], [3., 4.]], dtype=torch.float64, device="meta").t().requires_grad_()')
    assert "device" not in tensor_recipe("float64", "contiguous", (2,), "plain")


def test_building_leaves_global_state_alone() -> None:
    before = torch.get_rng_state(), torch.is_grad_enabled(), torch.get_default_dtype()
    sweep(x="tensor()", m="module()", a="array()")
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1:] == (torch.is_grad_enabled(), torch.get_default_dtype())

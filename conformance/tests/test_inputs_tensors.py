"""The domain of tensors is what its names say: every admitted combination, built and looked at."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from conformance.inputs.choices import CanonicalChoices, SweepChoices
from conformance.inputs.covering import admissible_pairs, admissible_rows, covered_pairs, covering_rows
from conformance.inputs.given import Example, Given, InvalidGiven, NoSuchInput
from conformance.inputs.layouts import fits
from conformance.inputs.recipes import BASE_NAMESPACE, build
from conformance.inputs.shapes import SIZES, ShapeLimits, shapes_of, shapes_within
from conformance.inputs.tensor_recipes import buildable, tensor_recipe
from conformance.inputs.values import patterns
from conformance.language.domains import STATES, STATES_IF_NAMED, resolved
from conformance.language.domains import TENSOR_LAYOUTS as LAYOUTS
from conformance.language.model import Fragment, Place

PLACE = Place("spec/tensor/example.yaml", 4, 12)


def given(device: Any = "cpu", **expressions: Any) -> Any:
    return Given(tuple((name, Fragment(text, PLACE)) for name, text in expressions.items()), device)


def domain(expression: Any) -> Any:
    example = given(x=expression).draw(CanonicalChoices())
    return example.domains["x"]


def sweep(**expressions: Any) -> list[Example]:
    inputs = given(**expressions)
    first = SweepChoices(0)
    inputs.draw(first)
    return [inputs.draw(SweepChoices(position)) for position in range(first.length)]


WHOLE = admissible_rows(*domain("tensor()"))


def assert_layout(x: Any, layout: Any) -> None:
    """Judge a layout by other means than the package's own."""
    fresh = torch.empty(tuple(x.shape))
    conj = bool(getattr(x, "is_conj", bool)())
    neg = bool(getattr(x, "is_neg", bool)())
    assert conj == (layout == "conj")
    assert neg == (layout == "neg")
    assert (x.storage_offset() > 0) == (layout in ("offset", "neg"))
    if layout in ("contiguous", "offset", "conj"):
        assert x.stride() == fresh.stride()
        assert x.is_contiguous()
    elif layout == "transposed":
        assert x.stride() != fresh.stride()
        assert x.transpose(-2, -1).stride() == torch.empty(tuple(x.transpose(-2, -1).shape)).stride()
    elif layout == "sliced":
        assert x.stride(-1) == 2
    elif layout == "expanded":
        assert any(stride == 0 and size != 1 for stride, size in zip(x.stride(), x.shape))
    elif layout == "permuted":
        back = x.permute(x.dim() - 1, *range(x.dim() - 1))
        assert x.stride() != fresh.stride()
        assert back.stride() == torch.empty(tuple(back.shape)).stride()
    elif layout == "channels_last":
        assert x.is_contiguous(memory_format=torch.channels_last)
        assert not x.is_contiguous()
    if layout in ("transposed", "permuted", "channels_last") and x.numel():
        assert not x.is_contiguous()


def assert_state(x: Any, state: Any, recipe: Any) -> None:
    assert isinstance(x, torch.nn.Parameter) == (state == "parameter")
    assert x.requires_grad == (state in ("leaf", "nonleaf", "parameter", "leaf_view"))
    assert x.is_leaf == (state not in ("nonleaf", "leaf_view"))
    assert (x.grad_fn is None) == x.is_leaf
    if state == "leaf_view":
        assert x._is_view()
        assert x._base.is_leaf
        assert x._base.requires_grad
    if state == "nonleaf" and x._is_view():
        assert not x._base.is_leaf
    if state == "detached":
        assert recipe.endswith(".detach()")
        assert build(recipe[: -len(".detach()")], BASE_NAMESPACE).requires_grad


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


WORDS = {
    'tensor(without="expanded", min_size=1)': "tensor("
    'layout=["contiguous", "transposed", "sliced", "offset", "permuted", "conj", "neg", "channels_last"], min_size=1)',
    'tensor(without=["conj", "neg", "expanded"])': "tensor("
    'layout=["contiguous", "transposed", "sliced", "offset", "permuted", "channels_last"])',
    "tensor(floating, writable=True)": 'tensor(floating, state=["plain", "nonleaf", "detached"])',
    'tensor(writable=True, without="conj")': 'tensor(state=["plain", "nonleaf", "detached"], '
    'layout=["contiguous", "transposed", "sliced", "offset", "expanded", "permuted", "neg", "channels_last"])',
    "tensor(writable=False, ndim=1)": 'tensor(state=["leaf", "parameter", "leaf_view"], ndim=1)',
    'array(without="broadcast", writable=True)': "array("
    'layout=["contiguous", "fortran", "reversed", "sliced", "offset"], writable=True)',
}


@pytest.mark.parametrize(("short", "long"), WORDS.items())
def test_a_word_for_many_layouts_or_states_draws_what_their_list_draws(short: str, long: str) -> None:
    assert [example.recipes for example in sweep(x=short)] == [example.recipes for example in sweep(x=long)]


@pytest.mark.parametrize(("short", "long"), WORDS.items())
def test_a_word_is_written_out_as_its_list(short: str, long: str) -> None:
    assert resolved(short) == long


def test_a_word_narrows_what_a_list_admits() -> None:
    assert domain('tensor(layout=["contiguous", "expanded"], without="expanded")')[0][1] == ("contiguous",)
    assert domain("tensor(requires_grad=True, writable=True)")[0][3] == ("nonleaf",)


def test_an_unknown_layout_is_refused_in_without() -> None:
    with pytest.raises(InvalidGiven, match="expanding"):
        domain('tensor(without="expanding")')


@pytest.mark.parametrize("layout", LAYOUTS)
def test_up_to_six_dimensions_are_drawn_where_a_domain_asks_for_them(layout: str) -> None:
    limits = ShapeLimits(max_ndim=6)
    found = [row for row in admissible_rows(*domain("tensor(max_ndim=6)")) if row[1] == layout]
    if layout != "channels_last" and found:
        assert {"5-d", "6-d"} <= {row[2] for row in found}
    for size in ("5-d", "6-d") if found else ():
        dtype = "complex64" if layout == "conj" else "float32"
        for shape in shapes_of(size, layout, limits)[::20]:
            recipe = tensor_recipe(dtype, layout, shape, "plain")
            x = build(recipe, BASE_NAMESPACE)
            assert tuple(x.shape) == shape
            assert x.dim() == int(size[0])
            assert_layout(x, layout)


def test_a_sweep_has_tensors_of_six_dimensions_with_several_elements() -> None:
    drawn = [tuple(example.values["x"].shape) for example in sweep(x="tensor(max_ndim=6)")]
    assert max(map(len, drawn)) == 6
    assert any(len(shape) > 4 and sum(size > 1 for size in shape) > 2 for shape in drawn)
    assert {example.values["x"].dim() for example in sweep(x="tensor(ndim=5)")} == {5}


def test_four_dimensions_stay_as_they_were() -> None:
    assert [shape for shape in shapes_within(ShapeLimits(max_ndim=6)) if len(shape) < 5] == list(
        shapes_within(ShapeLimits())
    )
    assert [example.recipes for example in sweep(x="tensor(max_ndim=4)")] == [e.recipes for e in sweep(x="tensor()")]


@pytest.mark.parametrize("expression", ["tensor(max_ndim=7)", "tensor(min_ndim=5)", "array(max_ndim=9)"])
def test_dimensions_that_are_never_drawn_are_refused(expression: str) -> None:
    with pytest.raises(InvalidGiven, match="max_ndim"):
        domain(expression)


def has_named_state(x: torch.Tensor, state: str) -> bool:
    """Judge a state by other means than the package's own."""
    if state == "inference":
        return x.is_inference() and not x.requires_grad
    if state == "subclass":
        return type(x).__mro__[1] is torch.Tensor and not x.requires_grad
    if not x.requires_grad or not x.is_leaf:
        return False
    hooks = list((x._backward_hooks or {}).values())
    if state == "hooked":
        return len(hooks) == 1 and hooks[0](torch.ones(())) is None and x.grad is None
    return not hooks and x.grad is not None and bool((x.grad == torch.ones_like(x)).all())


@pytest.mark.parametrize("state", STATES_IF_NAMED)
def test_a_state_that_is_named_is_what_it_says(state: str) -> None:
    if state == "inference" and not hasattr(torch, "inference_mode"):
        return
    rows = [row for row in admissible_rows(*domain(f'tensor(state="{state}")')) if "float8" not in row[0]]
    assert {row[3] for row in rows} == {state}
    assert len({row[0] for row in rows}) > 5
    for dtype, layout, size, _ in rows[::3]:
        recipe = tensor_recipe(dtype, layout, shapes_of(size, layout, ShapeLimits())[0], state)
        x = build(recipe, BASE_NAMESPACE)
        assert has_named_state(x, state), recipe
        assert x.dtype == getattr(torch, dtype)
        if state != "subclass":
            assert_layout(x, layout)


def test_no_state_is_drawn_that_must_be_named() -> None:
    assert not {row[3] for row in WHOLE} & set(STATES_IF_NAMED)
    assert {row[3] for row in admissible_rows(*domain("tensor_like(torch.ones(2), state=['leaf', 'hooked'])"))} == {
        "leaf",
        "hooked",
    }


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_denormal_numbers_are_drawn_where_a_domain_asks_for_them(dtype: str) -> None:
    least = torch.finfo(getattr(torch, dtype)).tiny

    def has_denormal(expression: str) -> bool:
        examples = sweep(x=expression)
        return any(0 < abs(n) < least for example in examples for n in example.values["x"].reshape(-1).tolist())

    narrowed = f'"{dtype}", requires_grad=False, finite=True'
    assert has_denormal(f"tensor(dtype={narrowed}, denormal=True)")
    assert not has_denormal(f"tensor(dtype={narrowed})")

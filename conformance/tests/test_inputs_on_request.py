"""What is drawn only where a domain asks for it, and the words it may ask with."""

from __future__ import annotations

import pytest
import torch

from conformance.inputs.covering import admissible_rows
from conformance.inputs.given import InvalidGiven
from conformance.inputs.recipes import BASE_NAMESPACE, build
from conformance.inputs.shapes import ShapeLimits, shapes_of, shapes_within
from conformance.inputs.tensor_recipes import tensor_recipe
from conformance.language.input_domains import STATES_IF_NAMED, resolved
from conformance.language.input_domains import TENSOR_LAYOUTS as LAYOUTS
from conformance.tests.drawn_tensors import assert_layout, domain, sweep

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
    assert not {row[3] for row in admissible_rows(*domain("tensor()"))} & set(STATES_IF_NAMED)
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

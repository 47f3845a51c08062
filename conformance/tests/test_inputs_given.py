"""From the expressions of ``given`` to values."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from conformance.inputs.choices import CanonicalChoices, SweepChoices
from conformance.inputs.given import Given, InvalidGiven, NoSuchInput, build_all
from conformance.inputs.recipes import BASE_NAMESPACE, Unbuildable, build
from conformance.language.model import Fragment, Place


def given(**expressions: Any) -> Any:
    return Given(
        tuple(
            (name, Fragment(text, Place("a.yaml", line, 9))) for line, (name, text) in enumerate(expressions.items())
        ),
        "cpu",
    )


def test_a_later_input_sees_the_earlier_ones() -> None:
    inputs = given(x="tensor(min_ndim=2, min_size=2)", dim="dim_of(x)", y="tensor_like(x)")
    for position in range(30):
        example = inputs.draw(SweepChoices(position))
        assert list(example.recipes) == ["x", "dim", "y"]
        x = example.values["x"]
        assert -x.dim() <= example.values["dim"] < x.dim()
        assert example.values["y"].shape == x.shape


def test_an_input_may_have_the_name_of_its_kind() -> None:
    example = given(dtype="dtype(floating)", x="tensor(dtype=dtype)").draw(SweepChoices(1))
    assert example.values["x"].dtype == example.values["dtype"]


def test_script_builds_the_same_inputs() -> None:
    example = given(x="tensor(dtype=torch.int32)", i="index_of(x)").draw(CanonicalChoices())
    assert example.script() == "x = torch.tensor([1, 2, 3], dtype=torch.int32)\ni = (0,)\n"
    namespace = {"torch": torch}
    exec(example.script(), namespace)
    assert torch.equal(namespace["x"], example.values["x"])


def test_rebuilt_inputs_are_equal_and_apart() -> None:
    inputs = given(x="tensor(min_size=1)")
    for position in range(60):
        example = inputs.draw(SweepChoices(position))
        x, again = example.values["x"], example.rebuild()["x"]
        assert (x.shape, x.stride(), x.dtype, x.requires_grad) == (
            again.shape,
            again.stride(),
            again.dtype,
            again.requires_grad,
        )
        assert repr(x.detach().tolist()) == repr(again.detach().tolist())
        assert x.data_ptr() != again.data_ptr()


def test_the_same_position_gives_the_same_example() -> None:
    for position in range(40):
        first, second = (given(x="tensor()", a="array()").draw(SweepChoices(position)).recipes for _ in range(2))
        assert first == second


def test_only_inputs_with_a_fixed_domain_are_counted() -> None:
    example = given(x="tensor()", y="tensor_like(x)", a="array()").draw(CanonicalChoices())
    assert list(example.domains) == ["x", "a"]
    assert example.domains["x"][1].axes == ("dtype", "layout", "size", "state")
    assert example.domains["a"][1].axes == ("dtype", "layout", "size", "memory")
    assert example.made["y"] == ("float32", "contiguous", "1-d", "plain")


def test_an_input_on_the_cpu_by_name() -> None:
    assert given(x="tensor(device='cpu')").draw(CanonicalChoices()).values["x"].device.type == "cpu"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("tensor(", "a.yaml:0:9: given x: not a Python expression"),
        ("tensr()", "a.yaml:0:9: given x: NameError"),
        ("torch.zeros(2)", "a.yaml:0:9: given x: torch.zeros(2) is not a call of an input kind but Tensor"),
        ("dim_of(y)", "NameError"),
    ],
)
def test_mistakes_name_their_place(expression: Any, message: Any) -> None:
    with pytest.raises(InvalidGiven) as caught:
        given(x=expression, y="tensor()").draw(CanonicalChoices())
    assert message in str(caught.value)


def test_an_empty_tensor_has_no_index() -> None:
    with pytest.raises(NoSuchInput):
        given(x="tensor(shape=(0,))", i="index_of(x)").draw(CanonicalChoices())


def test_a_recipe_may_use_earlier_values() -> None:
    values = build_all({"x": "torch.tensor([1., 2.])", "y": "x.t()"})
    assert values["y"].data_ptr() == values["x"].data_ptr()


def test_an_error_of_a_recipe_shows_the_recipe() -> None:
    with pytest.raises(Unbuildable) as caught:
        build("torch.tensor([1.]).view(3)", BASE_NAMESPACE)
    assert caught.value.recipe == "torch.tensor([1.]).view(3)"
    assert isinstance(caught.value.error, RuntimeError)
    assert str(caught.value).startswith("torch.tensor([1.]).view(3) raised RuntimeError: ")


def test_recipes_leave_no_names_behind() -> None:
    before = set(BASE_NAMESPACE)
    given(x="tensor()", n="integer(1, 3)").draw(CanonicalChoices())
    assert set(BASE_NAMESPACE) == before

"""Trying a call: every aspect is observed, and a change of one aspect is observed by it alone."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, Optional

import numpy as np
import pytest
import torch

from conformance.lab.trials import inputs
from conformance.lab.trials.calls import Call
from conformance.lab.trials.observe.program import make
from conformance.lab.trials.observe.trying import buildable_inputs, try_call
from conformance.language.model import Place
from conformance.results.trials.model import ASPECTS, BASE, USUAL, Fact
from conformance.results.trials.rows import UNTRIED, Row

PLAIN = "torch.ones(2, 3)"
TRANSPOSED = "torch.ones(3, 2).t()"
COMPLEX = "torch.ones(2, dtype=torch.complex64)"
EMPTY = "torch.ones(0)"


def tried(text: str, setup: str = "", **given: str) -> list[Row]:
    return try_call(Call("torch.Tensor", setup, text, given, Place("here.yaml", 1, 1)))


def base(text: str, setup: str = "", **given: str) -> dict[tuple[str, str], str]:
    return {(fact.aspect, fact.input): fact.value for fact in tried(text, setup, **given)[0].facts}


def on(rows: list[Row], name: str) -> Optional[dict[tuple[str, str], str]]:
    """Return what differs on an input; nothing where it is as on the base input, None where it was not tried."""
    for row in rows[1:]:
        if name in row.inputs:
            return None if row.inputs[0] == UNTRIED else {(it.aspect, it.input): it.value for it in row.facts}
    return {}


# Two calls that differ in one aspect: the aspect, the input, and the two.
IMPOSTORS = {
    "raises": ("error", PLAIN, "x.clone()", "1 / 0"),
    "another class": ("error", PLAIN, "1 / 0", "[][0]"),
    "another message": ("message", PLAIN, "x.view(5)", "torch.zeros(2).squeeze(7) and x"),
    "warns": ("warning", PLAIN, "x.clone()", "(__import__('warnings').warn('twice'), x.clone())[1]"),
    "another container": ("type", PLAIN, "(x.clone(),)", "[x.clone()]"),
    "another value": ("value", PLAIN, "x.is_leaf", "x.is_complex()"),
    "shares": ("memory", "torch.ones(2, 3, dtype=torch.int64)", "x.clone()", "x.detach()"),
    "view": ("memory", "torch.ones(2, 3, dtype=torch.int64)", "x.detach()", "x.view_as(x)"),
    "same object": ("memory", "torch.ones(2, 3, dtype=torch.int64)", "x.detach()", "x"),
    "another node": ("grad_fn", PLAIN, "x * 2", "x.mul(2).div(1)"),
    "another dtype": ("dtype", "torch.ones(2, dtype=torch.int64)", "x.clone()", "x.short()"),
    "another device": ("device", EMPTY, "x.detach().clone()", "x.detach().to('meta')"),
    "another shape": ("shape", PLAIN, "x.detach().clone().flatten()", "x.detach()[0].clone()"),
    "other strides": (
        "strides",
        TRANSPOSED,
        "x.detach().clone()",
        "x.detach().clone(memory_format=torch.contiguous_format)",
    ),
    "conjugate bit": ("bits", COMPLEX, "x.detach().clone()", "x.detach().clone().conj()"),
    "writes elements": ("writes", PLAIN, "x.detach().clone()", "(x.detach().clone(), x.detach().numpy().fill(7))[0]"),
    "leaves a gradient": ("autograd state", PLAIN, "None", "setattr(x, 'grad', torch.ones(2, 3))"),
    "leaves a hook": ("autograd state", PLAIN, "None", "(x.register_hook(lambda g: g), None)[1]"),
    "default dtype": ("global state", PLAIN, "None", "torch.set_default_dtype(torch.float64)"),
    "grad mode": ("global state", PLAIN, "None", "torch._C._set_grad_enabled(False)"),
}


@pytest.mark.parametrize("what", IMPOSTORS)
def test_a_change_of_one_aspect_is_observed(what: str) -> None:
    aspect, given, honest, impostor = IMPOSTORS[what]
    right, wrong = base(honest, x=given), base(impostor, x=given)
    different = {key for key in {*right, *wrong} if right.get(key) != wrong.get(key)}
    assert aspect in {name for name, _ in different}


def test_every_aspect_is_observed_somewhere() -> None:
    found = {aspect for aspect, *_ in IMPOSTORS.values()}
    # These depend on each other, and have tests of their own below.
    assert set(ASPECTS) - found == {"requires grad", "leaf", "gradient", "version counter"}


@pytest.mark.parametrize(
    ("call", "aspect", "of", "value"),
    [
        ("x.detach()", "memory", "x", "shares storage"),
        ("x.view_as(x)", "memory", "x", "view"),
        ("x.clone()", "memory", "x", "own memory"),
        ("x", "memory", "x", "same object"),
        ("x.data", "requires grad", "", "no"),
        ("x.clone()", "requires grad", "", "yes"),
        ("x.clone()", "leaf", "", "no"),
        ("x.clone()", "gradient", "x", "flows"),
        ("(x * 2).detach().requires_grad_()", "gradient", "x", "does not flow"),
        ("x.clone()", "grad_fn", "", "CloneBackward"),
        ("x.bool()", "dtype", "", "bool"),
        ("x.clone()", "dtype", "", "as x"),
        ("x.flatten()", "shape", "", "x flattened"),
        ("[x]", "type", "", "list of Tensor"),
        ("x.is_contiguous()", "value", "", "True"),
        ("n, m = x.max(0)", "type", "", "tuple of Tensor"),
        ("with torch.no_grad(): y = x * 2", "requires grad", "", "no"),
        ("raise SystemExit(3)", "error", "", "SystemExit"),
        ("torch.nn.parameter.UninitializedParameter()", "shape", "", "raises RuntimeError"),
    ],
)
def test_what_a_call_does_to_a_plain_tensor(call: str, aspect: str, of: str, value: str) -> None:
    assert base(call)[aspect, of] == value


@pytest.mark.parametrize("call", ["x.to_sparse()", "x.to_sparse_csr()", "x.to_mkldnn()"])
def test_the_gradient_of_a_result_that_is_not_strided_flows(call: str) -> None:
    if hasattr(torch.Tensor, call[2:-2]):
        assert base(call)["gradient", "x"] == "flows"


def test_an_error_in_backward_is_observed() -> None:
    function = (
        "type('F', (torch.autograd.Function,), dict(forward=staticmethod(lambda ctx, a: a * 2),"
        " backward=staticmethod(lambda ctx, g: 1 / 0)))"
    )
    assert base("F.apply(x)", f"F = {function}")["gradient", "x"] == "raises ZeroDivisionError: division by zero"


def test_the_result_is_that_of_the_call_and_what_the_setup_makes_is_watched() -> None:
    setup = "p = torch.ones(2, requires_grad=True); p.grad = torch.ones(2); o = torch.optim.SGD([p], lr=0.1)"
    found = base("o.step()", setup)
    assert found["type", ""] == "None"
    assert (found["writes", "p"], found["version counter", "p"]) == ("elements", "rises")


def test_a_call_that_writes_in_place_has_a_base_without_grad_and_says_what_a_leaf_does() -> None:
    rows = tried("x.add_(1)")
    assert dict(rows[0].given) == {"x": inputs.BASES[1]}
    found = {(fact.aspect, fact.input): fact.value for fact in rows[0].facts}
    assert (found["memory", "x"], found["writes", "x"], found["version counter", "x"]) == (
        "same object",
        "elements",
        "rises",
    )
    leaf, expanded = on(rows, "requires grad"), on(rows, "expanded")
    assert leaf is not None
    assert "a leaf Variable that requires grad" in leaf["message", ""]
    assert expanded is not None
    assert "single memory location" in expanded["message", ""]
    assert on(rows, "transposed") == {}


def test_inputs_differ_from_the_base_in_one_thing() -> None:
    rows = tried("x.reshape(-1)")
    assert on(rows, "offset") == {}
    transposed = on(rows, "transposed")
    assert transposed is not None
    assert transposed["memory", "x"] == "own memory"
    assert on(rows, "(0, 3)") == {}  # an empty tensor proves nothing about memory
    no_grad = on(tried("x * 2"), "no_grad()")
    assert no_grad is not None
    assert no_grad["requires grad", ""] == "no"


def test_a_dtype_without_a_kernel_is_an_error_of_that_input() -> None:
    found = on(tried("torch.cumsum(x, 0)"), "float8_e5m2")
    assert found is not None
    if "float8_e5m2" in buildable_inputs():
        assert found["message", ""] == "\"KERNEL\" not implemented for 'DTYPE'"


def test_a_call_that_raises_is_tried_on_base_inputs_alone() -> None:
    (row,) = tried("x.view(7)")
    assert dict(row.given) == {"x": inputs.BASES[0]}
    assert row.tried == ()


def test_what_is_given_is_made_to_require_grad_where_the_call_takes_it() -> None:
    given = "torch.ones(1, 2, 4)"
    assert dict(tried("torch.nn.AvgPool1d(2)(x)", x=given)[0].given) == {"x": f"({given}).requires_grad_()"}
    assert dict(tried("x.add_(1)", x=given)[0].given) == {"x": given}


def test_y_follows_x_and_is_changed_too() -> None:
    rows = tried("x + y")
    assert dict(rows[0].given)["y"] == inputs.OTHER
    assert on(rows, "3-d") == {}
    changed = on(rows, "y requires grad")
    assert changed is not None
    assert changed["gradient", "y"] == "flows"


def test_further_calls_of_a_name_are_tried_on_other_layouts_and_autograd_states() -> None:
    call = Call("torch.Tensor", "", "x + y", {}, Place("here.yaml", 1, 1), is_plainest=False)
    assert try_call(call)[0].tried == ("layout", "autograd", "mode")
    assert try_call(replace(call, is_plainest=True))[0].tried == (*inputs.SETS["x"], "y", "mode")


def test_arrays_are_changed_too() -> None:
    rows = tried("torch.as_tensor(a)")
    assert rows[0].tried == ("a", "mode")
    reversed_, other_order = on(rows, "array reversed"), on(rows, "array of the other byte order")
    assert reversed_ is not None
    assert reversed_["error", ""] == "ValueError"
    assert other_order is not None
    assert other_order["error", ""] in ("TypeError", "ValueError")


def test_a_warning_is_observed_every_time() -> None:
    for _ in range(2):
        assert base("torch.nn.functional.softmax(x)")["warning", ""].startswith("UserWarning: ")


@pytest.mark.parametrize(
    ("call", "state"),
    [
        ("torch._C._set_grad_enabled(False)", "grad mode"),
        ("torch.set_default_dtype(torch.float64)", "default dtype"),
        ("torch.set_num_threads(torch.get_num_threads() + 1)", "number of threads"),
    ],
)
def test_global_state_is_observed_and_put_back(call: str, state: str) -> None:
    before = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()
    assert base(call)["global state", ""] == state
    assert before == (torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads())


def test_what_is_usual_is_not_recorded() -> None:
    assert not {(aspect, value) for (aspect, _), value in base("x.clone()").items()} & set(USUAL.items())


def test_each_input_is_an_expression_that_this_torch_or_a_newer_one_can_make() -> None:
    plain: dict[str, Any] = {"x": torch.ones(2, 3), "y": torch.ones(2, 3), "a": np.ones((2, 3), np.float32)}
    names = [change.name for change in inputs.CHANGES]
    assert len(names) == len(set(names))
    for change in inputs.CHANGES:
        ast.parse(change.expression, mode="eval")
        if change.name in buildable_inputs():
            make(change.expression, dict(plain))
    assert {"float64", "transposed", "(0, 3)", "6-d", "parameter", "inference_mode()"} <= set(buildable_inputs())
    assert BASE not in names


def test_facts_are_of_known_aspects() -> None:
    rows = [row for call in ("x.reshape(-1)", "x.add_(1)", "x.to_sparse()") for row in tried(call)]
    assert {fact.aspect for row in rows for fact in row.facts} <= set(ASPECTS)
    assert all(isinstance(fact, Fact) for row in rows for fact in row.facts)


def test_a_name_that_this_torch_lacks_and_inputs_that_can_not_be_made_are_not_tried() -> None:
    place = Place("here.yaml", 1, 1)
    assert try_call(Call("torch.no_such_name", "", "torch.no_such_name(x)", {}, place)) == []
    assert tried("x.clone()", x="torch.no_such_name(2)") == []
    assert tried("x.clone()", "1 / 0") == []

"""Checks on the autograd graph and on gradients."""

from __future__ import annotations

import pytest
import torch

from conformance.checks import vocabulary
from conformance.tests.hanging import ends
from conformance.tests.plain_programs import Twice, leaf

checks = vocabulary()
equal = checks["equal"]
grad_fn = checks["grad_fn"]
grad_flows = checks["grad_flows"]
gradient = checks["gradient"]
graph_nodes = checks["graph_nodes"]
reaches = checks["reaches"]


def plain(name: str) -> str:
    """Drop the number that some versions add to the name of a node."""
    return name.rstrip("0123456789")


def test_names_of_nodes_are_those_that_are_printed() -> None:
    x = leaf()
    written = x.clone()
    written[0] = 3
    for y in (x * 2, x.clone(), x[0], written, Twice.apply(x), x.double(), x.expand(2, 2)):
        name = grad_fn(y)
        assert name is not None
        assert f"grad_fn=<{name}" in repr(y)
    assert grad_fn(written) == "CopySlices"
    assert grad_fn(Twice.apply(x)) == "TwiceBackward"
    for y in (x, x.detach(), torch.ones(2), x.data):
        assert grad_fn(y) is None


def test_nodes_of_a_graph() -> None:
    w, b = leaf(), leaf()
    assert [plain(name) for name in graph_nodes((w * 2 + b).sum())] == [
        *("SumBackward", "AddBackward", "MulBackward", "AccumulateGrad", "AccumulateGrad")
    ]
    assert [plain(name) for name in graph_nodes(w * w)] == ["MulBackward", "AccumulateGrad"]
    assert graph_nodes(w) == ["AccumulateGrad"]
    for y in (w.detach(), torch.ones(2)):
        assert graph_nodes(y) == []
    first, second = (w * 2).unbind()
    assert len(graph_nodes(first + second)) == len(graph_nodes(first)) + 1


def test_a_node_is_visited_once_however_many_ways_lead_to_it() -> None:
    y = w = leaf()
    for _ in range(100):
        y = y + y
    with ends():
        assert graph_nodes(y) == ["AddBackward0"] * 100 + ["AccumulateGrad"]
        assert reaches(y, w)


def test_what_a_graph_reaches() -> None:
    w, other = leaf(), leaf()
    middle = w.exp()
    y = middle * 2
    for x in (w, middle, y):
        assert reaches(y, x)
    assert reaches(w, w)
    plain = torch.ones(2)
    assert not reaches(plain, plain), "none is reached that does not require grad"
    for x in (other, other.exp(), w.exp(), w.detach(), torch.ones(2), middle.detach()):
        assert not reaches(y, x)
    assert not reaches(w, y)
    assert not reaches(middle, y)
    assert not reaches(y.detach(), w)
    assert not reaches(middle.detach() * 2, w)
    assert not reaches(w.detach().requires_grad_() * 2, w)
    y.sum().backward()
    assert reaches(y, w)


def test_outputs_of_one_node_are_told_apart() -> None:
    first, second = (leaf() * 1).unbind()
    assert reaches(first * 2, first)
    assert not reaches(first * 2, second)


def test_a_parameter_of_a_module_is_reached() -> None:
    module = torch.nn.Linear(2, 1)
    y = module(torch.ones(1, 2))
    assert reaches(y, module.weight)
    assert reaches(y, module.bias)
    assert not reaches(y, torch.nn.Linear(2, 1).weight)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_gradients(dtype: torch.dtype) -> None:
    x = torch.tensor([1.0, 3.0]).to(dtype).requires_grad_()
    assert equal(gradient(x.clone(), x), torch.ones(2).to(dtype))
    assert equal(gradient(x.clone() * 2, x), torch.full((2,), 2.0).to(dtype))
    assert not equal(gradient(x.clone() * 2, x), torch.ones(2).to(dtype))
    assert equal(gradient(x, x), torch.ones(2).to(dtype))
    assert x.grad is None


def test_where_a_gradient_flows() -> None:
    w, other = leaf(), leaf()
    middle = w.exp()
    y = middle * 2 + other.detach()
    assert grad_flows(y, w)
    assert grad_flows(y, middle)
    assert grad_flows(y, y)
    assert grad_flows(w, w)
    assert grad_flows(w * 0, w)
    for x in (other, w.exp(), w.detach(), torch.ones(2)):
        assert not grad_flows(y, x)
        assert gradient(y, x) is None
    assert not grad_flows(y.detach(), w)
    assert not grad_flows(torch.ones(2), w)


def test_gradients_leave_grad_alone() -> None:
    w = leaf()
    middle = w.exp()
    y = middle * 2
    y.retain_grad()
    middle.retain_grad()
    assert gradient(y, middle) is not None
    assert w.grad is None
    assert middle.grad is None
    assert y.grad is None
    y.sum().backward(retain_graph=True)
    kept = [tensor.grad for tensor in (w, middle, y)]
    values = [tensor.clone() for tensor in kept if tensor is not None]
    assert gradient(y, middle) is not None
    assert gradient(y, w) is not None
    assert w.grad is kept[0]
    assert y.grad is kept[2]
    assert equal([w.grad, y.grad], [values[0], values[2]])
    assert grad_flows(y, w), "the graph is kept"


def test_gradients_are_taken_in_any_mode() -> None:
    w = leaf()
    y = w.exp()
    for mode in (torch.no_grad, torch.enable_grad):
        with mode():
            assert grad_flows(y, w)
            assert reaches(y, w)
            assert torch.is_grad_enabled() == (mode is torch.enable_grad)


def test_a_graph_that_cannot_be_run_raises() -> None:
    w = leaf()
    y = w.exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        gradient(y, w)
    z = w.exp()
    z.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grad_flows(z, w)

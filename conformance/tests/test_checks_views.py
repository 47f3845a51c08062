"""Checks on identity and on the views that autograd knows of."""

from __future__ import annotations

import pytest
import torch

from conformance.checks import vocabulary

is_view_of = vocabulary()["is_view_of"]
same_object = vocabulary()["same_object"]


@pytest.mark.parametrize("size", [0, 6])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_views_by_autograds_record(size: int, requires_grad: bool) -> None:
    x = torch.arange(float(size)).requires_grad_(requires_grad)
    view = x.view(2, -1)
    for made in (view, x[:], x[1:], x.t(), x.unsqueeze(0), x.view_as(x), x.expand(2, size), view.t()):
        assert is_view_of(made, x)
        assert not is_view_of(x, made)
    for made in (x, x.clone(), x.detach(), x.data, x * 1, torch.from_numpy(x.detach().numpy())):
        assert not is_view_of(made, x)
    assert is_view_of(view.t(), view)
    assert not is_view_of(view, view)
    assert is_view_of(x[:], view)


def test_views_of_another_tensor() -> None:
    x, y = torch.ones(3), torch.ones(3)
    assert not is_view_of(x[:], y)
    assert not is_view_of(x[:], y[:])
    assert not is_view_of(x[:], x.clone())
    parameter = torch.nn.Parameter(x)
    assert is_view_of(parameter[1:], parameter)
    assert not is_view_of(parameter[1:], x)


def test_a_view_that_was_given_other_memory_is_none() -> None:
    x = torch.ones(3)
    view = x[:]
    view.data = torch.ones(3)
    assert view._is_view()
    assert view._base is x
    assert not is_view_of(view, x)


def test_views_in_modes() -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        assert is_view_of(x[1:], x)
    with torch.inference_mode():
        inference = torch.ones(3)
        assert not is_view_of(inference[1:], inference)


def test_only_tensors_are_views() -> None:
    x = torch.ones(3)
    with pytest.raises(TypeError, match="ndarray"):
        is_view_of(x.numpy(), x)
    with pytest.raises(TypeError, match="list"):
        is_view_of(x, [x])


def test_one_object() -> None:
    x = torch.ones(3)
    assert same_object(x, x)
    assert same_object(x.cpu(), x)
    assert not same_object(x.detach(), x)
    assert not same_object(x, x.clone())

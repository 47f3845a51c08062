"""The same properties as claims of the corpus, written as anyone would write them without this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

DTYPES = st.sampled_from([torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int8, torch.bool])
SHAPES = st.lists(st.integers(1, 3), max_size=4)

_plain = settings(
    max_examples=200, database=None, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)


def _made(dtype: torch.dtype, shape: list[int], transposed: bool) -> torch.Tensor:
    x = torch.ones(shape, dtype=dtype)
    return x.transpose(0, 1) if transposed and x.ndim > 1 else x


@_plain
@given(DTYPES, SHAPES, st.booleans())
def detach_shares_storage(dtype: torch.dtype, shape: list[int], transposed: bool) -> None:
    """Check that a write through the detached tensor shows in the original."""
    x = _made(dtype, shape, transposed)
    y = x.detach()
    assert y.data_ptr() == x.data_ptr()
    y.fill_(0)
    assert not x.any()


@_plain
@given(DTYPES, SHAPES, st.booleans())
def detach_is_a_leaf(dtype: torch.dtype, shape: list[int], transposed: bool) -> None:
    """Check that a detached tensor has no history."""
    y = _made(dtype, shape, transposed).detach()
    assert y.is_leaf
    assert not y.requires_grad


@_plain
@given(DTYPES, SHAPES, st.booleans())
def clone_is_independent(dtype: torch.dtype, shape: list[int], transposed: bool) -> None:
    """Check that a write to a clone does not show in the original."""
    x = _made(dtype, shape, transposed)
    y = x.clone()
    assert torch.equal(x, y)
    y.fill_(0)
    assert x.all()


#: Property by the id of the claim that promises it.
PROPERTIES: dict[str, Callable[[], None]] = {
    "torch.Tensor.detach/shares-storage": detach_shares_storage,
    "torch.Tensor.detach/is-leaf": detach_is_a_leaf,
    "torch.Tensor.clone/write-leaves-source": clone_is_independent,
}


def plain_loop(recipes: Iterable[CodeType], namespace: dict[str, Any]) -> int:
    """Look at addresses only, on inputs that are known beforehand, with nothing around it: the limit for a sweep."""
    checked = 0
    for recipe in recipes:
        x = eval(recipe, namespace)
        y = x.detach()
        if x.numel():
            assert y.data_ptr() == x.data_ptr()
            assert y._version == x._version
        checked += 1
    return checked


def plain_loop_with_writes(recipes: Iterable[CodeType], namespace: dict[str, Any]) -> int:
    """Judge the same inputs as the claim does: addresses, then four writes, each looked for on the other side."""
    checked = 0
    for recipe in recipes:
        x = eval(recipe, namespace)
        y = x.detach()
        if x.numel():
            assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
            first = (0,) * x.ndim
            for written, other in ((y, x), (x.data, y), (y, x), (x.data, y)):
                element = written[first]
                old = element.item()
                element.fill_(0 if old else 1)
                assert other[first].item() != old
                element.fill_(old)
        checked += 1
    return checked

"""Tensors drawn from a domain, and what proves their layout and state by other means than the package's own."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import torch

from conformance.inputs.choices import CanonicalChoices, SweepChoices
from conformance.inputs.given import Example, Given
from conformance.inputs.recipes import BASE_NAMESPACE, build
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


def covered_pairs(rows: Iterable[tuple[Any, ...]]) -> int:
    """Return how many pairs of values of two factors some combinations contain."""
    return len({(a, b, row[a], row[b]) for row in rows for a, b in combinations(range(len(row)), 2)})


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

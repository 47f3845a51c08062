"""Checks on strides, metadata, version counters and printed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from conformance.checks import vocabulary

same_strides = vocabulary()["same_strides"]
same_metadata = vocabulary()["same_metadata"]
version = vocabulary()["version"]
printed = vocabulary()["printed"]


def test_strides_count_in_elements() -> None:
    x = torch.zeros(2, 3)
    assert same_strides(x, x.double())
    assert same_strides(x, x.numpy())
    assert same_strides(x.numpy(), x.numpy().astype(np.float64))
    assert same_strides(x.numpy(), x.numpy()[:, :2])
    assert same_strides(x[:0], x)
    assert not same_strides(x, x.t())
    assert not same_strides(x, x[:, ::2])
    assert not same_strides(x.numpy(), x.numpy()[::-1])
    assert not same_strides(x, np.asfortranarray(x.numpy()))
    assert not same_strides(x, x[0])
    assert not same_strides(x[0, 0], x[0])
    assert same_strides(x[0, 0], np.zeros(()))
    assert not same_strides(x[:1], x[:1].as_strided((1, 3), (9, 1)))
    record: Any = np.zeros(3, dtype=[("a", "i2"), ("b", "f8")])
    assert not same_strides(record["b"], np.zeros(3))


def test_metadata() -> None:
    x = torch.zeros(2, 3)
    for same in (x, x.clone(), x + 1, torch.nn.Parameter(x), torch.zeros(4, 3)[2:], x.detach().requires_grad_()):
        assert same_metadata(same, x)
    for other in (x.t(), x.double(), x[:, :2], x[None], x.expand(2, 2, 3), torch.zeros(3, 2).t(), x.to_sparse()):
        assert not same_metadata(other, x)
    assert not same_metadata(torch.zeros(2, 3, device="meta"), x)
    assert same_metadata(x.to_sparse(), x.to_sparse())
    assert same_metadata(x[:0], torch.zeros(0, 3))


@pytest.mark.skipif(not hasattr(torch.Tensor, "is_conj"), reason="no pending conjugation before torch 1.10")
def test_pending_conjugation_and_negation_are_metadata() -> None:
    x = torch.zeros(2, dtype=torch.complex64)
    assert same_metadata(x.conj(), x.conj())
    assert not same_metadata(x.conj(), x)
    assert not same_metadata(x.conj().imag, x.imag)


def test_version_counts_writes() -> None:
    x = torch.zeros(3)
    view, detached, data, clone = x[1:], x.detach(), x.data, x.clone()
    assert version(x) == 0
    view.add_(1)
    assert [version(tensor) for tensor in (x, view, detached, data, clone)] == [1, 1, 1, 0, 0]
    with torch.inference_mode():
        inference = torch.zeros(3)
    assert version(inference) is None


def test_printed_forms() -> None:
    assert printed(torch.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert printed(np.array([1, 2])) == "array([1, 2])"
    assert printed("a") == "'a'"

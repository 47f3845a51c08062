"""Checks on memory taken by a call."""

from __future__ import annotations

import sys
from typing import Any, Callable

import pytest
import torch

from conformance.checks import allocation, vocabulary

allocates = vocabulary()["allocates"]


def test_what_allocates() -> None:
    x = torch.ones(1000)
    assert allocates(lambda: x.clone()) == 4000
    assert allocates(lambda: x.double()) == 8000
    assert allocates(lambda: [x.clone(), x.clone()]) == 8000
    assert allocates(lambda: x.clone()[:1]) == 4000, "memory that is freed again counts"


def test_what_does_not_allocate() -> None:
    x = torch.ones(1000, requires_grad=True)
    for thunk in (lambda: x.detach(), lambda: x.data, lambda: x.cpu(), lambda: x[1:], lambda: x.detach().numpy()):
        assert allocates(thunk) == 0
    assert allocates(lambda: x.detach().zero_()) == 0
    assert allocates(lambda: None) == 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_memory_of_a_gpu_counts() -> None:
    x = torch.ones(1000, device="cuda")
    assert allocates(lambda: x.clone()) >= 4000
    assert allocates(lambda: [x.clone(), x.clone()]) >= 8000
    assert allocates(lambda: x.detach()) == 0


def test_memory_of_backward_counts() -> None:
    x = torch.ones(1000, requires_grad=True)
    y = (x * 2).sum()
    assert allocates(y.backward) >= 4000


def test_an_error_passes_through_and_ends_the_measurement() -> None:
    def wrong() -> None:
        torch.ones(2) @ torch.ones(3)

    with pytest.raises(RuntimeError):
        allocates(wrong)
    assert not torch.autograd._profiler_enabled()  # type: ignore[attr-defined, unused-ignore]
    assert allocates(lambda: torch.empty(10)) == 40


def test_nothing_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    allocates(lambda: torch.empty(10))
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="one platform is enough for the way that is used nowhere yet")
def test_the_public_profiler_counts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.ones(1000)
    calls: list[Callable[[], Any]] = [lambda: x.clone(), lambda: x.detach(), lambda: [x.clone(), x.double()]]
    usual = [allocates(call) for call in calls]
    monkeypatch.setattr(allocation, "_config", None)
    assert [allocates(call) for call in calls] == usual == [4000, 0, 12000]

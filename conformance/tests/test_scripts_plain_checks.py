"""The short forms of the checks that stand in scripts decide as the real ones on ordinary values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from conformance.checks import vocabulary
from conformance.run.scripts.plain_checks import PLAIN_CHECKS


def plain(name: str) -> Any:
    namespace: dict[str, Any] = {"torch": torch, "np": np}
    exec(PLAIN_CHECKS[name], namespace)
    return namespace[name]


def pairs() -> dict[str, tuple[Any, Any]]:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    array = np.array([1.0, 2.0], dtype=np.float32)
    return {
        "itself": (x, x),
        "slice": (x[1:], x),
        "copy": (x.clone(), x),
        "other values": (x + 1, x),
        "other dtype": (x.double(), x),
        "transposed": (x.t(), x),
        "history": (w * 2, w),
        "no history": (w.detach(), w),
        "array over it": (torch.as_tensor(array), array),
        "array beside it": (torch.tensor(array), array),
    }


def test_every_check_has_a_short_form() -> None:
    assert sorted(PLAIN_CHECKS) == sorted(vocabulary())


BOTH = ["shares_storage", "sees_writes", "independent", "same_object", "same_values", "same_memory"]
TENSORS = ["equal", "is_view_of", "same_strides", "same_metadata", "reaches"]
HISTORY = ["grad_flows"]


@pytest.mark.parametrize("case", pairs())
@pytest.mark.parametrize("name", BOTH + TENSORS + HISTORY)
def test_it_decides_as_the_check_does(name: str, case: str) -> None:
    if name not in BOTH and "array" in case:
        pytest.skip("for tensors only")
    if name in HISTORY and "history" not in case:
        pytest.skip("for tensors with a history only")
    a, b = pairs()[case]
    assert bool(plain(name)(a, b)) == bool(vocabulary()[name](a, b))


@pytest.mark.parametrize("name", ["version", "printed", "grad_fn", "graph_nodes"])
def test_it_tells_what_the_check_tells(name: str) -> None:
    y = torch.tensor([1.0, 2.0], requires_grad=True).exp() * 2
    assert plain(name)(y) == vocabulary()[name](y)


def test_gradient_is_the_same() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3
    assert torch.equal(plain("gradient")(y, w), vocabulary()["gradient"](y, w))


def test_allocates_tells_a_copy_from_a_view() -> None:
    x = torch.zeros(1000)
    assert plain("allocates")(x.clone) == vocabulary()["allocates"](x.clone)
    assert plain("allocates")(x.detach) == vocabulary()["allocates"](x.detach) == 0

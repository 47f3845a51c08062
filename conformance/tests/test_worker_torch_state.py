"""What a program leaves behind in torch's global state is named, and put right."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from torch.autograd import forward_ad

from conformance.run.worker.torch_state import TorchState

_entered: list[Any] = []


def enter(mode: Any) -> None:
    mode.__enter__()
    _entered.append(mode)  # inference mode ends with its object


def leave_hooks_on() -> None:
    enter(torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x))


def leave_a_transform_on() -> None:
    torch._C._functorch._grad_increment_nesting()


LEFT_ON: dict[str, Callable[[], None]] = {
    "inference mode": lambda: enter(torch.inference_mode()),
    "autocast on the CPU": lambda: enter(torch.autocast("cpu")),
    "hooks on saved tensors": leave_hooks_on,
    "function transforms": leave_a_transform_on,
    "level of forward-mode AD": lambda: enter(forward_ad.dual_level()),
    "grad mode": lambda: enter(torch.no_grad()),
    "default dtype": lambda: torch.set_default_dtype(torch.float64),
    "function modes or default device": lambda: torch.set_default_device("meta"),
}


@pytest.mark.parametrize("name", LEFT_ON)
def test_what_was_left_on_is_named_and_put_right(name: str) -> None:
    state = TorchState()
    try:
        LEFT_ON[name]()
    except AttributeError:
        pytest.skip("this torch has no such state")
    assert name in state.leaks()
    assert state.leaks() == []


def test_a_level_that_torch_has_left_already_is_put_right() -> None:
    state = TorchState()
    enter(forward_ad.dual_level())
    torch._C._exit_dual_level(0)
    assert state.leaks() == ["level of forward-mode AD"]
    assert state.leaks() == []
    with forward_ad.dual_level():
        pass


def test_nothing_is_named_where_nothing_was_left() -> None:
    state = TorchState()
    with torch.inference_mode(), torch.autocast("cpu"):
        torch.ones(1)
    assert state.leaks() == []

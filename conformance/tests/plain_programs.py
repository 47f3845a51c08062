"""The tensors and the Function that tests of programs with a gradient start from."""

from __future__ import annotations

from typing import Any

import torch


def leaf(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers or (1.0, 2.0), requires_grad=True)


def same_memory(a: Any, b: Any) -> bool:
    return bool(a.data_ptr() == b.data_ptr())


class Twice(torch.autograd.Function):  # type: ignore[misc]
    """A Function that doubles, and the base of classes that a test makes for itself."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2

"""A small library."""

import torch


def flat(x: torch.Tensor) -> torch.Tensor:
    """Return ``x`` with one dimension.

    The result shares storage with ``x`` if ``x`` is contiguous, and is a copy otherwise.
    """
    return x.reshape(-1)

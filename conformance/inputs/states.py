"""Autograd states of tensors."""

from __future__ import annotations

from typing import Optional

import torch

from conformance.language.input_domains import STATES_IF_NAMED, states_writable

REQUIRING_GRAD = frozenset(("leaf", "nonleaf", "parameter", "leaf_view", "with_grad", "hooked"))
LEAVES = frozenset(("plain", "leaf", "parameter", "detached", *STATES_IF_NAMED))
OF_EVERY_DTYPE = frozenset(("plain", "inference", "subclass"))
"""The states that a tensor of a dtype without gradients can have."""


def select_states(
    requires_grad: Optional[bool], leaf: Optional[bool], writable: Optional[bool], names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return those of some states that fit ``requires_grad``, ``is_leaf`` and whether a write in place is admitted.

    Parameters
    ----------
    requires_grad
        Whether the tensor requires grad; None for either.
    leaf
        Whether the tensor is a leaf; None for either.
    writable
        Whether autograd admits a write in place; None for either.
    names
        The states to select from.
    """
    return tuple(
        name
        for name in states_writable(writable, names)
        if requires_grad in (None, name in REQUIRING_GRAD) and leaf in (None, name in LEAVES)
    )


def has_state(tensor: torch.Tensor, state: str) -> bool:
    """Tell whether a tensor is in a state, as far as that can be seen.

    Parameters
    ----------
    tensor
        Any tensor.
    state
        One of `conformance.language.input_domains.STATES` or of those that are drawn only if they are named.
    """
    if state == "inference":
        return bool(tensor.is_inference())
    if state == "subclass":
        return type(tensor) not in (torch.Tensor, torch.nn.Parameter)
    if state == "with_grad":
        return tensor.grad is not None and has_state(tensor, "leaf")
    if state == "hooked":
        return bool(tensor._backward_hooks) and has_state(tensor, "leaf")
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    if state == "parameter":
        return is_parameter and tensor.is_leaf and tensor.requires_grad
    if is_parameter or (tensor.requires_grad, tensor.is_leaf) != (state in REQUIRING_GRAD, state in LEAVES):
        return False
    if state in LEAVES:
        return tensor.grad_fn is None
    base = tensor._base
    of_leaf = base is not None and base.is_leaf and base.requires_grad
    return tensor.grad_fn is not None and of_leaf == (state == "leaf_view")

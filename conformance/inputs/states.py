"""Autograd states of tensors."""

from __future__ import annotations

from typing import Optional

import torch

STATES = ("plain", "leaf", "nonleaf", "parameter", "leaf_view", "detached")
"""The names of the states, simplest first; permanent, since results show them.

``plain`` never required grad; ``leaf`` is a leaf that requires grad; ``nonleaf`` came out of an operation;
``parameter`` is a ``torch.nn.Parameter``; ``leaf_view`` is a view of a leaf that requires grad, or of a leaf's parts;
``detached`` is what ``detach()`` of a tensor that requires grad returned.
"""

REQUIRING_GRAD = frozenset(("leaf", "nonleaf", "parameter", "leaf_view"))
LEAVES = frozenset(("plain", "leaf", "parameter", "detached"))


def select_states(requires_grad: Optional[bool], leaf: Optional[bool], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of some states that fit ``requires_grad`` and ``is_leaf``.

    Parameters
    ----------
    requires_grad
        Whether the tensor requires grad; None for either.
    leaf
        Whether the tensor is a leaf; None for either.
    names
        The states to select from.
    """
    return tuple(
        name for name in names if requires_grad in (None, name in REQUIRING_GRAD) and leaf in (None, name in LEAVES)
    )


def has_state(tensor: torch.Tensor, state: str) -> bool:
    """Tell whether a tensor is in a state, as far as that can be seen.

    Parameters
    ----------
    tensor
        Any tensor.
    state
        One of `STATES`.
    """
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

"""The autograd graph behind a tensor, and the gradients that flow through it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import torch

from conformance.checks import originals
from conformance.checks.registry import check


@check
def grad_fn(x: torch.Tensor) -> str | None:
    """Return the name of the node that made ``x``, or None where there is none.

    It is the name that printing ``x`` shows, such as ``"MulBackward0"``. Names differ between versions of torch.

    Parameters
    ----------
    x : torch.Tensor
        Any tensor.
    """
    node = originals.grad_fn(x)
    return None if node is None else _name(node)


@check
def graph_nodes(y: torch.Tensor) -> list[str]:
    """Return the names of all nodes behind ``y``, each once, nearest first.

    Nodes at equal distance come in the order of the arguments they stand for. A leaf that requires grad ends in
    ``AccumulateGrad``. The list is empty where ``y`` does not require grad; a leaf that does has
    ``["AccumulateGrad"]``.

    Parameters
    ----------
    y : torch.Tensor
        Any tensor.
    """
    if originals.grad_fn(y) is None:
        return ["AccumulateGrad"] if originals.requires_grad(y) else []
    return [_name(node) for node in dict.fromkeys(node for node, _ in _edges(y))]


@check
def reaches(y: torch.Tensor, x: torch.Tensor) -> bool:
    """True when the graph of ``y`` leads back to ``x``.

    For a leaf the graph must hold its ``AccumulateGrad`` node, for any other tensor the output of the node that made
    it. A tensor that requires grad reaches itself; none is reached that does not require grad. Nothing is computed, no
    hook runs, and the graph may have been freed by ``backward()``.

    Parameters
    ----------
    y : torch.Tensor
        The tensor whose graph is searched.
    x : torch.Tensor
        The tensor to find.
    """
    if not originals.requires_grad(x) or not originals.requires_grad(y):
        return False
    if x is y:
        return True
    maker = originals.grad_fn(x)
    if maker is None:
        return any(getattr(node, "variable", None) is x for node, _ in _edges(y))
    number = originals.output_number(x)
    return any(node is maker and output == number for node, output in _edges(y))


@check
def gradient(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor | None:
    """Return the gradient of the sum of ``y`` with respect to ``x``, or None where no gradient flows.

    The graph is kept, and ``grad`` of ``y`` and ``x`` is left as it is. Hooks run, among them those of tensors in
    between that retain their ``grad``.

    Parameters
    ----------
    y : torch.Tensor
        The tensor to differentiate.
    x : torch.Tensor
        The tensor to differentiate by.

    Raises
    ------
    RuntimeError
        As ``backward()`` does: when the graph was freed, or when a value that it needs was changed.
    """
    if not originals.requires_grad(y) or not originals.requires_grad(x):
        return None
    kept = [(tensor, originals.grad(tensor)) for tensor in (y, x) if originals.retains_grad(tensor)]
    try:
        seed = originals.ones_like(originals.detach(y))
        (result,) = originals.gradients_of([y], [x], [seed], retain_graph=True, allow_unused=True)
    finally:
        for tensor, value in kept:
            originals.set_grad(tensor, value)
    return result


@check
def grad_flows(y: torch.Tensor, x: torch.Tensor) -> bool:
    """True when the sum of ``y`` has a gradient with respect to ``x``, be it zero.

    The same as ``gradient(y, x) is not None``.

    Parameters
    ----------
    y : torch.Tensor
        The tensor to differentiate.
    x : torch.Tensor
        The tensor to differentiate by.

    Raises
    ------
    RuntimeError
        As ``backward()`` does: when the graph was freed, or when a value that it needs was changed.
    """
    return gradient(y, x) is not None


def _name(node: Any) -> str:
    name = type(node).__name__
    # Nodes that have no Python class of their own are told apart by the name that C++ has for them.
    return str(node.name()).rsplit("::", 1)[-1] if name == "CppFunction" else name


def _edges(y: torch.Tensor) -> Iterator[tuple[Any, int]]:
    """Yield each (node, number of its output) behind ``y`` once, nearest first."""
    root = originals.grad_fn(y)
    if root is None:
        return
    queue = deque([(root, originals.output_number(y))])
    seen = set(queue)
    while queue:
        node, output = queue.popleft()
        yield node, output
        for edge in node.next_functions:
            if edge[0] is not None and edge not in seen:
                seen.add(edge)
                queue.append(edge)

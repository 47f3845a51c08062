"""Impostors that show a wrong graph: nodes that lead to other nodes than they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from conformance.impostors.call import Call
from conformance.impostors.memory import alias
from conformance.impostors.registry import impostor

Edge = tuple[Any, int]


class _Node:
    """Stands in for a node of the graph, with other edges."""

    def __init__(self, real: Any, change: Callable[[Any, Edge], Edge]) -> None:
        self._real = real
        self._change = change

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        return tuple(self._change(self._real, edge) for edge in self._real.next_functions)

    def __call__(self, *args: Any) -> Any:
        return self._real(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@impostor("gradients", "leaf")
def edges_lead_nowhere(call: Call) -> Any:
    """A node has no successor where it should have one, and the reverse."""
    return _with_edges(call, lambda node, edge: (node if edge[0] is None else None, edge[1]))


@impostor("gradients", "leaf")
def edges_lead_to_another_output(call: Call) -> Any:
    """An edge names the next output of a node."""
    return _with_edges(call, lambda node, edge: (edge[0], edge[1] + 1))


@impostor("gradients", "leaf")
def edges_lead_to_tensors(call: Call) -> Any:
    """An edge ends in a tensor in place of a node."""
    return _with_edges(call, lambda node, edge: (torch.zeros(1), edge[1]))


class _Holder(_Node):
    """Stands in for the node of a leaf, with a tensor of its own."""

    @property
    def variable(self) -> Any:
        return alias(self._real.variable)


@impostor("gradients", "leaf")
def edges_lead_to_other_leaves(call: Call) -> Any:
    """The node of a leaf holds another tensor."""

    def change(node: Any, edge: Edge) -> Edge:
        return (_Holder(edge[0], change), edge[1]) if hasattr(edge[0], "variable") else edge

    return _with_edges(call, change)


@impostor("gradients", "leaf")
def edges_go_on_forever(call: Call) -> Any:
    """The node of a leaf has a successor."""

    def change(node: Any, edge: Edge) -> Edge:
        return (_Endless(edge[0], change), edge[1]) if hasattr(edge[0], "variable") else edge

    return _with_edges(call, change)


class _Endless(_Node):
    """Stands in for the node of a leaf, and leads to itself."""

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        return ((self, 0),)


@impostor("gradients", "leaf")
def node_has_another_name(call: Call) -> Any:
    """A node is of a kind that torch does not have."""

    def named(*args: Any) -> str:
        return "ImpostorBackward0"

    result = call.run()
    if call.name != "grad_fn" or call.kind != "read" or result is None:
        return result
    kind = type("ImpostorBackward0", (_Node,), {"name": named})
    return kind(result, lambda node, edge: edge)


def _with_edges(call: Call, change: Callable[[Any, Edge], Edge]) -> Any:
    result = call.run()
    if call.name != "grad_fn" or call.kind != "read" or result is None:
        return result
    return _Node(result, change)

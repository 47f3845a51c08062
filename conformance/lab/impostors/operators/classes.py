"""Operators that make a program's own classes wrong, where they extend one of torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.registry import operator

_FUNCTION = "class Twice(torch.autograd.Function): pass\nclass Thrice(torch.autograd.Function): pass\ny = x.clone()"


class _OtherNode(torch._C._FunctionBase):  # type: ignore[misc]
    """A class of nodes that is none of those that torch makes."""


@operator("gradients", "values", do=_FUNCTION, kills="Twice._backward_cls is not Thrice._backward_cls")
def node_class_is_another(call: Call) -> Any:
    """The Functions of a program have one class of nodes in common, which torch does not make."""
    result = call.run()
    for kind in _own_classes(call):
        if issubclass(kind, torch.autograd.Function):
            kind._backward_cls = _OtherNode
    return result


@operator("gradients", "values", do=_FUNCTION, kills="type(Twice) is type(torch.autograd.Function)")
def metaclass_is_another(call: Call) -> Any:
    """A class of the program that extends one of torch is of another metaclass."""
    result = call.run()
    for kind in _own_classes(call):
        metaclass = type(kind)
        if metaclass.__module__.partition(".")[0] == "torch":
            kind.__class__ = type("OtherMeta", (metaclass,), {"__module__": __name__})
    return result


def _own_classes(call: Call) -> Iterator[Any]:
    """Yield the classes in scope that are not torch's own."""
    for value in call.namespace.values():
        if isinstance(value, type) and value.__module__.partition(".")[0] != "torch":
            yield value

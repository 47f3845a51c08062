"""One use of torch by a program, as an operator sees it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import GeneratorType
from typing import Any

import numpy as np
import torch

_VALUES = (torch.Tensor, np.ndarray)


#: Keyword arguments of a call, or what operators keep, by name.
Arguments = dict[str, Any]


@dataclass
class Call:
    """A call, a read or an assignment of an attribute, or a callback.

    Attributes
    ----------
    name : str
        What is mutated, such as ``detach``, ``autograd.grad`` or ``__setitem__``.
    kind : str
        ``call``, ``read``, ``assign``, or ``callback`` where torch calls a function of the program.
    function : callable
        The real function. For a read its argument is the object; for an assignment the value comes last.
    args, kwargs
        The arguments of this use.
    namespace : mapping
        The names that are in scope where it is used.
    number : int
        How many uses came before it in this example.
    memory : dict
        Kept from one use to the next, as long as the example runs.
    """

    name: str
    kind: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Arguments = field(default_factory=dict)
    namespace: Mapping[str, Any] = field(default_factory=dict)
    number: int = 0
    memory: Arguments = field(default_factory=dict)

    def run(self) -> Any:
        """Do what the real torch does."""
        return self.function(*self.args, **self.kwargs)

    def run_with(self, *args: Any) -> Any:
        """Do what the real torch does with other positional arguments."""
        return self.function(*args, **self.kwargs)

    def mutate_values(self, change: Callable[[Any], Any]) -> Any:
        """Run, and change every tensor and array of the result.

        For an assignment the assigned value is changed instead, for a callback the arguments.
        """
        return self._mutated(lambda item: each_value(item, change))

    def mutate_others(self, change: Callable[[Any], Any]) -> Any:
        """Run, and change everything in the result that is no tensor, no array and no container."""
        return self._mutated(lambda item: _mapped(item, change, values=False))

    def _mutated(self, change: Callable[[Any], Any]) -> Any:
        if self.kind == "callback":
            return self.run_with(*change(self.args))
        if self.kind == "assign":
            return self.run_with(*self.args[:-1], change(self.args[-1]))
        return change(self.run())

    @property
    def arguments(self) -> list[Any]:
        """The tensors and arrays among the arguments; for an assignment, the object and the value."""
        return list(values_in((self.args, self.kwargs)))

    @property
    def reachable(self) -> list[Any]:
        """The tensors and arrays among the arguments and the names in scope, each once."""
        found = {id(value): value for value in self.arguments}
        for item in list(self.namespace.values()):
            if isinstance(item, _VALUES):
                found.setdefault(id(item), item)
            elif type(item) in (list, tuple):
                found.update((id(value), value) for value in values_in(item))
        return list(found.values())

    @property
    def reachable_tensors(self) -> list[torch.Tensor]:
        """The tensors among what is reachable."""
        return [value for value in self.reachable if isinstance(value, torch.Tensor)]

    def is_argument(self, value: Any) -> bool:
        """Return whether a result is an argument itself; never so for an assigned value."""
        return self.kind != "assign" and any(value is argument for argument in self.arguments)


def values_in(item: Any) -> Iterator[Any]:
    """Yield the tensors and arrays in an object and in the containers that it is made of."""
    if isinstance(item, _VALUES):
        yield item
    elif isinstance(item, (list, tuple, dict)):
        for part in item.values() if isinstance(item, dict) else item:
            yield from values_in(part)


def each_value(item: Any, change: Callable[[Any], Any]) -> Any:
    """Return an object with each tensor and array changed, also those in containers.

    A value for which the change raises, such as integers that get a gradient, stays as it is: there the mutant and the
    real torch agree.
    """
    return _mapped(item, change, values=True)


def _mapped(item: Any, change: Callable[[Any], Any], *, values: bool) -> Any:
    if isinstance(item, GeneratorType):
        return iter([_mapped(part, change, values=values) for part in item])
    if type(item) in (dict, OrderedDict):
        return type(item)((key, _mapped(part, change, values=values)) for key, part in item.items())
    if isinstance(item, (list, tuple)) and not isinstance(item, torch.Size):
        return rebuilt(item, [_mapped(part, change, values=values) for part in item])
    if isinstance(item, _VALUES) is not values:
        return item
    try:
        return change(item)
    except Exception:
        return item


def rebuilt(container: Any, items: list[Any]) -> Any:
    """Return a list or tuple of the same type with other items."""
    return type(container)(*items) if hasattr(container, "_fields") else type(container)(items)

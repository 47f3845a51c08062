"""One use of torch by a program, as an impostor sees it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import GeneratorType
from typing import Any

import numpy as np
import torch


class Call:
    """A call, an operator, a read or an assignment of an attribute.

    Attributes
    ----------
    name : str
        The operation's name, such as ``detach``, ``autograd.grad`` or ``__setitem__``.
    kind : str
        ``call``, ``read``, ``assign``, or ``callback`` where torch calls a function of the program.
    function : callable
        The real operation; a read takes the object, an assignment ends with the value.
    args, kwargs
        The arguments of this use.
    namespace : mapping
        The names in sight where it is used.
    number : int
        How many uses of the operation came before it in this example.
    memory : dict
        What an impostor wants to keep from one use to the next, and while the example runs.
    """

    __slots__ = ("args", "function", "kind", "kwargs", "memory", "name", "namespace", "number")

    def __init__(
        self,
        name: str,
        kind: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        namespace: Mapping[str, Any],
        number: int,
        memory: dict[str, Any],
    ) -> None:
        self.name = name
        self.kind = kind
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.namespace = namespace
        self.number = number
        self.memory = memory

    def run(self) -> Any:
        """Do what the real torch does."""
        return self.function(*self.args, **self.kwargs)

    def run_with(self, *args: Any) -> Any:
        """Do what the real torch does with other positional arguments."""
        return self.function(*args, **self.kwargs)

    def spoil(self, change: Callable[[Any], Any]) -> Any:
        """Run, with every tensor and array of the result changed.

        Of an assignment, the value is changed instead; of a callback, what the program's function is given.
        """
        if self.kind == "callback":
            return self.function(*each_value(self.args, change), **self.kwargs)
        if self.kind == "assign":
            return self.function(*self.args[:-1], each_value(self.args[-1], change))
        return each_value(self.run(), change)

    def answer(self, change: Callable[[Any], Any]) -> Any:
        """Run, with a result that is neither tensor nor array nor a container of these changed."""
        if self.kind == "callback":
            return self.function(*_each_answer(self.args, change), **self.kwargs)
        if self.kind == "assign":
            return self.function(*self.args[:-1], _each_answer(self.args[-1], change))
        return _each_answer(self.run(), change)

    @property
    def arguments(self) -> list[Any]:
        """The tensors and arrays among the arguments; of an assignment, the object and the value."""
        return list(values_in((self.args, self.kwargs)))

    @property
    def in_sight(self) -> list[Any]:
        """The tensors and arrays among the arguments and the names in sight, each once."""
        found = {id(value): value for value in self.arguments}
        for item in list(self.namespace.values()):
            if isinstance(item, (torch.Tensor, np.ndarray)):
                found.setdefault(id(item), item)
            elif type(item) in (list, tuple):
                found.update((id(value), value) for value in values_in(item))
        return list(found.values())

    def is_argument(self, value: Any) -> bool:
        """Tell whether a result is one of the arguments itself; an assigned value does not count as one."""
        return self.kind != "assign" and any(value is argument for argument in self.arguments)


def values_in(item: Any) -> Iterator[Any]:
    """Yield the tensors and arrays in an object and in the containers that it is made of."""
    if isinstance(item, (torch.Tensor, np.ndarray)):
        yield item
    elif isinstance(item, (list, tuple)):
        for part in item:
            yield from values_in(part)
    elif isinstance(item, dict):
        for part in item.values():
            yield from values_in(part)


def each_value(result: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a change to each tensor and array of a result, also inside containers.

    A change that is not possible for a value, such as a gradient for integers, leaves it as it is: there the wrong
    torch and the real one agree.
    """
    if isinstance(result, (torch.Tensor, np.ndarray)):
        try:
            return change(result)
        except Exception:
            return result
    if isinstance(result, GeneratorType):
        return iter(each_value(list(result), change))
    if type(result) in (dict, OrderedDict):
        return type(result)((key, each_value(item, change)) for key, item in result.items())
    if isinstance(result, (list, tuple)) and not isinstance(result, torch.Size):
        return rebuilt(result, [each_value(item, change) for item in result])
    return result


def _each_answer(result: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(result, GeneratorType):
        return iter(_each_answer(list(result), change))
    if isinstance(result, (list, tuple)) and not isinstance(result, torch.Size):
        return rebuilt(result, [_each_answer(item, change) for item in result])
    if type(result) in (dict, OrderedDict):
        return type(result)((key, _each_answer(item, change)) for key, item in result.items())
    if isinstance(result, (torch.Tensor, np.ndarray)):
        return result
    try:
        return change(result)
    except Exception:
        return result


def rebuilt(container: Any, items: list[Any]) -> Any:
    """Return a list or tuple of the same type with other items."""
    if hasattr(container, "_fields"):
        return type(container)(*items)
    return type(container)(items)

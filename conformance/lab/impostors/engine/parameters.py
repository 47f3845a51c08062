"""The parameters of what a program calls, and the arguments that a call gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter
from types import MethodDescriptorType, WrapperDescriptorType
from typing import Any, Optional

import torch

from conformance.lab.impostors.engine.call import Arguments
from conformance.lab.names.signatures import from_docstring, from_inspect, says_nothing
from conformance.names.signatures import is_positional, parse_signature

#: A parameter that has to be given, and an argument that was not.
MISSING = object()


@dataclass(frozen=True)
class Argument:
    """What a call gives to one parameter.

    Attributes
    ----------
    name : str
        The parameter's.
    value : object
        What is given; a tuple for a parameter such as ``*dims``.
    default : object
        What the function takes otherwise; `MISSING` where it has to be given.
    position : int, optional
        Where it stands among the positional arguments; None for a keyword argument.
    rest : bool
        The parameter takes all further positional arguments.
    """

    name: str
    value: Any
    default: Any
    position: Optional[int]
    rest: bool = False

    def given(self, value: Any, args: tuple[Any, ...], kwargs: Arguments) -> tuple[tuple[Any, ...], Arguments]:
        """Return the arguments of a call with another value in place of this one's."""
        if self.position is None:
            return args, {**kwargs, self.name: value}
        before, after = args[: self.position], args[self.position + 1 :]
        if self.rest:
            return (*before, *value), kwargs
        return (*before, value, *after), kwargs


def arguments_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Arguments) -> list[Argument]:
    """Return the arguments of a call, by the names that a signature or a docstring gives; none where they don't fit."""
    for parameters in _signatures(function):
        found = list(_bound(parameters, args, kwargs))
        if sum(len(one.value) if one.rest else 1 for one in found) == len(args) + len(kwargs):
            return found
    return []


def _bound(parameters: list[Parameter], args: tuple[Any, ...], kwargs: Arguments) -> Iterator[Argument]:
    for position, parameter in enumerate(parameters):
        if parameter.kind is Parameter.VAR_POSITIONAL:
            if args[position:]:
                yield Argument(parameter.name, args[position:], MISSING, position, rest=True)
        elif is_positional(parameter) and position < len(args):
            yield Argument(parameter.name, args[position], _default(parameter), position)
        elif parameter.name in kwargs:
            yield Argument(parameter.name, kwargs[parameter.name], _default(parameter), None)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            others = kwargs.keys() - {one.name for one in parameters}
            yield from (Argument(name, kwargs[name], MISSING, None) for name in kwargs if name in others)


def _default(parameter: Parameter) -> Any:
    if parameter.default is Parameter.empty:
        return MISSING
    try:
        return eval(parameter.default, {"torch": torch})
    except Exception:  # it was too long to be written
        return MISSING


def _signatures(function: Callable[..., Any]) -> Iterator[list[Parameter]]:
    """Yield what is known of a function's parameters; those of a method start with its object."""
    real = getattr(function, "method", function)  # a call site has the method that it calls there
    bound = real is not function
    if not isinstance(real, type) and isinstance(real, torch.nn.Module):
        real = real.forward
    text = from_inspect(real)
    of_object = bound or isinstance(real, (MethodDescriptorType, WrapperDescriptorType))
    texts = [text] if text is not None and not says_nothing(text) else []
    if not texts and isinstance(doc := getattr(real, "__doc__", None), str):
        texts = list(from_docstring(getattr(real, "__name__", ""), doc))
    for text in texts:
        if (signature := parse_signature(text)) is not None:
            named = list(signature.parameters.values())
            if of_object and (not named or named[0].name != "self"):
                named = [Parameter("self", Parameter.POSITIONAL_ONLY), *named]
            yield named


def is_plain(value: Any) -> bool:
    """Return whether a value can be written down: a number, a text, a dtype, a size or a container of these."""
    if isinstance(value, (tuple, list)):
        return all(is_plain(item) for item in value)
    kinds = (bool, int, float, complex, str, torch.dtype, torch.device, torch.layout, torch.memory_format)
    return value is None or isinstance(value, kinds)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same for a function: 1 is not True, and a tensor only itself."""
    return one is other or (is_plain(one) and is_plain(other) and repr(one) == repr(other))

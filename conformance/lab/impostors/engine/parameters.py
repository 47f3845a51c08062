"""The arguments that a call gives to the parameters of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MethodDescriptorType, WrapperDescriptorType
from typing import Any, Optional

import torch

from conformance.lab.impostors.engine.call import Arguments
from conformance.lab.names.signatures import from_docstring
from conformance.names.signatures import Source, is_positional, parse_signature

#: The default of a parameter that has to be given, and a value that there never was.
MISSING = inspect.Parameter.empty
_ANY = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)


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
        return ((*before, *value) if self.rest else (*before, value, *after)), kwargs


def arguments_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Arguments) -> list[Argument]:
    """Return the arguments of a call, by the names that a signature or a docstring gives; none where they don't fit."""
    for signature in _signatures(function):
        try:
            bound = signature.bind_partial(*args, **kwargs)
        except TypeError:
            continue
        found: list[Argument] = []
        for position, (name, parameter) in enumerate(signature.parameters.items()):
            value = bound.arguments.get(name, MISSING)
            if value is MISSING:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                found += [Argument(other, value[other], MISSING, None) for other in value]
            elif parameter.kind is parameter.VAR_POSITIONAL:
                found.append(Argument(name, value, MISSING, position, rest=True))
            else:
                place = position if is_positional(parameter) and position < len(args) else None
                found.append(Argument(name, value, _default(parameter), place))
        return found
    return []


def _signatures(function: Callable[..., Any]) -> Iterator[inspect.Signature]:
    """Yield the signature of a function, or those that its docstring shows; that of a method starts with its object."""
    real = getattr(function, "method", function)  # a call site has the method that it calls there
    if not isinstance(real, type) and isinstance(real, torch.nn.Module):
        real = real.forward
    of_object = real is not function or isinstance(real, (MethodDescriptorType, WrapperDescriptorType))
    try:
        signatures = [inspect.signature(real)]
    except Exception:  # an object may raise anything when it is asked for its signature
        signatures = []
    if not signatures or {item.kind for item in signatures[0].parameters.values() if item.name != "self"} == _ANY:
        documented = from_docstring(getattr(real, "__name__", ""), str(getattr(real, "__doc__", None) or ""))
        signatures = [signature for text in documented if (signature := parse_signature(text)) is not None]
    for signature in signatures:
        parameters = list(signature.parameters.values())
        if of_object and (not parameters or parameters[0].name != "self"):
            signature = inspect.Signature([_SELF, *parameters])
        yield signature


def _default(parameter: inspect.Parameter) -> Any:
    """Return the default of a parameter; `MISSING` where nobody can know what its source stands for."""
    if not isinstance(parameter.default, Source):
        return parameter.default
    try:
        return eval(parameter.default, {"torch": torch})
    except Exception:
        return MISSING


def is_plain(value: Any) -> bool:
    """Return whether a value can be written down: a number, a text, a dtype, a size or a container of these."""
    if isinstance(value, (tuple, list)):
        return all(is_plain(item) for item in value)
    kinds = (bool, int, float, complex, str, torch.dtype, torch.device, torch.layout, torch.memory_format)
    return value is None or isinstance(value, kinds)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same for a function: 1 is not True, and a tensor only itself."""
    return one is other or (is_plain(one) and is_plain(other) and repr(one) == repr(other))

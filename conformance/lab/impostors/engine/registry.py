"""The list of all operators, and the decorators that put a function on it."""

from __future__ import annotations

import functools
import pkgutil
import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Optional

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.parameters import Argument
from conformance.language.model import FAMILIES

Behaviour = Callable[[Call], Any]
#: Takes an argument, all arguments of its call, and the first value that it had; returns what happens in place of that
#: call, None where nothing else does.
ArgumentChange = Callable[[Argument, Sequence[Argument], Any], Optional[Behaviour]]

_PACKAGE = "conformance.lab.impostors.operators"
#: Operators are tried in the order of these modules, as the first of them kill most; other modules come last.
_FIRST = (
    *("sharing", "writes", "gradients", "autograd_flags", "metadata", "elements", "return_values"),
    *("callbacks", "objects", "containers", "errors", "warnings_", "modes", "classes", "layouts"),
    *("processes", "arguments"),
)

_operators: dict[str, Operator] = {}


@dataclass(frozen=True)
class Example:
    """A program and what holds of it, until the operator makes that false.

    The program starts from ``x``, a tensor of 1 and 2, and ``w``, a leaf of 1 and 2 that requires grad.

    Attributes
    ----------
    do : str
        The program.
    kills : str
        An expression that is true.
    raises, warns : str, optional
        The class of the error or warning that the program gives; empty for any.
    message : str
        What the error or warning says.
    since : str
        The first torch on which the program runs.
    """

    do: str
    kills: str = ""
    raises: Optional[str] = None
    warns: Optional[str] = None
    message: str = ""
    since: str = "1.8"


@dataclass(frozen=True)
class Operator:
    """One way of getting torch wrong.

    Attributes
    ----------
    name : str
        Permanent, in kebab-case; records hold it.
    statement : str
        What is wrong, in a sentence.
    families : frozenset of str
        The families of claims that it is made for. It is tried on these first, and on others as long as a part of their
        expectation survives.
    behaviour : callable
        Stands in for one use of torch: takes a :class:`Call` and returns what the program gets.
    skips : bool
        Whether it only leaves something out: it skips a call, or swallows an error.
    example : Example, optional
        What it kills; none for an operator that a user adds.
    change : callable, optional
        What it does to one argument, for an operator that gets an argument wrong; it has no behaviour without one.
    needs_several : str
        ``values`` or ``elements`` where a claim does not notice if the argument never has but one value, or the
        elements of the tensor are always the same.
    """

    name: str
    statement: str
    families: frozenset[str]
    behaviour: Behaviour
    skips: bool = False
    example: Optional[Example] = None
    change: Optional[ArgumentChange] = None
    needs_several: str = ""


def operator(*families: str, skips: bool = False, do: str = "", **example: Any) -> Callable[[Behaviour], Behaviour]:
    """Register a function as an operator: its name with dashes is the operator's, its docstring the statement.

    Parameters
    ----------
    families, skips
        Fields of the :class:`Operator`.
    do, example
        The fields of the :class:`Example`.
    """
    if not families or not set(families) <= set(FAMILIES):
        raise ValueError(f"an operator names families of claims, not {families}")

    def register(behaviour: Behaviour) -> Behaviour:
        name = behaviour.__name__.replace("_", "-")
        if name in _operators:
            raise ValueError(f"two operators are named {name}")
        statement = (behaviour.__doc__ or "").strip().splitlines()[0].rstrip(".")
        shown = Example(do, **example) if do else None
        _operators[name] = Operator(name, statement, frozenset(families), behaviour, skips, shown)
        return behaviour

    return register


def _variant(use: Callable[[Any, Call], Any]) -> Callable[..., Callable[[Callable[..., Any]], Behaviour]]:
    def decorator(*families: str, **example: Any) -> Callable[[Callable[..., Any]], Behaviour]:
        return lambda function: operator(*families, **example)(
            functools.wraps(function)(functools.partial(use, function))
        )

    return decorator


#: As `operator`, for a function that changes each tensor and array of a result, given that and the `Call`.
value_operator = _variant(lambda change, call: call.mutate_values(lambda value: change(value, call)))
#: The same for what is no tensor, no array and no container in a result, such as a number.
answer_operator = _variant(lambda change, call: call.mutate_others(lambda value: change(value, call)))
#: As `operator`, for a function that calls a function of the program in torch's place.
callback_operator = _variant(lambda behaviour, call: behaviour(call) if call.kind == "callback" else call.run())


def argument_operator(do: str, kills: str, *, needs_several: str = "") -> Callable[[ArgumentChange], ArgumentChange]:
    """Register a function as an operator that gets an argument wrong; the example is a program and what holds of it."""

    def register(change: ArgumentChange) -> ArgumentChange:
        operator("values", do=do, kills=kills)(functools.wraps(change)(lambda call: call.run()))
        name, made = _operators.popitem()
        _operators[name] = replace(made, change=change, needs_several=needs_several)
        return change

    return register


def operators() -> dict[str, Operator]:
    """Return every operator by name, in the order in which they are tried."""
    modules = [module.name for module in pkgutil.iter_modules(import_module(_PACKAGE).__path__)]
    for module in (*_FIRST, *(name for name in modules if name not in _FIRST)):
        import_module(f"{_PACKAGE}.{module}")
    return dict(_operators)


def add_file(path: Path) -> None:
    """Run a Python file that registers operators of its own, under the rules for all others."""
    operators()
    runpy.run_path(str(path))

"""The parameters of a signature, and how those of two releases differ."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Optional

from conformance.names.model import NameRecord

#: What can happen to a parameter between two releases.
CHANGES = ("removed", "required", "added", "default", "keyword-only", "positional-only", "moved")


@dataclass(frozen=True)
class Parameter:
    """One parameter: ``default`` is its source text, None where the parameter is required."""

    name: str
    kind: str
    default: Optional[str] = None

    @property
    def is_single(self) -> bool:
        """Return whether the parameter stands for one argument."""
        return self.kind not in ("args", "kwargs")


@dataclass(frozen=True)
class ParameterChange:
    """One difference; `what` is one of `CHANGES`, `before` and `after` are defaults or positions where it has them."""

    parameter: str
    what: str
    before: str = ""
    after: str = ""


def parse_signature(signature: str) -> Optional[tuple[Parameter, ...]]:
    """Return the parameters of ``(input, *, dim=None)``, None where the text is not Python's.

    The kinds are ``positional-only``, ``positional``, ``args``, ``keyword-only`` and ``kwargs``.
    """
    try:
        node = ast.parse(f"def f{signature}: pass").body[0]
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.FunctionDef):
        return None
    return parameters_of(node.args)


def parameters_of(given: ast.arguments) -> tuple[Parameter, ...]:
    """Return the parameters of a definition; the kinds are as `parse_signature` has them."""
    positional = [*given.posonlyargs, *given.args]
    defaults: list[Optional[ast.expr]] = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    found = [
        Parameter(argument.arg, "positional-only" if argument in given.posonlyargs else "positional", _text(default))
        for argument, default in zip(positional, defaults)
    ]
    found += [Parameter(given.vararg.arg, "args")] if given.vararg else []
    found += [
        Parameter(argument.arg, "keyword-only", _text(default))
        for argument, default in zip(given.kwonlyargs, given.kw_defaults)
    ]
    return (*found, Parameter(given.kwarg.arg, "kwargs")) if given.kwarg else tuple(found)


def compare_parameters(old: NameRecord, new: NameRecord) -> tuple[ParameterChange, ...]:
    """Return how the parameters differ, sorted by name; nothing where a signature is missing or can't be read.

    A callable with several signatures accepts a parameter where one of them does. Order, kind and default are only
    compared where both releases have a single signature.
    """
    before = [parse_signature(signature) for signature in old.signatures]
    after = [parse_signature(signature) for signature in new.signatures]
    if not before or not after or None in before or None in after or not _comparable(old, new):
        return ()
    had = {parameter.name: parameter for overload in before for parameter in overload or ()}
    has = {parameter.name: parameter for overload in after for parameter in overload or ()}
    changes: list[ParameterChange] = []
    if not _takes_any(has):
        changes += [ParameterChange(name, "removed") for name in had.keys() - has.keys() if had[name].is_single]
    changes += [_added(has[name], len(after)) for name in has.keys() - had.keys() if has[name].is_single]
    if len(before) == len(after) == 1:
        positions = _positions(had), _positions(has)
        for name in had.keys() & has.keys():
            changes += _differences(had[name], has[name], positions)
    return tuple(sorted(changes, key=lambda change: (change.parameter, change.what)))


def _comparable(old: NameRecord, new: NameRecord) -> bool:
    """Return whether two signatures come from the same kind of place: a docstring names less than the code has."""
    return (old.origin == "doc") == (new.origin == "doc")


def _takes_any(parameters: dict[str, Parameter]) -> bool:
    return any(parameter.kind == "kwargs" for parameter in parameters.values())


def _added(parameter: Parameter, overloads: int) -> ParameterChange:
    required = parameter.default is None and overloads == 1
    return ParameterChange(parameter.name, "required" if required else "added", after=parameter.default or "")


def _positions(parameters: dict[str, Parameter]) -> dict[str, int]:
    names = [name for name, parameter in parameters.items() if parameter.kind.startswith("positional")]
    return {name: position for position, name in enumerate(names)}


def _differences(
    old: Parameter, new: Parameter, positions: tuple[dict[str, int], dict[str, int]]
) -> list[ParameterChange]:
    changes = []
    if old.default is not None and new.default is None and old.kind == new.kind:
        changes.append(ParameterChange(old.name, "required", before=old.default))
    elif old.default != new.default and old.default is not None and "..." not in (old.default, new.default):
        changes.append(ParameterChange(old.name, "default", old.default, new.default or ""))
    if old.kind != new.kind and new.kind in ("keyword-only", "positional-only"):
        changes.append(ParameterChange(old.name, new.kind))
    was, now = (position.get(old.name) for position in positions)
    if was is not None and now is not None and was != now:
        changes.append(ParameterChange(old.name, "moved", str(was + 1), str(now + 1)))
    return changes


def _text(default: Optional[ast.expr]) -> Optional[str]:
    return None if default is None else ast.unparse(default)

"""Signatures as they are recorded, read as `inspect.Signature`, and how those of two releases differ."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Optional

from conformance.names.model import NameRecord

#: What can happen to a parameter between two releases.
CHANGES = ("removed", "required", "added", "default", "keyword-only", "positional-only", "moved")
_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_NARROWER = {Parameter.KEYWORD_ONLY: "keyword-only", Parameter.POSITIONAL_ONLY: "positional-only"}


class Source(str):
    """The source of a default value, which a signature shows as it is."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class ParameterChange:
    """One difference; `what` is one of `CHANGES`, `before` and `after` are defaults or positions where it has them."""

    parameter: str
    what: str
    before: str = ""
    after: str = ""


def parse_signature(text: str) -> Optional[Signature]:
    """Return the signature that a text such as ``(input, *, dim=None)`` is, None where it is not Python's."""
    try:
        node = ast.parse(f"def f{text}: pass").body[0]
        return signature_of(node.args) if isinstance(node, ast.FunctionDef) else None
    except (SyntaxError, ValueError):
        return None


def signature_of(given: ast.arguments) -> Signature:
    """Return the signature of a definition, without annotations; each default is a `Source`.

    Raises
    ------
    ValueError
        If two parameters have the same name.
    """
    positional = [Parameter(one.arg, Parameter.POSITIONAL_ONLY) for one in given.posonlyargs]
    positional += [Parameter(one.arg, Parameter.POSITIONAL_OR_KEYWORD) for one in given.args]
    required = len(positional) - len(given.defaults)
    keywords = [Parameter(one.arg, Parameter.KEYWORD_ONLY) for one in given.kwonlyargs]
    parameters = positional[:required]
    parameters += map(_with_default, positional[required:], given.defaults)
    parameters += [Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL)] if given.vararg else []
    parameters += map(_with_default, keywords, given.kw_defaults)
    parameters += [Parameter(given.kwarg.arg, Parameter.VAR_KEYWORD)] if given.kwarg else []
    return Signature(parameters)


def _with_default(parameter: Parameter, default: Optional[ast.expr]) -> Parameter:
    return parameter if default is None else parameter.replace(default=Source(ast.unparse(default)))


def default_of(parameter: Parameter) -> Optional[str]:
    """Return the source of a parameter's default, None where the parameter is required."""
    return None if parameter.default is Parameter.empty else str(parameter.default)


def is_single(parameter: Parameter) -> bool:
    """Return whether a parameter stands for one argument."""
    return parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def is_positional(parameter: Parameter) -> bool:
    """Return whether an argument can be given by its position."""
    return parameter.kind in _POSITIONAL


def compare_parameters(old: NameRecord, new: NameRecord) -> tuple[ParameterChange, ...]:
    """Return how the parameters differ, sorted by name; nothing where a signature is missing or can't be read.

    A callable with several signatures accepts a parameter where one of them does. Order, kind and default are only
    compared where both releases have a single signature.
    """
    before = [parse_signature(signature) for signature in old.signatures]
    after = [parse_signature(signature) for signature in new.signatures]
    if not before or not after or None in before or None in after or not _comparable(old, new):
        return ()
    had, has = (
        {name: parameter for overload in overloads if overload for name, parameter in overload.parameters.items()}
        for overloads in (before, after)
    )
    changes: list[ParameterChange] = []
    if not _takes_any(has):
        changes += [ParameterChange(name, "removed") for name in had.keys() - has.keys() if is_single(had[name])]
    changes += [_added(has[name], len(after)) for name in has.keys() - had.keys() if is_single(has[name])]
    if len(before) == len(after) == 1:
        positions = _positions(had), _positions(has)
        for name in had.keys() & has.keys():
            changes += _differences(had[name], has[name], positions)
    return tuple(sorted(changes, key=lambda change: (change.parameter, change.what)))


def _comparable(old: NameRecord, new: NameRecord) -> bool:
    """Return whether two signatures come from the same kind of place: a docstring names less than the code has."""
    return (old.origin == "doc") == (new.origin == "doc")


def _takes_any(parameters: dict[str, Parameter]) -> bool:
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())


def _added(parameter: Parameter, overloads: int) -> ParameterChange:
    default = default_of(parameter)
    required = default is None and overloads == 1
    return ParameterChange(parameter.name, "required" if required else "added", after=default or "")


def _positions(parameters: dict[str, Parameter]) -> dict[str, int]:
    names = [name for name, parameter in parameters.items() if is_positional(parameter)]
    return {name: position for position, name in enumerate(names)}


def _differences(
    old: Parameter, new: Parameter, positions: tuple[dict[str, int], dict[str, int]]
) -> list[ParameterChange]:
    changes = []
    before, after = default_of(old), default_of(new)
    if before is not None and after is None and old.kind == new.kind:
        changes.append(ParameterChange(old.name, "required", before=before))
    elif before != after and before is not None and "..." not in (before, after):
        changes.append(ParameterChange(old.name, "default", before, after or ""))
    if old.kind != new.kind and new.kind in _NARROWER:
        changes.append(ParameterChange(old.name, _NARROWER[new.kind]))
    was, now = (position.get(old.name) for position in positions)
    if was is not None and now is not None and was != now:
        changes.append(ParameterChange(old.name, "moved", str(was + 1), str(now + 1)))
    return changes

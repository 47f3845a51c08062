"""The list of all checks, and how a check says that it cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_checks: dict[str, Callable[..., Any]] = {}


class NotJudged(Exception):
    """Raised by a check when an example can neither confirm nor refute: it does not count as an example."""


def check(function: Function) -> Function:
    """Add a function to the expectation vocabulary, under its own name."""
    name = function.__name__
    if name in _checks:
        raise ValueError(f"two checks are named {name}: {_checks[name].__module__} and {function.__module__}")
    _checks[name] = function
    return function


def vocabulary() -> dict[str, Callable[..., Any]]:
    """Return every check by name, sorted: the namespace in which expectations are evaluated."""
    return dict(sorted(_checks.items()))

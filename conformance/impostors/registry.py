"""The list of all impostors."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from conformance.impostors.call import Call
from conformance.language.model import FAMILIES

Behaviour = Callable[[Call], Any]

#: The modules that define impostors, in the order in which they are tried.
_MODULES = (
    "sharing",
    "writes",
    "gradients",
    "graph",
    "flags",
    "metadata",
    "contents",
    "answers",
    "callbacks",
    "objects",
    "held",
    "chance",
    "errors",
    "notices",
    "modes",
    "classes",
    "layouts",
    "handed",
    "outside",
)

_impostors: dict[str, Impostor] = {}


@dataclass(frozen=True)
class Impostor:
    """A wrong torch.

    Attributes
    ----------
    name : str
        Permanent, in kebab-case; result files hold it.
    summary : str
        What is wrong with it, in a line.
    families : frozenset of str
        The families of claims that it is made for. It is tried on these first, and on others as long as a part of their
        expectation can't be shown to fail.
    behaviour : callable
        Stands in for one use of torch: takes a :class:`Call` and returns what the program gets.
    """

    name: str
    summary: str
    families: frozenset[str]
    behaviour: Behaviour


def impostor(*families: str) -> Callable[[Behaviour], Behaviour]:
    """Register a function as an impostor; its name with dashes is the impostor's name, its docstring the summary.

    Parameters
    ----------
    families
        The families of claims that it is made for.
    """
    unknown = set(families) - set(FAMILIES)
    if unknown or not families:
        raise ValueError(f"an impostor names families of claims, not {sorted(unknown)}")

    def register(behaviour: Behaviour) -> Behaviour:
        name = behaviour.__name__.replace("_", "-")
        if name in _impostors:
            raise ValueError(f"two impostors are named {name}")
        summary = (behaviour.__doc__ or "").strip().splitlines()[0].rstrip(".")
        _impostors[name] = Impostor(name, summary, frozenset(families), behaviour)
        return behaviour

    return register


def impostors() -> dict[str, Impostor]:
    """Return every impostor by name, in the order in which they are tried."""
    for module in _MODULES:
        import_module(f"conformance.impostors.{module}")
    return dict(_impostors)


def add_file(path: Path) -> None:
    """Run a Python file that defines impostors of its own.

    Parameters
    ----------
    path
        The file; its functions with the decorator are registered, under the rules for all others.
    """
    for module in _MODULES:
        import_module(f"conformance.impostors.{module}")
    runpy.run_path(str(path))

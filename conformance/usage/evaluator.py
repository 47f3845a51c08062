"""Reads one file: what is known at a place of it, and the parts that work it out."""

from __future__ import annotations

import ast
import re
from typing import Optional, Protocol

from conformance.usage.calls import Calls
from conformance.usage.definitions import Definitions
from conformance.usage.expressions import Expressions
from conformance.usage.recorder import Recorder
from conformance.usage.scopes import Scope
from conformance.usage.statements import Statements
from conformance.usage.values import NOTHING, OwnClass, Value

_GLOBAL = re.compile(r"^[ \t]*global[ \t]+(.+)$", re.M)


class Modules(Protocol):
    """The modules of a project."""

    def find(self, importer: str, name: str, level: int) -> Optional[str]:
        """Return the path of a module that a file imports; ``level`` is the number of dots before its name."""

    def member(self, path: str, name: str) -> Optional[Value]:
        """Return what a module binds a name to; `NOTHING` where that is not known yet."""

    def exported(self, path: str, name: str) -> Optional[Value]:
        """Return what a star import of a module binds a name to, likewise."""


class Evaluator:
    """The state at the place that is read, and the parts, each of which has this object and so the others."""

    def __init__(self, record: Recorder, modules: Modules, source: str) -> None:
        self.record = record
        self.modules = modules
        self.scope = Scope()
        found = _GLOBAL.findall(source) if "global " in source else ()
        #: Names that a function changes by `global`.
        self.unsteady = frozenset(name.strip() for names in found for name in names.split(","))
        #: Modules of torch, and the paths of those of the project, all of whose names are imported.
        self.stars: list[str] = []
        self.own_stars: list[str] = []
        #: How often the code has looked at the version or at what torch has.
        self.looks = 0
        #: Above zero where it depends on such a look what is bound.
        self.choices = 0
        #: The loop that is read, by a number; 0 outside loops.
        self.loop = 0
        #: Whether the code runs under `torch.no_grad` or its like.
        self.without_grad = False
        #: The class whose method is read, what the function returns, and what it yields.
        self.owner: Optional[OwnClass] = None
        self.returned: Value = NOTHING
        self.items: Optional[Value] = None
        self.expressions = Expressions(self)
        self.calls = Calls(self)
        self.statements = Statements(self)
        self.definitions = Definitions(self)

    def read(self, tree: ast.Module, with_functions: bool = True) -> dict[str, Value]:
        """Read a file and return the names it binds; ``with_functions``: the bodies of functions too."""
        return self.definitions.read_module(tree, with_functions)

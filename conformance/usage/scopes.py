"""The names that a block of code binds, with branches that can be undone and joined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from conformance.usage.values import NOTHING, Value, join


class Scope:
    """A module, class, function or comprehension.

    Parameters
    ----------
    parent
        The scope around it in which its names are looked up.
    """

    __slots__ = ("_journal", "globals", "is_class", "names", "parent", "rebound")

    def __init__(self, parent: Optional[Scope] = None, is_class: bool = False) -> None:
        self.parent, self.is_class = parent, is_class
        self.names: dict[str, Value] = {}
        #: Names that are bound more than once.
        self.rebound: set[str] = set()
        #: Names that a `global` statement gives to the module.
        self.globals: Optional[set[str]] = None
        self._journal: Optional[list[tuple[str, Optional[Value]]]] = None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name, for all code that follows in this branch."""
        if self.globals is not None and name in self.globals:
            self.module().join(name, value)
            return
        old = self.names.get(name)
        if old is not None:
            self.rebound.add(name)
        if self._journal is not None:
            self._journal.append((name, old))
        self.names[name] = value

    def join(self, name: str, value: Value) -> None:
        """Bind a name to one more value."""
        self.rebound.add(name)
        self.names[name] = join(self.names.get(name, NOTHING), value)

    def module(self) -> Scope:
        """Return the outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def inner(self) -> Scope:
        """Return the scope in which a function defined here looks its names up."""
        return self.parent if self.is_class and self.parent is not None else self

    def start_branch(self) -> Optional[list[tuple[str, Optional[Value]]]]:
        """Begin to note what is bound; give the result to `end_branch`."""
        outer, self._journal = self._journal, []
        return outer

    def end_branch(self, outer: Optional[list[tuple[str, Optional[Value]]]]) -> dict[str, Value]:
        """Undo what was bound since the branch began, and return it."""
        bound: dict[str, Value] = {}
        for name, old in reversed(self._journal or ()):
            if name not in bound and name in self.names:
                bound[name] = self.names[name]
            if old is None:
                self.names.pop(name, None)
            else:
                self.names[name] = old
        self._journal = outer
        return bound

    def join_branches(self, branches: Iterable[dict[str, Value]]) -> None:
        """Bind what branches have bound, of which one is taken."""
        branches = list(branches)
        for name in {name: None for bound in branches for name in bound}:
            before = self.names.get(name, NOTHING)
            value: Value = NOTHING
            for bound in branches:
                value = join(value, bound.get(name, before))
            self.bind(name, value)

"""Finds the files that are loaded for a state dict alone: all that is taken from them goes to ``load_state_dict``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple, Optional

LOADS = "load_state_dict"
#: Methods that give a part of a dictionary, and those that only look at it or change it.
_GIVE_A_PART = frozenset(("get", "pop"))
_ONLY_LOOK = frozenset(("keys", "update", "setdefault"))
_LOOKING_FUNCTIONS = frozenset(("len", "print", "isinstance", "type"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def loads_of_state_dicts(tree: ast.Module, places: Collection[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Return which calls have results that go to ``load_state_dict`` alone.

    That is the whole result or parts of it by key, at once, by a variable, or by a function or loop that gives the
    entries other names. Whether a key is there may be asked.

    Parameters
    ----------
    places
        The lines and columns of calls, as `ast` counts them.
    """
    file = _File(tree)
    calls = [call for call in file.calls if (call.lineno, call.col_offset) in places and _name(call) == "load"]
    return frozenset((call.lineno, call.col_offset) for call in calls if set(file.takers(call, set())) == {LOADS})


class _Scope(NamedTuple):
    """What a function, or a file, reads by each name; ``loads``: whether it calls ``load_state_dict``."""

    reads: dict[str, list[ast.Name]]
    loads: bool


class _File:
    """The nodes of a file, each with the one around it."""

    def __init__(self, tree: ast.Module) -> None:
        self._around: dict[ast.AST, ast.AST] = {}
        self._scopes: dict[ast.AST, _Scope] = {}
        self.calls: list[ast.Call] = []
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            for inner in ast.iter_child_nodes(node):
                self._around[inner] = node
                waiting.append(inner)
            if isinstance(node, ast.Call):
                self.calls.append(node)

    def takers(self, value: ast.AST, followed: set[str]) -> Iterator[Optional[str]]:
        """Yield the method that takes a value, or a part of it, for each place that does; None for anything else.

        Parameters
        ----------
        followed
            The variables whose reads were looked at.
        """
        around = self._around[value]
        if isinstance(around, ast.Subscript) and around.value is value:
            if isinstance(around.ctx, ast.Load):
                yield from self.takers(around, followed)
        elif isinstance(around, ast.Attribute):
            yield from self._by_method(around, followed)
        elif isinstance(around, (ast.IfExp, ast.BoolOp)):
            yield from self.takers(around, followed)
        elif isinstance(around, ast.Assign) and around.value is value:
            for target in around.targets:
                yield from self._by_name(target, followed)
        elif isinstance(around, ast.Call) and value is not around.func:
            yield from self._by_call(around, value, followed)
        elif not isinstance(around, (ast.Compare, ast.Delete, ast.Expr)):
            yield None

    def _by_call(self, call: ast.Call, value: ast.AST, followed: set[str]) -> Iterator[Optional[str]]:
        if _name(call) == LOADS:
            yield LOADS if call.args[:1] == [value] else None
        elif _name(call) not in _LOOKING_FUNCTIONS:
            yield from list(self.takers(call, followed)) or [None]

    def _by_method(self, attribute: ast.Attribute, followed: set[str]) -> Iterator[Optional[str]]:
        call = self._around[attribute]
        if not isinstance(call, ast.Call):
            yield None
        elif attribute.attr in _GIVE_A_PART:
            yield from self.takers(call, followed)
        elif attribute.attr == "items":
            yield LOADS if self._scope_of(call).loads else None
        elif attribute.attr not in _ONLY_LOOK:
            yield None

    def _by_name(self, target: ast.expr, followed: set[str]) -> Iterator[Optional[str]]:
        if not isinstance(target, ast.Name):
            yield None
        elif target.id not in followed:
            followed.add(target.id)
            for read in self._scope_of(target).reads.get(target.id, ()):
                yield from self.takers(read, followed)

    def _scope_of(self, node: ast.AST) -> _Scope:
        """Return the function around a node, or the file."""
        while node in self._around and not isinstance(node, _FUNCTIONS):
            node = self._around[node]
        if node not in self._scopes:
            scope = self._scopes[node] = _Scope({}, any(_name(call) == LOADS for call in _calls(node)))
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                    scope.reads.setdefault(inner.id, []).append(inner)
        return self._scopes[node]


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))


def _name(call: ast.Call) -> str:
    """Return the last name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))

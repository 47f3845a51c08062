"""Finds the files that are loaded for a state dict alone: all that is taken from them goes to ``load_state_dict``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

LOADS = "load_state_dict"
#: Methods that give a part of a dictionary, and those that only look at it or change it.
_GIVE_A_PART = frozenset(("get", "pop"))
_ONLY_LOOK = frozenset(("keys", "update", "setdefault"))
_LOOKING_FUNCTIONS = frozenset(("len", "print", "isinstance", "type"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def loads_of_state_dicts(tree: ast.Module) -> frozenset[tuple[int, int]]:
    """Return the lines and columns, as `ast` counts them, of the calls whose results go to ``load_state_dict`` alone.

    That is the whole result or parts of it by key, at once or by a variable. Whether a key is there may be asked.
    """
    found = set()
    file = _File(tree)
    for call in file.calls:
        if set(file.takers(call, frozenset())) == {LOADS}:
            found.add((call.lineno, call.col_offset))
    return frozenset(found)


class _File:
    """The nodes of a file, each with the one around it."""

    def __init__(self, tree: ast.Module) -> None:
        self.around: dict[ast.AST, ast.AST] = {}
        self.calls: list[ast.Call] = []
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            for inner in ast.iter_child_nodes(node):
                self.around[inner] = node
                waiting.append(inner)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "load":
                self.calls.append(node)

    def takers(self, value: ast.AST, followed: frozenset[str]) -> Iterator[Optional[str]]:
        """Yield the method that takes a value, or a part of it, for each place that does; None for anything else."""
        around = self.around[value]
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
            name = getattr(around.func, "attr", getattr(around.func, "id", ""))
            if name not in _LOOKING_FUNCTIONS:
                yield LOADS if name == LOADS and around.args[:1] == [value] else None
        elif not isinstance(around, (ast.Compare, ast.Delete, ast.Expr)):
            yield None

    def _by_method(self, attribute: ast.Attribute, followed: frozenset[str]) -> Iterator[Optional[str]]:
        call = self.around[attribute]
        if not isinstance(call, ast.Call):
            yield None
        elif attribute.attr in _GIVE_A_PART:
            yield from self.takers(call, followed)
        elif attribute.attr not in _ONLY_LOOK:
            yield None

    def _by_name(self, target: ast.expr, followed: frozenset[str]) -> Iterator[Optional[str]]:
        if not isinstance(target, ast.Name):
            yield None
        elif target.id not in followed:
            for node in self._scope_of(target):
                if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load):
                    yield from self.takers(node, followed | {target.id})

    def _scope_of(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what is in the function around a node, or in the file."""
        while node in self.around and not isinstance(node, _FUNCTIONS):
            node = self.around[node]
        yield from ast.walk(node)

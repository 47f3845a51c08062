"""A call as code: run it, and say what its result is."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np
import torch

from conformance.inputs.recipes import Namespace
from conformance.profiles.calls import MODULES

_RESULT = "__result__"
_NAMESPACE: Namespace = {
    "__builtins__": builtins,
    "torch": torch,
    "np": np,
    "device": "cpu",
    **{name: import_module(name) for name in MODULES},
}


class Program:
    """A compiled call.

    Parameters
    ----------
    text
        Statements; the value or the assignment of the last one is the result, of a ``with`` that of its last one.

    Attributes
    ----------
    has_result
        Whether there is one.
    """

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self.has_result = _keep_result(tree.body)
        self._code: CodeType = compile(ast.fix_missing_locations(tree), "<call>", "exec")

    def run(self, inputs: Namespace) -> Any:
        """Run the call and return its result; None where the last statement has none."""
        namespace = {**_NAMESPACE, **inputs}
        exec(self._code, namespace)
        return namespace.get(_RESULT)


def _keep_result(body: list[ast.stmt]) -> bool:
    """Assign the result of the last statement; return whether it has one."""
    last = body[-1]
    if isinstance(last, ast.With):
        return _keep_result(last.body)
    if isinstance(last, ast.Expr):
        body[-1] = _assignment(last.value, last)
        return True
    if isinstance(last, (ast.Assign, ast.AugAssign)):
        target = last.targets[0] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, (ast.Name, ast.Tuple)):
            body.append(_assignment(_read(target), last))
            return True
    return False


def _assignment(value: ast.expr, where: ast.stmt) -> ast.Assign:
    return ast.copy_location(ast.Assign([ast.Name(_RESULT, ast.Store())], value), where)


def _read(target: ast.expr) -> ast.expr:
    """Return the expression that reads what a target assigns."""
    return ast.parse(ast.unparse(target), mode="eval").body


@cache
def program(text: str) -> Program:
    """Compile a call, once."""
    return Program(text)

"""A call as code: what prepares it, and the statement that is observed."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np
import torch

from conformance.inputs.device import current_device
from conformance.inputs.recipes import Namespace
from conformance.lab.trials.calls import MODULES
from conformance.run.scripts.placement import placed_text

_RESULT = "__result__"
_NAMESPACE: Namespace = {
    "__builtins__": builtins,
    "torch": torch,
    "np": np,
    **{name: import_module(name) for name in MODULES},
}


class Program:
    """A compiled call; what it makes without naming a device is on the device under test.

    Parameters
    ----------
    setup
        Statements that prepare the call.
    call
        The statement that is observed. Its value, or what it assigns, is the result; of a ``with`` that of its last
        statement.
    """

    def __init__(self, setup: str, call: str) -> None:
        tree = ast.parse(_placed(call))
        _keep_result(tree.body)
        self._setup = compile(_placed(setup), "<setup>", "exec") if setup else None
        self._call: CodeType = compile(ast.fix_missing_locations(tree), "<call>", "exec")

    def prepare(self, inputs: Namespace) -> Namespace:
        """Return the inputs and what the setup assigns, for `run`."""
        namespace = {**_NAMESPACE, **inputs}
        if self._setup is not None:
            exec(self._setup, namespace)
        return namespace

    def run(self, namespace: Namespace) -> Any:
        """Run the call and return its result; None where it has none."""
        exec(self._call, namespace)
        return namespace.get(_RESULT)


def _keep_result(body: list[ast.stmt]) -> None:
    """Assign the result of the last statement, if it has one."""
    last = body[-1]
    if isinstance(last, ast.With):
        _keep_result(last.body)
    elif isinstance(last, ast.Expr):
        body[-1] = _assignment(last.value, last)
    elif isinstance(last, (ast.Assign, ast.AugAssign)):
        target = last.targets[0] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, (ast.Name, ast.Tuple)):
            body.append(_assignment(ast.parse(ast.unparse(target), mode="eval").body, last))


def _assignment(value: ast.expr, where: ast.stmt) -> ast.Assign:
    return ast.copy_location(ast.Assign([ast.Name(_RESULT, ast.Store())], value), where)


@cache
def made_by(expression: str) -> CodeType:
    """Compile the expression of an input, once."""
    return compile(_placed(expression), "<input>", "eval")


def make(expression: str, inputs: Namespace) -> Any:
    """Return what an expression makes of earlier inputs."""
    return eval(made_by(expression), {**_NAMESPACE, **inputs})


def _placed(text: str) -> str:
    device = current_device()
    return text if device == "cpu" else placed_text(text, f'"{device}"')

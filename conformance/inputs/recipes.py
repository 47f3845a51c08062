"""Recipes: Python expressions that build an input from torch and NumPy alone."""

from __future__ import annotations

import builtins
from types import CodeType
from typing import Any

import numpy as np
import torch

#: Names and what they hold, as Python runs code in them.
Namespace = dict[str, Any]

_codes: dict[str, CodeType] = {}

BASE_NAMESPACE: Namespace = {"__builtins__": builtins, "np": np, "torch": torch}
"""The names every recipe may use; earlier inputs come on top."""


class Unbuildable(Exception):
    """Running a recipe raised an error.

    Parameters
    ----------
    recipe
        The expression.
    error
        What it raised.
    """

    def __init__(self, recipe: str, error: BaseException) -> None:
        super().__init__(recipe, error)
        self.recipe = recipe
        self.error = error

    def __str__(self) -> str:
        return f"{self.recipe} raised {type(self.error).__name__}: {self.error}"


def build(recipe: str, namespace: Namespace) -> Any:
    """Run a recipe and return what it builds.

    Parameters
    ----------
    recipe
        A Python expression.
    namespace
        The names it may use, such as a copy of `BASE_NAMESPACE`.

    Raises
    ------
    Unbuildable
        When the recipe raises.
    """
    try:
        code = _codes.get(recipe)
        if code is None:
            code = _codes[recipe] = compile(recipe, "<recipe>", "eval")
        return eval(code, namespace)
    except Exception as error:
        raise Unbuildable(recipe, error) from error

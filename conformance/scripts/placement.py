"""Recipes that somebody wrote down, built on the device under test: ``torch.zeros(3)`` becomes one for that device."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

from conformance.language.factories import lacks_device, makes_module
from conformance.language.model import Claim


def placed(claim: Claim, recipes: Mapping[str, str], device: str) -> dict[str, str]:
    """Return the recipes of a claim's inputs for a device; an input that the claim wants on another one stays.

    On the CPU they stay as they are.
    """
    if device == "cpu":
        return dict(recipes)
    fixed = {name for name, fragment in claim.given if "device=" in fragment.text.replace("device=device", "")}
    return {name: recipe if name in fixed else placed_recipe(recipe, device) for name, recipe in recipes.items()}


@cache
def placed_recipe(recipe: str, device: str) -> str:
    """Return an expression with ``device=`` in each call that lacks it, and with modules moved."""
    return ast.unparse(_Placing(device).visit(ast.parse(recipe.strip(), mode="eval")))


class _Placing(ast.NodeTransformer):
    def __init__(self, device: str) -> None:
        self._device = device

    def visit_Call(self, call: ast.Call) -> ast.expr:
        self.generic_visit(call)
        if lacks_device(call):
            call.keywords.append(ast.keyword("device", ast.Constant(self._device)))
        elif makes_module(call):
            moved = ast.Attribute(call, "to", ast.Load())
            return ast.Call(moved, [ast.Constant(self._device)], [])
        return call

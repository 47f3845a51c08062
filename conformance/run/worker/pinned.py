"""Examples from recipes that somebody wrote down: the counterexamples that divergences pin."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.inputs.given import Example
from conformance.inputs.recipes import BASE_NAMESPACE, build


def example_from_recipes(recipes: Mapping[str, str], device: str) -> Example:
    """Build the inputs in order; a recipe may use the earlier ones, ``torch``, ``np`` and ``device``."""
    values: dict[str, object] = {}
    for name, recipe in recipes.items():
        values[name] = build(recipe, {**BASE_NAMESPACE, "device": device, **values})
    return Example(recipes=dict(recipes), values=values, made={})

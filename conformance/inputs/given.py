"""The inputs of a claim: from the expressions of ``given`` to values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from types import CodeType
from typing import Any, Optional

import numpy as np
import torch

from conformance.inputs import kinds
from conformance.inputs.choices import Choices, NoSuchInput
from conformance.inputs.covering import Admits
from conformance.inputs.device import set_current_device
from conformance.inputs.dtypes import DTYPE_CLASSES, DtypeClass
from conformance.inputs.kind import Input, registered_kinds
from conformance.inputs.recipes import BASE_NAMESPACE, Namespace, build
from conformance.language.input_domains import DTYPES
from conformance.language.model import Fragment

__all__ = ["Example", "Given", "InvalidGiven", "NoSuchInput"]


class InvalidGiven(ValueError):
    """An expression of ``given`` that is no input.

    Parameters
    ----------
    fragment
        The expression.
    name
        The name of the input.
    reason
        What is wrong with it.
    """

    def __init__(self, fragment: Fragment, name: str, reason: str) -> None:
        super().__init__(f"{fragment.place}: given {name}: {reason}")
        self.fragment = fragment
        self.name = name


@dataclass
class Example:
    """One set of inputs.

    Attributes
    ----------
    recipes
        For each input the expression that builds it; it may name earlier inputs.
    values
        The inputs.
    made
        What was chosen, by label; for a tensor ``x`` the label ``x`` has the names of dtype, layout, size and state.
    domains
        For each tensor and array that does not depend on another input: the values of each factor, and the condition
        that a combination is admitted. The pair is what `conformance.inputs.covering.admissible_pairs` takes; the
        condition has the names of the factors as its ``axes``.
    choices
        What made the decisions, for an example that was drawn.
    """

    recipes: dict[str, str]
    values: Namespace
    made: Namespace
    domains: dict[str, tuple[Sequence[Sequence[Any]], Admits]] = field(default_factory=dict)
    choices: Optional[Choices] = None

    def rebuild(self) -> Namespace:
        """Return a second, identical set of values that shares nothing with the first."""
        return build_all(self.recipes)

    def script(self) -> str:
        """Return the lines that build the inputs; they need torch, and NumPy as np."""
        return "".join(f"{name} = {recipe}\n" for name, recipe in self.recipes.items())


def build_all(recipes: dict[str, str]) -> Namespace:
    """Return the value of each recipe, in order; a recipe may name earlier ones.

    Parameters
    ----------
    recipes
        Expressions by name.
    """
    namespace = BASE_NAMESPACE.copy()
    values = {}
    for name, recipe in recipes.items():
        namespace[name] = values[name] = build(recipe, namespace)
    return values


class Given:
    """The inputs that a claim asks for.

    Parameters
    ----------
    given
        Name and expression of each input, in order.
    device
        The device under test, such as ``cpu`` or ``cuda:1``.

    Raises
    ------
    InvalidGiven
        When an expression is not Python; `draw` raises it for one that is no call of an input kind.
    """

    def __init__(self, given: Sequence[tuple[str, Fragment]], device: str) -> None:
        self._device = device
        set_current_device(device)
        self._parts = [
            _Part(name, fragment, [earlier for earlier, _ in given[:place]])
            for place, (name, fragment) in enumerate(given)
        ]
        self._dependent = [part.name for part in self._parts if part.depends]

    def draw(self, choices: Choices) -> Example:
        """Return one example.

        Parameters
        ----------
        choices
            Decides which.

        Raises
        ------
        NoSuchInput
            When there is no input of a kind here; the example is to be discarded.
        conformance.inputs.recipes.Unbuildable
            When this torch cannot build what was drawn.
        """
        recipes: dict[str, str] = {}
        values: Namespace = {}
        namespace = BASE_NAMESPACE.copy()
        for part in self._parts:
            name = part.name
            source = part.independent
            if source is None:
                source = part.evaluate(values, self._device)
            recipe = recipes[name] = source.recipe(name, choices)
            namespace[name] = values[name] = build(recipe, namespace)
        domains = choices.domains
        if self._dependent:
            domains = {label: domain for label, domain in domains.items() if label not in self._dependent}
        return Example(recipes, values, choices.made, domains, choices)


class _Part:
    """One input: its expression, worked out once where it does not depend on other inputs."""

    def __init__(self, name: str, fragment: Fragment, names: Sequence[str]) -> None:
        self.name = name
        self.fragment = fragment
        self.independent: Optional[Input] = None
        try:
            tree = ast.parse(fragment.text.strip(), "<given>", "eval")
        except SyntaxError as error:
            raise InvalidGiven(fragment, name, f"not a Python expression: {error.msg}") from error
        self._code: CodeType = compile(tree, "<given>", "eval")
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.depends = bool(used & set(names))

    def evaluate(self, values: Namespace, device: str) -> Input:
        set_current_device(device)
        namespace = _vocabulary().copy()
        namespace["device"] = device
        namespace.update(values)
        try:
            source = eval(self._code, namespace)
        except NoSuchInput:
            raise
        except Exception as error:
            if isinstance(error, AttributeError) and (lacking := _lacking_dtype(self.fragment.text)):
                raise NoSuchInput(f"{self.name}: this torch has no {lacking}") from error
            raise InvalidGiven(self.fragment, self.name, f"{type(error).__name__}: {error}") from error
        if not isinstance(source, Input):
            reason = f"{self.fragment.text.strip()} is not a call of an input kind but {type(source).__name__}"
            raise InvalidGiven(self.fragment, self.name, reason)
        if not self.depends:
            self.independent = source
        return source


def _lacking_dtype(text: str) -> Optional[str]:
    """Return the name of a dtype that an expression uses and only other versions of torch have."""
    return next((name for name in DTYPES if f"torch.{name}" in text and not hasattr(torch, name)), None)


_names: Namespace = {}


def _vocabulary() -> Namespace:
    """Return the names that an expression of ``given`` may use, apart from earlier inputs."""
    if not _names:
        for module in iter_modules(kinds.__path__):
            import_module(f"{kinds.__name__}.{module.name}")
        _names.update({name: DtypeClass(name) for name in DTYPE_CLASSES})
        _names.update(registered_kinds())
        _names.update({"__builtins__": builtins, "np": np, "torch": torch})
    return _names

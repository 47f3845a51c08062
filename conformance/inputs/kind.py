"""What an input kind is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from conformance.inputs.choices import Choices

KindFunction = TypeVar("KindFunction", bound=Callable[..., "Input"])

_kinds: dict[str, Callable[..., Input]] = {}


class Input(ABC):
    """One input of a claim: knows all its variants and writes the recipe of one of them."""

    @abstractmethod
    def recipe(self, label: str, choices: Choices) -> str:
        """Return the Python expression that builds the chosen variant.

        Parameters
        ----------
        label
            The name of the input in ``given``.
        choices
            Decides which variant.
        """


class Alternatives(Input):
    """An input that is one of some expressions.

    Parameters
    ----------
    recipes
        The expressions, simplest first.
    """

    def __init__(self, recipes: Sequence[str]) -> None:
        self._recipes = recipes

    def recipe(self, label: str, choices: Choices) -> str:
        """Return one of the expressions."""
        return choices.pick(label, self._recipes)


def input_kind(function: KindFunction) -> KindFunction:
    """Make a function an input kind: ``given`` may call it by its name."""
    _kinds[function.__name__] = function
    return function


def registered_kinds() -> dict[str, Callable[..., Any]]:
    """Return the input kinds registered so far, by name."""
    return dict(_kinds)

"""Mutants put in place of one function, method or attribute."""

from __future__ import annotations

from typing import Any

import torch

from conformance.lab.impostors.engine.patch import EVERY, Patch
from conformance.lab.impostors.engine.registry import operators
from conformance.lab.impostors.engine.targets import Target

OPERATORS = operators()


def acting(name: str, *places: tuple[Any, str], uses: str = EVERY) -> Patch:
    """Mutate what stands in some places."""
    return Patch(OPERATORS[name].behaviour, Target(places[0][1], places, True, True), uses)


def on_tensor(name: str, target: str, uses: str = EVERY) -> Patch:
    """Mutate a method or an attribute of tensors."""
    return acting(name, (torch.Tensor, target), uses=uses)

"""Impostors put in the place of an operation."""

from __future__ import annotations

from typing import Any

import torch

from conformance.impostors.operations import Operation
from conformance.impostors.presence import Presence
from conformance.impostors.registry import impostors

IMPOSTORS = impostors()


def acting(name: str, *places: tuple[Any, str], occasion: str = "every") -> Presence:
    """Put an impostor in the place of an operation."""
    return Presence(IMPOSTORS[name], Operation(places[0][1], places, True, True), occasion)


def on_tensor(name: str, operation: str, occasion: str = "every") -> Presence:
    return acting(name, (torch.Tensor, operation), occasion=occasion)

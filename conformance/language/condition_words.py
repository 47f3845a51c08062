"""Conditions in words: of environments, of divergences and of inputs."""

from __future__ import annotations

from conformance.base.text import one_line
from conformance.language.model import Conditions, Divergence

#: Kinds of divergence in words.
KINDS = {
    "docs-wrong": "The source is wrong",
    "torch-bug": "A bug of torch",
    "changed": "It was true once, and changed",
    "platform": "It depends on the platform",
}


def conditions_in_words(conditions: Conditions) -> str:
    """Put the conditions on an environment into words; empty where they admit every one."""
    named = (("torch", conditions.torch), ("NumPy", conditions.numpy), ("Python", conditions.python))
    parts = [f"{name} {specifier}" for name, specifier in named if specifier]
    parts += [f"the device {conditions.device}"] if conditions.device else []
    parts += [f"the system {conditions.system}"] if conditions.system else []
    return ", ".join(parts)


def divergence_in_words(divergence: Divergence) -> str:
    """Put into words where a divergence applies; empty where it does everywhere and for all inputs."""
    where = one_line(divergence.where.text) if divergence.where is not None else ""
    return ", ".join(filter(None, [conditions_in_words(divergence.when), where and f"where {where}"]))

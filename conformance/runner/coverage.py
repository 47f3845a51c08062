"""What a set of examples covered, in numbers."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import combinations as choose
from typing import Any

from conformance.inputs.covering import admissible_pairs

Combinations = AbstractSet[tuple[Any, ...]]


def coverage(combinations: Combinations, domain: tuple[Any, Any]) -> list[int]:
    """Count the values tried of each axis of an input, then the pairs of values of two axes: tried, and admitted.

    For a tensor the axes are dtype, layout, size and autograd state.
    """
    width = len(next(iter(combinations)))
    axes = [len({row[axis] for row in combinations}) for axis in range(width)]
    pairs = {(a, b, row[a], row[b]) for row in combinations for a, b in choose(range(width), 2)}
    return [*axes, len(pairs), admissible_pairs(*domain)]


def failing_values(failed: dict[str, Any], passed: dict[str, Any]) -> list[str]:
    """Say, for each axis that separates failing from passing examples, which values only the failing ones have."""
    lines = []
    for label, rows in sorted(failed.items()):
        others = passed.get(label, set())
        for axis in range(len(next(iter(rows)))):
            bad = {row[axis] for row in rows}
            if others and not bad & {row[axis] for row in others}:
                lines.append(f"every failing {label} is one of {', '.join(sorted(map(str, bad)))}")
    return lines

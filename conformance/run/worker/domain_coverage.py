"""What a set of examples covered, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import combinations as choose
from typing import Any

from conformance.inputs.covering import admissible_pairs, admissible_rows
from conformance.results.model import Coverage

Combinations = AbstractSet[tuple[Any, ...]]


def coverage(combinations: Combinations, domain: tuple[Any, Any]) -> Coverage:
    """Count the values tried of each axis of an input, and the pairs of values of two axes; name what was not tried."""
    width = len(next(iter(combinations)))
    axes = tuple(len({row[axis] for row in combinations}) for axis in range(width))
    pairs = {(a, b, row[a], row[b]) for row in combinations for a, b in choose(range(width), 2)}
    unjudged = {row[0] for row in admissible_rows(*domain)} - {row[0] for row in combinations}
    return Coverage(axes, len(pairs), admissible_pairs(*domain), tuple(sorted(map(str, unjudged))))


def failing_values(failed: Mapping[str, Combinations], passed: Mapping[str, Combinations]) -> list[str]:
    """Return, for each axis that separates failing from passing examples, a line on the values of failing ones."""
    lines = []
    for label, rows in sorted(failed.items()):
        others = passed.get(label, set())
        for axis in range(len(next(iter(rows)))):
            bad = {row[axis] for row in rows}
            if others and not bad & {row[axis] for row in others}:
                lines.append(f"every failing {label} is one of {', '.join(sorted(map(str, bad)))}")
    return lines

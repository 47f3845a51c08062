"""How the cost of a run grows with the number of claims and of examples, from the recorded benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from conformance.files import Unreadable, read_bounded
from conformance.views.pieces import words
from conformance.views.program import Table

_MOST_BYTES = 1_000_000


def load_growth(folder: Path) -> Optional[dict[str, tuple[float, ...]]]:
    """Read what the recorded benchmark measured of growth; `None` where there is none that can be read."""
    path = folder / "benchmarks.json"
    try:
        measured = json.loads(read_bounded(path, _MOST_BYTES))["measured"]["linearity"]
        return {name: tuple(float(number) for number in numbers) for name, numbers in measured.items()}
    except (Unreadable, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def growth_table(measured: Optional[Mapping[str, tuple[float, ...]]]) -> Optional[Table]:
    """Return the cost of a claim and of an example, relative to the cost among few; `None` where it is not known."""
    try:
        claims, examples = _relative(measured or {})
    except (KeyError, ZeroDivisionError):
        return None
    times = (measured or {})["times"]
    rows = tuple(
        (words(f"{time:g}"), words(f"{claim:.2f}×"), words(f"{example:.2f}×"))
        for time, claim, example in zip(times, claims, examples)
    )
    return Table((words("n"), words("a claim"), words("an example")), rows) if rows else None


def _relative(measured: Mapping[str, tuple[float, ...]]) -> tuple[list[float], list[float]]:
    claims = [seconds / times for seconds, times in zip(measured["seconds"], measured["times"])]
    examples = [seconds / count for seconds, count in zip(measured["seconds of those"], measured["examples"])]
    return [cost / claims[0] for cost in claims], [cost / examples[0] for cost in examples]

"""How the cost of a run grows, as a plot: from the recorded benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from docutils import nodes

from conformance.reference import markup
from conformance.reference.content import Reference
from conformance.reference.plot import mark_only, ratio_plot

_MOST_BYTES = 1_000_000
_DESCRIPTION = "Cost of one claim, and of one example, where there are more; 1× is what it costs among the fewest."


def load_scaling(folder: Path) -> Optional[dict[str, list[float]]]:
    """Read what the recorded benchmark measured of growth; None where there is none that can be read."""
    path = folder / "benchmarks.json"
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        measured = json.loads(path.read_text(encoding="utf-8"))["measured"]["linearity"]
        return {name: [float(number) for number in numbers] for name, numbers in measured.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def scaling_plot(reference: Reference, document: str) -> Sequence[nodes.Node]:
    """Plot the cost of a claim and of an example, relative to the cost among few."""
    series = {} if reference.scaling is None else _relative(reference.scaling)
    if not series or reference.scaling is None:
        return [markup.paragraph("Growth is not measured yet.", classes=["missing"])]
    times = reference.scaling["times"]
    drawn = markup.drawing(markup=ratio_plot(times, series, _DESCRIPTION), description=_DESCRIPTION)
    head: markup.Row = [
        ["n"],
        *[[markup.emblem(markup=mark_only(position)), nodes.Text(name)] for position, name in enumerate(series)],
    ]
    rows: list[markup.Row] = [
        [[f"{time:g}"], *[[f"{ratios[position]:.2f}×"] for ratios in series.values()]]
        for position, time in enumerate(times)
    ]
    caption = markup.paragraph("Cost with n times as many, relative to n = 1. A flat line is linear growth.")
    return [caption, markup.box(drawn, markup.table(head, rows, "ratios"), classes=["timing"])]


def _relative(measured: Mapping[str, Any]) -> dict[str, list[float]]:
    try:
        claims = [seconds / times for seconds, times in zip(measured["seconds"], measured["times"])]
        examples = [seconds / count for seconds, count in zip(measured["seconds of those"], measured["examples"])]
    except (KeyError, ZeroDivisionError):
        return {}
    costs = {"a claim": claims, "an example": examples}
    return {
        name: [cost / each[0] for cost in each] for name, each in costs.items() if len(each) == len(claims) and each[0]
    }

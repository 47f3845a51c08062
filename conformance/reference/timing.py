"""Timing claims: ratios as a plot, with a table beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.columns import Cell, Column
from conformance.reference.plot import mark_only, ratio_plot


def timing_blocks(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show what was measured for a timing claim, one plot and one table for each environment."""
    if claim.compare is None:
        return []
    blocks: list[nodes.Node] = []
    for column in columns:
        cell = column.cell(claim)
        if isinstance(cell.get("kernels"), Mapping) and isinstance(cell.get("sizes"), list):
            blocks += _environment(claim, cell)
    if not blocks:
        blocks.append(markup.paragraph("Not timed in any environment yet."))
    blocks.append(
        markup.paragraph(
            "Times depend on the machine. They are never part of what makes a run pass or fail.", classes=["aside"]
        )
    )
    return blocks


def _environment(claim: Claim, cell: Cell) -> list[nodes.Node]:
    sizes = [float(size) for size in cell.get("sizes")]
    measured = cell.get("kernels")
    names = [name for name, _ in claim.compare.kernels] if claim.compare else []
    series = {name: [float(ratio) for ratio in measured[name]] for name in names if name in measured}
    first = next(iter(series), "the first kernel")
    processor = cell.column.timing_environment.get("processor")
    place = f"{cell.column.label}, {processor}" if processor else cell.column.label
    description = f"Time of {', '.join(series)} divided by the time of {first}, on {place}; less is faster."
    drawn = markup.drawing(markup=ratio_plot(sizes, series, description), description=description)
    head: markup.Row = [
        ["n"],
        *[[_legend(position), markup.code(name)] for position, name in enumerate(series)],
    ]
    rows: list[markup.Row] = []
    for position, size in enumerate(sizes):
        ratios = [values[position] if position < len(values) else None for values in series.values()]
        rows.append([[f"{size:,.0f}"], *[[_number(ratio)] for ratio in ratios]])
    caption = markup.paragraph("Time relative to ", markup.code(first), f" on {place}. Less is faster.")
    return [caption, markup.box(drawn, markup.table(head, rows, "ratios"), classes=["timing"])]


def _legend(position: int) -> nodes.Node:
    return markup.emblem(markup=mark_only(position))


def _number(ratio: object) -> str:
    return "not measured" if not isinstance(ratio, float) else f"{ratio:.2f}×"

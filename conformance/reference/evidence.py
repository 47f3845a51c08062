"""What stands behind a verdict: how many examples were tried, and what they covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.columns import Cell, Column

AXES = ("dtypes", "layouts", "sizes", "autograd states")


def evidence(claim: Claim, columns: Sequence[Column]) -> Optional[nodes.Node]:
    """Say for each environment what was tried."""
    items: list[list[markup.Inline]] = []
    for column in columns:
        cell = column.cell(claim)
        words = _words(cell)
        if words:
            items.append([nodes.strong(column.label, column.label), f": {words}"])
    if not items:
        return None
    return markup.folded("Evidence", markup.bullets(items))


def _words(cell: Cell) -> str:
    examples = cell.get("examples")
    if not isinstance(examples, int):
        return ""
    parts = [f"{examples:,} example{'' if examples == 1 else 's'}"]
    covered = cell.get("covered")
    if isinstance(covered, Mapping):
        parts += [f"`{name}` in {_coverage(axes)}" for name, axes in covered.items() if isinstance(axes, list)]
    text = "; ".join(parts) + "."
    unsupported = cell.get("unsupported")
    if isinstance(unsupported, list) and unsupported:
        text += f" This torch has no kernel for {', '.join(str(name) for name in unsupported)}: these do not count."
    detail = cell.get("detail")
    if detail and cell.verdict in ("invalid", "crashed", "timed-out"):
        text += f" {detail}"
    return text


def _coverage(axes: Sequence[Any]) -> str:
    if len(axes) <= len(AXES):
        return ", ".join(f"{count} forms" for count in axes)
    words = [f"{count} {plural}" for count, plural in zip(axes, AXES)]
    words.append(f"{axes[len(AXES)]} pairs of these")
    return ", ".join(words)

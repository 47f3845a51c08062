"""Where a claim is false: what happens instead, why, and the smallest counterexample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from docutils import nodes

from conformance.language.model import Claim, Divergence
from conformance.reference import markup
from conformance.reference.columns import Cell, Column
from conformance.reference.program import conditions_in_words, expectation_blocks
from conformance.reference.strip import names
from conformance.reference.verdicts import FALSE, appearance

KINDS = {
    "docs-wrong": "The source is wrong",
    "torch-bug": "A bug of torch",
    "changed": "It was true once, and changed",
    "platform": "It depends on the platform",
}


def falsehoods(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show every recorded divergence, and every verdict that no record explains."""
    blocks: list[nodes.Node] = []
    for position, divergence in enumerate(claim.diverges):
        blocks.append(divergence_box(claim, position, divergence, columns))
    unexplained = [cell for cell in _cells(claim, columns) if cell.verdict in ("refuted", "changed", "fixed")]
    for verdict, cells in _grouped(unexplained):
        look = appearance(verdict)
        where = names([cell.column for cell in cells])
        body: list[nodes.Node] = [
            markup.paragraph(
                nodes.strong("", f"{look.symbol} {look.word.capitalize()}"), f" on {where}: {look.meaning}."
            )
        ]
        failed = _common(cells, "failed")
        if failed:
            body.append(markup.paragraph("What failed: ", markup.code(failed)))
        detail = _common(cells, "detail")
        if detail:
            body.append(markup.listing(detail, "text"))
        body += _counterexamples(cells)
        blocks.append(markup.box(*body, classes=["falsehood", f"verdict-{look.style}"]))
    return blocks


def affected(claim: Claim, position: int, columns: Sequence[Column]) -> list[Column]:
    """Give the environments where a recorded divergence was seen."""
    found = []
    for cell in _cells(claim, columns):
        seen = cell.get("divergence")
        if cell.verdict == "diverges" and (position in seen if isinstance(seen, list) else len(claim.diverges) == 1):
            found.append(cell.column)
    return found


def divergence_box(claim: Claim, position: int, divergence: Divergence, columns: Sequence[Column]) -> nodes.Node:
    """Show one recorded divergence."""
    found = affected(claim, position, columns)
    seen = f"Seen on {names(found)}." if found else "Not seen in any environment measured here."
    body: list[nodes.Node] = [
        markup.paragraph(
            nodes.strong("", f"≠ Recorded as false. {KINDS.get(divergence.kind, divergence.kind)}."), f" {seen}"
        ),
        markup.paragraph(divergence.note),
        markup.bullets(_circumstances(divergence)),
        *expectation_blocks(divergence.instead, "What happens instead"),
    ]
    if divergence.wording:
        body += [
            markup.label("Wording that would be true"),
            nodes.block_quote("", markup.paragraph(divergence.wording)),
        ]
    cells = [cell for cell in _cells(claim, found) if cell.get("counterexample")]
    body += _counterexamples(cells)
    if not cells and divergence.example:
        recipes = "\n".join(f"{name} = {recipe.text}" for name, recipe in divergence.example)
        body += [markup.label("It is false for"), markup.listing(recipes)]
    return markup.box(*body, classes=["falsehood", "verdict-known"])


def _circumstances(divergence: Divergence) -> list[list[markup.Inline]]:
    conditions = conditions_in_words(divergence.when)
    items: list[list[markup.Inline]] = [[f"Where: {conditions}." if conditions else "Where: in every environment."]]
    if divergence.where is not None:
        items.append(["For inputs with ", markup.code(divergence.where.text), "."])
    items.append(report_link(divergence))
    return items


def report_link(divergence: Divergence) -> list[markup.Inline]:
    """Link to the report of a divergence, or say that there is none."""
    if divergence.link == "none-filed":
        return ["Report: none filed."]
    return ["Report: ", markup.link(None, divergence.link)]


def _counterexamples(cells: Sequence[Cell]) -> list[nodes.Node]:
    blocks: list[nodes.Node] = []
    groups: dict[str, list[Column]] = {}
    for cell in reversed(cells):
        if cell.get("counterexample"):
            groups.setdefault(str(cell.get("counterexample")), []).insert(0, cell.column)
    for text, columns in groups.items():
        suffix = "" if len(groups) == 1 else f", {names(columns)}"
        blocks += [
            markup.label(f"Smallest counterexample, to copy and run{suffix}"),
            markup.box(markup.listing(text), classes=["counterexample"]),
        ]
    return blocks


def _cells(claim: Claim, columns: Sequence[Column]) -> list[Cell]:
    return [column.cell(claim) for column in columns]


def _grouped(cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(str(cell.verdict), []).append(cell)
    return list(groups.items())


def _common(cells: Sequence[Cell], name: str) -> Optional[str]:
    """Give the text of the newest environment that has one."""
    for cell in reversed(cells):
        if cell.get(name):
            return str(cell.get(name))
    return None


def is_false(claim: Claim, columns: Sequence[Column]) -> bool:
    """Whether a claim is false in some environment that was measured."""
    return any(cell.verdict in FALSE for cell in _cells(claim, columns))

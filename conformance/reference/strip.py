"""The verdicts of a claim: one line for each device, one chip or one small cell for each torch."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.columns import Cell, Column
from conformance.reference.ranges import in_ranges
from conformance.reference.verdicts import HOLE

MOST_CHIPS = 6


def strip(claim: Claim, columns: Sequence[Column]) -> nodes.Element:
    """Show the verdict in every environment; a device that the claim needs and nothing measured is drawn as a hole."""
    lines = []
    for device, cells in by_device(claim, columns):
        parts: list[nodes.Node] = [markup.span(device, "device"), nodes.Text(" ")]
        if not cells:
            parts += [markup.span(f"{HOLE.symbol} {HOLE.word}", "chip", "verdict-hole")]
        elif len(cells) > MOST_CHIPS:
            parts += [release_bar(cells), nodes.Text(" "), _in_words(cells)]
        else:
            for cell in cells:
                parts += [_chip(cell), nodes.Text(" ")]
        lines.append(parts)
    return markup.bullets(lines, classes=["verdicts"])


def brief(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show the verdicts as little as can be: one chip where all environments agree."""
    parts: list[nodes.Node] = []
    for device, cells in by_device(claim, columns):
        looks = {(cell.verdict, cell.hole, cell.in_part) for cell in cells}
        if not cells:
            shown: list[nodes.Node] = [markup.span(f"{device} {HOLE.symbol} {HOLE.word}", "chip", "verdict-hole")]
        elif len(looks) == 1:
            look = cells[0].look
            shown = [markup.span(f"{look.symbol} {_word(cells[0])}", "chip", f"verdict-{look.style}")]
        elif len(cells) > MOST_CHIPS:
            shown = [release_bar(cells), _chip(cells[-1])]
        else:
            shown = [_chip(cell) for cell in cells]
        for part in shown:
            parts += [part, nodes.Text(" ")]
    return parts


def release_bar(cells: Sequence[Cell]) -> nodes.Element:
    """Draw one small cell for each release, between the names of the first and the last."""
    told = "; ".join(f"{word} {where}" for (word, _, _), where in _ranges(cells).items())
    drawn = markup.bar(
        cells=[(cell.look.style, cell.look.symbol, f"{cell.column.torch}: {_word(cell)}") for cell in cells],
        description=told,
    )
    ends = [markup.span(cells[end].column.torch, "end") for end in (0, -1)]
    return nodes.inline("", "", ends[0], nodes.Text(" "), drawn, nodes.Text(" "), ends[1], classes=["releases"])


def _in_words(cells: Sequence[Cell]) -> nodes.inline:
    parts: list[nodes.Node] = []
    for (word, sign, style), where in _ranges(cells).items():
        parts += [nodes.Text("; ")] if parts else []
        parts += [markup.span(f"{sign} {word}", "verdict", f"verdict-{style}"), nodes.Text(f" {where}")]
    return nodes.inline("", "", *parts, classes=["ranges"])


def _ranges(cells: Sequence[Cell]) -> dict[tuple[str, str, str], str]:
    return in_ranges([(cell.column.torch, (_word(cell), cell.look.symbol, cell.look.style)) for cell in cells])


def _word(cell: Cell) -> str:
    return cell.look.word if cell.verdict else cell.hole or HOLE.word


def by_device(claim: Claim, columns: Sequence[Column]) -> list[tuple[str, list[Cell]]]:
    """Group the cells of a claim by device; a device with no cell is one that the claim needs and nothing measured."""
    devices = list(dict.fromkeys(column.device for column in columns))
    if claim.applies.device and claim.applies.device not in devices:
        devices.append(claim.applies.device)
    if not devices:
        return [("no environment", [])]
    return [(device, [column.cell(claim) for column in columns if column.device == device]) for device in devices]


def _chip(cell: Cell) -> nodes.inline:
    chip = nodes.inline(classes=["chip", f"verdict-{cell.look.style}"])
    chip += [markup.span(cell.column.torch, "version"), nodes.Text(f" {cell.look.symbol} {_word(cell)}")]
    return chip


def names(columns: Sequence[Column]) -> str:
    """Name environments in running text, such as `torch 1.9.0 and 2.13.0 (cpu)`; three neighbours are a range."""
    groups = []
    for device in dict.fromkeys(column.device for column in columns):
        runs: list[list[Column]] = []
        for column in columns:
            if column.device != device:
                continue
            if runs and column.position == runs[-1][-1].position + 1:
                runs[-1].append(column)
            else:
                runs.append([column])
        listed: list[str] = []
        for run in runs:
            ends = [run[0].torch, run[-1].torch]
            listed += [f"{ends[0]} to {ends[1]}"] if len(run) > 2 else [column.torch for column in run]
        listed = list(dict.fromkeys(listed))
        groups.append(
            f"torch {listed[0] if len(listed) == 1 else ', '.join(listed[:-1]) + ' and ' + listed[-1]} ({device})"
        )
    return "; ".join(groups)

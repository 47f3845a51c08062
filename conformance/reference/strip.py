"""The verdicts of a claim: one line for each device, one chip for each torch."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.columns import Cell, Column
from conformance.reference.verdicts import HOLE

MOST_CHIPS = 6


def strip(claim: Claim, columns: Sequence[Column]) -> nodes.Element:
    """Show the verdict in every environment; a device that the claim needs and nothing measured is drawn as a hole."""
    lines = []
    for device, cells in by_device(claim, columns):
        parts: list[nodes.Node] = [markup.span(device, "device"), nodes.Text(" ")]
        if not cells:
            parts += [markup.span(f"{HOLE.symbol} {HOLE.word}", "chip", "verdict-hole")]
        for run in _runs(cells):
            parts += [_chip(run), nodes.Text(" ")]
        lines.append(parts)
    return markup.bullets(lines, classes=["verdicts"])


def brief(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show the verdicts as few chips as can be: one where all environments agree."""
    parts: list[nodes.Node] = []
    for device, cells in by_device(claim, columns):
        looks = {(cell.verdict, cell.hole, cell.in_part) for cell in cells}
        if not cells:
            chips = [markup.span(f"{device} {HOLE.symbol} {HOLE.word}", "chip", "verdict-hole")]
        elif len(looks) == 1:
            look = cells[0].look
            chips = [
                markup.span(
                    f"{look.symbol} {look.word if cells[0].verdict else cells[0].hole}", "chip", f"verdict-{look.style}"
                )
            ]
        else:
            chips = [_chip(run) for run in _runs(cells)]
        for chip in chips:
            parts += [chip, nodes.Text(" ")]
    return parts


def by_device(claim: Claim, columns: Sequence[Column]) -> list[tuple[str, list[Cell]]]:
    """Group the cells of a claim by device; a device with no cell is one that the claim needs and nothing measured."""
    devices = list(dict.fromkeys(column.device for column in columns))
    if claim.applies.device and claim.applies.device not in devices:
        devices.append(claim.applies.device)
    if not devices:
        return [("no environment", [])]
    return [(device, [column.cell(claim) for column in columns if column.device == device]) for device in devices]


def _runs(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Split cells into chips: one for each, or where they are many, one for each run of equal verdicts."""
    if len(cells) <= MOST_CHIPS:
        return [[cell] for cell in cells]
    runs: list[list[Cell]] = []
    for cell in cells:
        if runs and (runs[-1][-1].look, runs[-1][-1].hole) == (cell.look, cell.hole):
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return runs


def _chip(run: Sequence[Cell]) -> nodes.inline:
    first, last = run[0], run[-1]
    look = first.look
    version = first.column.torch if len(run) == 1 else f"{first.column.torch} to {last.column.torch} ({len(run)})"
    word = look.word if first.verdict else first.hole or HOLE.word
    chip = nodes.inline(classes=["chip", f"verdict-{look.style}"])
    chip += [markup.span(version, "version"), nodes.Text(f" {look.symbol} {word}")]
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

"""The verdicts of a claim over all environments: a chip for each, or a bar of small cells with the same in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.base.release_spans import in_ranges
from conformance.language.model import Claim
from conformance.results.conditions import is_device
from conformance.results.recorded import Cell
from conformance.results.verdicts import NOT_MEASURED

#: More environments than this are drawn as a bar.
MOST_CHIPS = 6


@dataclass(frozen=True)
class Chip:
    """One verdict: a sign, a word, and the class that its colours hang on; where it was seen may stand before it."""

    symbol: str
    word: str
    style: str
    version: str = ""
    where: str = ""


@dataclass(frozen=True)
class Line:
    """The verdicts on one device.

    Attributes
    ----------
    chips : tuple of Chip
        One for each environment; of many, one for each verdict, with its releases.
    bar : tuple of Chip
        One for each of many environments that do not agree.
    """

    device: str
    chips: tuple[Chip, ...]
    bar: tuple[Chip, ...] = ()

    @property
    def description(self) -> str:
        """The bar in words."""
        return "; ".join(f"{chip.word} {chip.where}" for chip in self.chips)


def strip(claim: Claim, cells: Sequence[Cell]) -> tuple[Line, ...]:
    """Return the verdicts for each device; a device that the claim needs and nothing measured is a gap.

    Parameters
    ----------
    cells
        The claim in every environment.
    """
    return tuple(_line(device, found) for device, found in _by_device(claim, cells))


def brief(claim: Claim, cells: Sequence[Cell]) -> tuple[Line, ...]:
    """Return the verdicts with as little as can be: one chip where all environments agree, or those of some devices."""
    devices: dict[Line, list[str]] = {}
    for device, found in _by_device(claim, cells):
        devices.setdefault(_brief(found), []).append(device)
    if len(devices) == 1:
        return tuple(devices)
    return tuple(replace(line, device=", ".join(names)) for line, names in devices.items())


def _brief(cells: Sequence[Cell]) -> Line:
    looks = {_chip(cell) for cell in cells}
    return Line("", tuple(looks)) if len(looks) == 1 else _line("", cells)


def _line(device: str, cells: Sequence[Cell]) -> Line:
    if not cells:
        return Line(device, (Chip(NOT_MEASURED.symbol, NOT_MEASURED.word, NOT_MEASURED.style),))
    if len(cells) <= MOST_CHIPS:
        return Line(device, tuple(_chip(cell, cell.release) for cell in cells))
    found = in_ranges([(cell.release, _chip(cell)) for cell in cells])
    chips = tuple(Chip(chip.symbol, chip.word, chip.style, where=where) for chip, where in found.items())
    bar = tuple(_chip(cell, cell.release) for cell in cells) if len(chips) > 1 else ()
    return Line(device, chips, bar)


def _chip(cell: Cell, version: str = "") -> Chip:
    look = cell.look
    return Chip(look.symbol, cell.word, look.style, version)


def _by_device(claim: Claim, cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    devices = list(dict.fromkeys(cell.measured.device for cell in cells))
    asked = claim.applies.device
    if asked and not any(is_device(asked, device) for device in devices):
        devices.append(asked)
    if not devices:
        return [("no environment", [])]
    return [(device, [cell for cell in cells if cell.measured.device == device]) for device in devices]

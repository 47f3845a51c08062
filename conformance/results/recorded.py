"""The recorded results of a folder: one file is one environment, and one cell is one claim in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Optional

from packaging.version import Version

from conformance.base.recorded_folder import TIMINGS
from conformance.base.release_spans import MISSING, as_version, listed, span
from conformance.language.model import Claim, Divergence
from conformance.results.facts import happening
from conformance.results.model import Entry, Environment, Verdict
from conformance.results.record import stored_results
from conformance.results.store import MEASURE, Results, load_results, result_files
from conformance.results.verdicts import APPEARANCES, IN_PART, NOT_MEASURED, Appearance

#: Why nothing is known of a claim in an environment, beside `MISSING`.
VOID = "the whole file is void"
OLDER_FORM = "measured in an older form of the claim"
#: What stands before what happens where nothing is promised.
NOT_PROMISED = "not promised; happens:"


@dataclass(frozen=True, eq=False)
class Cell:
    """One claim in one environment.

    Attributes
    ----------
    measured : Measured
        The environment.
    claim : Claim
        The claim.
    entry : Entry, optional
        What was measured.
    gap : str
        Why there is none; empty where there is one.
    """

    measured: Measured
    claim: Claim
    entry: Optional[Entry] = None
    gap: str = ""

    @property
    def release(self) -> str:
        """The release of torch."""
        return self.measured.torch

    @property
    def verdict(self) -> Optional[Verdict]:
        """The verdict; `None` for a gap."""
        return None if self.entry is None else self.entry.verdict

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """The recorded divergences that applied."""
        known = self.claim.diverges
        applied = () if self.entry is None else self.entry.divergence
        return tuple(known[number] for number in applied if number < len(known))

    @property
    def in_part(self) -> bool:
        """Whether the claim is false for some inputs only: each divergence that applied selects examples."""
        applied = self.divergences
        return self.verdict == "diverges" and bool(applied) and all(item.where is not None for item in applied)

    @property
    def look(self) -> Appearance:
        """How the verdict, or the gap, is shown."""
        verdict = self.verdict
        if verdict is None:
            return NOT_MEASURED
        return IN_PART if self.in_part else APPEARANCES[verdict]

    @property
    def word(self) -> str:
        """The verdict in words, or why there is none."""
        return self.gap or (f"{NOT_PROMISED} {self.happens}" if self.happens else self.look.word)

    @property
    def happens(self) -> str:
        """What happens where an error or a warning is not promised, such as ``raises RuntimeError``."""
        return happening(self.claim, self.entry) if self.entry is not None else ""


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured in one environment.

    Attributes
    ----------
    name : str
        The name of its file without the ending.
    environment : Environment
        Where it was measured.
    results : Results, optional
        The result file; `None` where only timing claims were measured.
    timings : Results, optional
        The file of timing claims, which was measured on a machine of its own.
    position : int
        Counts the environments in the order in which they are shown.
    others : tuple of Measured
        Other environments of the same release and device, which are asked for a claim that this one did not measure.
    """

    name: str
    environment: Environment
    results: Optional[Results] = None
    timings: Optional[Results] = None
    position: int = 0
    others: tuple[Measured, ...] = ()
    _cells: dict[int, Cell] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, results: Results) -> Measured:
        """Return the environment of one result file."""
        return cls(results.name, results.environment, results)

    @property
    def torch(self) -> str:
        """The release of torch."""
        return self.environment.torch

    @property
    def is_plain(self) -> bool:
        """Whether the name of the file tells the release and the device, and nothing else."""
        return self.results is not None and self.name == self.results.name

    @property
    def version(self) -> Version:
        """The release of torch as a version, to compare; what is none is the oldest of all."""
        return as_version(self.torch)

    @property
    def device(self) -> str:
        """The device under test."""
        return self.environment.device

    @property
    def label(self) -> str:
        """A short name that a reader knows the environment by."""
        return f"torch {self.torch}, {self.device}"

    @property
    def void(self) -> Optional[str]:
        """Why nothing in the result file may be believed."""
        return None if self.results is None else self.results.void

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The entries of the result file by id, those of older forms of claims too."""
        return {} if self.results is None else self.results.claims

    def cell(self, claim: Claim) -> Cell:
        """Look up a claim.

        An entry of an older form of the claim says nothing about the present one, and a void file nothing at all. The
        cell is of one of the `others` where only that one measured the claim.
        """
        known = self._cells.get(id(claim))
        if known is None:
            known = self._look_up(claim)
            elsewhere = self.others if known.gap == MISSING else ()
            known = next((cell for item in elsewhere if (cell := item.cell(claim)).entry), known)
            self._cells[id(claim)] = known
        return known

    def _look_up(self, claim: Claim) -> Cell:
        timed = self.timings.claims if claim.is_timed and self.timings is not None else {}
        entry = timed.get(claim.id) or self.entries.get(claim.id)
        if entry is None:
            return Cell(self, claim, gap=VOID if self.void else MISSING)
        if self.void:
            return Cell(self, claim, gap=VOID)
        if entry.claim != claim.fingerprint():
            return Cell(self, claim, gap=OLDER_FORM)
        return Cell(self, claim, entry)


@dataclass(frozen=True)
class Recorded:
    """All that a folder of results has.

    Attributes
    ----------
    environments : tuple of Measured
        The processor before other devices, then by release, oldest first.
    """

    environments: tuple[Measured, ...] = ()

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The devices, in the order of the environments."""
        return tuple(dict.fromkeys(measured.device for measured in self.environments))

    def on(self, device: str) -> tuple[Measured, ...]:
        """Return one environment for each release that was measured on a device, oldest release first.

        Where several environments measured a release, the file with the plain name ``torch-RELEASE-DEVICE`` counts, of
        several folders that of the first; the others are asked for what it lacks.
        """
        releases: dict[str, list[Measured]] = {}
        for measured in self.environments:
            if measured.device == device and measured.results is not None:
                releases.setdefault(measured.torch, []).append(measured)
        found = []
        for same in releases.values():
            chosen = next((measured for measured in same if measured.is_plain), same[0])
            others = tuple(measured for measured in same if measured is not chosen)
            found.append(replace(chosen, others=others) if others else chosen)
        return tuple(sorted(found, key=lambda measured: measured.version))

    @cached_property
    def by_device(self) -> dict[str, tuple[Measured, ...]]:
        """What `on` returns, for every device that has a result file."""
        return {device: found for device in self.devices if (found := self.on(device))}

    @cached_property
    def releases(self) -> tuple[str, ...]:
        """Every release that has a result file, oldest first."""
        found = {item.torch: item for measured in self.by_device.values() for item in measured}
        return tuple(item.torch for item in sorted(found.values(), key=lambda measured: measured.version))


def load_recorded(*folders: Path) -> Recorded:
    """Read every result file of some folders; an entry is decoded when it is looked at.

    Raises
    ------
    conformance.base.json_files.ResultError
        If a file can't be used.
    """
    found: list[Measured] = []
    for folder in folders:
        timed = result_files(folder / TIMINGS)
        timings = {path.stem: load_results(path, remedy=f"{MEASURE} --timings") for path in timed}
        for name, results in stored_results(folder).items():
            found.append(Measured(name, results.environment, results, timings.pop(name, None)))
        found += [Measured(stem, results.environment, timings=results) for stem, results in timings.items()]
    return in_order(found)


def in_order(found: Sequence[Measured]) -> Recorded:
    """Return environments in the order in which they are shown."""
    order = sorted(found, key=lambda item: (item.device != "cpu", item.device, item.version, item.name))
    return Recorded(tuple(replace(item, position=position) for position, item in enumerate(order)))


def environments_in_words(found: Sequence[Measured]) -> str:
    """Name environments in running text, such as ``torch 1.9.0 and 2.13.0 (cpu)``; three neighbours are a range."""
    groups = []
    for device in dict.fromkeys(measured.device for measured in found):
        neighbours: list[list[Measured]] = []
        for measured in found:
            if measured.device != device:
                continue
            if neighbours and measured.position == neighbours[-1][-1].position + 1:
                neighbours[-1].append(measured)
            else:
                neighbours.append([measured])
        words: list[str] = []
        for group in neighbours:
            releases = [measured.torch for measured in group]
            words += [span(releases)] if len(group) > 2 else releases
        groups.append(f"torch {listed(list(dict.fromkeys(words)))} ({device})")
    return "; ".join(groups)

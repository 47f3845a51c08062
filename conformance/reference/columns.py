"""Result files as the columns of the reference: one file is one environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from packaging.version import InvalidVersion, Version

from conformance.language.model import Claim
from conformance.reference.verdicts import IN_PART, Appearance, appearance
from conformance.results.cells import false_in_part
from conformance.results.store import load_results, load_timings

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """What one environment showed.

    ``position`` counts the environments in the order in which they are shown. ``claims`` are the records of its result
    file; ``timings`` those of its file of timing claims, which was measured on a machine of its own.
    """

    name: str
    environment: Mapping[str, Any]
    corpus: str = ""
    examples: Optional[int] = None
    seed: Optional[int] = None
    void: Optional[str] = None
    claims: Mapping[str, Record] = field(default_factory=dict)
    timings: Mapping[str, Record] = field(default_factory=dict)
    timing_environment: Mapping[str, Any] = field(default_factory=dict)
    position: int = 0
    _cells: dict[int, tuple[Claim, Cell]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def torch(self) -> str:
        """The version of torch, as it is shown."""
        return str(self.environment.get("torch", "?"))

    @property
    def device(self) -> str:
        """The device under test."""
        return str(self.environment.get("device", "?"))

    @property
    def label(self) -> str:
        """A short name that a reader knows the environment by."""
        return f"torch {self.torch}, {self.device}"

    def cell(self, claim: Claim) -> Cell:
        """Look up what this environment showed for a claim."""
        # Pages ask for the same cells many times. The claim is kept, so that its identity stays its own.
        known = self._cells.get(id(claim))
        if known is None:
            known = self._cells[id(claim)] = (claim, self._look_up(claim))
        return known[1]

    def _look_up(self, claim: Claim) -> Cell:
        record = self.timings.get(claim.id) if claim.compare is not None else None
        if record is None:
            record = self.claims.get(claim.id)
        if record is None:
            return Cell(self, None, "not measured")
        if self.void:
            return Cell(self, None, "void")
        if record.get("claim") != claim.fingerprint():
            return Cell(self, None, "measured before the claim last changed")
        return Cell(self, record, "", false_in_part(claim, record))


@dataclass(frozen=True)
class Cell:
    """One claim in one environment; without a record it is a hole, and ``hole`` says why."""

    column: Column
    record: Optional[Record]
    hole: str
    in_part: bool = False

    @property
    def look(self) -> Appearance:
        """How the verdict is shown; one that is false for some inputs only says so."""
        return IN_PART if self.in_part else appearance(self.verdict)

    @property
    def verdict(self) -> Optional[str]:
        """The verdict, or `None` for a hole."""
        return None if self.record is None else str(self.record.get("verdict"))

    def get(self, name: str) -> Any:
        """Read a field of the record; `None` where there is no record or no such field."""
        return None if self.record is None else self.record.get(name)


def load_columns(folder: Path) -> tuple[Column, ...]:
    """Read every result file of a folder, oldest torch first; the processor before other devices.

    Raises
    ------
    conformance.results.store.ResultError
        If a file can't be used.
    """
    timings = {path.stem: load_timings(path) for path in sorted((folder / "timings").glob("torch-*.json"))}
    columns = []
    for path in sorted(folder.glob("torch-*.json")):
        results = load_results(path)
        timed = timings.pop(path.stem, None)
        columns.append(
            Column(
                name=path.stem,
                environment=results.environment,
                corpus=results.corpus,
                examples=results.examples,
                seed=results.seed,
                void=results.void,
                claims=results.claims,
                timings=timed.claims if timed else {},
                timing_environment=timed.environment if timed else {},
            )
        )
    for stem, timed in timings.items():
        columns.append(Column(stem, timed.environment, timings=timed.claims, timing_environment=timed.environment))
    return tuple(replace(column, position=position) for position, column in enumerate(sorted(columns, key=_order)))


def _order(column: Column) -> tuple[bool, str, Version, str]:
    try:
        version = Version(column.torch)
    except InvalidVersion:
        version = Version("0")
    return (column.device != "cpu", column.device, version, column.name)

"""The report as types: entries at places of somebody's code, and what the report covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from conformance.language.model import Fix
from conformance.language.release_notes import ReleaseNote
from conformance.upgrade.harm import SHOWN, Harm, rank
from conformance.usage import Evidence, NotRead, Unclear, Use, UseGroup


class AffectedPlace(NamedTuple):
    """A place that a change concerns, with how sure that is."""

    use: Use
    evidence: Evidence

    def __str__(self) -> str:
        return str(self.use)


def places_of(groups: Iterable[tuple[UseGroup, Evidence]]) -> tuple[AffectedPlace, ...]:
    """Return the places of uses that a change concerns, the surest first; a place that is used in two ways once."""
    found: dict[tuple[object, ...], AffectedPlace] = {}
    for group, evidence in groups:
        for use in group.places:
            if use.spot not in found or found[use.spot].evidence < evidence:
                found[use.spot] = AffectedPlace(use, evidence)
    return in_order(found.values())


def in_order(places: Iterable[AffectedPlace]) -> tuple[AffectedPlace, ...]:
    """Return places, the surest first, then by file and line."""
    return tuple(sorted(places, key=_order))


def _order(place: AffectedPlace) -> tuple[int, str, int, int, int]:
    use = place.use
    return -place.evidence, use.path, use.cell or 0, use.line, use.column


@dataclass(frozen=True)
class ReportEntry:
    """What a release changes: in the words of its entry in ``spec/changes``, or as it was measured of a name.

    Attributes
    ----------
    id
        What ``--ignore`` and a baseline name it by: ``2.6/load-weights-only``, or ``torch.cholesky:gone``.
    kind
        ``change``; of a name ``gone``, ``argument``, ``default`` or ``deprecated``; ``claim`` of one of the user's own.
    when
        Since which release, in words.
    instead
        What to write.
    condition
        What must be so besides, which the code does not show.
    page
        Where the reference has it, from the root of the pages; empty for a name without a page.
    announced
        What the release notes between the two releases say of it.
    """

    id: str
    severity: Harm
    kind: str
    what: str
    before: str
    after: str
    when: str
    script: str = ""
    notes: tuple[str, ...] = ()
    instead: str = ""
    condition: str = ""
    page: str = ""
    subject: str = ""
    places: tuple[AffectedPlace, ...] = ()
    announced: tuple[ReleaseNote, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """How sure it is that the code is concerned: as sure as at the surest place."""
        return max((place.evidence for place in self.places), default=Evidence.CERTAIN)

    def order(self) -> tuple[int, int, str, str]:
        """Return the key that sorts entries: the most harmful and the surest first."""
        return rank(self.severity), -self.evidence, self.subject, self.id


@dataclass(frozen=True)
class ReportCoverage:
    """What the report of somebody's code rests on.

    Parameters
    ----------
    files
        How many files were read.
    names
        The number of torch names that the code surely uses.
    calls, known_calls
        The number of calls of torch, and of those whose name and signature are known.
    unknown
        Names of which nothing is known, each with its first place and why.
    missing
        Names that are in neither release, likewise.
    skipped
        Folders that were excluded, or hold nothing a person wrote for the project.
    """

    files: int
    names: int
    calls: int
    known_calls: int
    unknown: Mapping[str, tuple[Use, str]] = field(default_factory=dict)
    missing: Mapping[str, tuple[Use, str]] = field(default_factory=dict)
    not_read: tuple[NotRead, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def is_analysed(self) -> bool:
        """Whether everything was read and resolved."""
        return not (self.unknown or self.missing or self.not_read or self.unclear)

    @property
    def is_complete(self) -> bool:
        """Whether silence means that nothing differs: the code uses torch, and everything was read and resolved."""
        return bool(self.names) and self.is_analysed


@dataclass(frozen=True)
class Report:
    """What differs between two releases.

    Parameters
    ----------
    remarks
        What a reader must know of the releases that were chosen.
    ignored
        How many entries somebody decided to leave out.
    unused_ignores
        What was to be left out and matches no entry.
    pending
        What earlier releases than the old one did to the code.
    """

    old: str
    new: str
    entries: tuple[ReportEntry, ...] = ()
    coverage: Optional[ReportCoverage] = None
    remarks: tuple[str, ...] = ()
    ignored: int = 0
    unused_ignores: tuple[str, ...] = ()
    pending: tuple[ReportEntry, ...] = ()

    def counts(self) -> dict[Harm, int]:
        """Return how many entries each severity has, the most harmful first, without those that are only maybe."""
        return {harm: len(self.of(harm)) for harm in SHOWN}

    def of(self, severity: Harm) -> list[ReportEntry]:
        """Return the entries of a severity, without those that only may concern the code."""
        return [item for item in self.entries if item.severity == severity and item.evidence > Evidence.MAYBE]

    @property
    def maybe(self) -> list[ReportEntry]:
        """The entries that only may concern the code; those that need an unusual input come last."""
        found = [item for item in self.entries if item.evidence is Evidence.MAYBE]
        return sorted(found, key=lambda entry: bool(entry.condition))

    def fails(self, severity: Optional[Harm]) -> bool:
        """Return whether an entry is at least as harmful as a severity."""
        return severity is not None and any(map(self.of, SHOWN[: rank(severity) + 1]))

    @property
    def is_silent(self) -> bool:
        """Whether no difference is shown although parts of the code were not analysed."""
        return not any(map(self.of, SHOWN)) and self.coverage is not None and not self.coverage.is_complete

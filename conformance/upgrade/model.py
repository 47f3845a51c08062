"""The report as types: entries at places of somebody's code, and what the report covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from conformance.language.model import Claim
from conformance.language.release_notes import ReleaseNote
from conformance.text import bounded
from conformance.upgrade.severity import SEVERITIES, SHOWN, Severity, kind_rank, rank
from conformance.usage import Evidence, NotRead, Unclear, Use, UseGroup
from conformance.views.recorded import Measured


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
    """One change: of a name, of an argument, or of what was measured for one claim or several.

    Parameters
    ----------
    id
        What ``--ignore`` and a baseline name it by: ``torch.cholesky:gone``, or the id of its first claim.
    when
        Since which release, in words.
    instead
        What to write.
    page
        Where the reference has it, from the root of the pages; empty for a name without a page.
    announced
        What the release notes between the two releases say of it.
    """

    id: str
    severity: Severity
    kind: str
    what: str
    before: str
    after: str
    when: str
    script: str = ""
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    instead: str = ""
    page: str = ""
    subject: str = ""
    places: tuple[AffectedPlace, ...] = ()
    announced: tuple[ReleaseNote, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """How sure it is that the code is concerned: as sure as at the surest place."""
        return max((place.evidence for place in self.places), default=Evidence.CERTAIN)

    @property
    def headline(self) -> str:
        """The entry in one line."""
        subjects = list(dict.fromkeys(claim.subject for claim in self.claims))
        named = subjects[0] if len(subjects) == 1 else f"{len(subjects)} subjects"
        alone = not subjects or self.kind == "sentence" or self.what.startswith(named)
        what = self.what
        if self.kind == "warning" and what.startswith("new "):
            what = f"{what}: {bounded(self.after, 90)}"
        return what if alone else f"{named}: {what}"

    def order(self) -> tuple[int, int, int, str, str]:
        """Return the key that sorts entries: the most harmful and the surest first."""
        return rank(self.severity), -self.evidence, kind_rank(self.kind), self.subject, self.id


@dataclass(frozen=True)
class ReportCoverage:
    """What the report of somebody's code rests on.

    Parameters
    ----------
    files
        How many files were read.
    names, claimed
        The number of torch names that the code surely uses, and of those that have claims.
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
    claimed: int
    calls: int
    known_calls: int
    unknown: Mapping[str, tuple[Use, str]] = field(default_factory=dict)
    missing: Mapping[str, tuple[Use, str]] = field(default_factory=dict)
    not_read: tuple[NotRead, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether everything was read and known, so that silence means that nothing differs."""
        return bool(self.names) and not (self.unknown or self.missing or self.not_read or self.unclear)


@dataclass(frozen=True)
class Report:
    """What differs between two releases.

    Parameters
    ----------
    path
        What was measured of claims, from the old to the new release; empty where that is recorded of neither.
    remarks
        What a reader must know of the releases that were chosen.
    compared, gaps
        How many claims were compared, and why others could not be, by id.
    ignored
        How many entries somebody decided to leave out.
    unused_ignores
        What was to be left out and matches no entry.
    """

    old: str
    new: str
    path: Sequence[Measured] = ()
    entries: tuple[ReportEntry, ...] = ()
    compared: int = 0
    gaps: Mapping[str, str] = field(default_factory=dict)
    coverage: Optional[ReportCoverage] = None
    remarks: tuple[str, ...] = ()
    ignored: int = 0
    unused_ignores: tuple[str, ...] = ()

    def counts(self) -> dict[Severity, int]:
        """Return how many entries each severity has, the most harmful first."""
        return {name: sum(entry.severity == name for entry in self.entries) for name in SEVERITIES}

    def reasons(self) -> dict[str, int]:
        """Return why claims could not be compared, each with how many."""
        return dict(sorted(Counter(self.gaps.values()).items()))

    def of(self, severity: Severity) -> list[ReportEntry]:
        """Return the entries of a severity, without those that only may concern the code."""
        return [item for item in self.entries if item.severity == severity and item.evidence > Evidence.MAYBE]

    @property
    def maybe(self) -> list[ReportEntry]:
        """The entries that would be shown, were it certain that they concern the code."""
        return [item for item in self.entries if item.severity in SHOWN and item.evidence is Evidence.MAYBE]

    def fails(self, severity: Optional[Severity]) -> bool:
        """Return whether an entry is at least as harmful as a severity."""
        return severity is not None and any(map(self.of, SEVERITIES[: rank(severity) + 1]))

    @property
    def is_silent(self) -> bool:
        """Whether nothing is told although not all was read and known: no all-clear."""
        return not any(map(self.of, SHOWN)) and self.coverage is not None and not self.coverage.is_complete

"""The report as data: findings of all claims, grouped and sorted by how much they can hurt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Optional

from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.results.pages import claim_page
from conformance.results.store import Results
from conformance.upgrade.findings import Comparison, Finding
from conformance.upgrade.severity import SEVERITIES, kind_rank, rank
from conformance.upgrade.uses import Use, Uses, is_special

#: Kinds of a changed verdict.
_CAUSED = ("crash", "silent", "loud", "silent on some", "loud on some", "fixed")


@dataclass(frozen=True)
class Entry:
    """One line of the report: the same change, seen through one claim or several."""

    severity: str
    kind: str
    what: str
    before: str
    after: str
    when: str
    script: str
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def subjects(self) -> tuple[str, ...]:
        """The public names that it concerns."""
        return tuple(dict.fromkeys(claim.subject for claim in self.claims))

    @property
    def page(self) -> str:
        """Where the reference has its first claim."""
        return claim_page(self.claims[0])


@dataclass(frozen=True)
class Report:
    """What differs between two releases.

    ``compared`` counts the claims that both sides tell about; ``holes`` gives the others with why not.
    """

    old: Results
    new: Results
    between: tuple[str, ...]
    entries: tuple[Entry, ...]
    compared: int
    holes: dict[str, str] = field(default_factory=dict)
    uses: Optional[Uses] = None
    left_out: int = 0

    def counts(self) -> dict[str, int]:
        """Return how many entries each severity has, the most harmful first."""
        return {name: sum(entry.severity == name for entry in self.entries) for name in SEVERITIES}

    def fails(self, severity: Optional[str]) -> bool:
        """Say whether an entry is at least as harmful as a severity."""
        return severity is not None and any(rank(entry.severity) <= rank(severity) for entry in self.entries)


def compare(corpus: Corpus, path: Sequence[Results], uses: Optional[Uses] = None) -> Report:
    """Compare two releases.

    Parameters
    ----------
    path
        Result files from the old to the new release, with those between them.
    uses
        What someone's code uses; other claims are left out then.
    """
    findings: list[Finding] = []
    holes: dict[str, str] = {}
    compared = left_out = 0
    unseen: set[str] = set()
    for claim in corpus.claims:
        if claim.compare is not None:
            continue
        if uses is not None and not uses.of_claim(claim):
            left_out += 1
            unseen.update([claim.subject] if is_special(claim.subject) else [])
            continue
        comparison = Comparison(claim, path)
        if comparison.hole:
            holes[claim.id] = comparison.hole
        else:
            compared += 1
            findings.extend(comparison.findings())
    if uses is not None:
        uses.unknown.extend(
            f"{name} is called by Python or NumPy itself: no use of it can be found" for name in sorted(unseen)
        )
    entries = [_entry(group, uses) for group in _grouped(findings)]
    between = tuple(results.environment["torch"] for results in path[1:-1])
    return Report(path[0], path[-1], between, tuple(sorted(entries, key=_order)), compared, holes, uses, left_out)


def _grouped(findings: list[Finding]) -> list[list[Finding]]:
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        # Several promises that one cause breaks are one entry: their titles differ, and what happens instead does not.
        caused = finding.kind in _CAUSED and not finding.before == finding.after == "true"
        what = finding.what.partition(":")[0] if caused else finding.what
        key = (finding.scope, finding.severity, finding.kind, what, finding.before, finding.after, finding.when)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _entry(group: list[Finding], uses: Optional[Uses]) -> Entry:
    first = group[0]
    claims = tuple(finding.claim for finding in group)
    what = first.what
    if first.kind == "sentence":
        sentences = len({finding.notes[0].partition("”")[0] for finding in group})
        what = f"{sentences} sentence{'s' if sentences > 1 else ''} {what}"
    elif len({finding.what for finding in group}) > 1:
        what = f"{what.partition(':')[0]}: {len(group)} promises of {first.claim.subject}"
    notes = tuple(dict.fromkeys(note for finding in group for note in finding.notes))
    found = tuple(dict.fromkeys(use for claim in claims for use in uses.of_claim(claim))) if uses else ()
    return Entry(
        first.severity, first.kind, what, first.before, first.after, first.when, first.script, claims, notes, found
    )


def _order(entry: Entry) -> tuple[int, int, int, str, str]:
    certain = sum(use.certain for use in entry.uses)
    return rank(entry.severity), kind_rank(entry.kind), -certain, entry.claims[0].subject, entry.claims[0].id

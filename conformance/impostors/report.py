"""The report of a campaign, as text."""

from __future__ import annotations

from collections import Counter
from typing import Optional

from conformance.impostors.finding import Finding
from conformance.impostors.record import Record
from conformance.language.corpus import Corpus
from conformance.language.model import Claim

Pairs = list[tuple[Claim, Finding]]


class Report:
    """What a campaign found, sorted by what is to be done about it.

    Parameters
    ----------
    corpus, findings, record
        The claims, and what the impostors did to them.
    known
        An earlier record; what stands there as well is told and is no failure.
    whole
        All claims were confronted with all impostors; only then one that kills nothing is told.
    """

    def __init__(
        self,
        corpus: Corpus,
        findings: dict[str, Finding],
        record: Record,
        *,
        known: Optional[Record] = None,
        whole: bool,
    ) -> None:
        pairs = [(claim, findings[claim.id]) for claim in corpus.claims if claim.id in findings]
        self._judged: Pairs = [(claim, finding) for claim, finding in pairs if finding.status == "judged"]
        self._record = record
        self._known = known
        self._whole = whole
        self.unsound: Pairs = [(claim, finding) for claim, finding in pairs if finding.status == "unsound"]
        standing: Pairs = [(claim, finding) for claim, finding in self._judged if finding.standing]
        #: Claims with a part that nothing made false and no reason for that.
        self.survivors: Pairs = [(claim, finding) for claim, finding in standing if claim.unkillable is None]
        self.excused: Pairs = [(claim, finding) for claim, finding in standing if claim.unkillable is not None]
        #: Claims that give a reason why none can kill them, and are killed.
        self.stale: Pairs = [(c, f) for c, f in self._judged if c.unkillable is not None and not f.standing]
        self._others = Counter(f.status for _, f in pairs if f.status not in ("judged", "unsound"))

    @property
    def failed(self) -> bool:
        """Tell whether something must be done."""
        new = [claim for claim, finding in self.survivors if not self._is_known(claim, finding)]
        return bool(new or self.stale or self.unsound)

    def _is_known(self, claim: Claim, finding: Finding) -> bool:
        if self._known is None:
            return False
        entry = self._known.claims.get(claim.id, {})
        standing = entry.get("standing", []) if entry.get("claim") == claim.fingerprint() else []
        return {part.name for part in finding.standing} <= set(standing)

    def lines(self, *, verbose: bool = False) -> list[str]:
        """Return the report; a verbose one names the impostors of each claim."""
        lines = self._by_claim() if verbose else []
        if self.excused:
            lines.append(f"\n{len(self.excused)} claims give a reason why no impostor can kill them:")
            lines += [f"  {claim.place} {claim.id}: {claim.unkillable}" for claim, _ in self.excused]
        lines += self._elsewhere() + self._weak() + self._idle()
        # What must be done comes last, where it is seen.
        to_do = self._survivors() + self._stale() + self._unsound()
        return lines + ([""] if lines and to_do else []) + to_do + self._given_up() + self._score()

    def _by_claim(self) -> list[str]:
        return [f"{claim.id}: {' '.join(finding.killers) or '-'}" for claim, finding in self._judged]

    def _survivors(self) -> list[str]:
        lines = []
        for claim, finding in self.survivors:
            lines += [
                f"{part.place} {claim.id}: no impostor makes {part.name} false: {part.text}"
                for part in finding.standing
            ]
        return lines

    def _stale(self) -> list[str]:
        return [
            f"{claim.place} {claim.id}: remove 'unkillable', since impostors kill it: {', '.join(finding.killers)}"
            for claim, finding in self.stale
        ]

    def _unsound(self) -> list[str]:
        return [
            f"{claim.place} {claim.id}: fails without an impostor: {finding.detail}" for claim, finding in self.unsound
        ]

    def _given_up(self) -> list[str]:
        slow = [claim.id for claim, finding in self._judged if finding.gave_up and finding.standing]
        return [f"\nnot everything was tried, for lack of time, on: {', '.join(slow)}"] if slow else []

    def _weak(self) -> list[str]:
        weak = [(claim, finding) for claim, finding in self._judged if finding.answers_only]
        if not weak:
            return []
        lines = [
            f"\n{len(weak)} claims have parts that only a wrong answer makes false, and nothing that the program does:"
        ]
        for claim, finding in weak:
            lines += [f"  {claim.place} {claim.id}: {', '.join(finding.answers_only)}"]
        return lines

    def _elsewhere(self) -> list[str]:
        found = [(claim, finding) for claim, finding in self._judged if finding.elsewhere_only]
        if not found:
            return []
        lines = [f"\n{len(found)} claims have parts that stay true whatever is wrong with their subject:"]
        for claim, finding in found:
            lines += [f"  {claim.place} {claim.id}: {', '.join(finding.elsewhere_only)}"]
        return lines

    def _idle(self) -> list[str]:
        if not self._whole:
            return []
        kills = Counter(name for _, finding in self._judged for name in finding.killers)
        noticed = Counter(name for _, finding in self._judged for name in finding.stoppers)
        idle = [name for name in self._record.impostors if not kills[name] and not noticed[name]]
        stopped = [name for name in self._record.impostors if not kills[name] and noticed[name]]
        lines = [f"\nimpostors that kill nothing: {', '.join(idle)}"] if idle else []
        return lines + ([f"impostors that only make programs raise: {', '.join(stopped)}"] if stopped else [])

    def _score(self) -> list[str]:
        killed, excused, judged = self._record.score()
        parts = sum(len(finding.parts) for _, finding in self._judged)
        falsified = parts - sum(len(finding.standing) for _, finding in self._judged)
        kills = sum(len(finding.killers) for _, finding in self._judged)
        others = ", ".join(f"{count} {status}" for status, count in sorted(self._others.items()))
        lines = [
            "",
            f"{killed} of {judged} claims killed, {falsified} of {parts} parts of expectations, by "
            f"{len(self._record.impostors)} impostors ({kills / max(judged, 1):.0f} a claim)",
        ]
        if excused:
            lines.append(f"{excused} may stand, for a reason")
        if self.unsound:
            lines.append(f"{len(self.unsound)} fail without an impostor")
        return lines + ([f"not judged: {others}"] if others else [])

"""Claims of the user's own, beside the changes of torch: what was measured of them on both releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from conformance.base.release_spans import minor
from conformance.language.corpus import Corpus
from conformance.language.corpus_cache import corpus_of
from conformance.results.recorded import load_recorded
from conformance.upgrade.choices import NotRecorded, choose_releases
from conformance.upgrade.compare.differences import RecordDifference, claim_differences
from conformance.upgrade.harm import SHOWN
from conformance.upgrade.model import Report, ReportEntry


@dataclass(frozen=True)
class OwnClaims:
    """Claims that are not of the corpus, where their specs are, and the folder of what was measured of them."""

    corpus: Corpus
    specs: Path
    results: Path

    @classmethod
    def of(cls, specs: Optional[Sequence[Path]], results: Optional[Path]) -> Optional[OwnClaims]:
        """Read the claims of spec files; None where there are none of the user's own.

        Raises
        ------
        NotRecorded
            If no folder is given.
        ValueError
            If a spec has a mistake.
        """
        corpus = corpus_of(specs) if specs else None
        if specs is None or corpus is None or not any(claim.own for claim in corpus.claims):
            return None
        if results is None:
            how = f"conformance run {specs[0]} --results=DIR writes them"
            raise NotRecorded(f"--specs needs --results=DIR, the folder of their results; {how}")
        return cls(corpus, specs[0], results)

    def added_to(self, report: Report) -> Report:
        """Return a report with what differs for these claims; no use of the code decides which of them are shown."""
        recorded = load_recorded(self.results).on("cpu") if self.results.is_dir() else ()
        try:
            ends = choose_releases(minor(report.old), minor(report.new), [one.torch for one in recorded])
        except NotRecorded as error:
            reason = str(error).partition(";")[0]
            how = f"measure it with: conformance run {self.specs} --results={self.results}"
            remarks = (*map(str, self.corpus.not_entered), f"{self.specs} is not compared: {reason}; {how}")
            return replace(report, remarks=(*report.remarks, *remarks))
        by_release = {one.torch: one for one in recorded}
        found, gaps = claim_differences(self.corpus.claims, by_release[ends.old], by_release[ends.new])
        entries = [_entry(one, ends.new) for one in found if one.harm in SHOWN]
        remarks = (*report.remarks, *map(str, self.corpus.not_entered))
        remarks += tuple(f"{id} is not compared: {why}" for id, why in gaps.items())
        return replace(
            report, entries=tuple(sorted([*report.entries, *entries], key=ReportEntry.order)), remarks=remarks
        )


def _entry(one: RecordDifference, new: str) -> ReportEntry:
    before, after = (
        "; ".join(f"{part.what}: {getattr(part, end)}" for part in one.parts) for end in ("before", "after")
    )
    return ReportEntry(
        one.id, one.harm, "claim", f"{one.id}: {one.title}", before, after, f"in {new}", one.script, subject=one.subject
    )

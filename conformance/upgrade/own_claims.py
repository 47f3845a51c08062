"""Claims of the user's own, beside those of the corpus: their results are in a folder of their own."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from conformance.language.corpus import Corpus
from conformance.results.recorded import NAMES, recorded_folder
from conformance.upgrade.choices import NotRecorded, release_path
from conformance.upgrade.claims import compare_claims, read_specs
from conformance.upgrade.model import Report, ReportEntry


@dataclass(frozen=True)
class OwnClaims:
    """Claims that are not of the corpus, where their specs are, and the folder of what was measured of them."""

    corpus: Corpus
    specs: Path
    results: Path

    @classmethod
    def taken_from(cls, options: argparse.Namespace) -> Optional[OwnClaims]:
        """Take them out of the options of the command, which then asks about the corpus.

        Files of results, and a folder that has names too, stand in the place of the record, and the specs in that of
        the corpus.

        Raises
        ------
        NotRecorded
            If no folder is given.
        ValueError
            If a spec has a mistake.
        """
        if not options.specs or Path(options.old).is_file() or Path(options.new).is_file():
            return None
        corpus, results = read_specs(options.specs), options.results
        if not any(claim.own for claim in corpus.claims):
            return None
        if results is None:
            how = f"conformance run {options.specs[0]} --results=DIR writes them"
            raise NotRecorded(f"--specs needs --results=DIR, the folder of their results; {how}")
        if (recorded_folder(results) / NAMES).is_dir():
            return None
        own = cls(corpus, options.specs[0], results)
        options.specs = options.results = None
        return own

    def added_to(self, report: Report, old: str, new: str, device: str) -> Report:
        """Return a report with what differs for these claims; no use of the code decides which of them are told."""
        try:
            path, _ = release_path(old, new, self.results, device)
        except NotRecorded as error:
            reason = str(error).partition(";")[0]
            how = f"measure it with: conformance run {self.specs} --results={self.results}"
            remarks = (*map(str, self.corpus.not_entered), f"{self.specs} is not compared: {reason}; {how}")
            return replace(report, remarks=(*report.remarks, *remarks))
        found = compare_claims(self.corpus, path)
        entries = [replace(entry, page="") for entry in found.entries]
        return replace(
            report,
            entries=tuple(sorted([*report.entries, *entries], key=ReportEntry.order)),
            compared=report.compared + found.compared,
            gaps={**report.gaps, **found.gaps},
            remarks=(*report.remarks, *found.remarks),
        )

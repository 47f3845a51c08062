"""Claims of the user's own, beside those of the corpus: their results are in a folder of their own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from conformance.results.recorded import NAMES, recorded_folder
from conformance.upgrade.choices import NotRecorded, release_path
from conformance.upgrade.claims import compare_claims, read_specs
from conformance.upgrade.model import Report, ReportEntry


@dataclass(frozen=True)
class OwnClaims:
    """Specs that are not of the corpus, and the folder of what was measured of them."""

    specs: Sequence[Path]
    results: Path

    @classmethod
    def taken_from(cls, options: argparse.Namespace) -> Optional[OwnClaims]:
        """Take them out of the options of the command, which then asks about the corpus.

        A folder that has names too is a record of its own, in the place of the corpus.
        """
        if not options.specs or options.results is None:
            return None
        own = cls(options.specs, recorded_folder(options.results))
        if (own.results / NAMES).is_dir():
            return None
        options.specs = options.results = None
        return own

    def added_to(self, report: Report, old: str, new: str, device: str) -> Report:
        """Return a report with what differs for these claims; no use of the code decides which of them are told."""
        corpus = read_specs(self.specs)
        try:
            path, _ = release_path(old, new, self.results, device)
        except NotRecorded as error:
            reason = str(error).partition(";")[0]
            how = f"measure it with: conformance run {self.specs[0]} --results={self.results}"
            return replace(report, remarks=(*report.remarks, f"{self.specs[0]} is not compared: {reason}; {how}"))
        found = compare_claims(corpus, path)
        entries = [replace(entry, page="") for entry in found.entries]
        return replace(
            report,
            entries=tuple(sorted([*report.entries, *entries], key=ReportEntry.order)),
            compared=report.compared + found.compared,
            gaps={**report.gaps, **found.gaps},
        )

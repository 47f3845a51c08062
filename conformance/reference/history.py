"""What became of each claim from release to release, worked out once for the whole site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.reference.columns import Column
from conformance.reference.ranges import in_ranges
from conformance.results.cells import release_order
from conformance.results.documentation import TRUE, documentation_states
from conformance.results.history import since, truth_timeline
from conformance.results.store import Results
from conformance.upgrade.entries import Report, compare


class History:
    """Releases in order, one result file for each release and device."""

    def __init__(self, corpus: Corpus, columns: Sequence[Column]) -> None:
        self._corpus = corpus
        self.devices: dict[str, list[Results]] = {}
        for device in dict.fromkeys(column.device for column in columns):
            chosen: dict[str, Results] = {}
            for column in columns:
                if column.device == device and column.corpus:
                    # Where several environments measured a release, the file with the plain name counts.
                    results = _results(column)
                    if column.torch not in chosen or column.name == results.name:
                        chosen[column.torch] = results
            self.devices[device] = sorted(chosen.values(), key=release_order)
        self._reports: Optional[dict[tuple[str, str], Report]] = None

    def releases(self) -> list[str]:
        """Give every release that was measured, oldest first."""
        found = {results.environment["torch"]: results for measured in self.devices.values() for results in measured}
        return [results.environment["torch"] for results in sorted(found.values(), key=release_order)]

    def reports(self) -> dict[tuple[str, str], Report]:
        """Compare every release with the one measured before it: device and release → what changed."""
        if self._reports is None:
            self._reports = {
                (device, newer.environment["torch"]): compare(self._corpus, [older, newer])
                for device, measured in self.devices.items()
                for older, newer in zip(measured, measured[1:])
            }
        return self._reports

    def reports_of(self, release: str) -> dict[str, Report]:
        """Give what changed in a release, for each device."""
        return {device: report for (device, name), report in self.reports().items() if name == release}

    def since(self, claim: Claim) -> Iterator[tuple[str, str]]:
        """Say for each device since when a claim is true or false, where that changed."""
        for device, measured in self._of(claim):
            if truth_timeline(claim, measured).changes():
                yield device, since(claim, measured)

    def documentation(self, claim: Claim) -> Iterator[tuple[str, dict[str, str]]]:
        """Give for each device the states of documentation and truth with their releases.

        Nothing is told where the claim is documented and true wherever both are known.
        """
        for device, measured in self._of(claim):
            states = documentation_states(claim, measured)
            if {state for state in states.values() if state is not None} - {TRUE}:
                yield device, in_ranges(list(states.items()))

    def _of(self, claim: Claim) -> Iterator[tuple[str, list[Results]]]:
        if claim.compare is None:
            yield from self.devices.items()


def _results(column: Column) -> Results:
    claims = {name: dict(record) for name, record in column.claims.items()}
    environment = {name: str(value) for name, value in column.environment.items()}
    return Results(environment, column.corpus, column.examples or 0, column.seed or 0, claims, column.void)

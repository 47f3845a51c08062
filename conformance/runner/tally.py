"""The outcomes of a session: saved as they come, and written to result files at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Optional

from conformance.language.corpus import Corpus
from conformance.language.kept import load_own_corpus
from conformance.language.model import Claim
from conformance.results.files import ResultError
from conformance.results.model import FAILING, Entry, Environment
from conformance.results.store import SUFFIX, Results, load_results, save_results
from conformance.results.unfinished import UnfinishedFile, read_unfinished
from conformance.runner.protocol import ItemRecord
from conformance.runner.summary import Summary


@dataclass
class _Column:
    """What the session measured in one environment, and the file that keeps it meanwhile."""

    results: Results
    entries: dict[str, Entry] = field(default_factory=dict)
    kept: Optional[UnfinishedFile] = None


class Tally:
    """Collects the outcomes of one session.

    Parameters
    ----------
    folder
        Where result files go; None writes none.
    examples, seed
        The settings of the search, recorded in the file.
    resume
        Take over outcomes that a stopped run left in ``folder``.
    again
        Measure also what a result file in ``folder`` holds already.
    writes
        This process writes files; a worker of pytest-xdist only reads them.
    corpus
        The project's own corpus, where it was read already.
    """

    def __init__(
        self,
        folder: Optional[Path],
        *,
        examples: int,
        seed: int,
        resume: bool,
        again: bool,
        writes: bool,
        corpus: Optional[Corpus] = None,
    ) -> None:
        self._folder = folder if writes else None
        self._examples = examples
        self._seed = seed
        self._known_corpus = corpus
        self._columns: dict[str, _Column] = {}
        self._summary = Summary()
        self._unwritten: Optional[str] = None
        self._left = list(read_unfinished(folder)) if folder is not None and (resume or writes) else []
        self._resumes = resume
        self._recorded_in = None if again else folder
        self._recorded: dict[str, Optional[Results]] = {}

    def measured_before(self, claim: Claim, environment: Environment) -> Optional[Entry]:
        """Return the entry of this claim in this environment that is known: left by a stopped run, or recorded.

        A recorded failure is measured again, so that it is seen.
        """
        left = reversed(self._left) if self._resumes else ()
        for results in left:
            entry = self._entry(results, claim, environment)
            if entry is not None:
                return entry
        entry = self._entry(self._file_of(environment), claim, environment)
        return None if entry is None or entry.verdict in FAILING else entry

    def add(self, item: str, record: ItemRecord, seconds: Optional[float] = None) -> None:
        """Add one outcome, and save it at once.

        Parameters
        ----------
        item
            The name of the item, for the summary.
        seconds
            How long it took, where it was measured now.
        """
        entries: dict[str, Entry] = {}
        results = self._results(record.environment, entries, record.void)
        column = self._columns.setdefault(results.name, _Column(results, entries))
        column.entries[record.claim] = record.entry
        self._summary.add(item, record, seconds)
        if self._folder is not None:
            try:
                self._keep(self._folder, column, record)
            except OSError as error:
                self._unwritten = _reason(error)

    def add_unjudged(self, item: str, told: str) -> None:
        """Add an item without a verdict: the runner failed, a process died, or the item is not a claim."""
        self._summary.unjudged[item] = told

    def finish(self, *, stopped: bool) -> bool:
        """Write a result file for each environment whose whole corpus was measured.

        Parameters
        ----------
        stopped
            The session ended before all items were run.

        Returns
        -------
        bool
            False if something could not be written.
        """
        self._summary.stopped = stopped
        if self._folder is None:
            return True
        written = [self._finish(self._folder, name, column) for name, column in sorted(self._columns.items())]
        return all(written)

    def counts(self) -> str:
        """Return how many claims have a verdict, and how many entries of spec files they come from; empty if none."""
        return self._summary.counts()

    def summary(self) -> list[str]:
        """Return the lines to print at the end."""
        return self._summary.lines([column.results for _, column in sorted(self._columns.items())])

    def _finish(self, folder: Path, name: str, column: _Column) -> bool:
        messages = self._summary.messages
        missing = self._missing(column.entries)
        try:
            if missing == 0:
                path = folder / f"{name}{SUFFIX}"
                save_results(column.results, path)
                messages.append(f"result file: {path}")
                if column.kept is not None:
                    column.kept.remove()
                return True
        except OSError as error:
            self._unwritten = _reason(error)
        else:
            measured = f"{len(column.entries)} claims measured, {missing} not measured"
            messages.append(f"{name}: {measured}: no result file written")
        if self._unwritten:
            messages.append(f"{name}: some measurements could not be written: {self._unwritten}")
        if column.kept is not None:
            column.kept.close()
            messages.append(f"measurements are kept in {column.kept.path}; continue with --resume")
        return self._unwritten is None

    def _keep(self, folder: Path, column: _Column, record: ItemRecord) -> None:
        if column.kept is not None:
            column.kept.add(record.claim, record.entry)
            return
        known = {**self._left_by_others(record.environment), **column.entries}
        column.kept = UnfinishedFile(folder, self._results(record.environment, known, column.results.void))

    def _left_by_others(self, environment: Environment) -> dict[str, Entry]:
        """Return what stopped runs measured of the claims as they are now; a new run must not remove it."""
        current = self._fingerprints
        return {
            identity: entry
            for results in self._left
            if self._goes_on(results, environment)
            for identity, entry in results.claims.items()
            if current.get(identity) == entry.claim
        }

    def _goes_on(self, results: Results, environment: Environment) -> bool:
        return results.measured_like(environment, self._examples, self._seed)

    def _entry(self, results: Optional[Results], claim: Claim, environment: Environment) -> Optional[Entry]:
        """Return the entry of a claim as it is now, if it was measured as this session measures."""
        if results is None or not self._goes_on(results, environment):
            return None
        try:
            entry = results.claims.get(claim.id)
        except ResultError:  # a damaged line; it is written anew
            return None
        return entry if entry is not None and entry.claim == claim.fingerprint() else None

    def _file_of(self, environment: Environment) -> Optional[Results]:
        """Return what the result file of this environment holds; None where there is none that can be read."""
        if self._recorded_in is None:
            return None
        name = Results(environment, "", self._examples, self._seed).name  # the corpus is not read for that
        if name not in self._recorded:
            try:
                self._recorded[name] = load_results(self._recorded_in / f"{name}{SUFFIX}")
            except ResultError:  # none, or one to be replaced
                self._recorded[name] = None
        return self._recorded[name]

    def _results(self, environment: Environment, entries: dict[str, Entry], void: Optional[str] = None) -> Results:
        return Results(environment, self._revision, self._examples, self._seed, entries, void)

    @cached_property
    def _whole_corpus(self) -> Corpus:
        return self._known_corpus or load_own_corpus()[0]

    @cached_property
    def _revision(self) -> str:
        return self._whole_corpus.revision()

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        return {claim.id: claim.fingerprint() for claim in self._whole_corpus.claims if claim.compare is None}

    def _missing(self, entries: dict[str, Entry]) -> int:
        return sum(
            identity not in entries or entries[identity].claim != fingerprint
            for identity, fingerprint in self._fingerprints.items()
        )


def _reason(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)

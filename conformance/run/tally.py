"""The outcomes of a session: saved as they come, and written to result files at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError
from conformance.base.recorded_folder import TIMINGS, recorded_folder
from conformance.base.text import count_of
from conformance.language.corpus import Corpus
from conformance.results.comparison import compare, recorded_for
from conformance.results.model import Entry, Environment
from conformance.results.origin import save_digests
from conformance.results.record import replaceable_results, store_results
from conformance.results.store import Results
from conformance.results.unfinished import UnfinishedFile, remove_stopped
from conformance.run.earlier import EarlierRuns, Settings
from conformance.run.expected import (
    Expectations,
    UnusableExpectations,
    accepted,
    device_type,
    read_expectations,
    unexplained,
    write_expectations,
)
from conformance.run.protocol import ItemRecord
from conformance.run.summary import Summary

# What the ids of the project's own corpus begin with.
_OF_THE_CORPUS = ("torch.", "notes/", "changes/")


@dataclass
class _Column:
    """What is known of one environment, what of it this machine measured, and the file that keeps that meanwhile."""

    results: Results
    entries: dict[str, Entry] = field(default_factory=dict)
    own: dict[str, Entry] = field(default_factory=dict)
    kept: Optional[UnfinishedFile] = None


class OtherClaims(Exception):
    """A result file has claims that would be lost; the message says which, and what to do."""


class Tally:
    """Collects the outcomes of one session.

    Parameters
    ----------
    folder
        Where result files go; None writes none.
    settings
        The settings of the search, recorded in the file.
    resume
        Take over outcomes that a stopped run left in ``folder``.
    again
        Measure also what a result file in ``folder`` holds already.
    record
        ``folder`` is a record, which keeps what other machines measured.
    timed
        The session measures the timing claims, which have a folder of their own and are always measured anew.
    accepts
        The file of expected failures to which it writes what fails on a device; None for none.
    expectations
        What is expected to fail on a device; None where nobody said it.
    corpus
        The claims that the session was asked for; None where no result file is written.
    whole
        They are the project's own corpus. Others are always measured anew: what they are about may have changed.

    Attributes
    ----------
    earlier
        What earlier runs have measured; none where this session writes no result file.
    """

    def __init__(
        self,
        folder: Optional[Path],
        *,
        settings: Settings,
        resume: bool,
        again: bool,
        record: bool = False,
        timed: bool = False,
        accepts: Optional[Path] = None,
        expectations: Optional[Expectations] = None,
        corpus: Optional[Corpus] = None,
        whole: bool = False,
    ) -> None:
        folder = folder / TIMINGS if folder is not None and timed else folder
        self._folder = folder
        self._extends = record
        self._accepts = accepts
        self._expectations = expectations
        self._timed = timed
        self._settings = settings
        self._corpus = corpus
        self._whole = whole
        self._columns: dict[str, _Column] = {}
        kept_from = "this record, whatever machine measured them" if record else "earlier runs on this machine"
        self._summary = Summary(kept_from if folder is not None else "")
        self._unwritten: Optional[str] = None
        again = again or timed or not whole
        self.earlier = (
            None if folder is None else EarlierRuns(folder, settings, resume=resume, again=again, record=record)
        )

    def refuse_to_lose_claims(self) -> None:
        """Raise `OtherClaims` where a result file of the installed torch has other claims than these specs.

        The file of a whole run replaces an older one, whose claims may have been withdrawn since. A record that can't
        be read raises `ResultError`.
        """
        if self._folder is None:
            return
        for name, known in replaceable_results(self._folder):
            others = sorted(set(known.claims) - set(self._fingerprints))
            if self._whole and len(others) < len(known.claims):
                others = [identity for identity in others if not identity.startswith(_OF_THE_CORPUS)]
            if others and known.environment.torch == _installed_torch():
                told = f"has {count_of(len(others), 'claim')} that these specs do not have, such as {others[0]}"
                raise OtherClaims(f"{self._folder}: {name} {told}; give another folder, or remove the file")

    def keep(self, record: ItemRecord) -> None:
        """Add what an earlier run has measured; its files hold it until the end."""
        column = self._column(record)
        column.entries[record.claim] = record.entry
        if not self._extends:
            column.own[record.claim] = record.entry
        self._summary.add(f"{record.claim}[{record.environment.device}]", record, None)

    def add(self, item: str, record: ItemRecord, seconds: Optional[float] = None) -> None:
        """Add one outcome, and save it at once.

        Parameters
        ----------
        item
            The name of the item, for the summary.
        seconds
            How long it took, where it was measured now.
        """
        column = self._column(record)
        column.entries[record.claim] = column.own[record.claim] = record.entry
        self._summary.add(item, record, seconds)
        if self._folder is not None:
            try:
                self._keep(self._folder, column, record)
            except OSError as error:
                self._unwritten = _reason(error)

    def add_unjudged(self, item: str, told: str) -> None:
        """Add an item without a verdict: the runner failed, a process died, or the item is not a claim."""
        self._summary.unjudged[item] = told

    def leave_out_timed(self) -> None:
        """Count a timing claim, which a run leaves out."""
        self._summary.left_out += 1

    def finish(self, *, stopped: bool) -> bool:
        """Write a result file for each environment in which all claims were measured that were asked for.

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
        if not self._timed:  # times depend on the machine
            self._compare()
        if self._expectations is not None:
            self._summary.unexplained = sorted(self._unexplained(self._expectations))
        has_accepted = self._accepts is None or self._accept(self._accepts)
        if self._folder is None:
            return has_accepted
        written = [has_accepted]
        written += [self._finish(self._folder, name, column) for name, column in sorted(self._columns.items())]
        return all(written)

    @property
    def unexplained(self) -> bool:
        """Whether verdicts on a device are not the CPU's, or expectations do not apply, though no claim fails."""
        return bool(self._summary.unexplained)

    def counts(self) -> str:
        """Return how many claims have a verdict, and how many entries of spec files they come from; empty if none."""
        return self._summary.counts()

    def summary(self) -> list[str]:
        """Return the lines to print at the end."""
        return self._summary.lines([column.results for _, column in sorted(self._columns.items())])

    def _column(self, record: ItemRecord) -> _Column:
        entries: dict[str, Entry] = {}
        results = self._results(record.environment, entries, record.void)
        return self._columns.setdefault(results.name, _Column(results, entries))

    def _compare(self) -> None:
        """Compare what this machine measured with what is recorded, before that is extended."""
        folder = self._folder if self._folder is not None and self._extends else recorded_folder()
        for name, column in self._columns.items():
            measured = replace(column.results, claims=column.own)
            try:
                recorded = recorded_for(measured.environment, folder) or replace(measured, claims={})
                comparison = compare(measured, recorded)
                if comparison.compared or (column.own and self._whole):  # claims of the user's own are nowhere
                    self._summary.comparisons[measured.environment] = comparison
            except ResultError as error:
                self._summary.messages.append(f"{name}: not compared with what is recorded: {error}")

    def _accept(self, path: Path) -> bool:
        """Write what failed to the file of expected failures; returns False if that can't be done."""
        columns = self._of_devices()
        if not columns:
            self._summary.messages.append(f"{path} was not written: no device other than the CPU was measured")
            return True
        try:
            known = read_expectations(path) if path.exists() else {}
            for column in columns:
                device, whole = column.results.environment.device, self._is_whole(column)
                known = accepted(known, device, column.entries, self._of_cpu(), whole=whole)
            write_expectations(path, known)
        except (UnusableExpectations, OSError) as error:
            self._summary.messages.append(f"expected failures were not written: {error}")
            return False
        ids = [name for claims in known.values() for name in claims]
        claims = sum("/" in name for name in ids)
        told = f"{count_of(claims, 'claim')} and {count_of(len(ids) - claims, 'missing kernel')}"
        advice = "; give each a reason" if ids else ""
        self._summary.messages.append(f"expected failures: {path}: {told}{advice}")
        return True

    def _unexplained(self, expectations: Expectations) -> Iterator[str]:
        for column in self._of_devices():
            device, whole = column.results.environment.device, self._is_whole(column)
            yield from unexplained(expectations, device, column.entries, self._of_cpu(), whole=whole)

    def _of_devices(self) -> list[_Column]:
        return [one for one in self._columns.values() if device_type(one.results.environment.device) != "cpu"]

    def _of_cpu(self) -> dict[str, Entry]:
        """Return the entries of the CPU, where it is in this run."""
        measured = (one for one in self._columns.values() if device_type(one.results.environment.device) == "cpu")
        return next((column.entries for column in measured), {})

    def _is_whole(self, column: _Column) -> bool:
        return self._whole and self._missing(column.entries) == 0

    def _finish(self, folder: Path, name: str, column: _Column) -> bool:
        messages = self._summary.messages
        missing = self._missing(column.entries)
        try:
            if missing == 0:
                path = store_results(folder, name, column.results)
                if self._whole and not self._extends:
                    save_digests(folder, column.results)
                messages.append(f"{'result file' if path.stem == name else 'recorded in'}: {path}")
                if column.kept is not None:
                    column.kept.remove()
                else:
                    remove_stopped(folder, column.results)
                return True
        except (OSError, ResultError) as error:
            self._unwritten = _reason(error)
        else:
            measured = f"{count_of(len(column.entries), 'claim')} measured, {missing} not measured"
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
        left = self.earlier.left(self._fingerprints, record.environment) if self.earlier else {}
        known = {**left, **column.own}
        column.kept = UnfinishedFile(folder, self._results(record.environment, known, column.results.void))

    def _results(self, environment: Environment, entries: dict[str, Entry], void: Optional[str] = None) -> Results:
        return Results(environment, self._revision, self._settings.examples, self._settings.seed, entries, void)

    @cached_property
    def _revision(self) -> str:
        return "" if self._corpus is None else self._corpus.revision()

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        claims = () if self._corpus is None else self._corpus.claims
        return {claim.id: claim.fingerprint() for claim in claims if claim.is_timed == self._timed}

    def _missing(self, entries: dict[str, Entry]) -> int:
        return sum(
            identity not in entries or entries[identity].claim != fingerprint
            for identity, fingerprint in self._fingerprints.items()
        )


def _installed_torch() -> str:
    try:
        return version("torch").partition("+")[0]
    except PackageNotFoundError:
        return ""


def _reason(error: Exception) -> str:
    if not isinstance(error, OSError):
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)

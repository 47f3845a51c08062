"""What earlier runs have measured: the result files in a folder, and what stopped runs have left there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError
from conformance.language.model import Claim
from conformance.results.model import Entry, Environment
from conformance.results.origin import measured_here
from conformance.results.record import stored_result
from conformance.results.store import SUFFIX, Results
from conformance.results.unfinished import every_unfinished, is_from_here, read_unfinished
from conformance.run.protocol import ItemRecord
from conformance.run.supervisor import HarnessError, Supervisor


@dataclass(frozen=True)
class Settings:
    """The settings of a search, which a result file records."""

    examples: int
    seed: int


class EarlierRuns:
    """What is known before a session begins: what this machine measured, or what a record has that it extends.

    Parameters
    ----------
    folder
        Where result files are.
    settings
        The settings of this session; what was measured otherwise is not known.
    resume
        What stopped runs have left is known too.
    again
        Result files are to be measured again, and not known.
    record
        The files are a record that is extended: what another machine measured is known too.
    """

    def __init__(self, folder: Path, settings: Settings, *, resume: bool, again: bool, record: bool) -> None:
        self._folder = folder
        self._settings = settings
        self._resumes = resume
        self._knows_files = not again
        self._extends = record
        self._left = list(read_unfinished(folder))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known, whatever the environment."""
        files = self._knows_files and any(any(self._folder.glob(f"{name}{SUFFIX}")) for name in ("torch-*", "record"))
        return not (files or (self._resumes and self._left))

    def entries(self, claims: Iterable[Claim], environment: Environment) -> dict[str, Entry]:
        """Return the entries of claims as they are now.

        A failure is not among them: it is measured again, so that it is seen.
        """
        left = reversed(self._left) if self._resumes else ()
        found = [results for results in (*left, self._recorded(environment)) if results is not None]
        sources = [results for results in found if self._goes_on(results, environment)]
        entries = {claim.id: next(filter(None, (_entry(one, claim) for one in sources)), None) for claim in claims}
        return {name: entry for name, entry in entries.items() if entry is not None and not entry.fails}

    def left(self, fingerprints: Mapping[str, str], environment: Environment) -> dict[str, Entry]:
        """Return what stopped runs measured of the claims as they are now; a new run must not remove it."""
        return {
            identity: entry
            for results in self._left
            if self._goes_on(results, environment)
            for identity, entry in results.claims.items()
            if fingerprints.get(identity) == entry.claim
        }

    def not_resumed(self, environments: Iterable[Environment]) -> Iterator[str]:
        """Yield why what a stopped run has left can't be continued, and what to do; nothing unless it was asked for."""
        here = list(environments)
        for path, results in every_unfinished(self._folder) if self._resumes else ():
            why = self._why_not(path, results, here)
            if why:
                yield f"--resume can't continue {path}: {why}"

    def _why_not(self, path: Path, results: Results, here: Collection[Environment]) -> str:
        theirs, settings = results.environment, self._settings
        like_theirs = [one for one in here if (one.torch, one.device) == (theirs.torch, theirs.device)]
        if not like_theirs:
            return f"it is of torch {theirs.torch} on {theirs.device}, which this run does not measure"
        if theirs not in here:
            differing = [name for name, value in vars(theirs).items() if value != getattr(like_theirs[0], name)]
            return f"it was measured in another environment ({', '.join(differing)}); continue it in that one"
        if (results.examples, results.seed) != (settings.examples, settings.seed):
            return f"it was measured with --examples {results.examples} --seed {results.seed}; give these again"
        if not self._goes_on(results, theirs):
            return "it was measured by another version of this package, or is VOID"
        if not is_from_here(path, results):
            result_file = self._folder / f"{results.name}{SUFFIX}"
            told = "another machine, another build of torch or other code of this package measured it"
            return f"{told}; to extend it all the same, copy it to {result_file} and run with --record instead"
        return ""

    def _goes_on(self, results: Results, environment: Environment) -> bool:
        return results.measured_like(environment, self._settings.examples, self._settings.seed)

    def _recorded(self, environment: Environment) -> Optional[Results]:
        """Return what is known of this environment from its result file, if that can be read."""
        if not self._knows_files:
            return None
        name = Results(environment, "", self._settings.examples, self._settings.seed).name
        try:
            results = stored_result(self._folder, name)
        except ResultError:  # to be replaced
            return None
        if results is None:
            return None
        return results if self._extends else replace(results, claims=measured_here(self._folder, results))


def kept_records(
    claims: Iterable[Claim], environments: Iterable[Environment], earlier: EarlierRuns, supervisor: Supervisor
) -> list[ItemRecord]:
    """Return what a session takes over without running the claims; nothing where that is unsure.

    Sources are no part of a fingerprint, so their sentences are looked up again.
    """
    measured = {claim.id: claim for claim in claims if not claim.is_timed}
    records = []
    for environment in environments:
        known = earlier.entries(measured.values(), environment)
        keys = [measured[identity].keys for identity in known]
        try:
            found = iter(supervisor.sentences(key for each in keys for key in each) if known else ())
        except HarnessError:
            return []
        for (identity, entry), each in zip(known.items(), keys):
            current = replace(entry, sentences=tuple(next(found) for _ in each))
            written = measured[identity].entry
            records.append(
                ItemRecord(
                    identity, environment, current, supervisor.void(environment.device), kept=True, written=written
                )
            )
    return records


def _entry(results: Results, claim: Claim) -> Optional[Entry]:
    try:
        entry = results.claims.get(claim.id)
    except ResultError:  # a damaged line; it is written anew
        return None
    return entry if entry is not None and entry.claim == claim.fingerprint() else None

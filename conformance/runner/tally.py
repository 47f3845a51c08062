"""The outcomes of a session: kept on disk as they come, written as result files at the end, summed up for a person."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, Optional

from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.model import Claim
from conformance.results.schema import FAILING, VERDICTS
from conformance.results.store import Results, save_results
from conformance.results.unfinished import UnfinishedFile, read_unfinished

# What a claim may cost, in medians, before the summary names it, from how many claims on, and how many it names.
_COSTLY = 10
_FEWEST_CLAIMS = 20
_MOST_NAMED = 5


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
    writes
        Whether this process writes; a worker of pytest-xdist only reads.
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
        writes: bool,
        corpus: Optional[Corpus] = None,
    ) -> None:
        self._folder = folder
        self._examples = examples
        self._seed = seed
        self._writes = writes
        self._known_corpus = corpus
        self._results: dict[str, Results] = {}
        self._unfinished: dict[str, UnfinishedFile] = {}
        self._failed: list[tuple[str, str, str]] = []
        self._vacuous: list[tuple[str, str]] = []
        self._spoiled: list[tuple[str, str]] = []
        self._seconds: dict[str, float] = {}
        self._unwritten: Optional[str] = None
        self._messages: list[str] = []
        self._left = list(read_unfinished(folder)) if folder is not None and (resume or writes) else []
        self._resumes = resume

    def measured_before(self, claim: Claim, environment: dict[str, str]) -> Optional[dict[str, Any]]:
        """Return the outcome that a stopped run measured for this claim in this environment, if it is to be resumed."""
        if not self._resumes:
            return None
        found = None
        for results in self._left:
            outcome = results.claims.get(claim.id)
            if self._goes_on(results, environment) and outcome and outcome["claim"] == claim.fingerprint():
                found = outcome
        return found

    def add(self, item: str, record: dict[str, Any], seconds: Optional[float] = None) -> None:
        """Take one outcome, and keep it on disk at once.

        Parameters
        ----------
        item
            The name of the item, for the summary.
        record
            Id, environment, why nothing of it may be believed, the outcome, and how the process ended on it that other
            claims had spoiled.
        seconds
            How long it took, where it was measured now.
        """
        environment = record["environment"]
        results = Results(environment, self._revision, self._examples, self._seed, void=record["void"])
        results = self._results.setdefault(results.name, results)
        results.claims[record["id"]] = record["outcome"]
        if seconds is not None:
            self._seconds[item] = seconds
        self._vacuous += [(item, text) for text in record["outcome"].get("vacuous", [])]
        if "spoiled" in record:
            self._spoiled.append((item, record["spoiled"]))
        if record["outcome"]["verdict"] in FAILING:
            self._failed.append((item, record["outcome"]["verdict"], record["id"]))
        if self._folder is not None and self._writes:
            try:
                self._keep(results, record["id"], record["outcome"])
            except OSError as error:
                self._unwritten = _reason(error)

    def finish(self) -> bool:
        """Write a result file for each environment whose whole corpus was measured.

        Returns
        -------
        bool
            Whether all that was to be written could be.
        """
        if not self._writes or self._folder is None:
            return True
        written = True
        for name, results in sorted(self._results.items()):
            missing = self._missing(results)
            unfinished = self._unfinished.get(name)
            path = self._folder / f"{name}.json"
            try:
                if missing == 0:
                    save_results(results, path)
                    self._messages.append(f"result file: {path}")
                    if unfinished is not None:
                        unfinished.remove()
                    continue
            except OSError as error:
                self._unwritten = _reason(error)
            else:
                self._messages.append(
                    f"{name}: {len(results.claims)} claims measured, {missing} not: no result file written"
                )
            if self._unwritten:
                written = False
                self._messages.append(f"{name}: not all that was measured could be written: {self._unwritten}")
            if unfinished is not None:
                unfinished.close()
                self._messages.append(f"what was measured is kept in {unfinished.path}; go on with --resume")
        return written

    def summary(self) -> list[str]:
        """Return the lines to print at the end: counts, and what needs a person."""
        lines: list[str] = []
        for _, results in sorted(self._results.items()):
            counts = Counter(outcome["verdict"] for outcome in results.claims.values())
            shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
            examples = sum(outcome.get("examples", 0) for outcome in results.claims.values())
            lines.append(
                f"{_environment_text(results.environment)}: {len(results.claims)} claims, {examples:,} examples"
            )
            lines.append(f"  {shown}")
            if results.void:
                lines.append(f"  VOID: {results.void}; nothing in this column may be believed")
        lines += self._costly()
        if self._vacuous:
            plural = "s" if len(self._vacuous) > 1 else ""
            lines.append(f"{len(self._vacuous)} way{plural} in which a claim proves too little:")
            lines += [f"  {item}: {text}" for item, text in sorted(self._vacuous)]
        if self._spoiled:
            lines.append(f"{len(self._spoiled)} ended a process in which others had run, but not one of their own:")
            lines += [f"  {item}: {text}" for item, text in sorted(self._spoiled)]
        if self._failed:
            lines.append(f"{len(self._failed)} need a person:")
            lines += [f"  {verdict:9} {item}" for item, verdict, _ in sorted(self._failed)]
        elif self._results:
            lines.append("every verdict is as expected")
        return lines + self._messages

    def _costly(self) -> list[str]:
        """Name the claims that cost far more than the others."""
        if len(self._seconds) < _FEWEST_CLAIMS:
            return []
        usual = median(self._seconds.values())
        costly = sorted(
            ((seconds, item) for item, seconds in self._seconds.items() if seconds > _COSTLY * usual), reverse=True
        )
        if not costly:
            return []
        more = f", the first {_MOST_NAMED}" if len(costly) > _MOST_NAMED else ""
        return [
            f"{len(costly)} cost more than {_COSTLY} times the median of {usual:.3f} s{more}:",
            *(f"  {seconds:7.3f} s {item}" for seconds, item in costly[:_MOST_NAMED]),
        ]

    def _keep(self, results: Results, identity: str, outcome: dict[str, Any]) -> None:
        assert self._folder is not None
        if results.name not in self._unfinished:
            known = {**self._left_by_others(results.environment), **results.claims}
            begun = Results(results.environment, results.corpus, self._examples, self._seed, known, results.void)
            self._unfinished[results.name] = UnfinishedFile(self._folder, begun)
        else:
            self._unfinished[results.name].add(identity, outcome)

    def _left_by_others(self, environment: dict[str, str]) -> dict[str, dict[str, Any]]:
        """Return what stopped runs measured of the claims as they are now; a new run must not remove it."""
        current = self._fingerprints
        return {
            identity: outcome
            for results in self._left
            if self._goes_on(results, environment)
            for identity, outcome in results.claims.items()
            if current.get(identity) == outcome["claim"]
        }

    def _goes_on(self, results: Results, environment: dict[str, str]) -> bool:
        return (results.environment, results.examples, results.seed) == (environment, self._examples, self._seed)

    @cached_property
    def _whole_corpus(self) -> Corpus:
        return self._known_corpus or load_corpus([default_root()])[0]

    @cached_property
    def _revision(self) -> str:
        return self._whole_corpus.revision()

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        return {claim.id: claim.fingerprint() for claim in self._whole_corpus.claims if claim.compare is None}

    def _missing(self, results: Results) -> int:
        return sum(
            identity not in results.claims or results.claims[identity]["claim"] != fingerprint
            for identity, fingerprint in self._fingerprints.items()
        )


def _reason(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


def _environment_text(environment: dict[str, str]) -> str:
    return (
        f"torch {environment['torch']} ({environment['build']}) on {environment['device']}, "
        f"Python {environment['python']}, NumPy {environment['numpy']}"
    )

"""The outcomes of a session: kept on disk as they come, written as result files at the end, summed up for a person."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Optional

from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.model import Claim
from conformance.results.schema import FAILING, VERDICTS
from conformance.results.store import Results, save_results


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
    """

    def __init__(self, folder: Optional[Path], *, examples: int, seed: int, resume: bool, writes: bool) -> None:
        self._folder = folder
        self._examples = examples
        self._seed = seed
        self._writes = writes
        self._results: dict[str, Results] = {}
        self._failed: list[tuple[str, str, str]] = []
        self._messages: list[str] = []
        self._kept = self._load_journal() if resume else {}
        self._corpus: Optional[Corpus] = None

    def measured_before(self, claim: Claim, environment: dict[str, str]) -> Optional[dict[str, Any]]:
        """Return the outcome that a stopped run measured for this claim in this environment, if any."""
        record = self._kept.get((claim.id, environment["device"]))
        if record is None or record["environment"] != environment or record["settings"] != self._settings:
            return None
        outcome: dict[str, Any] = record["outcome"]
        return outcome if outcome["claim"] == claim.fingerprint() else None

    def add(self, item: str, record: dict[str, Any]) -> None:
        """Take one outcome, and write it to the journal at once."""
        environment = record["environment"]
        results = Results(environment, self._revision(), self._examples, self._seed, void=record["void"])
        results = self._results.setdefault(results.name, results)
        results.claims[record["id"]] = record["outcome"]
        if record["outcome"]["verdict"] in FAILING:
            self._failed.append((item, record["outcome"]["verdict"], record["id"]))
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            with open(self._journal, "a", encoding="utf-8") as journal:
                journal.write(json.dumps({**record, "settings": self._settings}) + "\n")

    def finish(self) -> None:
        """Write a result file for each environment whose whole corpus was measured."""
        if not self._writes or self._folder is None:
            return
        complete = bool(self._results)
        for name, results in sorted(self._results.items()):
            missing = self._missing(results)
            if missing:
                complete = False
                self._messages.append(
                    f"{name}: {len(results.claims)} claims measured, {missing} not: no result file written "
                    f"(what was measured is kept; go on with --resume)"
                )
                continue
            path = self._folder / f"{name}.json"
            save_results(results, path)
            self._messages.append(f"result file: {path}")
        if complete:
            self._journal.unlink(missing_ok=True)

    def summary(self) -> list[str]:
        """Return the lines to print at the end: counts, and what needs a person."""
        lines: list[str] = []
        for name, results in sorted(self._results.items()):
            counts = Counter(outcome["verdict"] for outcome in results.claims.values())
            shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
            examples = sum(outcome.get("examples", 0) for outcome in results.claims.values())
            lines.append(
                f"{_environment_text(results.environment)}: {len(results.claims)} claims, {examples:,} examples"
            )
            lines.append(f"  {shown}")
            if results.void:
                lines.append(f"  VOID: {results.void}; nothing in this column may be believed")
        if self._failed:
            lines.append(f"{len(self._failed)} need a person:")
            lines += [f"  {verdict:9} {item}" for item, verdict, _ in sorted(self._failed)]
        elif self._results:
            lines.append("every verdict is as expected")
        return lines + self._messages

    @property
    def _settings(self) -> list[int]:
        return [self._examples, self._seed]

    @property
    def _journal(self) -> Path:
        assert self._folder is not None
        return self._folder / ".stopped-run.jsonl"

    def _load_journal(self) -> dict[tuple[str, str], dict[str, Any]]:
        kept: dict[tuple[str, str], dict[str, Any]] = {}
        if self._folder is None or not self._journal.exists():
            return kept
        for line in self._journal.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
                kept[record["id"], record["environment"]["device"]] = record
            except (ValueError, KeyError, TypeError):
                continue  # the last line of a run that was killed while it wrote
        return kept

    def _whole_corpus(self) -> Corpus:
        if self._corpus is None:
            self._corpus, _ = load_corpus([default_root()])
        return self._corpus

    def _revision(self) -> str:
        return self._whole_corpus().revision()

    def _missing(self, results: Results) -> int:
        whole = {claim.id: claim.fingerprint() for claim in self._whole_corpus().claims if claim.compare is None}
        measured = {identity: outcome["claim"] for identity, outcome in results.claims.items()}
        return sum(measured.get(identity) != fingerprint for identity, fingerprint in whole.items())


def _environment_text(environment: dict[str, str]) -> str:
    return (
        f"torch {environment['torch']} ({environment['build']}) on {environment['device']}, "
        f"Python {environment['python']}, NumPy {environment['numpy']}"
    )

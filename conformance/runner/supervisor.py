"""The session's side of the process that imports torch: whatever happens there is a verdict, or said to be ours.

This module never imports torch, so nothing that torch does can end the run.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Optional, Union

from conformance.language.conditions import admits
from conformance.language.model import Claim, Divergence
from conformance.processes.scratch import ScratchFolder
from conformance.processes.worker import Limits, ServiceFailed, StartFailed, Worker, WorkerDied
from conformance.results.codec import DecodeError, decode
from conformance.results.model import Device, Entry, Environment, Outcome, Verdict
from conformance.runner.protocol import Answer, Greeting, JudgeClaim, RenewEntry, RunPinned

#: How long one claim may take, in seconds.
TIME_LIMIT = 60.0
#: How much memory a worker may take above what it has after importing torch, in bytes.
MEMORY_LIMIT = 6 * 2**30

_logger = logging.getLogger(__name__)


class TorchUnusable(Exception):
    """The worker could not start: torch is missing or does not import."""


class HarnessError(Exception):
    """The harness itself failed on a claim; the message has the traceback of the worker."""


class Supervisor:
    """Judges claims in a worker process.

    Parameters
    ----------
    examples
        How many examples Hypothesis tries for each claim.
    seed
        The seed of the search.
    time_limit
        How long one claim may take, in seconds.
    memory_limit
        How much memory a claim may take above what torch takes itself, in bytes.
    """

    def __init__(
        self, *, examples: int, seed: int, time_limit: float = TIME_LIMIT, memory_limit: int = MEMORY_LIMIT
    ) -> None:
        self._examples = examples
        self._seed = seed
        self._scratch = ScratchFolder()
        limits = Limits(time_limit, memory_limit)
        self._worker = Worker("conformance.worker.service:make_service", None, self._scratch.path, limits)
        self._greeting = Greeting()
        self._judged_last: Optional[str] = None
        #: How the worker ended on the claim judged last, where that was another claim's doing: alone it gets a verdict.
        self.tainted_by: Optional[str] = None

    def prepare(self) -> None:
        """Start the worker without waiting until it has imported torch."""
        self._worker.start()

    @property
    def environments(self) -> Mapping[Device, Environment]:
        """What the worker measures: one environment for each device found.

        Raises
        ------
        TorchUnusable
            If torch can't be imported.
        """
        return {environment.device: environment for environment in self._greeted().environments.values()}

    @property
    def void(self) -> Optional[str]:
        """Why nothing measured here may be believed, or None."""
        return self._greeted().void

    def judge(self, claim: Claim, device: Device) -> Outcome:
        """Judge a claim on a device, also where torch dies on it."""
        start = time.monotonic()
        self.tainted_by = None
        confirmed = any(
            self._crash_happens(claim, divergence, device)
            for divergence in claim.diverges
            if divergence.instead.crashes and admits(divergence.when, self.environments[device])
        )
        outcome = self._judged(JudgeClaim(claim, device, self._examples, self._seed, confirmed))
        self._judged_last = claim.id
        _logger.debug("%s on %s: %s in %.3f s", claim.id, device, outcome.entry.verdict, time.monotonic() - start)
        return outcome

    def renewed(self, claim: Claim, device: Device, entry: Entry) -> Optional[Entry]:
        """Return what judging a claim would give, from an entry of its fingerprint; None where it must be judged."""
        self.tainted_by = None
        try:
            return self._ask(RenewEntry(claim, device, entry)).entry
        except WorkerDied:
            return None

    def close(self) -> None:
        """End the worker and remove its files."""
        self._worker.stop()
        self._scratch.close()

    def _greeted(self) -> Greeting:
        if not self._greeting.environments:
            try:
                self._greeting = decode(Greeting, self._worker.greeting())
            except StartFailed as error:
                raise TorchUnusable(f"the process that imports torch did not start: {error}") from None
        return self._greeting

    def _judged(self, request: JudgeClaim) -> Outcome:
        before = self._judged_last if self._worker.is_running else None
        try:
            return Outcome(self._entry(request))
        except WorkerDied as died:
            first = died
        if before is None or first.timed_out:
            return _outcome_of_death(request.claim, first)
        # What an earlier claim left behind may have ended the worker, so the claim is judged once more, alone.
        try:
            outcome = Outcome(self._entry(request))
        except WorkerDied as died:
            return _outcome_of_death(request.claim, died)
        self.tainted_by = f"{first.reason} after {before}"
        return outcome

    def _entry(self, request: JudgeClaim) -> Entry:
        entry = self._ask(request).entry
        assert entry is not None
        return entry

    def _crash_happens(self, claim: Claim, divergence: Divergence, device: Device) -> bool:
        recipes = {name: fragment.text.strip() for name, fragment in divergence.example}
        try:
            self._ask(RunPinned(claim, device, recipes))
        except WorkerDied as died:
            return not died.timed_out
        return False

    def _ask(self, request: Union[JudgeClaim, RenewEntry, RunPinned]) -> Answer:
        try:
            return decode(Answer, self._worker.ask(request))
        except StartFailed as error:
            raise TorchUnusable(f"the process that imports torch did not start: {error}") from None
        except (ServiceFailed, DecodeError) as error:
            place = f"{request.claim.id} on {request.device}"
            raise HarnessError(f"{place}: a mistake of this package, please report it\n{error}") from None


def _outcome_of_death(claim: Claim, died: WorkerDied) -> Outcome:
    """Return the outcome of a claim on which the worker ended, with the evidence."""
    inputs = [f"while running on:\n{died.progress.text}"] if died.progress.text else []
    verdict: Verdict = "timed-out" if died.timed_out else "crashed"
    entry = Entry(claim.fingerprint(), verdict, detail="\n".join([died.reason, *inputs]))
    return Outcome(entry, died.printed)

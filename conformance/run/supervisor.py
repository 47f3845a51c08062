"""The session's side of the process that imports torch: whatever happens there is a verdict, or said to be ours.

This module never imports torch, so nothing that torch does can end the run.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Optional, Union

from conformance.base.codec import DecodeError, decode
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.processes.worker import NO_VARIABLES, Limits, ServiceFailed, StartFailed, Worker, WorkerDied
from conformance.base.text import bounded
from conformance.language.model import Claim, Divergence
from conformance.results.conditions import admits
from conformance.results.model import Device, Entry, Environment, Outcome, Verdict
from conformance.run.protocol import Answer, Greeting, JudgeClaim, LookUpSentences, Measuring, RunPinned

#: How long one claim may take, in seconds.
TIME_LIMIT = 60.0
#: How much memory a worker may take above what it has after importing torch, in bytes.
MEMORY_LIMIT = 6 * 2**30
#: How many claims are judged once more on a device, alone: a torch that fails most must not take twice the time.
MOST_JUDGED_AGAIN = 20
_LONGEST_REASON = 200

_logger = logging.getLogger(__name__)


class TorchUnusable(Exception):
    """The worker could not start: torch is missing or does not import."""


class HarnessError(Exception):
    """The harness itself failed on a claim; the message has the traceback of the worker."""


@dataclass(frozen=True)
class Judgement(Outcome):
    """What came of a claim.

    Attributes
    ----------
    influenced
        What came of it in a process that had judged other claims, where that is not the verdict that it gets alone.
    unsure
        It fails in such a process, and was not judged alone, since many others were.
    """

    influenced: Optional[str] = None
    unsure: bool = False


class Supervisor:
    """Judges claims in a worker process.

    What other claims left behind there may decide on a claim, and no comparison sees all of it. So a claim that fails
    is judged once more, alone in a new process, and that counts.

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
    judged_again
        How many claims may be judged once more.
    devices
        The devices to measure; with none, all that are found.
    imports
        Packages that add a device to torch, imported first.
    variables
        Environment variables of the worker.
    """

    def __init__(
        self,
        *,
        examples: int,
        seed: int,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
        judged_again: int = MOST_JUDGED_AGAIN,
        devices: Iterable[Device] = (),
        imports: Iterable[str] = (),
        variables: Mapping[str, str] = NO_VARIABLES,
    ) -> None:
        self._examples = examples
        self._seed = seed
        self._scratch = ScratchFolder()
        limits = Limits(time_limit, memory_limit)
        measuring = Measuring(tuple(devices), tuple(imports), memory_limit)
        service = "conformance.run.worker.service:make_service"
        self._worker = Worker(service, measuring, self._scratch.path, limits, variables)
        self._greeting = Greeting()
        self._left_to_judge_again: dict[Device, int] = defaultdict(lambda: judged_again)

    def prepare(self) -> None:
        """Start the worker without waiting until it has imported torch."""
        self._worker.start()

    @property
    def environments(self) -> Mapping[Device, Environment]:
        """What the worker measures: one environment for each device that is there.

        Raises
        ------
        TorchUnusable
            If torch can't be imported.
        """
        return {environment.device: environment for environment in self._greeted().environments.values()}

    @property
    def found(self) -> tuple[str, ...]:
        """The device types that have a device here."""
        return self._greeted().found

    @property
    def absent(self) -> Mapping[Device, str]:
        """The devices that were asked for and are not there, and why."""
        return self._greeted().absent

    def void(self, device: Device) -> Optional[str]:
        """Return why nothing measured on a device may be believed, or None."""
        return self._greeted().voids.get(device)

    def judge(self, claim: Claim, device: Device) -> Judgement:
        """Judge a claim on a device, also where torch dies on it.

        Raises
        ------
        HarnessError
            If this package fails on it, in a process of its own too.
        """
        is_alone = not self._worker.is_running or not self._worker.served
        is_final = is_alone or not self._left_to_judge_again[device]
        first: Optional[Judgement] = None
        try:
            first = self._judged(claim, device)
        except HarnessError:
            if is_final:
                raise
        if first is not None and (is_final or not first.entry.fails):
            return replace(first, unsure=not is_alone and first.entry.fails)
        self._left_to_judge_again[device] -= 1
        self._worker.stop()
        alone = self._judged(claim, device)
        return replace(alone, influenced=_difference(first, alone))

    def sentences(self, keys: Iterable[tuple[str, str]]) -> tuple[Optional[str], ...]:
        """Return a hash of each sentence that has a key in the docstring of a name, None where there is none.

        Raises
        ------
        HarnessError
            If torch dies while docstrings are read, or this package fails.
        """
        try:
            return self._ask(LookUpSentences(tuple(keys)), "sentences").sentences
        except WorkerDied as died:
            raise HarnessError(f"reading docstrings: {died.reason}") from None

    def close(self) -> None:
        """End the worker and remove its files."""
        self._worker.close()
        self._scratch.close()

    def _greeted(self) -> Greeting:
        if not self._greeting.found:
            try:
                self._greeting = decode(Greeting, self._worker.greeting())
            except StartFailed as error:
                raise TorchUnusable(f"the process that imports torch did not start: {error}") from None
        return self._greeting

    def _judged(self, claim: Claim, device: Device) -> Judgement:
        start = time.monotonic()
        confirmed = any(
            self._crash_happens(claim, divergence, device)
            for divergence in claim.diverges
            if divergence.instead.crashes and admits(divergence.when, self.environments[device])
        )
        try:
            request = JudgeClaim(claim, device, self._examples, self._seed, confirmed)
            entry = self._ask(request, f"{claim.id} on {device}").entry
            assert entry is not None
            outcome = Judgement(entry)
        except WorkerDied as died:
            outcome = _outcome_of_death(claim, died)
        _logger.debug("%s on %s: %s in %.3f s", claim.id, device, outcome.entry.verdict, time.monotonic() - start)
        return outcome

    def _crash_happens(self, claim: Claim, divergence: Divergence, device: Device) -> bool:
        recipes = {name: fragment.text.strip() for name, fragment in divergence.example}
        try:
            self._ask(RunPinned(claim, device, recipes), f"{claim.id} on {device}")
        except WorkerDied as died:
            return not died.timed_out
        return False

    def _ask(self, request: Union[JudgeClaim, LookUpSentences, RunPinned], about: str) -> Answer:
        try:
            return decode(Answer, self._worker.ask(request))
        except StartFailed as error:
            raise TorchUnusable(f"the process that imports torch did not start: {error}") from None
        except (ServiceFailed, DecodeError) as error:
            raise HarnessError(f"{about}: a mistake of this package, please report it\n{error}") from None


def _outcome_of_death(claim: Claim, died: WorkerDied) -> Judgement:
    """Return the outcome of a claim on which the worker ended, with the evidence."""
    inputs = [f"while running on:\n{died.progress.text}"] if died.progress.text else []
    verdict: Verdict = "timed-out" if died.timed_out else "crashed"
    entry = Entry(claim.fingerprint(), verdict, detail="\n".join([died.reason, *inputs]))
    return Judgement(entry, died.printed)


def _difference(first: Optional[Judgement], alone: Judgement) -> Optional[str]:
    """Return what came of a claim after others, where that is another verdict than the one that it got alone."""
    if first is None:
        return "without a verdict"
    verdict, detail = first.entry.verdict, bounded((first.entry.detail or "").partition("\n")[0], _LONGEST_REASON)
    if verdict == alone.entry.verdict:
        return None
    return f"{verdict} ({detail})" if detail else verdict

"""Processes that share the claims of a mutation run; where torch dies, its claim goes on without that mutant."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Optional

from conformance.base.codec import decode
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.processes.worker import Limits, Worker, WorkerDied, wait_for_any
from conformance.lab.impostors.outcome import (
    CONTROL,
    Attempt,
    Greeting,
    MutationOutcome,
    Options,
    PreviousResult,
    Request,
)
from conformance.language.model import Claim

#: How long one mutant may take on one example, in seconds.
ATTEMPT_LIMIT = 30.0
_MOST_DEATHS = 25
_SERVICE = "conformance.lab.impostors.engine.service:make_service"


class Stopped(KeyboardInterrupt):
    """The run was asked to end; ``outcomes`` has those by id that another try would not make better."""

    def __init__(self, outcomes: dict[str, MutationOutcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


class WorkerPool:
    """Runs the mutants of claims in several processes.

    Parameters
    ----------
    processes
        How many.
    options
        What each process is told.
    attempt_limit
        How long one mutant may take on one example, in seconds, before its process is ended.
    """

    def __init__(self, processes: int, options: Options, attempt_limit: float = ATTEMPT_LIMIT) -> None:
        self._scratch = ScratchFolder()
        limits = Limits(seconds=attempt_limit, each_step=True)
        folders = [self._scratch.path / str(number) for number in range(processes)]
        self._members = [_Member(Worker(_SERVICE, options, folder, limits)) for folder in folders]

    def greeting(self) -> Greeting:
        """Return what is measured and the operators.

        Raises
        ------
        StartFailed
            If torch can't be imported, or a file with operators has a mistake.
        """
        for member in self._members:
            member.worker.start()
        greetings = [member.worker.greeting() for member in self._members]
        return decode(Greeting, greetings[0])

    def run(
        self,
        claims: Iterable[Claim],
        previous: Mapping[str, PreviousResult],
        tell: Callable[[int], None] = lambda done: None,
    ) -> dict[str, MutationOutcome]:
        """Run the mutants of every claim and return the outcomes by id; survivors are retried once in new processes.

        Parameters
        ----------
        previous
            What an earlier run found, by id.
        tell
            Called with the number of claims done, now and then.

        Raises
        ------
        Stopped
            Where Ctrl-C or a signal ends it.
        """
        known = {claim.id: claim for claim in claims}
        outcomes: dict[str, MutationOutcome] = {}
        again: dict[str, MutationOutcome] = {}

        def doubtful() -> list[Claim]:
            # A busy machine, or what ran before in the same process, may be to blame.
            ended = [(known[identity], outcome) for identity, outcome in outcomes.items()]
            return [claim for claim, outcome in ended if _is_doubtful(claim, outcome, previous.get(claim.id))]

        try:
            self._round(known.values(), previous, outcomes, tell)
            if retried := doubtful():
                for member in self._members:
                    member.worker.stop()
                self._round(retried, previous, again, lambda done: None)
        except KeyboardInterrupt:
            undecided = {claim.id for claim in doubtful()} - again.keys()
            decided = {name: outcome for name, outcome in outcomes.items() if name not in undecided}
            raise Stopped(_best(decided, again)) from None
        return _best(outcomes, again)

    def close(self) -> None:
        """End the processes and remove their files."""
        for member in self._members:
            member.worker.close()
        self._scratch.close()

    def _round(
        self,
        claims: Iterable[Claim],
        previous: Mapping[str, PreviousResult],
        outcomes: dict[str, MutationOutcome],
        tell: Callable[[int], None],
    ) -> None:
        waiting = deque(claims)
        while True:
            for member in self._members:
                if member.request is None and waiting:
                    claim = waiting.popleft()
                    member.take(Request(claim, previous.get(claim.id, PreviousResult())))
            busy = [member for member in self._members if member.request is not None]
            if not busy:
                return
            wait_for_any([member.worker for member in busy], 0.5)
            for member in busy:
                outcomes.update(member.finished())
            tell(len(outcomes))


def _best(outcomes: Mapping[str, MutationOutcome], again: Mapping[str, MutationOutcome]) -> dict[str, MutationOutcome]:
    """Return the outcomes, and of a claim that was retried the better one."""
    better = {name: one for name, one in again.items() if one.is_better_than(outcomes[name])}
    return {**outcomes, **better}


def _is_doubtful(claim: Claim, outcome: MutationOutcome, previous: Optional[PreviousResult]) -> bool:
    """Return whether an outcome would fail the run, and may be no fault of the claim."""
    known = previous.survivors if previous else frozenset()
    new = {part.name for part in outcome.survivors} - known
    return outcome.status == "unsound" or bool(new and claim.unkillable is None)


class _Member:
    """One process and the claim that it is at."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.request: Optional[Request] = None
        self._crashed: frozenset[str] = frozenset()

    def take(self, request: Request) -> None:
        """Let the process run the mutants of a claim."""
        self.request, self._crashed = request, frozenset()
        self.worker.send(request)

    def finished(self) -> dict[str, MutationOutcome]:
        """Return the outcome by the claim's id, if there is one; start anew where the process died or hangs."""
        assert self.request is not None
        try:
            answer = self.worker.poll()
        except WorkerDied as death:
            outcome = self._after(death)
        else:
            outcome = None if answer is None else self._judged(decode(MutationOutcome, answer))
        if outcome is None:
            return {}
        identity, self.request = self.request.claim.id, None
        return {identity: outcome}

    def _judged(self, outcome: MutationOutcome) -> Optional[MutationOutcome]:
        assert self.request is not None
        if outcome.status == "unsound" and self.worker.served > 1:
            self._send_to_another()  # what ran before it may have spoiled something in this process
            return None
        return replace(outcome, crashed=tuple(sorted(self._crashed)), died=tuple(sorted(self.request.skipped)))

    def _after(self, death: WorkerDied) -> Optional[MutationOutcome]:
        assert self.request is not None
        attempt = decode(Attempt, json.loads(death.progress.text)) if death.progress.text else None
        skipped = self.request.skipped
        if attempt is None and self.worker.served:
            self._send_to_another()  # what ran on other claims before may be to blame
            return None
        if attempt is None or attempt in skipped or len(skipped) > _MOST_DEATHS:
            end = "hangs" if death.timed_out else "crashes"
            where = f"{attempt.operator} at {attempt.target}" if attempt else "without a mutant"
            return MutationOutcome("unsound", detail=f"torch {end} on it, {where}")
        self.request = replace(self.request, skipped=skipped | {attempt})
        if attempt.operator != CONTROL and not death.timed_out:
            self._crashed |= {attempt.operator}
        self._send_to_another()
        return None

    def _send_to_another(self) -> None:
        """Let a new process run the claim; while it starts, the others go on."""
        self.worker.stop()
        self.worker.send(self.request)

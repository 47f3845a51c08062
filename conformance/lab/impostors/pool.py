"""Processes that share the claims of a mutation run; where torch dies, its claim goes on without that mutant."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Optional

from conformance.base.codec import decode
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.processes.worker import Limits, Worker, WorkerDied, wait_for_any
from conformance.lab.impostors.outcome import CONTROL, Attempt, Greeting, MutationOutcome, Options, Request
from conformance.language.model import Claim

#: How long one mutant may take on one example, in seconds.
ATTEMPT_LIMIT = 30.0
_MOST_DEATHS = 25
_SERVICE = "conformance.lab.impostors.engine.service:make_service"


class WorkerPool:
    """Runs the mutants of claims in several processes.

    Parameters
    ----------
    processes
        How many.
    options
        What each process starts with.
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
        self, requests: Iterable[Request], tell: Callable[[int], None] = lambda done: None
    ) -> Iterator[tuple[Claim, MutationOutcome]]:
        """Run the mutants of every claim and yield its outcome.

        What would fail the run is tried once more in new processes, and comes last: a busy machine, or what ran before
        in the same process, may be to blame.

        Parameters
        ----------
        tell
            Called with the number of claims that were run.
        """
        doubtful: dict[str, tuple[Request, MutationOutcome]] = {}
        for done, (request, outcome) in enumerate(self._round(requests), 1):
            new = {part.name for part in outcome.survivors} - request.survivors
            if outcome.status == "unsound" or (new and request.claim.unkillable is None):
                doubtful[request.claim.id] = request, outcome
            else:
                yield request.claim, outcome
            tell(done)
        if not doubtful:
            return
        for member in self._members:
            member.worker.stop()
        for request, outcome in self._round([request for request, _ in doubtful.values()]):
            _, first = doubtful[request.claim.id]
            if "unsound" in (outcome.status, first.status):
                is_better = outcome.status != "unsound"
            else:
                is_better = len(outcome.survivors) < len(first.survivors)
            yield request.claim, outcome if is_better else first

    def close(self) -> None:
        """End the processes and remove their files."""
        for member in self._members:
            member.worker.close()
        self._scratch.close()

    def _round(self, requests: Iterable[Request]) -> Iterator[tuple[Request, MutationOutcome]]:
        waiting = deque(requests)
        while True:
            for member in self._members:
                if member.request is None and waiting:
                    member.take(waiting.popleft())
            busy = [(member, member.request) for member in self._members if member.request is not None]
            if not busy:
                return
            wait_for_any([member.worker for member, _ in busy], 0.5)
            for member, request in busy:
                outcome = member.outcome()
                if outcome is not None:
                    yield replace(request, skipped=frozenset()), outcome


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

    def outcome(self) -> Optional[MutationOutcome]:
        """Return the outcome of the request, if there is one; start anew where the process died or hangs."""
        assert self.request is not None
        try:
            answer = self.worker.poll()
            if answer is None:
                return None
            outcome = decode(MutationOutcome, answer)
            if outcome.status == "unsound" and self.worker.served > 1:
                self._send_to_another(self.request)  # what ran before it may have spoiled this process
                return None
            outcome = replace(outcome, crashed=tuple(sorted(self._crashed)), died=tuple(sorted(self.request.skipped)))
        except WorkerDied as death:
            attempt = decode(Attempt, json.loads(death.progress.text)) if death.progress.text else None
            skipped = self.request.skipped
            if attempt is None and self.worker.served:
                self._send_to_another(self.request)  # what ran on other claims before may be to blame
                return None
            if attempt is not None and attempt not in skipped and len(skipped) <= _MOST_DEATHS:
                if attempt.operator != CONTROL and not death.timed_out:
                    self._crashed |= {attempt.operator}
                self._send_to_another(replace(self.request, skipped=skipped | {attempt}))
                return None
            end = "hangs" if death.timed_out else "crashes"
            where = f"{attempt.operator} at {attempt.target}" if attempt else "without a mutant"
            outcome = MutationOutcome("unsound", detail=f"torch {end} on it, {where}")
        self.request = None
        return outcome

    def _send_to_another(self, request: Request) -> None:
        """Let a new process run the claim; while it starts, the others go on."""
        self.request = request
        self.worker.stop()
        self.worker.send(request)

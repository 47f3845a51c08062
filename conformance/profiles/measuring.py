"""Measuring calls in processes that may die; this side never imports torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Optional

from conformance.processes.scratch import ScratchFolder
from conformance.processes.worker import Limits, ServiceFailed, Worker, WorkerDied, wait_for_any
from conformance.profiles.calls import Call, given_texts
from conformance.profiles.model import Domain, MeasuredCall, Profile
from conformance.profiles.store import Profiles, by_key
from conformance.results.codec import decode
from conformance.results.model import Environment

_SERVICE = "conformance.profiles.observe.service:make_service"
#: How long one example may take, in seconds, and how much memory a call may take, in bytes.
_LIMITS = Limits(20.0, 4 * 2**30, each_step=True)
#: After so many examples that ended the process, a call is given up.
_MOST_DEATHS = 8
_WAIT = 0.25
#: Some messages print a set, whose order depends on hashes.
_VARIABLES = {"PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class MeasureCall:
    """A request: measure a call, without the examples that ended the process before.

    Attributes
    ----------
    deadly
        How the process ended, by the number of the example.
    """

    call: Call
    deadly: Mapping[int, str] = field(default_factory=dict)


def measure_calls(
    calls: Iterable[Call], processes: int = 1, told: Callable[[Profile], None] = lambda profile: None
) -> Profiles:
    """Measure calls with the torch of this Python.

    Parameters
    ----------
    processes
        How many calls are measured at the same time.
    told
        Called with each profile when it is there.

    Raises
    ------
    conformance.processes.worker.StartFailed
        If torch can't be imported.
    conformance.processes.worker.ServiceFailed
        If this package has a mistake.
    """
    profiles: dict[str, Profile] = {}
    domains: dict[str, Domain] = {}
    with ScratchFolder() as folder:
        workers = [Worker(_SERVICE, None, folder, _LIMITS, _VARIABLES) for _ in range(processes)]
        try:
            environment = decode(Environment, workers[0].greeting())
            for call, profile, domain in _measured(workers, iter(calls)):
                profiles[call.fingerprint] = profile
                if domain is not None:
                    domains[repr(domain.given)] = domain
                told(profile)
        finally:
            for worker in workers:
                worker.close()
    return Profiles(environment, by_key(domains.values()), profiles)


def _measured(workers: list[Worker], calls: Iterator[Call]) -> Iterator[tuple[Call, Profile, Optional[Domain]]]:
    """Yield what is measured, in the order in which it is finished."""
    asked: dict[Worker, MeasureCall] = {}
    while True:
        for worker in workers:
            if worker not in asked and (call := next(calls, None)) is not None:
                asked[worker] = MeasureCall(call)
                worker.send(asked[worker])
        if not asked:
            return
        wait_for_any(asked, _WAIT)
        for worker, request in list(asked.items()):
            try:
                answer = worker.poll()
            except WorkerDied as died:
                again = _without_deadly(request, died)
                if again is not None:
                    asked[worker] = again
                    worker.send(again)
                    continue
                del asked[worker]
                yield request.call, _failed(request.call, died.reason), None
                continue
            except ServiceFailed as error:
                raise ServiceFailed(f"{request.call.place}: {request.call.text}\n{error}") from None
            if answer is not None:
                del asked[worker]
                measured = decode(MeasuredCall, answer)
                yield request.call, measured.profile, measured.domain


def _without_deadly(request: MeasureCall, died: WorkerDied) -> Optional[MeasureCall]:
    """Return the request without the example on which the process ended; None where that can't be told."""
    try:
        number = int(died.progress.text)
    except ValueError:  # before the first example
        return None
    if number in request.deadly or len(request.deadly) == _MOST_DEATHS:
        return None
    return replace(request, deadly={**request.deadly, number: died.reason})


def _failed(call: Call, reason: str) -> Profile:
    return Profile(call.subject, call.text, given_texts(call), failed=reason)

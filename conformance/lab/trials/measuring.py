"""Trying calls in processes that may die; this side never imports torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Optional

from conformance.base.codec import decode
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.processes.worker import Limits, ServiceFailed, Worker, WorkerDied, wait_for_any
from conformance.lab.trials.calls import Call
from conformance.results.model import Device, Environment
from conformance.results.trials.model import BASE, Fact
from conformance.results.trials.rows import Row
from conformance.run.protocol import Measuring

_SERVICE = "conformance.lab.trials.observe.service:make_service"
#: How much memory a call may take, in bytes, here and on the device.
_MEMORY = 4 * 2**30
#: How long one trial may take, in seconds.
_LIMITS = Limits(20.0, _MEMORY, each_step=True)
#: After so many trials that ended the process, a call is given up.
_MOST_DEATHS = 8
_WAIT = 0.25
#: Some messages print a set, whose order depends on hashes.
_VARIABLES = {"PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class TryCall:
    """A request: try a call, without the trials that ended the process before.

    Attributes
    ----------
    deadly
        How the process ended, by the number of the trial.
    """

    call: Call
    deadly: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TriedCall:
    """The answer: what the call did; nothing where this torch lacks the name."""

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Measured:
    """What calls did on one torch.

    Attributes
    ----------
    inputs
        The names of the inputs that this torch can make.
    calls
        Each call, and what it did.
    """

    environment: Environment
    inputs: tuple[str, ...]
    calls: tuple[tuple[Call, tuple[Row, ...]], ...]


def try_calls(
    calls: Sequence[Call], processes: int = 1, device: Device = "cpu", imports: Sequence[str] = ()
) -> Measured:
    """Try calls with the torch of this Python, several at the same time.

    Parameters
    ----------
    device
        Where inputs are, and what a call makes without naming a device.
    imports
        Packages to import first, for a device that they add to torch.

    Raises
    ------
    conformance.base.processes.worker.StartFailed
        If torch can't be imported, or lacks the device.
    conformance.base.processes.worker.ServiceFailed
        If this package has a mistake.
    KeyboardInterrupt
        If the run is stopped; it says what is lost, since a release is recorded whole or not at all.
    """
    tried: list[tuple[Call, tuple[Row, ...]]] = []
    with ScratchFolder() as folder:
        # Each has a folder of its own, which it empties after each call.
        folders = [folder / str(number) for number in range(processes)]
        options = Measuring((device,), tuple(imports), _MEMORY)
        workers = [Worker(_SERVICE, options, own, _LIMITS, _VARIABLES) for own in folders]
        try:
            greeting = workers[0].greeting()
            tried.extend(_tried(workers, iter(calls)))
        except KeyboardInterrupt:
            lost = f"{len(tried):,} of {len(calls):,} calls were tried; what they did is lost"
            raise KeyboardInterrupt(f"{lost}; name files of calls, or use -k, to try fewer at a time") from None
        finally:
            for worker in workers:
                worker.close()
    order = {id(call): place for place, call in enumerate(calls)}
    tried.sort(key=lambda one: order[id(one[0])])
    return Measured(decode(Environment, greeting["environment"]), tuple(greeting["inputs"]), tuple(tried))


def _tried(workers: Sequence[Worker], calls: Iterator[Call]) -> Iterator[tuple[Call, tuple[Row, ...]]]:
    """Yield what the calls did, in the order in which they end."""
    asked: dict[Worker, TryCall] = {}
    while True:
        for worker in workers:
            if worker not in asked and (call := next(calls, None)) is not None:
                asked[worker] = TryCall(call)
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
                died_facts = Fact("error", "", "crash"), Fact("message", "", died.reason)
                yield request.call, (Row((BASE,), died_facts),)
                continue
            except ServiceFailed as error:
                raise ServiceFailed(f"{request.call.place}: {request.call.text}\n{error}") from None
            if answer is not None:
                del asked[worker]
                yield request.call, decode(TriedCall, answer).rows


def _without_deadly(request: TryCall, died: WorkerDied) -> Optional[TryCall]:
    """Return the request without the trial in which the process ended; None where that can't be determined."""
    try:
        number = int(died.progress.text)
    except ValueError:  # before the first trial
        return None
    if number in request.deadly or len(request.deadly) == _MOST_DEATHS:
        return None
    return replace(request, deadly={**request.deadly, number: died.reason})

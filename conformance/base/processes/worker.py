"""A worker: it works on one request after another in a process that may die, and gets a new one where it does."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path
from typing import Any, Optional

from conformance.base.processes.child_handle import ChildProcess
from conformance.base.processes.launching import ForkServer
from conformance.base.processes.progress import Progress

_MEBIBYTE = 2**20
_LONGEST_ANSWER = 64 * _MEBIBYTE
# How often the limits are looked at, and how soon the end of a process is noticed that has closed its pipe, in seconds.
_INTERVAL = 0.25
_SHORT_INTERVAL = 0.01
_SELDOM = 10
NO_VARIABLES: Mapping[str, str] = {}

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """What a process may take.

    Attributes
    ----------
    seconds
        How long a request may take; or, with ``each_step``, how long it may go without progress.
    memory
        How much memory it may take above what it has when it is ready, in bytes, with all processes that it starts.
        Where a request leaves a quarter of that behind, the next one gets a new process.
    output
        How much one request may print, in bytes.
    starting
        How long a process may take until it is ready, in seconds.
    """

    seconds: float
    memory: Optional[int] = None
    output: int = 64 * _MEBIBYTE
    starting: float = 300.0
    each_step: bool = False


class StartFailed(Exception):
    """A process did not become ready; the message says how it ended and what it printed."""


class ServiceFailed(Exception):
    """The service has a mistake; the message has the traceback of its process."""


class WorkerDied(Exception):
    """The process ended, or had to be ended, at a request; another one works on the next.

    Attributes
    ----------
    reason
        How it ended, in words.
    timed_out
        Whether it took too long.
    progress
        How far it had come with the request.
    printed
        The last lines that it printed.
    """

    def __init__(self, reason: str, *, timed_out: bool, progress: Progress, printed: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out
        self.progress = progress
        self.printed = printed


class Worker:
    """Works on requests, one at a time.

    Where a process was dead before it took a request up, another one gets the request: an earlier one is to blame.

    Parameters
    ----------
    service
        What makes the service in the process, as ``module:function``; see `conformance.base.processes.service`.
    options
        Handed to that function; they are pickled.
    folder
        For temporary files of the processes, and where they stand.
    limits
        What a process may take.
    variables
        What is set in the environment of the processes besides.

    Attributes
    ----------
    served
        How many requests the present process has answered.
    """

    def __init__(
        self, service: str, options: Any, folder: Path, limits: Limits, variables: Mapping[str, str] = NO_VARIABLES
    ) -> None:
        self._server = ForkServer(service, variables)
        self._options = options
        self._folder = folder
        self._limits = limits
        self._process: Optional[ChildProcess] = None
        self._greeting: Any = None
        self._is_ready = False
        self._number = 0
        self._request: Optional[Any] = None
        self._sent_again = False
        self._since = self._next_look = 0.0
        self._step = 0
        self.served = 0

    def start(self) -> None:
        """Start a process, where none runs, without waiting until it is ready."""
        if self._process is None:
            self._process = ChildProcess(self._server, self._options, self._folder)
            self._is_ready, self.served = False, 0
            self._watch_from_now()

    def greeting(self) -> Any:
        """Wait until the process is ready and return what it says of itself; `StartFailed` where it does not start."""
        self.start()
        while not self._is_ready:
            wait_for_any([self], _INTERVAL)
            self.poll()
        return self._greeting

    def ask(self, request: Any) -> Any:
        """Send a request and wait for the answer; raises what `poll` raises."""
        self.send(request)
        while (answer := self.poll()) is None:
            wait_for_any([self], _INTERVAL)
        return answer

    def send(self, request: Any) -> None:
        """Let the process work on a request; where none runs, one is started."""
        self.start()
        self._request, self._sent_again = request, False
        self._number += 1
        if self._is_ready:
            self._hand_over()

    def poll(self) -> Optional[Any]:
        """Return the answer, which is never None, if there is one.

        Raises
        ------
        WorkerDied
            Where the process has ended, or exceeded a limit.
        StartFailed
            Where the process, or the one that replaced it, did not become ready.
        ServiceFailed
            Where the service has a mistake.
        """
        try:
            return self._look()
        except WorkerDied as death:
            died = death
        if not self._is_ready:
            raise StartFailed(f"{died.reason}\n{died.printed}")
        if died.progress.request == self._number or died.timed_out or self._sent_again:
            raise died
        _logger.debug("the process was dead before the request: %s", died.reason)
        self.start()
        self._sent_again = True
        return None

    @property
    def is_running(self) -> bool:
        """Whether there is a process; one that has died is there until a request meets its end."""
        return self._process is not None

    @property
    def descriptors(self) -> Iterator[int]:
        """Yield what becomes readable when it is worth to `poll`."""
        return iter(()) if self._process is None else self._process.descriptors

    @property
    def longest_wait(self) -> float:
        """How long one may wait until the next `poll`, in seconds."""
        closed = self._process is not None and self._process.answers_closed
        return _SHORT_INTERVAL if closed else _INTERVAL

    def stop(self) -> None:
        """End the process; the next request starts another one."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def close(self) -> None:
        """End the process, and the one that starts others."""
        self.stop()
        self._server.close()

    def _look(self) -> Optional[Any]:
        process = self._process
        assert process is not None
        ended = process.ended  # before reading: what a process wrote last is there when its end is seen
        process.read(max(self._limits.output, _LONGEST_ANSWER))
        if b"\n" in process.answer:
            return self._received(bytes(process.answer))
        if ended:
            raise self._death(process.how_it_ended())
        if self._is_ready:
            self._check_limits(process)
        elif time.monotonic() > self._since + self._limits.starting:
            raise self._death(f"not ready after {self._limits.starting:g} s")
        return None

    def _received(self, text: bytes) -> Optional[Any]:
        line, _, rest = text.partition(b"\n")
        try:
            document: Any = json.loads(line)
            if rest or document["number"] != (self._number if self._is_ready else 0):
                raise ValueError("not the answer to this request")
            answer, failure, ended = (document.get(name) for name in ("answer", "failure", "ended"))
            must_restart = str(document.get("restart") or "")
            if answer is None and failure is None and ended is None:
                raise ValueError("no answer")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._death("something else than an answer came through the pipe of the answers") from None
        if not self._is_ready:
            self._become_ready(answer, int(document["process"]))
            return None
        if ended is not None:
            raise self._death(str(ended))
        self._request = None
        self.served += 1
        if failure is not None:
            self.stop()
            raise ServiceFailed(str(failure))
        if must_restart := must_restart or self._growth():
            _logger.debug("it %s: the next request gets a new process", must_restart)
            self.stop()
        return answer

    def _become_ready(self, greeting: Any, process: int) -> None:
        assert self._process is not None
        self._process.ready(process)
        _logger.debug("a process was ready after %.3f s", time.monotonic() - self._since)
        self._greeting, self._is_ready = greeting, True
        if self._request is not None:
            self._hand_over()

    def _hand_over(self) -> None:
        assert self._process is not None
        self._process.send((self._number, self._request))
        self._watch_from_now()

    def _watch_from_now(self) -> None:
        self._since = time.monotonic()
        self._next_look = self._since + _INTERVAL
        self._step = 0

    def _check_limits(self, process: ChildProcess) -> None:
        if process.printed_bytes > self._limits.output:
            raise self._death(f"printed more than {self._limits.output // _MEBIBYTE} MiB")
        if len(process.answer) > _LONGEST_ANSWER:
            raise self._death("something else than an answer came through the pipe of the answers")
        now = time.monotonic()
        if now < self._next_look:
            return
        limit = self._limits.memory
        too_much = limit is not None and process.memory.exceeds(limit)
        # Looking takes long where the work has started many processes.
        self._next_look = now + _INTERVAL + _SELDOM * (time.monotonic() - now)
        if limit is not None and too_much:
            raise self._death(f"took more than {_size(limit)} of memory")
        if self._limits.each_step and (step := process.progress.read().step) != self._step:
            self._step, self._since = step, now
        if now > self._since + self._limits.seconds:
            raise self._death(f"no verdict after {self._limits.seconds:g} s", timed_out=True)

    def _growth(self) -> str:
        taken = self._process.memory.taken() if self._process else 0
        much = self._limits.memory is not None and taken > self._limits.memory // 4
        return f"left {taken // _MEBIBYTE} MiB of memory taken" if much else ""

    def _death(self, reason: str, timed_out: bool = False) -> WorkerDied:
        """Collect the evidence and end the process."""
        process = self._process
        assert process is not None
        process.read(self._limits.output)
        progress = process.progress.read()
        self.stop()
        return WorkerDied(reason, timed_out=timed_out, progress=progress, printed=process.last_lines())


def wait_for_any(workers: Iterable[Worker], seconds: float) -> None:
    """Wait until one of the workers is worth polling, at most for some seconds."""
    workers = list(workers)
    most = min([seconds, *(worker.longest_wait for worker in workers)])
    descriptors = [descriptor for worker in workers for descriptor in worker.descriptors]
    if descriptors:
        connection.wait(descriptors, most)
    else:
        time.sleep(most)


def _size(count: int) -> str:
    return f"{count >> 30} GiB" if count >= 2**30 and count % 2**30 == 0 else f"{count >> 20} MiB"

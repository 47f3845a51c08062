"""The parent's side of the worker: it asks, waits within limits, and starts a new worker where one died.

This module never imports torch, so nothing that torch does can end the run.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Optional

from conformance.language.model import Claim
from conformance.runner.allocator import with_filled_memory
from conformance.runner.worker import CUT_OFF, NOTE_HEAD, NOTE_SIZE

#: How long one claim may take, in seconds.
TIME_LIMIT = 60.0
#: How much memory a worker may take above what it has after importing torch, in bytes.
MEMORY_LIMIT = 6 * 2**30
#: How much one claim may print, in bytes.
OUTPUT_LIMIT = 64 * 2**20
_START_LIMIT = 300.0
_LONGEST_ANSWER = 64 * 2**20
_KEPT_OUTPUT = 2000
_PORTION = 1 << 16
# How often the limits are looked at, and how soon the end of a worker is noticed that has closed its pipe, in seconds.
_INTERVAL = 0.25
_SHORT_INTERVAL = 0.01

_logger = logging.getLogger(__name__)


class WorkerFailed(Exception):
    """The worker could not start: torch is missing or does not import."""


class HarnessError(Exception):
    """The harness itself failed on a claim; the message has the traceback of the worker."""


class Ended(Exception):
    """The worker ended, or has to be ended, while it judged a claim.

    Attributes
    ----------
    verdict
        ``crashed`` or ``timed-out``.
    reason
        How it ended, in words.
    """

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason


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
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._folder = Path(tempfile.mkdtemp(prefix="conformance-"))
        self._worker: Optional[_Worker] = None
        self._environments: dict[str, dict[str, str]] = {}
        self._number = 0
        self._judged_last: Optional[str] = None
        #: Why nothing measured here may be believed, or None; known once the environments are.
        self.void: Optional[str] = None
        #: How the worker ended on the claim judged last, where that was another claim's doing: alone it gets a verdict.
        self.spoiled: Optional[str] = None

    def prepare(self) -> None:
        """Start the worker without waiting until it has imported torch."""
        if self._worker is None:
            self._worker = _Worker(self._folder, self._memory_limit)

    @property
    def environments(self) -> dict[str, dict[str, str]]:
        """What the worker measures: one environment for each device found, by device name.

        Raises
        ------
        WorkerFailed
            If torch can't be imported.
        """
        if not self._environments:
            self._ready_worker()
        return self._environments

    def judge(self, claim: Claim, device: str) -> dict[str, Any]:
        """Judge a claim on a device and return its entry of the result file, also where torch dies on it."""
        start = time.monotonic()
        self.spoiled = None
        confirmed = False
        for divergence in claim.diverges:
            if divergence.instead.crashes and self._crash_applies(claim, divergence, device):
                confirmed = True
        request = {
            "what": "judge",
            "claim": claim,
            "device": device,
            "examples": self._examples,
            "seed": self._seed,
            "crashes_confirmed": confirmed,
        }
        outcome = self._outcome(claim, request)
        self._judged_last = claim.id if self._worker is not None else None
        _logger.debug("%s on %s: %s in %.3f s", claim.id, device, outcome["verdict"], time.monotonic() - start)
        return outcome

    def close(self) -> None:
        """End the worker and remove its files."""
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _outcome(self, claim: Claim, request: dict[str, Any]) -> dict[str, Any]:
        before = self._judged_last if self._worker is not None else None
        try:
            return self._ask(request)
        except Ended as end:
            told = self._told(claim, end)
        if before is None or told["verdict"] != "crashed":
            return told
        # What an earlier claim left behind may have ended the worker, so the claim is judged once more, alone.
        try:
            outcome = self._ask(request)
        except Ended as end:
            return self._told(claim, end)
        self.spoiled = f"{told['detail'].splitlines()[0]} after {before}"
        return outcome

    def _told(self, claim: Claim, end: Ended) -> dict[str, Any]:
        """Return the entry of a claim on which the worker ended, with the evidence, and end the worker."""
        assert self._worker is not None
        detail, printed = "\n".join([end.reason, *self._worker.running()]), self._worker.printed()
        self._stop()
        outcome = {"claim": claim.fingerprint(), "verdict": end.verdict, "detail": detail}
        return {**outcome, "printed": printed} if printed else outcome

    def _crash_applies(self, claim: Claim, divergence: Any, device: str) -> bool:
        from conformance.runner.environment import admits

        if not admits(divergence.when, self.environments[device]):
            return False
        recipes = {name: fragment.text.strip() for name, fragment in divergence.example}
        try:
            self._ask({"what": "pinned", "claim": claim, "device": device, "recipes": recipes})
        except Ended as end:
            self._stop()
            return end.verdict == "crashed"
        return False

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        try:
            answer = self._ready_worker().ask({**request, "number": self._number}, self._time_limit)
        except Ended as end:
            assert self._worker is not None
            if self._worker.took_up(self._number) or end.verdict != "crashed":
                raise
            # It died of what an earlier claim did, so this claim is for another worker.
            _logger.debug("the worker was dead before the claim: %s", end.reason)
            self._stop()
            answer = self._ready_worker().ask({**request, "number": self._number}, self._time_limit)
        outcome: dict[str, Any] = answer["outcome"]
        if "harness" in outcome:
            self._stop()
            raise HarnessError(
                f"{request['claim'].id} on {request['device']}: a mistake of this package, please report it\n"
                f"{outcome['harness']}"
            )
        if "ended" in outcome:
            raise Ended("crashed", outcome["ended"])
        assert self._worker is not None
        spent = answer["spent"] or self._worker.grown()
        if spent:
            _logger.debug("%s %s: the next claim gets a new worker", request["claim"].id, spent)
            self._stop()
        return outcome

    def _ready_worker(self) -> _Worker:
        self.prepare()
        assert self._worker is not None
        if not self._worker.greeted:
            start = time.monotonic()
            try:
                greeting = self._worker.greeting()
            except Ended as end:
                printed = self._worker.printed()
                self._stop()
                raise WorkerFailed(f"the process that imports torch did not start: {end.reason}\n{printed}") from None
            self._environments, self.void = greeting["environments"], greeting["void"]
            _logger.debug("waited %.3f s for a worker that has imported torch", time.monotonic() - start)
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


class _Worker:
    """One worker process and the pipes to it."""

    def __init__(self, folder: Path, memory_limit: int) -> None:
        self._memory_limit = memory_limit
        self._base_memory = 0
        self._answer = bytearray()
        self._output = bytearray()
        self._output_size = 0
        self.greeted = False
        # Nothing of this can be removed by a claim that empties the folder for temporary files.
        self._note = tempfile.TemporaryFile()  # noqa: SIM115
        self._note.write(bytes(NOTE_SIZE))
        self._note.flush()
        answers, answering = os.pipe()
        output, printing = os.pipe()
        note = self._note.fileno()
        arguments = [str(answering), str(note), str(os.getpid()), str(folder)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "conformance.runner.worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=printing,
            stderr=subprocess.STDOUT,
            pass_fds=(answering, note),
            env=with_filled_memory({**os.environ, "PYTHONUNBUFFERED": "1"}),
            start_new_session=True,  # Ctrl-C is for the parent, which then ends the worker
        )
        os.close(answering)
        os.close(printing)
        self._answers, self._printed = answers, output
        self._selector = selectors.DefaultSelector()
        for descriptor in (answers, output):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)

    def greeting(self) -> dict[str, Any]:
        """Wait until torch is imported; returns what is measured here."""
        greeting = self._wait(0, _START_LIMIT)
        self._base_memory = self._memory()
        self.greeted = True
        return greeting

    def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._answer.clear()
        self._output.clear()
        self._output_size = 0
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(pickle.dumps(request))
            self._process.stdin.flush()
        except OSError:
            raise Ended("crashed", self._how_it_ended()) from None
        return self._wait(request["number"], limit)

    def took_up(self, number: int) -> bool:
        """Say whether the worker has begun with a request."""
        return int.from_bytes(self._read_note()[:4], "little") == number

    def running(self) -> list[str]:
        """Return the inputs that the worker runs on, as far as it told."""
        note = self._read_note()
        length = int.from_bytes(note[4:NOTE_HEAD], "little")
        recipes = note[NOTE_HEAD : NOTE_HEAD + length].decode("utf-8", "replace")
        return [f"while running on:\n{recipes}"] if recipes else []

    def printed(self) -> str:
        """Return the last lines that the worker printed."""
        while self._read_output(_PORTION):
            if self._output_size > OUTPUT_LIMIT:
                break
        tail = bytes(self._output[-_KEPT_OUTPUT:])
        return "\n".join(tail.decode("utf-8", "replace").strip().splitlines()[-12:])

    def grown(self) -> str:
        """Say, in words, that a claim has left the worker with much more memory than it had; empty where not."""
        grown = self._memory() - self._base_memory
        return f"left {grown >> 20} MiB of memory taken" if grown > self._memory_limit // 4 else ""

    def stop(self) -> None:
        """End the worker, and every process that a claim left in its group."""
        with suppress(ProcessLookupError, PermissionError):  # all of them have ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # it ended with a request unread
            self._process.stdin.close()
        self._selector.close()
        os.close(self._answers)
        os.close(self._printed)
        self._note.close()

    def _wait(self, number: int, limit: float) -> dict[str, Any]:
        """Wait for the answer to a request, the worker's end, or one of the limits."""
        start = time.monotonic()
        look = start + _INTERVAL
        open_pipe, interval = True, _INTERVAL
        while True:
            for key, _ in self._selector.select(timeout=interval):
                if key.fd == self._printed:
                    self._read_output(_PORTION)
                elif not self._read_answer():
                    # Its end, or a claim closed the pipe and goes on.
                    self._selector.unregister(self._answers)
                    open_pipe, interval = False, _SHORT_INTERVAL
            if b"\n" in self._answer:
                return self._parsed(number)
            if not open_pipe and self._process.poll() is not None:
                raise Ended("crashed", self._how_it_ended())
            now = time.monotonic()
            if now >= look:
                look = now + _INTERVAL
                # A process that the worker left behind may hold its pipe open.
                if self._process.poll() is not None and not self._read_answer():
                    raise Ended("crashed", self._how_it_ended())
                self._check_memory()
                if now > start + limit:
                    raise Ended("timed-out", f"no verdict after {limit:g} s")
            if self._output_size > OUTPUT_LIMIT:
                raise Ended("crashed", f"printed more than {OUTPUT_LIMIT >> 20} MiB")
            if len(self._answer) > _LONGEST_ANSWER:
                raise Ended("crashed", "something else than an answer came through the pipe of the answers")

    def _parsed(self, number: int) -> dict[str, Any]:
        line, _, rest = bytes(self._answer).partition(b"\n")
        try:
            answer: Any = json.loads(line)
            if rest or answer["number"] != number:
                raise ValueError("not the answer to this request")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Ended("crashed", "something else than an answer came through the pipe of the answers") from None
        self._answer.clear()
        return dict(answer)

    def _read_answer(self) -> bool:
        """Read what there is; False at the end of the pipe, or where nothing more is there."""
        try:
            portion = os.read(self._answers, _PORTION)
        except BlockingIOError:
            return False
        self._answer += portion
        return bool(portion)

    def _read_output(self, size: int) -> bool:
        """Read a portion of what was printed, and keep the end of it; False where nothing more is there."""
        try:
            portion = os.read(self._printed, size)
        except BlockingIOError:
            return False
        if not portion:
            if self._printed in self._selector.get_map():
                self._selector.unregister(self._printed)
            return False
        self._output_size += len(portion)
        self._output += portion
        del self._output[:-_PORTION]
        return True

    def _check_memory(self) -> None:
        if self._base_memory and self._memory() > self._base_memory + self._memory_limit:
            raise Ended("crashed", f"took more than {_size(self._memory_limit)} of memory")

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "closed its pipes"
        if status == CUT_OFF:
            return "closed the pipe of its answers"
        if status == -signal.SIGKILL:
            return "killed by SIGKILL, as the system does where memory runs out"
        if status < 0:
            return f"killed by {signal.Signals(-status).name}"
        return f"the process exited with status {status}"

    def _memory(self) -> int:
        """Return the worker's resident memory in bytes, 0 where the system does not tell."""
        try:
            with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0

    def _read_note(self) -> bytes:
        return os.pread(self._note.fileno(), NOTE_SIZE, 0)


def _size(count: int) -> str:
    return f"{count >> 30} GiB" if count >= 2**30 and count % 2**30 == 0 else f"{count >> 20} MiB"

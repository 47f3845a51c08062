"""The parent's side of the worker: it asks, waits within limits, and starts a new worker where one died.

This module never imports torch, so nothing that torch does can end the run.
"""

from __future__ import annotations

import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Optional

from conformance.language.model import Claim
from conformance.runner.worker import NOTE_SIZE

#: How long one claim may take, in seconds.
TIME_LIMIT = 60.0
#: How much memory a worker may take above what it has after importing torch, in bytes.
MEMORY_LIMIT = 6 * 2**30
_START_LIMIT = 300.0
_LOG_TAIL = 2000
_MOST_LOG = 2**20


class WorkerFailed(Exception):
    """The worker could not start: torch is missing or does not import."""


class HarnessError(Exception):
    """The harness itself failed on a claim; the message has the traceback of the worker."""


class Ended(Exception):
    """The worker ended, or was ended, while it judged a claim.

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
    """

    def __init__(self, *, examples: int, seed: int, time_limit: float = TIME_LIMIT) -> None:
        self._examples = examples
        self._seed = seed
        self._time_limit = time_limit
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-")
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._answers: Optional[int] = None
        self._buffer = b""
        self._base_memory = 0
        self._environments: dict[str, dict[str, str]] = {}
        #: Why nothing measured here may be believed, or None; known once the environments are.
        self.void: Optional[str] = None

    @property
    def environments(self) -> dict[str, dict[str, str]]:
        """What the worker measures: one environment for each device found, by device name.

        Raises
        ------
        WorkerFailed
            If torch can't be imported.
        """
        if not self._environments:
            self._start()
        return self._environments

    def judge(self, claim: Claim, device: str) -> dict[str, Any]:
        """Judge a claim on a device and return its entry of the result file, also where torch dies on it."""
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
        try:
            answer = self._ask(request, self._time_limit)
            if "harness" in answer:
                raise HarnessError(
                    f"{claim.id} on {device}: a mistake of this package, please report it\n{answer['harness']}"
                )
            return answer
        except Ended as end:
            outcome = {"claim": claim.fingerprint(), "verdict": end.verdict, "detail": self._evidence(end)}
            printed = self._log_tail()
            self._stop()
            return {**outcome, "printed": printed} if printed else outcome

    def close(self) -> None:
        """End the worker and remove its files."""
        self._stop()
        self._folder.cleanup()

    def _crash_applies(self, claim: Claim, divergence: Any, device: str) -> bool:
        from conformance.runner.environment import admits

        if not admits(divergence.when, self.environments[device]):
            return False
        recipes = {name: fragment.text.strip() for name, fragment in divergence.example}
        try:
            self._ask({"what": "pinned", "claim": claim, "device": device, "recipes": recipes}, self._time_limit)
        except Ended as end:
            self._stop()
            return end.verdict == "crashed"
        return False

    def _ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        try:
            pickle.dump(request, self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Ended("crashed", self._how_it_ended()) from None
        answer: dict[str, Any] = json.loads(self._read_line(limit))
        return answer

    def _start(self) -> None:
        self._buffer = b""
        note = Path(self._folder.name, "example")
        note.write_bytes(b"\0" * NOTE_SIZE)
        reading, writing = os.pipe()
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "conformance.runner.worker", str(writing), str(note)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(writing,),
                env=environment,
                start_new_session=True,  # Ctrl-C is for the parent, which then ends the worker
            )
        os.close(writing)
        self._answers = reading
        try:
            greeting = json.loads(self._read_line(_START_LIMIT))
        except Ended as end:
            tail = self._log_tail()
            self._stop()
            raise WorkerFailed(f"the process that imports torch did not start: {end.reason}\n{tail}") from None
        self._environments, self.void = greeting["environments"], greeting["void"]
        self._base_memory = self._memory()

    def _read_line(self, limit: float) -> bytes:
        """Wait for one line of the worker, its end, the time limit or the memory limit."""
        assert self._answers is not None
        deadline = time.monotonic() + limit
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(timeout=0.25):
                    self._check_limits(deadline, limit)
                    continue
                chunk = os.read(self._answers, 1 << 16)
                if not chunk:
                    raise Ended("crashed", self._how_it_ended())
                self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _check_limits(self, deadline: float, limit: float) -> None:
        if time.monotonic() > deadline:
            raise Ended("timed-out", f"no verdict after {limit:g} s")
        if self._base_memory and self._memory() > self._base_memory + MEMORY_LIMIT:
            raise Ended("crashed", f"took more than {MEMORY_LIMIT >> 30} GiB of memory")
        if self._log.stat().st_size > 64 * _MOST_LOG:
            raise Ended("crashed", "printed more than 64 MiB")

    def _how_it_ended(self) -> str:
        assert self._process is not None
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "closed its pipe"
        if status < 0:
            return f"killed by {signal.Signals(-status).name}"
        return f"the process exited with status {status}"

    def _evidence(self, end: Ended) -> str:
        """Tell how the worker ended, and on which inputs."""
        parts = [end.reason]
        note = Path(self._folder.name, "example").read_bytes()
        length = int.from_bytes(note[:4], "little")
        if length:
            parts.append("while running on:\n" + note[4 : 4 + length].decode("utf-8", "replace"))
        return "\n".join(parts)

    @property
    def _log(self) -> Path:
        return Path(self._folder.name, "log")

    def _log_tail(self) -> str:
        with open(self._log, "rb") as log:
            log.seek(max(0, self._log.stat().st_size - _LOG_TAIL))
            return "\n".join(log.read().decode("utf-8", "replace").strip().splitlines()[-12:])

    def _memory(self) -> int:
        """Return the worker's resident memory in bytes, 0 where the system does not tell."""
        assert self._process is not None
        try:
            with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdin is not None:
                try:
                    self._process.stdin.close()
                except BrokenPipeError:
                    pass
            self._process = None
        if self._answers is not None:
            os.close(self._answers)
            self._answers = None

"""The parent's side of one process: its pipes, its memory, its end."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Optional

from conformance.base.processes.child_main import CUT_OFF
from conformance.base.processes.launching import ForkServer
from conformance.base.processes.memory import Memory
from conformance.base.processes.progress import ProgressFile

_PORTION = 1 << 16
_KEPT_OUTPUT = 2000
_KEPT_LINES = 12
# How long the keeper may take to end everything, in seconds.
_LONGEST_END = 20.0


class ChildProcess:
    """One running process.

    Parameters
    ----------
    server
        Starts it.
    options
        Handed to the function that makes its service; they are pickled.
    folder
        For its temporary files, and where it stands.

    Attributes
    ----------
    answer
        What came through the pipe of the answers since `send`.
    printed_bytes
        How much it printed since `send`.
    """

    def __init__(self, server: ForkServer, options: Any, folder: Path) -> None:
        self.answer = bytearray()
        self.printed_bytes = 0
        self._worker = Memory(0)
        self._printed = bytearray()
        self.progress = ProgressFile()
        reading, requests = os.pipe()
        answers, answering = os.pipe()
        output, printing = os.pipe()
        self._process = server.launch(folder, (reading, printing, answering, self.progress.fileno()))
        for descriptor in (reading, printing, answering):
            os.close(descriptor)
        self._requests = os.fdopen(requests, "wb")
        self._answers, self._output = answers, output
        self._open = {answers, output}
        for descriptor in self._open:
            os.set_blocking(descriptor, False)
        self._write(options)

    @property
    def descriptors(self) -> Iterator[int]:
        """Yield what becomes readable when there is something to `read`, or the process has ended."""
        yield from self._open

    @property
    def answers_closed(self) -> bool:
        """Whether no answer can come any more: the process has ended, or a program closed its pipe and goes on."""
        return self._answers not in self._open

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def send(self, message: Any) -> None:
        """Send a message; whether the process has died before is told by `ended`."""
        self.answer.clear()
        self._printed.clear()
        self.printed_bytes = 0
        self._write(message)

    def read(self, most: int) -> None:
        """Read what there is, without waiting, until it has printed more than ``most`` bytes."""
        while (portion := self._portion(self._answers)) and len(self.answer) <= most:
            self.answer += portion
        while self.printed_bytes <= most and (portion := self._portion(self._output)):
            self.printed_bytes += len(portion)
            self._printed += portion
            del self._printed[:-_PORTION]

    def last_lines(self) -> str:
        """Return the last lines that the process printed."""
        tail = bytes(self._printed[-_KEPT_OUTPUT:])
        return "\n".join(tail.decode("utf-8", "replace").strip().splitlines()[-_KEPT_LINES:])

    def how_it_ended(self) -> str:
        """Return in words how the process ended."""
        status = self._process.wait()
        if status == CUT_OFF:
            return "closed the pipe of its answers"
        if status == -signal.SIGKILL:
            return "killed by SIGKILL, as the system does where memory runs out"
        if status < 0:
            return f"killed by {_signal_name(-status)}"
        return f"the process exited with status {status}"

    @property
    def memory(self) -> Memory:
        """What the process that does the work takes from now on; the one started here keeps it."""
        return self._worker

    def ready(self, worker: int) -> None:
        """Take note of the process that does the work: what it has taken by now is no request's."""
        self.answer.clear()
        self._worker = Memory(worker)

    def stop(self) -> None:
        """End the process, and every other one that it has started."""
        self._process.terminate()
        try:
            self._process.wait(_LONGEST_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with suppress(OSError):  # it ended with a request unread
            self._requests.close()
        os.close(self._answers)
        os.close(self._output)
        self._open.clear()
        self.progress.close()

    def _write(self, message: Any) -> None:
        with suppress(OSError):  # the process has died
            self._requests.write(pickle.dumps(message))
            self._requests.flush()

    def _portion(self, descriptor: int) -> Optional[bytes]:
        if descriptor not in self._open:
            return None
        try:
            portion = os.read(descriptor, _PORTION)
        except BlockingIOError:
            return None
        if not portion:
            self._open.discard(descriptor)
        return portion


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"

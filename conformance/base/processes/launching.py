"""The parent's side of the fork server: it starts processes that have imported a service already."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Optional

import conformance
from conformance.base.processes.environment import of_a_worker, unoptimised

# As `python -m` starts it, where the user's own modules are found too; but a folder of theirs that is called as this
# package is does not take its place.
_START = """
import importlib.util, os, sys
if sys.path[0] == "":
    sys.path[0] = os.getcwd()
folder = sys.argv.pop(1)
found = importlib.util.spec_from_file_location("conformance", folder + "/__init__.py")
sys.modules["conformance"] = package = importlib.util.module_from_spec(found)
found.loader.exec_module(package)
from conformance.base.processes.forkserver import main
sys.exit(main(sys.argv[1:]))
"""


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    control: socket.socket


class ForkServer:
    """Starts processes one after another, each a copy of one that has imported what makes the service.

    Parameters
    ----------
    service
        What makes the service, as ``module:function``.
    variables
        What is set in the environment of the processes besides.
    """

    def __init__(self, service: str, variables: Mapping[str, str]) -> None:
        self._service = service
        self._variables = variables
        self._running: Optional[_Running] = None

    def launch(self, folder: Path, descriptors: Sequence[int]) -> Launched:
        """Start a process; the one before must have ended.

        Parameters
        ----------
        folder
            For its temporary files, and where it stands.
        descriptors
            Of its standard input, its output, the pipe for its answers and its progress file.
        """
        if self._running is None or self._running.process.poll() is not None:
            self.close()
            self._running = self._started(descriptors[1])
        with suppress(OSError):  # it has ended, which `Launched` sees
            socket.send_fds(self._running.control, [json.dumps(str(folder)).encode()], descriptors)
        return Launched(self._running)

    def close(self) -> None:
        """End the server, with the process that it has started."""
        if self._running is not None:
            self._running.control.close()
            self._running.process.kill()
            self._running.process.wait()
            self._running = None

    def _started(self, output: int) -> _Running:
        """Start the server; what it prints while it imports goes to the output of its first process."""
        control, other = socket.socketpair()
        with other:
            arguments = [str(other.fileno()), str(os.getpid()), self._service]
            process = subprocess.Popen(
                [sys.executable, "-c", _START, str(Path(conformance.__file__).parent), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(other.fileno(),),
                env=of_a_worker({**unoptimised(), "PYTHONUNBUFFERED": "1", **self._variables}),
                start_new_session=True,  # Ctrl-C is for this process
            )
        return _Running(process, control)


class Launched:
    """A process that the server has started, or is about to: its id comes first, and its exit status at its end."""

    def __init__(self, server: _Running) -> None:
        self._server = server.process
        self._control = server.control
        self._told = b""
        self._server_status: Optional[int] = None

    def poll(self) -> Optional[int]:
        """Return the exit status, negative for a signal, or None while it runs."""
        return self._look(0)

    def wait(self, seconds: Optional[float] = None) -> int:
        """Wait for the end and return the exit status; `subprocess.TimeoutExpired` where it does not come."""
        while (status := self._look(seconds)) is None:
            if seconds is not None and not self._readable(0):
                raise subprocess.TimeoutExpired(self._server.args, seconds)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal to the process; the server ends instead while it has not told which one that is."""
        if self.poll() is not None:
            return
        if b"\n" in self._told:
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(int(self._told.partition(b"\n")[0]), number)
        else:
            self._server.kill()

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the process."""
        self.send_signal(signal.SIGKILL)

    def _look(self, seconds: Optional[float]) -> Optional[int]:
        while self._server_status is None and self._told.count(b"\n") < 2 and self._readable(seconds):
            with suppress(ConnectionError):
                if told := self._control.recv(100):
                    self._told += told
                    continue
            self._server_status = self._server.wait()
        lines = self._told.split(b"\n")
        return int(lines[1]) if len(lines) > 2 else self._server_status

    def _readable(self, seconds: Optional[float]) -> bool:
        return bool(select.select([self._control], [], [], seconds)[0])

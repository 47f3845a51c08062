"""What runs in the process: a service that answers requests, and the channel to its parent."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable

from conformance.base.processes.progress import ProgressWriter


class Channel:
    """What connects the work to the parent beside requests and answers.

    Attributes
    ----------
    descriptors
        The file descriptors through which this process talks to its parent.
    must_restart
        Why this process must not serve another request, in words; empty while it may.
    """

    def __init__(self, descriptors: tuple[int, ...], progress: ProgressWriter) -> None:
        self.descriptors = descriptors
        self.must_restart = ""
        self._progress = progress
        self._process = os.getpid()

    def progress(self, text: str) -> None:
        """Say what is done next; the parent can read it after the death of this process."""
        self.leave_if_copied()
        self._progress.write(text)

    def leave_if_copied(self) -> None:
        """End a copy of this process that the work has forked and forgotten."""
        if os.getpid() != self._process:
            os._exit(0)


class WorkEnded(BaseException):
    """The work wanted to end this process; the message says how. Raised by a service, it is told as a death."""


@dataclass(frozen=True)
class Service:
    """What a process does.

    Attributes
    ----------
    greeting
        Told to the parent once, as JSON.
    answer
        Returns the answer to a request, as JSON. An exception that it raises is a mistake of ours, not of the work.
    """

    greeting: Any
    answer: Callable[[Any], Any]


#: Makes the service in the new process; called with the channel and the options of the worker.
MakeService = Callable[[Channel, Any], Service]

"""A limit on how long a program may run or wait."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Optional

_PROGRAM = ("<do>", "<spec>")


class DeadlinePassed(Exception):
    """Raised inside a program that takes too long."""


class Deadline:
    """A context manager: a program that runs longer gets an error raised in it.

    It works in the main thread, where the system has interval timers; elsewhere there is no limit. Code of this package
    is not interrupted, so that what an impostor replaced is put back.

    Parameters
    ----------
    seconds
        How long the program may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._works = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self._before: Any = None
        #: Whether the program took too long.
        self.passed = False

    def __enter__(self) -> Deadline:
        if self._works:
            self._before = signal.signal(signal.SIGALRM, self._interrupt)
            signal.setitimer(signal.ITIMER_REAL, self._seconds)
        return self

    def __exit__(self, *error: object) -> None:
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def _interrupt(self, number: int, frame: Optional[FrameType]) -> None:
        self.passed = True
        if _may_stop(frame):
            raise DeadlinePassed(f"no end after {self._seconds:g} s")
        # Between two parts of the program, or while a module is imported: look again soon.
        signal.setitimer(signal.ITIMER_REAL, self._seconds / 20)


def _may_stop(frame: Optional[FrameType]) -> bool:
    """Tell whether a frame is part of a program; an import that is cut short would leave half a module behind."""
    inside = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return False
        inside = inside or file in _PROGRAM
        frame = frame.f_back
    return inside

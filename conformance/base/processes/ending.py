"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it started ends, what it measured is written."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Optional

_HEEDED = (signal.SIGTERM, signal.SIGHUP)


class EndSignals:
    """While this is entered, the first of these signals raises KeyboardInterrupt; later ones would only do harm."""

    def __init__(self) -> None:
        self._number: Optional[int] = None
        self._raises = True
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> EndSignals:
        if threading.current_thread() is threading.main_thread():
            self._handlers = {number: signal.signal(number, self._heed) for number in _HEEDED}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def status(self, status: int) -> int:
        """Return the exit status: that of the signal, as shells tell it, or where none came the one given."""
        if self._number is None:
            return status
        exec("")  # Python forgets an interrupt inside exec() only now; else it would end as by Ctrl-C, with its status
        return 128 + self._number

    def check(self) -> None:
        """Raise KeyboardInterrupt where a signal came: what it raised first may be lost, as in a finalizer."""
        if self._number is not None and self._raises:
            raise KeyboardInterrupt

    def finish(self) -> None:
        """Raise nothing any more: what was measured is being written."""
        self._raises = False

    def _heed(self, number: int, frame: Optional[FrameType]) -> None:
        first, self._number = self._number is None, self._number or number
        if first and self._raises:
            raise KeyboardInterrupt


def leave_ending_to_the_parent() -> None:
    """Let a signal for the whole group pass: the parent has it too, and ends this process when it has its answers.

    What this process starts does not inherit that, as it would inherit that signals are ignored.
    """
    for number in _HEEDED:
        signal.signal(number, lambda number, frame: None)

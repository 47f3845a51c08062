"""What a claim must leave as it was in its process, beside the modes of torch: it is put back, or reported."""

from __future__ import annotations

import builtins
import gc
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.run.worker.namespaces import Namespaces
from conformance.run.worker.settings import Settings

_BUILTINS = vars(builtins)
_ORIGINAL = _BUILTINS.copy()
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


class ProcessState:
    """A snapshot of this process, to compare with after each claim.

    Parameters
    ----------
    descriptors
        The file descriptors by which this process talks to the supervisor.

    Attributes
    ----------
    must_restart
        Why this process must not judge another claim, in words; empty while it may. What can't be put back, such as
        a thread that goes on, would otherwise be felt by the next claim.
    """

    def __init__(self, descriptors: Iterable[int]) -> None:
        self.must_restart = ""
        self._folder = Path.cwd()
        self._temporary = tempfile.gettempdir()
        self._namespaces = Namespaces()
        self._settings = Settings()
        self._variables = dict(os.environ)
        self._handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        self._streams = (sys.stdin, sys.stdout, sys.stderr)
        self._recursion = sys.getrecursionlimit()
        self._collects = gc.isenabled()
        self._threads = set(threading.enumerate())
        self._descriptors = {number: _identity(number) for number in (0, 1, 2, *descriptors)}

    @staticmethod
    def recover() -> list[str]:
        """Put back the builtins, without which nothing here works; return those that were replaced."""
        replaced = _BUILTINS.copy()  # no builtin function is called before all are there again
        _BUILTINS.update(_ORIGINAL)
        return [f"builtins.{name}" for name, value in _ORIGINAL.items() if replaced.get(name) is not value]

    def leaks(self) -> list[str]:
        """Return what the claim left changed, by name; it is as before then, unless the process must restart."""
        if any(_identity(number) != before for number, before in self._descriptors.items()):
            self.must_restart = "closed or replaced file descriptors"
        if any(thread not in self._threads for thread in threading.enumerate()):
            self.must_restart = "left threads running"
        if _has_children():
            self.must_restart = "left processes running"
        sys.stdin, sys.stdout, sys.stderr = self._streams
        if sys.getrecursionlimit() != self._recursion:
            sys.setrecursionlimit(self._recursion)
        if self._collects and not gc.isenabled():
            gc.enable()
        found = [*self._namespaces.leaks(), *self._settings.leaks()]
        self.must_restart = self.must_restart or self._namespaces.must_restart or self._settings.must_restart
        if tempfile.tempdir != self._temporary:
            tempfile.tempdir = self._temporary
            found.append("tempfile.tempdir")
        if self._moved():
            found.append("working directory")
        if self._handles_signals_differently():
            found.append("signal handlers")
        if os.environ != self._variables:
            self._restore_variables()
        return found

    def _moved(self) -> bool:
        try:
            if Path.cwd() == self._folder:
                return False
        except FileNotFoundError:
            pass  # the claim removed it
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            os.chdir(self._folder)
        except OSError as error:
            self.must_restart = f"left no working directory: {error}"
        return True

    def _handles_signals_differently(self) -> bool:
        changed = False
        for timer in _TIMERS:
            if signal.getitimer(timer) != (0.0, 0.0):
                signal.setitimer(timer, 0)
                changed = True
        for number, before in self._handlers.items():
            if signal.getsignal(number) != before:
                changed = True
                if before is None:
                    self.must_restart = f"replaced the handler of signal {number}"
                else:
                    signal.signal(number, before)
        return changed

    def _restore_variables(self) -> None:
        # No leak of the claim: a library, too, sets some when it is first used.
        for name in {*self._variables, *os.environ}:
            if name not in self._variables:
                del os.environ[name]
            elif os.environ.get(name) != self._variables[name]:
                os.environ[name] = self._variables[name]


def _identity(descriptor: int) -> Any:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _has_children() -> bool:
    """Say whether a process that this one started still runs; those that ended are reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return False
    return True

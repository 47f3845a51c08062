"""A line on the terminal when something takes long."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

_PATIENCE = 2.0  # seconds


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on the standard error what is going on, if it takes more than two seconds and a terminal is there."""
    if not sys.stderr.isatty():
        yield
        return
    # An alarm, since a thread would be in the way of processes that are forked.
    before = signal.signal(signal.SIGALRM, lambda *_: print(f"{what} …", file=sys.stderr, flush=True))
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

"""What takes forever is told as a failure; no measure of speed, which is for the benchmarks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def ends(seconds: int = 60) -> Iterator[None]:
    """Raise TimeoutError inside of what has not ended after so many seconds, far more than it needs anywhere."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not ended after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

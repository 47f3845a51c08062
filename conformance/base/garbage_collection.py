"""Holds Python's garbage collector back while many small objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage for a while; what was made meanwhile is never looked through.

    Reading and pickling make many small objects and hardly a cycle. Looking through them again and again takes half of
    the time of reading, and 15 times as long as pickling itself.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()
            gc.enable()

"""The border to the terminal: no control character of a spec or a result file gets through, whatever is printed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TextIO, cast

from conformance.base.text import printable


class PlainStream:
    """A stream whose text is printable; all else is that of the stream behind it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text with its control characters escaped."""
        return self._stream.write(printable(text))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextlib.contextmanager
def plain_output(*, errors_only: bool) -> Iterator[None]:
    """Let what is printed pass through a `PlainStream`.

    Parameters
    ----------
    errors_only
        Leave the standard output as it is: pytest colours it, and what we give to pytest is printable.
    """
    output = sys.stdout if errors_only else _plain(sys.stdout)
    with contextlib.redirect_stderr(_plain(sys.stderr)), contextlib.redirect_stdout(output):
        yield


def _plain(stream: TextIO) -> TextIO:
    return cast(TextIO, stream if isinstance(stream, PlainStream) else PlainStream(stream))

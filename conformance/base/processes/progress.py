"""A marker in shared memory: how far a process has come, to be read also after its death."""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from dataclasses import dataclass

_SIZE = 4096
# The number of the request, a counter of the steps, the length of the text; then the text.
_HEAD = struct.Struct("<III")
_STEP = struct.Struct("<II")


@dataclass(frozen=True)
class Progress:
    """How far a process has come.

    Attributes
    ----------
    request
        The number of the request that it took up last; 0 before the first one.
    step
        How many steps of this request it has begun.
    text
        What it said of its last step, cut off after some four thousand bytes.
    """

    request: int
    step: int
    text: str


class ProgressFile:
    """The reader's side: a file without a name, so that no program can remove it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._file.write(bytes(_SIZE))
        self._file.flush()

    def fileno(self) -> int:
        """Return the file descriptor to hand to the writer."""
        return self._file.fileno()

    def read(self) -> Progress:
        """Return how far the writer has come."""
        content = os.pread(self.fileno(), _SIZE, 0)
        request, step, length = _HEAD.unpack_from(content)
        return Progress(request, step, content[_HEAD.size : _HEAD.size + length].decode("utf-8", "replace"))

    def close(self) -> None:
        """Close the file, and with it remove it."""
        self._file.close()


class ProgressWriter:
    """The writer's side; a step costs a copy in memory.

    Parameters
    ----------
    descriptor
        Of a `ProgressFile`; it is closed here.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._step = 0
        os.close(descriptor)

    def take_up(self, request: int) -> None:
        """Begin with a request."""
        self._step = 0
        _HEAD.pack_into(self._memory, 0, request, 0, 0)

    def write(self, text: str) -> None:
        """Begin a step of the request."""
        content = text.encode("utf-8", "replace")[: _SIZE - _HEAD.size]
        self._step += 1
        self._memory[_HEAD.size : _HEAD.size + len(content)] = content
        _STEP.pack_into(self._memory, 4, self._step & 0xFFFFFFFF, len(content))

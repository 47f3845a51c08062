"""Reading a file that may be anything: a regular one is read up to a bound, all else is refused with a reason."""

from __future__ import annotations

import enum
import errno
import os
import stat
from pathlib import Path


class Why(enum.Enum):
    """Why a file was not read."""

    MISSING = "no such file"
    LOOP = "a link that leads in a circle"
    SPECIAL = "no regular file"
    NAME = "its name is not UTF-8, or has control characters"
    LARGE = "larger than"
    FAILED = "can't be read"


#: Asking for the bound at once would allocate it for each small file, and some processes have all memory written to.
_PORTION = 2**16
_OF_SYSTEM = {errno.ENOENT: Why.MISSING, errno.ENOTDIR: Why.MISSING, errno.ELOOP: Why.LOOP}


class Unreadable(Exception):
    """A file was not read; the message says why, and leaves out which."""

    def __init__(self, why: Why, detail: str = "") -> None:
        super().__init__(f"{why.value}{detail}; it was not read")
        self.why = why


def read_bounded(path: Path, most: int) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    most
        The most bytes that it may have; what is read counts, not what the system says.

    Raises
    ------
    Unreadable
        If it is missing, no regular file, too large, or its name is not UTF-8.
    """
    try:
        os.fsencode(path).decode()
        # Opening a pipe would wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except UnicodeError:
        raise Unreadable(Why.NAME) from None
    except (OSError, ValueError) as error:
        raise _unreadable(error) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(Why.SPECIAL)
        content = bytearray()
        while len(content) <= most and (portion := os.read(descriptor, _PORTION)):
            content += portion
    except OSError as error:
        raise _unreadable(error) from None
    finally:
        os.close(descriptor)
    if len(content) > most:
        bound = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise Unreadable(Why.LARGE, f" {bound}")
    return bytes(content)


def _unreadable(error: Exception) -> Unreadable:
    number = getattr(error, "errno", None)
    if number in _OF_SYSTEM:
        return Unreadable(_OF_SYSTEM[number])
    return Unreadable(Why.FAILED, f" ({getattr(error, 'strerror', None) or error})")
